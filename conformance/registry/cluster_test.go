//go:build apiserver

package registry

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func startCluster(t *testing.T) *Cluster {
	t.Helper()
	bin := os.Getenv("HOLTER_APISERVER_BIN")
	require.NotEmpty(t, bin, "HOLTER_APISERVER_BIN is to name the folder with etcd and kube-apiserver: make conformance-apiserver")
	c, err := StartCluster(bin, t.TempDir())
	if c != nil {
		t.Cleanup(c.Close)
	}
	require.NoError(t, err)
	return c
}

// TestTheOracleIsTheRealThing puts every case to the oracle and to a
// kube-apiserver with etcd. What somebody in the background writes to etcd
// moves versions, so a case may be tried again.
func TestTheOracleIsTheRealThing(t *testing.T) {
	oracle, cluster := startOracle(t), startCluster(t)
	judge := newJudge(acceptedOfOracle)
	for _, table := range tables {
		for i := range table.cases {
			c := &table.cases[i]
			var found []difference
			for range 3 {
				theirs, err := c.run(cluster)
				require.NoError(t, err, c.name)
				ours, err := c.run(oracle)
				require.NoError(t, err, c.name)
				if found = judge.compare(table.topic, c, theirs, ours); len(found) == 0 {
					break
				}
			}
			for _, d := range found {
				t.Errorf("%s", d)
			}
		}
	}
	t.Log(strings.Join(judge.summary(), "\n"))
	for _, unused := range judge.unused() {
		t.Errorf("accepted, but the same: %s", unused)
	}
}
