package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

const gracePeriod = "controllerManager.node-monitor-grace-period"

// unknowns are the nodes of the changes to Unknown.
func unknowns(changes []Change) []string {
	list := []string{}
	for _, c := range changes {
		if c.What == "Ready=Unknown" {
			list = append(list, c.Node)
		}
	}
	return list
}

func TestALongerGracePeriodAvoidsPauseAndKill(t *testing.T) {
	w := whatIf(t, readRecording(t, recordingPath()), nil)
	// hollow-1 was silent for 55.5 s, hollow-2 for 104.7 s, all of them for
	// 83 s when the API server was stopped for 75 s, and for 76 s to a
	// controller whose Lease watch came back late.
	for grace, want := range map[string][]string{
		"60s":  {},
		"80s":  {"hollow-0", "hollow-1", "hollow-2", "hollow-0", "hollow-1", "hollow-2"},
		"95s":  {"hollow-1", "hollow-0", "hollow-1", "hollow-2", "hollow-0", "hollow-1", "hollow-2"},
		"110s": {"hollow-1", "hollow-2", "hollow-0", "hollow-1", "hollow-2", "hollow-0", "hollow-1", "hollow-2"},
	} {
		a := alternative(t, w, gracePeriod, grace)
		require.Equal(t, want, unknowns(a.Avoided), grace)
		require.Empty(t, a.Added, grace)
		require.Empty(t, a.Undecided, grace)
		for _, c := range a.Avoided {
			require.Contains(t, w.before.changes, c)
		}
		if grace == "110s" {
			require.Len(t, a.Avoided, len(w.before.changes)-3, "all but the taints of start-up")
			require.Empty(t, a.Moved)
		}
	}
}

func TestWhatOnlyTheModelDidIsNotCountedAsAvoided(t *testing.T) {
	r := readRecording(t, recordingPath())
	r.Changes = slices.DeleteFunc(r.Changes, func(c Change) bool { return c.Node == "hollow-2" }) // as if it had been spared
	r.Changes = append(r.Changes, Change{At: sim.Time(1500 * time.Second), Node: "hollow-0", What: "Ready=Unknown"})
	w := whatIf(t, r, nil)
	b := baseline(t, w)
	phantoms := b.Phantom
	require.NotEmpty(t, phantoms)
	require.Contains(t, b.Missed, r.Changes[len(r.Changes)-1])
	a := alternative(t, w, gracePeriod, "110s")
	for _, c := range a.Avoided {
		require.Equal(t, slices.Contains(phantoms, c), a.Phantom(c), "%v", c)
	}
	require.Positive(t, a.RecordedAvoided())
	require.Less(t, a.RecordedAvoided(), len(a.Avoided))
	require.Equal(t, len(b.Missed), a.Missed)
}

func TestWhatIsAddedInASilenceThatTheModelMisreadIsMarked(t *testing.T) {
	phantom := Change{At: sim.Time(150 * time.Second), Node: "a", What: "Ready=Unknown"}
	before := &simulated{episodes: []*episode{{node: "a", begin: phantom.At, end: sim.Never, changes: []Change{phantom}}}}
	added := Change{At: sim.Time(170 * time.Second), Node: "a", What: "+node.kubernetes.io/unreachable:NoExecute"}
	elsewhere := Change{At: sim.Time(170 * time.Second), Node: "b", What: "Ready=Unknown"}
	after := &simulated{episodes: []*episode{
		{node: "a", begin: phantom.At, end: sim.Never, changes: []Change{phantom, added}},
		{node: "b", begin: elsewhere.At, end: sim.Never, changes: []Change{elsewhere}},
	}}
	a := compareRuns(before, after, map[Change]bool{phantom: true})
	require.Equal(t, []Change{added, elsewhere}, a.Added)
	require.True(t, a.Phantom(added))
	require.False(t, a.Phantom(elsewhere))
}

// 100 s avoids the Unknown of the pause for sure. That of the kill it avoids or
// not by the moment of one pass: 104.7 s of silence, and up to 5 s until a pass
// looks. The model says that it does, by some milliseconds.
func TestAGracePeriodOf100sAvoidsThePause(t *testing.T) {
	w := whatIf(t, readRecording(t, recordingPath()), nil)
	a := alternative(t, w, gracePeriod, "100s")
	require.Equal(t, "hollow-1", unknowns(a.Avoided)[0])
	require.Empty(t, a.Added)
	require.Empty(t, slices.DeleteFunc(unknowns(changesOf(a.Moved)), func(node string) bool { return node == "hollow-2" }))
}

func changesOf(moved []Move) []Change {
	var changes []Change
	for _, m := range moved {
		changes = append(changes, Change{Node: m.Node, What: m.What, At: m.To})
	}
	return changes
}

func TestAShorterGracePeriodMovesWhatItDoesNotAdd(t *testing.T) {
	w := whatIf(t, readRecording(t, recordingPath()), nil)
	a := alternative(t, w, gracePeriod, "40s")
	require.Empty(t, a.Avoided)
	require.Empty(t, a.Added)
	require.Equal(t, []string{"hollow-1", "hollow-2", "hollow-0", "hollow-1", "hollow-2"}, unknowns(changesOf(a.Moved)))
	for _, m := range a.Moved {
		if m.What == "Ready=Unknown" {
			require.InDelta(t, 10, m.From.Sub(m.To).Seconds(), 0.01)
		}
	}
}

func TestAGracePeriodBelowTheRenewalsAddsUnknownsThatEnd(t *testing.T) {
	w := whatIf(t, readRecording(t, recordingPath()), nil)
	a := alternative(t, w, gracePeriod, "9s")
	require.Greater(t, len(unknowns(a.Added)), 15)
	require.Empty(t, unknowns(a.Avoided))
	open := map[string]bool{}
	for _, tr := range a.Transitions {
		open[tr.Node] = tr.To == "Unknown"
	}
	for node, unknown := range open {
		require.False(t, unknown, "%s stays Unknown, though its kubelet lives", node)
	}
}

func TestASettingThatMakesNoDifferenceIsSaidToMakeNone(t *testing.T) {
	w := whatIf(t, readRecording(t, recordingPath()), nil)
	for path, value := range map[string]string{
		"controllerManager.large-cluster-size-threshold": "20",
		"controllerManager.node-startup-grace-period":    "90s",
		gracePeriod: "50s",
	} {
		a := alternative(t, w, path, value)
		require.Equal(t, path, a.Set)
		require.Equal(t, w.before.transitions, a.Transitions)
		require.Empty(t, a.Avoided)
		require.Empty(t, a.Added)
		require.Empty(t, a.Moved)
		require.Empty(t, a.Undecided)
		require.NotNil(t, a.Avoided, "an empty list, and not null")
		require.NotNil(t, a.Added)
	}
}

// Whether a longer grace period would have avoided it cannot be said of a node
// that was not heard of again before the log ends.
func TestAnAlternativeDoesNotPromiseWhatTheLogEndsBefore(t *testing.T) {
	var records []traces.AuditRecord
	for _, r := range recordedRequests(t) {
		if since(r.Completed) < 800*time.Second { // hollow-1 goes on at 805
			records = append(records, r)
		}
	}
	w := whatIf(t, readRecording(t, writeLog(t, records)), nil)
	a := alternative(t, w, gracePeriod, "110s")
	require.Empty(t, a.Avoided)
	require.Equal(t, []string{"hollow-1"}, unknowns(a.Undecided))
}

// spell is an episode of a test: silent from begin, Unknown at the time given.
func spell(node string, begin, unknown, end int) *episode {
	second := sim.Time(time.Second)
	e := &episode{node: node, begin: sim.Time(begin) * second, end: sim.Time(end) * second}
	if end < 0 {
		e.end, e.silent = sim.Never, true
	}
	e.changes = []Change{{At: sim.Time(unknown) * second, Node: node, What: "Ready=Unknown"}}
	return e
}

func TestEpisodesAreComparedBySilenceAndNotByNumber(t *testing.T) {
	first, second := spell("a", 100, 150, 160), spell("a", 300, 350, 380)
	for name, c := range map[string]struct {
		before, after                      []*episode
		avoided, added, moved, undecidedAt []int
	}{
		"nothing changes":              {before: []*episode{first}, after: []*episode{first}},
		"the first is avoided":         {before: []*episode{first, second}, after: []*episode{second}, avoided: []int{150}},
		"one goes and another comes":   {before: []*episode{first}, after: []*episode{second}, avoided: []int{150}, added: []int{350}},
		"one comes later":              {before: []*episode{first}, after: []*episode{spell("a", 100, 155, 160)}, moved: []int{150}},
		"of another node":              {before: []*episode{first}, after: []*episode{spell("b", 100, 150, 160)}, avoided: []int{150}, added: []int{150}},
		"one after the other is two":   {before: []*episode{first}, after: []*episode{spell("a", 160, 210, 220)}, avoided: []int{150}, added: []int{210}},
		"it lasts to the end":          {before: []*episode{spell("a", 100, 150, -1)}, undecidedAt: []int{150}},
		"it lasts, and comes later":    {before: []*episode{spell("a", 100, 150, -1)}, after: []*episode{spell("a", 100, 200, -1)}, moved: []int{150}},
		"two are one when it is short": {before: []*episode{first, second}, after: []*episode{spell("a", 100, 110, 380)}, avoided: []int{350}, moved: []int{150}},
	} {
		a := compareRuns(&simulated{episodes: c.before}, &simulated{episodes: c.after}, nil)
		require.Equal(t, c.avoided, secondsOf(a.Avoided), name)
		require.Equal(t, c.added, secondsOf(a.Added), name)
		require.Equal(t, c.undecidedAt, secondsOf(a.Undecided), name)
		var moved []int
		for _, m := range a.Moved {
			moved = append(moved, int(m.From/sim.Time(time.Second)))
		}
		require.Equal(t, c.moved, moved, name)
	}
}

func secondsOf(changes []Change) []int {
	var at []int
	for _, c := range changes {
		at = append(at, int(c.At/sim.Time(time.Second)))
	}
	return at
}

func TestTaintsOfPressureAreNoPartOfAnEpisode(t *testing.T) {
	pressure := Change{At: 1, Node: "a", What: "+node.kubernetes.io/memory-pressure:NoSchedule"}
	a := compareRuns(&simulated{changes: []Change{pressure}, episodes: []*episode{spell("a", 100, 150, 160)}}, &simulated{changes: []Change{pressure}}, nil)
	require.Equal(t, []int{150}, secondsOf(a.Avoided))
	require.Empty(t, a.Added)
}

func changesAt(what string, node string, at ...int) []Change {
	var list []Change
	for i, ms := range at {
		list = append(list, Change{At: sim.Time(ms) * sim.Time(time.Millisecond), Node: node, What: string(what[i])})
	}
	return list
}

func TestChangesArePairedInTheOrderOfTheirNode(t *testing.T) {
	for name, c := range map[string]struct {
		recorded, model []Change
		reproduced      int
	}{
		"the same":                       {changesAt("ab", "n", 0, 10), changesAt("ab", "n", 5, 20), 2},
		"the other way round":            {changesAt("ab", "n", 0, 10), changesAt("ba", "n", 5, 20), 1},
		"as many as the order allows":    {changesAt("abc", "n", 0, 10, 20), changesAt("bca", "n", 0, 10, 20), 2},
		"at the tolerance":               {changesAt("a", "n", 0), changesAt("a", "n", 500), 1},
		"beyond the tolerance":           {changesAt("a", "n", 0), changesAt("a", "n", 501), 0},
		"earlier than recorded":          {changesAt("a", "n", 500), changesAt("a", "n", 0), 1},
		"of another node":                {changesAt("a", "n", 0), changesAt("a", "m", 0), 0},
		"one of two":                     {changesAt("a", "n", 0), changesAt("aa", "n", 0, 1), 1},
		"each once":                      {changesAt("aa", "n", 0, 1), changesAt("a", "n", 0), 1},
		"the next one fits, not the one": {changesAt("ab", "n", 0, 300), changesAt("ab", "n", 700, 750), 1},
	} {
		b := match(c.recorded, c.model)
		require.Equal(t, c.reproduced, b.Reproduced, name)
		require.Equal(t, len(c.recorded), b.Recorded, name)
		require.Len(t, b.Missed, len(c.recorded)-c.reproduced, name)
		require.Len(t, b.Phantom, len(c.model)-c.reproduced, name)
	}
}

// The pairs are as many as can be: as many as trying everything finds.
func TestPairsAreAsManyAsCanBe(t *testing.T) {
	changes := rapid.Custom(func(t *rapid.T) []Change {
		at := rapid.SliceOfN(rapid.IntRange(0, 3000), 0, 7).Draw(t, "at")
		slices.Sort(at)
		var list []Change
		for _, ms := range at {
			list = append(list, Change{
				At: sim.Time(ms) * sim.Time(time.Millisecond), Node: rapid.SampledFrom([]string{"n", "m"}).Draw(t, "node"),
				What: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "what"),
			})
		}
		return list
	})
	rapid.Check(t, func(t *rapid.T) {
		recorded, model := changes.Draw(t, "recorded"), changes.Draw(t, "model")
		b := match(recorded, model)
		want := 0
		for _, node := range []string{"n", "m"} {
			want += mostPairs(onNode(recorded, node), onNode(model, node))
		}
		require.Equal(t, want, b.Reproduced)
		require.Equal(t, len(recorded), len(b.Pairs)+len(b.Missed))
		require.Equal(t, len(model), len(b.Pairs)+len(b.Phantom))
		last := map[string]sim.Time{}
		for _, p := range b.Pairs {
			require.Equal(t, p.Recorded.What, p.Model.What)
			require.Equal(t, p.Recorded.Node, p.Model.Node)
			require.LessOrEqual(t, p.Model.At.Sub(p.Recorded.At).Abs(), Tolerance)
			require.GreaterOrEqual(t, p.Model.At, last[p.Model.Node])
			last[p.Model.Node] = p.Model.At
		}
	})
}

func onNode(all []Change, node string) []Change {
	return slices.DeleteFunc(slices.Clone(all), func(c Change) bool { return c.Node != node })
}

func mostPairs(recorded, model []Change) int {
	if len(recorded) == 0 || len(model) == 0 {
		return 0
	}
	best := max(mostPairs(recorded[1:], model), mostPairs(recorded, model[1:]))
	if recorded[0].What == model[0].What && model[0].At.Sub(recorded[0].At).Abs() <= Tolerance {
		best = max(best, 1+mostPairs(recorded[1:], model[1:]))
	}
	return best
}

func TestAWhatIfIsTheSameEachTime(t *testing.T) {
	text := func() string {
		w := whatIf(t, readRecording(t, recordingPath()), nil)
		a := alternative(t, w, gracePeriod, "40s")
		var b strings.Builder
		fmt.Fprint(&b, baseline(t, w), w.Fit(), a.Transitions, a.Avoided, a.Added, a.Moved)
		return b.String()
	}
	require.Equal(t, text(), text())
}
