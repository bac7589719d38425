package conformance

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	upstream "k8s.io/component-helpers/apimachinery/lease"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/utils/clock"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/bubble"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

// As the kubelet sets them (pkg/kubelet/kubelet.go, defaults of 1.37).
const (
	leaseDuration = 40 * time.Second
	renewInterval = 10 * time.Second // a quarter
	clientTimeout = 10 * time.Second
)

// TestLeaseControllersRequestsAreUpstreams compares every request, in its
// order, with its body, its outcome and its two instants, and every call of
// onRepeatedHeartbeatFailure.
func TestLeaseControllersRequestsAreUpstreams(t *testing.T) {
	c := &comparison{T: t}
	rapid.Check(t, func(r *rapid.T) {
		plan := drawLeasePlan(r)
		theirs := upstreamLeases(t, plan)
		c.requireSame(r, plan, theirs, ourLeases(r, plan))
	})
	c.report()
}

// upstreamLeases runs upstream's controllers in a bubble.
func upstreamLeases(t *testing.T, plan *plan) (log *Log) {
	synctest.Test(t, func(t *testing.T) {
		s := plan.newStage()
		defer s.engine.Close()
		log = s.log
		bridge := bubble.NewBridge(s.engine)
		ctx, cancel := context.WithCancel(t.Context())
		s.start = func(node string) { go startUpstreamLease(ctx, s, bridge, node) }
		for _, node := range plan.clients {
			s.hosts[node] = s.engine.NewHost(node)
		}
		time.Sleep(plan.length)
		cancel()
		require.NoError(t, bridge.Close())
	})
	return log
}

func startUpstreamLease(ctx context.Context, s *stage, bridge *bubble.Bridge, node string) {
	line := NewLine(bridge, s.hosts[node])
	set := NewClientset(line, s.leaseClient(node), nil)
	failed := func() { s.log.Told(bridge.Now(), node, "repeated failure") }
	upstream.NewController(hostClock{clock.RealClock{}, line}, set, node, int32(leaseDuration/time.Second), failed, renewInterval,
		node, corev1.NamespaceNodeLease, kubeletutil.SetNodeOwnerFunc(ctx, set, node)).Run(ctx)
}

// hostClock is the clock that upstream is given. A process that is stopped
// looks at it when it goes on.
type hostClock struct {
	clock.Clock
	line Line
}

func (c hostClock) Now() time.Time {
	c.line.Turn("clock")
	return c.Clock.Now()
}

// ourLeases runs Holter's controllers.
func ourLeases(t require.TestingT, plan *plan) *Log {
	s := plan.newStage()
	defer s.engine.Close()
	s.start = func(node string) {
		host := &Host{Host: s.hosts[node], Draws: s.draws}
		client := s.leaseClient(node)
		lease.New(host, client.Leases(lease.Namespace), lease.Config{
			Name: node, Duration: leaseDuration, RenewInterval: renewInterval, Behaviors: version.Lookup(upstreamVersion).Lease,
			SetOwner:          lease.SetNodeOwner(client.Nodes(), node),
			OnRepeatedFailure: func() { s.log.Told(s.engine.Now().Duration(), node, "repeated failure") },
		}, nil).Run()
	}
	for _, node := range plan.clients {
		s.hosts[node] = s.engine.NewHost(node)
	}
	require.NoError(t, s.engine.RunUntil(sim.Time(plan.length)))
	return s.log
}
