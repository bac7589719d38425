package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/holter-sim/holter/serve"
)

// serving is a holter serve that runs.
type serving struct {
	t          *testing.T
	call       *call
	kubeconfig string
	config     *rest.Config
	over       chan struct{}
}

// served starts holter serve, and returns when its kubeconfig is there.
func served(t *testing.T, args ...string) *serving {
	t.Helper()
	s := &serving{t: t, call: &call{args: append([]string{"serve"}, args...), signals: &interrupt{}}, over: make(chan struct{})}
	for i, arg := range args {
		if arg == "--kubeconfig" {
			s.kubeconfig = args[i+1]
		}
	}
	go func() {
		defer close(s.over)
		s.call.run()
	}()
	for end := time.Now().Add(time.Minute); s.config == nil; runtime.Gosched() {
		select {
		case <-s.over:
			require.Fail(t, "it has ended", s.call.err)
		default:
		}
		require.True(t, time.Now().Before(end), "the kubeconfig is not there")
		s.config, _ = clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	}
	return s
}

// end has it end, as a signal does.
func (s *serving) end() *call {
	s.call.signals.raise()
	<-s.over
	return s.call
}

// during runs f while it is served, and then ends it.
func (s *serving) during(f func()) {
	defer s.end()
	f()
}

// client is a client-go client that leaves nothing behind.
func (s *serving) client() *kubernetes.Clientset {
	transport := &http.Transport{}
	s.t.Cleanup(transport.CloseIdleConnections)
	client, err := kubernetes.NewForConfigAndClient(s.config, &http.Client{Transport: transport})
	require.NoError(s.t, err)
	return client
}

// status asks where the run is.
func (s *serving) status() serve.Status {
	s.t.Helper()
	resp, err := http.Get(s.config.Host + "/holter/v1/status")
	require.NoError(s.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	var status serve.Status
	require.NoError(s.t, json.Unmarshal(data, &status))
	return status
}

// whenOver waits until the run has come to its scenario's duration.
func (s *serving) whenOver() *serving {
	s.t.Helper()
	s.until("the run is over", func() bool { return s.status().Over })
	return s
}

// until asks again and again, and gives others their turn in between.
func (s *serving) until(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); runtime.Gosched() {
		require.True(s.t, time.Now().Before(end), "not within a minute: %s", what)
	}
}

func TestAServedScenarioIsToldInTheEndAsARunIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sim.kubeconfig")
	s := served(t, nodeDeath, "--speed", "max", "--kubeconfig", path).whenOver()
	list, err := s.client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 3)
	c := s.end()
	require.Equal(t, exitFine, c.code, c.err)
	require.Equal(t, holter("run", nodeDeath).err, c.err, "it has the same warnings")
	first, rest, _ := strings.Cut(c.out, "\n\n")
	require.Equal(t, "export KUBECONFIG="+path+"; kubectl get nodes -w", first)
	story := func(text string) string {
		text = text[strings.Index(text, "Story"):]
		return text[:strings.Index(text, "Requests")]
	}
	require.Equal(t, story(holter("run", nodeDeath).out), story(rest))
	require.NoFileExists(t, path)
}

func TestAFaultStrikesInAServedScenarioAndIsJudgedWithIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sim.kubeconfig")
	s := served(t, nodeDeath, "--speed", "max", "--kubeconfig", path, "--set", `expect=[{node: node-2, condition: Ready, stays: "True"}]`).whenOver()
	c := holter("fault", "--kubeconfig", path, "{partition: {nodes: [node-0]}, for: 90s}")
	require.Equal(t, exitFine, c.code, c.err)
	require.Regexp(t, `^struck at 000180\.\d{6}s\n$`, c.out)
	file := write(t, "fault.yaml", "# a node goes\ndeleteNode:\n  node: node-2\n")
	require.Equal(t, exitFine, holter("fault", "--kubeconfig", path, "-f", file).code)
	c = (&call{args: []string{"fault", "--kubeconfig", path, "-f", "-"}, stdin: "kil: {node: node-1}"}).run()
	require.Equal(t, exitRefused, c.code)
	require.Regexp(t, `^error: <stdin>:1: unknown field "kil", did you mean kill\?; accepted: .*\n$`, c.err)
	c = holter("fault", "--kubeconfig", path, "-f", write(t, "fault.yaml", "kill:\n  node: node-7"))
	require.Equal(t, exitRefused, c.code)
	require.Regexp(t, `^error: .*fault\.yaml:2: kill\.node: "node-7" .*\n$`, c.err)
	s.until("the node is deleted", func() bool {
		list, err := s.client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		return len(list.Items) == 2
	})

	c = s.end()
	require.Equal(t, exitFailed, c.code)
	require.Contains(t, c.out, "What broke  node-2 Ready stays True: wanted True, got absent ")
	require.Contains(t, c.out, "Reproduce   no command does: somebody took part in the run\n")
	c = holter("fault", "--kubeconfig", path, "kill: {node: node-0}")
	require.Equal(t, exitRefused, c.code, "the kubeconfig has gone with the simulation")
}

func TestTheTraceOfAServedScenarioReplaysAsFarAsNobodyTookPart(t *testing.T) {
	path, untouched, touched := filepath.Join(t.TempDir(), "sim.kubeconfig"), filepath.Join(t.TempDir(), "a.jsonl.zst"), filepath.Join(t.TempDir(), "b.jsonl")
	c := served(t, nodeDeath, "--speed", "max", "--kubeconfig", path, "--trace", untouched).whenOver().end()
	require.Equal(t, exitFine, c.code, c.err)
	c = holter("replay", untouched)
	require.Equal(t, exitFine, c.code, c.out+c.err)

	s := served(t, nodeDeath, "--speed", "max", "--kubeconfig", path, "--trace", touched).whenOver()
	require.Equal(t, exitFine, holter("fault", "--kubeconfig", path, "kill: {node: node-0}").code)
	s.end()
	c = holter("replay", touched)
	require.Equal(t, exitFailed, c.code, c.err)
	require.Contains(t, c.out, "kill")

	c = holter("serve", nodeDeath, "--trace", "-")
	require.Equal(t, exitRefused, c.code)
	require.Equal(t, "error: --trace: \"-\" is no file; accepted: the path of a file of its own, for one scenario and one seed\n", c.err)
}

func TestAServedScenarioThatIsEndedEarlyIsNotJudged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sim.kubeconfig")
	c := served(t, nodeDeath, "--speed", "0.001x", "--kubeconfig", path, "-o", "json").end()
	require.Equal(t, exitFine, c.code, c.err)
	require.Contains(t, c.err, "export KUBECONFIG="+path)
	require.Regexp(t, `(?m)^ended at 00000\d\.\d{6}s of 3m: no expectation was judged$`, c.err)
	require.Empty(t, c.object(t)["expectations"])
}

func TestASimulationThatIsNotThereOrIsNoneSaysSo(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	config := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: %q}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n"
	path := write(t, "config", fmt.Sprintf(config, "http://"+listener.Addr().String()))
	require.NoError(t, listener.Close())
	c := holter("fault", "--kubeconfig", path, "kill: {node: node-0}")
	require.Equal(t, exitFailed, c.code)
	require.Regexp(t, `^error: no simulation answers, is holter serve running\? .*connection refused\n$`, c.err)

	listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	other := &http.Server{Handler: http.NotFoundHandler()}
	go func() { _ = other.Serve(listener) }()
	defer other.Close()
	path = write(t, "config", fmt.Sprintf(config, "http://"+listener.Addr().String()))
	c = holter("fault", "--kubeconfig", path, "kill: {node: node-0}")
	require.Equal(t, exitFailed, c.code)
	require.Equal(t, "error: http://"+listener.Addr().String()+" is no simulation: it answers 404 Not Found\n", c.err)
}
