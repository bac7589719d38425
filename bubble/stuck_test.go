package bubble

import (
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/holter-sim/holter/holtertest"
)

// A lock that is held over a request stops the clock, and the test says so instead
// of hanging.
func TestALockHeldOverARequestIsTold(t *testing.T) {
	const child = "HOLTER_BUBBLE_STUCK"
	if os.Getenv(child) == "" {
		command := exec.Command(os.Args[0], "-test.run=^TestALockHeldOverARequestIsTold$")
		command.Env = append(os.Environ(), child+"=1")
		output, err := command.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(output), "panic: bubble: the clock has stopped")
		require.Contains(t, string(output), "waitsForTheLock")
		return
	}
	patience = 50 * time.Millisecond
	Test(t, func(b *Bubble) {
		client := kubernetes.NewForConfigOrDie(b.Config("mine"))
		var lock sync.Mutex
		var done sync.WaitGroup
		for range 2 {
			done.Go(func() {
				waitsForTheLock(&lock)
				defer lock.Unlock()
				_, _ = client.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
			})
		}
		done.Wait()
	}, holtertest.Nodes(1))
}

func waitsForTheLock(lock *sync.Mutex) { lock.Lock() }

// Only a bubble where nobody can go on is stuck.
func TestStuckIsWhoeverWaitsForALockThatNobodyGivesUp(t *testing.T) {
	const (
		outside = "goroutine 1 [sync.Mutex.Lock]:\nmain.main()\n"
		resting = "goroutine 2 [select (durable), 2 minutes, synctest bubble 1]:\nmain.a()\n"
		locked  = "goroutine 3 [sync.RWMutex.RLock, 2 minutes, synctest bubble 1]:\nmain.b()\n"
		running = "goroutine 4 [runnable, synctest bubble 1]:\nmain.c()\n"
		another = "goroutine 5 [running, synctest bubble 2]:\nmain.d()\n"
	)
	require.Equal(t, locked, stuck(outside+"\n"+resting+"\n"+another+"\n"+locked))
	require.Empty(t, stuck(outside+"\n"+resting+"\n"+another))
	require.Empty(t, stuck(locked+"\n"+running))
}
