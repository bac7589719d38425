package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFaultIsDecodedAsAScenarioHasIt(t *testing.T) {
	s := New("one")
	s.Spec.Nodes = []NodeGroup{{Count: 1, Name: "node"}}
	f, err := s.DecodeFault([]byte("name: cut\npartition: {nodes: [node-0]}\nfor: 90s\n"), "fault.yaml")
	require.NoError(t, err)
	require.Equal(t, "cut", f.Name)
	require.Equal(t, []string{"node-0"}, f.Partition.Nodes)
	require.Equal(t, "1m30s", f.For.String())
	f, err = s.DecodeFault([]byte(`{"kill":{"node":"node-0"}}`), "")
	require.NoError(t, err)
	require.Equal(t, "kill", f.Verb())
}

func TestAFaultThatCannotBeSaysWhereAndWhy(t *testing.T) {
	s := New("one")
	s.Spec.Nodes = []NodeGroup{{Count: 1, Name: "node"}}
	for text, want := range map[string]string{
		"":                                   "fault.yaml: is empty; accepted: a mapping with the verb of a fault, as in kill: {node: node-1}",
		"kill":                               "fault.yaml:1: ",
		"kil: {node: node-0}":                `fault.yaml:1: unknown field "kil", did you mean kill?`,
		"for: 3s":                            "does nothing: its verb is missing",
		"kill:\n  node: node-9":              `fault.yaml:2: kill.node: "node-9" `,
		"at: 3s\nkill: {node: node-0}":       `fault.yaml:1: at: has no place here: a fault that is injected strikes at once; accepted: no field at`,
		"for: -3s\nkill: {node: node-0}":     `fault.yaml:1: for: "-3s" is negative`,
		"kill: {node: node-0}\n---\nname: x": "fault.yaml:2: a second document starts here",
		"kill: [":                            "fault.yaml:1: is not YAML",
		"kill: {node: node-0}, for: 10s":     "fault.yaml: is not YAML: did not find expected key; accepted: braces around fields on one line, as in {kill: {node: node-1}, for: 10s}",
	} {
		_, err := s.DecodeFault([]byte(text), "fault.yaml")
		require.ErrorContains(t, err, want, text)
		require.IsType(t, &InputError{}, err)
	}
}

func FuzzAFaultIsDecodedOrRefusedInOneLine(f *testing.F) {
	for _, text := range []string{"kill: {node: node-0}", "{for: 1s, pause: {node: '*'}}", "at: {from: 1s, to: 2s}\nkill:", "latency: {fixed: 1s}\nfor: 1m", "- kill: {}", "a: &a [*a]", "kill: {node: [}"} {
		f.Add([]byte(text))
	}
	s := New("one")
	s.Spec.Nodes = []NodeGroup{{Count: 1, Name: "node"}}
	f.Fuzz(func(t *testing.T, text []byte) {
		fault, err := s.DecodeFault(text, "fault.yaml")
		if err != nil {
			require.IsType(t, &InputError{}, err)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.NotEmpty(t, fault.Verb())
		require.Nil(t, fault.At)
	})
}
