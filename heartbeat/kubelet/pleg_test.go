package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A PLEG that really lists every second is held against the one that computes
// when it would have.
func TestRelistTimeIsThatOfAListEverySecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(1000, rapid.Int64Range(0, 999_999_999).Draw(t, "start"))
		failing := rapid.Bool().Draw(t, "failing")
		computed := newPLEG(start, failing)
		var listed time.Time
		next, now := start, start
		lists := func() {
			for ; !next.After(now); next = next.Add(time.Second) {
				if !failing {
					listed = next
				}
			}
		}
		lists()
		require.Equal(t, listed, computed.relistTime(now))
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.OneOf(rapid.Int64Range(1, 3e9), rapid.Map(rapid.Int64Range(1, 3), func(s int64) int64 { return s * 1e9 })).Draw(t, "after")))
			lists()
			require.Equal(t, listed, computed.relistTime(now))
			failing = rapid.Bool().Draw(t, "failing")
			computed.fail(failing, now)
			if resumed := next.Add(-time.Second); !failing && resumed.Equal(now) {
				listed = now // what falls on the instant is the list's to decide
			}
			require.Equal(t, listed, computed.relistTime(now))
		}
	})
}

func TestPLEGIsUnhealthyAfterMoreThanThreeMinutes(t *testing.T) {
	start := time.Unix(1000, 0)
	p := newPLEG(start, false)
	p.fail(true, start)
	require.NoError(t, p.healthy(start.Add(3*time.Minute)))
	require.EqualError(t, p.healthy(start.Add(3*time.Minute+1)), "pleg was last seen active 3m0.000000001s ago; threshold is 3m0s")
	p.fail(false, start.Add(time.Hour))
	require.NoError(t, p.healthy(start.Add(time.Hour)))
}

func TestUnhealthyPLEGIsReportedWithEveryStatus(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.change(time.Minute, func(in *Inputs) { in.PLEGStalled = true })
	first := l.tickAfter(4 * time.Minute)
	require.Regexp(t, `^PLEG is not healthy: pleg was last seen active 3m\d+\.\d+s ago; threshold is 3m0s$`, l.stored(corev1.NodeReady).Message)
	l.to(first + time.Minute)
	require.Len(t, l.reports(first), len(l.ticks)-len(ticksBefore(l, first)), "the text grows old with the PLEG")
	require.Equal(t, []string{"NodeNotReady"}, l.events(first))
}

func ticksBefore(l *lab, d time.Duration) []time.Duration {
	var before []time.Duration
	for _, tick := range l.ticks {
		if tick < d {
			before = append(before, tick)
		}
	}
	return before
}
