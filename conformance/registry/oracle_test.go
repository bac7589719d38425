package registry

import (
	"flag"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

var schedules = flag.Int("schedules", 100, "how many sequences of requests are drawn")

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.checks", fmt.Sprint(*schedules)); err != nil {
		panic(err)
	}
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

func startOracle(t *testing.T) *Oracle {
	t.Helper()
	o, err := NewOracle()
	require.NoError(t, err)
	t.Cleanup(o.Close)
	return o
}

// TestTheOracleSaysTheSameTwice shows that what an answer is reduced to does not
// depend on clocks, uids, versions or how fast a watch cache is.
func TestTheOracleSaysTheSameTwice(t *testing.T) {
	first, second := startOracle(t), startOracle(t)
	requests := 0
	for _, table := range tables {
		for _, c := range table.cases {
			ask := func() []string {
				a, err := c.run(first)
				require.NoError(t, err, "%s: %s", table.topic, c.name)
				b, err := c.run(second)
				require.NoError(t, err, "%s: %s", table.topic, c.name)
				var found []string
				for i := range a {
					found = append(found, Differences(a[i], b[i])...)
				}
				return found
			}
			found := ask()
			if len(found) > 0 && c.watches() {
				first.Patiently(func() { second.Patiently(func() { found = ask() }) })
			}
			require.Empty(t, found, "%s: %s", table.topic, c.name)
			requests += len(c.steps)
		}
	}
	t.Log(requests, "requests")
	require.GreaterOrEqual(t, requests, 300)
}

// TestNamesOfCasesAreUnique keeps failures findable.
func TestNamesOfCasesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range tables {
		for _, c := range table.cases {
			name := table.topic + ": " + c.name
			require.False(t, seen[name], name)
			seen[name] = true
		}
	}
}

// TestWhatTheOracleSays prints every answer to the file that HOLTER_ANSWERS
// names, for reading; nothing is compared with it.
func TestWhatTheOracleSays(t *testing.T) {
	var out io.Writer = io.Discard
	if name := os.Getenv("HOLTER_ANSWERS"); name != "" {
		file, err := os.Create(name)
		require.NoError(t, err)
		defer file.Close()
		out = file
	}
	o := startOracle(t)
	for _, table := range tables {
		for _, c := range table.cases {
			answers, err := c.run(o)
			require.NoError(t, err, c.name)
			fmt.Fprintf(out, "\n## %s: %s\n", table.topic, c.name)
			for i, a := range answers {
				fmt.Fprintf(out, "%s %.300s\n    %s\n", c.steps[i].Method, c.steps[i].Path, show(a.tree))
			}
		}
	}
}
