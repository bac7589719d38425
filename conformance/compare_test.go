package conformance

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// comparison counts what was equal in a test.
type comparison struct {
	*testing.T
	schedules, entries int
	cut                int // schedules that are compared up to an instant
	failed             bool
}

// watch ends the tests if a schedule does not end: upstream waits for something
// that synctest cannot see, and ours did not.
func (c *comparison) watch(plan *plan, theirs **Log, ours *Log) (stop func()) {
	timer := time.AfterFunc(2*time.Minute, func() {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for _, stack := range strings.Split(string(stacks), "\n\n") {
			if first, _, _ := strings.Cut(stack, "\n"); !strings.Contains(first, "(durable)") && strings.Contains(first, "synctest bubble") {
				fmt.Fprintln(os.Stderr, stack)
			}
		}
		panic(fmt.Sprintf("upstream hangs\n%s\nthe first difference, which may be where it hangs:\n%s", plan, earliestDifference(*theirs, ours)))
	})
	return func() { timer.Stop() }
}

// requireSame fails unless both logs tell the same of every subject: the same
// things in the same order at the same instants.
func (c *comparison) requireSame(r *rapid.T, plan *plan, theirs, ours *Log) {
	first := earliestDifference(theirs, ours)
	c.entries += len(ours.Entries)
	c.schedules++
	if first == nil {
		return
	}
	report := fmt.Sprintf("what is told of %s differs\n%s\n%s", first.subject, plan, first)
	if !c.failed { // rapid is about to look for a shorter one
		c.Logf("before shrinking: %s", report)
	}
	c.failed = true
	r.Fatalf("%s", report)
}

// report says how much was compared.
func (c *comparison) report() {
	c.Logf("%d schedules, %d requests and decisions equal; %d schedules cut short", c.schedules, c.entries, c.cut)
}

func subjects(logs ...*Log) []string {
	var all []string
	for _, log := range logs {
		for _, e := range log.Entries {
			all = append(all, e.Subject)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func same(theirs, ours *Log) bool { return earliestDifference(theirs, ours) == nil }

// earliestDifference is the one that comes first in time, nil for none.
func earliestDifference(theirs, ours *Log) (first *difference) {
	for _, subject := range subjects(theirs, ours) {
		if d := firstDifference(subject, theirs.Of(subject), ours.Of(subject)); d != nil && (first == nil || d.at < first.at) {
			first = d
		}
	}
	return first
}

// difference is where two logs part.
type difference struct {
	subject string
	at      time.Duration
	a, b    []Entry
	i       int
}

func firstDifference(subject string, a, b []Entry) *difference {
	for i := range max(len(a), len(b)) {
		d := &difference{subject: subject, at: math.MaxInt64, a: a, b: b, i: i}
		if i < len(a) {
			d.at = min(d.at, a[i].At)
		}
		if i < len(b) {
			d.at = min(d.at, b[i].At)
		}
		if i >= len(a) || i >= len(b) || a[i].String() != b[i].String() {
			return d
		}
	}
	return nil
}

// String shows the first difference with what went before.
func (d *difference) String() string {
	const before, after = 12, 6
	var out strings.Builder
	for _, e := range d.a[max(0, d.i-before):d.i] {
		fmt.Fprintf(&out, "           %s\n", e)
	}
	for _, e := range d.a[min(d.i, len(d.a)):min(d.i+after, len(d.a))] {
		fmt.Fprintf(&out, "- upstream %s\n", e)
	}
	for _, e := range d.b[min(d.i, len(d.b)):min(d.i+after, len(d.b))] {
		fmt.Fprintf(&out, "+ ours     %s\n", e)
	}
	return out.String()
}
