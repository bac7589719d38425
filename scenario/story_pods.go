package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/traces"
)

// storyPods is how many names of pods a line gives.
const storyPods = 3

// pod tells of pods that are to be deleted, or are.
func (s *story) pod(ev *traces.Event) {
	pod, why, _ := strings.Cut(ev.Detail, ": ")
	switch ev.Kind {
	case heartbeat.DecisionEvictionSet:
		s.tellPod(ev, "%s to be evicted", pod, why)
	case heartbeat.DecisionEvictionCancelled:
		s.tellPod(ev, "eviction of %s called off", pod, why)
	case heartbeat.DecisionEvictionFailed:
		s.tellPod(ev, "eviction of %s given up", pod, why)
	case heartbeat.DecisionEvicting, heartbeat.DecisionCollecting:
		s.deleting[pod] = why
	case kindPod:
		pod := ev.Namespace + "/" + ev.Name
		switch ev.To {
		case PodPresent:
			if ev.Actor != directActor {
				s.tellPod(ev, "%s created by "+ev.Actor, pod, "")
			}
		case PodScheduled:
			s.tellPod(ev, "%s scheduled", pod, "")
		case PodReady, PodSucceeded, PodFailed:
			s.tellPod(ev, "%s "+ev.To, pod, "")
		case PodNotReady:
			s.tellPod(ev, "%s not ready", pod, "")
		case PodTerminating:
			s.tellPod(ev, "%s terminating", pod, s.deleting[pod])
			delete(s.deleting, pod)
		case PodDeleted:
			s.tellPod(ev, "%s deleted", pod, s.deleting[pod])
			delete(s.deleting, pod)
		}
	}
}

// podFold is how far apart the same news of several pods of a node may lie to
// be told in one line.
const podFold = 500 * time.Millisecond

// tellPod adds a line, or a pod to a line that says the same of others on its
// node.
func (s *story) tellPod(ev *traces.Event, format, pod, why string) {
	key := strings.Join([]string{ev.Node, format, why}, "\x00")
	item := s.open[key]
	if item == nil || ev.At-item.To > podFold {
		item = s.add(ev, "")
		item.Why = why
		s.open[key] = item
	}
	item.To = ev.At
	item.pods = append(item.pods, pod)
	names := strings.Join(item.pods[:min(storyPods, len(item.pods))], ", ")
	if more := len(item.pods) - storyPods; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	item.Text = fmt.Sprintf(format, "pod "+names)
	if len(item.pods) > 1 {
		item.Text = fmt.Sprintf(format, "pods "+names)
	}
}
