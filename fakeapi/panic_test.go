package fakeapi

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// fragile is a resource that the server cannot bear two names of: one it panics over
// before the commit, the other in the middle of it.
func fragile(l *lab, o ClientOptions) *Objects[*appsv1.DaemonSet, *appsv1.DaemonSetList] {
	g := Register[*appsv1.DaemonSet, *appsv1.DaemonSetList](l.s, Resource[*appsv1.DaemonSet]{
		Kind: appsv1.SchemeGroupVersion.WithKind("DaemonSet"), Plural: "daemonsets", Namespaced: true,
		Validate: func(obj, _ *appsv1.DaemonSet) field.ErrorList {
			switch obj.Name {
			case "before":
				panic("fragile")
			case "within":
				g := l.s.tables[len(l.s.tables)-1]
				g.log.ring, g.log.n = nil, g.log.size // there is no room, though it says so
			}
			return nil
		},
	})
	return g.Client(l.client(o), "default")
}

func daemons(name string) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func TestAPanicOverARequestIs500ForAClientThatIsToldOfIt(t *testing.T) {
	l := newLab(t, Options{})
	var told []string
	c := fragile(l, ClientOptions{Name: "told", Panicked: func(call *Call, value any, stack []byte) {
		require.Contains(t, string(stack), "panic_test.go")
		told = append(told, call.Verb+" "+call.Resource+": "+value.(string))
	}})
	l.do(func() {
		must(c.Create(ctx, daemons("a"), metav1.CreateOptions{}))
		_, err := c.Create(ctx, daemons("before"), metav1.CreateOptions{})
		require.EqualError(t, err, "This request caused apiserver to panic. Look in the logs for details.")
		require.Equal(t, http.StatusInternalServerError, l.last().Code)
		must(c.Create(ctx, daemons("b"), metav1.CreateOptions{}))
		require.Len(t, must(c.List(ctx, metav1.ListOptions{})).Items, 2)
	})
	require.Equal(t, []string{"create daemonsets: fragile"}, told)
	require.Equal(t, []string{"added daemonsets a", "added daemonsets b"}, l.changed)
}

func TestAPanicOverARequestEndsTheRunOfOthers(t *testing.T) {
	l := newLab(t, Options{})
	c := fragile(l, ClientOptions{Name: "others"})
	l.start(l.h, func() { _, _ = c.Create(ctx, daemons("before"), metav1.CreateOptions{}) })
	require.ErrorContains(t, l.e.RunUntil(second), "fragile")
}

func TestAPanicInTheMiddleOfACommitEndsTheRun(t *testing.T) {
	l := newLab(t, Options{})
	c := fragile(l, ClientOptions{Name: "told", Panicked: func(*Call, any, []byte) { t.Error("the store is half changed") }})
	l.start(l.h, func() { _, _ = c.Create(ctx, daemons("within"), metav1.CreateOptions{}) })
	require.ErrorContains(t, l.e.RunUntil(second), "index out of range")
}
