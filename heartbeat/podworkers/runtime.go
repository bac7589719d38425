package podworkers

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Runtime is the container runtime of a machine, as far as pods need one: it
// outlives the kubelets that use it, and forgets everything when the machine
// boots.
type Runtime struct{ containers map[types.UID]*container }

// NewRuntime returns the runtime of a machine that has just booted.
func NewRuntime() *Runtime { return &Runtime{containers: map[types.UID]*container{}} }

// container is the one container of a pod.
type container struct {
	state    containerState
	exitCode int
	ends     time.Time // by the host's monotonic clock, when it ends by itself; zero for never

	startedAt, finishedAt metav1.Time // by its clock of the wall, in whole seconds
}

type containerState uint8

const (
	containerMissing containerState = iota // never started, or lost
	containerRunning
	containerExited
)

func (r *Runtime) container(uid types.UID) *container {
	c := r.containers[uid]
	if c == nil {
		c = &container{}
		r.containers[uid] = c
	}
	return c
}

func (r *Runtime) remove(uid types.UID) { delete(r.containers, uid) }

// start runs it from now on. wall is what the host's clock shows.
func (c *container) start(now, wall time.Time, pod *corev1.Pod) {
	*c = container{state: containerRunning, startedAt: metav1.Time{Time: wall}.Rfc3339Copy()}
	if d := lifetime(pod); d > 0 {
		c.ends = now.Add(d)
	}
}

// exit ends it.
func (c *container) exit(code int, wall time.Time) {
	*c = container{state: containerExited, exitCode: code, startedAt: c.startedAt, finishedAt: metav1.Time{Time: wall}.Rfc3339Copy()}
}

// look takes note of its having ended by itself.
func (c *container) look(now, wall time.Time) {
	if c.state == containerRunning && !c.ends.IsZero() && !now.Before(c.ends) {
		c.exit(0, wall.Add(c.ends.Sub(now)))
	}
}

// terminated is the state of one that has exited. Upstream: toKubeContainerStatus.
func (c *container) terminated() *corev1.ContainerStateTerminated {
	reason := "Completed"
	if c.exitCode != 0 {
		reason = "Error"
	}
	return &corev1.ContainerStateTerminated{ExitCode: int32(c.exitCode), Reason: reason, StartedAt: c.startedAt, FinishedAt: c.finishedAt}
}

// restarts tells whether one that has exited, or is lost, is to run again.
// Upstream: ShouldContainerBeRestarted, and getPhase for what is lost.
func (c *container) restarts(pod *corev1.Pod) bool {
	switch pod.Spec.RestartPolicy {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return c.state == containerMissing || c.exitCode != 0
	}
	return true
}

// lifetime is how long a pod's container runs, 0 for as long as it may. The one
// program that is known here is sleep, with its seconds.
func lifetime(pod *corev1.Pod) time.Duration {
	if len(pod.Spec.Containers) == 0 {
		return 0
	}
	command := pod.Spec.Containers[0].Command
	if len(command) != 2 || command[0] != "sleep" {
		return 0
	}
	seconds, err := strconv.ParseUint(command[1], 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
