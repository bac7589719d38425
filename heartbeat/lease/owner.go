package lease

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
)

// SetNodeOwner returns a function that makes node the owner of a lease that
// has no owner, at the cost of a GET of the node. Upstream:
// pkg/kubelet/util.SetNodeOwnerFunc (v1.36.3).
func SetNodeOwner(nodes heartbeat.NodeClient, node string) func(*coordinationv1.Lease) error {
	return func(lease *coordinationv1.Lease) error {
		if len(lease.OwnerReferences) > 0 {
			return nil
		}
		owner, err := nodes.Get(context.Background(), node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		lease.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1",
			Kind:       "Node",
			Name:       node,
			UID:        owner.UID,
		}}
		return nil
	}
}
