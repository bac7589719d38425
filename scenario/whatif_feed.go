package scenario

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/sim"
)

// feed puts recorded writes to the server, open loop: each arrives as it did in
// the recording and takes as long as it took there, whatever the model's
// controller does. The server's versions are its own, so the writes carry none:
// the recorded server accepted them.
//
// One thing is not in a recording: what a kubelet would have done had its node
// been called Unknown where it was not. It looks at its node at every status
// tick and puts that right. So at a renewal of a node that is Unknown here the
// last status that its kubelet reported is put again, unless the recording has
// the kubelet do so itself within one status period of when it could see that.
type feed struct {
	host      *sim.Host
	server    *fakeapi.Server
	recording *Recording
	observer  *whatIfObserver
	nodes     *fakeapi.Nodes
	leases    *fakeapi.Leases

	statusPeriod time.Duration
	latest       []*coordinationv1.Lease // as the server gave it
	reported     [][]conditionDelta      // what each kubelet says of its node
	corrections  []corrections
	touched      []bool             // the node itself has been written
	blinds       map[string][]Blind // of kubelets
}

// corrections are the reports of one node that set the status of its Ready
// condition, in order.
type corrections struct {
	at   []time.Duration
	next int
}

func newFeed(engine *sim.Engine, server *fakeapi.Server, r *Recording, observer *whatIfObserver, statusPeriod time.Duration) *feed {
	host := engine.NewHost("recorded")
	client := server.NewClient(fakeapi.ClientOptions{Host: host, Name: recordedClient, NoHealthCheck: true})
	f := &feed{
		host:         host,
		server:       server,
		recording:    r,
		observer:     observer,
		nodes:        client.Nodes(),
		leases:       client.Leases(lease.Namespace),
		statusPeriod: statusPeriod,
		latest:       make([]*coordinationv1.Lease, len(r.names)),
		reported:     make([][]conditionDelta, len(r.names)),
		corrections:  make([]corrections, len(r.names)),
		touched:      make([]bool, len(r.names)),
		blinds:       map[string][]Blind{},
	}
	for _, b := range r.Blind {
		if b.Node != "" {
			f.blinds[b.Node] = append(f.blinds[b.Node], b)
		}
	}
	for i := range r.Writes {
		if w := &r.Writes[i]; w.write != nil && w.write.corrects() {
			f.corrections[w.node].at = append(f.corrections[w.node].at, w.Done())
		}
	}
	return f
}

// recordedClient is the name of the client that all recorded writes come from.
const recordedClient = "recorded"

// corrects tells a report that sets the Ready condition whatever it was.
func (w *nodeWrite) corrects() bool {
	ready := w.delta.ready()
	return w.report && (w.bodiless || ready != nil && ready.Status != "")
}

// start sets the scene and lets the writes come.
func (f *feed) start() {
	for i, begun := range f.recording.begun {
		f.reported[i] = healthy()
		if begun.present {
			f.server.Put(f.node(uint32(i), begun.state.Labels))
		}
	}
	f.host.Go("feed", func() {
		for i := range f.recording.Writes {
			w := &f.recording.Writes[i]
			if wait := w.Done() - f.host.Engine().Now().Duration(); wait > 0 {
				f.host.Sleep(wait)
			}
			f.put(w)
		}
	})
}

// put does one write. What the server does not accept is left out: it can only
// be a write whose forerunner is not in the log.
func (f *feed) put(w *Write) {
	if w.write == nil {
		f.renew(w)
		f.correct(w)
		return
	}
	name := f.recording.names[w.node]
	f.touched[w.node] = f.touched[w.node] || w.write.kind != leaseDeleted
	switch w.write.kind {
	case leaseDeleted:
		_ = f.leases.Delete(context.Background(), name, metav1.DeleteOptions{})
		f.latest[w.node] = nil
	case nodeDeleted:
		_ = f.nodes.Delete(context.Background(), name, metav1.DeleteOptions{})
	case nodeCreated:
		f.observer.heard(name)
		_, _ = f.nodes.Create(context.Background(), f.created(w), metav1.CreateOptions{})
	default:
		f.change(w)
	}
}

// renew writes a Lease, creating it where there is none.
func (f *feed) renew(w *Write) {
	renewed := metav1.MicroTime{Time: time.Unix(0, w.renewTime).UTC()}
	if w.renewTime == 0 {
		renewed.Time = f.recording.Start.Add(w.At())
	}
	name := f.recording.names[w.node]
	f.observer.heard(name)
	if current := f.latest[w.node]; current != nil {
		next := *current
		next.Spec.RenewTime = &renewed
		if got, err := f.leases.Update(context.Background(), &next, metav1.UpdateOptions{}); err == nil {
			f.latest[w.node] = got
			return
		}
	}
	fresh := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: lease.Namespace}}
	fresh.Spec.HolderIdentity, fresh.Spec.RenewTime = &name, &renewed
	f.latest[w.node], _ = f.leases.Create(context.Background(), fresh, metav1.CreateOptions{})
}

// correct has a living kubelet put its node right where the recorded one had no
// reason to.
func (f *feed) correct(w *Write) {
	name := f.recording.names[w.node]
	if f.observer.ready(name) != string(corev1.ConditionUnknown) {
		return
	}
	now, c := f.host.Engine().Now().Duration(), &f.corrections[w.node]
	if f.blind(name, now) {
		return
	}
	for c.next < len(c.at) && c.at[c.next] < now {
		c.next++
	}
	if c.next < len(c.at) && c.at[c.next] <= now+f.statusPeriod {
		return
	}
	stamp := metav1.Time{Time: f.host.Now()}
	f.updateStatus(name, func(status *corev1.NodeStatus) {
		setConditions(status, f.reported[w.node], stamp, stamp)
	})
}

// blind tells whether the kubelet of a node does not see its Node at that time.
func (f *feed) blind(node string, at time.Duration) bool {
	for _, b := range f.blinds[node] {
		if at >= b.From && at < b.To {
			return true
		}
	}
	return false
}

// change puts a write of a node that is there.
func (f *feed) change(w *Write) {
	name, node := f.recording.names[w.node], w.write
	switch {
	case node.report:
		f.observer.heard(name)
		f.report(w, name)
	case node.kind == nodeStatusWritten && node.delta != nil:
		others := foreignConditions(node.delta.Conditions)
		if len(others) == 0 {
			return
		}
		stamp := metav1.Time{Time: f.host.Now()}
		f.updateStatus(name, func(status *corev1.NodeStatus) { setConditions(status, others, stamp, stamp) })
	case node.delta != nil:
		current, err := f.nodes.Get(context.Background(), name, metav1.GetOptions{})
		if err != nil {
			return
		}
		next := current.DeepCopy()
		node.delta.writeSpec(next)
		next.ResourceVersion = ""
		_, _ = f.nodes.Update(context.Background(), next, metav1.UpdateOptions{})
	}
}

// report posts what a kubelet said of its node: as the recording has it, a
// condition whose status it left alone stays what it is here.
func (f *feed) report(w *Write, name string) {
	node := w.write
	heartbeat, transition := metav1.Time{Time: f.host.Now()}, metav1.Time{Time: f.host.Now()}
	if node.heartbeat != 0 {
		heartbeat.Time = time.Unix(node.heartbeat, 0).UTC()
	}
	if node.transition != 0 {
		transition.Time = time.Unix(node.transition, 0).UTC()
	}
	conditions := healthy()
	if node.delta != nil {
		conditions = node.delta.Conditions
	}
	f.reported[w.node] = withReported(f.reported[w.node], conditions)
	f.updateStatus(name, func(status *corev1.NodeStatus) { setConditions(status, conditions, heartbeat, transition) })
}

func (f *feed) updateStatus(name string, change func(*corev1.NodeStatus)) {
	current, err := f.nodes.Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		return
	}
	next := current.DeepCopy()
	change(&next.Status)
	next.ResourceVersion = ""
	_, _ = f.nodes.UpdateStatus(context.Background(), next, metav1.UpdateOptions{})
}

// created is the node that a recorded write made. One whose object is not in
// the log begins as kubelets begin: not ready.
func (f *feed) created(w *Write) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: f.recording.names[w.node]}}
	stamp := metav1.Time{Time: f.host.Now()}
	conditions := withReported(healthy(), []conditionDelta{{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady"}})
	if w.write.delta != nil {
		conditions = w.write.delta.Conditions
		w.write.delta.writeSpec(node)
	}
	f.reported[w.node] = withReported(healthy(), conditions)
	setConditions(&node.Status, conditions, stamp, stamp)
	return node
}

// node is a node that was there before the log began, and was well.
func (f *feed) node(i uint32, labels map[string]string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: f.recording.names[i], Labels: labels}}
	stamp := metav1.Time{Time: f.host.Now()}
	setConditions(&node.Status, f.reported[i], stamp, stamp)
	return node
}

// settle makes the nodes what they were when the log began: not all were well.
// It comes after the first pass of the controller. One that starts takes the
// taints off every node, and puts them on again; the recorded one had started
// long ago.
func (f *feed) settle() {
	for i, begun := range f.recording.begun {
		if !begun.present || f.touched[i] || begun.state.Ready == corev1.ConditionTrue && len(begun.state.Taints) == 0 {
			continue
		}
		node := f.node(uint32(i), begun.state.Labels)
		node.Spec.Taints = begun.state.Taints
		stamp := metav1.Time{Time: f.host.Now()}
		switch begun.state.Ready {
		case corev1.ConditionFalse:
			f.reported[i] = withReported(f.reported[i], []conditionDelta{{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady"}})
			setConditions(&node.Status, f.reported[i], stamp, stamp)
		case corev1.ConditionUnknown:
			setConditions(&node.Status, unknown(), stamp, stamp)
		}
		f.server.Put(node)
	}
}
