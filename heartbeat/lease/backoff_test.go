package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/sim"
)

// ladder are the waits between tries to get or create the lease.
var ladder = []time.Duration{
	200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, 1600 * time.Millisecond,
	3200 * time.Millisecond, 6400 * time.Millisecond, 7 * time.Second, 7 * time.Second, 7 * time.Second,
}

func TestFailedGetsAreRetriedUpToEverySevenSeconds(t *testing.T) {
	l := newLab(t, 1, sim.Fixed(3*time.Millisecond))
	l.fail(500, "", "get", "leases", len(ladder))
	l.startRegistered(node)
	l.to(40 * time.Second)
	gets := l.all().of("get", "leases")
	require.Len(t, gets, len(ladder)+1)
	require.Equal(t, ladder, gets.pauses(), "from the answer to the next request")
	require.Equal(t, "update leases: ok", l.all().what()[len(gets)], "and then the renewal, at once")
}

func TestFailedCreateIsRetriedFromTheGet(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.putNode(node)
	l.fail(500, "", "create", "leases", 3)
	l.start(node)
	l.to(5 * time.Second)
	failed := []string{"get leases: NotFound", "get nodes: ok", "create leases: error"}
	want := append(repeat(3, failed...), "get leases: NotFound", "get nodes: ok", "create leases: ok")
	require.Equal(t, want, l.all().what())
	require.Equal(t, ladder[:3], l.all().of("get", "leases").pauses())
}

func TestLadderBeginsAnewForEachSync(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.fail(500, "", "get", "leases", 2)
	l.startRegistered(node)
	l.to(5 * time.Second)
	require.Equal(t, ladder[:2], l.all().of("get", "leases").pauses())
	l.putLease(node, l.engine.Start())
	l.fail(500, "", "get", "leases", 2)
	l.to(20 * time.Second)
	require.Equal(t, ladder[:2], l.since(5*time.Second).of("get", "leases").pauses())
}
