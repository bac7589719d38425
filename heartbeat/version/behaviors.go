package version

// Behaviors is everything that one version does in its own way, with the defaults of its feature gates. What is the same in
// every version of the table is not in it. The zero value is no version's; [Lookup] gives them.
type Behaviors struct {
	Kubelet       Kubelet
	Lease         Lease
	NodeLifecycle NodeLifecycle
	TaintEviction TaintEviction
	PodGC         PodGC
	PodWorkers    PodWorkers
	Informer      Informer
	Client        Client
	APIServer     APIServer
}
