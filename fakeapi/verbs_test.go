package fakeapi

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// errorText is a request that is refused, and how.
type errorText struct {
	name string
	call func() error
	code int32
	text string
}

func TestErrorsHaveUpstreamsTexts(t *testing.T) {
	l := newLab(t, Options{})
	var lease *coordinationv1.Lease
	var node *corev1.Node
	l.do(func() {
		lease, node = l.c.createLease("x"), l.c.createNode("x")
		must(l.c.renew(lease))
		must(l.c.Nodes().Patch(ctx, "x", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{}))
	})
	for _, c := range slices.Concat(conflictTexts(l, lease, node), preconditionTexts(l, lease, node), invalidTexts(l)) {
		t.Run(c.name, func(t *testing.T) {
			before := l.s.version
			var err error
			l.do(func() { err = c.call() })
			require.EqualError(t, err, c.text)
			if status, ok := err.(apierrors.APIStatus); c.code > 0 {
				require.True(t, ok)
				require.Equal(t, c.code, status.Status().Code)
				require.Equal(t, int(c.code), l.last().Code)
				require.Equal(t, c.text, l.last().Message)
				require.Equal(t, err, l.last().Err)
			}
			require.Equal(t, before, l.s.version, "a refused request must not change anything")
		})
	}
}

// conflictTexts are about stale copies, and names that are taken or are not there.
func conflictTexts(l *lab, lease *coordinationv1.Lease, node *corev1.Node) []errorText {
	return []errorText{
		{"stale lease", func() error { _, err := l.c.renew(lease); return err }, 409,
			`Operation cannot be fulfilled on leases.coordination.k8s.io "x": the object has been modified; please apply your changes to the latest version and try again`},
		{"stale node status", func() error {
			in := node.DeepCopy()
			in.Status.Phase = "Running"
			_, err := l.c.Nodes().UpdateStatus(ctx, in, metav1.UpdateOptions{})
			return err
		}, 409, `Operation cannot be fulfilled on nodes "x": the object has been modified; please apply your changes to the latest version and try again`},
		{"stale patch", func() error {
			_, err := l.c.Nodes().Patch(ctx, "x", types.StrategicMergePatchType, []byte(`{"metadata":{"resourceVersion":"`+node.ResourceVersion+`"}}`), metav1.PatchOptions{})
			return err
		}, 409, `Operation cannot be fulfilled on nodes "x": the object has been modified; please apply your changes to the latest version and try again`},
		{"lease exists", func() error {
			_, err := l.c.Leases(ns).Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
			return err
		}, 409, `leases.coordination.k8s.io "x" already exists`},
		{"node exists", func() error {
			_, err := l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
			return err
		}, 409, `nodes "x" already exists`},
		{"no lease", func() error { _, err := l.c.Leases(ns).Get(ctx, "y", metav1.GetOptions{}); return err }, 404,
			`leases.coordination.k8s.io "y" not found`},
		{"no node", func() error { _, err := l.c.Nodes().Get(ctx, "y", metav1.GetOptions{}); return err }, 404, `nodes "y" not found`},
		{"no node to delete", func() error { return l.c.Nodes().Delete(ctx, "y", metav1.DeleteOptions{}) }, 404, `nodes "y" not found`},
		{"no node to patch", func() error {
			_, err := l.c.Nodes().Patch(ctx, "y", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{}, "status")
			return err
		}, 404, `nodes "y" not found`},
		{"no node to update", func() error {
			_, err := l.c.Nodes().UpdateStatus(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "y", UID: "u"}}, metav1.UpdateOptions{})
			return err
		}, 404, `nodes "y" not found`},
		{"no name", func() error {
			_, err := l.c.Nodes().Create(ctx, &corev1.Node{}, metav1.CreateOptions{})
			return err
		}, 422, `Node "" is invalid: metadata.name: Required value: name or generateName is required`},
	}
}

// preconditionTexts are about conditions on identity and version.
func preconditionTexts(l *lab, lease *coordinationv1.Lease, node *corev1.Node) []errorText {
	return []errorText{
		{"lease without version", updateLease(l, func(l *coordinationv1.Lease) { l.ResourceVersion = "" }), 422,
			`leases.coordination.k8s.io "x" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		{"lease of another uid", updateLease(l, func(l *coordinationv1.Lease) { l.UID = "other" }), 409,
			`Operation cannot be fulfilled on leases.coordination.k8s.io "x": StorageError: invalid object, Code: 4, Key: /registry/leases/kube-node-lease/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ` + string(lease.UID)},
		{"deleted lease", updateLease(l, func(l *coordinationv1.Lease) { l.Name, l.UID = "y", "gone" }), 409,
			`Operation cannot be fulfilled on leases.coordination.k8s.io "y": StorageError: invalid object, Code: 4, Key: /registry/leases/kube-node-lease/y, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: gone, UID in object meta: `},
		{"node of another uid", func() error {
			in := l.s.Node("x").DeepCopy()
			in.UID = "other"
			_, err := l.c.Nodes().Update(ctx, in, metav1.UpdateOptions{})
			return err
		}, 409, `Operation cannot be fulfilled on nodes "x": StorageError: invalid object, Code: 4, Key: /registry/minions/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ` + string(node.UID)},
		{"delete of another uid", func() error {
			return l.c.Nodes().Delete(ctx, "x", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("other")})
		}, 409, `Operation cannot be fulfilled on Node "x": the UID in the precondition (other) does not match the UID in record (` + string(node.UID) + `). The object might have been deleted and then recreated`},
		{"delete of another version", func() error {
			return l.c.Leases(ns).Delete(ctx, "x", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: ptr.To("7777")}})
		}, 409, `Operation cannot be fulfilled on Lease.coordination.k8s.io "x": the ResourceVersion in the precondition (7777) does not match the ResourceVersion in record (4). The object might have been modified`},
		{"create with a version", func() error {
			_, err := l.c.Leases(ns).Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "z", ResourceVersion: "1"}}, metav1.CreateOptions{})
			return err
		}, 500, `resourceVersion should not be set on objects to be created`},
	}
}

// invalidTexts are about requests that make no sense.
func invalidTexts(l *lab) []errorText {
	return []errorText{
		{"lease of no duration", updateLease(l, func(l *coordinationv1.Lease) { l.Spec.LeaseDurationSeconds = ptr.To[int32](0) }), 422,
			`Lease.coordination.k8s.io "x" is invalid: spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0`},
		{"another namespace", func() error {
			_, err := l.c.Leases(ns).Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "z", Namespace: "default"}}, metav1.CreateOptions{})
			return err
		}, 400, `the namespace of the provided object does not match the namespace sent on the request`},
		{"unknown field", func() error {
			_, err := l.c.Nodes().List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=x"})
			return err
		}, 400, `field label not supported: spec.nodeName`},
		{"unknown lease field", func() error {
			_, err := l.c.Leases("").List(ctx, metav1.ListOptions{FieldSelector: "spec.holder=x"})
			return err
		}, 400, `"spec.holder" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{"a list from the future", func() error {
			_, err := l.client(ClientOptions{Name: "impatient", Timeout: time.Second}).Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "999"})
			return err
		}, 0, `Get "https://kube-apiserver:6443/api/v1/nodes?resourceVersion=999&timeout=1s": context deadline exceeded`},
		{"not json", func() error {
			_, err := l.c.Nodes().Patch(ctx, "x", types.MergePatchType, []byte(`{`), metav1.PatchOptions{})
			return err
		}, 400, `invalid JSON patch`},
		{"wrong type", func() error {
			_, err := l.c.Nodes().Patch(ctx, "x", types.StrategicMergePatchType, []byte(`{"spec":{"unschedulable":"yes"}}`), metav1.PatchOptions{})
			return err
		}, 422, ` "" is invalid: patch: Invalid value: "map[spec:map[unschedulable:yes]]": unrecognized type: bool`},
		{"other patch types", func() error {
			_, err := l.c.Nodes().Patch(ctx, "x", types.PatchType("application/x-patch"), []byte(`{}`), metav1.PatchOptions{})
			return err
		}, 415, `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml`},
	}
}

// updateLease returns a request that sends the stored lease with a change.
func updateLease(l *lab, change func(*coordinationv1.Lease)) func() error {
	return func() error {
		in := l.s.Lease(ns, "x").DeepCopy()
		change(in)
		_, err := l.c.Leases(ns).Update(ctx, in, metav1.UpdateOptions{})
		return err
	}
}

func TestAWriteThatChangesNothingKeepsTheVersionAndIsNotWatched(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		lease := must(l.c.renew(l.c.createLease("x")))
		node := l.c.createNode("x")
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: node.ResourceVersion}))
		before := l.s.version

		again := must(l.c.Leases(ns).Update(ctx, lease.DeepCopy(), metav1.UpdateOptions{}))
		later := lease.DeepCopy() // by less than the API carries
		later.Spec.RenewTime.Time = later.Spec.RenewTime.Add(999 * time.Nanosecond)
		again2 := must(l.c.Leases(ns).Update(ctx, later, metav1.UpdateOptions{}))
		patched := must(l.c.Nodes().Patch(ctx, "x", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{}, "status"))
		updated := must(l.c.Nodes().UpdateStatus(ctx, node.DeepCopy(), metav1.UpdateOptions{}))
		l.h.Sleep(time.Second)

		events, err := drain(w)
		require.NoError(t, err)
		require.Empty(t, events)
		require.Equal(t, before, l.s.version)
		require.Same(t, lease, again)
		require.Same(t, lease, again2)
		require.Same(t, node, patched)
		require.Same(t, node, updated)
	})
}

func TestStatusAndSpecAreWrittenApart(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		in := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "x"}, Status: corev1.NodeStatus{Phase: "Pending"}}
		node := must(l.c.Nodes().Create(ctx, in, metav1.CreateOptions{}))
		require.EqualValues(t, "Pending", node.Status.Phase, "CREATE takes the status of a node")

		both := node.DeepCopy()
		both.Spec.Unschedulable, both.Status.Phase = true, "Running"
		both.Labels = map[string]string{"from": "status"}
		status := must(l.c.Nodes().UpdateStatus(ctx, both, metav1.UpdateOptions{}))
		require.False(t, status.Spec.Unschedulable)
		require.EqualValues(t, "Running", status.Status.Phase)
		require.Equal(t, map[string]string{"from": "status"}, status.Labels, "metadata passes through the status subresource of a node")

		both = status.DeepCopy()
		both.Spec.Unschedulable, both.Status.Phase = true, "Terminated"
		main := must(l.c.Nodes().Update(ctx, both, metav1.UpdateOptions{}))
		require.True(t, main.Spec.Unschedulable)
		require.EqualValues(t, "Running", main.Status.Phase)

		patch := []byte(`{"metadata":{"annotations":{"p":"1"}},"spec":{"unschedulable":false},"status":{"phase":"Terminated"}}`)
		patched := must(l.c.Nodes().Patch(ctx, "x", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"))
		require.True(t, patched.Spec.Unschedulable)
		require.EqualValues(t, "Terminated", patched.Status.Phase)
		require.Equal(t, "1", patched.Annotations["p"])
		patched = must(l.c.Nodes().Patch(ctx, "x", types.MergePatchType, []byte(`{"spec":{"unschedulable":false},"status":{"phase":"Pending"}}`), metav1.PatchOptions{}))
		require.False(t, patched.Spec.Unschedulable)
		require.EqualValues(t, "Terminated", patched.Status.Phase)

		pod := l.c.createPod("default", "p", "x")
		change := pod.DeepCopy()
		change.Spec.Priority, change.Status.Phase = ptr.To[int32](7), corev1.PodRunning
		change.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "x", UID: "u"}}
		pod = must(l.c.Pods("default").UpdateStatus(ctx, change, metav1.UpdateOptions{}))
		require.Equal(t, corev1.PodRunning, pod.Status.Phase)
		require.Nil(t, pod.Spec.Priority)
		require.Empty(t, pod.OwnerReferences)
	})
}

func TestAnUpdateOfNodesNeedsNoVersion(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		node := l.c.createNode("x").DeepCopy()
		node.ResourceVersion, node.Status.Phase = "", "Running"
		require.EqualValues(t, "Running", must(l.c.Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})).Status.Phase)
	})
}

func TestAnUpdateCreatesALeaseThatIsNotThere(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		in := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "x", ResourceVersion: "77"}}
		lease := must(l.c.Leases(ns).Update(ctx, in, metav1.UpdateOptions{}))
		require.NotEmpty(t, lease.UID)
		require.Equal(t, "2", lease.ResourceVersion)
		require.Equal(t, http.StatusCreated, l.last().Code)
		require.Equal(t, "77", in.ResourceVersion, "the caller's object is the caller's")
	})
}

func TestIdentityComesFromTheServer(t *testing.T) {
	l := newLab(t, Options{})
	l.s.Host().Clock().Step(90*time.Minute + 1500*time.Millisecond)
	l.do(func() {
		node := l.c.createNode("x")
		require.Equal(t, l.e.Start().Add(90*time.Minute+time.Second), node.CreationTimestamp.Time, "whole seconds of the server's clock")
		require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, string(node.UID))

		change := node.DeepCopy()
		change.CreationTimestamp, change.UID, change.Status.Phase = metav1.Time{}, "", "Running"
		after := must(l.c.Nodes().UpdateStatus(ctx, change, metav1.UpdateOptions{}))
		require.Equal(t, node.UID, after.UID)
		require.Equal(t, node.CreationTimestamp, after.CreationTimestamp)

		_, err := l.c.Nodes().Patch(ctx, "x", types.MergePatchType, []byte(`{"metadata":{"uid":"mine"}}`), metav1.PatchOptions{})
		require.EqualError(t, err, `Node "x" is invalid: metadata.uid: Invalid value: "mine": field is immutable`)

		ev := must(l.c.Events("default").Create(ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{GenerateName: "x."}}, metav1.CreateOptions{}))
		require.Regexp(t, `^x\.[bcdfghjklmnpqrstvwxz2456789]{5}$`, ev.Name)
		require.Equal(t, ev.Name, l.last().Name)
		require.Equal(t, "default", ev.Namespace)
	})
}

func TestTimesAreCutToWhatTheAPICarries(t *testing.T) {
	l := newLab(t, Options{})
	at := time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.FixedZone("elsewhere", 3600))
	l.do(func() {
		lease := must(l.c.Leases(ns).Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "x"},
			Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: at}, AcquireTime: &metav1.MicroTime{Time: at}}}, metav1.CreateOptions{}))
		require.Equal(t, at.Truncate(time.Microsecond).UTC(), lease.Spec.RenewTime.Time)
		require.Equal(t, at.Truncate(time.Microsecond).UTC(), lease.Spec.AcquireTime.Time)
		in := lease.DeepCopy()
		in.Spec.AcquireTime = nil
		lease = must(l.c.Leases(ns).Update(ctx, in, metav1.UpdateOptions{}))
		lease = must(l.c.Leases(ns).Update(ctx, renew(lease, at.Add(time.Minute)), metav1.UpdateOptions{}))
		require.Equal(t, at.Add(time.Minute).Truncate(time.Microsecond).UTC(), lease.Spec.RenewTime.Time, "on the fast path of renewals as well")

		second := at.Truncate(time.Second).UTC()
		node := must(l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "x"},
			Spec:   corev1.NodeSpec{Taints: []corev1.Taint{{Key: "k", Effect: "NoExecute", TimeAdded: &metav1.Time{Time: at}}}},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: "Ready", LastHeartbeatTime: metav1.Time{Time: at}, LastTransitionTime: metav1.Time{Time: at}}}},
		}, metav1.CreateOptions{}))
		require.Equal(t, second, node.Spec.Taints[0].TimeAdded.Time)
		require.Equal(t, second, node.Status.Conditions[0].LastHeartbeatTime.Time)
		require.Equal(t, second, node.Status.Conditions[0].LastTransitionTime.Time)

		ev := must(l.c.Events("default").Create(ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e"},
			FirstTimestamp: metav1.Time{Time: at}, EventTime: metav1.MicroTime{Time: at}, ReportingController: "k8s.io/c", ReportingInstance: "i", Action: "A", Reason: "R", Series: &corev1.EventSeries{LastObservedTime: metav1.MicroTime{Time: at}}}, metav1.CreateOptions{}))
		require.Equal(t, second, ev.FirstTimestamp.Time)
		require.Equal(t, at.Truncate(time.Microsecond).UTC(), ev.EventTime.Time)
		require.Equal(t, at.Truncate(time.Microsecond).UTC(), ev.Series.LastObservedTime.Time)

		pod := l.c.createPod("default", "p", "x").DeepCopy()
		pod.Status.StartTime = &metav1.Time{Time: at}
		pod.Status.Conditions = []corev1.PodCondition{{Type: "Ready", LastTransitionTime: metav1.Time{Time: at}}}
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Time{Time: at}}}}}
		pod = must(l.c.Pods("default").UpdateStatus(ctx, pod, metav1.UpdateOptions{}))
		require.Equal(t, second, pod.Status.StartTime.Time)
		require.Equal(t, second, pod.Status.Conditions[0].LastTransitionTime.Time)
		require.Equal(t, second, pod.Status.ContainerStatuses[0].State.Running.StartedAt.Time)
	})
}

func TestAdmissionOfNodesAndPods(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		notReady := corev1.Taint{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoSchedule}
		require.Equal(t, []corev1.Taint{notReady}, l.c.createNode("x").Spec.Taints)
		in := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "y"}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{notReady}}}
		require.Equal(t, []corev1.Taint{notReady}, must(l.c.Nodes().Create(ctx, in, metav1.CreateOptions{})).Spec.Taints)

		pod := l.c.createPod("default", "p", "x")
		require.Len(t, pod.Spec.Tolerations, 2)
		for i, key := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
			require.Equal(t, corev1.Toleration{Key: key, Operator: "Exists", Effect: "NoExecute", TolerationSeconds: ptr.To[int64](300)}, pod.Spec.Tolerations[i])
		}
		all := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{{Operator: "Exists"}}, Containers: containers}}
		require.Len(t, must(l.c.Pods("default").Create(ctx, all, metav1.CreateOptions{})).Spec.Tolerations, 1)
	})
}

func TestPodsAreDeletedGracefully(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		pods := l.c.Pods("default")
		l.c.createPod("default", "p", "x")
		require.NoError(t, pods.Delete(ctx, "p", metav1.DeleteOptions{}))
		pod := must(pods.Get(ctx, "p", metav1.GetOptions{}))
		require.Equal(t, l.e.Start().Add(30*time.Second), pod.DeletionTimestamp.Time)
		require.EqualValues(t, 30, *pod.DeletionGracePeriodSeconds)
		require.EqualValues(t, 2, pod.Generation)

		require.NoError(t, pods.Delete(ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](60)}))
		require.Same(t, pod, l.s.Pod("default", "p"), "a longer grace period changes nothing")

		l.h.Sleep(5 * time.Second)
		require.NoError(t, pods.Delete(ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](10)}))
		pod = l.s.Pod("default", "p")
		require.Equal(t, l.e.Start().Add(10*time.Second), pod.DeletionTimestamp.Time)

		w := must(pods.Watch(ctx, metav1.ListOptions{ResourceVersion: pod.ResourceVersion}))
		require.NoError(t, pods.Delete(ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}))
		require.Nil(t, l.s.Pod("default", "p"))
		l.h.Sleep(1)
		require.Equal(t, []string{"MODIFIED p@5", "DELETED p@6"}, must(drain(w)))

		l.c.createPod("default", "unscheduled", "")
		require.NoError(t, pods.Delete(ctx, "unscheduled", metav1.DeleteOptions{}))
		require.Nil(t, l.s.Pod("default", "unscheduled"))
	})
}

func TestFinalizersHoldADeletionBack(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		node := l.c.createNode("x").DeepCopy()
		node.Finalizers = []string{"example.com/wait"}
		must(l.c.Nodes().Update(ctx, node, metav1.UpdateOptions{}))
		require.NoError(t, l.c.Nodes().Delete(ctx, "x", metav1.DeleteOptions{}))
		node = l.s.Node("x")
		require.NotNil(t, node.DeletionTimestamp)

		_, err := l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
		require.EqualError(t, err, `object is being deleted: nodes "x" already exists`)
		_, err = l.c.Nodes().Patch(ctx, "x", types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/wait","example.com/more"]}}`), metav1.PatchOptions{})
		require.True(t, apierrors.IsInvalid(err), err)

		must(l.c.Nodes().Patch(ctx, "x", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}))
		require.Nil(t, l.s.Node("x"))
	})
	require.Equal(t, "deleted nodes x", l.changed[len(l.changed)-1])
}

func TestDryRunChangesNothing(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		dry := []string{metav1.DryRunAll}
		must(l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "y"}}, metav1.CreateOptions{DryRun: dry}))
		require.Nil(t, l.s.Node("y"))
		node := l.c.createNode("x")
		change := node.DeepCopy()
		change.Status.Phase = "Running"
		require.EqualValues(t, "Running", must(l.c.Nodes().UpdateStatus(ctx, change, metav1.UpdateOptions{DryRun: dry})).Status.Phase)
		must(l.c.Nodes().Patch(ctx, "x", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{DryRun: dry}, "status"))
		require.NoError(t, l.c.Nodes().Delete(ctx, "x", metav1.DeleteOptions{DryRun: dry}))
		require.Same(t, node, l.s.Node("x"))
	})
}

func TestListsAreOrderedAndSelected(t *testing.T) {
	l := newLab(t, Options{AnyNamespace: true})
	names := func(list *corev1.PodList, err error) (out []string) {
		require.NoError(t, err)
		for _, p := range list.Items {
			out = append(out, p.Namespace+"/"+p.Name)
		}
		return out
	}
	l.do(func() {
		require.Equal(t, "1", must(l.c.Pods("").List(ctx, metav1.ListOptions{})).ResourceVersion)
		for _, p := range []string{"c", "a", "b"} {
			l.c.createPod("two", p, "x")
			l.c.createPod("one", p, "y")
		}
		must(l.c.Pods("one").Patch(ctx, "b", types.MergePatchType, []byte(`{"metadata":{"labels":{"app":"web"}}}`), metav1.PatchOptions{}))
		require.Equal(t, []string{"one/a", "one/b", "one/c", "two/a", "two/b", "two/c"}, names(l.c.Pods("").List(ctx, metav1.ListOptions{})))
		require.Equal(t, []string{"two/a", "two/b", "two/c"}, names(l.c.Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=x"})))
		require.Equal(t, []string{"two/a", "two/c"}, names(l.c.Pods("two").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=x,metadata.name!=b"})))
		require.Equal(t, []string{"one/b", "two/b"}, names(l.c.Pods("").List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=b"})))
		require.Equal(t, []string{"one/b"}, names(l.c.Pods("one").List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=b,status.phase=Pending"})))
		require.Equal(t, []string{"one/b"}, names(l.c.Pods("").List(ctx, metav1.ListOptions{LabelSelector: "app in (web)"})))
		require.Empty(t, names(l.c.Pods("one").List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=z"})))
		require.Equal(t, "8", must(l.c.Nodes().List(ctx, metav1.ListOptions{})).ResourceVersion, "that of the store, not of the resource")

		require.NoError(t, l.c.Pods("one").Delete(ctx, "b", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}))
		l.c.createPod("one", "aa", "x")
		require.Equal(t, []string{"one/a", "one/aa", "one/c"}, names(l.c.Pods("one").List(ctx, metav1.ListOptions{})))
		require.Equal(t, []string{"one/aa", "two/a", "two/b", "two/c"}, names(l.c.Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=x"})))
	})
}

func TestEventsAreCountedAndKeptWithABound(t *testing.T) {
	l := newLab(t, Options{})
	l.s.checked = false
	l.do(func() {
		for range maxEvents + 10 {
			must(l.c.Events("default").Create(ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{GenerateName: "e."},
				InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "x"}, Reason: "NodeReady"}, metav1.CreateOptions{}))
		}
		list := must(l.c.Events("").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=x,involvedObject.kind=Node,reason=NodeReady"}))
		require.Len(t, list.Items, maxEvents)
	})
	require.EqualValues(t, maxEvents+10, l.s.Stats().Events)
}

func TestAnObjectHandedInMayBeChangedAfterwards(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		lease := must(l.c.renew(l.c.createLease("x")))
		for range 2 { // by way of the general copy, then of the renewal's
			in := renew(lease, l.h.Now().Add(time.Second))
			in.Labels = map[string]string{"a": "b"}
			stored := must(l.c.Leases(ns).Update(ctx, in, metav1.UpdateOptions{}))
			want := stored.DeepCopy()
			in.Labels["a"] = "c"
			in.Spec.RenewTime.Time = in.Spec.RenewTime.Add(time.Hour)
			*in.Spec.HolderIdentity = "somebody"
			require.Equal(t, want, stored)
			lease = stored
		}
	})
}

func TestCheckImmutableFindsAWriter(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		node := l.c.createNode("x")
		node.Labels = map[string]string{"scribbled": "on"}
		const text = "fakeapi: somebody has written to the stored Node /x: objects handed out must not be changed"
		require.PanicsWithValue(t, text, func() { l.s.CheckImmutable() })
		node.Labels = nil
		require.NotPanics(t, func() { l.s.CheckImmutable() })
	})
}
