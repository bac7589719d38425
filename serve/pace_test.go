package serve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/sim"
)

func TestASpeedIsReadAsItIsWritten(t *testing.T) {
	for _, text := range []string{"1x", "60x", "0.5x", "1000000x", "0.001x", "max"} {
		s, problem, _ := ParseSpeed(text)
		require.Empty(t, problem, text)
		require.Equal(t, text, s.String())
	}
	for text, want := range map[string]string{
		"": "is no speed", "x": "is no speed", "fast": "is no speed", "NaNx": "is no speed", "60": "is a number without its x",
		"0x": "is out of bounds", "-1x": "is out of bounds", "1000001x": "is out of bounds", "Infx": "is out of bounds",
	} {
		_, problem, accepted := ParseSpeed(text)
		require.Equal(t, want, problem, text)
		require.NotEmpty(t, accepted)
	}
}

func TestVirtualTimeFollowsTheWallAtItsSpeed(t *testing.T) {
	wall := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	after := func(s float64) time.Time { return wall.Add(time.Duration(s * float64(time.Second))) }
	seconds := func(s float64) sim.Time { return sim.Time(s * float64(time.Second)) }
	p := pace{speed: 60, end: seconds(180)}
	p.anchor(wall, seconds(5))
	require.Equal(t, seconds(5), p.target(wall, 0))
	require.Equal(t, seconds(125), p.target(after(2), 0))
	require.Equal(t, seconds(300), p.target(after(2), seconds(300)), "it never goes back")
	require.Equal(t, 500*time.Millisecond, p.due(after(2), seconds(155)))
	require.Zero(t, p.due(after(2), seconds(100)), "what should have been is due at once")
	require.False(t, p.stands(seconds(1000)))

	p.paused = true
	require.Equal(t, seconds(7), p.target(after(2), seconds(7)))
	require.True(t, p.stands(seconds(7)))
	p.step = seconds(9)
	require.Equal(t, seconds(9), p.target(after(2), seconds(7)))
	require.False(t, p.stands(seconds(7)))

	p = pace{speed: Max, end: seconds(180)}
	require.Equal(t, seconds(180), p.target(wall, 0))
	require.Equal(t, seconds(181), p.target(wall, seconds(181)))
	require.True(t, p.stands(seconds(181)))

	p = pace{speed: fastest}
	p.anchor(wall, 0)
	require.Equal(t, seconds(7), p.target(wall.Add(100*24*time.Hour), seconds(7)), "the clock has an end")
}

func FuzzASpeedIsReadOrRefused(f *testing.F) {
	for _, text := range []string{"1x", "max", "1e3x", "0x1p-2x", "_1x", "+1x", ".5x", "-0x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, problem, accepted := ParseSpeed(text)
		if problem != "" {
			require.NotEmpty(t, accepted)
			return
		}
		require.Positive(t, float64(s))
		again, problem, _ := ParseSpeed(s.String())
		require.Empty(t, problem, s.String())
		require.Equal(t, s, again)
	})
}
