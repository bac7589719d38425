package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
)

var (
	start = metav1.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now   = start.Add(90 * time.Second)
)

// printed is what kubectl would print of a table; wide is -o wide.
func printed(t *testing.T, obj runtime.Object, wide bool) string {
	t.Helper()
	got, err := asTable(obj, nil, metav1.SchemeGroupVersion, now)
	require.Nil(t, err)
	table := got.(*metav1.Table)
	var lines []string
	line := func(cell func(i int) any) {
		var cells []string
		for i, c := range table.ColumnDefinitions {
			if wide || c.Priority == 0 {
				cells = append(cells, fmt.Sprint(cell(i)))
			}
		}
		lines = append(lines, strings.Join(cells, " | "))
	}
	line(func(i int) any { return strings.ToUpper(table.ColumnDefinitions[i].Name) })
	for _, row := range table.Rows {
		require.Len(t, row.Cells, len(table.ColumnDefinitions))
		line(func(i int) any { return row.Cells[i] })
	}
	return strings.Join(lines, "\n")
}

func TestTablesHaveUpstreamsColumns(t *testing.T) {
	node := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n", CreationTimestamp: start, Labels: map[string]string{"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "db"}},
		Spec:       corev1.NodeSpec{Unschedulable: true},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}},
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}},
			NodeInfo:   corev1.NodeSystemInfo{KubeletVersion: "v1.36.3", KernelVersion: "6.1", Architecture: "amd64"},
		},
	}
	require.Equal(t, "NAME | STATUS | ROLES | AGE | VERSION | INTERNAL-IP | EXTERNAL-IP | OS-IMAGE | KERNEL-VERSION | CONTAINER-RUNTIME\n"+
		"n | NotReady,SchedulingDisabled | db,worker | 90s | v1.36.3 | 10.0.0.1 | <none> | <unknown> | 6.1 (amd64) | <unknown>",
		printed(t, &corev1.NodeList{Items: []corev1.Node{node}}, true))
	require.Equal(t, "NAME | STATUS | ROLES | AGE | VERSION\nm | Unknown | <none> | <unknown> | ", printed(t, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, false))
	require.Equal(t, "NAME | STATUS | ROLES | AGE | VERSION", printed(t, &corev1.NodeList{}, false))

	require.Equal(t, "NAME | HOLDER | AGE\nl | n | 90s", printed(t, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "l", CreationTimestamp: start},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("n")}}, false))
	require.Equal(t, "NAME | STATUS | AGE\nd | Active | 90s", printed(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "d", CreationTimestamp: start},
		Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive}}, false))

	event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e"}, Type: "Normal", Reason: "NodeNotReady", Message: " gone \n", LastTimestamp: metav1.NewTime(now.Add(-5 * time.Second)),
		FirstTimestamp: start, Count: 3, InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "n"}, Source: corev1.EventSource{Component: "node-controller", Host: "h"}}
	require.Equal(t, "LAST SEEN | TYPE | REASON | OBJECT | SUBOBJECT | SOURCE | MESSAGE | FIRST SEEN | COUNT | NAME\n"+
		"5s | Normal | NodeNotReady | node/n |  | node-controller, h | gone | 90s | 3 | e", printed(t, event, true))
}

func TestAPodsStatusIsThatOfItsContainers(t *testing.T) {
	state := func(s corev1.ContainerState) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{{Name: "c", State: s, Ready: s.Running != nil, RestartCount: 2}}
	}
	ended := func(code int32, reason string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
	}
	for want, status := range map[string]corev1.PodStatus{
		"p | 0/1 | Pending | 0 | 90s":          {Phase: corev1.PodPending},
		"p | 1/1 | Running | 2 | 90s":          {Phase: corev1.PodRunning, ContainerStatuses: state(corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})},
		"p | 0/1 | CrashLoopBackOff | 2 | 90s": {Phase: corev1.PodRunning, ContainerStatuses: state(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}})},
		"p | 0/1 | ExitCode:3 | 2 | 90s":       {Phase: corev1.PodFailed, ContainerStatuses: state(ended(3, ""))},
		"p | 0/1 | Completed | 2 | 90s":        {Phase: corev1.PodSucceeded, ContainerStatuses: state(ended(0, "Completed"))},
		"p | 0/1 | Evicted | 0 | 90s":          {Phase: corev1.PodFailed, Reason: "Evicted"},
		"p | 0/1 | Init:Error | 2 | 90s":       {Phase: corev1.PodPending, InitContainerStatuses: state(ended(1, "Error"))},
	} { // order: each case is on its own
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", CreationTimestamp: start}, Spec: corev1.PodSpec{Containers: make([]corev1.Container, 1)}, Status: status}
		require.Equal(t, want, strings.Split(printed(t, pod, false), "\n")[1])
	}
	gone := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", CreationTimestamp: start, DeletionTimestamp: &start}, Spec: corev1.PodSpec{NodeName: "n"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	require.Equal(t, "p | 0/0 | Terminating | 0 | 90s | <none> | n | <none> | <none>", strings.Split(printed(t, gone, true), "\n")[1])
	gone.Status.Reason = "NodeLost"
	require.Contains(t, printed(t, gone, false), "| Unknown |")
}

func TestARowHasOfItsObjectWhatIsAskedFor(t *testing.T) {
	list := &corev1.NodeList{Items: []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: corev1.NodeSpec{ProviderID: "x"}}}}
	for policy, want := range map[metav1.IncludeObjectPolicy]string{
		"":                     `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"n"}}`,
		metav1.IncludeMetadata: `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"n"}}`,
		metav1.IncludeNone:     `null`,
	} { // order: each case is on its own
		table, err := asTable(list, &metav1.TableOptions{IncludeObject: policy}, metav1.SchemeGroupVersion, now)
		require.Nil(t, err)
		data, failed := json.Marshal(table.(*metav1.Table).Rows[0].Object)
		require.NoError(t, failed)
		require.JSONEq(t, want, string(data))
	}
	table, err := asTable(list, &metav1.TableOptions{IncludeObject: metav1.IncludeObject}, metav1.SchemeGroupVersion, now)
	require.Nil(t, err)
	object := table.(*metav1.Table).Rows[0].Object.Object.(*corev1.Node)
	require.Equal(t, "Node", object.Kind)
	require.Equal(t, "x", object.Spec.ProviderID)
	require.Empty(t, list.Items[0].Kind)
}

func TestFramesComeBackAsTheEventsTheyWere(t *testing.T) {
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	for _, accept := range []string{"application/json", protobuf} {
		out, err := NegotiateOutput(accept, "watch")
		require.Nil(t, err)
		frames := out.Frames(nil)
		for _, typ := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Bookmark} {
			frame, err := frames.Encode(watch.Event{Type: typ, Object: node}, now)
			require.Nil(t, err)
			ev, failed := frames.Decode(frame)
			require.NoError(t, failed)
			require.Equal(t, typ, ev.Type)
			require.Equal(t, node, ev.Object)
		}
		ev, failed := frames.Decode(frames.EncodeError(&NotFound(nil, "/api").ErrStatus, now))
		require.NoError(t, failed)
		require.Equal(t, watch.Error, ev.Type)
		require.EqualValues(t, 404, ev.Object.(*metav1.Status).Code)
		_, failed = frames.Decode([]byte("\x00\x00\x00\x02{}"))
		require.Error(t, failed)
	}
}

func TestAWatchOfTablesHasColumnsInItsFirstEventOnly(t *testing.T) {
	out, err := NegotiateOutput(asTables, "watch")
	require.Nil(t, err)
	frames := out.Frames(&metav1.TableOptions{})
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	for i, want := range []bool{true, false} {
		frame, err := frames.Encode(watch.Event{Type: watch.Added, Object: node}, now)
		require.Nil(t, err)
		require.Equal(t, want, strings.Contains(string(frame), "Internal-IP"), "event %d", i)
		require.True(t, strings.HasPrefix(string(frame), `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1"`), string(frame))
	}
}
