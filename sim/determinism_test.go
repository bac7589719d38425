package sim

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mixedRun drives processes, loops, mutexes, pauses, kills and waiters, and
// returns a checksum over the order of it all.
func mixedRun(seed uint64) uint64 {
	e := New(Options{Seed: seed})
	defer e.Close()
	sum := uint64(fnvOffset)
	note := func(n uint64) { sum = hashUint(hashUint(sum, uint64(e.Now())), n) }
	boss := e.NewHost("boss")
	for i := range 20 {
		h := e.NewHost("node-" + string(rune('a'+i)))
		var boot func()
		boot = func() {
			mu := h.NewMutex()
			for j := range 3 {
				h.Every("loop", secs(j+1), 0.5, j%2 == 0, func() {
					mu.Lock()
					defer mu.Unlock()
					defer note(uint64(i))
					h.Sleep(time.Duration(h.Rand("work").Int64N(int64(secs(1)))))
				})
			}
		}
		boot()
		boss.Every("chaos", secs(7), 1, false, func() {
			switch boss.Rand("dice").Int64N(3) {
			case 0:
				h.Pause()
				boss.Sleep(secs(3))
				h.Resume()
			case 1:
				h.Kill()
				boss.Sleep(secs(2))
				if !h.Alive() {
					h.Restart()
					boot()
				}
			}
			w := boss.NewWaiter()
			h.After(secs(1), w.Wake)
			boss.After(secs(2), w.Wake)
			w.Wait()
			note(100)
		})
	}
	if err := e.RunUntil(at(300)); err != nil {
		panic(err)
	}
	return hashUint(sum, e.Stats().Events)
}

func TestOneSeedIsOneRunAtAnyGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const golden = uint64(0x3667c47588950b55)
	require.Equal(t, golden, mixedRun(42), "a change of this number changes every golden trace")
	runtime.GOMAXPROCS(2)
	require.Equal(t, golden, mixedRun(42))
	require.NotEqual(t, golden, mixedRun(43))
}
