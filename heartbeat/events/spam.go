package events

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// An object may have 25 events of a type from one source at once, and one more
// every five minutes. Upstream: EventSourceObjectSpamFilter with its defaults.
const (
	spamBurst    = 25
	spamInterval = 5 * time.Minute
)

// spamFilter holds, for each object and type, when its bucket of tokens will be
// full again.
type spamFilter map[string]time.Time

// skips tells whether ev is one too many.
func (f spamFilter) skips(ev *corev1.Event, now time.Time) bool {
	o := ev.InvolvedObject
	key := ev.Source.Component + "/" + ev.Source.Host + "/" + o.Kind + "/" + o.Namespace + "/" + o.Name + "/" + string(o.UID) + "/" + ev.Type
	full := f[key]
	if full.Before(now) {
		full = now
	}
	full = full.Add(spamInterval)
	if full.Sub(now) > spamBurst*spamInterval {
		return true
	}
	f[key] = full
	return false
}
