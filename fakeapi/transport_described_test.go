package fakeapi

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What is answered outside of processes is byte for byte what Transport answers,
// refusals and all; objects are not its business.
func TestDescribedSaysWhatTransportSays(t *testing.T) {
	l := newLab(t, Options{})
	described, transport := Described(l.c), Transport(l.c)
	for _, path := range []string{"/", "/version", "/healthz", "/api", "/apis", "/api/v1", "/apis/coordination.k8s.io/v1", "/apis/none.example.com", "/openapi/v3", "/nonsense"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			ask := func() *http.Request {
				h, err := http.NewRequest(method, Endpoint+path, nil)
				require.NoError(t, err)
				return h
			}
			var want *http.Response
			l.do(func() {
				var err error
				want, err = transport.RoundTrip(ask())
				require.NoError(t, err)
			})
			got := described(ask())
			require.Equal(t, want.Status, got.Status, path)
			require.Equal(t, want.Header, got.Header, path)
			require.Equal(t, read(t, want), read(t, got), path)
		}
	}
	h, err := http.NewRequest(http.MethodGet, Endpoint+"/api/v1/nodes", nil)
	require.NoError(t, err)
	require.Nil(t, described(h))
}

func read(t *testing.T, r *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(data)
}

// A client is undisturbed but for rules that would keep a GET of a path from being
// answered, for as long as they would.
func TestUndisturbedKnowsTheRulesThatMatter(t *testing.T) {
	for name, c := range map[string]struct { // order: each case has a lab of its own
		rule Rule
		want bool
	}{
		"lost":             {Rule{LoseRequest: true}, false},
		"answer lost":      {Rule{LoseReply: true}, false},
		"of a path":        {Rule{LoseReply: true, Match: Match{Names: []string{"/version"}}}, false},
		"responds":         {Rule{Respond: &metav1.Status{Code: 500}}, false},
		"of another":       {Rule{LoseRequest: true, Match: Match{Clients: []string{"another"}}}, true},
		"of writes":        {Rule{LoseRequest: true, Match: Match{Verbs: []string{"update"}}}, true},
		"of objects":       {Rule{LoseRequest: true, Match: Match{Resources: []string{"nodes"}}}, true},
		"of an object":     {Rule{LoseRequest: true, Match: Match{Names: []string{"node-0"}}}, true},
		"watches are held": {Rule{HoldWatch: true}, true},
		"one that is its":  {Rule{LoseRequest: true, Match: Match{Clients: []string{"test"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Options{})
			if len(c.rule.Match.Clients) > 0 && !c.want {
				c.rule.Match.Clients = []string{l.c.name}
			}
			require.True(t, l.c.Undisturbed())
			remove := l.s.Network().Add(c.rule)
			require.Equal(t, c.want, l.c.Undisturbed())
			remove()
			require.True(t, l.c.Undisturbed())
		})
	}
	l := newLab(t, Options{})
	l.s.Host().Pause()
	require.False(t, l.c.Undisturbed())
	l.s.Host().Resume()
	l.s.Host().Kill()
	require.False(t, l.c.Undisturbed())
}
