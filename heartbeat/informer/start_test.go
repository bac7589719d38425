package informer

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

func TestInformerStartsWithOneWatchThatStreamsTheState(t *testing.T) {
	l, server := newServerLab(t, fakeapi.Options{Latency: sim.Fixed(5 * time.Millisecond)})
	for _, name := range []string{"b", "a", "c"} {
		server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	l.to(time.Second)
	require.Equal(t, []string{"state at "}, l.kinds())
	o := l.requests[0].o
	require.True(t, *o.SendInitialEvents)
	require.True(t, o.AllowWatchBookmarks)
	require.Equal(t, metav1.ResourceVersionMatchNotOlderThan, o.ResourceVersionMatch)
	require.True(t, *o.TimeoutSeconds >= 300 && *o.TimeoutSeconds < 600)
	require.True(t, l.informer.HasSynced())
	require.Equal(t, []string{"a", "b", "c"}, l.names())
	require.Len(t, l.told, 3)

	server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "b", Labels: map[string]string{"x": "y"}}})
	server.Remove(node("a", 0))
	server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "d"}})
	l.to(2 * time.Second)
	require.Equal(t, []string{"b", "c", "d"}, l.names())
	require.Equal(t, []string{"b 5 updated from 2", "a 3 deleted", "d 7 added"}, l.told[3:], "the last known state of what is gone")
	require.Len(t, l.requests, 1)
}

func TestStateCountsOnlyOnceItsEndIsAnnounced(t *testing.T) {
	s := &stream{}
	l := newLab(t, answers(s), nil)
	s.send(watch.Added, node("b", 3))
	s.send(watch.Added, node("a", 2))
	s.send(watch.Bookmark, node("", 5))
	s.send(watch.Modified, node("b", 6))
	s.send(watch.Added, node("c", 7))
	s.send(watch.Deleted, node("c", 8))
	l.to(time.Second)
	require.False(t, l.informer.HasSynced())
	require.Empty(t, l.told)
	require.Zero(t, l.informer.Store().Len())

	s.send(watch.Bookmark, initialEnd(9))
	require.True(t, l.informer.HasSynced())
	require.Equal(t, []string{"b 6 added", "a 2 added"}, l.told, "in the order of their arrival")
	require.Equal(t, []string{"a", "b"}, l.names())
}

func TestIdleInformerHoldsNoProcess(t *testing.T) {
	l, server := newServerLab(t, fakeapi.Options{})
	const servers = 1
	for i := range 50 {
		server.Put(node("a", 0))
		l.to(time.Duration(i+1) * time.Second)
		require.Equal(t, servers, l.engine.Stats().Processes)
	}
	l.to(30 * time.Minute)
	require.Equal(t, servers, l.engine.Stats().Processes, "after watches were resumed")
	require.Greater(t, len(l.requests), 3)
}

func TestInformerAsksForWhatItsSelectorSaysAlone(t *testing.T) {
	l, server := newServerLab(t, fakeapi.Options{})
	l.informer.cfg.FieldSelector = "metadata.name=b"
	remove := server.Network().Add(fakeapi.Rule{
		Match:   fakeapi.Match{Verbs: []string{"watch"}},
		Respond: &metav1.Status{Status: metav1.StatusFailure, Code: 500},
	})
	for _, name := range []string{"a", "b", "c"} {
		server.Put(node(name, 0))
	}
	l.to(0) // a list, and no watch
	require.Equal(t, []string{"b"}, l.names())
	remove()
	l.to(time.Hour) // a state, and watches
	for _, r := range l.requests {
		require.Equal(t, "metadata.name=b", r.o.FieldSelector)
	}
	require.Equal(t, []string{"b"}, l.names())
}

func TestKilledInformersSuccessorStartsFromNothing(t *testing.T) {
	l, server := newServerLab(t, fakeapi.Options{})
	server.Put(node("a", 0))
	l.to(time.Second)
	l.host.Kill()
	server.Put(node("b", 0))
	l.to(2 * time.Second)
	require.Equal(t, []string{"a"}, l.names(), "the dead hear nothing")
	l.host.Restart()
	l.informer = New[*corev1.Node](l.host, l.informer.cfg)
	l.informer.Run()
	l.to(3 * time.Second)
	require.Equal(t, []string{"a", "b"}, l.names())
}

func TestAHandlerThatComesLateIsToldWhatIsKnown(t *testing.T) {
	l, server := newServerLab(t, fakeapi.Options{})
	for _, name := range []string{"b", "a"} {
		server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	l.to(time.Second)
	var told []string
	l.informer.AddHandler(Handler[*corev1.Node]{
		Added:   func(n *corev1.Node) { told = append(told, "added "+n.Name) },
		Deleted: func(n *corev1.Node) { told = append(told, "deleted "+n.Name) },
	})
	l.informer.AddHandler(Handler[*corev1.Node]{})
	require.Equal(t, []string{"added a", "added b"}, told)
	server.Remove(node("a", 0))
	l.to(2 * time.Second)
	require.Equal(t, []string{"added a", "added b", "deleted a"}, told)
}
