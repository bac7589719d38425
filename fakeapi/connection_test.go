package fakeapi

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/holter-sim/holter/sim"
)

var partition = Rule{Name: "partition", LoseRequest: true, LoseReply: true, HoldWatch: true}

// The instants are those of the recording of v1.36.3: with the last frame 4 s
// before the server was stopped, the controller's watches were lost 41 s after
// it, and what it sent then failed every 10 s for want of a TLS handshake.
func TestAStoppedServerIsFoundOutByThePing(t *testing.T) {
	l := newLab(t, Options{})
	kcm := l.e.NewHost("kcm")
	c := l.client(ClientOptions{Host: kcm, Name: "kube-controller-manager"})
	kubelet := l.client(ClientOptions{Name: "kubelet/n", Timeout: 10 * time.Second})

	var watchEnd, putEnd, getEnd error
	var watchAt, putAt, getAt, done sim.Time
	l.start(kcm, func() {
		w := must(c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		kcm.Go("requests", func() {
			kcm.Sleep(56 * time.Second)
			node := c.createNode("last-heard-at-56s")
			kcm.Sleep(45 * time.Second) // 101 s: the connection is lost at 101 s
			_, putEnd = c.Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})
			putAt = l.e.Now()
			_, getEnd = c.Nodes().Get(ctx, node.Name, metav1.GetOptions{})
			getAt = l.e.Now()
			c.createNode("hangs-until-the-server-goes-on")
			done = l.e.Now()
		})
		for watchEnd == nil {
			_, watchEnd = w.Next()
		}
		watchAt = l.e.Now()
	})
	l.do(func() {
		l.h.Sleep(60 * time.Second)
		l.s.Host().Pause()
		for range 3 { // kubelets knock all the time
			_, err := kubelet.Nodes().Get(ctx, "x", metav1.GetOptions{})
			requireTimeout(t, err)
		}
		l.h.Sleep(35 * time.Second)
		l.s.Host().Resume()
		l.h.Sleep(time.Second)
	})
	require.Equal(t, 101*second, watchAt)
	require.EqualError(t, watchEnd, `an error on the server ("unable to decode an event from the watch stream: http2: client connection lost") has prevented the request from succeeding`)
	require.True(t, apierrors.IsInternalError(watchEnd) || watchEnd.(apierrors.APIStatus).Status().Code == 500)
	require.False(t, errors.Is(watchEnd, io.EOF))
	require.EqualError(t, putEnd, `Put "https://kube-apiserver:6443/api/v1/nodes/last-heard-at-56s/status": net/http: TLS handshake timeout`)
	require.Equal(t, 111*second, putAt)
	require.ErrorContains(t, getEnd, "net/http: TLS handshake timeout")
	require.Equal(t, 121*second, getAt)
	require.Equal(t, 125*second, done)
	for _, call := range l.answered {
		require.NotEqual(t, "get", call.Verb+call.Client, "what was never sent never arrives")
	}
}

func TestAPartitionEndsWatchesAtThePing(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		l.h.Sleep(100 * time.Second) // idle: pings at 30, 60 and 90 s were answered
		remove := l.s.Network().Add(partition)
		_, err := w.Next()
		require.Equal(t, 135*second, l.e.Now())
		require.ErrorContains(t, err, "http2: client connection lost")
		require.Zero(t, l.s.Stats().Watches)

		_, err = l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		require.EqualError(t, err, `Post "https://kube-apiserver:6443/api/v1/nodes": dial tcp: i/o timeout`)
		require.Equal(t, 165*second, l.e.Now())

		l.e.After(10*time.Second, remove)
		l.c.createNode("a")
		require.Equal(t, 180*second, l.e.Now(), "the SYN of 15 s gets through")
		l.c.createNode("b")
		require.Equal(t, 180*second, l.e.Now())
	})
}

func TestAPartitionShorterThanThePingOnlyDelaysWatches(t *testing.T) {
	l := newLab(t, Options{})
	writer := l.client(ClientOptions{Name: "writer"})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		p := partition
		p.Match.Clients = []string{"host"}
		remove := l.s.Network().Add(p)
		writer.createNode("a")
		l.h.Sleep(44 * time.Second)
		writer.createNode("b")
		require.Empty(t, must(drain(w)))
		remove()
		l.h.Sleep(2 * time.Second)
		require.Equal(t, []string{"ADDED a@2", "ADDED b@3"}, must(drain(w)))
		l.h.Sleep(time.Minute)
		require.Empty(t, must(drain(w)))
	})
}

func TestInAPartitionARequestWithoutTimeoutEndsWithTheConnection(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.c.createNode("a") // heard at 0
		l.h.Sleep(20 * time.Second)
		l.s.Network().Add(partition)
		_, err := l.c.Nodes().Update(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.UpdateOptions{})
		require.ErrorContains(t, err, "http2: client connection lost")
		require.Equal(t, 45*second, l.e.Now())
		require.Equal(t, "partition", l.last().Fault)
	})
}

func TestAGetIsTriedAgainOnANewConnection(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.c.createNode("a")
		l.s.Network().Add(partition)
		_, err := l.c.Nodes().Get(ctx, "a", metav1.GetOptions{})
		require.EqualError(t, err, `Get "https://kube-apiserver:6443/api/v1/nodes/a": dial tcp: i/o timeout - error from a previous attempt: http2: client connection lost`)
		require.Equal(t, 76*second, l.e.Now())
	})
}

func TestInAPartitionAClientWithATimeoutSeesItsTimeout(t *testing.T) {
	l := newLab(t, Options{})
	c := l.client(ClientOptions{Name: "kubelet/n", Timeout: 10 * time.Second})
	l.do(func() {
		l.c.createNode("a")
		l.s.Network().Add(partition)
		for range 8 {
			sent := l.e.Now()
			_, err := c.Nodes().Get(ctx, "a", metav1.GetOptions{})
			requireTimeout(t, err)
			require.Equal(t, sent+10*second, l.e.Now())
		}
	})
}

func TestANewWatchOnAStoppedServerIsServedWhenItGoesOn(t *testing.T) {
	l := newLab(t, Options{})
	other := l.e.NewHost("other")
	c := l.client(ClientOptions{Host: other, Name: "informer"})
	var at sim.Time
	l.start(other, func() {
		c.createNode("heard-at-0")
		other.Sleep(time.Second)
		_, err := c.Nodes().List(ctx, metav1.ListOptions{}) // hangs until the connection is lost, and is tried again
		require.ErrorContains(t, err, "net/http: TLS handshake timeout - error from a previous attempt: http2: client connection lost")
		require.Equal(t, 56*second, l.e.Now())
		w := must(c.Nodes().Watch(ctx, metav1.ListOptions{})) // 10 s a handshake, 1 s until the next
		must(w.Next())
		at = l.e.Now()
	})
	l.do(func() {
		l.h.Sleep(time.Second / 2)
		l.s.Host().Pause()
		l.h.Sleep(90 * time.Second)
		require.Empty(t, l.answered[1:])
		l.s.Host().Resume()
		l.h.Sleep(time.Second)
	})
	require.Equal(t, 90*second+second/2, at)
	attempts := []sim.Time{}
	for _, call := range l.received[3:] {
		attempts = append(attempts, call.Sent/second)
	}
	require.Equal(t, []sim.Time{56, 67, 78, 89}, attempts)
	require.Len(t, l.answered, 3, "what was given up while dialing never reached the server")
	require.Equal(t, 500, l.answered[1].Code, "what was sent before the connection was lost did")
	require.Equal(t, "client disconnected", l.answered[1].Message)
}

func TestARestartedClientHasANewConnection(t *testing.T) {
	l := newLab(t, Options{})
	other := l.e.NewHost("other")
	c := l.client(ClientOptions{Host: other, Name: "client"})
	var at sim.Time
	l.start(other, func() { c.createNode("a") })
	l.do(func() {
		l.h.Sleep(20 * time.Second)
		other.Kill()
		other.Restart()
		l.s.Network().Add(partition)
		l.start(other, func() {
			_, err := c.Nodes().Update(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.UpdateOptions{})
			require.ErrorContains(t, err, "http2: client connection lost")
			at = l.e.Now()
		})
		l.h.Sleep(time.Minute)
	})
	require.Equal(t, 65*second, at)
}

func TestTheEndOfAWatchThatIsHeldIsLostWithTheConnection(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1", TimeoutSeconds: ptr.To[int64](10)}))
		l.s.Network().Add(partition)
		_, err := w.Next()
		require.ErrorContains(t, err, "http2: client connection lost")
		require.Equal(t, 45*second, l.e.Now())
	})
}
