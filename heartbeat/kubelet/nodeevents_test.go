package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"
)

func TestNodeThatIsCordonedIsAnEventAndNoReport(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.put(func(n *corev1.Node) { n.Spec.Unschedulable = true })
	tick := l.tickAfter(15 * time.Second)
	require.Equal(t, []string{"NodeNotSchedulable"}, l.events(15*time.Second))
	require.Equal(t, []time.Duration{tick}, instants(l.callsOf("create events"))[len(l.callsOf("create events"))-1:])
	l.to(time.Minute)
	require.Equal(t, []string{"NodeNotSchedulable"}, l.events(15*time.Second), "once")

	l.put(func(n *corev1.Node) { n.Spec.Unschedulable = false })
	l.to(2 * time.Minute)
	require.Equal(t, []string{"NodeNotSchedulable", "NodeSchedulable"}, l.events(15*time.Second))
	require.Empty(t, l.reports(15*time.Second), "the spec is no status")
}

func TestRestartedKubeletTellsOfACordonAgain(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.put(func(n *corev1.Node) { n.Spec.Unschedulable = true })
	l.to(30 * time.Second)
	l.restart()
	l.to(45 * time.Second)
	require.Contains(t, l.events(30*time.Second), "NodeNotSchedulable")
}

func TestRebootIsAnEventOnceForEachKubelet(t *testing.T) {
	l := newLab(t, 1, func(c *Config) { c.Machine.NodeInfo.BootID = "first" })
	l.run()
	l.to(30 * time.Second)
	require.NotContains(t, l.events(0), "NodeRebooted", "a new node knows of no boot before")

	l.cfg.Machine.NodeInfo.BootID = "second"
	l.restart()
	l.to(time.Minute)
	require.Equal(t, 1, count(l.events(30*time.Second), "NodeRebooted"))
	require.Equal(t, "second", l.server.Node("n").Status.NodeInfo.BootID)
	for _, c := range l.callsOf("create events") {
		if ev := c.Object.(*corev1.Event); ev.Reason == "NodeRebooted" {
			require.Equal(t, corev1.EventTypeWarning, ev.Type)
			require.Equal(t, "Node n has been rebooted, boot id: second", ev.Message)
		}
	}

	l.put(func(n *corev1.Node) { n.Status.NodeInfo.BootID = "other" })
	l.to(2 * time.Minute)
	require.Equal(t, 1, count(l.events(30*time.Second), "NodeRebooted"), "no second one from this kubelet")
	require.Equal(t, "second", l.server.Node("n").Status.NodeInfo.BootID)

	l.restart()
	l.to(3 * time.Minute)
	require.Equal(t, 1, count(l.events(30*time.Second), "NodeRebooted"), "the same boot")
}

func TestRebootIsToldAgainWhenItsReportWasLost(t *testing.T) {
	l := newLab(t, 1, func(c *Config) { c.Machine.NodeInfo.BootID = "first" })
	l.run()
	l.to(30 * time.Second)
	l.cfg.Machine.NodeInfo.BootID = "second"
	remove := l.rule(heartbeatClient, "patch", "nodes/status", refuse)
	l.restart()
	l.to(time.Minute)
	require.Equal(t, 1, count(l.events(30*time.Second), "NodeRebooted"))
	remove()
	l.host.Kill()
	l.host.Restart()
	l.run()
	l.to(2 * time.Minute)
	require.Equal(t, 2, count(l.events(30*time.Second), "NodeRebooted"), "by the next kubelet: event and status are no transaction")
}

func TestFirstPodCIDRAndEveryNewOneIsReported(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	for i, cidrs := range [][]string{{"10.0.0.0/24"}, {"10.0.0.0/24", "fd00::/64"}, {"10.0.1.0/24"}} {
		at := time.Duration(i+1) * time.Minute
		l.to(at)
		l.put(func(n *corev1.Node) { n.Spec.PodCIDRs = cidrs })
		tick := l.tickAfter(at)
		require.Len(t, l.reports(tick), 1, cidrs)
		l.to(at + 50*time.Second)
		require.Len(t, l.reports(tick), 1, "once")
	}
	l.to(5 * time.Minute)
	before := len(l.reports(0))
	l.put(func(n *corev1.Node) { n.Spec.PodCIDRs = nil })
	l.tickAfter(5 * time.Minute)
	require.Len(t, l.reports(0), before, "none is nothing new")
}

// The runtime has the CIDR by then, so that nothing is new to the second try.
func TestPodCIDRWhoseReportFailsIsNotTriedAgain(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.put(func(n *corev1.Node) { n.Spec.PodCIDRs = []string{"10.0.0.0/24"} })
	one := refuse
	one.Count = 1
	l.rule(heartbeatClient, "patch", "nodes/status", one)
	tick := l.tickAfter(15 * time.Second)
	l.to(time.Minute)
	require.Equal(t, []string{"patch nodes/status: 500", "get nodes: ok"}, l.sent(heartbeatClient, tick)[:2])
	require.Len(t, l.reports(tick), 1)
}

func count(all []string, one string) int {
	n := 0
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}
