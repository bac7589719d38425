package kubelet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

const longestTick = updates * 104 / 100

// Whatever the delay, the report is sent at the first tick at which it is due:
// what is seen from outside are the bounds of the delay and one tick.
func TestUnchangedStatusIsReportedWithinHalfToOneAndAHalfFrequenciesAndEveryFrequencyAfterThat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.server.Network().SetLatency(sim.Uniform(0, 20*ms))
		l.run()
		ready := l.ready()
		l.to(ready + 20*time.Minute)
		all := l.reports(ready + time.Second)
		require.GreaterOrEqual(t, len(all), 2)

		last := l.reports(0)[len(l.reports(0))-len(all)-1].Received.Duration()
		for i, c := range all {
			after := c.Sent.Duration() - last
			if i == 0 {
				require.GreaterOrEqual(t, after, reports/2)
				require.Less(t, after, reports*3/2+longestTick)
			} else {
				require.GreaterOrEqual(t, after, reports)
				require.Less(t, after, reports+longestTick)
			}
			last = c.Received.Duration()
		}
	})
}

func TestReportIsSentAtTheFirstTickAtWhichItsDelayHasPassed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.run()
		last := l.ready()
		l.to(last + 15*time.Minute)
		sent := map[time.Duration]bool{}
		for _, c := range l.reports(last + time.Second) {
			sent[c.Sent.Duration()] = true
		}
		for i, tick := range l.ticks {
			if tick <= last+100*ms {
				continue
			}
			require.Equal(t, tick-last >= reports+l.delays[i], sent[tick], "tick at %s, last report at %s, delay %s", tick, last, l.delays[i])
			if sent[tick] {
				last = tick
			}
		}
		require.Zero(t, l.kl.delayAfterNodeStatusChange, "the delay is used once")
	})
}

func TestReportDelayFillsHalfAFrequencyToEitherSide(t *testing.T) {
	var delays []time.Duration
	for seed := range uint64(200) {
		l := newLab(t, seed)
		l.run()
		last := l.ready()
		sent := l.reports(last + time.Second)
		for len(sent) == 0 {
			l.to(l.now() + time.Minute)
			sent = l.reports(last + time.Second)
		}
		delays = append(delays, sent[0].Sent.Duration()-last)
	}
	counts := quarters(delays, reports/2, reports+longestTick)
	require.Len(t, counts, 4)
	for quarter := range 4 {
		require.Greater(t, counts[quarter], 25, "of 200, quarter %d", quarter)
	}
}

func TestDelayIsHalfTheFrequencyAtMostAndNeverHalfAFrequencyLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frequency := time.Duration(rapid.Int64Range(2, int64(24*time.Hour)).Draw(t, "frequency"))
		l := newLab(t, rapid.Uint64().Draw(t, "seed"), func(c *Config) { c.NodeStatusReportFrequency = frequency })
		l.build(l.host)
		for range 50 {
			delay := l.kl.calculateDelay()
			require.GreaterOrEqual(t, delay, -frequency/2)
			require.LessOrEqual(t, delay, (frequency-1)-frequency/2)
		}
	})
}

func TestChangeIsReportedAtTheNextTickWithoutADelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.run()
		at := l.ready() + time.Duration(rapid.Int64Range(int64(time.Second), int64(20*time.Minute)).Draw(t, "at"))
		l.to(at)
		sent := len(l.reports(0))
		l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
		tick := l.tickAfter(at)
		require.Less(t, tick-at, longestTick)
		require.Len(t, l.reports(0), sent+1)
		require.Equal(t, "7", l.server.Node("n").Status.NodeInfo.KernelVersion)
	})
}

func TestEveryChangeDrawsADelayAnew(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.ready()
	seen := map[time.Duration]bool{}
	for i := range 20 {
		l.kl.cfg.Machine.NodeInfo.KernelVersion = string(rune('a' + i))
		tick := l.tickAfter(l.now() + time.Second)
		require.Len(t, l.reports(tick), 1)
		seen[l.kl.delayAfterNodeStatusChange] = true
	}
	require.Len(t, seen, 20)
	require.NotContains(t, seen, time.Duration(0))
}

func TestChangePutsOffTheNextReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.run()
		l.to(l.ready() + 16*time.Minute) // in the rhythm of one frequency
		regular := l.reports(0)[len(l.reports(0))-1].Sent.Duration()
		l.to(max(l.now(), regular+time.Minute))
		l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
		change := l.tickAfter(l.now())
		l.to(change + 16*time.Minute)
		after := l.reports(change + time.Second)
		require.GreaterOrEqual(t, after[0].Sent.Duration()-change, reports/2)
		require.Less(t, after[0].Sent.Duration()-change, reports*3/2+longestTick)
		require.Less(t, after[1].Sent.Sub(after[0].Sent), reports+longestTick)
		require.GreaterOrEqual(t, after[1].Sent.Sub(after[0].Sent), reports)
	})
}

func TestChangeThatFailsToArriveIsNewAtTheNextTick(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	before := l.kl.lastStatusReportTime
	l.rule(heartbeatClient, "patch", "nodes/status", refuse)
	l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
	for range 3 {
		tick := l.tickAfter(l.now() + time.Second)
		require.Len(t, l.reports(tick), 5)
	}
	require.Equal(t, before, l.kl.lastStatusReportTime, "a report that failed is none")
}

// The failed try has used the delay up. If it was negative, the second try
// finds that the report is not due any more.
func TestReportThatFailsIsTriedAgainOnlyWhereItsDelayWasNotNegative(t *testing.T) {
	var early, late int
	for seed := range uint64(30) {
		l := newLab(t, seed)
		l.run()
		last := l.ready()
		delay := l.kl.delayAfterNodeStatusChange
		l.to(last + time.Minute)
		rule := refuse
		rule.Count = 1
		l.rule(heartbeatClient, "patch", "nodes/status", rule)
		for len(l.reports(last+time.Minute)) == 0 {
			l.to(l.now() + time.Second)
		}
		tick := l.reports(last + time.Minute)[0].Sent.Duration()
		want := []string{"patch nodes/status: 500", "get nodes: ok"}
		switch {
		case delay >= 0:
			late++
			require.Equal(t, append(want, "patch nodes/status: ok"), l.sent(heartbeatClient, tick))
		case delay < -longestTick:
			early++
			require.Equal(t, want, l.sent(heartbeatClient, tick))
			l.to(tick + 10*time.Minute)
			again := l.reports(tick)[1].Sent.Duration()
			require.GreaterOrEqual(t, again-last, reports)
			require.Less(t, again-last, reports+longestTick)
		}
	}
	require.Positive(t, early)
	require.Positive(t, late)
}

func TestClockThatJumpsMovesTheHeartbeatTimesButNoReport(t *testing.T) {
	jumps := func(by time.Duration) (sent []time.Duration, seen time.Duration) {
		l := newLab(t, 3)
		l.build(steady{l.host})
		l.kl.Run()
		l.to(time.Minute)
		l.host.Clock().Step(by)
		l.to(20 * time.Minute)
		return instants(l.reports(0)), l.stored("Ready").LastHeartbeatTime.Sub(l.engine.Start())
	}
	sent, seen := jumps(0)
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		after, moved := jumps(by)
		require.Equal(t, sent, after)
		require.Equal(t, seen+by, moved)
	}
}
