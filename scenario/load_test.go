package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

func TestLoadThatCannotBeSaysWhereAndWhy(t *testing.T) {
	for spec, want := range map[string]string{
		"apiServer: {max-requests-inflight: -1}":                                         `spec.apiServer.max-requests-inflight: "-1" is`,
		"apiServer: {max-mutating-requests-inflight: 2000000}":                           `accepted: a whole number from 0, which is no limit, to 1000000`,
		"apiServer: {max-requests-inflight: 0, max-mutating-requests-inflight: 0}":       `spec.apiServer.max-mutating-requests-inflight: "0" leaves no requests to share out by priority and fairness`,
		"apiServer: {work: {fixed: -1s}}":                                                `spec.apiServer.work.fixed: "-1s" is negative`,
		"apiServer: {max-request-inflight: 3}":                                           `did you mean`,
		"network: {latencies: [{verb: post, fixed: 1s}]}":                                `spec.network.latencies[0].verb: "post"`,
		"network: {latencies: [{resource: nodes}]}":                                      `spec.network.latencies[0]: missing: no latency is given`,
		"faults: [{at: 1s, for: 1s, webhook: {verbs: [update]}}]":                        `spec.faults[0].webhook: missing: how long it takes is not given`,
		"faults: [{at: 1s, webhook: {fixed: 1s}}]":                                       `spec.faults[0].for`,
		"faults: [{at: 1s, for: 1s, etcdReadOnly: {cause: full}}]":                       `spec.faults[0].etcdReadOnly.cause: "full"`,
		"faults: [{at: 1s, for: 1s, flood: {qps: 0}}]":                                   `spec.faults[0].flood.qps: "0"`,
		"faults: [{at: 1s, for: 1s, flood: {qps: 1, verb: create}}]":                     `spec.faults[0].flood.verb: "create"`,
		"faults: [{at: 1s, for: 1s, flood: {qps: 1, resource: secrets}}]":                `spec.faults[0].flood.resource: "secrets"`,
		"faults: [{at: 1s, for: 1s, flood: {qps: 1, user: \"a b\"}}]":                    `spec.faults[0].flood.user: "a b" is no user`,
		"kubernetesVersion: \"1.19\"\n  apiServer: {enable-priority-and-fairness: true}": `is not in Kubernetes 1.19`,
	} {
		s, _, err := Decode([]byte("apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: test}\nspec:\n  duration: 3m\n  nodes: [{count: 1}]\n  "+spec+"\n"), "test.yaml")
		if err == nil {
			err = s.Validate()
		}
		require.ErrorContains(t, err, want, spec)
		require.IsType(t, &InputError{}, err, spec)
	}
}

func TestPriorityAndFairnessIsOnFrom120On(t *testing.T) {
	for release, want := range map[string]bool{"1.19": false, "1.20": true, "1.36": true} {
		s := New("test")
		s.Spec.KubernetesVersion = release
		e, err := s.Effective()
		require.NoError(t, err)
		require.Equal(t, want, e.APIServer.PriorityAndFairness, release)
		require.Equal(t, "default "+e.KubernetesVersion, settingOf(t, e, "apiServer.enable-priority-and-fairness").Source)
	}
	s := small(t, "apiServer: {enable-priority-and-fairness: false, max-requests-inflight: 7, work: {p50: 2ms, p99: 9ms}}")
	e, err := s.Effective()
	require.NoError(t, err)
	require.False(t, e.APIServer.PriorityAndFairness)
	require.Equal(t, Setting{Path: "apiServer.max-requests-inflight", Value: "7", Source: "spec.apiServer"}, settingOf(t, e, "apiServer.max-requests-inflight"))
	require.Equal(t, "p50 2ms p99 9ms", settingOf(t, e, "apiServer.work").Value)
	require.NoError(t, s.Set("apiServer.work.fixed", "3ms"))
	e, err = s.Effective()
	require.NoError(t, err)
	require.Equal(t, sim.Fixed(3*time.Millisecond), e.APIServer.Work)
}

func TestLatenciesAreThoseOfTheFirstEntryThatMatches(t *testing.T) {
	s := small(t, "network: {latency: {fixed: 1ms}, latencies: [{verb: update, resource: leases, fixed: 20ms}, {verb: update, fixed: 30ms}, {verb: watch, fixed: 40ms}]}")
	took, lag := map[string]time.Duration{}, time.Duration(0)
	_, err := Run(s, Options{Sinks: []traces.Sink{traces.SinkFunc(func(ev *traces.Event) error {
		switch ev.Kind {
		case traces.KindRequest:
			took[ev.Verb+" "+ev.Resource] = ev.At - ev.Sent
		case traces.KindWatch:
			lag = ev.At - ev.Sent
		}
		return nil
	})}}, nil)
	require.NoError(t, err)
	require.Equal(t, 20*time.Millisecond, took["update leases"])
	require.Equal(t, time.Millisecond, took["get nodes"])
	require.Equal(t, 40*time.Millisecond, lag)
}

func TestAFloodSendsAsOftenAsItSaysAndStops(t *testing.T) {
	first, last, sent := time.Duration(-1), time.Duration(0), 0
	for _, ev := range eventsOf(t, `{count: 1}`, `[{at: 60s, for: 30s, flood: {qps: 10, verb: list, resource: pods}}]`,
		func(ev *traces.Event) bool { return ev.Kind == traces.KindRequest && ev.Actor == "tenant/tenant" }) {
		if first < 0 {
			first = ev.Sent
		}
		last, sent = ev.Sent, sent+1
	}
	require.Equal(t, 60*time.Second, first)
	require.Less(t, last, 90*time.Second)
	require.Equal(t, 300, sent)
}
