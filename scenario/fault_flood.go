package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/fakeapi"
)

// FloodFault is a tenant who sends QPS requests a second, however many are still under way.
type FloodFault struct {
	// User is whom the API server takes the tenant for; by it priority and fairness puts the requests into a flow.
	User     string `json:"user"`
	QPS      int    `json:"qps"`
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
}

// setDefaults fills in what a flood has before it is read.
func (f *FloodFault) setDefaults() {
	*f = FloodFault{User: "tenant", Verb: "patch", Resource: "events"}
}

// mostFloodQPS is one request each virtual millisecond.
const mostFloodQPS = 1000

func floodVerbs() []string     { return []string{"delete", "get", "list", "patch"} }
func floodResources() []string { return []string{"events", "leases", "nodes", "pods"} }

// floodAction sends requests that cost the API server its work and change
// nothing: they are about an object that is not there, or lists.
type floodAction struct{ *FloodFault }

func (a floodAction) verb() string    { return "flood" }
func (a floodAction) nodes() []string { return nil }

func (a floodAction) describe() string {
	return fmt.Sprintf("%d %s %s a second by %s", a.QPS, a.Verb, a.Resource, a.User)
}

func (a floodAction) begin(c *Cluster) func() {
	host := c.newHost("tenant/" + a.User)
	client := c.server.NewClient(fakeapi.ClientOptions{Host: host, Name: host.Name(), User: a.User, UserAgent: "tenant", Timeout: 30 * time.Second})
	send := a.request(client)
	host.Every("flood", time.Second/time.Duration(a.QPS), 0, false, func() {
		host.Go("request", func() { _ = send(context.Background()) }) // what comes of it is in the trace
	})
	return host.Kill
}

// request is one of the flood.
func (a floodAction) request(c *fakeapi.Client) func(context.Context) error {
	switch a.Resource {
	case "leases":
		return floodRequest(c.Leases(metav1.NamespaceDefault), a.Verb)
	case "nodes":
		return floodRequest(c.Nodes(), a.Verb)
	case "pods":
		return floodRequest(c.Pods(metav1.NamespaceDefault), a.Verb)
	default:
		return floodRequest(c.Events(metav1.NamespaceDefault), a.Verb)
	}
}

// floodClient is what the clients of all resources can do.
type floodClient[T, L any] interface {
	Get(context.Context, string, metav1.GetOptions) (T, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (T, error)
}

func floodRequest[T, L any](c floodClient[T, L], verb string) func(context.Context) error {
	const name = "flood"
	return func(ctx context.Context) (err error) {
		switch verb {
		case "get":
			_, err = c.Get(ctx, name, metav1.GetOptions{})
		case "list":
			_, err = c.List(ctx, metav1.ListOptions{})
		case "delete":
			err = c.Delete(ctx, name, metav1.DeleteOptions{})
		case "patch":
			_, err = c.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"flood":"1"}}}`), metav1.PatchOptions{})
		}
		return err
	}
}

// loadFault judges the faults that are about load.
func (v *scenarioValidator) loadFault(f *Fault, at string) {
	switch {
	case f.Webhook != nil:
		v.requestTarget(at, &f.Webhook.RequestTarget)
		if f.Webhook.IsZero() {
			v.add(missingValue(at, ": how long it takes is not given", acceptedDist))
			return
		}
		v.checkDist(at, f.Webhook.DistSpec)
	case f.EtcdReadOnly != nil:
		v.checkOneOf(at+".cause", f.EtcdReadOnly.Cause, "cause of a read-only etcd", []string{EtcdNoSpace, EtcdNoQuorum})
	case f.Flood != nil:
		v.checkCount(at+".qps", f.Flood.QPS, 1, mostFloodQPS)
		v.checkOneOf(at+".verb", f.Flood.Verb, "verb of a flood", floodVerbs())
		v.checkOneOf(at+".resource", f.Flood.Resource, "resource of a flood", floodResources())
		if f.Flood.User == "" || slices.ContainsFunc([]rune(f.Flood.User), func(c rune) bool { return c <= ' ' || c > '~' }) {
			v.add(badValue(at+".user", f.Flood.User, "is no user", "a name without spaces, as in tenant or system:serviceaccount:default:operator"))
		}
	}
}
