// Package heartbeat holds the logic under test: what a kubelet does to be
// seen alive and what the control plane does when it is not.
//
// The code mirrors upstream's, function by function and in its order, so that
// the two can be read side by side. It differs in one thing only: whatever it
// waits on or draws from comes from a [Host], and whatever it asks of an API
// server goes through the narrow client interfaces of this package, which
// client-go's typed clients satisfy as they are. It knows nothing of the
// simulator.
//
//	kubelet        one node: registration, status loop, setters, runtime state
//	lease          the loop that renews the node's Lease
//	informer       list, watch, resume and backoff: what a component knows, and when
//	nodelifecycle  the controller that calls a node Unknown and taints it
//	events         the recorder behind Kubernetes Events
package heartbeat
