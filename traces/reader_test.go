package traces

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// readAll reads a trace from memory to its end.
func readAll(data []byte, o ReadOptions) (events []Event, damage *Damage, err error) {
	r, err := NewReader(bytes.NewReader(data), "run.trace", o)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	for {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events, r.Damage(), nil
		}
		if err != nil {
			return events, r.Damage(), err
		}
		events = append(events, *ev)
	}
}

// plain is a plain trace of n events without bodies, and its lines with their newlines.
func plain(t require.TestingT, n int) (data []byte, split []string, run []Event) {
	var out bytes.Buffer
	w, err := NewWriter(&out, anyHeader, WriteOptions{})
	require.NoError(t, err)
	var m Memory
	r := NewRecorder(w, &m)
	for i := 0; i < n; i++ {
		ev := lostRenewal()
		ev.Cause = uint64(i)
		r.Record(ev)
	}
	require.NoError(t, w.Close())
	return out.Bytes(), strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n"), m.Events
}

func TestATraceThatIsCutAnywhereIsReadUpToTheCut(t *testing.T) {
	run := rapid.SliceOfN(anyEvent(), 6, 6).Example(3)
	for i := range run {
		run[i].Seq = uint64(i + 1)
	}
	for _, ending := range endings {
		data, err := os.ReadFile(write(t, t.TempDir(), ending, run))
		require.NoError(t, err)
		complete := len(data)
		if ending == ".trace" {
			complete-- // without its last newline nothing is lost
		}
		most := 0
		for cut := 0; cut < complete; cut++ {
			events, damage, err := readAll(data[:cut], ReadOptions{})
			_, _, strictErr := readAll(data[:cut], ReadOptions{Strict: true})
			require.ErrorContains(t, strictErr, "run.trace")
			if err != nil {
				require.ErrorContains(t, err, "run.trace")
				continue
			}
			require.NotNil(t, damage, "cut at %d of %d", cut, len(data))
			require.LessOrEqual(t, len(events), len(run))
			require.Equal(t, run[:len(events)], append([]Event{}, events...))
			require.GreaterOrEqual(t, len(events), most, "a longer part holds no less")
			most = len(events)
		}
		if ending == ".trace" {
			require.Equal(t, len(run), most, "when only the footer is cut, all events are there")
		}
	}
}

func TestOneChangedByteIsFound(t *testing.T) {
	data, _, run := plain(t, 6)
	body := bytes.IndexByte(data, '\n') + 1 // the header is not covered by the hash
	rapid.Check(t, func(t *rapid.T) {
		changed := bytes.Clone(data)
		i := rapid.IntRange(body, len(data)-2).Draw(t, "i")
		changed[i] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
		events, damage, err := readAll(changed, ReadOptions{})
		require.NoError(t, err)
		if damage == nil {
			require.Equal(t, run, events, "only the spelling may differ")
			return
		}
		if damage.Line < 8 { // the footer's line, where the hash shows what nothing else does
			require.LessOrEqual(t, damage.Offset, int64(i), "damage is not found after its place")
		}
	})
}

func TestDamageSaysWhereAndWhat(t *testing.T) {
	_, lines, run := plain(t, 4)
	offset := func(line int) (sum int64) {
		for _, l := range lines[:line-1] {
			sum += int64(len(l))
		}
		return sum
	}
	with := func(line int, text string) []byte {
		changed := append([]string(nil), lines...)
		changed[line-1] = text
		return []byte(strings.Join(changed, ""))
	}
	for name, c := range map[string]struct {
		data   []byte
		line   int
		what   string
		events int
	}{
		"corrupt line":       {with(4, "{\"seq\":3,\"at\":12}\n"), 4, "at", 2},
		"garbage":            {with(3, "\x00\x00\x00\n"), 3, "corrupt", 1},
		"repeated line":      {with(4, lines[2]), 4, "event 2 stands where event 3 should", 2},
		"missing line":       {with(3, ""), 3, "event 3 stands where event 2 should", 1},
		"missing last event": {with(5, ""), 5, "counts 4 events, but there are 3", 3},
		"missing footer":     {with(6, ""), 6, "without its footer", 4},
		"cut line":           {with(5, lines[4][:20])[:offset(5)+20], 5, "cut off", 3},
		"changed event":      {with(3, strings.Replace(lines[2], "409", "408", 1)), 6, "hash", 4},
		"broken footer":      {with(6, "{\"events\":4,\"ha"), 6, "footer", 4},
		"text after the end": {with(6, lines[5]+"\n{}\n"), 7, "after the footer", 4},
	} {
		events, damage, err := readAll(c.data, ReadOptions{})
		require.NoError(t, err, name)
		require.NotNil(t, damage, name)
		require.Equal(t, c.line, damage.Line, name)
		require.Contains(t, damage.What, c.what, name)
		if c.line < 6 || c.events == 4 && name != "text after the end" {
			require.Equal(t, offset(c.line), damage.Offset+lost(lines, c.data, c.line), name)
		}
		require.Len(t, events, c.events, name)
		if name != "changed event" {
			require.Equal(t, run[:c.events], events, name)
		}

		_, _, err = readAll(c.data, ReadOptions{Strict: true})
		var strict *Damage
		require.ErrorAs(t, err, &strict, name)
		require.Equal(t, damage, strict, name)
		require.ErrorContains(t, err, "run.trace: line", name)
	}
}

// lost is how many bytes are missing before a line of data, compared with the lines it was made of.
func lost(lines []string, data []byte, line int) int64 {
	now := strings.SplitAfter(string(data), "\n")
	var n int64
	for i := 0; i < line-1 && i < len(now); i++ {
		n += int64(len(lines[i]) - len(now[i]))
	}
	return n
}

func TestWhatIsNoTraceIsAnErrorThatNamesTheFile(t *testing.T) {
	data, _, _ := plain(t, 1)
	for text, why := range map[string]string{
		"":                              "empty",
		"apiVersion: holter/v1alpha1\n": "not a trace",
		"{}\n":                          "not a trace",
		"\x1f\x8b\x08":                  "nothing of it can be read: cut off within the first block",
		"\x28\xb5\x2f\xfd\x01":          "nothing of it can be read: cut off within the first block",
		"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff": "nothing of it can be read: it is corrupt",
		string(data[:30]):                        "nothing of it can be read: cut off within its header",
		`{"holter":"trace/v2","seed":[]}` + "\n": "newer",
		`{"holter":"trace/v1alpha1","seed":-1}`:  "header is corrupt",
		`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata"}` + "\n": "is an audit log",
	} {
		_, _, err := readAll([]byte(text), ReadOptions{})
		require.ErrorContains(t, err, "run.trace", text)
		require.ErrorContains(t, err, why, text)
	}
	_, err := Open(filepath.Join(t.TempDir(), "none.trace"), ReadOptions{})
	require.ErrorContains(t, err, "none.trace")
}

func TestOfASmallPackedTraceThatIsCutMostIsRead(t *testing.T) {
	var run []Event
	for i := range 400 {
		ev := lostRenewal()
		ev.Seq, ev.Detail = uint64(i+1), strings.Repeat("x", 20)
		run = append(run, ev)
	}
	for _, ending := range []string{".trace.gz", ".trace.zst"} {
		data, err := os.ReadFile(write(t, t.TempDir(), ending, run))
		require.NoError(t, err)
		events, damage, err := readAll(data[:len(data)-10], ReadOptions{})
		require.NoError(t, err)
		require.Contains(t, damage.What, "cut off", ending)
		require.False(t, damage.Altered)
		require.Greater(t, len(events), 300, "%s: no more is lost than a block", ending)
		require.Equal(t, run[:len(events)], events)
	}
}

func TestACorruptBlockIsNotCalledCutOff(t *testing.T) {
	run := rapid.SliceOfN(anyEvent(), 300, 300).Example(5)
	for i := range run {
		run[i].Seq = uint64(i + 1)
	}
	for _, ending := range []string{".trace.gz", ".trace.zst"} {
		data, err := os.ReadFile(write(t, t.TempDir(), ending, run))
		require.NoError(t, err)
		for i := range 40 {
			data[len(data)*2/3+i] ^= 0x55
		}
		events, damage, err := readAll(data, ReadOptions{})
		require.NoError(t, err)
		require.NotEmpty(t, events)
		require.Contains(t, damage.What, "corrupt", ending)
		require.NotContains(t, damage.What, "cut off", ending)
	}
}

func TestOnlyWhatCanBeReadIsCalledAltered(t *testing.T) {
	data, lines, _ := plain(t, 4)
	join := func(lines ...string) []byte { return []byte(strings.Join(lines, "")) }
	for name, c := range map[string]struct {
		data    []byte
		altered bool
	}{
		"cut":             {data[:len(data)*2/3], false},
		"without footer":  {join(lines[:5]...), false},
		"corrupt line":    {join(lines[0], "{}x\n", lines[2]), false},
		"missing event":   {join(lines[0], lines[1], lines[3], lines[4], lines[5]), true},
		"missing last":    {join(lines[0], lines[1], lines[2], lines[3], lines[5]), true},
		"changed event":   {join(lines[0], lines[1], strings.Replace(lines[2], "409", "408", 1), lines[3], lines[4], lines[5]), true},
		"changed footer":  {join(append(lines[:5:5], strings.Replace(lines[5], `"hash":"`, `"hash":"f`, 1))...), true},
		"more at the end": {append(bytes.Clone(data), "\n{}\n"...), false},
	} {
		_, damage, err := readAll(c.data, ReadOptions{})
		require.NoError(t, err, name)
		require.Equal(t, c.altered, damage.Altered, "%s: %v", name, damage)
	}
}

func TestATraceWithDosLineEndsIsRead(t *testing.T) {
	data, _, run := plain(t, 3)
	events, damage, err := readAll(bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), ReadOptions{Strict: true})
	require.NoError(t, err)
	require.Nil(t, damage)
	require.Equal(t, run, events)
}

func TestVeryLongLinesAreRead(t *testing.T) {
	ev := lostRenewal()
	ev.Seq, ev.Detail = 1, strings.Repeat("x", 5<<20)
	_, events, damage, err := ReadFile(write(t, t.TempDir(), ".trace.zst", []Event{ev}), ReadOptions{})
	require.NoError(t, err)
	require.Nil(t, damage)
	require.Equal(t, ev, events[0])
}

func TestALineWithoutEndIsDamageNotMemory(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("first\n"), bytes.NewReader(make([]byte, 2<<20)))
	l, err := newLines(endless)
	require.NoError(t, err)
	l.limit = 1 << 20
	_, err = l.next()
	require.NoError(t, err)
	line, err := l.next()
	require.NoError(t, err)
	require.Less(t, len(line), 1<<20+512<<10)
	require.ErrorIs(t, l.broken(), errLineTooLong)
	_, err = l.next()
	require.ErrorIs(t, err, errLineTooLong)
}

func TestNextStaysAtTheEnd(t *testing.T) {
	data, _, _ := plain(t, 1)
	r, err := NewReader(bytes.NewReader(data), "run.trace", ReadOptions{})
	require.NoError(t, err)
	_, err = r.Next()
	require.NoError(t, err)
	for i := 0; i < 3; i++ {
		_, err = r.Next()
		require.ErrorIs(t, err, io.EOF)
	}
	require.NoError(t, r.Close())
}

func FuzzReader(f *testing.F) {
	data, _, _ := plain(f, 3)
	f.Add(data)
	f.Add(data[:len(data)/2])
	for _, ending := range endings {
		packed, err := os.ReadFile(write(f, f.TempDir(), ending, []Event{lostRenewal(), wentUnknown()}))
		require.NoError(f, err)
		f.Add(packed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		events, damage, err := readAll(data, ReadOptions{})
		_, _, strictErr := readAll(data, ReadOptions{Strict: true})
		require.Equal(t, err != nil || damage != nil, strictErr != nil)
		if err != nil {
			require.Contains(t, err.Error(), "run.trace")
			return
		}
		var out bytes.Buffer
		w, err := NewWriter(&out, Header{}, WriteOptions{Bodies: true})
		require.NoError(t, err)
		for i := range events {
			require.NoError(t, w.Event(&events[i]))
			require.NotContains(t, Text(&events[i]), "\n")
		}
		require.NoError(t, w.Close())
		again, _, err := readAll(out.Bytes(), ReadOptions{Strict: true})
		require.NoError(t, err)
		require.Len(t, again, len(events))
		for i := range events {
			require.True(t, sameEvent(&events[i], &again[i], 1))
		}
	})
}
