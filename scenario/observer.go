package scenario

import (
	"errors"
	"net"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// Kinds of events that only a simulation has, beside those of package traces
// and the heartbeat.Decision kinds.
const (
	kindReplyLost  = "reply-lost"  // the server answered, the client never knew
	kindLateAnswer = "late-answer" // the server answered a client that had given up
	kindPod        = "pod"         // a pod came, began to end, or went
)

// directActor is who writes to the store without a request: the scenario.
const directActor = "direct"

// observer turns what the API server and the heartbeat code report into the
// events of the trace. It implements fakeapi.Observer.
type observer struct {
	cluster *Cluster
	// heard is the event by which the controller last heard of a node: what a
	// node that is found expired is expired since.
	heard map[string]uint64
	names map[string]string // resource and subresource joined, made once
}

func newObserver(c *Cluster) *observer {
	return &observer{cluster: c, heard: map[string]uint64{}, names: map[string]string{}}
}

// Answered records a request when the server has decided: what the audit log
// would say.
func (o *observer) Answered(c *fakeapi.Call) {
	ev := o.request(c)
	ev.Code, ev.Reason, ev.ResourceVersion = c.Code, string(c.Reason), c.ResourceVersion
	if c.Received != sim.Never {
		ev.Kind = kindLateAnswer
	}
	o.cluster.record(ev)
}

// Received records what the client knows and the server does not: no answer,
// or one that was lost.
func (o *observer) Received(c *fakeapi.Call) {
	if c.Received == sim.Never || c.Err == nil {
		return
	}
	switch {
	case c.Answered == sim.Never:
		ev := o.request(c)
		ev.Reason = noAnswerReason(c.Err)
		o.cluster.record(ev)
	case noAnswerReason(c.Err) != "":
		ev := o.request(c)
		ev.Kind, ev.Code, ev.Reason = kindReplyLost, c.Code, noAnswerReason(c.Err)
		o.cluster.record(ev)
	}
}

// Changed records what a commit did to a node's conditions and taints, or that
// a pod came or went.
func (o *observer) Changed(resource string, old, new runtime.Object, c *fakeapi.Call) {
	actor := directActor
	if c != nil {
		actor = c.Client
	}
	if resource == "pods" {
		o.changedPod(actor, old, new)
	}
	if resource != "nodes" {
		return
	}
	before, _ := old.(*corev1.Node)
	after, _ := new.(*corev1.Node)
	cause := o.cluster.engine.Cause()
	switch {
	case after == nil:
		o.cluster.record(traces.Event{Actor: actor, Kind: traces.KindRegister, Cause: cause, Node: before.Name, To: "deleted"})
	case before == nil:
		o.cluster.record(traces.Event{Actor: actor, Kind: traces.KindRegister, Cause: cause, Node: after.Name, To: "created"})
		o.cluster.createPods(after.Name)
		o.changedConditions(actor, cause, &corev1.Node{}, after)
		o.changedTaints(actor, cause, &corev1.Node{}, after)
	default:
		o.changedConditions(actor, cause, before, after)
		o.changedTaints(actor, cause, before, after)
	}
	o.cluster.engine.SetCause(cause)
}

func (o *observer) changedConditions(actor string, cause uint64, before, after *corev1.Node) {
	for i := range after.Status.Conditions {
		c := &after.Status.Conditions[i]
		var from corev1.ConditionStatus
		for j := range before.Status.Conditions {
			if before.Status.Conditions[j].Type == c.Type {
				from = before.Status.Conditions[j].Status
			}
		}
		if from != c.Status {
			o.cluster.record(traces.Event{
				Actor: actor, Kind: traces.KindTransition, Cause: cause, Node: after.Name,
				Name: string(c.Type), From: string(from), To: string(c.Status), Reason: c.Reason,
			})
		}
	}
}

func (o *observer) changedTaints(actor string, cause uint64, before, after *corev1.Node) {
	record := func(taint *corev1.Taint, op string) {
		o.cluster.record(traces.Event{
			Actor: actor, Kind: traces.KindTaint, Cause: cause, Node: after.Name,
			Name: taint.Key, Reason: string(taint.Effect), To: op,
		})
	}
	for i := range before.Spec.Taints {
		if !hasTaint(after.Spec.Taints, &before.Spec.Taints[i]) {
			record(&before.Spec.Taints[i], TaintRemoved)
		}
	}
	for i := range after.Spec.Taints {
		if !hasTaint(before.Spec.Taints, &after.Spec.Taints[i]) {
			record(&after.Spec.Taints[i], TaintAdded)
		}
	}
}

func hasTaint(taints []corev1.Taint, taint *corev1.Taint) bool {
	for i := range taints {
		if taints[i].MatchTaint(taint) {
			return true
		}
	}
	return false
}

// Delivered records what the controller-manager gets to know, and when.
func (o *observer) Delivered(client, resource string, got watch.Event, sent sim.Time) {
	if got.Type == watch.Bookmark || got.Type == watch.Error {
		return
	}
	object := got.Object.(metav1.Object)
	ev := traces.Event{
		Actor: client, Kind: traces.KindWatch, Resource: resource, Namespace: object.GetNamespace(), Name: object.GetName(),
		Sent: sent.Duration(), ResourceVersion: object.GetResourceVersion(), To: string(got.Type),
	}
	switch obj := got.Object.(type) {
	case *coordinationv1.Lease:
		ev.Node, ev.RenewTime = obj.Name, renewTime(obj)
	case *corev1.Node:
		ev.Node, ev.Detail = obj.Name, readyHeartbeat(obj)
	case *corev1.Pod:
		ev.Node = obj.Spec.NodeName
	}
	seq := o.cluster.record(ev)
	if resource != "pods" {
		o.heard[ev.Node] = seq
	}
}

// request fills in what the client said.
func (o *observer) request(c *fakeapi.Call) traces.Event {
	ev := traces.Event{
		Actor: c.Client, Kind: traces.KindRequest, Cause: c.Cause, Node: nodeOfClient(c.Client),
		Verb: c.Verb, Resource: o.resource(c.Resource, c.Subresource), Namespace: c.Namespace, Name: c.Name,
		Sent: c.Sent.Duration(), Detail: c.Fault,
	}
	if ev.Node == "" {
		ev.Node = nodeOfObject(c.Resource, c.Name)
	}
	if l, ok := c.Object.(*coordinationv1.Lease); ok {
		ev.RenewTime = renewTime(l)
	}
	return ev
}

func (o *observer) resource(resource, subresource string) string {
	if subresource == "" {
		return resource
	}
	if resource == "nodes" && subresource == "status" {
		return "nodes/status"
	}
	key := resource + "/" + subresource
	if name, ok := o.names[key]; ok {
		return name
	}
	o.names[key] = key
	return key
}

// tracer reports the decisions of one component.
func (o *observer) tracer(actor string) heartbeat.Tracer { return decisions{o, actor} }

type decisions struct {
	observer *observer
	actor    string
}

// Decided implements heartbeat.Tracer.
func (d decisions) Decided(kind, node, detail string) {
	ev := traces.Event{Actor: d.actor, Kind: kind, Node: node, Detail: detail}
	if ev.Node == "" {
		ev.Node = nodeOfClient(d.actor)
	}
	if kind == heartbeat.DecisionExpired {
		ev.Cause = d.observer.heard[node]
	}
	d.observer.cluster.record(ev)
}

// nodeOfClient is the node whose kubelet a client is, "" if it is none.
func nodeOfClient(client string) string {
	node, ok := strings.CutPrefix(client, kubeletPrefix)
	if !ok {
		return ""
	}
	return node
}

// nodeOfObject is the node that an object stands for: a Node, or its Lease.
func nodeOfObject(resource, name string) string {
	if resource == "nodes" || resource == "leases" {
		return name
	}
	return ""
}

// noAnswerReason says in a word why a client has no answer, "" if it has one.
func noAnswerReason(err error) string {
	var status interface{ Status() metav1.Status }
	var network net.Error
	switch {
	case errors.As(err, &status):
		return ""
	case errors.As(err, &network) && network.Timeout():
		return "timeout"
	case strings.Contains(err.Error(), "connection refused"):
		return "connection refused"
	default:
		return "connection lost"
	}
}

func renewTime(l *coordinationv1.Lease) string {
	if l.Spec.RenewTime == nil {
		return ""
	}
	return l.Spec.RenewTime.UTC().Format(metav1.RFC3339Micro)
}

// readyHeartbeat is the heartbeat time in a node's Ready condition.
func readyHeartbeat(node *corev1.Node) string {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return "Ready=" + string(c.Status) + " lastHeartbeatTime=" + c.LastHeartbeatTime.UTC().Format(time.RFC3339)
		}
	}
	return "no Ready condition"
}
