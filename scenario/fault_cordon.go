package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/fakeapi"
)

// cordonAction marks a node unschedulable, as kubectl cordon does, and undoes
// it where the fault ends. The node lifecycle controller makes a taint of it.
type cordonAction struct{ node string }

func (a cordonAction) verb() string     { return "cordon" }
func (a cordonAction) nodes() []string  { return []string{a.node} }
func (a cordonAction) describe() string { return "" }

func (a cordonAction) begin(c *Cluster) func() {
	return c.eachNode(a.node, func(n *Node) func() {
		c.patchNode(n.name, `{"spec":{"unschedulable":true}}`)
		return func() { c.patchNode(n.name, `{"spec":{"unschedulable":null}}`) }
	})
}

// patchNode changes a Node as kubectl does. If there is none it has no effect.
func (c *Cluster) patchNode(name, patch string) {
	c.kubectl(name, func(client *fakeapi.Client) {
		_, _ = client.Nodes().Patch(context.Background(), name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	})
}
