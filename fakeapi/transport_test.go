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
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// lives takes one object of each resource through all its verbs, and writes
// down what it is told.
func lives(v verbClients) (told []string) {
	tell := func(what string, obj any, err error) {
		line := what
		if m, ok := obj.(metav1.Object); ok && err == nil {
			line += fmt.Sprintf(" %s/%s uid=%s rv=%s", m.GetNamespace(), m.GetName(), m.GetUID(), m.GetResourceVersion())
		}
		if err != nil {
			line += fmt.Sprintf(" error=%q reason=%s", err, apierrors.ReasonForError(err))
		}
		told = append(told, line)
	}
	nodeLife(v, tell)
	leaseLife(v, tell)
	podLife(v, tell)
	eventLife(v, tell)
	namespaceLife(v, tell)
	return told
}

type teller = func(what string, obj any, err error)

func nodeLife(v verbClients, tell teller) {
	node, err := v.nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{})
	tell("create", node, err)
	stale := node.DeepCopy()
	_, err = v.nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{})
	tell("create again", nil, err)
	node = node.DeepCopy()
	node.Spec.Unschedulable = true
	node, err = v.nodes.Update(ctx, node, metav1.UpdateOptions{})
	tell("update", node, err)
	stale.Labels = map[string]string{"a": "b"}
	_, err = v.nodes.Update(ctx, stale, metav1.UpdateOptions{})
	tell("stale update", nil, err)
	node = node.DeepCopy()
	node.Status.Phase = "Running"
	node, err = v.nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
	tell("update status", node, err)
	node, err = v.nodes.Patch(ctx, "n", types.StrategicMergePatchType, []byte(`{"status":{"phase":"Pending"}}`), metav1.PatchOptions{}, "status")
	tell("patch status "+string(node.Status.Phase), node, err)
	_, err = v.nodes.Patch(ctx, "m", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	tell("patch nothing", nil, err)
	_, err = v.nodes.Patch(ctx, "n", types.MergePatchType, []byte(`{`), metav1.PatchOptions{})
	tell("patch badly", nil, err)
	node, err = v.nodes.Get(ctx, "n", metav1.GetOptions{})
	tell(fmt.Sprintf("get %v %v", node.Spec.Taints, node.CreationTimestamp.UTC()), node, err)
	_, err = v.nodes.Get(ctx, "m", metav1.GetOptions{})
	tell("get nothing", nil, err)
	list, err := v.nodes.List(ctx, metav1.ListOptions{LabelSelector: "a!=b"})
	tell(fmt.Sprint("list ", len(list.Items), list.ResourceVersion), nil, err)
	_, err = v.nodes.List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=x"})
	tell("list by an unknown field", nil, err)
	tell("delete other", nil, v.nodes.Delete(ctx, "n", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("u")}))
	tell("delete", nil, v.nodes.Delete(ctx, "n", metav1.DeleteOptions{}))
	tell("delete again", nil, v.nodes.Delete(ctx, "n", metav1.DeleteOptions{}))
}

func leaseLife(v verbClients, tell teller) {
	leases := v.leases(ns)
	lease, err := leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{GenerateName: "l-"},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("me"), LeaseDurationSeconds: ptr.To[int32](40)}}, metav1.CreateOptions{})
	tell("create", lease, err)
	renewed := renew(lease, time.Date(2026, 1, 1, 0, 0, 7, 123456789, time.UTC))
	renewed, err = leases.Update(ctx, renewed, metav1.UpdateOptions{})
	tell(fmt.Sprint("renew ", renewed.Spec.RenewTime.UTC()), renewed, err)
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	tell("stale renewal", nil, err)
	bad := renewed.DeepCopy()
	bad.Spec.LeaseDurationSeconds = ptr.To[int32](-1)
	_, err = leases.Update(ctx, bad, metav1.UpdateOptions{})
	tell("invalid", nil, err)
	bad = renewed.DeepCopy()
	bad.ResourceVersion = ""
	_, err = leases.Update(ctx, bad, metav1.UpdateOptions{})
	tell("without a version", nil, err)
	bad = renewed.DeepCopy()
	bad.Namespace = "default"
	_, err = leases.Update(ctx, bad, metav1.UpdateOptions{})
	tell("elsewhere", nil, err)
	made, err := leases.Update(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "by-update"}}, metav1.UpdateOptions{})
	tell("create by update", made, err)
	patched, err := leases.Patch(ctx, "by-update", types.MergePatchType, []byte(`{"spec":{"holderIdentity":"you"}}`), metav1.PatchOptions{})
	tell("patch "+*patched.Spec.HolderIdentity, patched, err)
	all, err := v.leases("").List(ctx, metav1.ListOptions{})
	tell(fmt.Sprint("list ", len(all.Items)), nil, err)
	tell("dry delete", nil, leases.Delete(ctx, "by-update", metav1.DeleteOptions{DryRun: []string{"All"}}))
	got, err := leases.Get(ctx, "by-update", metav1.GetOptions{})
	tell("get", got, err)
	tell("delete", nil, leases.Delete(ctx, "by-update", metav1.DeleteOptions{}))
}

func onePod() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "c", Image: "i", ImagePullPolicy: corev1.PullAlways, TerminationMessagePolicy: corev1.TerminationMessageReadFile}},
		RestartPolicy: corev1.RestartPolicyAlways, DNSPolicy: corev1.DNSClusterFirst}}
}

func podLife(v verbClients, tell teller) {
	pods := v.pods("default")
	pod, err := pods.Create(ctx, onePod(), metav1.CreateOptions{})
	tell(fmt.Sprint("create ", len(pod.Spec.Tolerations), pod.Status.Phase), pod, err)
	tell("bind", nil, pods.Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}, metav1.CreateOptions{}))
	tell("bind again", nil, pods.Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Kind: "Node", Name: "m"}}, metav1.CreateOptions{}))
	pod, err = pods.Get(ctx, "p", metav1.GetOptions{})
	tell("get on "+pod.Spec.NodeName, pod, err)
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodRunning
	pod, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	tell("update status", pod, err)
	pod, err = pods.Patch(ctx, "p", types.StrategicMergePatchType, []byte(`{"metadata":{"finalizers":["a/b"]}}`), metav1.PatchOptions{})
	tell(fmt.Sprint("patch ", pod.Finalizers), pod, err)
	list, err := pods.List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=n,status.phase!=Failed"})
	tell(fmt.Sprint("list ", len(list.Items)), nil, err)
	tell("delete", nil, pods.Delete(ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](5)}))
	pod, err = pods.Get(ctx, "p", metav1.GetOptions{})
	tell(fmt.Sprint("get ", pod.DeletionTimestamp.UTC(), *pod.DeletionGracePeriodSeconds), pod, err)
	pod = pod.DeepCopy()
	pod.Finalizers = nil
	_, err = pods.Update(ctx, pod, metav1.UpdateOptions{})
	tell("update", nil, err)
	tell("delete now", nil, pods.Delete(ctx, "p", *metav1.NewDeleteOptions(0)))
	_, err = pods.Get(ctx, "p", metav1.GetOptions{})
	tell("get", nil, err)
}

func eventLife(v verbClients, tell teller) {
	events := v.events("default")
	ev, err := events.Create(ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: "default"}, Reason: "Because", Count: 1,
		InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "n"}}, metav1.CreateOptions{})
	tell("create", ev, err)
	ev, err = events.Patch(ctx, "e", types.StrategicMergePatchType, []byte(`{"count":2}`), metav1.PatchOptions{})
	tell(fmt.Sprint("patch ", ev.Count), ev, err)
	ev = ev.DeepCopy()
	ev.Message = "why"
	ev, err = events.Update(ctx, ev, metav1.UpdateOptions{})
	tell("update "+ev.Message, ev, err)
	list, err := v.events("").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=n"})
	tell(fmt.Sprint("list ", len(list.Items)), nil, err)
	got, err := events.Get(ctx, "e", metav1.GetOptions{})
	tell("get", got, err)
	tell("delete", nil, events.Delete(ctx, "e", metav1.DeleteOptions{}))
}

func namespaceLife(v verbClients, tell teller) {
	space, err := v.namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "d"}}, metav1.CreateOptions{})
	tell(fmt.Sprint("create ", space.Status.Phase, space.Labels), space, err)
	space = space.DeepCopy()
	space.Annotations = map[string]string{"a": "b"}
	space, err = v.namespaces.Update(ctx, space, metav1.UpdateOptions{})
	tell("update", space, err)
	space = space.DeepCopy()
	space.Status.Phase = corev1.NamespaceTerminating
	space, err = v.namespaces.UpdateStatus(ctx, space, metav1.UpdateOptions{})
	tell("update status", space, err)
	space, err = v.namespaces.Patch(ctx, "d", types.MergePatchType, []byte(`{"metadata":{"labels":null}}`), metav1.PatchOptions{})
	tell(fmt.Sprint("patch ", space.Labels), space, err)
	list, err := v.namespaces.List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Terminating"})
	tell(fmt.Sprint("list ", len(list.Items)), nil, err)
	tell("delete", nil, v.namespaces.Delete(ctx, "d", metav1.DeleteOptions{}))
	_, err = v.namespaces.Get(ctx, "d", metav1.GetOptions{})
	tell("get", nil, err)
}

func TestEveryVerbIsAnsweredAlikeNativelyAndOverTheWire(t *testing.T) {
	native := newLab(t, Options{})
	var want []string
	native.do(func() { want = lives(native.c.native()) })
	require.Greater(t, len(want), 40)
	overWire(t, Options{}, func(t *testing.T, l *lab, cs *kubernetes.Clientset) {
		var got []string
		l.do(func() { got = lives(wired(cs)) })
		require.Equal(t, want, got)
		require.Equal(t, native.hash(), l.hash(), "observers are told the same")
	})
}

func TestListsComeInPagesAndGoAsCollections(t *testing.T) {
	overWire(t, Options{}, func(t *testing.T, l *lab, cs *kubernetes.Clientset) {
		leases := cs.CoordinationV1().Leases(ns)
		var first, second, left *coordinationv1.LeaseList
		l.do(func() {
			for _, name := range []string{"a", "b", "c"} {
				l.c.createLease(name)
			}
			first = must(leases.List(ctx, metav1.ListOptions{Limit: 2}))
			second = must(leases.List(ctx, metav1.ListOptions{Limit: 2, Continue: first.Continue}))
			if err := leases.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name!=b"}); err != nil {
				panic(err)
			}
			left = must(leases.List(ctx, metav1.ListOptions{}))
		})
		require.Len(t, first.Items, 2)
		require.EqualValues(t, 1, *first.RemainingItemCount)
		require.Len(t, second.Items, 1)
		require.Equal(t, "c", second.Items[0].Name)
		require.Empty(t, second.Continue)
		require.Len(t, left.Items, 1)
		require.Equal(t, "b", left.Items[0].Name)
	})
}

func TestADeletionIsAnsweredAsUpstreamAnswersIt(t *testing.T) {
	l := newLab(t, Options{})
	var uid string
	l.do(func() {
		uid = string(l.c.createNode("n").UID)
		pod := onePod()
		pod.Spec.NodeName = "n"
		must(l.c.Pods("default").Create(ctx, pod, metav1.CreateOptions{}))
	})
	_, body := l.exchange("DELETE", "/api/v1/nodes/n", "")
	require.JSONEq(t, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"n","kind":"nodes","uid":"`+uid+`"}}`, body)
	_, body = l.exchange("DELETE", "/api/v1/namespaces/default/pods/p", "")
	require.Contains(t, body, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"default"`)
	require.Contains(t, body, `"deletionGracePeriodSeconds":30`)
}
