package registry

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOursAnswersAsUpstream puts every case to upstream's registries and to our
// server. Whatever differs is accepted with a reason, or fails.
func TestOursAnswersAsUpstream(t *testing.T) {
	oracle, ours := startOracle(t), NewOurs()
	t.Cleanup(ours.Close)
	judge := newJudge(slices.Concat(acceptedOfOurs, lackingInOurs))
	for _, table := range tables {
		for i := range table.cases {
			c := &table.cases[i]
			answers, err := c.run(ours)
			require.NoError(t, err, "%s: %s", table.topic, c.name)
			ask := func() []difference {
				theirs, err := c.run(oracle)
				require.NoError(t, err, c.name)
				return judge.compare(table.topic, c, theirs, answers)
			}
			found := ask()
			if len(found) > 0 && c.watches() {
				oracle.Patiently(func() { found = ask() })
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
