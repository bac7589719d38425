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
	heard   map[string]time.Duration
	failing map[string]*StoryItem // node: its renewals that fail
}

func newStory() story {
	return story{open: map[string]*StoryItem{}, expired: map[string]string{}, heard: map[string]time.Duration{}, failing: map[string]*StoryItem{}}
}

func (s *story) take(ev *traces.Event) {
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
	case traces.KindWatch:
		if ev.Resource == "leases" || ev.Resource == "nodes" {
			s.heard[ev.Node] = ev.At
		}
	case heartbeat.DecisionExpired:
		s.expired[ev.Node] = fmt.Sprintf("%s; last heard of at %s", ev.Detail, traces.FormatTime(s.heard[ev.Node]))
	case heartbeat.DecisionDisruption:
		s.tell(ev, ev.Detail, "")
	case heartbeat.DecisionWatchFailed:
		s.tell(ev, ev.Actor+" lost a watch: "+ev.Detail, "")
	case heartbeat.DecisionLeaseFailed, heartbeat.DecisionStatusFailed:
		s.tell(ev, ev.Detail, "")
	case traces.KindRequest, kindReplyLost:
		s.renewal(ev)
	}
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
	text := fmt.Sprintf("%s %s -> %s (%s)", ev.Name, ev.From, ev.To, ev.Reason)
	s.tell(ev, text, s.expired[ev.Node])
	delete(s.expired, ev.Node)
}

// renewal folds the failing renewals of a node until one succeeds.
func (s *story) renewal(ev *traces.Event) {
	if ev.Verb != "update" || ev.Resource != "leases" || nodeOfClient(ev.Actor) == "" {
		return
	}
	if ev.Code == 200 && ev.Kind == traces.KindRequest {
		delete(s.failing, ev.Node)
		return
	}
	how := ev.Reason
	if ev.Code != 0 && ev.Kind == traces.KindRequest {
		how = fmt.Sprintf("%d %s", ev.Code, ev.Reason)
	}
	if item := s.failing[ev.Node]; item != nil {
		item.To = ev.At
		item.Text = renewalText(how, item.To-item.From)
		return
	}
	s.failing[ev.Node] = s.add(ev, renewalText(how, 0))
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
	for _, known := range i.Nodes {
		if known == node {
			return
		}
	}
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
