package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/lease"
)

// deleteNodeAction deletes a Node object whose kubelet may still live. The
// garbage collector then deletes the Lease that the Node owned; of that
// controller nothing else is modelled.
type deleteNodeAction struct{ node string }

func (a deleteNodeAction) verb() string     { return "deleteNode" }
func (a deleteNodeAction) nodes() []string  { return []string{a.node} }
func (a deleteNodeAction) describe() string { return "" }

func (a deleteNodeAction) begin(c *Cluster) func() {
	c.eachNode(a.node, func(n *Node) func() { deleteNode(c, n.name); return nil })
	return nil
}

// deleteNode deletes the Node and, as its garbage collector, the Lease it owned.
func deleteNode(c *Cluster, name string) {
	host := c.newHost("kubectl/" + name)
	kubectl := c.server.NewClient(fakeapi.ClientOptions{Host: host, Name: "kubectl", User: "admin", UserAgent: "kubectl"})
	collector := c.server.NewClient(fakeapi.ClientOptions{Host: host, Name: "generic-garbage-collector", User: "system:" + managerName})
	host.Go("delete", func() {
		node, err := kubectl.Nodes().Get(context.Background(), name, metav1.GetOptions{})
		if err != nil {
			return
		}
		if err := kubectl.Nodes().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			return
		}
		leases := collector.Leases(lease.Namespace)
		owned, err := leases.Get(context.Background(), name, metav1.GetOptions{})
		if err != nil || len(owned.OwnerReferences) == 0 || owned.OwnerReferences[0].UID != node.UID {
			return
		}
		_ = leases.Delete(context.Background(), name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &owned.UID}})
	})
}
