package traces

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var endings = []string{".trace", ".trace.gz", ".trace.zst"}

var anyHeader = Header{Name: "node-death", Seed: 1<<64 - 1, KubernetesVersion: "1.36", Binary: "v0.1",
	Scenario: "kind: Scenario\nspec: {nodes: [{count: 3}]} # <&>\n"}

// write puts a run into a file in a folder of its own and returns its path.
func write(t require.TestingT, folder, ending string, run []Event) string {
	path := filepath.Join(folder, "run"+ending)
	w, err := Create(path, anyHeader, WriteOptions{Bodies: true})
	require.NoError(t, err)
	for i := range run {
		require.NoError(t, w.Event(&run[i]))
	}
	require.NoError(t, w.Close())
	return path
}

// names are the names of the files in a folder.
func names(t *testing.T, folder string) (out []string) {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		run := anyRun(0, 20).Draw(t, "run")
		path := write(t, folder, rapid.SampledFrom(endings).Draw(t, "ending"), run)
		h, events, damage, err := ReadFile(path, ReadOptions{Strict: true})
		require.NoError(t, err)
		require.Nil(t, damage)
		want := anyHeader
		want.Holter = Format
		require.Equal(t, want, h)
		require.Len(t, events, len(run))
		for i := range run {
			require.Equal(t, run[i], events[i])
		}
	})
}

func TestTheEndingDecidesTheCompression(t *testing.T) {
	for ending, magic := range map[string]string{".trace": `{"holter":`, ".gz": "\x1f\x8b", ".zst": "\x28\xb5\x2f\xfd"} {
		data, err := os.ReadFile(write(t, t.TempDir(), ending, []Event{lostRenewal()}))
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(data, []byte(magic)), ending)
	}
}

func TestEqualRunsAreEqualFiles(t *testing.T) {
	run := rapid.SliceOfN(anyEvent(), 500, 500).Example(7)
	for _, ending := range endings {
		first, err := os.ReadFile(write(t, t.TempDir(), ending, run))
		require.NoError(t, err)
		second, err := os.ReadFile(write(t, t.TempDir(), ending, run))
		require.NoError(t, err)
		require.Equal(t, first, second, ending)
	}
}

func TestBodiesAreOnlyWrittenWhenKept(t *testing.T) {
	ev := lostRenewal()
	ev.Body = []byte(`{"secret":1}`)
	var out bytes.Buffer
	w, err := NewWriter(&out, Header{}, WriteOptions{})
	require.NoError(t, err)
	NewRecorder(w).Record(ev)
	require.NoError(t, w.Close())
	require.NotContains(t, out.String(), "secret")
}

func TestTheFooterCarriesTheHashOfTheRun(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(folder, "run.trace")
		w, err := Create(path, Header{}, WriteOptions{})
		require.NoError(t, err)
		rec := NewRecorder(w)
		for _, ev := range anyRun(0, 5).Draw(t, "run") {
			rec.Record(ev)
		}
		require.NoError(t, w.Close())
		r, err := Open(path, ReadOptions{Strict: true})
		require.NoError(t, err)
		defer r.Close()
		for err == nil {
			_, err = r.Next()
		}
		require.Equal(t, &Footer{Events: rec.Events(), Hash: rec.Hash()}, r.Footer())
	})
}

func TestTextThatIsNotUTF8IsWrittenSoThatItCanBeRead(t *testing.T) {
	ev := lostRenewal()
	ev.Seq, ev.Detail = 1, "\xff\xfe!"
	_, events, damage, err := ReadFile(write(t, t.TempDir(), ".trace", []Event{ev}), ReadOptions{})
	require.NoError(t, err)
	require.Nil(t, damage)
	require.Equal(t, "\uFFFD\uFFFD!", events[0].Detail)
}

func TestAnEarlierTraceStaysUntilTheNewOneIsComplete(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.trace")
	require.NoError(t, os.WriteFile(path, []byte("earlier"), 0o600))
	holds := func(text string) {
		t.Helper()
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(data))
	}

	w, err := Create(path, Header{}, WriteOptions{})
	require.NoError(t, err)
	NewRecorder(w).Record(lostRenewal())
	require.Len(t, names(t, folder), 2)
	holds("earlier")
	w.Abort()
	require.Equal(t, []string{"run.trace"}, names(t, folder))
	holds("earlier")

	write(t, folder, ".trace", nil)
	require.Equal(t, []string{"run.trace"}, names(t, folder))
	_, _, _, err = ReadFile(path, ReadOptions{Strict: true})
	require.NoError(t, err)
}

func TestTwoWritersOfOnePathDoNotMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.trace")
	first, err := Create(path, Header{Name: "first"}, WriteOptions{})
	require.NoError(t, err)
	second, err := Create(path, Header{Name: "second"}, WriteOptions{})
	require.NoError(t, err)
	require.NoError(t, second.Close())
	require.NoError(t, first.Close())
	h, _, _, err := ReadFile(path, ReadOptions{Strict: true})
	require.NoError(t, err)
	require.Equal(t, "first", h.Name)
	require.Equal(t, []string{"run.trace"}, names(t, filepath.Dir(path)))
}

func TestALinkToATraceStaysALink(t *testing.T) {
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target.trace"), filepath.Join(folder, "run.trace")
	require.NoError(t, os.WriteFile(target, []byte("earlier"), 0o600))
	require.NoError(t, os.Symlink("target.trace", link))
	write(t, folder, ".trace", nil)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	_, _, _, err = ReadFile(target, ReadOptions{Strict: true})
	require.NoError(t, err)
}

func TestClosingTwiceAndAbortingAfterCloseAreHarmless(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.trace")
	w, err := Create(path, Header{}, WriteOptions{})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	w.Abort()
	require.FileExists(t, path)
	ev := lostRenewal()
	require.Error(t, w.Event(&ev))

	w, err = Create(path, Header{}, WriteOptions{})
	require.NoError(t, err)
	w.Abort()
	require.Error(t, w.Close())
	require.Error(t, w.Event(&ev))
}

// fullDisk takes so many bytes and no more.
type fullDisk struct{ free int }

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.free {
		n := d.free
		d.free = 0
		return n, errFull
	}
	d.free -= len(p)
	return len(p), nil
}

func TestAFullDiskIsReportedByCloseAtTheLatest(t *testing.T) {
	for _, free := range []int{0, 10, 300_000} {
		w, err := NewWriter(&fullDisk{free}, Header{}, WriteOptions{})
		require.NoError(t, err)
		r := NewRecorder(w)
		for i := 0; i < 5000; i++ {
			r.Record(lostRenewal())
		}
		require.ErrorIs(t, w.Close(), errFull)
		require.ErrorIs(t, w.Close(), errFull)
		require.ErrorIs(t, r.Err(), errFull, "5000 events are more than the buffer holds")
	}
}

func TestAFailedTraceLeavesNothingBehindAndNamesItsFile(t *testing.T) {
	for _, ending := range endings {
		folder := t.TempDir()
		w, err := Create(filepath.Join(folder, "run"+ending), Header{}, WriteOptions{})
		require.NoError(t, err)
		require.NoError(t, w.file.Close()) // every write fails from here on
		require.ErrorContains(t, w.Close(), "run"+ending)
		require.Empty(t, names(t, folder))
	}
}

func TestAPlaceThatCannotBeWrittenIsAnErrorAtOnce(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "no", "run.trace")} {
		_, err := Create(path, Header{}, WriteOptions{})
		require.ErrorContains(t, err, path)
	}
}
