package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAGroupOfAnotherVersionHasItsOwnDefaultReportFrequency(t *testing.T) {
	for _, c := range []struct {
		claim string
		set   [][2]string
		want  []time.Duration // of old-0 and new-0
		note  string
	}{
		{"an old kubelet reports every minute", nil, []time.Duration{time.Minute, 5 * time.Minute}, "1m on kubelets of 1.16"},
		{"whatever version the rest is of", [][2]string{{"kubernetesVersion", "1.16"}, {"nodes[1].version", "1.36"}}, []time.Duration{time.Minute, 5 * time.Minute}, "5m on kubelets of 1.36"},
		{"what is set is set for all", [][2]string{{"kubelet.nodeStatusReportFrequency", "2m"}}, []time.Duration{2 * time.Minute, 2 * time.Minute}, ""},
	} {
		s := New("skew")
		s.Spec.Duration = Duration{time.Minute}
		s.Spec.Nodes = []NodeGroup{{Name: "old", Count: 1, Version: "1.16"}, {Name: "new", Count: 1}}
		for _, set := range c.set {
			require.NoError(t, s.Set(set[0], set[1]))
		}
		cluster, err := Build(s, Options{})
		require.NoError(t, err, c.claim)
		defer cluster.Close()
		for i, node := range []string{"old-0", "new-0"} {
			require.Equal(t, c.want[i], cluster.Node(node).config().NodeStatusReportFrequency, "%s: %s", c.claim, node)
		}
		effective, err := s.Effective()
		require.NoError(t, err)
		for _, setting := range effective.Settings {
			if setting.Path == "kubelet.nodeStatusReportFrequency" {
				require.Equal(t, c.note, setting.Note, c.claim)
			}
		}
	}
}

func TestKubeletsWithoutLeasesAreToldOf(t *testing.T) {
	s := New("skew")
	s.Spec.Nodes = []NodeGroup{{Name: "old", Count: 1, Version: "1.13"}, {Name: "new", Count: 1}}
	effective, err := s.Effective()
	require.NoError(t, err)
	notes := map[string]string{}
	for _, setting := range effective.Settings {
		notes[setting.Path] = setting.Note
	}
	require.Equal(t, "no Leases on kubelets of 1.13", notes["kubelet.leaseRenewInterval"])
	require.Equal(t, []string{"1.13", "1.36"}, s.KubeletVersions())
}
