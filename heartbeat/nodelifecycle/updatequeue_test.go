package nodelifecycle

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

func TestNamesAreHandledOnceForEveryAddAndOneAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := sim.New(sim.Options{})
		defer e.Close()
		h := e.NewHost("h")
		workers := rapid.IntRange(1, 4).Draw(t, "workers")
		busy, begun, asked := map[string]bool{}, map[string]sim.Time{}, map[string]sim.Time{}
		most := 0
		q := newUpdateQueue(h, "node-worker", workers, func(name string) {
			require.False(t, busy[name], "one worker for each name")
			busy[name], begun[name] = true, e.Now()
			most = max(most, len(busy))
			h.Sleep(time.Duration(len(name)) * time.Second)
			delete(busy, name)
		})
		q.start()
		for range rapid.IntRange(0, 40).Draw(t, "adds") {
			require.NoError(t, e.RunUntil(e.Now().Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "after"))*time.Millisecond)))
			name := rapid.SampledFrom([]string{"a", "bb", "ccc", "dddd"}).Draw(t, "name")
			q.add(name)
			asked[name] = e.Now()
		}
		require.NoError(t, e.RunUntil(e.Now().Add(time.Hour)))
		require.LessOrEqual(t, most, workers)
		require.Empty(t, q.queue)
		for name, last := range asked {
			require.GreaterOrEqual(t, begun[name], last, "what was added last is handled after that")
		}
		require.Zero(t, e.Stats().Processes, "an idle queue holds no process")
	})
}

func TestNameAddedTwiceBeforeItsTurnIsHandledOnceAndInOrder(t *testing.T) {
	e := sim.New(sim.Options{})
	defer e.Close()
	h := e.NewHost("h")
	var log []string
	var q *updateQueue
	q = newUpdateQueue(h, "node-worker", 1, func(name string) {
		log = append(log, fmt.Sprint(name, " at ", e.Now().Duration()))
		if len(log) == 1 {
			q.add("a") // while it is handled: once more
			q.add("a")
		}
		h.Sleep(time.Second)
	})
	for _, name := range []string{"a", "b", "a", "b", "c"} {
		q.add(name)
	}
	require.NoError(t, e.RunUntil(sim.Time(time.Second)))
	require.Empty(t, log, "before the start nothing is handled")
	q.start()
	require.NoError(t, e.RunUntil(sim.Time(time.Minute)))
	require.Equal(t, []string{"a at 1s", "b at 2s", "c at 3s", "a at 4s"}, log)
}

func TestAnIdleWorkerTakesWhatComesWhileOthersAreBusy(t *testing.T) {
	e := sim.New(sim.Options{})
	defer e.Close()
	h := e.NewHost("h")
	var log []string
	q := newUpdateQueue(h, "node-worker", 8, func(name string) {
		log = append(log, fmt.Sprint(name, " at ", e.Now().Duration()))
		h.Sleep(time.Second)
	})
	q.start()
	for i, name := range []string{"a", "b", "c", "d"} {
		e.After(time.Duration(i)*100*time.Millisecond, func() { q.add(name) })
	}
	require.NoError(t, e.RunUntil(sim.Time(time.Minute)))
	require.Equal(t, []string{"a at 0s", "b at 100ms", "c at 200ms", "d at 300ms"}, log)
}
