package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// leafPath is a path that Set takes and that has nothing below it.
type leafPath struct {
	field string
	typ   reflect.Type
}

// leafPaths lists those of a scenario, in order.
func leafPaths(s *Scenario) []leafPath {
	var paths []leafPath
	collectLeafPaths(reflect.ValueOf(s.Spec), "", &paths)
	return paths
}

func collectLeafPaths(v reflect.Value, path string, paths *[]leafPath) {
	switch t := v.Type(); {
	case t == reflect.TypeFor[*When]():
		*paths = append(*paths, leafPath{path, t}, leafPath{path + ".from", reflect.TypeFor[Duration]()}, leafPath{path + ".to", reflect.TypeFor[Duration]()})
	case t.Kind() == reflect.Pointer && len(inputFields(t.Elem())) > 0:
		collectLeafPaths(reflect.Zero(t.Elem()), path, paths)
	case len(inputFields(t)) > 0:
		for _, f := range inputFields(t) {
			collectLeafPaths(v.FieldByIndex(f.index), inputJoin(path, f.name), paths)
		}
	case t.Kind() == reflect.Slice:
		for i := range v.Len() {
			collectLeafPaths(v.Index(i), fmt.Sprintf("%s[%d]", path, i), paths)
		}
	case t.Kind() == reflect.Map:
		*paths = append(*paths, leafPath{path + ".example.com/tier", t.Elem()})
	default:
		*paths = append(*paths, leafPath{path, t})
	}
}

// sample gives a value of the leaf's type that is not its zero.
func (p leafPath) sample() string {
	t := p.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[Duration](), t == reflect.TypeFor[When]():
		return "17s"
	case t.Kind() == reflect.Bool:
		return "true"
	case t == reflect.TypeFor[ManagerRestartFault]():
		return "{}"
	}
	return "17"
}

// draw gives any value of the leaf's type, as a user would write it.
func (p leafPath) draw(t *rapid.T) string {
	typ := p.typ
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	duration := func(label string) string { return time.Duration(rapid.Int64().Draw(t, label)).String() }
	switch {
	case typ == reflect.TypeFor[Duration]():
		return duration("duration")
	case typ == reflect.TypeFor[When]():
		if rapid.Bool().Draw(t, "range") {
			return "{from: " + duration("from") + ", to: " + duration("to") + "}"
		}
		return duration("at")
	case typ == reflect.TypeFor[ManagerRestartFault]():
		return "{}"
	}
	switch typ.Kind() {
	case reflect.String:
		return strings.Map(func(r rune) rune {
			if isPlainText(string(r)) {
				return r
			}
			return -1
		}, rapid.String().Draw(t, "text"))
	case reflect.Bool:
		return strconv.FormatBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Float32:
		return formatRate(rapid.Float32().Draw(t, "number"))
	case reflect.Uint64:
		return strconv.FormatUint(rapid.Uint64().Draw(t, "number"), 10)
	case reflect.Int32:
		return strconv.FormatInt(int64(rapid.Int32().Draw(t, "number")), 10)
	}
	return strconv.FormatInt(rapid.Int64().Draw(t, "number"), 10)
}

// valueAt follows a path that Set took.
func valueAt(s *Scenario, path string) any {
	v := reflect.ValueOf(s.Spec)
	for path != "" {
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		path = strings.TrimPrefix(path, ".")
		if v.Kind() == reflect.Map {
			return v.MapIndex(reflect.ValueOf(path)).Interface()
		}
		if path[0] == '[' {
			index, rest, _ := strings.Cut(path[1:], "]")
			i, _ := strconv.Atoi(index)
			v, path = v.Index(i), rest
			continue
		}
		end := strings.IndexAny(path+".", ".[")
		fields := inputFields(v.Type())
		at := slices.IndexFunc(fields, func(f inputField) bool { return f.name == path[:end] })
		v, path = v.FieldByIndex(fields[at].index), path[end:]
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v.Interface()
}

func TestSetOfEveryLeafRoundTripsThroughYAML(t *testing.T) {
	paths := leafPaths(loadFull(t))
	require.Greater(t, len(paths), 400)
	for _, p := range paths {
		if p.field == "kubeletConfigFile" {
			continue
		}
		s := loadFull(t)
		require.NoError(t, s.Set(p.field, p.sample()), p.field)
		requireRoundTrip(t, s, p.field)
	}
}

func TestSetOfAnyValueRoundTripsThroughYAML(t *testing.T) {
	paths := slices.DeleteFunc(leafPaths(loadFull(t)), func(p leafPath) bool { return p.field == "kubeletConfigFile" })
	rapid.Check(t, func(rt *rapid.T) {
		s := loadFull(t)
		for range rapid.IntRange(1, 4).Draw(rt, "sets") {
			p := rapid.SampledFrom(paths).Draw(rt, "path")
			value := p.draw(rt)
			if err := s.Set(p.field, value); err != nil {
				rt.Fatalf("%s=%q: %v", p.field, value, err)
			}
			requireRoundTrip(rt, s, p.field)
		}
	})
}

func requireRoundTrip(t require.TestingT, s *Scenario, path string) {
	text, err := s.YAML()
	require.NoError(t, err, path)
	again, _, err := Decode(text, "again.yaml")
	require.NoError(t, err, path)
	requireSameScenario(t, s, again, path)
	require.Equal(t, valueAt(s, path), valueAt(again, path), path)
}

func TestSetReachesWhatItNames(t *testing.T) {
	for path, value := range map[string]string{
		"kubernetesVersion": "1.36",
		"seed":              "3",
		"controllerManager.node-monitor-grace-period": "40s",
		"kubelet.nodeStatusUpdateFrequency":           "5s",
		"nodes[0].count":                              "5",
		"nodes[1].labels.topology.example.com/rack":   "r1",
		"network.latency.p50":                         "9ms",
		"faults[0].at.to":                             "15m",
		"expect[0].within[1]":                         "2m",
		"spec.duration":                               "10m",
	} {
		s := loadFull(t)
		require.NoError(t, s.Set(path, value), path)
		require.Equal(t, value, fmt.Sprint(valueAt(s, strings.TrimPrefix(path, "spec."))), path)
	}
}

func TestSetTakesListsMappingsAndNull(t *testing.T) {
	s := loadFull(t)
	require.NoError(t, s.Set("kubeletFlags", `["--node-status-update-frequency=7s"]`))
	require.NoError(t, s.Set("kubelet", "{nodeLeaseDurationSeconds: 20}"))
	require.NoError(t, s.Set("controllerManager.node-monitor-period", "null"))
	require.NoError(t, s.Set("faults", "null"))
	require.NoError(t, s.Set("expect", "[]"))
	e, err := s.Effective()
	require.NoError(t, err)
	require.Equal(t, 7*time.Second, e.Kubelet.NodeStatusUpdateFrequency)
	require.Equal(t, 5*time.Second, e.Kubelet.RenewInterval)
	require.Equal(t, defaultNodeMonitorPeriod, e.ControllerManager.NodeMonitorPeriod)
	require.Empty(t, s.Spec.Faults)
	require.NoError(t, s.Validate())
}

func TestSetOfOneEndMakesARange(t *testing.T) {
	s := loadFull(t)
	require.NoError(t, s.Set("faults[1].at.from", "10s"))
	require.NoError(t, s.Set("faults[1].at.to", "20s"))
	require.Equal(t, When{From: Duration{10 * time.Second}, To: Duration{20 * time.Second}}, *s.Spec.Faults[1].At)
	require.NoError(t, s.Set("faults[1].at", "5s"))
	require.Equal(t, When{At: Duration{5 * time.Second}}, *s.Spec.Faults[1].At)
}

func TestSetOfOneFormOfADistributionReplacesTheOthers(t *testing.T) {
	ms := func(n time.Duration) Duration { return Duration{n * time.Millisecond} }
	for _, c := range []struct {
		sets [][2]string
		want DistSpec
	}{
		{[][2]string{{"fixed", "5ms"}}, DistSpec{Fixed: new(ms(5))}},
		{[][2]string{{"p50", "2ms"}, {"p99", "9ms"}, {"fixed", "5ms"}}, DistSpec{Fixed: new(ms(5))}},
		{[][2]string{{"fixed", "5ms"}, {"from", "1ms"}, {"to", "2ms"}}, DistSpec{From: ms(1), To: ms(2)}},
		{[][2]string{{"from", "1ms"}, {"to", "2ms"}, {"p99", "9ms"}, {"p50", "3ms"}}, DistSpec{P50: ms(3), P99: ms(9)}},
		{[][2]string{{"p50", "3ms"}, {"histogram", "[{le: 9ms, count: 4}]"}}, DistSpec{Histogram: []HistogramBucket{{ms(9), 4}}}},
		{[][2]string{{"histogram", "[{le: 9ms, count: 4}]"}, {"fixed", "5ms"}}, DistSpec{Fixed: new(ms(5))}},
	} {
		s := small(t, "network: {latency: {p50: 2ms, p99: 10ms}}", "faults: [{at: 1s, for: 5s, latency: {from: 1ms, to: 2ms, verbs: [get]}}]")
		for _, set := range c.sets {
			require.NoError(t, s.Set("network.latency."+set[0], set[1]))
			require.NoError(t, s.Set("faults[0].latency."+set[0], set[1]))
		}
		require.Equal(t, c.want, s.Spec.Network.Latency)
		require.Equal(t, c.want, s.Spec.Faults[0].Latency.DistSpec)
		require.Equal(t, []string{"get"}, s.Spec.Faults[0].Latency.Verbs)
		require.NoError(t, s.Validate())
	}
}

func TestSetOfTheKubeletConfigFileReadsIt(t *testing.T) {
	s, _, err := Decode([]byte("apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec: {duration: 1m, nodes: [{}]}"), fullInput)
	require.NoError(t, err)
	require.NoError(t, s.Set("kubeletConfigFile", "kubelet.yaml"))
	e, err := s.Effective()
	require.NoError(t, err)
	require.Equal(t, 8*time.Second, e.Kubelet.NodeStatusUpdateFrequency)
	require.NoError(t, s.Set("kubeletConfigFile", ""))
	e, err = s.Effective()
	require.NoError(t, err)
	require.Equal(t, defaultNodeStatusUpdateFrequency, e.Kubelet.NodeStatusUpdateFrequency)
}

func TestBadSetIsAnsweredWithOneClearLineAndChangesNothing(t *testing.T) {
	for _, c := range []struct{ path, value, answer string }{
		{"", "1", `--set: "" is no path; accepted: a path from the scenario's spec, as in kubelet.nodeStatusUpdateFrequency`},
		{"sede", "1", `spec: unknown field "sede", did you mean seed?; accepted: kubernetesVersion, requires, seed, duration, kubelet, kubeletConfigFile, kubeletConfig, kubeletFlags, controllerManager, controllerManagerFlags, apiServer, model, nodes, pods, workloads, network, faults, expect`},
		{"nodeStatusUpdateFrequency", "5s", `spec: unknown field "nodeStatusUpdateFrequency", did you mean kubelet.nodeStatusUpdateFrequency?; accepted: kubernetesVersion, requires, seed, duration, kubelet, kubeletConfigFile, kubeletConfig, kubeletFlags, controllerManager, controllerManagerFlags, apiServer, model, nodes, pods, workloads, network, faults, expect`},
		{"kubelet.nodeStatusUpdateFreqency", "5s", `spec.kubelet: unknown field "nodeStatusUpdateFreqency", did you mean nodeStatusUpdateFrequency?; accepted: nodeStatusUpdateFrequency, nodeStatusReportFrequency, nodeLeaseDurationSeconds, registerNode, nodeStatusMaxImages, kubeAPIQPS, kubeAPIBurst, eventRecordQPS, eventBurst, rotateCertificates, featureGates`},
		{"kubelet.maxPods", "5", `spec.kubelet.maxPods: "maxPods" is a field of KubeletConfiguration that is not modelled; setting it would change nothing; accepted: nodeStatusUpdateFrequency, nodeStatusReportFrequency, nodeLeaseDurationSeconds, registerNode, nodeStatusMaxImages, kubeAPIQPS, kubeAPIBurst, eventRecordQPS, eventBurst, rotateCertificates, featureGates`},
		{"kubelet.nodeStatusUpdateFrequency", "5", `spec.kubelet.nodeStatusUpdateFrequency: "5" is a number without a unit; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`},
		{"kubelet.nodeStatusUpdateFrequency", "", `spec.kubelet.nodeStatusUpdateFrequency: "" cannot be read; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`},
		{"seed", "1-10", `spec.seed: "1-10" is no whole number; accepted: a whole number from 0 to 18446744073709551615`},
		{"seed", "null", `spec.seed: "null" is no whole number; accepted: a whole number from 0 to 18446744073709551615`},
		{"seed.x", "1", `spec.seed.x: "spec.seed.x" is no field: spec.seed is a whole number; accepted: spec.seed`},
		{"nodes[3].count", "1", `spec.nodes: "spec.nodes[3].count" is no entry of the list; accepted: spec.nodes[0] to spec.nodes[2]`},
		{"nodes.count", "1", `spec.nodes: "spec.nodes.count" is no entry of the list; accepted: spec.nodes[0] to spec.nodes[2]`},
		{"nodes[0]count", "1", `spec.nodes: "spec.nodes[0]count" is no path; accepted: spec.nodes[0] to spec.nodes[2]`},
		{"nodes[0].labels", "x", `spec.nodes[0].labels: is "x"; accepted: a mapping of names to texts, without control characters`},
		{"faults[0].at.form", "1s", `spec.faults[0].at: "spec.faults[0].at.form" is no field; accepted: spec.faults[0].at, spec.faults[0].at.from, spec.faults[0].at.to`},
		{"faults[0].kill.node", "\xff", `spec.faults[0].kill.node: "\xff" is no text; accepted: text without control characters`},
		{"kubeletConfigFile", "absent.yaml", `spec.kubeletConfigFile: "absent.yaml" cannot be read: no such file or directory; accepted: the path of a KubeletConfiguration file, relative to the scenario's`},
	} {
		s := loadFull(t)
		err := s.Set(c.path, c.value)
		requireInputError(t, err)
		require.Equal(t, c.answer, err.Error())
		requireSameScenario(t, loadFull(t), s, c.path)
	}
}

func TestComplaintsAboutWhatWasSetNameNoLine(t *testing.T) {
	s := loadFull(t)
	require.NoError(t, s.Set("faults[0].kill.node", "node-9"))
	require.EqualError(t, s.Validate(), `spec.faults[0].kill.node: "node-9" is no node of this scenario; accepted: node-0, node-1, node-2, node-3, node-4, edge-0, *`)
}
