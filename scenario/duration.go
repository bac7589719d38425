package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that is written as text, "1m30s". A bare number is refused, since nobody can see its unit.
type Duration struct{ time.Duration }

const acceptedDuration = "a duration with its unit, as in 10s, 250ms or 1m30s"

// String writes the duration as people do, "5m" where time.Duration has "5m0s".
func (d Duration) String() string { return formatDuration(d.Duration) }

// MarshalText writes what String gives.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// UnmarshalText reads what time.ParseDuration reads, except a number without a unit.
func (d *Duration) UnmarshalText(text []byte) error {
	v, problem := parseDuration(string(text))
	if problem != "" {
		return fmt.Errorf("%q %s; accepted: %s", text, problem, acceptedDuration)
	}
	d.Duration = v
	return nil
}

// ParseDuration reads a duration as a scenario has it, or says what is wrong with the text: "is no duration".
func ParseDuration(text string) (d time.Duration, problem string) { return parseDuration(text) }

// parseDuration reads a duration that must have a unit, or says what is wrong with it.
func parseDuration(text string) (d time.Duration, problem string) {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return 0, "is a number without a unit"
	}
	v, err := time.ParseDuration(text)
	switch {
	case err == nil:
		return v, ""
	case overlong.MatchString(text):
		return 0, "is too long: a duration ends at 292 years"
	}
	return 0, "is no duration"
}

// overlong has the form of a duration, so that nothing but its length can be wrong with it.
var overlong = regexp.MustCompile(`^[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`)

// UnmarshalJSON reads a JSON string as UnmarshalText does, and refuses everything else.
func (d *Duration) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("%s is no text with a duration; accepted: %s", data, acceptedDuration)
	}
	return d.UnmarshalText([]byte(text))
}

// When is a moment of the run: At, or a moment that is drawn uniformly from [From, To] with the run's seed.
type When struct {
	At   Duration `json:"at,omitzero"`
	From Duration `json:"from,omitzero"`
	To   Duration `json:"to,omitzero"`
}

// whenRange is how a When that is drawn is written.
type whenRange struct {
	From *Duration `json:"from"`
	To   *Duration `json:"to"`
}

// IsRange tells whether the moment is drawn.
func (w When) IsRange() bool { return w.From.Duration != 0 || w.To.Duration != 0 }

// Latest is the last moment it can be.
func (w When) Latest() time.Duration {
	if w.IsRange() {
		return w.To.Duration
	}
	return w.At.Duration
}

// Draw gives the moment, and draws it if it is a range.
func (w When) Draw(r interface{ Int64N(n int64) int64 }) time.Duration {
	if !w.IsRange() {
		return w.At.Duration
	}
	return w.From.Duration + time.Duration(r.Int64N(int64(w.To.Duration-w.From.Duration)+1))
}

// MarshalJSON writes a moment as a duration and a range as an object.
func (w When) MarshalJSON() ([]byte, error) {
	if w.IsRange() {
		return json.Marshal(whenRange{&w.From, &w.To})
	}
	return json.Marshal(w.At)
}

// UnmarshalJSON reads a duration, or an object of from and to.
func (w *When) UnmarshalJSON(data []byte) error {
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		*w = When{}
		return w.At.UnmarshalJSON(data)
	}
	var r whenRange
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return err
	}
	if r.From == nil || r.To == nil {
		return fmt.Errorf("a range needs both from and to")
	}
	*w = When{From: *r.From, To: *r.To}
	return nil
}
