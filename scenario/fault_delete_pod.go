package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
)

// DeletePodFault deletes a pod, as kubectl delete pod does.
type DeletePodFault struct {
	Pod       string `json:"pod"`
	Namespace string `json:"namespace"`
	// Force is --force --grace-period=0: no kubelet is waited for.
	Force bool `json:"force,omitempty"`
}

// setDefaults fills in what a fault has before it is read.
func (f *DeletePodFault) setDefaults() { *f = DeletePodFault{Namespace: "default"} }

// deletePodAction asks for a pod's deletion. Without a pod of that name it has
// no effect.
type deletePodAction struct{ *DeletePodFault }

func (a deletePodAction) verb() string    { return "deletePod" }
func (a deletePodAction) nodes() []string { return nil }

func (a deletePodAction) describe() string {
	if a.Force {
		return "pod " + a.Pod + " by force"
	}
	return "pod " + a.Pod
}

func (a deletePodAction) begin(c *Cluster) func() {
	c.kubectl(a.Pod, func(client *fakeapi.Client) {
		options := metav1.DeleteOptions{}
		if a.Force {
			options = *metav1.NewDeleteOptions(0)
		}
		_ = client.Pods(a.Namespace).Delete(context.Background(), a.Pod, options) // kubectl prints it
	})
	return nil
}
