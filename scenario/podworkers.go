package scenario

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
)

const (
	// slowestStop is the longest that a pod takes to end by itself: its
	// containers mostly end soon after SIGTERM.
	slowestStop = 2 * time.Second
	// podDeletionRetry is how often a kubelet tries to confirm the end of a pod.
	// Upstream: syncPeriod of the status manager.
	podDeletionRetry = 10 * time.Second
)

// podWorkers are what of a kubelet ends pods: one that is being deleted stops,
// and when it has, the kubelet deletes it from the API server. Upstream: pod
// workers and status manager; no container runs here, and no status is written.
type podWorkers struct {
	host   heartbeat.Host
	client *fakeapi.Client
	stops  heartbeat.Rand
	ending map[types.UID]bool
}

// startPodWorkers lets a kubelet know of its pods, if the scenario has any.
func (n *Node) startPodWorkers() {
	if len(n.cluster.scenario.Spec.Pods) == 0 {
		return
	}
	w := &podWorkers{
		host: n.host, client: n.cluster.server.NewClient(n.clientOptions()),
		stops: n.host.Rand("pod-stops"), ending: map[types.UID]bool{},
	}
	pods := informer.New[*corev1.Pod](n.host, informer.Config{
		Name:          "pods",
		Watch:         watchFunc(w.client.Pods("").Watch),
		List:          listFunc(w.client.Pods("").List),
		FieldSelector: "spec.nodeName=" + n.name,
		Tracer:        n.cluster.observer.tracer(n.host.Name()),
		ListFirst:     !n.behaviors.Informer.WatchListInKubelet,
		FixedBackoff:  !n.behaviors.Informer.Backoff,
		ResetFromLast: !n.behaviors.Informer.ResetFromFirst,
	})
	pods.AddHandler(informer.Handler[*corev1.Pod]{
		Added:   w.see,
		Updated: func(_, pod *corev1.Pod) { w.see(pod) },
		Deleted: func(pod *corev1.Pod) { delete(w.ending, pod.UID) },
	})
	pods.Run()
}

// see has a pod that is being deleted stop.
func (w *podWorkers) see(pod *corev1.Pod) {
	if pod.DeletionTimestamp == nil || w.ending[pod.UID] {
		return
	}
	w.ending[pod.UID] = true
	stop := time.Duration(w.stops.Int64N(int64(slowestStop)))
	if grace := pod.DeletionGracePeriodSeconds; grace != nil {
		stop = min(stop, time.Duration(*grace)*time.Second)
	}
	w.host.Go("pod-worker", func() {
		w.host.Sleep(stop)
		if w.ending[pod.UID] { // else somebody has deleted it meanwhile
			w.confirm(pod)
		}
	})
}

// confirm deletes a pod that has stopped: this one, and not another of its name.
func (w *podWorkers) confirm(pod *corev1.Pod) {
	options := *metav1.NewDeleteOptions(0)
	options.Preconditions = metav1.NewUIDPreconditions(string(pod.UID))
	for {
		err := w.client.Pods(pod.Namespace).Delete(context.Background(), pod.Name, options)
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return
		}
		w.host.Sleep(podDeletionRetry)
	}
}
