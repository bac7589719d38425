package fakeapi

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

// anOp is one call on a node and its lease, with a copy of the object that may
// be an old one.
type anOp struct {
	verb, name string
	value      int
	age        int // how many writes ago the copy is from
	dryRun     []string
}

func drawOp(t *rapid.T) anOp {
	o := anOp{
		verb: rapid.SampledFrom([]string{"create", "renew", "renew", "get", "list", "delete", "delete this", "patch", "patch status", "update status", "wait"}).Draw(t, "verb"),
		name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"), value: rapid.IntRange(-1, 3).Draw(t, "value"), age: rapid.IntRange(0, 2).Draw(t, "age"),
	}
	if rapid.IntRange(0, 5).Draw(t, "dry run") == 0 {
		o.dryRun = []string{metav1.DryRunAll}
	}
	return o
}

// play makes the calls, and writes down what they came to.
func play(h *sim.Host, v verbClients, ops []anOp) (told []string) {
	leases, nodes := v.leases(ns), v.nodes
	copies := map[string][]*coordinationv1.Lease{}
	for _, o := range ops {
		var got any
		var err error
		last := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: o.name}}
		if known := copies[o.name]; len(known) > 0 {
			last = known[max(0, len(known)-1-o.age)].DeepCopy()
		}
		switch o.verb {
		case "create":
			_, err = nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: o.name}}, metav1.CreateOptions{DryRun: o.dryRun})
			var lease *coordinationv1.Lease
			lease, got = leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: o.name}, Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(o.name), LeaseDurationSeconds: ptr.To[int32](40)}}, metav1.CreateOptions{DryRun: o.dryRun})
			if got == nil && o.dryRun == nil {
				copies[o.name] = append(copies[o.name], lease)
			}
		case "renew":
			last.Spec.RenewTime = &metav1.MicroTime{Time: h.Now().Add(time.Duration(o.value))}
			last.Spec.LeaseDurationSeconds = ptr.To(int32(o.value))
			var lease *coordinationv1.Lease
			if lease, err = leases.Update(ctx, last, metav1.UpdateOptions{DryRun: o.dryRun}); err == nil {
				got = lease.ResourceVersion + lease.Spec.RenewTime.UTC().String()
				if o.dryRun == nil {
					copies[o.name] = append(copies[o.name], lease)
				}
			}
		case "get":
			var node *corev1.Node
			if node, err = nodes.Get(ctx, o.name, metav1.GetOptions{}); err == nil {
				got = fmt.Sprint(node.ResourceVersion, node.Labels, node.Spec, node.Status.Phase, node.Status.Conditions)
			}
		case "list":
			var list *coordinationv1.LeaseList
			if list, err = leases.List(ctx, metav1.ListOptions{Limit: int64(max(o.value, 0))}); err == nil {
				got = fmt.Sprint(len(list.Items), list.ResourceVersion, list.Continue, list.RemainingItemCount != nil)
			}
		case "delete":
			err = nodes.Delete(ctx, o.name, metav1.DeleteOptions{DryRun: o.dryRun})
		case "delete this":
			err = leases.Delete(ctx, o.name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(last.UID), ResourceVersion: ptr.To(last.ResourceVersion)}})
		case "patch", "patch status", "update status":
			got, err = writeNode(nodes, o)
		default:
			h.Sleep(time.Duration(o.value+1) * time.Second)
		}
		told = append(told, fmt.Sprintf("%v %v %v %s", o, got, err, apierrors.ReasonForError(err)))
	}
	return told
}

// writeNode writes to a node.
func writeNode(nodes nodeVerbs, o anOp) (any, error) {
	var node *corev1.Node
	var err error
	switch o.verb {
	case "patch":
		node, err = nodes.Patch(ctx, o.name, types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{"value":"%d"}},"spec":{"unschedulable":%t}}`, o.value, o.value > 1), metav1.PatchOptions{DryRun: o.dryRun})
	case "patch status":
		node, err = nodes.Patch(ctx, o.name, types.StrategicMergePatchType, fmt.Appendf(nil, `{"status":{"conditions":[{"type":"Ready","status":"True","reason":"r%d"}]}}`, o.value), metav1.PatchOptions{DryRun: o.dryRun}, "status")
	default:
		node, err = nodes.UpdateStatus(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: o.name}, Status: corev1.NodeStatus{Phase: corev1.NodePhase(fmt.Sprint(o.value))}}, metav1.UpdateOptions{DryRun: o.dryRun})
	}
	if err != nil {
		return nil, err
	}
	return node.ResourceVersion + fmt.Sprint(node.Status.Conditions), nil
}

func TestWhateverIsAskedTheSurfacesAnswerAlike(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ops := rapid.SliceOfN(rapid.Custom(drawOp), 1, 25).Draw(rt, "ops")
		contentType := encodings[rapid.SampledFrom([]string{"json", "protobuf"}).Draw(rt, "encoding")]
		lossy := func(l *lab) { // every call may be refused once, and told to come again
			l.s.Network().Add(Rule{Count: 2, Respond: tooMany(1), Match: Match{Verbs: []string{"update", "get"}}})
		}
		options := Options{Latency: sim.Uniform(time.Millisecond, 9*time.Millisecond)}
		native, wire := newLab(t, options), newLab(t, options)
		lossy(native)
		lossy(wire)
		var want, got []string
		native.do(func() { want = play(native.h, native.c.native(), ops) })
		cs := wire.c.clientset(t, contentType)
		wire.do(func() { got = play(wire.h, wired(cs), ops) })
		require.Equal(rt, want, got)
		require.Equal(rt, native.hash(), wire.hash())
		require.Equal(rt, native.e.Now(), wire.e.Now())
	})
}
