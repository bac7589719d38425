package fakeapi

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/sim"
)

// kubelets returns the two clients of a kubelet, which share a connection that
// was heard of last at 5 s, a watch over it, and when and how that ends.
func (l *lab) kubelets(noHealthCheck bool) (kube, beat *Client, ended *sim.Time, end *error) {
	kube = l.client(ClientOptions{Name: "kubelet/n", NoHealthCheck: noHealthCheck})
	beat = l.client(ClientOptions{Name: "kubelet/n", NoHealthCheck: noHealthCheck, Timeout: 10 * time.Second, Share: kube})
	ended, end = new(sim.Time), new(error)
	l.start(l.h, func() {
		kube.createNode("n")
		w := must(kube.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "2"}))
		l.h.Sleep(5 * time.Second)
		must(beat.Nodes().Get(ctx, "n", metav1.GetOptions{}))
		for *end == nil {
			_, *end = w.Next()
		}
		*ended = l.e.Now()
	})
	return kube, beat, ended, end
}

// get has a client ask for the node, and returns when that was answered and how.
func (l *lab) get(c *Client) (sim.Time, error) {
	_, err := c.Nodes().Get(ctx, "n", metav1.GetOptions{})
	return l.e.Now(), err
}

func TestADeadConnectionCarriesNothingUntilThePingFindsOut(t *testing.T) {
	l := newLab(t, Options{})
	kube, beat, ended, end := l.kubelets(false)
	l.do(func() {
		l.h.Sleep(8 * time.Second)
		beat.LoseConnections()
		at, err := l.get(beat)
		requireTimeout(t, err)
		require.Equal(t, 18*second, at)
		l.h.Sleep(27 * time.Second) // 45 s: the request that is under way at 50 s fails with its connection
		at, err = l.get(beat)
		require.NoError(t, err, "and is sent again a second later")
		require.Equal(t, 51*second, at)
		at, err = l.get(kube)
		require.NoError(t, err)
		require.Equal(t, 51*second, at)
	})
	require.Equal(t, 50*second, *ended)
	require.ErrorContains(t, *end, "http2: client connection lost")
}

// What is on its way as the connection dies: a write that has been committed
// stays so, another never comes to be, and watches hear of neither.
func TestADeadConnectionLosesRequestsAnswersAndWatchEvents(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Second)})
	other := l.client(ClientOptions{Name: "kubelet/other"})
	kube := l.client(ClientOptions{Name: "kubelet/n", Timeout: 10 * time.Second})
	heard := 0
	l.start(l.h, func() {
		w := must(kube.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		for {
			if _, err := w.Next(); err != nil {
				return
			}
			heard++
		}
	})
	create := func(name string) error {
		_, err := kube.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		return err
	}
	l.do(func() {
		l.h.Sleep(5 * time.Second)
		l.e.After(1500*time.Millisecond, kube.LoseConnections)
		requireTimeout(t, create("answer-lost")) // 5 s
		requireTimeout(t, create("request-lost"))
		other.createNode("of-somebody-else")
		l.h.Sleep(10 * time.Second)
	})
	require.NotNil(t, l.s.Node("answer-lost"))
	require.Nil(t, l.s.Node("request-lost"))
	require.Zero(t, heard)
}

func TestWritesOnAConnectionThatIsLostAreNotSentAgain(t *testing.T) {
	l := newLab(t, Options{})
	_, beat, _, _ := l.kubelets(false)
	l.do(func() {
		l.h.Sleep(44 * time.Second)
		beat.LoseConnections()
		l.h.Sleep(32 * time.Second) // 76 s, pinged at 35 s and lost at 80 s
		_, err := beat.Nodes().Patch(ctx, "n", "application/merge-patch+json", []byte(`{}`), metav1.PatchOptions{}, "status")
		require.ErrorContains(t, err, "http2: client connection lost")
		require.Equal(t, 80*second, l.e.Now())
	})
}

func TestADeadConnectionWithoutPingsIsGivenUpByTCP(t *testing.T) {
	l := newLab(t, Options{})
	_, beat, ended, end := l.kubelets(true)
	l.do(func() {
		l.h.Sleep(8 * time.Second)
		beat.LoseConnections()
		l.h.Sleep(2 * time.Second)
		for l.e.Now() < 900*second {
			at := l.e.Now()
			now, err := l.get(beat)
			requireTimeout(t, err)
			require.Equal(t, 10*time.Second, now.Sub(at))
		}
		l.h.Sleep(50 * time.Second)
		_, err := l.get(beat)
		require.NoError(t, err)
	})
	require.Equal(t, 10*second+sim.Time(tcpGivesUp), *ended, "it counts from what was sent first")
	require.ErrorContains(t, *end, "connection timed out")
}

func TestClosedConnectionsFailWhatIsUnderWayAndTheNextRequestDials(t *testing.T) {
	l := newLab(t, Options{})
	kube, beat, ended, end := l.kubelets(true)
	var err error
	l.do(func() {
		l.h.Sleep(8 * time.Second)
		kube.LoseConnections()
		l.h.Go("under way", func() { _, err = l.get(kube) })
		l.h.Sleep(time.Second)
		beat.CloseConnections()
		_, again := l.get(beat)
		require.NoError(t, again)
		require.Equal(t, 9*second, l.e.Now())
	})
	require.ErrorContains(t, err, "use of closed network connection")
	require.Equal(t, 9*second, *ended)
	require.True(t, errors.Is(*end, io.EOF), "a watch that was cut is over, and no error")
}

// Of two requests that dial through a partition, the second is not bound to the
// SYNs of its own: once the first gets through it goes over that connection.
func TestWhoDialsBesideOneWhoGetsThroughGoesOverItsConnection(t *testing.T) {
	l := newLab(t, Options{})
	kube, beat, _, _ := l.kubelets(true)
	l.do(func() {
		l.h.Sleep(8 * time.Second)
		heal := l.s.Network().Add(partition)
		kube.CloseConnections()
		var watched sim.Time
		l.h.Go("watch", func() {
			must(kube.Nodes().Watch(ctx, metav1.ListOptions{})).Stop()
			watched = l.e.Now()
		})
		l.h.Sleep(9 * time.Second) // the watch sends its SYNs at 8, 9, 11, 15 and 23 s
		l.e.After(time.Second, heal)
		at, err := l.get(beat) // and this one at 17, 18 and 20 s
		require.NoError(t, err)
		l.h.Sleep(time.Second)
		require.Equal(t, 18*second, at)
		require.Equal(t, at, watched)
	})
}

// Two loops that find out at once do not close each other's new connection.
func TestAConnectionThatIsBeingDialedIsNotClosed(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Millisecond)})
	_, beat, _, _ := l.kubelets(true)
	l.do(func() {
		l.h.Sleep(8 * time.Second)
		beat.CloseConnections()
		l.e.After(time.Microsecond, beat.CloseConnections)
		_, err := l.get(beat)
		require.NoError(t, err)
	})
}

// During a partition a closed connection costs the dialing of a new one, whose
// SYN is sent again until somebody answers.
func TestAClosedConnectionIsDialedThroughAPartition(t *testing.T) {
	for closed, want := range map[bool]string{false: "timeout", true: "answered"} {
		l := newLab(t, Options{})
		kube, beat, _, _ := l.kubelets(true)
		l.do(func() {
			l.h.Sleep(8 * time.Second)
			heal := l.s.Network().Add(partition)
			if closed {
				kube.CloseConnections()
			}
			l.e.After(4*time.Second, heal)
			at, err := l.get(beat)
			if want == "answered" {
				require.NoError(t, err)
				require.Equal(t, 15*second, at, "with the SYN that is sent after 7 s")
			} else {
				requireTimeout(t, err)
			}
		})
	}
}

func TestAConnectionOfAHostThatWasKilledIsClosedWithoutHarm(t *testing.T) {
	for name, lose := range map[string]func(c *Client){"closed": (*Client).CloseConnections, "lost": (*Client).LoseConnections} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Options{Latency: sim.Fixed(second.Duration())})
			h := l.e.NewHost("victim")
			c := l.client(ClientOptions{Host: h, Name: "victim"})
			l.start(h, func() { _, _ = c.Nodes().Get(ctx, "x", metav1.GetOptions{}) })
			l.do(func() {
				l.h.Sleep(second.Duration() / 2)
				h.Kill()
				l.h.Sleep(10 * second.Duration()) // the request is another's by now
				lose(c)
				h.Restart()
				lose(c)
				l.c.createNode("n")
			})
		})
	}
}
