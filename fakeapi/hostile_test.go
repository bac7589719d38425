package fakeapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Each copy doubles what is there, so that a few bytes of patch would fill any
// machine.
func TestAPatchThatCopiesAndCopiesIsRefused(t *testing.T) {
	l := newLab(t, Options{})
	ops := []string{`{"op":"add","path":"/metadata/annotations","value":{"a":"` + strings.Repeat("x", 1<<10) + `"}}`}
	for i := range 14 {
		ops = append(ops, fmt.Sprintf(`{"op":"copy","from":"/metadata","path":"/metadata/%d"}`, i))
	}
	l.do(func() {
		l.c.createNode("n")
		_, err := l.c.Nodes().Patch(ctx, "n", types.JSONPatchType, []byte("["+strings.Join(ops, ",")+"]"), metav1.PatchOptions{})
		var refused *apierrors.StatusError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, http.StatusUnprocessableEntity, int(refused.ErrStatus.Code), err)
	})
}

// The list is of a version at which they were there, and one is no more.
func TestACollectionIsDeletedAsOfAVersionAtWhichMoreWasThere(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		pods := l.c.Pods("default")
		l.c.createPod("default", "gone", "")
		at := l.c.createPod("default", "here", "").ResourceVersion
		require.NoError(t, pods.Delete(ctx, "gone", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}))
		require.NoError(t, pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)},
			metav1.ListOptions{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact}))
		require.Empty(t, must(pods.List(ctx, metav1.ListOptions{})).Items)
	})
}

// A key of the store is namespace, slash, name; and "-" sorts before a slash.
func TestPagesOverNamespacesMissNothing(t *testing.T) {
	l := newLab(t, Options{AnyNamespace: true})
	l.do(func() {
		for _, namespace := range []string{"team", "team-a", "team-a-b", "tea"} {
			l.c.createPod(namespace, "x", "node")
			l.c.createPod(namespace, "y", "node")
		}
		for _, o := range []metav1.ListOptions{{}, {FieldSelector: "spec.nodeName=node"}} {
			whole := must(l.c.Pods("").List(ctx, o))
			require.Len(t, whole.Items, 8)
			var paged []corev1.Pod
			for o.Limit = 1; ; {
				page := must(l.c.Pods("").List(ctx, o))
				paged = append(paged, page.Items...)
				if o.Continue = page.Continue; o.Continue == "" {
					break
				}
				l.c.createNode(fmt.Sprintf("n-%d-%s", len(paged), strings.ReplaceAll(o.FieldSelector, "spec.nodeName=", "")+"x")) // another version of the store
			}
			require.Equal(t, uidsOf(whole.Items), uidsOf(paged))
		}
	})
}

func uidsOf(pods []corev1.Pod) (uids []types.UID) {
	for i := range pods {
		uids = append(uids, pods[i].UID)
	}
	return uids
}

func TestAWatchOfAFutureVersionIsSentNothingFromBefore(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "3"}))
		for i := range 3 { // versions 2, 3 and 4
			l.c.createNode(fmt.Sprintf("n%d", i))
		}
		got, err := drain(w)
		require.NoError(t, err)
		require.Equal(t, []string{"ADDED n2@4"}, got)
	})
}

func TestEventsThatAreDeletedAreForgotten(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		events := l.c.Events("default")
		for i := range 3 * maxEvents {
			name := fmt.Sprintf("e%d", i)
			must(events.Create(ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}))
			require.NoError(t, events.Delete(ctx, name, metav1.DeleteOptions{}))
		}
	})
	require.Less(t, len(l.s.events.oldest), 2*maxEvents)
}

// The place of an object that is watched by name outlives it, so that the next
// of that name has the same.
func TestAnEventMadeAnewIsNotTheOldest(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		events := l.c.Events("default")
		create := func(name string) {
			must(events.Create(ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}))
		}
		w := must(events.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=anew"}))
		defer w.Stop()
		create("anew")
		create("oldest")
		require.NoError(t, events.Delete(ctx, "anew", metav1.DeleteOptions{}))
		create("anew")
		for i := range maxEvents - 1 {
			create(fmt.Sprintf("e%d", i))
		}
		must(events.Get(ctx, "anew", metav1.GetOptions{}))
		_, err := events.Get(ctx, "oldest", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err))
	})
}

func TestAskingForNamespacesThatAreNotThereLeavesNothingBehind(t *testing.T) {
	l := newLab(t, Options{})
	before := len(l.s.pods.spaces)
	l.do(func() {
		for i := range 100 {
			pods := l.c.clientset(t, "").CoreV1().Pods(fmt.Sprintf("nowhere-%d", i))
			_, err := pods.Get(ctx, "x", metav1.GetOptions{})
			require.True(t, apierrors.IsNotFound(err))
			require.Empty(t, must(pods.List(ctx, metav1.ListOptions{})).Items)
			_, err = pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "x"}, Spec: corev1.PodSpec{Containers: containers}}, metav1.CreateOptions{})
			require.True(t, apierrors.IsNotFound(err))
			w := must(watchOver(l.c.clientset(t, "").CoreV1().RESTClient(), "pods", fmt.Sprintf("nowhere-%d", i), metav1.ListOptions{FieldSelector: "metadata.name=x"}))
			w.Stop()
		}
	})
	require.Len(t, l.s.pods.spaces, before)
}

func TestApplyingTheStatusOfWhatIsNotThereCreatesNothing(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		_, err := l.c.Nodes().Patch(ctx, "n", types.ApplyPatchType,
			[]byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"phase":"Running"}}`),
			metav1.PatchOptions{FieldManager: "m", Force: ptr.To(true)}, "status")
		require.True(t, apierrors.IsNotFound(err), err)
	})
	require.Nil(t, l.s.Node("n"))
}

func TestAnObjectIsCreatedWithAVersionThatIsNone(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		for i, version := range []string{"", "0", "00", "latest"} {
			_, err := l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i), ResourceVersion: version}}, metav1.CreateOptions{})
			require.NoError(t, err, version)
		}
		_, err := l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", ResourceVersion: "1"}}, metav1.CreateOptions{})
		require.ErrorContains(t, err, "resourceVersion should not be set on objects to be created")
	})
}

func TestWhatIsTooLargeForEtcdIsRefused(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		nodes := l.c.clientset(t, "").CoreV1().Nodes()
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		node.Status.NodeInfo.KernelVersion = strings.Repeat("x", maxObject)
		_, err := nodes.Create(ctx, node, metav1.CreateOptions{})
		require.ErrorContains(t, err, "etcdserver: request is too large")

		node.Status.NodeInfo.KernelVersion = ""
		must(nodes.Create(ctx, node, metav1.CreateOptions{}))
		for i := 0; err == nil || i == 0; i++ { // each patch is small, and adds
			patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"c%d","message":"%s"}]}}`, i, strings.Repeat("x", maxObject/4))
			_, err = nodes.Patch(ctx, "n", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
			require.Less(t, i, 5)
		}
		require.ErrorContains(t, err, "etcdserver: request is too large")
		require.LessOrEqual(t, l.s.Node("n").Size(), maxObject)
	})
}

// Each element of a list is looked for among those of the other.
func TestAPatchThatWouldTakeMinutesToMergeIsRefused(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.c.createNode("n")
		conditions := make([]string, 4000)
		for i := range conditions {
			conditions[i] = fmt.Sprintf(`{"type":"c%d"}`, i)
		}
		patch := func(n int) error {
			_, err := l.c.Nodes().Patch(ctx, "n", types.StrategicMergePatchType,
				[]byte(`{"status":{"conditions":[`+strings.Join(conditions[:n], ",")+`]}}`), metav1.PatchOptions{}, "status")
			return err
		}
		require.NoError(t, patch(4000))
		require.NoError(t, patch(100))
		require.True(t, apierrors.IsRequestEntityTooLargeError(patch(4000)))
	})
}

// Every version of an object is kept for watches that resume, but not all of them
// if they are large.
func TestTheLogOfLargeObjectsIsShort(t *testing.T) {
	l := newLab(t, Options{})
	var log watchLog
	log.init(64)
	for i := range uint64(1000) {
		log.add(entry{rv: i + 1})
		log.weigh(maxLogBytes / 10)
		require.LessOrEqual(t, log.bytes, maxLogBytes)
		require.Equal(t, int(min(i+1, 10)), log.n)
		require.Equal(t, i+1, log.at(log.n-1).rv)
	}
	_, err := log.since(989)
	require.NotNil(t, err)
	first, err := log.since(990)
	require.Nil(t, err)
	require.Zero(t, first)

	l.do(func() {
		node := must(l.c.clientset(t, "").CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{}))
		require.InDelta(t, l.s.Node("n").Size(), l.s.nodes.log.bytes, 24, "but for its version")
		for range 2 * defaultWatchLog {
			node.ResourceVersion, node.Spec.Unschedulable = "", !node.Spec.Unschedulable
			must(l.c.Nodes().Update(ctx, node, metav1.UpdateOptions{}))
		}
		require.Zero(t, l.s.nodes.log.bytes, "it has left the log")
	})
}
