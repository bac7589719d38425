package scenario

import (
	"time"

	"github.com/holter-sim/holter/sim"
)

// Result is what `holter run -o json` prints of one run.
type Result struct {
	Scenario          string         `json:"scenario"`
	Seed              uint64         `json:"seed"`
	KubernetesVersion string         `json:"kubernetesVersion"`
	TraceHash         string         `json:"traceHash"`
	Simulated         string         `json:"simulated"`
	Events            uint64         `json:"events"`
	Ties              uint64         `json:"ties"`
	Nodes             int            `json:"nodes"`
	Transitions       []Transition   `json:"transitions"`
	Taints            []TaintChange  `json:"taints"`
	Evictions         []Eviction     `json:"evictions"`
	Expectations      []Verdict      `json:"expectations"`
	Violations        []Violation    `json:"violations"`
	Requests          map[string]int `json:"requests"`

	// What the run cost; filled in by who measures it.
	WallSeconds  float64 `json:"wallSeconds"`
	CPUSeconds   float64 `json:"cpuSeconds"`
	PeakRSSBytes int64   `json:"peakRSSBytes"`

	detections []Detection
	silences   int
	story      []*StoryItem
	effective  Effective
	draws      []string
}

// Eviction is one pod that a controller deleted: when that began and why, and
// when the pod was gone, if it was.
type Eviction struct {
	At   sim.Time  `json:"at"`
	Pod  string    `json:"pod"` // namespace/name
	Node string    `json:"node"`
	Why  string    `json:"why"`
	Gone *sim.Time `json:"gone,omitempty"`
}

// OK tells whether every expectation was met and every invariant held.
func (r *Result) OK() bool {
	for _, v := range r.Expectations {
		if !v.OK {
			return false
		}
	}
	return len(r.Violations) == 0
}

// Story is what happened, folded for people.
func (r *Result) Story() []*StoryItem { return r.story }

// Effective is what the components ran with.
func (r *Result) Effective() Effective { return r.effective }

// Draws are the moments that the seed decided, a line each.
func (r *Result) Draws() []string { return r.draws }

// Detections are the nodes that turned Unknown, in order.
func (r *Result) Detections() []Detection { return r.detections }

// Result judges the run as far as it went.
func (c *Cluster) Result() *Result {
	stats := c.engine.Stats()
	r := &Result{
		Scenario:          c.scenario.Metadata.Name,
		Seed:              c.scenario.Spec.Seed,
		KubernetesVersion: c.effective.KubernetesVersion,
		TraceHash:         c.recorder.Hash(),
		Simulated:         c.engine.Now().String(),
		Events:            c.recorder.Events(),
		Ties:              stats.Ties,
		Nodes:             len(c.nodes),
		Transitions:       c.history.Transitions,
		Taints:            c.history.Taints,
		Evictions:         c.history.Evictions,
		Expectations:      []Verdict{},
		Violations:        []Violation{},
		Requests:          c.history.Requests,
		detections:        c.history.Detections(),
		silences:          c.history.silences.count,
		story:             c.history.story.items,
		effective:         c.effective,
		draws:             c.draws(),
	}
	for _, ck := range c.checkers {
		v := ck.verdict(c.Now())
		v.of, v.node = ck.about()
		r.Expectations = append(r.Expectations, v)
	}
	for _, inv := range c.invariants {
		r.Violations = append(r.Violations, inv.violations()...)
	}
	return r
}

// draws tells the moments that were drawn: starts of nodes and of faults.
func (c *Cluster) draws() []string {
	var lines []string
	if len(c.nodes) > 0 {
		first, last := c.nodes[0].startAt, c.nodes[0].startAt
		for _, n := range c.nodes {
			first, last = min(first, n.startAt), max(last, n.startAt)
		}
		if first != last {
			lines = append(lines, "kubelets start from "+first.Truncate(time.Microsecond).String()+" to "+last.Truncate(time.Microsecond).String())
		}
	}
	for i := range c.scenario.Spec.Faults {
		f := &c.scenario.Spec.Faults[i]
		if f.At.IsRange() {
			lines = append(lines, "fault "+faultLabel(f)+" strikes at "+c.drawn[i].Truncate(time.Microsecond).String())
		}
	}
	return lines
}

func faultLabel(f *Fault) string {
	if f.Name != "" {
		return f.Name
	}
	return f.action().verb()
}
