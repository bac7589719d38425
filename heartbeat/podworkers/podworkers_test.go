package podworkers

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
)

func TestPodIsPendingThenRunningAndReady(t *testing.T) {
	l := newLab(t, 36)
	l.to(5 * time.Second)
	l.bind("a")
	l.to(5*time.Second + fastestStart)
	require.Equal(t, "Pending", l.is("a"))
	require.NotNil(t, l.pod("a").Status.StartTime)
	l.to(5*time.Second + slowestStart + relistPeriod)
	require.Equal(t, "Running ready", l.is("a"))
	require.Equal(t, []string{"5s patch a 200", "7s patch a 200"}, l.sent("patch"))
	ready := findCondition(&l.pod("a").Status, corev1.PodReady)
	require.True(t, ready.LastTransitionTime.After(l.pod("a").Status.StartTime.Time))
}

func TestPodThatEndsByItselfHasSucceededWithTheNextList(t *testing.T) {
	l := newLab(t, 36)
	l.bind("a", sleeps("60", corev1.RestartPolicyNever))
	l.to(60 * time.Second)
	require.Equal(t, "Running ready", l.is("a"))
	l.to(60*time.Second + slowestStart + relistPeriod)
	require.Equal(t, "Succeeded", l.is("a"))
	l.to(10 * time.Minute)
	require.Empty(t, l.sent("delete"), "somebody may want its logs")
	l.delete("a", metav1.DeleteOptions{})
	l.to(10*time.Minute + time.Second)
	require.Equal(t, "gone", l.is("a"), "the API server waits for no kubelet")
}

func TestContainerThatEndsStartsAgainByItsRestartPolicy(t *testing.T) {
	l := newLab(t, 36)
	l.bind("a", sleeps("5", corev1.RestartPolicyAlways))
	l.bind("b", sleeps("5", corev1.RestartPolicyOnFailure))
	l.to(time.Minute)
	require.Contains(t, l.is("a"), "Running")
	require.Equal(t, "Succeeded", l.is("b"))
}

func TestWhatOthersChangedIsPutRightWithTheNextTurn(t *testing.T) {
	l := newLab(t, 36)
	l.bind("a")
	l.to(15 * time.Second)
	marked := l.pod("a").DeepCopy()
	findCondition(&marked.Status, corev1.PodReady).Status = corev1.ConditionFalse
	marked.Status.Conditions = append(marked.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue})
	l.server.Put(marked)
	l.to(20*time.Second - time.Millisecond)
	require.Equal(t, "Running", l.is("a"))
	l.to(20 * time.Second)
	require.Equal(t, "Running ready", l.is("a"))
	require.NotNil(t, findCondition(&l.pod("a").Status, corev1.DisruptionTarget), "that is not the kubelet's to say")
	sent := len(l.sent("patch"))
	l.to(time.Minute)
	require.Len(t, l.sent("patch"), sent, "nothing is to be put right")
}

// A pod is deleted at 12 s; its container takes up to 2 s to end.
func TestGracefulDeletionIsThatOfTheVersion(t *testing.T) {
	for _, c := range []struct {
		minor     int
		delete    string
		beforeEnd string // what the API server says just before the pod is gone
	}{
		{13, "20s delete a 200", "Running terminating"},
		{21, "20s delete a 200", "Running terminating"},
		{22, "13s delete a 200", "Running terminating"},
		{26, "13s delete a 200", "Running terminating"},
		{27, "13s delete a 200", "Succeeded terminating"},
		{36, "13s delete a 200", "Succeeded terminating"},
	} {
		l := newLab(t, c.minor)
		l.bind("a")
		l.to(12 * time.Second)
		l.delete("a", metav1.DeleteOptions{})
		last := ""
		for at := 12 * time.Second; l.pod("a") != nil && at < time.Minute; at += 50 * time.Millisecond {
			last = l.is("a")
			l.to(at)
		}
		require.Equal(t, []string{c.delete}, l.sent("delete"), "1.%d", c.minor)
		require.Equal(t, c.beforeEnd, last, "1.%d", c.minor)
	}
}

func TestGracePeriodIsTheLongestThatAContainerTakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLabWith(t, 36, rapid.Uint64Range(1, 100).Draw(t, "seed"), 0)
		grace := int64(rapid.IntRange(1, 3).Draw(t, "grace"))
		l.bind("a", func(pod *corev1.Pod) { pod.Spec.TerminationGracePeriodSeconds = &grace })
		l.to(10 * time.Second)
		l.delete("a", metav1.DeleteOptions{})
		l.to(10*time.Second + min(time.Duration(grace)*time.Second, slowestStop) + unmountPeriod)
		require.Equal(t, "gone", l.is("a"))
	})
}

// A pod is replaced by another of its name while the kubelet's last requests
// about it are on their way: its GET, and then its DELETE.
func TestAnotherPodOfThatNameIsLeftAlone(t *testing.T) {
	for _, onItsWay := range []string{"get", "delete"} {
		l := newLabWith(t, 36, 1, 10*time.Millisecond)
		l.bind("a")
		l.to(10 * time.Second)
		l.delete("a", metav1.DeleteOptions{})
		at := 10*time.Second + 20*time.Millisecond
		step := func(until func() bool) {
			for ; !until(); at += time.Millisecond {
				require.Less(t, at, time.Minute)
				l.to(at)
			}
		}
		old := l.workers.list[0]
		step(func() bool { return old.finished })
		if gets := len(l.sent("get")); onItsWay == "delete" {
			step(func() bool { return len(l.sent("get")) > gets })
		}
		l.server.Remove(l.pod("a"))
		l.bind("a")
		another := l.pod("a").UID
		l.to(time.Minute)
		require.Equal(t, "Running ready", l.is("a"), onItsWay)
		require.Equal(t, another, l.pod("a").UID, onItsWay)
		if onItsWay == "delete" {
			require.Equal(t, []string{"11s delete a 409"}, l.sent("delete"))
		}
	}
}

func TestPodThatIsDeletedByForceIsEndedInSilence(t *testing.T) {
	l := newLab(t, 36)
	l.bind("a")
	l.to(10 * time.Second)
	patches := len(l.sent("patch"))
	l.delete("a", *metav1.NewDeleteOptions(0))
	l.to(time.Minute)
	require.Empty(t, l.workers.list)
	require.Empty(t, l.runtime.containers)
	require.Len(t, l.sent("patch"), patches)
	require.Empty(t, l.sent("delete"))
}

func TestKubeletThatStartsAnewFindsItsContainersRunning(t *testing.T) {
	l := newLab(t, 36)
	l.bind("a")
	l.bind("b", sleeps("20", corev1.RestartPolicyNever))
	l.to(12 * time.Second)
	l.host.Kill()
	l.to(time.Minute)
	sent := len(l.sent("patch"))
	l.host.Restart()
	l.start()
	l.to(time.Minute + time.Second)
	require.Equal(t, "Running ready", l.is("a"))
	require.Equal(t, "Succeeded", l.is("b"), "it has ended while nobody looked")
	require.Contains(t, l.sent("get"), "1m0s get a 200")
	for _, patch := range l.sent("patch")[sent:] {
		require.NotContains(t, patch, " a ", "there is nothing to say of it")
	}
}

func TestContainersOfAMachineThatRebootedAreStartedAgain(t *testing.T) {
	l := newLab(t, 36)
	l.bind("a")
	l.to(12 * time.Second)
	l.host.Kill()
	l.runtime = NewRuntime()
	l.host.Restart()
	l.start()
	l.to(12*time.Second + fastestStart/2)
	require.Equal(t, "Running", l.is("a"), "not ready, and not Pending again")
	l.to(15 * time.Second)
	require.Equal(t, "Running ready", l.is("a"))
}

func TestPodThatEndedBeforeItBeganHasFailed(t *testing.T) {
	l := newLab(t, 36)
	l.host.Pause()
	l.bind("a")
	l.delete("a", metav1.DeleteOptions{})
	l.to(time.Second)
	l.host.Resume()
	l.to(5 * time.Second)
	require.Equal(t, "gone", l.is("a"))
	require.Equal(t, []string{"1s delete a 200"}, l.sent("delete"))
}

func TestWhatFailsIsSentAgainWithTheNextTurn(t *testing.T) {
	for _, verb := range []string{"get", "patch", "delete"} {
		l := newLab(t, 36)
		l.bind("a")
		l.to(12 * time.Second)
		end := l.server.Network().Add(fakeapi.Rule{
			Match:   fakeapi.Match{Clients: []string{"kubelet"}, Verbs: []string{verb}},
			Respond: &metav1.Status{Code: http.StatusInternalServerError},
		})
		l.delete("a", metav1.DeleteOptions{})
		l.to(29 * time.Second)
		require.Contains(t, l.is("a"), "terminating", verb)
		end()
		l.to(30*time.Second + time.Millisecond)
		require.Equal(t, "gone", l.is("a"), verb)
	}
}

// proxy is a static pod.
func proxy() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "proxy", Namespace: "default"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "main"}}}}
}

func TestMirrorPodIsCreatedAgainWhoeverDeletesIt(t *testing.T) {
	for name, remove := range map[string]func(*lab){
		"gracefully": func(l *lab) { l.delete("proxy-n", metav1.DeleteOptions{}) },
		"by force":   func(l *lab) { l.delete("proxy-n", *metav1.NewDeleteOptions(0)) },
	} {
		l := newLab(t, 36)
		l.workers.RunStatic(proxy())
		l.to(12 * time.Second)
		require.Equal(t, "Running ready", l.is("proxy-n"), name)
		mirror := l.pod("proxy-n")
		require.Contains(t, mirror.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute})
		remove(l)
		l.to(13 * time.Second)
		require.NotNil(t, l.pod("proxy-n"), name)
		require.NotEqual(t, mirror.UID, l.pod("proxy-n").UID, name)
		l.to(20 * time.Second)
		require.Equal(t, "Running ready", l.is("proxy-n"), "%s: its status comes with the next turn", name)
		require.Equal(t, containerRunning, l.workers.list[0].container.state, "it never stopped")
	}
}

func TestKubeletThatStartsAnewKeepsItsMirrorPod(t *testing.T) {
	l := newLab(t, 36)
	static := proxy()
	l.workers.RunStatic(static)
	l.to(12 * time.Second)
	mirror := l.pod("proxy-n")
	l.restart()
	l.workers.RunStatic(static)
	l.to(time.Minute)
	require.Equal(t, mirror.UID, l.pod("proxy-n").UID)
	require.Equal(t, "Running ready", l.is("proxy-n"))
}

// serverProcesses are those by which the API server knows whether the kubelet
// lives: one for its connection.
const serverProcesses = 1

func TestPodsThatDoNotChangeCostOneTimerInAll(t *testing.T) {
	l := newLab(t, 36)
	l.to(time.Minute)
	idle := l.engine.Stats()
	for i := range 20 {
		l.bind(fmt.Sprintf("p%d", i))
	}
	l.to(2*time.Minute + time.Second)
	busy := l.engine.Stats()
	require.LessOrEqual(t, busy.Processes, serverProcesses)
	require.Equal(t, idle.Pending+1, busy.Pending, "the turn of the status manager")
	for i := range 20 {
		l.delete(fmt.Sprintf("p%d", i), metav1.DeleteOptions{})
	}
	l.to(10 * time.Minute)
	require.Equal(t, idle.Pending, l.engine.Stats().Pending, "and after the last pod nothing is left")
}

// Whatever is asked for while the kubelet comes and goes, in the end what was
// deleted is gone, and what was not runs.
func TestEveryPodComesToItsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.SampledFrom([]int{13, 18, 21, 22, 26, 27, 36}).Draw(t, "minor"))
		deleted, at, paused := map[string]bool{}, time.Duration(0), false
		for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
			at += time.Duration(rapid.IntRange(0, 15000).Draw(t, "ms")) * time.Millisecond
			l.to(at)
			name := fmt.Sprintf("p%d", rapid.IntRange(0, i).Draw(t, "pod"))
			switch rapid.SampledFrom([]string{"bind", "bind", "delete", "force", "pause", "restart"}).Draw(t, "what") {
			case "bind":
				l.bind(fmt.Sprintf("p%d", i))
				deleted[fmt.Sprintf("p%d", i)] = false
			case "delete":
				if _, there := deleted[name]; there {
					l.delete(name, metav1.DeleteOptions{})
					deleted[name] = true
				}
			case "force":
				if _, there := deleted[name]; there {
					l.delete(name, *metav1.NewDeleteOptions(0))
					deleted[name] = true
				}
			case "pause":
				if paused = !paused; paused {
					l.host.Pause()
				} else {
					l.host.Resume()
				}
			case "restart":
				if !paused {
					l.restart()
				}
			}
		}
		if paused {
			l.host.Resume()
		}
		l.to(at + time.Minute + 5*time.Millisecond)
		for name, gone := range deleted {
			want := "Running ready"
			if gone {
				want = "gone"
			}
			require.Equal(t, want, l.is(name), name)
		}
		require.LessOrEqual(t, l.engine.Stats().Processes, serverProcesses)
	})
}

func TestPodThatTookAnothersNameUnseenIsAnother(t *testing.T) {
	l := newLab(t, 36)
	l.bind("a")
	l.to(5 * time.Second)
	old := l.pod("a")
	another := old.DeepCopy()
	another.UID, another.Status = "another", corev1.PodStatus{Phase: corev1.PodPending}
	l.people.Go("informer", func() { l.workers.updated(old, another) })
	l.to(10 * time.Second)
	require.Nil(t, l.workers.byUID[old.UID], "it was ended")
	require.Equal(t, containerRunning, l.workers.byUID["another"].container.state)
}
