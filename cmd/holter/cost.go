package main

import (
	"fmt"
	"math"
	"time"
)

// cost is what a run took of the real world.
type cost struct {
	wall, cpu time.Duration
	peakRSS   int64
}

// stopwatch measures a cost.
type stopwatch struct {
	began time.Time
	cpu   time.Duration
}

func startStopwatch() stopwatch {
	cpu, _ := resources()
	return stopwatch{began: time.Now(), cpu: cpu}
}

func (s stopwatch) elapsed() time.Duration { return time.Since(s.began) }

func (s stopwatch) stop() cost {
	cpu, peak := resources()
	return cost{wall: s.elapsed(), cpu: cpu - s.cpu, peakRSS: peak}
}

// took says how fast virtual time went: "3m0s simulated in 12ms (15000x)".
func (c cost) took(simulated time.Duration) string {
	return fmt.Sprintf("%s simulated in %s (%s)", simulated, threeDigits(c.wall), speed(simulated, c.wall))
}

// speed is how many times faster than the clock on the wall.
func speed(simulated, wall time.Duration) string {
	if wall <= 0 {
		return "at once"
	}
	times := simulated.Seconds() / wall.Seconds()
	if times < 10 {
		return fmt.Sprintf("%.2gx", times)
	}
	digits := math.Pow(10, math.Floor(math.Log10(times))-1) // two of them
	return fmt.Sprintf("%.0fx", math.Round(times/digits)*digits)
}

// threeDigits rounds a duration to what people read of it.
func threeDigits(d time.Duration) time.Duration {
	for unit := time.Duration(1); unit < time.Second; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
	return d.Round(time.Second)
}

// number writes a number with its thousands apart: 1,234,567.
func number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
