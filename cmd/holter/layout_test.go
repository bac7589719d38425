package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestColumnsLineUp(t *testing.T) {
	var out bytes.Buffer
	tab := &table{}
	tab.add("a", "", "µs", "the rest")
	tab.add("long", "", "x", strings.Repeat("word ", 30)+"end")
	tab.print(&printer{out: &out}, "  ")
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Equal(t, "  a     µs  the rest", lines[0])
	require.True(t, strings.HasPrefix(lines[1], "  long  x   word word"))
	require.True(t, strings.HasPrefix(lines[2], strings.Repeat(" ", 12)+"word"))
}

func TestWrappingLosesNothingAndKeepsTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zµ]{1,12}`), 1, 40).Draw(t, "words")
		width := rapid.IntRange(12, 60).Draw(t, "width")
		lines := wrap(strings.Join(words, " "), width)
		require.Equal(t, strings.Join(words, " "), strings.Join(lines, " "))
		for _, line := range lines {
			require.LessOrEqual(t, len([]rune(line)), width)
		}
	})
}

func TestOnlyThreeWordsAreColoured(t *testing.T) {
	coloured := &printer{colours: true}
	require.Equal(t, "  \x1b[32mok\x1b[0m    Ready becomes \x1b[33mUnknown\x1b[0m", coloured.paint("  ok    Ready becomes Unknown"))
	require.Equal(t, "  \x1b[31mFAILED\x1b[0m  look", coloured.paint("  FAILED  look"))
	require.Equal(t, "  ok    Unknown", (&printer{}).paint("  ok    Unknown"))
}

func TestColoursAreForTerminals(t *testing.T) {
	require.False(t, newPrinter(&bytes.Buffer{}, func(string) string { return "" }).colours)
}

func TestTheFirstErrorOfStandardOutputIsKept(t *testing.T) {
	p := &printer{out: brokenPipe{}}
	p.line("a")
	p.line("b")
	require.EqualError(t, p.err, "no more room")

	var errOut bytes.Buffer
	c := &cli{in: strings.NewReader(""), out: brokenPipe{}, errOut: &errOut, getenv: func(string) string { return "" }}
	require.Equal(t, exitFailed, c.run([]string{"version"}))
	require.Equal(t, "error: standard output: no more room\n", errOut.String())
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("no more room") }

func TestWordsAreQuotedForAShell(t *testing.T) {
	require.Equal(t, "holter run a.yaml --set nodes=3", shellLine([]string{"holter", "run", "a.yaml", "--set", "nodes=3"}))
	require.Equal(t, `'[{count: 3}]' 'it'\''s' ''`, shellLine([]string{"[{count: 3}]", "it's", ""}))
}

func TestNumbersReadWell(t *testing.T) {
	require.Equal(t, "1,234,567", number(1234567))
	require.Equal(t, "123", number(123))
	require.Equal(t, "1 node", plural(1, "node"))
	require.Equal(t, "2,000 nodes", plural(2000, "node"))
	require.Equal(t, "15000x", speed(180*time.Second, 12*time.Millisecond))
	require.Equal(t, "1.5x", speed(3*time.Second, 2*time.Second))
	require.Equal(t, "12.3ms", threeDigits(12345678*time.Nanosecond).String())
	require.Equal(t, "1h2m3s", threeDigits(time.Hour+2*time.Minute+3*time.Second+4*time.Millisecond).String())
	require.Equal(t, "+0.0ms", signed(0))
	require.Equal(t, "-12.3ms", signed(-12345*time.Microsecond))
}

func TestProgressIsShownAndTakenAway(t *testing.T) {
	var out bytes.Buffer
	began := time.Unix(0, 0)
	p := &progress{out: &out, what: "a", began: began, shown: began, clock: func() time.Time { return began.Add(time.Second) }}
	p.run(30*time.Second, time.Minute)
	require.Equal(t, "\ra: 30s of 1m0s  30x  1s left", out.String())
	p.run(31*time.Second, time.Minute)
	require.NotContains(t, out.String(), "31s", "not that often")
	p.end()
	require.True(t, strings.HasSuffix(out.String(), " \r"))
	out.Reset()
	p.shown = time.Time{}
	p.seeds(1, 1000)
	require.Contains(t, out.String(), "a: 1 of 1,000 seeds")

	quiet := (&cli{errOut: &out}).newProgress("a")
	out.Reset()
	quiet.step("reading")
	quiet.end()
	require.Empty(t, out.String(), "nobody is looking")
}
