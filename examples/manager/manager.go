// Package manager is an example of a controller-runtime manager that reacts to node
// health: it labels each node that is lost with the number of pods that are still
// bound to it, for somebody to see to them, and tells so by an event. It watches
// nodes and pods, reads both from its cache, by an index of its own, and works while
// it is the leader. Its test is what the example is about.
package manager

import (
	"context"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Stranded is the label of a lost node: how many pods are on it.
const Stranded = "example.com/stranded-pods"

// byNode is the index of pods.
const byNode = "spec.nodeName"

// Reconciler labels a node that has been lost for as long as After, and takes the
// label away when the node is back.
type Reconciler struct {
	client.Client
	Events record.EventRecorder
	After  time.Duration
}

// New returns a manager with a Reconciler. The caller starts it.
func New(config *rest.Config, after time.Duration, options ctrl.Options) (ctrl.Manager, error) {
	options.LeaderElection = true
	options.LeaderElectionID = "stranded.example.com"
	options.LeaderElectionNamespace = "kube-system"
	m, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, err
	}
	if err := m.GetFieldIndexer().IndexField(context.Background(), &corev1.Pod{}, byNode, nodeOf); err != nil {
		return nil, err
	}
	r := &Reconciler{Client: m.GetClient(), Events: m.GetEventRecorderFor("stranded"), After: after}
	return m, ctrl.NewControllerManagedBy(m).Named("stranded").For(&corev1.Node{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(requestOf)).Complete(r)
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var node corev1.Node
	if err := r.Get(ctx, request.NamespacedName, &node); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	lost, since := notReady(&node)
	if left := r.After - time.Since(since); lost && left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	want := ""
	if lost {
		var pods corev1.PodList
		if err := r.List(ctx, &pods, client.MatchingFields{byNode: node.Name}); err != nil {
			return ctrl.Result{}, err
		}
		want = strconv.Itoa(len(pods.Items))
	}
	return ctrl.Result{}, r.label(ctx, &node, want)
}

// label brings the label in line with what is wanted, "" being none.
func (r *Reconciler) label(ctx context.Context, node *corev1.Node, want string) error {
	if node.Labels[Stranded] == want {
		return nil
	}
	before := client.MergeFrom(node.DeepCopy())
	if want == "" {
		delete(node.Labels, Stranded)
	} else {
		node.Labels[Stranded] = want
		r.Events.Eventf(node, corev1.EventTypeWarning, "PodsStranded", "%s pods are on a node that is lost", want)
	}
	return r.Patch(ctx, node, before)
}

// notReady tells whether a node is lost, and since when.
func notReady(node *corev1.Node) (bool, time.Time) {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status != corev1.ConditionTrue, condition.LastTransitionTime.Time
		}
	}
	return true, node.CreationTimestamp.Time
}

func nodeOf(pod client.Object) []string { return []string{pod.(*corev1.Pod).Spec.NodeName} }

// requestOf asks for the node of a pod.
func requestOf(_ context.Context, pod client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: nodeOf(pod)[0]}}}
}
