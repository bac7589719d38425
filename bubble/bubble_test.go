package bubble_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/holter-sim/holter/bubble"
	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/holtertest"
)

// A leader that is cut off gives up after its renew deadline, and the other takes
// over when the lease has run out: client-go's own leader election, on virtual time.
func TestLeadershipMovesWhenTheLeaderIsCutOff(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		t := b.T()
		var leader atomic.Value
		changes := 0
		lost := make(chan time.Duration, 1)
		for _, name := range []string{"first", "second"} {
			go elect(b, name, func() {
				leader.Store(name)
				changes++
			}, func() {
				if name == "first" && b.Now() < 5*time.Minute {
					lost <- b.Now()
				}
			})
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		require.Equal(t, "first", leader.Load())
		cut := b.Now()
		b.Do(func(c *holtertest.Cluster) {
			c.Server().Network().Add(fakeapi.Rule{Match: fakeapi.Match{Clients: []string{"first"}}, LoseRequest: true, LoseReply: true})
		})
		time.Sleep(time.Minute)
		require.Equal(t, "second", leader.Load())
		require.Equal(t, 2, changes)
		require.InDelta(t, 10, ((<-lost) - cut).Seconds(), 2.5, "renewDeadline, less what was gone of a retry period")
	}, holtertest.Nodes(1))
}

func elect(b *bubble.Bubble, name string, started, stopped func()) {
	config := b.Config(name)
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "kube-system", Name: "controller"},
		Client:     kubernetes.NewForConfigOrDie(config).CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: name},
	}
	leaderelection.RunOrDie(b.Context(), leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { started() }, OnStoppedLeading: stopped},
	})
}

// client-go's own deadline of a request, its typed Watch in a goroutine and its
// retries of a 429 keep virtual time.
func TestClientGoKeepsVirtualTime(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		t := b.T()
		config := b.Config("mine")
		config.Timeout = 10 * time.Second
		client := kubernetes.NewForConfigOrDie(config)
		time.Sleep(time.Minute)

		watching, err := client.CoreV1().Nodes().Watch(b.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		first := <-watching.ResultChan()
		require.Equal(t, watch.Added, first.Type)
		require.Equal(t, "node-0", first.Object.(*corev1.Node).Name)
		watching.Stop()

		rule := func(r fakeapi.Rule) (heal func()) {
			r.Match.Clients = []string{"mine"}
			var remove func()
			b.Do(func(c *holtertest.Cluster) { remove = c.Server().Network().Add(r) })
			return func() { b.Do(func(*holtertest.Cluster) { remove() }) }
		}
		heal := rule(fakeapi.Rule{LoseReply: true})
		before := time.Now()
		_, err = client.CoreV1().Nodes().Get(b.Context(), "node-0", metav1.GetOptions{})
		require.ErrorContains(t, err, "context deadline exceeded")
		require.Equal(t, 10*time.Second, time.Since(before))
		heal()

		rule(fakeapi.Rule{Count: 3, Respond: &metav1.Status{Status: metav1.StatusFailure, Code: 429, Reason: metav1.StatusReasonTooManyRequests,
			Details: &metav1.StatusDetails{RetryAfterSeconds: 2}}})
		before = time.Now()
		_, err = client.CoreV1().Nodes().Get(b.Context(), "node-0", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, 6*time.Second, time.Since(before))
	}, holtertest.Nodes(1))
}

func TestAGoroutineHearsOfTheEndOfItsWatch(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		t := b.T()
		before, seconds := b.Now(), int64(30)
		watching, err := kubernetes.NewForConfigOrDie(b.Config("mine")).CoreV1().Nodes().Watch(b.Context(), metav1.ListOptions{TimeoutSeconds: &seconds})
		require.NoError(t, err)
		defer watching.Stop()
		for late := time.After(time.Hour); ; {
			select {
			case _, more := <-watching.ResultChan():
				if !more {
					require.Equal(t, 30*time.Second, b.Now()-before)
					return
				}
			case <-late:
				t.Error("not within an hour")
				return
			}
		}
	}, holtertest.Nodes(1))
}

// One trace comes of a controller whose requests do not race.
func TestTheSameTestGivesTheSameTrace(t *testing.T) {
	hashes := map[string]int{}
	for range 5 {
		bubble.Test(t, func(b *bubble.Bubble) {
			t := b.T()
			client := kubernetes.NewForConfigOrDie(b.Config("labeller"))
			time.Sleep(time.Minute)
			for i := range 20 {
				patch := fmt.Appendf(nil, `{"metadata":{"labels":{"turn":"%d"}}}`, i)
				_, err := client.CoreV1().Nodes().Patch(b.Context(), "node-1", "application/merge-patch+json", patch, metav1.PatchOptions{})
				require.NoError(t, err)
				time.Sleep(7 * time.Second)
			}
			b.Do(func(c *holtertest.Cluster) { hashes[c.Result().TraceHash]++ })
		}, holtertest.Nodes(3), holtertest.Latency(3*time.Millisecond))
	}
	require.Len(t, hashes, 1)
}
