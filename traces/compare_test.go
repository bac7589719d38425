package traces

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func source(run []Event) Source { return (&Memory{Events: run}).Source() }

func TestEqualRunsHaveNoDivergence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := anyRun(0, 10).Draw(t, "run")
		bare := append([]Event(nil), run...)
		for i := range bare {
			bare[i].Body = nil
		}
		d, err := Compare(source(run), source(bare), CompareOptions{})
		require.NoError(t, err)
		require.Nil(t, d)
	})
}

func TestTheFirstChangedFieldIsFoundWithItsSurroundings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := anyRun(1, 20).Draw(t, "run")
		changed := append([]Event(nil), run...)
		i := rapid.IntRange(0, len(run)-1).Draw(t, "i")
		field := rapid.SampledFrom(changeNames).Draw(t, "field")
		changes[field](&changed[i])
		k := rapid.IntRange(1, 6).Draw(t, "k")

		d, err := Compare(source(run), source(changed), CompareOptions{Surround: k})
		require.NoError(t, err)
		require.EqualValues(t, i+1, d.Index)
		require.Equal(t, &run[i], d.Expected)
		require.Equal(t, &changed[i], d.Got)
		require.Len(t, d.Fields, 1)
		require.Equal(t, field, d.Fields[0].Field)
		require.NotEqual(t, d.Fields[0].Expected, d.Fields[0].Got)
		require.Equal(t, run[max(0, i-k):i], append([]Event{}, d.Before...))
		after := run[i+1 : min(len(run), i+1+k)]
		require.Equal(t, after, append([]Event{}, d.ExpectedAfter...))
		require.Equal(t, after, append([]Event{}, d.GotAfter...))
		require.NotEmpty(t, d.String())
	})
}

func TestARunThatEndsEarlyDiverges(t *testing.T) {
	run := rapid.SliceOfN(anyEvent(), 8, 8).Example(1)
	short := run[:5]
	for _, c := range []struct {
		name          string
		expected, got []Event
	}{{"got less", run, short}, {"got more", short, run}} {
		d, err := Compare(source(c.expected), source(c.got), CompareOptions{})
		require.NoError(t, err, c.name)
		require.EqualValues(t, 6, d.Index, c.name)
		require.Equal(t, len(c.expected) > 5, d.Expected != nil, c.name)
		require.Equal(t, len(c.got) > 5, d.Got != nil, c.name)
		require.Len(t, d.Before, 5, c.name)
		require.Len(t, append(d.ExpectedAfter, d.GotAfter...), 2, c.name)
		require.Contains(t, d.String(), "(nothing more)", c.name)
	}
}

func TestPrecisionDecidesWhatOfATimeIsCompared(t *testing.T) {
	exact, cut := []Event{lostRenewal()}, []Event{lostRenewal()}
	cut[0].At = cut[0].At.Truncate(time.Microsecond)
	d, err := Compare(source(exact), source(cut), CompareOptions{})
	require.NoError(t, err)
	require.Equal(t, []FieldDiff{{"at", "000115.003210017s", "000115.003210s"}}, d.Fields)
	d, err = Compare(source(exact), source(cut), CompareOptions{Precision: time.Microsecond})
	require.NoError(t, err)
	require.Nil(t, d)
}

func TestARunIsComparedWhileItGoesOn(t *testing.T) {
	data, _, run := plain(t, 50)
	for _, fault := range []int{10, 49, 60} {
		r, err := NewReader(bytes.NewReader(data), "run.trace", ReadOptions{})
		require.NoError(t, err)
		c := NewComparer(r, CompareOptions{Surround: 2})
		rec := NewRecorder(c)
		for i := 0; i < len(run) && !c.Done(); i++ {
			ev := run[i]
			if i == fault {
				ev.Code = 500
			}
			rec.Record(ev)
		}
		d, err := c.Finish()
		require.NoError(t, err)
		if fault >= len(run) {
			require.Nil(t, d)
			require.EqualValues(t, 50, c.Equal())
			continue
		}
		require.EqualValues(t, fault+1, d.Index)
		require.EqualValues(t, fault, c.Equal())
		require.EqualValues(t, min(len(run), fault+3), rec.Events(), "the run can be stopped after the surroundings")
	}
}

func TestADamagedTraceIsComparedUpToItsDamage(t *testing.T) {
	data, lines, run := plain(t, 10)
	cut := data[:len(data)-len(lines[11])-len(lines[10])-3] // the last event and a little more are gone
	damaged := func() Source {
		r, err := NewReader(bytes.NewReader(cut), "run.trace", ReadOptions{})
		require.NoError(t, err)
		return r
	}
	for _, sides := range [][2]Source{{damaged(), source(run)}, {source(run), damaged()}, {damaged(), damaged()}} {
		d, err := Compare(sides[0], sides[1], CompareOptions{})
		require.NoError(t, err)
		require.Nil(t, d)
	}
}

func TestASourceThatFailsIsAnError(t *testing.T) {
	data, lines, run := plain(t, 10)
	cut := data[:len(data)-len(lines[11])-1]
	strict := func() Source {
		r, err := NewReader(bytes.NewReader(cut), "run.trace", ReadOptions{Strict: true})
		require.NoError(t, err)
		return r
	}
	_, err := Compare(strict(), source(run), CompareOptions{})
	require.ErrorContains(t, err, "run.trace")
	_, err = Compare(source(run), strict(), CompareOptions{})
	require.ErrorContains(t, err, "run.trace")
}

func TestADivergenceReadsLikeAPatch(t *testing.T) {
	_, _, run := plain(t, 12)
	for i := range run {
		run[i].At += time.Duration(i) * 10 * time.Second
		run[i].Sent += time.Duration(i) * 10 * time.Second
	}
	changed := append([]Event(nil), run[:11]...)
	changed[8].Code, changed[8].Reason, changed[8].ResourceVersion = 200, "", "1235"
	d, err := Compare(source(run), source(changed), CompareOptions{Surround: 2})
	require.NoError(t, err)
	require.Equal(t, strings.TrimPrefix(`
the runs differ from event 9 on (- expected, + got):
   7  000175.003210s  kubelet/node-1            PUT         leases/node-1             409 Conflict  (+4ms)
   8  000185.003210s  kubelet/node-1            PUT         leases/node-1             409 Conflict  (+4ms)
-  9  000195.003210s  kubelet/node-1            PUT         leases/node-1             409 Conflict  (+4ms)
+  9  000195.003210s  kubelet/node-1            PUT         leases/node-1             200 OK        (+4ms)
      code: expected 409, got 200
      reason: expected "Conflict", got ""
      resourceVersion: expected "1234", got "1235"
- 10  000205.003210s  kubelet/node-1            PUT         leases/node-1             409 Conflict  (+4ms)
- 11  000215.003210s  kubelet/node-1            PUT         leases/node-1             409 Conflict  (+4ms)
+ 10  000205.003210s  kubelet/node-1            PUT         leases/node-1             409 Conflict  (+4ms)
+ 11  000215.003210s  kubelet/node-1            PUT         leases/node-1             409 Conflict  (+4ms)
`, "\n"), d.String())
}

func TestMemoryIsReadToItsEnd(t *testing.T) {
	s := source([]Event{lostRenewal()})
	_, err := s.Next()
	require.NoError(t, err)
	_, err = s.Next()
	require.True(t, errors.Is(err, io.EOF))
}
