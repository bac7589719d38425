package serve

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/holter-sim/holter/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const nodeDeath = "../testdata/scenarios/node-death.yaml"

// lab is a served scenario in a test.
type lab struct {
	*Server
	t      *testing.T
	client *http.Client
	closed bool
}

// newLab serves the node death of testdata.
func newLab(t *testing.T, speed Speed, sets ...string) *lab {
	t.Helper()
	s, _, err := scenario.Load(nodeDeath, nil)
	require.NoError(t, err)
	for _, set := range sets {
		path, value, _ := strings.Cut(set, "=")
		require.NoError(t, s.Set(path, value))
	}
	return serving(t, Options{Scenario: s, Speed: speed})
}

func serving(t *testing.T, o Options) *lab {
	t.Helper()
	server, err := Start(o)
	require.NoError(t, err)
	l := &lab{Server: server, t: t, client: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(func() {
		l.client.CloseIdleConnections()
		if !l.closed {
			_, err := l.Close()
			require.NoError(t, err)
		}
	})
	return l
}

// end closes the run early and returns what it came to.
func (l *lab) end() *scenario.Result {
	l.t.Helper()
	l.closed = true
	result, err := l.Close()
	require.NoError(l.t, err)
	return result
}

// clientset is client-go's own, with connections of its own.
func (l *lab) clientset() *kubernetes.Clientset {
	l.t.Helper()
	transport := &http.Transport{}
	l.t.Cleanup(transport.CloseIdleConnections)
	config := &rest.Config{Host: l.URL(), QPS: -1, BearerToken: l.Token(), UserAgent: "lab/v1"}
	client, err := kubernetes.NewForConfigAndClient(config, &http.Client{Transport: transport})
	require.NoError(l.t, err)
	return client
}

// ctx bounds a wait for something that never comes.
func (l *lab) ctx() context.Context {
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	l.t.Cleanup(cancel)
	return ctx
}

// until asks again and again, and gives others their turn in between.
func (l *lab) until(what string, holds func() bool) {
	l.t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); runtime.Gosched() {
		require.True(l.t, time.Now().Before(end), "not within a minute: %s", what)
	}
}

// state is where the run is, asked for without a request.
func (l *lab) state() Status {
	l.t.Helper()
	s, err := l.Status()
	require.NoError(l.t, err)
	return s
}

// now is the virtual time of the run.
func (l *lab) now() (now time.Duration) {
	l.t.Helper()
	require.True(l.t, l.Do(func(c *scenario.Cluster) { now = c.Now() }))
	return now
}

// got is an HTTP answer that has been read.
type got struct {
	code   int
	header http.Header
	body   string
}

// ask sends one request.
func (l *lab) ask(method, path, body string, header ...string) got {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.ctx(), method, l.URL()+path, strings.NewReader(body))
	require.NoError(l.t, err)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	return l.send(r)
}

func (l *lab) send(r *http.Request) got {
	l.t.Helper()
	resp, err := l.client.Do(r)
	require.NoError(l.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(l.t, err)
	return got{resp.StatusCode, resp.Header, string(data)}
}

// control sends an order, and reads the status.
func (l *lab) control(name, body string) Status {
	l.t.Helper()
	g := l.ask(http.MethodPost, controlPath+name, body)
	require.Equal(l.t, http.StatusOK, g.code, g.body)
	var s Status
	require.NoError(l.t, json.Unmarshal([]byte(g.body), &s))
	return s
}
