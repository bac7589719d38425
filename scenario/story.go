package scenario

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/traces"
)

// StoryItem is one line of the story: something that happened to one node, or
// the same to several within a short time.
type StoryItem struct {
	From, To time.Duration
	Nodes    []string // at most storyNodes of them
	Count    int      // all of them; 0 for something about no node
	Text     string
	Why      string

	known map[string]bool
	pods  []string // that it is about, of one node
}

const (
	// storyFold is how far apart the same news of several nodes may lie to be
	// told in one line.
	storyFold = 15 * time.Second
	// storyNodes is how many names a line gives.
	storyNodes = 3
)

// story folds the events of a trace into what a person wants to read.
type story struct {
	items   []*StoryItem
	open    map[string]*StoryItem // by what is told, until a fault comes between
	expired map[string]string     // node: why the controller found it expired
	heard   heard
	failing map[string]*StoryItem // node: its renewals that fail
	lost    map[lostWatch]string  // why, until it is back

	deleting map[string]string // pod: why a controller deletes it
}

// lostWatch is the watch of a component on a resource.
type lostWatch struct{ actor, resource string }

func newStory() story {
	return story{
		open: map[string]*StoryItem{}, expired: map[string]string{}, heard: heard{},
		failing: map[string]*StoryItem{}, lost: map[lostWatch]string{},
		deleting: map[string]string{},
	}
}

func (s *story) take(ev *traces.Event) {
	s.heard.take(ev)
	switch ev.Kind {
	case traces.KindFault:
		s.fault(ev)
	case traces.KindStart:
		if ev.Node == "" {
			s.tell(ev, ev.Actor+" "+ev.To, "")
		}
	case heartbeat.DecisionRegistered:
		s.tell(ev, "registered", "")
	case traces.KindRegister:
		if ev.To == "deleted" {
			s.tell(ev, "Node deleted by "+ev.Actor, "")
		}
	case traces.KindTransition:
		s.transition(ev)
	case traces.KindTaint:
		s.tell(ev, fmt.Sprintf("taint %s:%s %s", ev.Name, ev.Reason, ev.To), "")
	case heartbeat.DecisionExpired:
		s.expired[ev.Node] = s.whyExpired(ev)
	case heartbeat.DecisionDisruption:
		s.tell(ev, ev.Detail, "")
	case heartbeat.DecisionPodsNotEvicted:
		s.tell(ev, "its pods could not all be deleted, and are tried again", "")
	case heartbeat.DecisionSkipped:
		s.tell(ev, "not judged in this pass, since the controller's Leases are stale", "")
	case heartbeat.DecisionPanicked:
		s.tell(ev, ev.Actor+" panics: "+ev.Detail, "")
	case heartbeat.DecisionWatchFailed:
		s.watchLost(ev)
	case heartbeat.DecisionLeaseFailed:
		s.tell(ev, ev.Detail, "")
	case heartbeat.DecisionStatusFailed:
		s.tell(ev, "five tries to update the node's status fail:"+ev.Detail[strings.LastIndex(ev.Detail, ": ")+1:], "")
	case traces.KindRequest, kindReplyLost:
		s.request(ev)
	default:
		s.pod(ev)
	}
}

// whyExpired says how long the controller has had no news of a node, and what
// came that was none: a Lease whose renewTime is not after the one before.
func (s *story) whyExpired(ev *traces.Event) string {
	last := s.heard.of(ev.Node)
	why := fmt.Sprintf("%s; last news at %s", ev.Detail, traces.FormatTime(last.news))
	if last.latest > last.news {
		why += fmt.Sprintf(", for a Lease at %s had no later renewTime", traces.FormatTime(last.latest))
	}
	return why
}

func (s *story) request(ev *traces.Event) {
	failed := ev.Kind == kindReplyLost || ev.Code < 200 || ev.Code > 299
	switch {
	case ev.Verb == "watch":
		if !failed {
			delete(s.lost, lostWatch{ev.Actor, ev.Resource})
		}
	case ev.Resource == "leases" && nodeOfClient(ev.Actor) != "":
		s.renewal(ev, failed)
	case ev.Actor == managerName && ev.Resource == "nodes/status" && failed && s.expired[ev.Node] != "":
		s.tell(ev, "the controller cannot write that Ready is Unknown: "+howFailed(ev), s.expired[ev.Node])
	}
}

// howFailed says in a word why a request failed.
func howFailed(ev *traces.Event) string {
	if ev.Code != 0 && ev.Kind == traces.KindRequest {
		return fmt.Sprintf("%d %s", ev.Code, ev.Reason)
	}
	return ev.Reason
}

// watchLost tells of a watch once until it is back, or fails otherwise.
func (s *story) watchLost(ev *traces.Event) {
	resource, why, _ := strings.Cut(ev.Detail, ": ")
	for _, known := range []string{"connection refused", "too old resource version", "http2: client connection lost", "i/o timeout", "context deadline exceeded"} {
		if strings.Contains(why, known) {
			why = known
		}
	}
	key := lostWatch{ev.Actor, resource}
	if s.lost[key] == why {
		return
	}
	s.lost[key] = why
	who := "the kubelet's"
	if nodeOfClient(ev.Actor) == "" {
		who = ev.Actor + "'s"
	}
	s.tell(ev, fmt.Sprintf("%s watch of %s fails: %s", who, resource, why), "")
}

// fault is told on a line of its own, and nothing is folded across it.
func (s *story) fault(ev *traces.Event) {
	text := "fault " + ev.Reason
	if ev.Name != "" {
		text += fmt.Sprintf(" %q", ev.Name)
	}
	if ev.To == faultEnds {
		text += " ends"
	}
	if ev.Detail != "" {
		text += ": " + ev.Detail
	}
	if last := s.last(); last == nil || last.Text != text || last.From != ev.At {
		clear(s.open)
	}
	s.tell(ev, text, "")
}

// transition tells of Ready; the pressure conditions turn with it and are
// told only when they turn by themselves.
func (s *story) transition(ev *traces.Event) {
	if ev.Name != string(corev1.NodeReady) && (ev.To == string(corev1.ConditionUnknown) || ev.From == string(corev1.ConditionUnknown)) {
		return
	}
	if ev.From == "" {
		return // of a new Node: it is told that it was registered
	}
	text, why := fmt.Sprintf("%s %s -> %s (%s)", ev.Name, ev.From, ev.To, ev.Reason), ""
	if ev.To == string(corev1.ConditionUnknown) {
		why = s.expired[ev.Node]
	}
	if ev.Name == string(corev1.NodeReady) {
		delete(s.expired, ev.Node)
	}
	s.tell(ev, text, why)
}

// renewal folds the failing renewals of a node, and the failing GETs in between,
// until one succeeds.
func (s *story) renewal(ev *traces.Event, failed bool) {
	item := s.failing[ev.Node]
	switch {
	case !failed && ev.Verb != "get":
		delete(s.failing, ev.Node)
	case !failed, item == nil && ev.Verb == "get":
	case item == nil:
		s.failing[ev.Node] = s.add(ev, renewalText(howFailed(ev), 0))
	default:
		item.To = ev.At
		item.Text = renewalText(howFailed(ev), item.To-item.From)
	}
}

func renewalText(how string, over time.Duration) string {
	if over == 0 {
		return "renewal fails: " + how
	}
	return fmt.Sprintf("renewals fail for %s: %s", over.Truncate(time.Millisecond), how)
}

// tell adds a line, or a node to a line that says the same.
func (s *story) tell(ev *traces.Event, text, why string) {
	if item := s.open[text]; item != nil && ev.Node != "" && ev.At-item.To <= storyFold {
		item.To = ev.At
		item.addNode(ev.Node)
		return
	}
	item := s.add(ev, text)
	item.Why = why
	s.open[text] = item
}

func (s *story) add(ev *traces.Event, text string) *StoryItem {
	item := &StoryItem{From: ev.At, To: ev.At, Text: text}
	if ev.Node != "" {
		item.addNode(ev.Node)
	}
	s.items = append(s.items, item)
	return item
}

func (s *story) last() *StoryItem {
	if len(s.items) == 0 {
		return nil
	}
	return s.items[len(s.items)-1]
}

func (i *StoryItem) addNode(node string) {
	if i.known[node] {
		return
	}
	if i.known == nil {
		i.known = map[string]bool{}
	}
	i.known[node] = true
	i.Count++
	if len(i.Nodes) < storyNodes {
		i.Nodes = append(i.Nodes, node)
	}
}

// String is the line without its time.
func (i *StoryItem) String() string {
	var b strings.Builder
	if len(i.Nodes) > 0 {
		b.WriteString(strings.Join(i.Nodes, ", "))
		if more := i.Count - len(i.Nodes); more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
		b.WriteString(": ")
	}
	b.WriteString(i.Text)
	if over := i.To - i.From; over > 0 && i.Count > 1 {
		fmt.Fprintf(&b, " (over %s)", over.Truncate(time.Millisecond))
	}
	if i.Why != "" {
		b.WriteString(": " + i.Why)
	}
	return b.String()
}
