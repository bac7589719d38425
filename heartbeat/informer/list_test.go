package informer

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
)

// lists answers one LIST after the other: node lists, or errors.
func lists(all ...any) heartbeat.ListFunc {
	n := 0
	return func(context.Context, metav1.ListOptions) (runtime.Object, error) {
		n++
		if err, ok := all[min(n, len(all))-1].(error); ok {
			return nil, err
		}
		return all[min(n, len(all))-1].(*corev1.NodeList), nil
	}
}

func listed(version string, nodes ...*corev1.Node) *corev1.NodeList {
	l := &corev1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, n := range nodes {
		l.Items = append(l.Items, *n)
	}
	return l
}

func TestStateThatCannotBeStreamedIsListedAtOnceAndWatchedFromThere(t *testing.T) {
	l := newLab(t, answers(errInternal, &stream{}), lists(listed("20", node("b", 4), node("a", 3))))
	l.to(0)
	require.Equal(t, []string{"state at ", "list at 0", "watch at 20"}, l.kinds())
	require.True(t, l.informer.HasSynced())
	require.Equal(t, []string{"a", "b"}, l.names())
	require.Equal(t, []string{"b 4 added", "a 3 added"}, l.told)
}

func TestListThatFailsTooIsFollowedByTheBackoff(t *testing.T) {
	l := newLab(t, answers(errInternal, errInternal, errInternal, streaming()), lists(errInternal))
	l.to(time.Minute)
	require.Equal(t, []string{"state at ", "list at 0", "state at ", "list at 0", "state at ", "list at 0", "state at "}, l.kinds())
	for i := 0; i < 3; i++ {
		require.Equal(t, l.requests[2*i].at, l.requests[2*i+1].at)
		requirePause(t, backoffInit<<i, l.requests[2*i+2].at-l.requests[2*i+1].at)
	}
}

func TestListOfAVersionThatIsGoneIsAskedForAtOnceWithoutIt(t *testing.T) {
	first := streaming(node("a", 3))
	l := newLab(t, answers(first, errInternal, errInternal, &stream{}), lists(errExpired, listed("30")))
	l.to(5 * time.Second)
	first.end(nil)
	l.to(time.Minute)
	require.Equal(t, []string{"state at ", "watch at 10", "state at 10", "list at 10", "list at ", "watch at 30"}, l.kinds())
	require.Equal(t, []string{"a 3 added", "a 3 deleted"}, l.told)
}

// A server whose watches are broken is listed once a backoff, so the cache
// goes on moving.
func TestBrokenWatchesLeaveACacheThatIsListedOnceABackoff(t *testing.T) {
	l, server := newServerLab(t, fakeapi.Options{})
	server.Network().Add(fakeapi.Rule{
		Match:   fakeapi.Match{Verbs: []string{"watch"}},
		Respond: &metav1.Status{Status: metav1.StatusFailure, Code: 500},
	})
	server.Put(node("a", 0))
	l.to(0)
	require.Equal(t, []string{"state at ", "list at 0", "watch at 2"}, l.kinds())
	server.Put(node("b", 0))
	l.to(2 * time.Second)
	require.Equal(t, []string{"state at 2", "list at 2", "watch at 3"}, l.kinds()[3:6])
	require.Equal(t, []string{"a", "b"}, l.names())
}
