package version

// Informer is how components know what they know: client-go tools/cache.
type Informer struct {
	// WatchListInManager: the kube-controller-manager's informers begin with one watch that streams the present state; else
	// with a LIST. Upstream: ControllerManagerOptions.Flags, gate WatchListClient.
	WatchListInManager bool
	// WatchListInKubelet is the same for kubelets. Upstream: client-go features, gate WatchListClient.
	WatchListInKubelet bool
	// Bookmarks: watches ask for bookmarks, so that a quiet one can be resumed. Upstream: Reflector.ListAndWatch.
	Bookmarks bool
	// RelistsAtVersion: a LIST after a watch has failed asks for a state no older than the last seen; before, for any state
	// that the server's cache has, which can be older. Upstream: Reflector.relistResourceVersion.
	RelistsAtVersion bool
	// Backoff: the pause after a failed LIST and watch is 800 ms doubling to 30 s, each up to twice as long; before, 1 s.
	// Upstream: NewReflector.
	Backoff bool
	// RefusedConnection is the pause after a refused connection. It keeps the place of the watch, but for PauseAndList: up to
	// 1.15 the check looks for an error that Go does not return. Upstream: Reflector.watch.
	RefusedConnection Pause
	// BusyKeepsPlace: a 429 is handled like a refused connection; before, like any error, with a LIST. Upstream:
	// Reflector.watch.
	BusyKeepsPlace bool
	// ResetFromFirst: the backoff begins anew two minutes after its first pause; before, two minutes after its last.
	// Upstream: wait.Backoff.DelayWithReset, before NewExponentialBackoffManager.
	ResetFromFirst bool
	// DeletesFirst: where a LIST replaces the state, what is gone is deleted before the rest is taken over; before, after it.
	// Upstream: RealFIFO.Replace, before DeltaFIFO.Replace.
	DeletesFirst bool
}

// Pause is how long a reflector waits.
type Pause string

// Pauses of a reflector.
const (
	PauseAndList    Pause = "that of failures, with a LIST"
	PauseOf1s       Pause = "1s"
	PauseOfItsOwn   Pause = "a backoff of its own"
	PauseOfFailures Pause = "the backoff of failures"
)

// Client is how every component talks to the API server: client-go transport and rest.
type Client struct {
	// HTTP2HealthCheck: a connection on which nothing came for 30 s is pinged, and closed 15 s later if there is no answer;
	// else it lives until TCP gives up. Upstream: apimachinery net.configureHTTP2Transport.
	HTTP2HealthCheck bool
}

// APIServer is how the kube-apiserver treats heartbeats and those who listen: admission, flow control, watch cache.
type APIServer struct {
	// TaintsNewNodes: a Node is created with the taint node.kubernetes.io/not-ready:NoSchedule. Upstream: admission plugin
	// TaintNodesByCondition.
	TaintsNewNodes bool
	// Bookmarks: watches that ask for bookmarks get them. Upstream: gate WatchBookmark.
	Bookmarks bool
	// WatchList: a watch can begin with the present state. Upstream: gate WatchList.
	WatchList bool
	// ConsistentListFromCache: a LIST of the most recent state is served from the watch cache, once that has caught up; before,
	// from etcd. Either way it is the present state that is served, so for the model, which has one store and takes no time to
	// read it, only the seats differ that are believed to do. Upstream: gate of that name.
	ConsistentListFromCache bool
	// PriorityAndFairness: requests wait in queues by flow, heartbeats in those of level "system", or NodeHigh; before, one
	// request too many is answered 429 at once. Upstream: gate APIPriorityAndFairness.
	PriorityAndFairness bool
	// NodeHigh: heartbeats have a level of their own. Upstream: flowcontrol/bootstrap, SuggestedFlowSchemaSystemNodeHigh.
	NodeHigh bool
	// AdaptiveRetryAfter: the Retry-After of a 429 grows from 1 s to 32 s as more are dropped; before, it is 1 s. Upstream:
	// droppedRequestsTracker.
	AdaptiveRetryAfter bool
	// QueueWaitByDeadline: a request waits in its queue for a quarter of its own timeout; before, for 15 s. Upstream:
	// priority-and-fairness.go getRequestWaitContext.
	QueueWaitByDeadline bool
	// Seats: what a request takes of its level.
	Seats Seats
}
