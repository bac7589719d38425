package version

import (
	"fmt"
	"strings"
)

// Span is a run of releases: from From up to, and without, Until. The zero Until is no end.
type Span struct{ From, Until Version }

// Spans lists the releases for which has is true, the oldest first. A behaviour that was taken back, or backported, has more
// than one.
func Spans(has func(Behaviors) bool) []Span {
	var spans []Span
	var b Behaviors
	had := false
	for _, r := range table() {
		r.apply(&b)
		switch now := has(b); {
		case now && !had:
			spans = append(spans, Span{From: r.from})
			had = true
		case !now && had:
			spans[len(spans)-1].Until = r.from
			had = false
		}
	}
	return spans
}

// First gives the first release for which has is true, and false if there is none:
//
//	First(func(b Behaviors) bool { return b.Kubelet.DelayAfterNodeStatusChange }) // 1.32.0
func First(has func(Behaviors) bool) (Version, bool) {
	spans := Spans(has)
	if len(spans) == 0 {
		return Version{}, false
	}
	return spans[0].From, true
}

// MissingError says that a version was asked for what it has not got.
type MissingError struct {
	Version Version
	What    string // the behaviour, as the object of "has no"
	Spans   []Span // what has it; none if nothing does
}

// Error gives one line: "Kubernetes 1.20 has no random report delay; the first version that has it is 1.32.0 (1.32.0 up to
// but without 1.32.3, and 1.34.0 or later)".
func (e *MissingError) Error() string {
	if len(e.Spans) == 0 {
		return fmt.Sprintf("Kubernetes %s has no %s; no version that is known has it", e.Version, e.What)
	}
	return fmt.Sprintf("Kubernetes %s has no %s; the first version that has it is %s (%s)", e.Version, e.What, e.Spans[0].From, spansText(e.Spans))
}

// Releases are those that have it, in words: "1.32.0 up to but without 1.32.3, and 1.34.0 or later".
func (e *MissingError) Releases() string {
	if len(e.Spans) == 0 {
		return "no version that is known"
	}
	return spansText(e.Spans)
}

// Require is nil if v behaves so, and else a *MissingError that names the first version which does. what is the behaviour,
// as in "has no random report delay".
func Require(v Version, what string, has func(Behaviors) bool) error {
	if has(Lookup(v)) {
		return nil
	}
	return &MissingError{Version: v, What: what, Spans: Spans(has)}
}

func spansText(spans []Span) string {
	texts := make([]string, len(spans))
	for i, s := range spans {
		if s.Until == (Version{}) {
			texts[i] = fmt.Sprintf("%s or later", s.From)
		} else {
			texts[i] = fmt.Sprintf("%s up to but without %s", s.From, s.Until)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + ", and " + texts[last]
}
