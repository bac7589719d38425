package scenario

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/lease"
)

// writeLeaseAction is a second writer of a node's Lease, as `kubectl annotate`
// in a loop: it costs each renewal in between a conflict, a GET and a second
// PUT.
type writeLeaseAction struct{ *WriteLeaseFault }

func (a writeLeaseAction) verb() string     { return "writeLease" }
func (a writeLeaseAction) nodes() []string  { return []string{a.Node} }
func (a writeLeaseAction) describe() string { return "every " + a.Every.String() }

func (a writeLeaseAction) begin(c *Cluster) func() {
	host := c.newHost("writer/" + a.Node)
	leases := c.server.NewClient(fakeapi.ClientOptions{Host: host, Name: host.Name(), User: "admin", UserAgent: "kubectl"}).Leases(lease.Namespace)
	writes := 0
	host.Every("annotate", a.Every.Duration, 0, false, func() {
		writes++
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"poke":"%d"}}}`, writes)
		// What comes of it is in the trace.
		_, _ = leases.Patch(context.Background(), a.Node, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	})
	return host.Kill
}
