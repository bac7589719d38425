package scenario

import (
	"errors"

	"github.com/holter-sim/holter/heartbeat/kubelet"
)

// storageErrorAction has a node's kubelet fail to see to its storage, as with a
// CSI driver that cannot be registered: the node is not ready for as long.
type storageErrorAction struct{ node string }

func (a storageErrorAction) verb() string     { return "storageError" }
func (a storageErrorAction) nodes() []string  { return []string{a.node} }
func (a storageErrorAction) describe() string { return "" }

// errStorage is what the Ready condition then says.
var errStorage = errors.New("error updating CSINode annotation")

func (a storageErrorAction) begin(c *Cluster) func() {
	return c.eachNode(a.node, func(n *Node) func() {
		return n.holdInput(&n.ailing().storageError, func(in *kubelet.Inputs, held bool) {
			in.StorageError = nil
			if held {
				in.StorageError = errStorage
			}
		})
	})
}
