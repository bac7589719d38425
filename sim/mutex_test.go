package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheMutexIsHandedOverFirstComeFirstServed(t *testing.T) {
	r := newRun(t, Options{})
	mu := r.host.NewMutex()
	for i := range 4 {
		r.host.Go(fmt.Sprint(i), func() {
			r.host.Sleep(secs(i))
			mu.Lock()
			defer mu.Unlock()
			r.say("%d has it", i)
			r.host.Sleep(secs(10))
		})
	}
	r.to(60, "0s 0 has it", "10s 1 has it", "20s 2 has it", "30s 3 has it")
}

func TestAnUnlockedMutexIsNotTakenOverTheHeadOfTheQueue(t *testing.T) {
	r := newRun(t, Options{})
	mu := r.host.NewMutex()
	r.host.Go("greedy", func() {
		for range 2 {
			mu.Lock()
			r.say("greedy has it")
			r.host.Sleep(secs(1))
			mu.Unlock()
		}
	})
	r.host.Go("patient", func() {
		mu.Lock()
		defer mu.Unlock()
		r.say("patient has it")
	})
	r.to(9, "0s greedy has it", "1s patient has it", "1s greedy has it")
}

func TestDefersOfAKilledOwnerHandTheMutexOn(t *testing.T) {
	r := newRun(t, Options{})
	mu := r.host.NewMutex()
	other := r.NewHost("other")
	take := func(h *Host, name string) {
		h.Go(name, func() {
			mu.Lock()
			defer mu.Unlock()
			r.say("%s has it", name)
			h.Sleep(secs(10))
		})
	}
	take(r.host, "owner")
	take(r.host, "next of the dead host")
	take(other, "survivor")
	r.At(at(1), r.host.Kill)
	r.to(60, "0s owner has it", "1s survivor has it")
}

// The mutex is handed over and its new owner killed before it has run.
func TestAMutexHandedToAProcessThatIsKilledFirstGoesOn(t *testing.T) {
	r := newRun(t, Options{})
	mu := r.host.NewMutex()
	victim := r.NewHost("victim")
	r.host.Go("owner", func() {
		mu.Lock()
		r.host.Sleep(secs(1))
		mu.Unlock()
		victim.Kill()
	})
	victim.Go("victim", func() {
		mu.Lock()
		defer mu.Unlock()
		r.say("victim has it")
	})
	r.host.Go("last", func() {
		mu.Lock()
		defer mu.Unlock()
		r.say("last has it")
	})
	r.to(9, "1s last has it")
}

func TestAProcessKilledInTheQueueLeavesIt(t *testing.T) {
	r := newRun(t, Options{})
	mu := r.host.NewMutex()
	victim := r.NewHost("victim")
	r.host.Go("owner", func() { mu.Lock(); r.host.Sleep(secs(5)); mu.Unlock() })
	victim.Go("victim", func() { mu.Lock(); r.say("victim has it") })
	r.host.Go("last", func() { mu.Lock(); r.say("last has it") })
	r.At(at(1), victim.Kill)
	r.to(9, "5s last has it")
}

func TestCallbacksMayLockWhatIsFreeAndNothingElse(t *testing.T) {
	r := newRun(t, Options{})
	mu := r.host.NewMutex()
	r.At(at(1), func() { mu.Lock(); mu.Unlock(); r.say("fine") })
	r.to(1, "1s fine")
	require.PanicsWithValue(t, "sim: Unlock of an unlocked mutex", mu.Unlock)
	r.At(at(2), func() { mu.Lock(); mu.Lock() })
	require.ErrorContains(t, r.RunUntil(at(2)), "Lock of a locked mutex outside a process")
}
