package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/sim"
)

func TestFirstSyncOfANewNodeGivesUpAndTheSecondCreatesTheLease(t *testing.T) {
	l := newLab(t, 1, sim.Fixed(4*time.Millisecond))
	l.start(node)
	l.to(time.Second)
	require.Equal(t, []string{"get leases: NotFound", "get nodes: NotFound"}, l.all().what(), "no CREATE, no backoff")
	l.putNode(node)
	l.to(9 * time.Second)
	require.Len(t, l.all(), 2)

	l.to(20 * time.Second)
	second := l.since(time.Second)
	require.Equal(t, []string{"get leases: NotFound", "get nodes: ok", "create leases: ok"}, second.what(), "no PUT after it")
	pause := second[0].Sent.Sub(l.all()[1].Received)
	require.True(t, pause >= interval && pause < interval*104/100, "a renew interval later, not %s", pause)

	l.to(29 * time.Second)
	require.Equal(t, []string{"update leases: ok"}, l.since(20*time.Second).what(), "from the created version, without a GET")
	require.Zero(t, l.repeated)
}

func TestLeaseOfARestartedKubeletIsReadAndRenewedAtOnce(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.startRegistered(node)
	l.to(time.Second)
	require.Equal(t, []string{"get leases: ok", "update leases: ok"}, l.all().what())
}

func TestCreatedLeaseSaysWhoHoldsItAndForHowLong(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.putNode(node)
	l.start(node)
	l.to(time.Second)
	created := l.stored()
	require.Equal(t, node, *created.Spec.HolderIdentity)
	require.Equal(t, int32(40), *created.Spec.LeaseDurationSeconds)
	require.True(t, created.Spec.RenewTime.Time.Equal(l.engine.Start()))
	require.Nil(t, created.Spec.AcquireTime)
	require.Nil(t, created.Spec.LeaseTransitions)
	require.Equal(t, []string{"get leases: NotFound", "get nodes: ok", "create leases: ok"}, l.all().what())
}
