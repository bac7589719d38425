package podworkers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// statusesOf are the container statuses that come of c, after old.
func statusesOf(c *container, old []corev1.ContainerStatus, phase corev1.PodPhase) []corev1.ContainerStatus {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "i"}, {Name: "b", Image: "j"}}}}
	return convertToAPIContainerStatuses(c, pod, old, phase)
}

func TestContainerStatusesFollowTheContainer(t *testing.T) {
	wall, pod := time.Date(2026, 1, 1, 0, 0, 0, 5, time.UTC), &corev1.Pod{}
	c := &container{}
	s := statusesOf(c, nil, corev1.PodPending)
	require.Len(t, s, 2)
	require.Equal(t, "b", s[1].Name)
	require.Equal(t, "j", s[1].Image)
	require.Equal(t, "ContainerCreating", s[0].State.Waiting.Reason)
	require.False(t, s[0].Ready || *s[0].Started)

	c.start(wall, wall, pod)
	s = statusesOf(c, s, corev1.PodRunning)
	require.True(t, s[0].Ready && *s[0].Started)
	require.Equal(t, wall.Truncate(time.Second), s[0].State.Running.StartedAt.Time)
	require.Zero(t, s[0].RestartCount)
	require.Equal(t, s, statusesOf(c, s, corev1.PodRunning))

	c.exit(1, wall.Add(time.Minute))
	s = statusesOf(c, s, corev1.PodRunning)
	require.False(t, s[0].Ready || *s[0].Started)
	require.Equal(t, "Error", s[0].State.Terminated.Reason)
	require.EqualValues(t, 1, s[0].State.Terminated.ExitCode)
	require.Equal(t, time.Minute, s[0].State.Terminated.FinishedAt.Sub(s[0].State.Terminated.StartedAt.Time))

	c.start(wall, wall, pod)
	s = statusesOf(c, s, corev1.PodRunning)
	require.EqualValues(t, 1, s[0].RestartCount)
	require.EqualValues(t, 1, s[0].LastTerminationState.Terminated.ExitCode)
	require.Equal(t, s, statusesOf(c, s, corev1.PodRunning), "it counts once")

	s = statusesOf(&container{}, s, corev1.PodRunning)
	require.Equal(t, "ContainerCreating", s[0].State.Waiting.Reason, "lost by a reboot")
	require.EqualValues(t, 2, s[0].RestartCount)
	require.EqualValues(t, 1, s[0].LastTerminationState.Terminated.ExitCode, "what is known of the end before stays")
	require.Equal(t, s, statusesOf(&container{}, s, corev1.PodRunning), "it counts once")

	s = statusesOf(&container{}, nil, corev1.PodFailed)
	require.Equal(t, "ContainerStatusUnknown", s[0].State.Terminated.Reason, "ended before it began")
	require.Equal(t, "containers with unready status: [a b]", unready([]corev1.Container{{Name: "a"}, {Name: "b"}}))
}

func TestARunningPodShowsItsContainersInTheAPI(t *testing.T) {
	l := newLab(t, 36)
	l.workers.cfg.HostIP = "10.0.0.1"
	l.bind("a")
	l.to(5 * time.Second)
	status := l.pod("a").Status
	require.Len(t, status.ContainerStatuses, 1)
	require.True(t, status.ContainerStatuses[0].Ready)
	require.NotNil(t, status.ContainerStatuses[0].State.Running)
	require.Equal(t, "10.0.0.1", status.HostIP)
	require.Equal(t, []corev1.HostIP{{IP: "10.0.0.1"}}, status.HostIPs)
	require.Empty(t, status.PodIP)
}

func TestALostContainerOfAPodThatIsDeletedDoesNotCountAsRestarted(t *testing.T) {
	now := metav1.Now()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a"}}}}
	old := []corev1.ContainerStatus{{Name: "a", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	s := convertToAPIContainerStatuses(&container{}, pod, old, corev1.PodRunning)
	require.Zero(t, s[0].RestartCount)
	require.EqualValues(t, exitUnknown, s[0].LastTerminationState.Terminated.ExitCode)
}

func TestAPodThatNeverRestartsHasFailedOnceItsMachineReboots(t *testing.T) {
	for policy, want := range map[corev1.RestartPolicy]string{
		corev1.RestartPolicyNever: "Failed", corev1.RestartPolicyOnFailure: "Running ready", corev1.RestartPolicyAlways: "Running ready",
	} {
		l := newLab(t, 36)
		l.bind("a", func(pod *corev1.Pod) { pod.Spec.RestartPolicy = policy })
		l.to(5 * time.Second)
		require.Equal(t, "Running ready", l.is("a"))
		l.runtime = NewRuntime()
		l.restart()
		l.to(30 * time.Second)
		require.Equal(t, want, l.is("a"), policy)
		c := l.pod("a").Status.ContainerStatuses[0]
		require.EqualValues(t, 1, c.RestartCount)
		require.Equal(t, policy == corev1.RestartPolicyNever, c.State.Terminated != nil)
	}
}

func TestNoContainerOfAPodThatHasEndedWaits(t *testing.T) {
	l := newLab(t, 24) // whose kubelet leaves the phase alone
	l.bind("a")
	l.to(100 * time.Millisecond)
	p := l.workers.byUID[l.pod("a").UID]
	p.reported.status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}}}
	l.workers.statuses.terminatePod(p)
	require.NotNil(t, p.reported.status.ContainerStatuses[0].State.Terminated)
}
