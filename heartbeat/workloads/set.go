package workloads

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
)

const (
	// firstRetry and lastRetry bound the pause after a failure, which doubles.
	// Upstream: workqueue.DefaultTypedControllerRateLimiter.
	firstRetry = 5 * time.Millisecond
	lastRetry  = 1000 * time.Second
)

// set is one workload and its place in its controller's queue.
type set struct {
	*Controllers
	workload     *Workload
	own          map[string]*corev1.Pod // its pods that the informer knows, by name
	onNodes      byNode                 // the same of a DaemonSet, by the node that they are on, or for
	changed      map[string]bool        // nodes that a DaemonSet has something to do on, or that changed since it looked
	expectations expectations
	synced       bool // the caches are filled
	queued       bool // to be looked at
	working      bool // being looked at
	failures     int
}

func newSet(c *Controllers, w *Workload) *set {
	return &set{Controllers: c, workload: w, own: map[string]*corev1.Pod{}, onNodes: byNode{}, changed: map[string]bool{}, expectations: expectations{host: c.host}}
}

// enqueue has the workload looked at, by one process at a time. Upstream: the
// work queue with its workers, of which no two have the same key.
func (s *set) enqueue() {
	s.queued = true
	if !s.synced || !s.workload.Created || s.working {
		return
	}
	s.working = true
	s.host.Go("workload", func() {
		for s.queued {
			s.queued = false
			s.handle(s.sync())
		}
		s.working = false
	})
}

// handle has a workload that failed looked at again later.
func (s *set) handle(err error) {
	if err == nil {
		s.failures = 0
		return
	}
	pause := min(firstRetry<<min(s.failures, 20), lastRetry)
	s.failures++
	heartbeat.After(s.host, "workload-retry", pause, s.enqueue)
}

// sync compares what is there with what is wanted, and does what is missing.
func (s *set) sync() error {
	switch s.workload.Kind {
	case StatefulSet:
		return s.syncStatefulSet()
	case DaemonSet:
		return s.syncDaemonSet()
	}
	return s.syncReplicaSet()
}

// drop forgets a pod, if it is known.
func (s *set) drop(name string) {
	if pod, known := s.own[name]; known {
		delete(s.own, name)
		s.onNodes.remove(pod)
		s.changed[nodeOf(pod)] = true
	}
}

// pods are those of the workload that the informer knows, by name.
func (s *set) pods() []*corev1.Pod {
	own := make([]*corev1.Pod, 0, len(s.own))
	for _, name := range slices.Sorted(maps.Keys(s.own)) {
		own = append(own, s.own[name])
	}
	return own
}

func (s *set) create(pod *corev1.Pod) error {
	_, err := s.clients.Pods(pod.Namespace).Create(context.Background(), pod, metav1.CreateOptions{})
	return err
}

// delete asks for the graceful deletion of a pod, by its name alone: another
// that has taken the name meanwhile goes instead. Upstream:
// RealPodControl.DeletePod, StatefulPodControl.DeleteStatefulPod.
func (s *set) delete(pod *corev1.Pod) error {
	return s.clients.Pods(pod.Namespace).Delete(context.Background(), pod.Name, metav1.DeleteOptions{})
}

// deleteAll deletes pods side by side, which the expectations have. What fails
// will not be seen; that a pod is gone already is no failure.
func (s *set) deleteAll(pods []*corev1.Pod) error {
	return s.together(len(pods), func(i int) error {
		err := s.delete(pods[i])
		if err != nil {
			s.expectations.deletionObserved(informer.Key(pods[i]))
		}
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

// together calls do for 0..n-1 in processes of their own, and returns the first
// error once all are done. Upstream: a sync.WaitGroup with a channel of errors.
func (s *set) together(n int, do func(i int) error) error {
	if n == 0 {
		return nil
	}
	var failed error
	left, waiting := n, s.host.NewMutex()
	waiting.Lock()
	for i := range n {
		s.host.Go("workload-pod", func() {
			if err := do(i); err != nil && failed == nil {
				failed = err
			}
			if left--; left == 0 {
				waiting.Unlock()
			}
		})
	}
	waiting.Lock() // until the last one unlocks it
	waiting.Unlock()
	return failed
}

// slowStartBatch creates n pods, one, then two, then four at a time, and stops
// where one fails. It returns how many it has tried.
func (s *set) slowStartBatch(n int, do func(i int) error) (tried int, err error) {
	for size := min(n, 1); size > 0; size = min(2*size, n-tried) {
		err := s.together(size, func(i int) error { return do(tried + i) })
		tried += size
		if err != nil {
			return tried, err
		}
	}
	return tried, nil
}

func active(pod *corev1.Pod) bool {
	return pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed && pod.DeletionTimestamp == nil
}

func ready(pod *corev1.Pod) bool {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func keys(pods []*corev1.Pod) []string {
	names := make([]string, len(pods))
	for i, pod := range pods {
		names[i] = informer.Key(pod)
	}
	return names
}
