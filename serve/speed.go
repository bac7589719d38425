package serve

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Speed is how many virtual seconds pass in one of the wall's.
type Speed float64

// Max is as fast as it goes, up to the duration of the scenario. From there on the
// clock stands, and moves for requests alone.
var Max = Speed(math.Inf(1))

// The bounds of a speed that is not Max.
const (
	slowest Speed = 0.001
	fastest Speed = 1_000_000
)

// ParseSpeed reads "1x", "60x", "0.5x" or "max", or says what is wrong with the text
// and what is accepted.
func ParseSpeed(text string) (s Speed, problem, accepted string) {
	const all = `max, or a number from 0.001 to 1000000 with an x, as in 1x, 60x or 0.5x`
	if text == "max" {
		return Max, "", ""
	}
	digits, times := strings.CutSuffix(text, "x")
	n, err := strconv.ParseFloat(digits, 64)
	switch {
	case err != nil || math.IsNaN(n):
		return 0, "is no speed", all
	case !times:
		return 0, "is a number without its x", all
	case Speed(n) < slowest || Speed(n) > fastest:
		return 0, "is out of bounds", all
	}
	return Speed(n), "", ""
}

// String is the speed as ParseSpeed reads it.
func (s Speed) String() string {
	if s == Max {
		return "max"
	}
	return strconv.FormatFloat(float64(s), 'f', -1, 64) + "x"
}

// Start is what the clocks of a run show at its Time 0, if it begins at that instant
// of the wall. At speed 1 that is the same; at a higher one it is so much earlier
// that the clocks show the wall's time when the run has lasted for duration. It is a
// whole second, because the API has times in seconds: a run that nobody comes to
// rounds like any other, and but for dates has the trace of holter run.
func (s Speed) Start(real time.Time, duration time.Duration) time.Time {
	if s > 1 {
		earlier := time.Duration(float64(duration) * (1 - 1/float64(s)))
		real = real.Add(-earlier.Truncate(time.Second))
	}
	return real.Truncate(time.Second)
}
