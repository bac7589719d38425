package serve

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/scenario"
)

func TestARequestThatHasTheAPIServerPanicIs500AndTheRunGoesOn(t *testing.T) {
	s, _, err := scenario.Load(nodeDeath, nil)
	require.NoError(t, err)
	var logged []string
	l := serving(t, Options{Scenario: s, Speed: 1, Log: func(text string) { logged = append(logged, text) }})
	l.Do(func(c *scenario.Cluster) {
		fakeapi.Register[*appsv1.DaemonSet, *appsv1.DaemonSetList](c.Server(), fakeapi.Resource[*appsv1.DaemonSet]{
			Kind: appsv1.SchemeGroupVersion.WithKind("DaemonSet"), Plural: "daemonsets", Namespaced: true,
			Validate: func(_, _ *appsv1.DaemonSet) field.ErrorList { panic("fragile") },
		})
	})
	for range 2 {
		g := l.ask(http.MethodPost, "/apis/apps/v1/namespaces/default/daemonsets",
			`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d"}}`, "Content-Type", "application/json")
		require.Equal(t, http.StatusInternalServerError, g.code, g.body)
		require.Contains(t, g.body, "This request caused apiserver to panic. Look in the logs for details.")
		require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/api/v1/nodes", "").code)
	}
	l.end()
	require.Len(t, logged, 2)
	require.Contains(t, logged[0], "panic over a request, create daemonsets ")
	require.Contains(t, logged[0], "panic_test.go")
}
