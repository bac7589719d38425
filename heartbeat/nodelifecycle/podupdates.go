package nodelifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
)

// podUpdated queues a pod that has come to a node. Upstream: same name, since
// v1.17 (v1.36.3).
func (nc *Controller) podUpdated(old, pod *corev1.Pod) {
	if pod.Spec.NodeName != "" && (old == nil || pod.Spec.NodeName != old.Spec.NodeName) {
		nc.podUpdateQueue.add(informer.Key(pod))
	}
}

// processPod marks a pod not ready whose node is not, by what the last pass
// over the nodes has learnt of it; a pod that comes later than the pass which
// found its node not ready would stay ready for ever. It returns false if that
// is to be tried again. Upstream: same name (v1.36.3), check by check.
func (nc *Controller) processPod(name string) bool {
	pod, ok := nc.pods.informer.Store().Get(name)
	if !ok {
		return true // deleted meanwhile
	}
	health := nc.savedHealth(pod.Spec.NodeName)
	if health == nil {
		return true // its node was not looked at yet; the pass that does sees the pod
	}
	node, ok := nc.nodes.Store().Get(pod.Spec.NodeName)
	if !ok {
		return false
	}
	current := condition(health.status, corev1.NodeReady)
	if current == nil {
		return true // the node has no status yet
	}
	pods := []*corev1.Pod{pod}
	if !nc.cfg.usesTaintBasedEvictions() && nc.processNoTaintBaseEviction(node, current.Status, pods) != nil {
		return false
	}
	return current.Status == corev1.ConditionTrue || nc.markPodsNotReady(pods) == nil
}

const (
	// A pod that fails waits 5 ms, twice as long each further time and 1000 s
	// at most. A success does not make it start over.
	podRetryBase = 5 * time.Millisecond
	podRetryMax  = 1000 * time.Second
	// All pods together are tried again 10 times a second, after the first 100.
	podRetryInterval = 100 * time.Millisecond
	podRetryBurst    = 100
)

// podUpdateQueue hands pods to workers, and those that failed once more, later
// and later. Upstream: Controller.podUpdateQueue, a rate limiting workqueue
// with DefaultTypedControllerRateLimiter.
type podUpdateQueue struct {
	*updateQueue
	failures map[string]int       // of each pod that ever failed
	waiting  map[string]time.Time // when those are added again that wait
	// emptied is when the bucket of all pods' retries, filling since then, was
	// empty; it lies ahead while retries have been promised that it has not got.
	emptied time.Time
}

func newPodUpdateQueue(host heartbeat.Host, workers int, process func(name string) bool) *podUpdateQueue {
	q := &podUpdateQueue{failures: map[string]int{}, waiting: map[string]time.Time{}}
	q.updateQueue = newUpdateQueue(host, "pod-worker", workers, func(name string) {
		if !process(name) {
			q.addRateLimited(name)
		}
	})
	return q
}

// addRateLimited adds a name when its time has come. One that waits already
// keeps the earlier of its times. Upstream: AddRateLimited, AddAfter.
func (q *podUpdateQueue) addRateLimited(name string) {
	now := heartbeat.Monotonic(q.host)
	ready := now.Add(max(q.exponential(name), q.bucket(now)))
	if earlier, waits := q.waiting[name]; waits && !ready.Before(earlier) {
		return
	}
	q.waiting[name] = ready
	q.host.Go("pod-retry", func() {
		q.host.Sleep(ready.Sub(now))
		if q.waiting[name].Equal(ready) {
			delete(q.waiting, name)
			q.add(name)
		}
	})
}

// exponential is how long a name waits for its own failures' sake. Upstream:
// TypedItemExponentialFailureRateLimiter.
func (q *podUpdateQueue) exponential(name string) time.Duration {
	failed := q.failures[name]
	q.failures[name]++
	wait := podRetryBase
	for range failed {
		if wait = 2 * wait; wait >= podRetryMax {
			return podRetryMax
		}
	}
	return wait
}

// bucket is how long it waits for those of all. Upstream:
// TypedBucketRateLimiter, of 10 a second and 100 at once.
func (q *podUpdateQueue) bucket(now time.Time) time.Duration {
	if full := now.Add(-podRetryBurst * podRetryInterval); q.emptied.Before(full) {
		q.emptied = full
	}
	q.emptied = q.emptied.Add(podRetryInterval)
	return max(0, q.emptied.Sub(now))
}
