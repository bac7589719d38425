package lease_test

import (
	"context"
	"errors"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

func TestFiveFailedPutsAreFollowedByAGet(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.startRegistered(node)
	l.to(5 * time.Second)
	l.fail(500, "", "update", "leases", 5)
	l.to(15 * time.Second)
	require.Equal(t, append(repeat(5, "update leases: error"), "get leases: ok", "update leases: ok"), l.since(5*time.Second).what())
	tries := l.since(5*time.Second).of("update", "leases").sent()
	require.Equal(t, tries[0], tries[4], "no wait between them")
	require.Equal(t, 4, l.repeated, "every failure but the first")
	require.Equal(t, 1, l.failed)
}

func TestRenewalThatFailsForGoodTakesTenPutsAnInterval(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.startRegistered(node)
	l.to(5 * time.Second)
	l.fail(500, "", "update", "leases", 0)
	round := append(append(repeat(5, "update leases: error"), "get leases: ok"), repeat(5, "update leases: error")...)
	l.to(15 * time.Second)
	require.Equal(t, round, l.since(5*time.Second).what())
	l.to(25 * time.Second)
	require.Equal(t, round, l.since(15*time.Second).what(), "the version it has read is tried first")
	require.Equal(t, 4*4, l.repeated)
	require.Equal(t, 4, l.failed)
}

func TestPutThatIsNeverAnsweredCostsTheClientsTimeout(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.startRegistered(node)
	l.to(5 * time.Second)
	l.server.Network().Add(fakeapi.Rule{LoseRequest: true, Match: fakeapi.Match{Verbs: []string{"update"}}, Count: 5})
	l.to(70 * time.Second)
	after := l.since(5 * time.Second)
	require.Equal(t, append(repeat(5, "update leases: no answer"), "get leases: ok", "update leases: ok"), after[:7].what())
	for i, c := range after[:5] {
		require.Equal(t, timeout, c.Received.Sub(c.Sent), "try %d", i+1)
	}
	require.Equal(t, make([]time.Duration, 6), after[:7].pauses())
}

func TestConflictCostsOneGetAndOneMorePut(t *testing.T) {
	l := newLab(t, 1, sim.Fixed(time.Millisecond))
	l.startRegistered(node)
	for at := 5 * time.Second; at < 100*time.Second; at += interval {
		l.to(at)
		l.putLease(node, l.engine.Start()) // a second writer
		l.to(at + interval)
		require.Equal(t, []string{"update leases: Conflict", "get leases: ok", "update leases: ok"}, l.since(at).what())
	}
	require.Zero(t, l.repeated)
	require.Zero(t, l.failed)
}

func TestConflictsUseUpTheTriesButAreNoRepeatedFailures(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.startRegistered(node)
	l.to(5 * time.Second)
	l.fail(409, metav1.StatusReasonConflict, "update", "leases", 0)
	l.to(15 * time.Second)
	conflicts := repeat(5, "update leases: Conflict", "get leases: ok")
	require.Equal(t, append(append(conflicts, "get leases: ok"), conflicts...), l.since(5*time.Second).what())
	require.Zero(t, l.repeated)
	require.Equal(t, 2, l.failed)
}

func TestOnlyFailuresButTheFirstAndConflictsAreRepeatedFailures(t *testing.T) {
	const ok, conflict, failure = "ok", "conflict", "failure"
	rapid.Check(t, func(t *rapid.T) {
		script := rapid.SliceOfN(rapid.SampledFrom([]string{conflict, failure, failure, ok}), 5, 5).Draw(t, "answers")
		client := &scripted{}
		for _, answer := range script {
			client.answers = append(client.answers, map[string]error{
				ok: nil, conflict: apierrors.NewConflict(schema.GroupResource{}, node, errors.New("late")), failure: errors.New("no"),
			}[answer])
		}
		var puts, repeated int
		for i, answer := range script {
			puts++
			if answer == failure && i > 0 {
				repeated++
			}
			if answer == ok {
				break
			}
		}

		engine := sim.New(sim.Options{})
		defer engine.Close()
		var calls int
		lease.New(engine.NewHost(node), client, lease.Config{
			Behaviors: version.Lookup(version.Version{Minor: 36, Patch: version.Newest}).Lease,
			Name:      node, Duration: duration, RenewInterval: interval, OnRepeatedFailure: func() { calls++ },
		}, nil).Run()
		require.NoError(t, engine.RunUntil(sim.Time(time.Second)))
		require.Equal(t, puts, client.puts)
		require.Equal(t, repeated, calls)
	})
}

// scripted has a lease, and answers PUTs as told.
type scripted struct {
	answers []error
	puts    int
}

func (s *scripted) Get(context.Context, string, metav1.GetOptions) (*coordinationv1.Lease, error) {
	return &coordinationv1.Lease{}, nil
}

func (s *scripted) Create(context.Context, *coordinationv1.Lease, metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return nil, errors.New("there is a lease")
}

func (s *scripted) Update(_ context.Context, l *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	s.puts++
	return l, s.answers[s.puts-1]
}
