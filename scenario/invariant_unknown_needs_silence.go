package scenario

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/traces"
)

// unknownNeedsSilence: the controller finds no node expired that it had news of
// within the grace period, and calls none Unknown that it has not found so.
type unknownNeedsSilence struct {
	broken
	grace   time.Duration
	heard   heard
	expired map[string]bool
}

func newUnknownNeedsSilence(grace time.Duration) *unknownNeedsSilence {
	return &unknownNeedsSilence{grace: grace, heard: heard{}, expired: map[string]bool{}}
}

func (u *unknownNeedsSilence) observe(ev *traces.Event) {
	u.heard.take(ev)
	switch ev.Kind {
	case heartbeat.DecisionExpired:
		u.expired[ev.Node] = true
		last := u.heard[ev.Node]
		if last == nil {
			return
		}
		if silent := ev.At - last.news; silent < u.grace {
			u.add("unknown-needs-silence", ev, fmt.Sprintf("found expired %s after the controller heard of it, grace period %s", silent, u.grace))
		}
	case traces.KindTransition:
		if ev.Actor == managerName && ev.Name == string(corev1.NodeReady) && ev.To == string(corev1.ConditionUnknown) && !u.expired[ev.Node] {
			u.add("unknown-needs-silence", ev, "called Unknown without having been found expired")
		}
	}
}
