package conformance

import (
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat/lease"
)

// monitored is a node as the controller sees it: what its kubelet writes. No
// kubelet runs; the writes are the same on both sides because they are made,
// not caused.
type monitored struct {
	name     string
	zone     string
	skew     time.Duration // of the kubelet's clock
	silences []silence
	ready    corev1.ConditionStatus
}

// silence is a time in which a kubelet writes nothing: dead, stopped, cut off.
type silence struct{ from, to time.Duration }

// monitoredNode adds a node with its heartbeats and its pods; a troubled one also
// with its silences and its changes.
func (d *draft) monitoredNode(name string, zone int, troubled bool) {
	n := &monitored{name: name, zone: fmt.Sprint("zone-", zone)}
	joins := time.Duration(0)
	if (troubled || zone > 0) && d.odds("joins later", 20) {
		joins = d.instant("joins", 0, d.length/2)
	}
	for range d.number("silences", 0, 2) {
		if !troubled {
			continue
		}
		from := d.instant("silent", joins, d.length)
		to := d.length
		if d.odds("heard of again", 60) {
			to = from + d.duration("for", 0, 2*time.Minute)
		}
		n.silences = append(n.silences, silence{from, to})
	}
	n.joins(d, joins, troubled)
	if !d.odds("no status", 10) || !troubled {
		period := pick(d, "report", 10*time.Second, time.Minute, 5*time.Minute)
		d.repeat(n, joins, period, "status", func(s *stage) { n.report(s) })
	}
	if !d.odds("no lease", 15) || !troubled {
		d.repeat(n, joins, 10*time.Second, "lease", func(s *stage) { n.renew(s) })
	}
	for range d.number("changes", 0, 2) {
		if troubled {
			n.changes(d, joins)
		}
	}
	d.cast = append(d.cast, fmt.Sprintf("%s joins at %v in %s, silent %v", name, joins, n.zone, n.silences))
}

// joins creates the node, perhaps with a status, and its pods.
func (n *monitored) joins(d *draft, at time.Duration, troubled bool) {
	status := pick(d, "initial status", corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionTrue,
		corev1.ConditionFalse, corev1.ConditionUnknown, "")
	if !troubled {
		status = corev1.ConditionTrue
	}
	pods := d.number("pods", 0, 2)
	d.add(at, fmt.Sprintf("%s joins with status %q and %d pods", n.name, status, pods), func(s *stage) {
		n.skew, n.ready = 0, corev1.ConditionTrue
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.name, Labels: map[string]string{
			corev1.LabelTopologyZone: n.zone, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64", "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64"}}}
		if status != "" {
			stamp(node, s.clock(0), status)
		}
		s.server.Put(node)
		for i := range pods {
			s.server.Put(podOn(n.name, i))
		}
	})
	for i := range d.number("later pods", 0, 2) {
		d.add(d.instant("a pod comes", at, d.length), fmt.Sprintf("pod %d comes to %s", pods+i, n.name),
			func(s *stage) { s.server.Put(podOn(n.name, pods+i)) })
	}
}

func podOn(node string, i int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("pod-%s-%d", node, i)},
		Spec:       corev1.PodSpec{NodeName: node},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

// repeat has the kubelet do something again and again, but in its silences.
func (d *draft) repeat(n *monitored, from, period time.Duration, what string, do func(*stage)) {
	first := from + d.instant("first "+what, 0, min(period, 20*time.Second))
	var instants []time.Duration
	for at := first; at < d.length; at += period {
		if !slices.ContainsFunc(n.silences, func(s silence) bool { return s.from <= at && at < s.to }) {
			instants = append(instants, at)
		}
	}
	d.cast = append(d.cast, fmt.Sprintf("%s writes its %s every %v from %v, %d times", n.name, what, period, first, len(instants)))
	for _, at := range instants {
		d.quiet = append(d.quiet, step{at, "", do})
	}
}

// changes has the kubelet's clock step, or its state change, with a report.
func (n *monitored) changes(d *draft, from time.Duration) {
	at := d.instant("changes", from, d.length)
	kinds := []string{"not ready", "not ready", "ready", "pressure", "clock"}
	kind := pick(d, "change", kinds...)
	skew := d.duration("skew", -40*time.Second, 40*time.Second)
	d.add(at, fmt.Sprintf("%s: %s (%v)", n.name, kind, skew), func(s *stage) {
		switch kind {
		case "not ready":
			n.ready = corev1.ConditionFalse
		case "ready":
			n.ready = corev1.ConditionTrue
		case "clock":
			n.skew = skew
			return
		case "pressure":
			change(n.name, func(node *corev1.Node) { setCondition(node, corev1.NodeMemoryPressure, corev1.ConditionTrue) })(s)
			return
		}
		n.report(s)
	})
}

func (n *monitored) report(s *stage) {
	change(n.name, func(node *corev1.Node) { stamp(node, s.clock(n.skew), n.ready) })(s)
}

func (n *monitored) renew(s *stage) {
	if s.server.Node(n.name) == nil {
		return
	}
	s.server.Put(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: n.name, Namespace: lease.Namespace},
		Spec:       coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: s.clock(n.skew)}},
	})
}

// clock is what a clock of that skew shows.
func (s *stage) clock(skew time.Duration) time.Time {
	return bubbleStart.Add(s.engine.Now().Duration() + skew).Truncate(time.Microsecond)
}

// change writes a node, if it is there.
func change(name string, edit func(*corev1.Node)) func(*stage) {
	return func(s *stage) {
		old := s.server.Node(name)
		if old == nil {
			return
		}
		node := old.DeepCopy()
		if node.Labels == nil {
			node.Labels = map[string]string{}
		}
		edit(node)
		s.server.Put(node)
	}
}

// stamp writes a kubelet's conditions.
func stamp(node *corev1.Node, now time.Time, ready corev1.ConditionStatus) {
	for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady} {
		status := corev1.ConditionFalse
		if kind == corev1.NodeReady {
			status = ready
		}
		c := setCondition(node, kind, status)
		c.LastHeartbeatTime = metav1.NewTime(now.Truncate(time.Second))
	}
}

// setCondition sets the status of a condition, and returns the condition.
func setCondition(node *corev1.Node, kind corev1.NodeConditionType, status corev1.ConditionStatus) *corev1.NodeCondition {
	i := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == kind })
	if i < 0 {
		i = len(node.Status.Conditions)
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind})
	}
	c := &node.Status.Conditions[i]
	if c.Status != status {
		c.Status = status
		c.Reason = "Kubelet" + string(status)
		c.LastTransitionTime = metav1.NewTime(bubbleStart)
	}
	return c
}
