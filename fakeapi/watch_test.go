package fakeapi

import (
	"errors"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"github.com/holter-sim/holter/sim"
)

func TestAWatchResumesAfterAVersion(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		first := l.c.createLease("a")
		must(l.c.renew(must(l.c.renew(first))))
		l.c.createLease("b")
		require.NoError(t, l.c.Leases(ns).Delete(ctx, "a", metav1.DeleteOptions{}))

		w := must(l.c.Leases("").Watch(ctx, metav1.ListOptions{ResourceVersion: first.ResourceVersion}))
		l.h.Sleep(1)
		require.Equal(t, []string{"MODIFIED a@3", "ADDED b@4", "DELETED a@5"}, must(drain(w)))
		l.c.createLease("c")
		l.h.Sleep(1)
		require.Equal(t, []string{"ADDED c@6"}, must(drain(w)))
	})
	require.Equal(t, "watch", l.answered[5].Verb)
	require.Equal(t, 200, l.answered[5].Code)
}

func TestAWatchBeginsWithThePresentState(t *testing.T) {
	for name, o := range map[string]metav1.ListOptions{
		"unset":         {},
		"version 0":     {ResourceVersion: "0"},
		"initialEvents": {SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Options{})
			l.do(func() {
				for _, n := range []string{"b", "a", "c"} {
					l.c.createNode(n)
				}
				w := must(l.c.Nodes().Watch(ctx, o))
				l.c.createNode("d")
				l.h.Sleep(1)
				require.Equal(t, []string{"ADDED a@3", "ADDED b@2", "ADDED c@4", "ADDED d@5"}, must(drain(w)))
			})
		})
	}
}

func TestABookmarkEndsTheInitialState(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.c.createNode("a")
		l.c.createLease("elsewhere")
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{SendInitialEvents: ptr.To(true), AllowWatchBookmarks: true,
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}))
		ev := must(w.Next())
		require.Equal(t, watch.Added, ev.Type)
		ev = must(w.Next())
		require.Equal(t, watch.Bookmark, ev.Type)
		node := ev.Object.(*corev1.Node)
		require.Equal(t, map[string]string{"k8s.io/initial-events-end": "true"}, node.Annotations)
		require.Equal(t, "3", node.ResourceVersion)

		w = must(l.c.Nodes().Watch(ctx, metav1.ListOptions{SendInitialEvents: ptr.To(false), AllowWatchBookmarks: true,
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}))
		l.h.Sleep(1)
		require.Empty(t, must(drain(w)))

		_, err := l.c.Nodes().Watch(ctx, metav1.ListOptions{SendInitialEvents: ptr.To(true)})
		require.EqualError(t, err, `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`)
		_, err = l.c.Nodes().List(ctx, metav1.ListOptions{SendInitialEvents: ptr.To(true)})
		require.EqualError(t, err, `ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`)
	})
}

func TestAVersionTheLogHasLeftBehindIs410(t *testing.T) {
	l := newLab(t, Options{WatchLog: 4})
	l.do(func() {
		lease := l.c.createLease("a") // 2
		for range 6 {                 // 3 to 8
			lease = must(l.c.renew(must(lease, error(nil))))
			l.h.Sleep(time.Millisecond)
		}
		w := must(l.c.Leases("").Watch(ctx, metav1.ListOptions{ResourceVersion: "4"}))
		l.h.Sleep(1)
		require.Equal(t, []string{"MODIFIED a@5", "MODIFIED a@6", "MODIFIED a@7", "MODIFIED a@8"}, must(drain(w)))

		w = must(l.c.Leases("").Watch(ctx, metav1.ListOptions{ResourceVersion: "3"}))
		_, err := w.Next()
		require.EqualError(t, err, "too old resource version: 3 (4)")
		require.True(t, apierrors.IsResourceExpired(err))
		require.EqualValues(t, 410, err.(apierrors.APIStatus).Status().Code)
		_, _, again := w.TryNext()
		require.Equal(t, err, again)

		_, err = l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
		require.NoError(t, err, "the log of another resource has not moved")
	})
	require.Equal(t, 200, l.last().Code, "upstream answers 200, and the stream says that it has expired")
}

func TestSelectorsTurnChangesIntoWhatTheyAreToTheWatch(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		pods := l.c.Pods("default")
		watchOf := func(ns, field, label string) *Watch {
			return must(l.c.Pods(ns).Watch(ctx, metav1.ListOptions{ResourceVersion: "1", FieldSelector: field, LabelSelector: label}))
		}
		named := watchOf("default", "metadata.name=p", "")
		everywhere := watchOf("", "metadata.name=p", "")
		elsewhere := watchOf("other", "metadata.name=p", "")
		onX := watchOf("", "spec.nodeName=x", "")
		running := watchOf("", "status.phase=Running", "")
		labelled := watchOf("", "", "app=web")
		all := watchOf("", "", "")

		l.c.createPod("default", "p", "")
		move := func(node string, labels map[string]string) { // as no request can, once it has a node
			pod := l.s.Pod("default", "p").DeepCopy()
			pod.Spec.NodeName, pod.Labels = node, labels
			l.s.Put(pod)
		}
		move("x", map[string]string{"app": "web"})
		must(pods.Patch(ctx, "p", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status"))
		move("y", nil)
		require.True(t, l.s.Remove(l.s.Pod("default", "p")))
		l.h.Sleep(1)

		whole := []string{"ADDED p@2", "MODIFIED p@3", "MODIFIED p@4", "MODIFIED p@5", "DELETED p@6"}
		require.Equal(t, whole, must(drain(all)))
		require.Equal(t, whole, must(drain(named)))
		require.Equal(t, whole, must(drain(everywhere)))
		require.Empty(t, must(drain(elsewhere)))
		require.Equal(t, []string{"ADDED p@3", "MODIFIED p@4", "DELETED p@5"}, must(drain(onX)))
		require.Equal(t, []string{"ADDED p@4", "MODIFIED p@5", "DELETED p@6"}, must(drain(running)))
		require.Equal(t, []string{"ADDED p@3", "MODIFIED p@4", "DELETED p@5"}, must(drain(labelled)))
	})
}

func TestAWatchByNameOutlivesTheObject(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=a", ResourceVersion: "1"}))
		for range 2 {
			l.c.createNode("a")
			require.NoError(t, l.c.Nodes().Delete(ctx, "a", metav1.DeleteOptions{}))
		}
		l.h.Sleep(1)
		require.Equal(t, []string{"ADDED a@2", "DELETED a@3", "ADDED a@4", "DELETED a@5"}, must(drain(w)))
		require.Len(t, l.s.nodes.space("").rows, 1)
		w.Stop()
		require.Empty(t, l.s.nodes.space("").rows, "nothing is left of a name nobody has or watches")
		require.Zero(t, l.s.Stats().Watches)
		_, err := w.Next()
		require.Equal(t, io.EOF, err)
	})
}

func TestAWatchEndsWhenItsTimeIsUp(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{TimeoutSeconds: ptr.To[int64](300)}))
		_, err := w.Next()
		require.Equal(t, io.EOF, err)
		require.EqualValues(t, 300*time.Second, l.e.Now())

		w = must(l.c.Nodes().Watch(ctx, metav1.ListOptions{}))
		_, err = w.Next()
		require.Equal(t, io.EOF, err)
		require.GreaterOrEqual(t, l.e.Now().Duration(), 30*time.Minute+300*time.Second)
		require.Less(t, l.e.Now().Duration(), 60*time.Minute+300*time.Second)
	})
}

func TestBookmarksComeEveryMinuteAndBeforeTheEnd(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: ptr.To[int64](150), ResourceVersion: "1"}))
		var at []time.Duration
		for {
			l.c.createLease("l" + strconv.Itoa(len(at))) // elsewhere: the version moves on
			ev, err := w.Next()
			if err != nil {
				require.Equal(t, io.EOF, err)
				break
			}
			require.Equal(t, watch.Bookmark, ev.Type)
			require.Equal(t, strconv.Itoa(2+len(at)), ev.Object.(*corev1.Node).ResourceVersion)
			at = append(at, l.e.Now().Duration())
		}
		require.Equal(t, []time.Duration{60 * time.Second, 120 * time.Second, 148 * time.Second}, at)
	})
}

// What a watch begins with leads to a version: one that it is given, that of what it
// missed, or that of the state that it is sent.
func TestNoBookmarkIsOfTheVersionThatAWatchBeganWith(t *testing.T) {
	initial, notOlder := ptr.To(true), metav1.ResourceVersionMatchNotOlderThan
	for name, o := range map[string]metav1.ListOptions{
		"the present state":            {},
		"the present state, to an end": {SendInitialEvents: initial, ResourceVersionMatch: notOlder},
		"what it missed":               {ResourceVersion: "2"},
		"nothing":                      {ResourceVersion: "3"},
		"the future":                   {ResourceVersion: "4"},
	} {
		l := newLab(t, Options{})
		l.do(func() {
			l.c.createNode("a")
			l.c.createNode("b")
			o.AllowWatchBookmarks = true
			w := must(l.c.Nodes().Watch(ctx, o))
			l.h.Sleep(time.Second)
			_ = must(drain(w))
			l.h.Sleep(3 * bookmarkPeriod)
			require.Empty(t, must(drain(w)), name)
			l.c.createLease("elsewhere")
			l.c.createLease("elsewhere-2")
			l.h.Sleep(2 * bookmarkPeriod)
			require.Equal(t, []string{"BOOKMARK @5", "BOOKMARK @5"}, must(drain(w)), name)
		})
	}
}

// Events are watched in the storage, which tells how far it is only after the initial state.
func TestWatchesOfEventsGetNoBookmarksFromTimeToTime(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Events("").Watch(ctx, metav1.ListOptions{AllowWatchBookmarks: true, SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}))
		l.c.createLease("elsewhere")
		l.h.Sleep(3 * bookmarkPeriod)
		require.Equal(t, []string{"BOOKMARK @1"}, must(drain(w)))
	})
}

func TestAWatchIsAnsweredBeforeItsFirstEvent(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Second), WatchLatency: sim.Fixed(time.Millisecond)})
	c := l.client(ClientOptions{Name: "observed", ObserveWatches: true})
	l.s.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	l.start(l.h, func() { _, _ = c.Nodes().Watch(ctx, metav1.ListOptions{}) })
	l.runUntil(2*time.Second - 1)
	require.Empty(t, l.delivered)
	l.runUntil(2 * time.Second)
	require.Equal(t, []string{"observed nodes ADDED"}, l.delivered)
}

func TestDeliveriesNeverOvertakeEachOther(t *testing.T) {
	l := newLab(t, Options{WatchLatency: sim.Uniform(0, 100*time.Millisecond)})
	c := l.client(ClientOptions{Name: "observed", ObserveWatches: true})
	l.do(func() {
		w := must(c.Leases("").Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		lease := l.c.createLease("a")
		for range 50 {
			l.h.Sleep(time.Millisecond)
			lease = must(l.c.renew(lease))
		}
		for i := range 51 {
			ev := must(w.Next())
			require.Equal(t, strconv.Itoa(2+i), ev.Object.(metav1.Object).GetResourceVersion())
		}
	})
	require.Len(t, l.delivered, 51)
	require.Equal(t, "observed leases ADDED", l.delivered[0])
}

func TestOnReadyRunsOnceWhenThereIsSomething(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		calls := 0
		w.OnReady(func() { calls++ })
		l.h.Sleep(1)
		require.Zero(t, calls)
		l.c.createNode("a")
		l.c.createNode("b")
		l.h.Sleep(1)
		require.Equal(t, 1, calls)
		w.OnReady(func() { calls++ })
		require.Equal(t, 1, calls, "through the engine, even if it is ready already")
		l.h.Sleep(1)
		require.Equal(t, 2, calls)
		require.Len(t, must(drain(w)), 2)

		l.s.Host().Kill()
		w.OnReady(func() { calls++ })
		l.h.Sleep(1)
		require.Equal(t, 3, calls, "an error is something")
	})
}

func TestAPausedWatcherFindsEverythingWhenItResumes(t *testing.T) {
	l := newLab(t, Options{})
	other := l.e.NewHost("other")
	c := l.client(ClientOptions{Host: other, Name: "watcher"})
	var seen []string
	l.start(other, func() {
		w := must(c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		for {
			seen = append(seen, must(w.Next()).Object.(*corev1.Node).Name+" at "+l.e.Now().String())
		}
	})
	l.do(func() {
		l.h.Sleep(time.Second)
		other.Pause()
		l.c.createNode("a")
		l.c.createNode("b")
		l.h.Sleep(time.Minute)
		require.Empty(t, seen)
		other.Resume()
		l.h.Sleep(time.Second)
	})
	require.Equal(t, []string{"a at 000061.000000s", "b at 000061.000000s"}, seen)
}

func TestTheServerForgetsWatchesOfAKilledHost(t *testing.T) {
	l := newLab(t, Options{})
	other := l.e.NewHost("other")
	c := l.client(ClientOptions{Host: other, Name: "watcher"})
	seen := 0
	watchNodes := func() {
		w := must(c.Nodes().Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=a", ResourceVersion: "1"}))
		for {
			must(w.Next())
			seen++
		}
	}
	l.start(other, watchNodes)
	l.do(func() {
		l.h.Sleep(1)
		require.Equal(t, 1, l.s.Stats().Watches)
		other.Kill()
		other.Restart()
		l.start(other, watchNodes)
		l.h.Sleep(1)
		require.Equal(t, 2, l.s.Stats().Watches)
		l.c.createNode("a")
		l.h.Sleep(1)
		require.Equal(t, 1, l.s.Stats().Watches)
		require.Equal(t, 1, seen)
	})
}

func TestWatchesEndWhenTheServerIsKilledAndFindAnEmptyLog(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Millisecond)})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		l.c.createNode("a")
		l.s.Host().Kill()
		require.Equal(t, "a", must(w.Next()).Object.(*corev1.Node).Name, "what was on its way arrives")
		_, err := w.Next()
		require.EqualError(t, err, "unexpected EOF")
		require.NotEqual(t, io.EOF, err)
		require.True(t, errors.Is(err, io.EOF), "client-go ends the stream for either")
		require.True(t, errors.Is(err, io.ErrUnexpectedEOF))

		_, err = l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
		require.EqualError(t, err, `Get "https://kube-apiserver:6443/api/v1/nodes?resourceVersion=1&watch=true": dial tcp: connect: connection refused`)

		l.s.Host().Restart()
		require.Equal(t, "a", l.c.mustGetNode("a").Name, "the store survives")
		w = must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		_, err = w.Next()
		require.EqualError(t, err, "too old resource version: 1 (3)")
		w = must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "2"}))
		_, err = w.Next()
		require.EqualError(t, err, "too old resource version: 2 (3)", "the last version that a client saw: the server has written for itself")
		w = must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "3"}))
		l.c.createNode("b")
		require.Equal(t, "b", must(w.Next()).Object.(*corev1.Node).Name)
	})
}

func (c *Client) mustGetNode(name string) *corev1.Node {
	return must(c.Nodes().Get(ctx, name, metav1.GetOptions{}))
}

func TestPutAndRemoveAreWatchedAndObserved(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		node := l.s.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{Phase: "Running"}}).(*corev1.Node)
		require.Empty(t, node.Spec.Taints, "no admission")
		again := l.s.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}).(*corev1.Node)
		require.Equal(t, node.UID, again.UID)
		require.True(t, l.s.Remove(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}))
		require.False(t, l.s.Remove(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}))
		l.h.Sleep(1)
		require.Equal(t, []string{"ADDED a@2", "MODIFIED a@3", "DELETED a@4"}, must(drain(w)))
	})
	require.Equal(t, []string{"added nodes a", "modified nodes a", "deleted nodes a"}, l.changed)
}
