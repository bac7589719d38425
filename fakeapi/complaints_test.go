package fakeapi

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// What users of the fakes of client-go and controller-runtime have complained
// about for years, each with the threads that say so. Here it is as in a cluster.

// client-go#539, #463, #1385.
func TestObjectsHaveAResourceVersionThatRises(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		a, b := l.c.createNode("a"), l.c.createNode("b")
		require.NotEmpty(t, a.ResourceVersion)
		require.Greater(t, mustAtoi(b.ResourceVersion), mustAtoi(a.ResourceVersion))
	})
}

// kubernetes#68460, controller-runtime#832.
func TestAStaleResourceVersionConflicts(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		lease := l.c.createLease("a")
		must(l.c.renew(lease))
		_, err := l.c.renew(lease)
		require.True(t, apierrors.IsConflict(err), "%v", err)
	})
}

// kubernetes#78824, client-go#326, #910, #1060, #1127, #1393; controller-runtime#1948.
func TestFieldSelectorsFilterLists(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.c.createPod("default", "p", "a")
		l.c.createPod("default", "q", "b")
		list := must(l.c.Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=a"}))
		require.Len(t, list.Items, 1)
		require.Equal(t, "p", list.Items[0].Name)
		_, err := l.c.Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.none=a"})
		require.True(t, apierrors.IsBadRequest(err), "%v", err)
	})
}

func TestFieldSelectorsFilterWatches(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Pods("").Watch(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=a"}))
		l.c.createPod("default", "p", "a")
		l.c.createPod("default", "q", "b")
		l.h.Sleep(1)
		require.Equal(t, []string{"ADDED p@2"}, must(drain(w)))
	})
}

// client-go#439, kubernetes#127900, #112280; controller-runtime#3497.
func TestGenerateNameMakesAnotherNameEachTime(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		seen := map[string]bool{}
		for range 100 {
			node := must(l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "n-"}}, metav1.CreateOptions{}))
			require.Regexp(t, `^n-[a-z0-9]{5}$`, node.Name)
			require.False(t, seen[node.Name])
			seen[node.Name] = true
		}
	})
}

// client-go#439.
func TestUIDAndCreationTimestampAreSet(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		a, b := l.c.createNode("a"), l.c.createNode("b")
		require.Len(t, a.UID, 36)
		require.NotEqual(t, a.UID, b.UID)
		require.Equal(t, l.e.Start(), a.CreationTimestamp.Time, "on virtual time")
	})
}

// kubernetes#107319, #108036, #136672; controller-runtime#2259.
func TestAStatusUpdateLeavesTheSpec(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		node := l.c.createNode("a").DeepCopy()
		node.Spec.Unschedulable, node.Status.Phase = true, corev1.NodeRunning
		got := must(l.c.Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{}))
		require.False(t, got.Spec.Unschedulable)
		require.Equal(t, corev1.NodeRunning, got.Status.Phase)
		patch := []byte(`{"spec":{"unschedulable":true},"status":{"phase":"Pending"}}`)
		got = must(l.c.Nodes().Patch(ctx, "a", types.MergePatchType, patch, metav1.PatchOptions{}, "status"))
		require.False(t, got.Spec.Unschedulable)
		require.Equal(t, corev1.NodePending, got.Status.Phase)
	})
}

// client-go#889, controller-runtime#1582.
func TestADeleteWithTheWrongUIDConflicts(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.c.createNode("a")
		err := l.c.Nodes().Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("other"))}})
		require.True(t, apierrors.IsConflict(err), "%v", err)
		require.NotNil(t, l.s.Node("a"))
	})
}

func TestFinalizersAreHonoured(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		must(l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", Finalizers: []string{"x.io/f"}}}, metav1.CreateOptions{}))
		require.NoError(t, l.c.Nodes().Delete(ctx, "a", metav1.DeleteOptions{}))
		require.NotNil(t, l.s.Node("a").DeletionTimestamp)
		must(l.c.Nodes().Patch(ctx, "a", types.JSONPatchType, []byte(`[{"op":"remove","path":"/metadata/finalizers"}]`), metav1.PatchOptions{}))
		require.Nil(t, l.s.Node("a"))
	})
}

func TestADryRunStoresNothing(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		dry := []string{metav1.DryRunAll}
		node := must(l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{DryRun: dry}))
		require.NotEmpty(t, node.UID)
		require.Nil(t, l.s.Node("a"))
		l.c.createNode("a")
		require.NoError(t, l.c.Nodes().Delete(ctx, "a", metav1.DeleteOptions{DryRun: dry}))
		require.NotNil(t, l.s.Node("a"))
	})
}

func TestAListIsCutIntoPages(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		for i := range 7 {
			l.c.createNode(fmt.Sprint("n", i))
		}
		var names, sizes []string
		o := metav1.ListOptions{Limit: 3}
		for {
			page := must(l.c.Nodes().List(ctx, o))
			sizes = append(sizes, fmt.Sprint(len(page.Items), " ", ptr.Deref(page.RemainingItemCount, 0), " ", page.ResourceVersion))
			for _, node := range page.Items {
				names = append(names, node.Name)
			}
			if o.Continue = page.Continue; o.Continue == "" {
				break
			}
			l.c.createNode("later-" + page.Items[0].Name)
		}
		require.Equal(t, []string{"n0", "n1", "n2", "n3", "n4", "n5", "n6"}, names)
		require.Equal(t, []string{"3 4 8", "3 1 8", "1 0 8"}, sizes, "all at the version of the first")
	})
}

func TestATokenExpiresWithTheLog(t *testing.T) {
	l := newLab(t, Options{WatchLog: 4})
	l.do(func() {
		for i := range 3 {
			l.c.createNode(fmt.Sprint("n", i))
		}
		page := must(l.c.Nodes().List(ctx, metav1.ListOptions{Limit: 1}))
		for i := range 5 {
			l.c.createNode(fmt.Sprint("x", i))
		}
		_, err := l.c.Nodes().List(ctx, metav1.ListOptions{Limit: 1, Continue: page.Continue})
		require.True(t, apierrors.IsResourceExpired(err), "%v", err)
		status := err.(apierrors.APIStatus).Status() //nolint:errorlint // it comes bare
		rest := must(l.c.Nodes().List(ctx, metav1.ListOptions{Continue: status.Continue}))
		require.Len(t, rest.Items, 7, "it may go on, at the newest version")
	})
}

func TestATokenOfAVersionToComeIsTooLargeAVersion(t *testing.T) {
	l := newLab(t, Options{})
	impatient := l.client(ClientOptions{Name: "impatient", Timeout: time.Second})
	l.do(func() {
		l.c.createNode("n")
		_, err := impatient.Nodes().List(ctx, metav1.ListOptions{Continue: encodeContinue("/n", 999)})
		require.Error(t, err)
		_, err = impatient.Events("").List(ctx, metav1.ListOptions{Continue: encodeContinue("n", 999)})
		require.EqualError(t, err, "Timeout: Too large resource version: 999, current: 2")
	})
	require.Equal(t, http.StatusGatewayTimeout, l.answered[1].Code)
	require.Equal(t, "Timeout: Too large resource version: 999, current: 2", l.answered[1].Message)
}

// kubernetes#87472, #88508, #123326, #139716, #129408.
func TestNothingIsLostBetweenListAndWatch(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		list := must(l.c.Nodes().List(ctx, metav1.ListOptions{}))
		l.c.createNode("between")
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion}))
		l.h.Sleep(1)
		require.Equal(t, []string{"ADDED between@2"}, must(drain(w)))
		w = must(l.c.Nodes().Watch(ctx, metav1.ListOptions{SendInitialEvents: ptr.To(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}))
		l.h.Sleep(1)
		require.Equal(t, []string{"ADDED between@2", "BOOKMARK @2"}, must(drain(w)))
	})
}

// kubernetes#110431, #116700, client-go#1103.
func TestAWatchHoldsAsManyEventsAsNobodyReads(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{}))
		for i := range 1000 {
			l.c.createNode(fmt.Sprint("n", i))
		}
		l.h.Sleep(1)
		require.Len(t, must(drain(w)), 1000)
	})
}

func TestWhatIsWrongIsRefusedAndWhatIsMissingFilledIn(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		_, err := l.c.Pods("default").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "P_"}}, metav1.CreateOptions{})
		require.True(t, apierrors.IsInvalid(err), "%v", err)
		pod := l.c.createPod("default", "p", "")
		require.Equal(t, corev1.PodPending, pod.Status.Phase)
		require.EqualValues(t, 30, *pod.Spec.TerminationGracePeriodSeconds)
	})
}
