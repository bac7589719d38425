package bubble_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"

	"github.com/holter-sim/holter/bubble"
	"github.com/holter-sim/holter/holtertest"
)

// Who holds a lock until discovery is answered, as the RESTMapper and the informers
// of controller-runtime do, does not stop the clock for those who wait for it.
func TestALockMayBeHeldOverDiscovery(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		client := kubernetes.NewForConfigOrDie(b.Config("mine")).Discovery()
		time.Sleep(time.Minute)
		var lock sync.Mutex
		var done sync.WaitGroup
		for range 3 {
			done.Go(func() {
				lock.Lock()
				defer lock.Unlock()
				_, lists, err := client.ServerGroupsAndResources()
				require.NoError(b.T(), err)
				require.Len(b.T(), lists, 3)
			})
		}
		done.Wait()
		require.Equal(b.T(), time.Minute, b.Now(), "it takes no time")
	}, holtertest.Nodes(1), holtertest.Latency(3*time.Millisecond))
}

// Discovery is not answered when no request is: from the moment of a fault to the
// moment of its end.
func TestDiscoveryFailsInAnOutage(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		client := kubernetes.NewForConfigOrDie(b.Config("mine")).Discovery()
		_, err := client.ServerVersion()
		require.NoError(b.T(), err)
		b.Do(func(c *holtertest.Cluster) { c.Outage("refuse", time.Minute) })
		_, err = client.ServerVersion()
		require.ErrorContains(b.T(), err, "connection refused")
		time.Sleep(time.Minute)
		_, err = client.ServerVersion()
		require.NoError(b.T(), err)
	}, holtertest.Nodes(1))
}
