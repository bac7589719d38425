package traces

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecorderNumbersEventsFromOne(t *testing.T) {
	var seen Memory
	r := NewRecorder(&seen)
	first := lostRenewal()
	first.Seq = 99
	require.EqualValues(t, 1, r.Record(first))
	require.EqualValues(t, 2, r.Record(wentUnknown()))
	require.EqualValues(t, 2, r.Events())
	require.EqualValues(t, 1, seen.Events[0].Seq)
	require.EqualValues(t, 2, seen.Events[1].Seq)
	require.Equal(t, hashOf(seen.Events), r.Hash())
}

func TestRecordingDoesNotAllocate(t *testing.T) {
	w, err := NewWriter(io.Discard, Header{}, WriteOptions{})
	require.NoError(t, err)
	plain, written := NewRecorder(), NewRecorder(w)
	ev := lostRenewal()
	written.Record(ev)
	require.Zero(t, testing.AllocsPerRun(1000, func() { plain.Record(ev) }))
	require.Zero(t, testing.AllocsPerRun(1000, func() { written.Record(ev) }))
}

func TestAFailingSinkIsDroppedAndTheOthersGoOn(t *testing.T) {
	var before, after Memory
	calls := 0
	full := errors.New("no space left")
	failing := SinkFunc(func(ev *Event) error {
		calls++
		if ev.Seq == 2 {
			return full
		}
		return nil
	})
	r := NewRecorder(&before, failing, &after)
	for i := 0; i < 4; i++ {
		r.Record(wentUnknown())
	}
	require.Equal(t, 2, calls)
	require.Len(t, before.Events, 4)
	require.Equal(t, before.Events, after.Events)
	require.ErrorIs(t, r.Err(), full)
	require.EqualValues(t, 4, r.Events())
}

func TestMemoryKeepsBodiesThatItsCallerReuses(t *testing.T) {
	var m Memory
	ev := lostRenewal()
	ev.Body = []byte(`{"a":1}`)
	NewRecorder(&m).Record(ev)
	copy(ev.Body, "XXXXXXX")
	require.JSONEq(t, `{"a":1}`, string(m.Events[0].Body))
}
