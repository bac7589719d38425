package fakeapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/holter-sim/holter/sim"
)

func TestATimeoutIsThatOfNetHTTPOnVirtualTime(t *testing.T) {
	l := newLab(t, Options{})
	c := l.client(ClientOptions{Name: "kubelet/x", Timeout: 10 * time.Second})
	cs := c.clientset(t, "")
	l.s.Network().Add(Rule{LoseReply: true, Match: Match{Resources: []string{"leases"}}})
	var err error
	l.do(func() {
		_, err = cs.CoordinationV1().Leases(ns).Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
	})
	require.EqualError(t, err, `Post "https://kube-apiserver:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout())
	require.Equal(t, sim.Time(10*time.Second), l.e.Now())
	require.NotNil(t, l.s.Lease(ns, "x"), "the write was committed, and only the answer lost")
}

func TestRetryAfterIsWaitedForOnVirtualTime(t *testing.T) {
	overWire(t, Options{}, func(t *testing.T, l *lab, cs *kubernetes.Clientset) {
		l.s.Network().Add(Rule{Count: 3, Respond: tooMany(2)})
		var err error
		l.do(func() { _, err = cs.CoreV1().Nodes().List(ctx, metav1.ListOptions{}) })
		require.NoError(t, err)
		require.Equal(t, sim.Time(6*time.Second), l.e.Now())
		require.Len(t, l.received, 4)

		l.s.Network().Add(Rule{Respond: tooMany(1)})
		l.do(func() { _, err = cs.CoreV1().Nodes().Get(ctx, "x", metav1.GetOptions{}) })
		require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
		require.Len(t, l.received, 4+11, "client-go has not begun anew")
		require.Equal(t, sim.Time(16*time.Second), l.e.Now())
	})
}

func tooMany(seconds int) *metav1.Status {
	s := apierrors.NewTooManyRequests("slow down", seconds).ErrStatus
	return &s
}

func TestAGetIsTriedAgainAfterAResetAndAPutIsNot(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Second)})
	cs := l.c.clientset(t, "")
	var getErr, nativeErr, putErr error
	l.do(func() { must(cs.CoreV1().Nodes().List(ctx, metav1.ListOptions{})) }) // there is a connection
	l.start(l.h, func() { _, getErr = cs.CoreV1().Nodes().Get(ctx, "x", metav1.GetOptions{}) })
	l.start(l.h, func() { _, nativeErr = l.c.Nodes().Get(ctx, "x", metav1.GetOptions{}) })
	l.start(l.h, func() {
		_, putErr = cs.CoreV1().Nodes().Update(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.UpdateOptions{})
	})
	l.s.Host().Pause()
	l.runUntil(3500 * time.Millisecond) // all hang
	l.s.Host().Kill()
	l.s.Host().Restart()
	l.runUntil(time.Minute)
	require.EqualError(t, getErr, `nodes "x" not found`)
	require.EqualError(t, nativeErr, getErr.Error())
	require.ErrorIs(t, putErr, syscall.ECONNRESET)
	require.ErrorContains(t, putErr, `Put "https://kube-apiserver:6443/api/v1/nodes/x": read tcp`)
}

func TestWhatClientGoWouldTryAgainInRealTimeItDoesNotKnow(t *testing.T) {
	for _, err := range []error{errReset, errLost, errClosed, &retriedError{errReset, errLost}} {
		spent := spentError{err}
		require.True(t, retryable(err))
		require.False(t, retryable(errors.New(spent.Error())), spent.Error())
		var errno syscall.Errno
		require.False(t, errors.As(error(spent), &errno))
	}
	require.ErrorIs(t, spentError{errReset}, syscall.ECONNRESET)
	require.False(t, retryable(errRefused))
}

func TestARequestFromOutsideAProcessFails(t *testing.T) {
	l := newLab(t, Options{})
	_, err := l.c.clientset(t, "").CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	require.ErrorContains(t, err, `fakeapi: GET /api/v1/nodes comes from outside the processes of "host": only a process can wait for an answer`)
	require.Empty(t, l.received)
}

func TestAWatchIsReadInTheProcess(t *testing.T) {
	overWire(t, Options{Latency: sim.Fixed(time.Millisecond)}, func(t *testing.T, l *lab, cs *kubernetes.Clientset) {
		var got []string
		var end, after error
		l.start(l.h, func() {
			w := must(watchOver(cs.CoreV1().RESTClient(), "nodes", "", metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: ptr.To[int64](90),
				ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, SendInitialEvents: ptr.To(true)}))
			for {
				ev, err := w.Next()
				if err != nil {
					end = err
					_, after = w.Next()
					return
				}
				m := ev.Object.(metav1.Object)
				got = append(got, l.e.Now().String()+" "+string(ev.Type)+" "+m.GetName()+m.GetAnnotations()[metav1.InitialEventsAnnotationKey])
			}
		})
		l.runUntil(time.Second)
		l.do(func() { l.c.createNode("a") })
		l.runUntil(2 * time.Minute)
		require.Equal(t, io.EOF, end)
		require.Equal(t, io.EOF, after)
		require.Len(t, got, 4, "%v", got)
		require.Contains(t, got[0], "BOOKMARK true")
		require.Contains(t, got[1], "ADDED a")
		require.Contains(t, got[2], "60.00")
		require.Contains(t, got[3], "88.00")
	})
}

func TestAWatchOfAnOldVersionEndsWithItsStatus(t *testing.T) {
	overWire(t, Options{WatchLog: 1}, func(t *testing.T, l *lab, cs *kubernetes.Clientset) {
		var err error
		l.do(func() {
			for _, name := range []string{"a", "b", "c"} {
				l.c.createNode(name)
			}
			_, err = must(watchOver(cs.CoreV1().RESTClient(), "nodes", "", metav1.ListOptions{ResourceVersion: "2"})).Next()
		})
		require.True(t, apierrors.IsResourceExpired(err), "%v", err)
		require.EqualError(t, err, "too old resource version: 2 (3)")
		l.do(func() {
			_, err = watchOver(cs.CoreV1().RESTClient(), "nodes", "", metav1.ListOptions{FieldSelector: "a=b"})
		})
		require.True(t, apierrors.IsBadRequest(err), "%v", err)
	})
}

func TestAWatchWhoseConnectionIsLostEndsAsClientGosDoes(t *testing.T) {
	l := newLab(t, Options{})
	cs := l.c.clientset(t, "")
	var wireErr, nativeErr, rawErr error
	body := func() io.ReadCloser {
		return must(cs.CoreV1().RESTClient().Get().Resource("nodes").Param("watch", "true").Stream(ctx))
	}
	l.start(l.h, func() { _, wireErr = must(WatchOver(body(), nil)).Next() })
	l.start(l.h, func() { _, nativeErr = must(l.c.Nodes().Watch(ctx, metav1.ListOptions{})).Next() })
	l.start(l.h, func() { _, rawErr = body().Read(make([]byte, 10)) })
	l.runUntil(time.Second)
	l.s.Network().Add(Rule{LoseRequest: true, LoseReply: true, HoldWatch: true})
	l.runUntil(3 * time.Minute)
	require.Error(t, nativeErr)
	require.EqualError(t, wireErr, nativeErr.Error())
	require.Equal(t, errLost, rawErr)
}

func TestTheBodyOfAWatchCannotBeReadByAGoroutine(t *testing.T) {
	l := newLab(t, Options{})
	cs := l.c.clientset(t, "")
	var body io.ReadCloser
	l.do(func() {
		body = must(cs.CoreV1().RESTClient().Get().Resource("nodes").Param("watch", "true").Stream(ctx))
	})
	told := make(chan any)
	go func() {
		defer func() { told <- recover() }()
		body.Read(make([]byte, 1))
	}()
	require.Contains(t, <-told, "read it with fakeapi.WatchOver")
	require.NoError(t, body.Close())

	_, err := WatchOver(io.NopCloser(strings.NewReader("")), nil)
	require.ErrorContains(t, err, "is watch=true among the parameters?")
	_, err = WatchOver(nil, context.Canceled)
	require.Equal(t, context.Canceled, err)
}

func TestARawReaderGetsTheFramesByteByByte(t *testing.T) {
	l := newLab(t, Options{})
	var got strings.Builder
	l.do(func() {
		l.c.createNode("a")
		resp := must((&http.Client{Transport: Transport(l.c)}).Get(Endpoint + "/api/v1/nodes?watch=1&timeoutSeconds=5"))
		buf := make([]byte, 1)
		for {
			n, err := resp.Body.Read(buf)
			got.Write(buf[:n])
			if err == io.EOF {
				return
			}
		}
	})
	require.Contains(t, got.String(), `{"type":"`+string(watch.Added)+`","object":{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"`)
	require.True(t, strings.HasSuffix(got.String(), "\n"))
}
