package conformance

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// traffic is a schedule of requests to all levels of one server. They are about
// nodes: one that is not there, or all of them.
type traffic struct {
	seats   int // of the server
	nodes   int // that are stored
	size    int // of each, more or less
	watches int // of nodes
	sent    []sentRequest
}

type sentRequest struct {
	at, work time.Duration
	user     string
	verb     string // get, list, patch
}

// groups are those that users are in besides authenticated.
var groups = map[string][]string{
	"system:node:node-0": {user.NodesGroup}, "system:node:node-1": {user.NodesGroup}, "tenant": nil,
	"system:serviceaccount:default:operator": {"system:serviceaccounts", "system:serviceaccounts:default"},
	"system:kube-controller-manager":         nil, "admin": {user.SystemPrivilegedGroup},
}

// drawTraffic draws a seed, and not each number: what is drawn one by one is
// small more often than not, and there would be no crowd.
func drawTraffic(t *rapid.T) *traffic {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	users := slices.Sorted(maps.Keys(groups))
	l := &traffic{seats: 7 + r.IntN(100), nodes: 1 + r.IntN(150), size: r.IntN(15_000), watches: r.IntN(200)}
	span, most := time.Duration(1+r.IntN(50))*time.Second, time.Duration(1+r.IntN(2000))*time.Millisecond
	verbs := []string{"get", "list", "patch"}
	for i := range 1 + r.IntN(600) {
		sent := sentRequest{at: time.Duration(r.Int64N(int64(span))), work: time.Duration(r.Int64N(int64(most))), user: users[r.IntN(len(users))], verb: verbs[r.IntN(3)]}
		if i%2 == 0 { // a crowd that comes and goes
			sent.user, sent.at = users[int(sent.at/(span/3+1))%len(users)], sent.at/2
		}
		l.sent = append(l.sent, sent)
	}
	slices.SortFunc(l.sent, func(a, b sentRequest) int { return cmp.Compare(a.at, b.at) })
	return l
}

// TestPriorityAndFairnessServesWhenUpstreamDoes has the API server and the whole
// of upstream's controller, with its configuration by default, take the same
// requests: wide ones, such that linger, and for minutes in which seats are lent.
func TestPriorityAndFairnessServesWhenUpstreamDoes(t *testing.T) {
	recent(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := drawTraffic(rt)
		have, size := l.throughServer(rt)
		var want []time.Duration
		synctest.Test(t, func(*testing.T) { want = l.throughUpstream(size) })
		for i := range want {
			if want[i] != have[i] {
				rt.Fatalf("request %d, %+v: upstream ends it at %v, ours at %v (-1ns: refused)", i, l.sent[i], want[i], have[i])
			}
		}
	})
}

// refusing is an observer that notes how requests end, and keeps those that are
// refused from being tried again.
type refusing struct {
	ends  []time.Duration
	hosts []*sim.Host
}

func (o *refusing) Answered(c *fakeapi.Call) {
	var i int
	if _, err := fmt.Sscan(c.Client, &i); err != nil || o.ends[i] != 0 {
		return
	}
	o.ends[i] = c.Answered.Duration()
	if c.Code == http.StatusTooManyRequests {
		o.ends[i] = refused
		h := o.hosts[i]
		h.Engine().After(0, h.Kill)
	}
}
func (*refusing) Received(*fakeapi.Call)                                 {}
func (*refusing) Changed(_ string, _, _ runtime.Object, _ *fakeapi.Call) {}
func (*refusing) Delivered(_, _ string, _ watch.Event, _ sim.Time)       {}

// throughServer gives when each request is answered, and how large the nodes are.
func (l *traffic) throughServer(t *rapid.T) ([]time.Duration, int64) {
	e := sim.New(sim.Options{Seed: 1})
	defer e.Close()
	o := &refusing{ends: make([]time.Duration, len(l.sent)), hosts: make([]*sim.Host, len(l.sent))}
	s := fakeapi.New(e, fakeapi.Options{Observer: o, FlowControl: &fakeapi.FlowControl{MaxRequestsInflight: l.seats, PriorityAndFairness: true,
		NodeHigh: true, Borrowing: true, ExemptTakesSeats: true, WaitsByDeadline: true, Seats: seatsOf1_37()}})
	size := int64(0)
	for i := range l.nodes {
		name := fmt.Sprintf("node-%03d", i)
		s.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"a": strings.Repeat("a", l.size)}}})
		size += int64(s.Node(name).Size())
	}
	h := e.NewHost("watchers")
	for i := range l.watches {
		c := s.NewClient(fakeapi.ClientOptions{Host: h, Name: fmt.Sprint("watcher-", i), User: "watcher"})
		h.Go("watch", func() { _, _ = c.Nodes().Watch(context.Background(), metav1.ListOptions{ResourceVersion: "1"}) })
	}
	if err := e.RunUntil(0); err != nil {
		t.Fatal(err)
	}
	for i := range l.sent {
		r := &l.sent[i]
		s.Network().Add(fakeapi.Rule{Match: fakeapi.Match{Clients: []string{fmt.Sprint(i)}}, Work: new(sim.Fixed(r.work))})
		h := e.NewHost(fmt.Sprint("sender-", i))
		o.hosts[i] = h
		c := s.NewClient(fakeapi.ClientOptions{Host: h, Name: fmt.Sprint(i), User: r.user, Timeout: time.Hour})
		h.At(sim.Time(r.at), func() { h.Go("request", func() { r.send(c) }) })
	}
	if err := e.RunUntil(sim.Time(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	return o.ends, size / int64(l.nodes)
}

func (r *sentRequest) send(c *fakeapi.Client) {
	ctx, nodes := context.Background(), c.Nodes()
	switch r.verb {
	case "get":
		_, _ = nodes.Get(ctx, "node", metav1.GetOptions{})
	case "list":
		_, _ = nodes.List(ctx, metav1.ListOptions{})
	case "patch":
		_, _ = nodes.Patch(ctx, "node", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	}
}

// throughUpstream is the same for upstream's controller, in a bubble.
func (l *traffic) throughUpstream(size int64) []time.Duration {
	clientset := fake.NewSimpleClientset(defaultLevels()...)
	factory := informers.NewSharedInformerFactory(clientset, 0)
	levels := flowcontrol.New(factory, clientset.FlowcontrolV1(), l.seats)
	stop := make(chan struct{})
	factory.Start(stop)
	synctest.Wait()
	go func() { _ = levels.Run(stop) }()
	synctest.Wait()
	for range l.watches {
		levels.RegisterWatch(l.request(&apirequest.RequestInfo{IsResourceRequest: true, Verb: "watch", Resource: "nodes"}))
	}
	estimator := request.NewWorkEstimator(
		func(string) (storage.Stats, error) {
			return storage.Stats{ObjectCount: int64(l.nodes), EstimatedAverageObjectSizeBytes: size}, nil
		},
		levels.GetInterestedWatchCount, request.DefaultWorkEstimatorConfig(), levels.GetMaxSeats)

	start := time.Now()
	ends := make([]time.Duration, len(l.sent))
	for i := range l.sent {
		r := &l.sent[i]
		go func() {
			time.Sleep(r.at)
			ends[i] = refused
			l.handle(levels, estimator, r, func() {
				time.Sleep(r.work)
				ends[i] = time.Since(start)
			})
		}()
	}
	time.Sleep(2 * time.Minute)
	close(stop)
	factory.Shutdown()
	synctest.Wait()
	return ends
}

// handle is what the filter does with a request.
func (l *traffic) handle(levels flowcontrol.Interface, estimator request.WorkEstimatorFunc, r *sentRequest, serve func()) {
	info := &apirequest.RequestInfo{IsResourceRequest: true, APIVersion: "v1", Verb: r.verb, Resource: "nodes"}
	if r.verb != "list" {
		info.Name = "node"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	var schema, level string
	levels.Handle(ctx,
		flowcontrol.RequestDigest{RequestInfo: info, User: &user.DefaultInfo{Name: r.user, Groups: append([]string{user.AllAuthenticated}, groups[r.user]...)}},
		func(fs *flowcontrolv1.FlowSchema, pl *flowcontrolv1.PriorityLevelConfiguration, _ string) {
			schema, level = fs.Name, pl.Name
		},
		func() request.WorkEstimate { return estimator.EstimateWork(l.request(info), schema, level) },
		nil, serve)
}

func (l *traffic) request(info *apirequest.RequestInfo) *http.Request {
	r, err := http.NewRequestWithContext(apirequest.WithRequestInfo(context.Background(), info), http.MethodGet, "/api/v1/nodes", nil)
	if err != nil {
		panic(err)
	}
	return r
}

// defaultLevels are the objects that a cluster has of itself, with the status
// that the controller would write.
func defaultLevels() []runtime.Object {
	var objects []runtime.Object
	for _, pl := range append(slices.Clone(bootstrap.MandatoryPriorityLevelConfigurations), bootstrap.SuggestedPriorityLevelConfigurations...) {
		objects = append(objects, pl.DeepCopy())
	}
	for _, fs := range append(slices.Clone(bootstrap.MandatoryFlowSchemas), bootstrap.SuggestedFlowSchemas...) {
		fs = fs.DeepCopy()
		fs.Status.Conditions = []flowcontrolv1.FlowSchemaCondition{{
			Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionFalse, Reason: "Found",
			Message: fmt.Sprintf("This FlowSchema references the PriorityLevelConfiguration object named %q and it exists", fs.Spec.PriorityLevelConfiguration.Name),
		}}
		objects = append(objects, fs)
	}
	return objects
}
