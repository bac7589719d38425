package scenario

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// cause is why the model and the recording differ in some changes: those
// between two times whose text begins so.
type cause struct {
	name     string
	from, to time.Duration
	node     string // "" for each
	what     string
	because  string
}

const (
	stopped = "75 s stop"
	stale   = "stale watches"
)

// causes of what is missed. The recorded controller's own log tells when it
// decided what it could not write.
func missedCauses() []cause {
	second := time.Second
	return []cause{
		{stopped, 1220 * second, 1221 * second, "", "Ready=Unknown", "decided at 1190.672, as here; its PUTs hung, failed and were tried again until the API server went on at 1220.22"},
		{stopped, 1220 * second, 1221 * second, "", "+node.kubernetes.io/unreachable:NoSchedule", "follows from the Unknown, which came 29.6 s earlier here"},
		{stale, 1365 * second, 1366 * second, "", "Ready=Unknown", "no Lease seen since the kill at 1320.23; renewed since 1348.67, but the watch had expired, and the relist waited for its backoff until 1388.01"},
		{stale, 1402 * second, 1403 * second, "", "+node.kubernetes.io/unreachable:NoSchedule", "the Unknown is seen when the Nodes are relisted, at 1402.68"},
		{stale, 1403 * second, 1404 * second, "hollow-0", "-node.kubernetes.io/unreachable:NoSchedule", "its kubelet reports Ready at 1403.505"},
		{stale, 1405 * second, 1406 * second, "hollow-2", "+node.kubernetes.io/unreachable:NoExecute", "the first pass that sees the Unknown in its Nodes"},
		{stale, 1414 * second, 1416 * second, "hollow-2", "-node.kubernetes.io/unreachable:", "its kubelet reports Ready at 1414.204"},
	}
}

// causes of what the model does and the recorded controller did not.
func phantomCauses() []cause {
	second := time.Second
	return []cause{
		{stopped, 1190 * second, 1191 * second, "", "Ready=Unknown", "the decision of the recorded controller at 1190.672, which it could not write before 1220.28"},
		{stopped, 1190 * second, 1191 * second, "hollow-0", "+node.kubernetes.io/unreachable:NoSchedule", "never recorded: its kubelet reported Ready at 1220.447, before the controller's Node watch was back at 1220.490"},
		{stopped, 1190 * second, 1191 * second, "", "+node.kubernetes.io/unreachable:NoSchedule", "recorded at 1220.496, when the Node watch was back"},
		{stopped, 1220 * second, 1221 * second, "hollow-0", "-node.kubernetes.io/unreachable:NoSchedule", "takes back what was never recorded"},
	}
}

func explain(t *testing.T, c Change, causes []cause) string {
	t.Helper()
	for _, why := range causes {
		at := c.At.Duration()
		if at >= why.from && at < why.to && (why.node == "" || why.node == c.Node) && strings.HasPrefix(c.What, why.what) {
			return why.name + ": " + why.because
		}
	}
	t.Errorf("no cause is known of %v", c)
	return "unexplained"
}

func TestWhatIfOfTheRecordingReadsAsItsGolden(t *testing.T) {
	r := readRecording(t, recordingPath())
	require.Empty(t, r.Warnings)
	w := whatIf(t, r, nil)
	b := baseline(t, w)
	var text bytes.Buffer
	fmt.Fprintf(&text, "recorded from %s for %s: %s\n", r.Start.Format(time.RFC3339), r.End, strings.Join(r.Nodes, ", "))
	fmt.Fprintf(&text, "%d writes, %d of them renewals, are put to the model; %d failed\n", len(r.Writes), r.Renewals, r.Failed)
	fmt.Fprintf(&text, "the controller starts at %s and waits %s for an answer; %s\n", sim.Time(r.ControllerStart), r.ControllerLatency, w.Fit())
	fmt.Fprintf(&text, "\n%d of %d changes are reproduced; the last column is how late the model is\n", b.Reproduced, b.Recorded)
	for _, p := range b.Pairs {
		fmt.Fprintf(&text, "%s  %-8s  %-42s  %+7.1f ms\n", p.Recorded.At, p.Recorded.Node, p.Recorded.What, milli(p.Model.At.Sub(p.Recorded.At)))
	}
	fmt.Fprintf(&text, "\n%d are missed\n", len(b.Missed))
	for _, c := range b.Missed {
		fmt.Fprintf(&text, "%s  %-8s  %-42s  %s\n", c.At, c.Node, c.What, explain(t, c, missedCauses()))
	}
	fmt.Fprintf(&text, "\n%d are phantoms\n", len(b.Phantom))
	for _, c := range b.Phantom {
		fmt.Fprintf(&text, "%s  %-8s  %-42s  %s\n", c.At, c.Node, c.What, explain(t, c, phantomCauses()))
	}
	fmt.Fprint(&text, `
Both causes lie in what the feed leaves out, and not in the rules of the controller: the kubelets' requests
come as they were recorded, but the API server of the model never stops, so the controller's own requests
and watches always get through.
  `+stopped+`: kube-apiserver was stopped from 1145.19 to 1220.22.
  `+stale+`: kube-apiserver was killed at 1320.23 and restarted at 1345.24.
`)
	compareGolden(t, filepath.Join(recordingDir, "whatif.golden"), text.Bytes())
}

func milli(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func TestTheRecordingHas29ChangesOfTheController(t *testing.T) {
	r := readRecording(t, recordingPath())
	unknown, taints := 0, 0
	for _, c := range r.Changes {
		switch {
		case c.What == "Ready=Unknown":
			unknown++
		case strings.HasPrefix(c.What, "+node.kubernetes.io/"), strings.HasPrefix(c.What, "-node.kubernetes.io/"):
			taints++
		}
	}
	require.Equal(t, 29, len(r.Changes))
	require.Equal(t, 8, unknown)
	require.Equal(t, 21, taints)
	require.Equal(t, recordingStart(), r.Start)
}

// What the issue asks for at least: start-up, hollow-1's pause, hollow-2's kill.
func requiredChanges() []string {
	const notReady, unreachable = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
	return []string{
		"hollow-1 -" + notReady + ":NoSchedule",
		"hollow-0 -" + notReady + ":NoSchedule",
		"hollow-2 -" + notReady + ":NoSchedule",
		"hollow-1 Ready=Unknown",
		"hollow-1 +" + unreachable + ":NoSchedule",
		"hollow-1 +" + unreachable + ":NoExecute",
		"hollow-1 -" + unreachable + ":NoSchedule",
		"hollow-1 -" + unreachable + ":NoExecute",
		"hollow-2 Ready=Unknown",
		"hollow-2 +" + unreachable + ":NoSchedule",
		"hollow-2 +" + unreachable + ":NoExecute",
		"hollow-2 -" + unreachable + ":NoSchedule",
		"hollow-2 -" + unreachable + ":NoExecute",
	}
}

// requireChanges demands pairs of these changes, in this order, before the
// recording's first trouble with the API server, each with the error allowed.
func requireChanges(t *testing.T, want []string, r *Recording, b *Baseline, within time.Duration) {
	t.Helper()
	var got []string
	for _, p := range b.Pairs {
		if since(r.Start.Add(p.Recorded.At.Duration())) > 1000*time.Second {
			break
		}
		got = append(got, p.Recorded.Node+" "+p.Recorded.What)
		require.LessOrEqual(t, p.Model.At.Sub(p.Recorded.At).Abs(), within, "%v", p)
	}
	require.Equal(t, want, got)
}

func TestStartupPauseAndKillAreReproducedWithin60Milliseconds(t *testing.T) {
	r := readRecording(t, recordingPath())
	b := baseline(t, whatIf(t, r, nil))
	requireChanges(t, requiredChanges(), r, b, 60*time.Millisecond)
	require.LessOrEqual(t, b.MaxErrorSeconds, 0.06)
	require.Equal(t, b.Recorded, b.Reproduced+len(b.Missed))
}

func TestMaxErrorIsTheLargestOfThePairs(t *testing.T) {
	b := baseline(t, whatIf(t, readRecording(t, recordingPath()), nil))
	largest := 0.0
	for _, p := range b.Pairs {
		largest = max(largest, p.Model.At.Sub(p.Recorded.At).Abs().Seconds())
	}
	require.InDelta(t, largest, b.MaxErrorSeconds, 1e-12)
	require.Greater(t, b.MaxErrorSeconds, 0.0)
}

// shifted is the log with the controller's writes that pass the filter 3 s later.
func shifted(t *testing.T, which func(*traces.AuditRecord) bool) string {
	t.Helper()
	records, moved := recordedRequests(t), 0
	for i := range records {
		r := &records[i]
		if requesterOf(r) == theController && (r.Verb == "patch" || r.Verb == "update") && which(r) {
			r.Received, r.Completed = r.Received.Add(3*time.Second), r.Completed.Add(3*time.Second)
			moved++
		}
	}
	require.Greater(t, moved, 25)
	return writeLog(t, records)
}

// If a prediction moved with what it is to predict, it would be none.
func TestPredictionsDoNotMoveWithTheControllersWrites(t *testing.T) {
	original := whatIf(t, readRecording(t, recordingPath()), nil)
	fit := original.Fit()

	t.Run("under one fit, wherever all of its writes are", func(t *testing.T) {
		r := readRecording(t, shifted(t, func(*traces.AuditRecord) bool { return true }))
		require.Equal(t, original.recording.Changes[3].At.Add(3*time.Second), r.Changes[3].At)
		require.Equal(t, original.before, whatIf(t, r, &fit).before)
	})

	// The phase or the cost of the passes is taken from the first transition,
	// so that this one is no prediction: moved by 3 s, it says that the passes
	// come 3 s later or cost that much more, and all predictions follow. All
	// the others may say what they like.
	t.Run("under a fit of its own, wherever all but the fitted one are", func(t *testing.T) {
		fitted := func(r *traces.AuditRecord) bool {
			return since(r.Received) == fit.On.At.Duration() && r.Name == fit.On.Node
		}
		r := readRecording(t, shifted(t, func(r *traces.AuditRecord) bool { return !fitted(r) }))
		again := whatIf(t, r, nil)
		require.Equal(t, fit, again.Fit())
		require.Equal(t, original.before, again.before)
	})

	t.Run("and do with the fitted one", func(t *testing.T) {
		r := readRecording(t, shifted(t, func(*traces.AuditRecord) bool { return true }))
		require.NotEqual(t, fit, whatIf(t, r, nil).Fit())
	})
}

func TestTheFitIsOfTheFirstTransitionAlone(t *testing.T) {
	r := readRecording(t, recordingPath())
	w := whatIf(t, r, nil)
	fit := w.Fit()
	require.True(t, r.ControllerSeen)
	require.Zero(t, fit.Phase, "the log has the controller's start")
	require.Equal(t, "hollow-1", fit.On.Node)
	require.Equal(t, "Ready=Unknown", fit.On.What)
	require.Equal(t, "000760.542944s", fit.On.At.String())
	require.Equal(t, "first monitor pass at 000000.344348s, 435.981µs a pass and node, fitted on hollow-1 Ready=Unknown at 000760.542944s", fit.String())

	for _, p := range baseline(t, w).Pairs {
		if p.Recorded == *fit.On {
			require.Less(t, p.Model.At.Sub(p.Recorded.At).Abs(), time.Microsecond)
		}
	}

	cut := *r
	cut.Changes = r.Changes[:4] // up to the transition and no further
	require.Equal(t, fit, whatIf(t, &cut, nil).Fit())

	none := *r
	none.Changes = r.Changes[:3]
	unfitted := whatIf(t, &none, nil).Fit()
	require.Nil(t, unfitted.On)
	require.Equal(t, defaultMonitorPassCostPerNode, unfitted.CostPerNode)
	require.Contains(t, unfitted.String(), "not fitted")
}

func TestAGivenFitIsTaken(t *testing.T) {
	r := readRecording(t, recordingPath())
	fit := whatIf(t, r, &Fit{Phase: 2 * time.Second, CostPerNode: time.Millisecond}).Fit()
	require.Equal(t, 2*time.Second, fit.Phase)
	require.Equal(t, time.Millisecond, fit.CostPerNode)
	require.Nil(t, fit.On)
	require.Equal(t, "000002.344348s", fit.First.String(), "the caches are looked at 100 ms after the start")
}

func TestWithoutTheControllersStartThePhaseIsFitted(t *testing.T) {
	var records []traces.AuditRecord
	for _, r := range recordedRequests(t) {
		if requesterOf(&r) != theInformers {
			records = append(records, r)
		}
	}
	r := readRecording(t, writeLog(t, records))
	require.False(t, r.ControllerSeen)
	w := whatIf(t, r, nil)
	require.NotZero(t, w.Fit().Phase)
	require.Less(t, w.Fit().Phase, 5*time.Second)
	require.Equal(t, defaultMonitorPassCostPerNode, w.Fit().CostPerNode)
	requireChanges(t, requiredChanges(), r, baseline(t, w), 150*time.Millisecond)
}
