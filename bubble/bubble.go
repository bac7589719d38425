package bubble

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/holtertest"
)

// Bubble is a simulated cluster in a bubble of testing/synctest.
type Bubble struct {
	t       *testing.T
	ctx     context.Context
	bridge  *Bridge
	cluster *holtertest.Cluster
	clients map[string]bool
	doing   atomic.Bool
}

// afterwards is how long the cluster lives on after the context of the test, for
// goroutines to say goodbye: a leader that gives up its lease, say.
const afterwards = 10 * time.Second

// Test runs f inside a bubble with a cluster of its own, built from the options
// with every check of the model on. The cluster begins at the bubble's time, and
// moves with it: sleep, and kubelets report, leases are renewed, faults happen.
//
// When f returns, the context of the bubble ends, and every goroutine that f has
// started is to end with it; synctest panics over one that does not. The test fails
// if the model breaks one of its invariants.
func Test(t *testing.T, f func(b *Bubble), options ...holtertest.Option) {
	t.Helper()
	var turns atomic.Int64
	defer guard(&turns)()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		cluster := holtertest.New(t, append([]holtertest.Option{holtertest.Start(time.Now())}, options...)...)
		b := &Bubble{t: t, ctx: ctx, cluster: cluster, bridge: newBridge(cluster.Engine(), &turns), clients: map[string]bool{}}
		defer b.close(cancel)
		f(b)
	})
}

// close ends the bubble. What the test's goroutines send from then on fails.
func (b *Bubble) close(cancel func()) {
	cancel()
	time.Sleep(afterwards)
	if err := b.bridge.Close(); err != nil {
		b.t.Errorf("bubble: the run failed: %v", err)
	}
	for _, v := range b.cluster.Result().Violations {
		b.t.Errorf("bubble: invariant %s: %s", v.Invariant, v.Message)
	}
}

// T is the test.
func (b *Bubble) T() *testing.T { return b.t }

// Context ends when the test does.
func (b *Bubble) Context() context.Context { return b.ctx }

// Now is the virtual time since the start of the cluster.
func (b *Bubble) Now() time.Duration { return b.bridge.Now() }

// Do lets f use the cluster at the present instant: inject a fault, look at a node
// or at the trace. The cluster must not be used in any other way, f must not run it
// (sleep instead), and it is not for the goroutines of the code under test, which
// should see the API alone.
func (b *Bubble) Do(f func(c *holtertest.Cluster)) {
	b.t.Helper()
	if !b.doing.CompareAndSwap(false, true) {
		panic("bubble: Do within Do, or in two goroutines at once")
	}
	defer b.doing.Store(false)
	granted, released := make(chan struct{}), make(chan struct{})
	b.bridge.Post("", func() {
		close(granted)
		<-released
	})
	select {
	case <-granted:
		defer close(released) // f may end the test
		defer b.bridge.look() // at what it has changed
		f(b.cluster)
	case <-b.bridge.Closed():
		b.t.Fatal("bubble: Do after the end of the test")
	}
}

// Config is a client configuration for a component of that name, on a machine of
// its own in the simulated network: for kubernetes.NewForConfig, for a
// controller-runtime manager. Every name can be had once. Requests have no limit
// unless QPS is set; Timeout and retries are client-go's own and keep virtual time.
func (b *Bubble) Config(name string) *rest.Config {
	b.t.Helper()
	return &rest.Config{Host: fakeapi.Endpoint, QPS: -1, Transport: b.Transport(name), WarningHandler: rest.NoWarnings{}}
}

// Transport is what Config sends requests through.
func (b *Bubble) Transport(name string) http.RoundTripper {
	b.t.Helper()
	if b.clients[name] {
		b.t.Fatalf("bubble: there is a component %q already", name)
	}
	b.clients[name] = true
	var rt *transport
	b.Do(func(c *holtertest.Cluster) {
		host := c.Engine().NewHost("bubble/" + name)
		client := c.Server().NewClient(fakeapi.ClientOptions{Host: host, Name: name, UserAgent: name})
		rt = newTransport(b.bridge, client, host, fmt.Sprintf("request/%s/", name))
	})
	return rt
}
