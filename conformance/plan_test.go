package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// bubbleStart is when every bubble begins.
var bubbleStart = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// plan is a schedule of faults that both sides go through.
type plan struct {
	seed    int64 // of the jitter
	length  time.Duration
	latency time.Duration
	// watchLatency is that of a watch's events.
	watchLatency time.Duration
	clients      []string // whose requests are compared
	cast         []string // who else there is, for people
	steps        []step
	quiet        []step // steps that are not listed one by one
	exact        bool   // known differences are told
}

// step is one thing that happens at an instant.
type step struct {
	at   time.Duration
	what string
	do   func(*stage)
}

// stage is where a plan is played: the engine, the server on it, and the hosts
// of those that are compared.
type stage struct {
	engine *sim.Engine
	server *fakeapi.Server
	log    *Log
	draws  *Draws
	hosts  map[string]*sim.Host
	nearby map[string]func() // by client: removes its latency
	// start begins an incarnation of what is compared on a host.
	start func(host string)
	// stop is told that it was killed. May be nil.
	stop func(host string)
}

func (p *plan) add(at time.Duration, what string, do func(*stage)) {
	p.steps = append(p.steps, step{at, what, do})
}

// newStage sets the scene for one side of the comparison.
func (p *plan) newStage() *stage {
	engine := sim.New(sim.Options{Seed: 1, Start: bubbleStart})
	log := NewLog(p.length)
	log.exact = p.exact
	s := &stage{engine: engine, log: log, draws: NewDraws(p.seed), hosts: map[string]*sim.Host{}, nearby: map[string]func(){}}
	s.server = fakeapi.New(engine, fakeapi.Options{Observer: log, CheckImmutable: true})
	for i := range p.clients {
		s.setLatency(p, i)
	}
	for _, step := range slices.Concat(p.steps, p.quiet) {
		engine.At(sim.Time(step.at), func() { step.do(s) })
	}
	return s
}

// setLatency gives each client a latency of its own. When the server comes back,
// or dies, it answers everybody at one instant; they hear of it at different ones.
// So do the loops of one client, as far as they ask for different things. Watches
// have a latency of their own too, or the event of a write would come together
// with the answer.
func (s *stage) setLatency(p *plan, i int) {
	client, extra := p.clients[i:i+1], time.Duration(i*i)*97
	var remove []func()
	add := func(latency time.Duration, verbs, resources []string) {
		remove = append(remove, s.server.Network().Add(fakeapi.Rule{
			Match:   fakeapi.Match{Clients: client, Verbs: verbs, Resources: resources},
			Latency: fixed(latency + extra),
		}))
	}
	add(p.watchLatency, []string{"watch"}, nil)
	for i, kind := range kinds {
		add(p.latency+time.Duration(i*i*i)*7, kind[:1], kind[1:])
	}
	add(p.latency, nil, nil)
	s.nearby[client[0]] = func() {
		for _, f := range remove {
			f()
		}
	}
}

// kinds are what controllers ask for, verb and resource.
var kinds = [][]string{
	{"get", "nodes"}, {"patch", "nodes"}, {"update", "nodes/status"}, {"get", "leases"}, {"update", "pods/status"},
	{"list", "nodes"}, {"list", "leases"}, {"list", "pods"},
}

// addRule puts a rule in force. One about latencies has to come before those
// that are there for good.
func (s *stage) addRule(p *plan, rule fakeapi.Rule) (remove func()) {
	if rule.Latency == nil {
		return s.server.Network().Add(rule)
	}
	i := slices.Index(p.clients, rule.Match.Clients[0])
	s.nearby[p.clients[i]]()
	defer s.setLatency(p, i)
	return s.server.Network().Add(rule)
}

func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v with latency %v, of watches %v, seed %d\n", p.length, p.latency, p.watchLatency, p.seed)
	for _, who := range p.cast {
		fmt.Fprintf(&b, "  %s\n", who)
	}
	steps := slices.Clone(p.steps)
	slices.SortStableFunc(steps, func(x, y step) int { return int(x.at - y.at) })
	for _, s := range steps {
		fmt.Fprintf(&b, "  %15v %s\n", s.at, s.what)
	}
	return b.String()
}

// draft is a plan that is being drawn.
type draft struct {
	*rapid.T
	plan
	instants int64
	refusals bool // connections may be refused, or requests put off with a 429
}

// newDraft draws what every plan has.
func newDraft(r *rapid.T, length, maxLatency time.Duration) *draft {
	d := &draft{T: r}
	d.length = length
	d.seed = rapid.Int64Range(1, 1<<40).Draw(r, "seed")
	d.latency = d.duration("latency", 0, maxLatency)
	return d
}

// even draws from [0, 4096) evenly. rapid's own numbers are small ones mostly,
// and a schedule in which all happens at the start shows little.
var even = rapid.Custom(func(t *rapid.T) int64 {
	x := int64(0)
	for range 12 {
		x <<= 1
		if rapid.Bool().Draw(t, "bit") {
			x++
		}
	}
	return x
})

// pick draws one of a few.
func pick[T any](d *draft, name string, from ...T) T {
	return from[even.Draw(d.T, name)*int64(len(from))>>12]
}

// number draws from [least, most].
func (d *draft) number(name string, least, most int) int {
	return least + int(even.Draw(d.T, name)*int64(most-least+1)>>12)
}

// odds is true in so many of a hundred cases.
func (d *draft) odds(name string, percent int64) bool {
	return even.Draw(d.T, name)*100>>12 >= 100-percent
}

// duration draws one of whole microseconds.
func (d *draft) duration(name string, least, most time.Duration) time.Duration {
	whole := least + (most-least)/4096*time.Duration(even.Draw(d.T, name))
	return whole.Truncate(time.Microsecond) + time.Duration(rapid.Int64Range(0, 99).Draw(d.T, name+", µs"))*time.Microsecond
}

// instant draws a duration that no other instant, nor the sum of two, falls on:
// synctest puts what happens at one into an order of its own.
func (d *draft) instant(name string, least, most time.Duration) time.Duration {
	d.instants++
	return d.duration(name, least, most) + time.Duration(1+d.instants*d.instants)
}

// some draws none, or up to most, of a list.
func (d *draft) some(name string, list []string, most int) []string {
	var out []string
	for range d.number(name, 0, most) {
		if s := pick(d, name, list...); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// serverFault stops the server for a while, or kills it.
func (d *draft) serverFault(most time.Duration) {
	if d.odds("killed", 50) {
		d.killServer(most)
		return
	}
	at := d.instant("at", 0, d.length)
	d.add(at, "the server is stopped", func(s *stage) { s.server.Host().Pause() })
	d.add(at+d.instant("for", 0, most), "the server goes on", func(s *stage) { s.server.Host().Resume() })
}

func (d *draft) killServer(most time.Duration) {
	d.refusals = true
	at := d.instant("at", 0, d.length)
	d.add(at, "the server is killed", func(s *stage) { s.server.Host().Kill() })
	d.add(at+d.instant("for", 0, most), "the server is started", func(s *stage) {
		if !s.server.Host().Alive() {
			s.server.Host().Restart()
		}
	})
}

// ruleFor draws a rule of the network for the requests of one client.
func (d *draft) ruleFor(client string, most time.Duration, kinds, verbs, resources []string) {
	rule := fakeapi.Rule{
		Match: fakeapi.Match{
			Clients:   []string{client},
			Verbs:     d.some("verbs", verbs, 2),
			Resources: d.some("resources", resources, 1),
		},
		Count: pick(d, "count", 0, 0, 1, 2, 5, 7),
	}
	switch pick(d, "kind", kinds...) {
	case "lose request":
		rule.LoseRequest = true
	case "lose reply":
		rule.LoseReply = true
	case "respond":
		rule.Respond = pick(d, "status", statuses...)
		d.refusals = d.refusals || rule.Respond.Code == 429
		if rule.Respond.Code == 409 && slices.Contains(verbs, "patch") {
			rule.Match.Verbs = []string{"update", "patch"} // see TestKnownDifferenceLabelsAreNotReadAgain
		}
	case "latency":
		rule.Latency = fixed(d.duration("latency", 60*time.Millisecond, 11*time.Second))
		if v := rule.Match.Verbs; len(v) != 1 { // the event of a write would come together with the answer
			rule.Match.Verbs = slices.DeleteFunc(slices.Clone(verbs), func(s string) bool {
				return s == "watch" || len(v) > 0 && !slices.Contains(v, s)
			})
		}
	case "hold watches":
		rule.Match.Verbs, rule.HoldWatch, rule.Count = []string{"watch"}, true, 0
	case "partition":
		rule = fakeapi.Rule{Match: fakeapi.Match{Clients: []string{client}}, LoseRequest: true, LoseReply: true, HoldWatch: true}
	}
	at := d.instant("at", 0, d.length)
	until := at + d.instant("for", 0, most)
	d.add(at, fmt.Sprintf("until %v: %s", until, describe(rule)), func(s *stage) {
		remove := s.addRule(&d.plan, rule)
		s.engine.At(sim.Time(until), remove)
	})
}

func fixed(d time.Duration) *sim.Dist {
	dist := sim.Fixed(d)
	return &dist
}

func describe(r fakeapi.Rule) string {
	text := fmt.Sprintf("%+v", r.Match)
	if r.LoseRequest {
		text += " loses requests"
	}
	if r.LoseReply {
		text += " loses replies"
	}
	if r.HoldWatch {
		text += " holds watches"
	}
	if r.Respond != nil {
		text += fmt.Sprintf(" answers %d %s", r.Respond.Code, r.Respond.Reason)
		if r.Respond.Details != nil {
			text += fmt.Sprintf(" retry after %d s", r.Respond.Details.RetryAfterSeconds)
		}
	}
	if r.Latency != nil {
		text += " takes " + r.Latency.String()
	}
	return text + fmt.Sprintf(" count %d", r.Count)
}

// statuses are what a server in trouble answers.
var statuses = []*metav1.Status{
	{Status: metav1.StatusFailure, Code: 409, Reason: metav1.StatusReasonConflict, Message: "conflict"},
	{Status: metav1.StatusFailure, Code: 403, Reason: metav1.StatusReasonForbidden, Message: "forbidden"},
	{Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound, Message: "not found"},
	{Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonInternalError, Message: "internal error"},
	{Status: metav1.StatusFailure, Code: 504, Reason: metav1.StatusReasonTimeout, Message: "timeout"},
	{Status: metav1.StatusFailure, Code: 429, Reason: metav1.StatusReasonTooManyRequests, Message: "too many requests",
		Details: &metav1.StatusDetails{RetryAfterSeconds: 1}},
	{Status: metav1.StatusFailure, Code: 503, Reason: metav1.StatusReasonServiceUnavailable, Message: "unavailable",
		Details: &metav1.StatusDetails{RetryAfterSeconds: 3}},
}
