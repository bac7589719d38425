package conformance

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	etcdfeature "k8s.io/apiserver/pkg/storage/feature"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/util/flowcontrol/request"
	featuretesting "k8s.io/component-base/featuregate/testing"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
)

// seatsOf1_37 are the rules of upstreamVersion.
func seatsOf1_37() fakeapi.SeatRules {
	return fakeapi.SeatRules{Lists: true, ListsByName: true, Writes: true, ByLevel: true, InitialEvents: true, LegacyWatches: true, FromCache: true, BySize: true}
}

// asked is a request whose seats are estimated, and what there is to be read.
type asked struct {
	info    apirequest.RequestInfo
	options metav1.ListOptions
	stored  storage.Stats
	watches int
	most    int
}

func drawAsked(t *rapid.T) *asked {
	a := &asked{
		info:    apirequest.RequestInfo{IsResourceRequest: true, Verb: rapid.SampledFrom([]string{"list", "watch", "create", "update", "patch", "delete", "get"}).Draw(t, "verb"), Resource: "pods"},
		watches: rapid.IntRange(0, 500).Draw(t, "watches"),
		most:    rapid.IntRange(0, 120).Draw(t, "most"),
		stored:  storage.Stats{ObjectCount: rapid.Int64Range(0, 3000).Draw(t, "objects"), EstimatedAverageObjectSizeBytes: rapid.Int64Range(0, 20_000).Draw(t, "size")},
		options: metav1.ListOptions{
			Limit:                rapid.SampledFrom([]int64{0, 0, 1, 250, 500, 5000}).Draw(t, "limit"),
			Continue:             rapid.SampledFrom([]string{"", "", "next"}).Draw(t, "continue"),
			ResourceVersion:      rapid.SampledFrom([]string{"", "0", "7"}).Draw(t, "resourceVersion"),
			ResourceVersionMatch: rapid.SampledFrom([]metav1.ResourceVersionMatch{"", "", metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan}).Draw(t, "match"),
			LabelSelector:        rapid.SampledFrom([]string{"", "a=b"}).Draw(t, "selector"),
		},
	}
	if rapid.Bool().Draw(t, "streams") {
		a.options.SendInitialEvents = new(rapid.Bool().Draw(t, "initial"))
	}
	if rapid.IntRange(0, 3).Draw(t, "named") == 0 {
		a.info.Name = "one"
	}
	return a
}

// upstream asks upstream's estimator.
func (a *asked) upstream(t *rapid.T) fakeapi.Seats {
	query := url.Values{}
	for key, value := range map[string]string{
		"continue": a.options.Continue, "resourceVersion": a.options.ResourceVersion, "resourceVersionMatch": string(a.options.ResourceVersionMatch),
		"labelSelector": a.options.LabelSelector,
	} {
		if value != "" {
			query.Set(key, value)
		}
	}
	if a.options.Limit > 0 {
		query.Set("limit", fmt.Sprint(a.options.Limit))
	}
	if s := a.options.SendInitialEvents; s != nil {
		query.Set("sendInitialEvents", fmt.Sprint(*s))
	}
	r, err := http.NewRequestWithContext(apirequest.WithRequestInfo(context.Background(), &a.info), http.MethodGet, "/api/v1/pods?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	estimator := request.NewWorkEstimator(
		func(string) (storage.Stats, error) { return a.stored, nil },
		func(*apirequest.RequestInfo) int { return a.watches },
		request.DefaultWorkEstimatorConfig(),
		func(string) uint64 { return uint64(a.most) })
	e := estimator.EstimateWork(r, "schema", "level")
	return fakeapi.Seats{Initial: int(e.InitialSeats), Final: int(e.FinalSeats), Lingers: e.AdditionalLatency}
}

func (a *asked) ours(rules fakeapi.SeatRules) fakeapi.Seats {
	switch a.info.Verb {
	case "get":
		return fakeapi.Seats{Initial: 1}
	case "list", "watch":
		return rules.OfList(&fakeapi.ListCost{Options: a.options, ByName: a.info.Name != "", Watch: a.info.Verb == "watch",
			Objects: a.stored.ObjectCount, Size: a.stored.EstimatedAverageObjectSizeBytes, Most: a.most})
	}
	return rules.OfWrite(a.watches, a.most)
}

// recentEtcd tells how far it has come, so that lists can wait for the watch cache.
type recentEtcd struct {
	etcdfeature.FeatureSupportChecker
}

func (recentEtcd) Supports(feature storage.Feature) bool {
	return feature == storage.RequestWatchProgress
}

// recent has upstream believe in such an etcd for the time of a test.
func recent(t *testing.T) {
	checker := etcdfeature.DefaultFeatureSupportChecker
	etcdfeature.DefaultFeatureSupportChecker = recentEtcd{checker}
	t.Cleanup(func() { etcdfeature.DefaultFeatureSupportChecker = checker })
}

// TestRequestsTakeTheSeatsThatUpstreamEstimates has upstream's estimator and ours
// judge the same requests, by the size of what is read and, as before v1.34, by
// its count.
func TestRequestsTakeTheSeatsThatUpstreamEstimates(t *testing.T) {
	recent(t)
	for _, bySize := range []bool{true, false} {
		t.Run(fmt.Sprint("by size ", bySize), func(t *testing.T) {
			featuretesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SizeBasedListCostEstimate, bySize)
			rules := seatsOf1_37()
			rules.BySize = bySize
			rapid.Check(t, func(t *rapid.T) {
				a := drawAsked(t)
				if want, have := a.upstream(t), a.ours(rules); want != have {
					t.Fatalf("%s %+v of %+v, %d watches, %d seats at most: upstream's %+v, ours %+v", a.info.Verb, a.options, a.stored, a.watches, a.most, want, have)
				}
			})
		})
	}
}
