package scenario

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fleet is so many kubelets that started over ten seconds, past registration.
func fleet(b *testing.B, nodes int) *Cluster {
	b.Helper()
	s := New("bench")
	s.Spec.Duration = Duration{time.Hour}
	s.Spec.Nodes = []NodeGroup{{Count: nodes, Name: "node", Start: NodeStart{Spread: Duration{10 * time.Second}}}}
	s.Spec.Network.Latency = DistSpec{P50: Duration{2 * time.Millisecond}, P99: Duration{10 * time.Millisecond}}
	c, err := Build(s, Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := c.RunUntil(30 * time.Second); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	return c
}

// BenchmarkFiveThousandNodes runs 5,000 kubelets on one core with everything
// on: both heartbeats, their informers, the controller with its three watches,
// network latency, trace hash, history and invariants. x-real-time is against
// CPU time, which other work on the machine does not stretch; the split says
// which storey spent it (garbage collection apart).
func BenchmarkFiveThousandNodes(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const virtual = time.Minute
	c := fleet(b, 5000)
	defer c.Close()
	profile := filepath.Join(b.TempDir(), "cpu.pprof")
	out, err := os.Create(profile)
	if err != nil {
		b.Fatal(err)
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		b.Fatal(err)
	}
	before := cpuTime(b)
	b.ResetTimer()
	for range b.N {
		if err := c.RunUntil(c.Now() + virtual); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	cpu := cpuTime(b) - before
	pprof.StopCPUProfile()
	_ = out.Close()
	b.ReportMetric(virtual.Seconds()*float64(b.N)/cpu.Seconds(), "x-real-time")
	for storey, share := range splitByStorey(b, profile) {
		b.ReportMetric(share, "%-"+storey)
	}
}

// BenchmarkBlackHole cuts 100,000 kubelets off for a minute: each holds the
// stack of a hanging renewal then, which is what this measures.
func BenchmarkBlackHole(b *testing.B) {
	for range b.N {
		b.StopTimer()
		c := fleet(b, 100_000)
		before := memory()
		b.StartTimer()
		c.Inject(Fault{Partition: &PartitionFault{Nodes: []string{EveryNode}}, For: Duration{time.Minute}})
		if err := c.RunUntil(c.Now() + 59*time.Second); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		after := memory()
		stats := c.engine.Stats()
		b.ReportMetric(float64(before)/(1<<20), "MiB-before")
		b.ReportMetric(float64(after)/(1<<20), "MiB-black-holed")
		b.ReportMetric(float64(after-before)/100_000, "B/node")
		b.ReportMetric(float64(stats.Processes), "hanging")
		c.Close()
	}
}

// memory is what heap and stacks take after a collection.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// splitByStorey charges each sample of a CPU profile to the innermost of our
// packages on its stack, in percent.
func splitByStorey(b *testing.B, profile string) map[string]float64 {
	b.Helper()
	out, err := exec.Command("go", "tool", "pprof", "-traces", profile).Output()
	if err != nil {
		b.Logf("no split: go tool pprof: %v", err)
		return nil
	}
	spent, total := map[string]time.Duration{}, time.Duration(0)
	for _, sample := range strings.Split(string(out), "-----------+-------------------------------------------------------") {
		lines := strings.Fields(strings.TrimSpace(sample))
		if len(lines) == 0 {
			continue
		}
		cost, err := time.ParseDuration(lines[0])
		if err != nil {
			continue
		}
		spent[storeyOf(sample)] += cost
		total += cost
	}
	shares := map[string]float64{}
	for storey, cost := range spent {
		shares[storey], _ = strconv.ParseFloat(fmt.Sprintf("%.1f", 100*cost.Seconds()/total.Seconds()), 64)
	}
	return shares
}

const modulePrefix = "github.com/holter-sim/holter/"

func storeyOf(sample string) string {
	_, rest, found := strings.Cut(sample, modulePrefix)
	if !found {
		return "gc-and-runtime"
	}
	for _, storey := range []string{"sim", "fakeapi", "heartbeat", "traces", "scenario"} {
		if strings.HasPrefix(rest, storey) {
			return storey
		}
	}
	return "other"
}
