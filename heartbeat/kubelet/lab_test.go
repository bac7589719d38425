package kubelet

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

const (
	updates = 10 * time.Second // nodeStatusUpdateFrequency
	reports = 5 * time.Minute  // nodeStatusReportFrequency
	timeout = 10 * time.Second // of the heartbeat client

	// The kubelet's two clients, by the names that rules match.
	kubeClient, heartbeatClient = "kube", "heartbeat"
)

// tester is a test, or one case of a property.
type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// lab is an API server and the kubelet of node n.
type lab struct {
	t      tester
	engine *sim.Engine
	server *fakeapi.Server
	host   *sim.Host
	cfg    Config
	kl     *Kubelet

	calls     []fakeapi.Call  // of the kubelet
	ticks     []time.Duration // when a status was computed
	delays    []time.Duration // the report delay, as each of those found it
	decisions []string
	repeated  int
}

func newLab(t tester, seed uint64, edit ...func(*Config)) *lab {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: seed})}
	t.Cleanup(l.engine.Close)
	l.server = fakeapi.New(l.engine, fakeapi.Options{Observer: l, CheckImmutable: true})
	l.host = l.engine.NewHost("kubelet/n")
	l.cfg = Config{
		NodeName:                  "n",
		NodeStatusUpdateFrequency: updates,
		NodeStatusReportFrequency: reports,
		NodeLeaseDuration:         40 * time.Second,
		NodeStatusMaxImages:       50,
		RegisterNode:              true,
		Machine:                   DefaultMachine("n", "10.0.0.1", "v1.36.3"),
		CheckFastCompare:          true,
		Behaviors:                 version.Lookup(version.Version{Minor: 36, Patch: version.Newest}),
	}
	for _, f := range edit {
		f(&l.cfg)
	}
	return l
}

// build makes a kubelet on host, which may be a wrapper of l.host.
func (l *lab) build(host heartbeat.Host) {
	kube := l.server.NewClient(fakeapi.ClientOptions{Host: l.host, Name: kubeClient})
	beat := l.server.NewClient(fakeapi.ClientOptions{Host: l.host, Name: heartbeatClient, Timeout: timeout})
	l.kl = New(host, Clients{
		Kube:                       kube.Nodes(),
		Heartbeat:                  beat.Nodes(),
		Leases:                     beat.Leases(lease.Namespace),
		Events:                     func(ns string) heartbeat.EventClient { return kube.Events(ns) },
		WatchNodes:                 l.watchBy(kube),
		OnRepeatedHeartbeatFailure: func() { l.repeated++ },
	}, l.cfg, l)
	l.kl.setters = append([]func(*corev1.Node){func(*corev1.Node) {
		l.ticks = append(l.ticks, l.now())
		l.delays = append(l.delays, l.kl.delayAfterNodeStatusChange)
	}}, l.kl.setters...)
}

// run starts the kubelet.
func (l *lab) run() {
	l.build(l.host)
	l.kl.Run()
}

// restart kills the kubelet and starts another.
func (l *lab) restart() {
	l.host.Kill()
	l.host.Restart()
	l.run()
}

// to runs the engine to so long after its start.
func (l *lab) to(d time.Duration) {
	l.t.Helper()
	require.NoError(l.t, l.engine.RunUntil(sim.Time(d)))
}

func (l *lab) now() time.Duration { return l.engine.Now().Duration() }

// ready runs until the server has the node Ready, and returns when.
func (l *lab) ready() time.Duration {
	l.t.Helper()
	require.NoError(l.t, l.engine.RunWhile(func() bool { return l.status(corev1.NodeReady) != corev1.ConditionTrue }, l.engine.Now().Add(time.Minute)))
	require.Equal(l.t, corev1.ConditionTrue, l.status(corev1.NodeReady))
	return l.now()
}

// status of a condition, as the server has it.
func (l *lab) status(kind corev1.NodeConditionType) corev1.ConditionStatus {
	if node := l.server.Node("n"); node != nil {
		if c := condition(&node.Status, kind); c != nil {
			return c.Status
		}
	}
	return ""
}

// rule puts a fault on requests of one of the kubelet's clients.
func (l *lab) rule(client, verb, resource string, r fakeapi.Rule) (remove func()) {
	r.Match = fakeapi.Match{Clients: []string{client}, Verbs: []string{verb}, Resources: []string{resource}}
	return l.server.Network().Add(r)
}

// refuse answers requests with a 500.
var refuse = fakeapi.Rule{Respond: respond(500, "")}

// holdWatch keeps what the kubelet watches from it.
var holdWatch = fakeapi.Rule{HoldWatch: true}

func respond(code int32, reason metav1.StatusReason) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason}
}

// sent returns what a client asked at or after from, but for events, watches
// and leases, in the order of sending: "patch nodes/status: ok".
func (l *lab) sent(client string, from time.Duration) []string {
	var out []string
	for _, c := range l.callsOf("") {
		if c.Client != client || c.Sent.Duration() < from || c.Resource != "nodes" || c.Verb == "watch" {
			continue
		}
		answer := string(c.Reason)
		switch {
		case c.Err == nil:
			answer = "ok"
		case c.Code < 400: // none, or one that was lost
			answer = "no answer"
		case answer == "":
			answer = fmt.Sprint(c.Code)
		}
		out = append(out, c.Verb+" "+resourceOf(&c)+": "+answer)
	}
	return out
}

// callsOf returns the calls "patch nodes/status", say, in the order of sending.
func (l *lab) callsOf(what string) []fakeapi.Call {
	out := slices.DeleteFunc(slices.Clone(l.calls), func(c fakeapi.Call) bool {
		return what != "" && c.Verb+" "+resourceOf(&c) != what
	})
	slices.SortFunc(out, func(a, b fakeapi.Call) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// instants are when calls were sent.
func instants(calls []fakeapi.Call) []time.Duration {
	var out []time.Duration
	for _, c := range calls {
		out = append(out, c.Sent.Duration())
	}
	return out
}

func resourceOf(c *fakeapi.Call) string {
	if c.Subresource != "" {
		return c.Resource + "/" + c.Subresource
	}
	return c.Resource
}

func (l *lab) Received(c *fakeapi.Call) {
	if c.Client == kubeClient || c.Client == heartbeatClient {
		l.calls = append(l.calls, *c)
	}
}

func (l *lab) Answered(*fakeapi.Call)                                 {}
func (l *lab) Delivered(string, string, watch.Event, sim.Time)        {}
func (l *lab) Changed(_ string, _, _ runtime.Object, _ *fakeapi.Call) {}
func (l *lab) Decided(kind, _, _ string)                              { l.decisions = append(l.decisions, kind) }

// steady is a host whose clock is read without its steps, as Go's is for
// durations.
type steady struct{ *sim.Host }

func (s steady) Monotonic() time.Time { return s.Engine().Start().Add(s.Engine().Now().Duration()) }
