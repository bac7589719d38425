package scenario

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	configHeader = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
	smallHeader  = "apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: small}\n"
	smallSpec    = smallHeader + "spec:\n  duration: 5m\n  nodes: [{count: 3}]\n"
)

// small gives a scenario of three nodes with some more of a spec.
func small(t testing.TB, spec ...string) *Scenario {
	t.Helper()
	text := smallSpec
	for _, line := range spec {
		text += "  " + line + "\n"
	}
	s, _, err := Decode([]byte(text), "small.yaml")
	require.NoError(t, err)
	return s
}

func warningLines(warnings []Warning) []string {
	var lines []string
	for _, w := range warnings {
		lines = append(lines, w.String())
	}
	return lines
}

func TestKubeletConfigFileIsReadLenientlyWithAWarningForEachUnknownField(t *testing.T) {
	text, err := os.ReadFile("testdata/input/kubelet.yaml")
	require.NoError(t, err)
	c, bad := parseKubeletConfig(string(text), "kubelet.yaml")
	require.Nil(t, bad)
	require.Equal(t, []string{
		"kubelet.yaml:2: authentication.webhook.cachTTL: the kubelet knows no such field and ignores it",
		"kubelet.yaml:24: featureGates: these feature gates are not modelled; each has its default here: GracefulNodeShutdown",
		"kubelet.yaml:44: NodeLeaseDurationSeconds: the kubelet knows no such field and ignores it, did you mean nodeLeaseDurationSeconds?",
		"kubelet.yaml:45: nodeStatusUpdateFrequncy: the kubelet knows no such field and ignores it, did you mean nodeStatusUpdateFrequency?",
		"kubelet.yaml:46: dynamicConfigDir: the kubelet knows no such field and ignores it",
		"kubelet.yaml:47: nodeStatusUpdateFrequency: is written a second time, the first is in line 43; the last one counts",
	}, warningLines(c.warnings))
	require.Equal(t, 8*time.Second, c.spec.NodeStatusUpdateFrequency.Duration, "the last of the two counts")
	require.Nil(t, c.spec.NodeStatusReportFrequency, "0s is not set")
	require.Nil(t, c.spec.NodeLeaseDurationSeconds, "another case is another field")
}

func TestKubeletConfigValuesThatStopTheKubeletAreErrors(t *testing.T) {
	for line, answer := range map[string]string{
		"nodeStatusUpdateFrequency: 10":          `k.yaml:3: nodeStatusUpdateFrequency: "10" is a number without a unit; the kubelet does not start with it; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`,
		`nodeStatusReportFrequency: "5 min"`:     `k.yaml:3: nodeStatusReportFrequency: "5 min" is no duration; the kubelet does not start with it; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`,
		"nodeStatusUpdateFrequency: {a: b}":      `k.yaml:3: nodeStatusUpdateFrequency: is a mapping; the kubelet does not start with it; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`,
		`nodeLeaseDurationSeconds: "40"`:         `k.yaml:3: nodeLeaseDurationSeconds: "40" is text, and does not fit this field; the kubelet does not start with it; accepted: a whole number`,
		"nodeLeaseDurationSeconds: 4.5":          `k.yaml:3: nodeLeaseDurationSeconds: "4.5" does not fit this field; the kubelet does not start with it; accepted: a whole number`,
		"registerNode: maybe":                    `k.yaml:3: registerNode: "maybe" is text, and does not fit this field; the kubelet does not start with it; accepted: a boolean`,
		"clusterDNS: 10.96.0.10":                 `k.yaml:3: clusterDNS: "10.96.0.10" is text, and does not fit this field; the kubelet does not start with it; accepted: a list`,
		"nodeStatusUpdateFrequency:":             `k.yaml:3: nodeStatusUpdateFrequency: is empty; the kubelet does not start with it; accepted: a duration with its unit, as in 10s, 250ms or 1m30s`,
		"a: b: c":                                `k.yaml:3: is not YAML: mapping values are not allowed in this context`,
		"nodeLeaseDurationSeconds: [1":           `k.yaml:2: is not YAML: did not find expected ',' or ']'`,
		"nodeLeaseDurationSeconds: 123456789012": `k.yaml:3: nodeLeaseDurationSeconds: "123456789012" does not fit this field; the kubelet does not start with it; accepted: a whole number`,
	} {
		_, err := parseKubeletConfig(configHeader+line+"\n", "k.yaml")
		require.Len(t, err, 1, line)
		require.Equal(t, answer, err[0].Error())
	}
}

func TestAllThatStopsTheKubeletIsToldInTheWordsOfYAML(t *testing.T) {
	_, problems := parseKubeletConfig(configHeader+`maxPods: many
nodeStatusUpdateFrequency: 10
authentication: {webhook: {enabled: "yes"}}
evictionHard: [x]
registerWithTaints: [{key: 5}]
cpuCFSQuotaPeriod: [1]
nodeLeaseDurationSeconds: -1
`, "k.yaml")
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.Error())
	}
	const stops = "; the kubelet does not start with it; accepted: "
	require.Equal(t, []string{
		`k.yaml:3: maxPods: "many" is text, and does not fit this field` + stops + `a whole number`,
		`k.yaml:4: nodeStatusUpdateFrequency: "10" is a number without a unit` + stops + `a duration with its unit, as in 10s, 250ms or 1m30s`,
		`k.yaml:5: authentication.webhook.enabled: is a text` + stops + `a boolean`,
		`k.yaml:6: evictionHard: is a list` + stops + `a mapping of texts`,
		`k.yaml:7: registerWithTaints.key: is a number` + stops + `a text`,
		`k.yaml:8: cpuCFSQuotaPeriod: is a list` + stops + `a duration with its unit, as in 10s, 250ms or 1m30s`,
	}, lines)

	s := small(t, "kubeletConfig: "+strconv.Quote(configHeader+"maxPods: many\nregisterNode: maybe\nnodeLeaseDurationSeconds: -1\n"))
	require.Len(t, s.Problems(), 3, "with what the kubelet can read and does not take")
}

func TestKubeletConfigIsReadAsTheKubeletReadsIt(t *testing.T) {
	for claim, c := range map[string]struct {
		text string
		want KubeletSpec
	}{
		"yes is a boolean there":            {"registerNode: yes\n", KubeletSpec{RegisterNode: new(true)}},
		"only the first document counts":    {"nodeLeaseDurationSeconds: 20\n---\nnodeLeaseDurationSeconds: 60\n", KubeletSpec{NodeLeaseDurationSeconds: new(int32(20))}},
		"null is not set":                   {"nodeLeaseDurationSeconds:\nregisterNode:\n", KubeletSpec{}},
		"0 as text is a duration, not set":  {"nodeStatusUpdateFrequency: \"0\"\n", KubeletSpec{}},
		"a lease duration of 0 is not set":  {"nodeLeaseDurationSeconds: 0\n", KubeletSpec{}},
		"what is not modelled says nothing": {"maxPods: 250\nevictionHard: {memory.available: 5%}\n", KubeletSpec{}},
	} {
		read, err := parseKubeletConfig(configHeader+c.text, "k.yaml")
		require.Empty(t, err, claim)
		require.Equal(t, c.want, read.spec, claim)
	}
}

func TestKubeletConfigInJSONIsRead(t *testing.T) {
	read, err := parseKubeletConfig(`{"kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1","nodeStatusUpdateFrequency":"4s"}`, "k.json")
	require.Empty(t, err)
	require.Equal(t, 4*time.Second, read.spec.NodeStatusUpdateFrequency.Duration)
}

func TestByteOrderMarkOfAKubeletConfigFileIsNoMatter(t *testing.T) {
	path := t.TempDir() + "/kubelet.yaml"
	require.NoError(t, os.WriteFile(path, []byte("\ufeff"+strings.ReplaceAll(configHeader+"nodeLeaseDurationSeconds: 20\n", "\n", "\r\n")), 0o600))
	s := small(t)
	require.NoError(t, s.Set("kubeletConfigFile", path))
	e, err := s.Effective()
	require.NoError(t, err)
	require.Equal(t, 20*time.Second, e.Kubelet.NodeLeaseDuration)
	requireRoundTrip(t, s, "kubeletConfig")
}

func TestKubeletConfigFileThatIsEmptyIsAnError(t *testing.T) {
	path := t.TempDir() + "/kubelet.yaml"
	require.NoError(t, os.WriteFile(path, []byte("\n"), 0o600))
	err := small(t).Set("kubeletConfigFile", path)
	requireInputError(t, err)
	require.ErrorContains(t, err, "is empty; the kubelet does not start with it")
}

func FuzzParseKubeletConfigNeverPanicsAndAnswersInOneLine(f *testing.F) {
	text, err := os.ReadFile("testdata/input/kubelet.yaml")
	require.NoError(f, err)
	f.Add(string(text))
	f.Add(configHeader + "nodeStatusUpdateFrequency: 10\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, problems := parseKubeletConfig(text, "fuzz.yaml")
		for _, p := range problems {
			require.NotContains(t, p.Error(), "\n")
		}
		if c == nil {
			require.NotEmpty(t, problems)
			return
		}
		for _, w := range c.warnings {
			require.NotContains(t, w.String(), "\n")
		}
	})
}
