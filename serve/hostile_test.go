package serve

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/fakeapi/wire"
	"github.com/holter-sim/holter/scenario"
)

// zeroes is a body without an end, which knows how much of it was read.
type zeroes struct{ read int }

func (z *zeroes) Read(p []byte) (int, error) {
	clear(p)
	z.read += len(p)
	return len(p), nil
}

// post sends a body over a connection of its own and reads the answer, though the
// body is not sent to its end.
func (l *lab) post(path, contentType string, length int64, body io.Reader) got {
	l.t.Helper()
	conn, err := net.Dial("tcp", l.Address().String())
	require.NoError(l.t, err)
	defer conn.Close()
	head := "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + contentType + "\r\n"
	if length < 0 {
		head += "Transfer-Encoding: chunked\r\n\r\n"
	} else {
		head += fmt.Sprintf("Content-Length: %d\r\n\r\n", length)
	}
	go func() {
		_, _ = io.WriteString(conn, head)
		if length < 0 {
			chunk := append([]byte("8000\r\n"), make([]byte, 0x8000+2)...)
			copy(chunk[len(chunk)-2:], "\r\n")
			for {
				if _, err := conn.Write(chunk); err != nil {
					return
				}
			}
		}
		_, _ = io.Copy(conn, io.LimitReader(body, length))
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(l.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(l.t, err)
	return got{resp.StatusCode, resp.Header, string(data)}
}

func TestBodiesWithoutMeasureAreRefused(t *testing.T) {
	l := newLab(t, Max)
	for range 3 {
		g := l.post("/api/v1/nodes", "application/json", -1, nil)
		require.Equal(t, http.StatusRequestEntityTooLarge, g.code, g.body)
		require.Contains(t, g.body, `"reason":"RequestEntityTooLarge"`)

		body := &zeroes{}
		g = l.post("/api/v1/nodes", "application/json", 100<<20, body)
		require.Equal(t, http.StatusRequestEntityTooLarge, g.code, g.body)
		require.Less(t, body.read, 20<<20, "it is not read to its end")
	}
	g := l.post(controlPath+"fault", "application/yaml", 100<<20, &zeroes{})
	require.Equal(t, http.StatusRequestEntityTooLarge, g.code, g.body)
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/api/v1/nodes", "").code)
}

// The client says that a little more comes, and does not send it.
func TestTheRestOfABodyThatIsTooLongIsNotWaitedFor(t *testing.T) {
	l := newLab(t, Max)
	conn, err := net.Dial("tcp", l.Address().String())
	require.NoError(t, err)
	defer conn.Close()
	sent := wire.MaxRequestBody + 1
	_, err = io.WriteString(conn, fmt.Sprintf("POST /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", sent+100, strings.Repeat(" ", sent)))
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute))) // for a server that waits for it
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)
	require.True(t, resp.Close)
}

func TestBodiesThatAreNoObjectsAreRefused(t *testing.T) {
	l := newLab(t, Max)
	const proto, json = "application/vnd.kubernetes.protobuf", "application/json"
	huge := append([]byte("k8s\x00\x12"), binary.AppendUvarint(nil, 1<<62)...)
	deep := strings.Repeat(`{"a":`, 100_000)
	for _, c := range []struct{ contentType, body string }{
		{proto, ""}, {proto, "k8s\x00"}, {proto, "k8s\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}, {proto, string(huge)}, {proto, strings.Repeat("\n\xff", 10_000)},
		{json, ""}, {json, "["}, {json, deep}, {json, `{"kind":"Node","apiVersion":"v1","metadata":[]}`}, {json, "\x00"},
		{"application/yaml", "a: &a [*a]"}, {"application/cbor", "\xd9\xd9\xf7\xbf"}, {"text/html", "<html>"}, {"", "{}"},
	} {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			path := "/api/v1/nodes/node-0"
			if method == http.MethodPost {
				path = "/api/v1/nodes"
			}
			if method == http.MethodDelete && (c.body == "" || c.body == "{}") {
				continue // which is how a delete without options looks
			}
			g := l.ask(method, path, c.body, "Content-Type", c.contentType)
			require.Contains(t, []int{400, 415, 422}, g.code, "%s %q %.40q: %s", method, c.contentType, c.body, g.body)
		}
	}
	list, err := l.clientset().CoreV1().Nodes().List(l.ctx(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 3)
}

func TestPathsThatAreNoneAreNotFound(t *testing.T) {
	l := newLab(t, Max)
	for path, codes := range map[string][]int{
		"/../../etc/passwd":                     {404},
		"/api/v1/nodes/../../../etc/passwd":     {404},
		"/api/v1/nodes/%2e%2e%2f%2e%2e":         {400, 404},
		"/api/v1/nodes/node-0%00":               {400, 404},
		"//api//v1//nodes":                      {200, 404},
		"/api/v1/nodes;x=y":                     {404},
		"/api/v1/watch/watch/watch":             {404},
		"/apis/":                                {200},
		"/holter/v1/../../api/v1/nodes":         {404},
		"/holter/v1/%2e%2e/status":              {404},
		"/holter":                               {404},
		"/" + strings.Repeat("a/", 5_000):       {404},
		"/api/v1/nodes?watch=maybe%zz&limit=-1": {200, 400, 404},
		"/api/v1/nodes?fieldSelector=%00":       {400},
		"/api/v1/nodes?resourceVersion=-1":      {400},
	} {
		u, err := url.Parse(l.URL())
		require.NoError(t, err)
		u.Opaque = path // as it stands, without being made clean
		r := (&http.Request{Method: http.MethodGet, URL: u, Host: "localhost", Header: http.Header{}}).WithContext(l.ctx())
		r.URL.Opaque = "//" + u.Host + path
		if strings.HasPrefix(path, "//") {
			r.URL.Opaque = "http://" + u.Host + path
		}
		g := l.send(r)
		require.Contains(t, codes, g.code, "%s: %.300s", path, g.body)
	}
	g := l.ask(http.MethodGet, "/version", "", "X-Long", strings.Repeat("x", 2*mostHeader))
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, g.code)
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/api/v1/nodes", "").code)
}

// watchers opens watches of all nodes, n hundreds or none, and reads nothing.
func (l *lab) watchers(n int) []net.Conn {
	l.t.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		conn, err := net.Dial("tcp", l.Address().String())
		require.NoError(l.t, err)
		l.t.Cleanup(func() { conn.Close() })
		require.NoError(l.t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
		_, err = io.WriteString(conn, "GET /api/v1/nodes?watch=true&resourceVersion=0 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: sloth/1\r\n\r\n")
		require.NoError(l.t, err)
		conns[i] = conn
		if i%100 == 99 { // or else there are too many requests under way
			l.until("all are open", func() bool { return int(l.watches.n.Load()) == i+1 })
		}
	}
	return conns
}

// A thousand watchers that never read cost a bounded amount of memory each, are let
// go one by one as more comes for them than they may be behind, and nobody else
// notices.
func TestWatchersThatDoNotReadAreLetGoAndOthersDoNotNotice(t *testing.T) {
	const watchers = 1000
	l := newLab(t, 1)
	require.NoError(t, l.Step(30*time.Second))
	own := l.state().Watches
	before := heap()
	l.watchers(watchers)
	require.EqualValues(t, watchers, l.watches.n.Load())
	open := heap()
	t.Logf("%d watchers: %d KiB each", watchers, (open-before)/watchers>>10)
	require.Less(t, open-before, uint64(watchers*96<<10))

	nodes, ctx := l.clientset().CoreV1().Nodes(), l.ctx()
	reader, err := nodes.Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	defer reader.Stop()
	read := make(chan int)
	go func() {
		n := 0
		for ev := range reader.ResultChan() {
			if n++; ev.Type == "DELETED" {
				break
			}
		}
		read <- n
	}()
	var peak uint64
	var slowest time.Duration
	wide := strings.Repeat("x", 4<<10)
	patches := 0
	for ; l.watches.n.Load() > 1 && patches < 50_000; patches++ {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"turn":"%d %s"}}}`, patches, wide)
		began := time.Now()
		_, err := nodes.Patch(ctx, "node-0", types.MergePatchType, patch, metav1.PatchOptions{})
		require.NoError(t, err)
		slowest = max(slowest, time.Since(began))
		if patches%100 == 0 {
			peak = max(peak, heap())
		}
	}
	require.NoError(t, nodes.Delete(ctx, "node-0", metav1.DeleteOptions{}))
	t.Logf("all %d were let go after %d patches of 4 KiB; the heap grew by %d KiB a watcher at most; the slowest patch took %s",
		watchers, patches, (peak-min(peak, before))/watchers>>10, slowest)
	require.EqualValues(t, 1, l.watches.n.Load(), "only the one who reads has a watch")
	require.Less(t, peak-min(peak, before), uint64(watchers*256<<10))
	require.Greater(t, <-read, patches, "that one has seen all")
	l.until("the simulation's own watches are left", func() bool { return l.state().Watches <= own+1 })
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// Requests are held up here by the engine, which is busy with something else.
func TestRequestsBeyondTheBoundAre429(t *testing.T) {
	l := newLab(t, 1)
	busy, over := make(chan struct{}), make(chan struct{})
	goOn := sync.OnceFunc(func() { close(over) })
	defer goOn()
	go l.Do(func(*scenario.Cluster) {
		close(busy)
		<-over
	})
	<-busy
	for range mostRequests {
		conn, err := net.Dial("tcp", l.Address().String())
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
	}
	l.until("all are under way", func() bool { return l.requests.n.Load() == mostRequests })
	g := l.ask(http.MethodGet, controlPath+"none", "") // which the loop is not needed for
	goOn()
	require.Equal(t, http.StatusTooManyRequests, g.code)
	require.Equal(t, "1", g.header.Get("Retry-After"))
	require.Contains(t, g.body, "too many requests are under way")
	l.until("all have their answers", func() bool { return l.requests.n.Load() == 0 })
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/version", "").code)
}

func TestManyKindsOfClientsAreOne(t *testing.T) {
	l := newLab(t, Max)
	for i := range 3 * mostNames {
		require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/version", "", "User-Agent", fmt.Sprintf("client%d/1", i)).code)
	}
	l.Do(func(*scenario.Cluster) { require.Len(t, l.names, mostNames) })
	for agent, name := range map[string]string{"kubectl/v1.37.1 (linux/amd64)": "kubectl", "": "client", "(x)": "client", "a b": "a", strings.Repeat("x", 99): strings.Repeat("x", 63)} {
		s := &Server{names: map[string]bool{}}
		require.Equal(t, name, s.clientName(agent))
	}
}

// The simulated API server is stopped, so that nothing of what is sent comes to an
// end, and clients that send go as soon as they have sent.
func TestRequestsWhoseClientsHaveGoneDoNotPileUp(t *testing.T) {
	l := newLab(t, 1)
	l.Do(func(c *scenario.Cluster) { c.Server().Host().Pause() })
	most := func() (n, bytes int) {
		l.Do(func(*scenario.Cluster) { n, bytes = l.inside, l.insideBytes })
		return n, bytes
	}
	body := strings.Repeat(" ", wire.MaxRequestBody)
	for i := range mostBodies + 20 {
		conn, err := net.Dial("tcp", l.Address().String())
		require.NoError(t, err)
		_, err = io.WriteString(conn, fmt.Sprintf("POST /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		require.NoError(t, err)
		l.until("it is in, or refused", func() bool {
			n, bytes := most()
			return n > i || bytes+len(body) > mostInsideBytes
		})
		require.NoError(t, conn.Close())
	}
	n, bytes := most()
	require.Equal(t, mostBodies, n)
	require.Equal(t, mostInsideBytes, bytes)
	l.Do(func(c *scenario.Cluster) { c.Server().Host().Resume() })
	l.until("all have come to an end", func() bool { n, bytes := most(); return n == 0 && bytes == 0 })
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/version", "").code)
}

func TestWatchesThatBeginWithTooMuchAreRefused(t *testing.T) {
	l := newLab(t, 1)
	l.Do(func(*scenario.Cluster) { l.initial = mostInitial + 1 })
	g := l.ask(http.MethodGet, "/api/v1/nodes?watch=true&timeoutSeconds=1", "")
	require.Equal(t, http.StatusTooManyRequests, g.code)
	l.Do(func(*scenario.Cluster) { l.initial = 0 })
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/api/v1/nodes?watch=true&timeoutSeconds=1", "").code)
	l.until("what it began with is read", func() (over bool) {
		l.Do(func(*scenario.Cluster) { over = l.initial == 0 })
		return over
	})
}
