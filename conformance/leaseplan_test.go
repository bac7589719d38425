package conformance

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/lease"
)

// drawLeasePlan draws a schedule of two minutes for up to three nodes, each
// with a lease controller of its own.
func drawLeasePlan(r *rapid.T) *plan {
	d := newDraft(r, 2*time.Minute, 300*time.Millisecond)
	for i := range d.number("nodes", 1, 3) {
		d.leaseholder(fmt.Sprintf("node-%d", i))
	}
	nodes := d.clients
	for range d.number("faults", 0, 8) {
		d.leaseFault(pick(d, "node", nodes...))
	}
	return &d.plan
}

// leaseholder adds a node, what is there of it, and when it starts.
func (d *draft) leaseholder(name string) {
	d.clients = append(d.clients, name)
	if exists := d.odds("exists", 60); exists {
		d.add(0, name+" is there", func(s *stage) { s.putNode(name) })
		if d.odds("leased", 50) {
			owned := d.odds("owned", 70)
			d.add(0, fmt.Sprintf("its lease too, owned=%v", owned), func(s *stage) { s.putLease(name, owned) })
		}
	}
	d.add(d.instant("start", time.Millisecond, 12*time.Second), name+" starts", func(s *stage) {
		if h := s.hosts[name]; h.Alive() && h.Incarnation() == 0 { // else it was killed before, and started again
			s.start(name)
		}
	})
}

func (s *stage) putNode(name string) {
	if s.server.Node(name) == nil {
		s.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
}

func (s *stage) putLease(name string, owned bool) {
	obj := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: lease.Namespace}}
	if node := s.server.Node(name); owned && node != nil {
		obj.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name, UID: node.UID}}
	}
	s.server.Put(obj)
}

func (s *stage) removeLease(name string) {
	s.server.Remove(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: lease.Namespace}})
}

func (s *stage) removeNode(name string) {
	s.server.Remove(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// leaseFault draws a fault for one node, or for the server.
func (d *draft) leaseFault(node string) {
	const most = 45 * time.Second
	kinds := []string{"rule", "rule", "rule", "rule", "write", "unlease", "unnode", "node", "server", "pause", "kill"}
	switch pick(d, "fault", kinds...) {
	case "rule":
		d.ruleFor(node, most, []string{"lose request", "lose reply", "respond", "respond", "latency", "partition"},
			[]string{"get", "create", "update"}, []string{"leases", "nodes"})
	case "server":
		d.serverFault(most)
	case "pause":
		d.pauseHost(node, most)
	case "kill":
		d.killHost(node, 0, most)
	default:
		d.otherWriter(node)
	}
}

// pauseHost stops a host for a while, as SIGSTOP does.
func (d *draft) pauseHost(host string, most time.Duration) {
	at := d.instant("at", 0, d.length)
	d.add(at, host+" is paused", func(s *stage) { s.hosts[host].Pause() })
	d.add(at+d.instant("for", 0, most), host+" goes on", func(s *stage) { s.hosts[host].Resume() })
}

// killHost kills a host, and perhaps starts it again.
func (d *draft) killHost(host string, least, most time.Duration) {
	at := d.instant("at", 0, d.length)
	d.add(at, host+" is killed", func(s *stage) {
		s.hosts[host].Kill()
		if s.stop != nil {
			s.stop(host)
		}
	})
	if d.odds("restarted", 70) {
		d.add(at+d.instant("for", least, most), host+" is started again", func(s *stage) {
			if h := s.hosts[host]; !h.Alive() {
				h.Restart()
				s.start(host)
			}
		})
	}
}

// otherWriter has somebody else write the lease or the node, or delete it.
func (d *draft) otherWriter(node string) {
	at := d.instant("at", 0, d.length)
	writes := []struct {
		what string
		do   func(*stage)
	}{
		{"somebody writes the lease of " + node, func(s *stage) {
			if old := s.server.Lease(lease.Namespace, node); old != nil {
				touched := old.DeepCopy()
				touched.Labels = map[string]string{"touched": fmt.Sprint(at.Nanoseconds())}
				s.server.Put(touched)
			}
		}},
		{"the lease of " + node + " is deleted", func(s *stage) { s.removeLease(node) }},
		{node + " is deleted, and its lease", func(s *stage) { s.removeNode(node); s.removeLease(node) }},
		{node + " is created", func(s *stage) { s.putNode(node) }},
	}
	w := pick(d, "write", writes...)
	d.add(at, w.what, w.do)
}

// leaseClient is a kubelet's heartbeat client.
func (s *stage) leaseClient(node string) *fakeapi.Client {
	return s.server.NewClient(fakeapi.ClientOptions{Host: s.hosts[node], Name: node, Timeout: clientTimeout})
}
