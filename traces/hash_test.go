package traces

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// changes are all ways in which one hashed field of an event can change.
var changes = map[string]func(*Event){
	"seq":             func(ev *Event) { ev.Seq ^= 1 },
	"at":              func(ev *Event) { ev.At ^= 1 },
	"actor":           func(ev *Event) { ev.Actor += "x" },
	"kind":            func(ev *Event) { ev.Kind += "x" },
	"cause":           func(ev *Event) { ev.Cause ^= 1 << 63 },
	"node":            func(ev *Event) { ev.Node += "\x00" },
	"verb":            func(ev *Event) { ev.Verb += "x" },
	"resource":        func(ev *Event) { ev.Resource += "x" },
	"namespace":       func(ev *Event) { ev.Namespace += "x" },
	"name":            func(ev *Event) { ev.Name = "x" + ev.Name },
	"code":            func(ev *Event) { ev.Code ^= 1 },
	"reason":          func(ev *Event) { ev.Reason += "x" },
	"sent":            func(ev *Event) { ev.Sent ^= 1 << 40 },
	"resourceVersion": func(ev *Event) { ev.ResourceVersion += "0" },
	"renewTime":       func(ev *Event) { ev.RenewTime += "0" },
	"from":            func(ev *Event) { ev.From += "x" },
	"to":              func(ev *Event) { ev.To += "x" },
	"detail":          func(ev *Event) { ev.Detail += "\u00e9" },
}

// changeNames are the keys of changes, in the order of the file.
var changeNames = []string{"seq", "at", "actor", "kind", "cause", "node", "verb", "resource", "namespace", "name", "code",
	"reason", "sent", "resourceVersion", "renewTime", "from", "to", "detail"}

func hashOf(run []Event) string {
	h := hashStart
	for i := range run {
		h = h.event(&run[i])
	}
	return h.String()
}

// The values below pin the recipe that docs describe: if they change, hashes of old traces no longer hold, and Format
// must change with them.
func TestHashIsPinned(t *testing.T) {
	r := NewRecorder()
	require.Equal(t, "5f6ae29b83edd3c0", r.Hash())
	r.Record(lostRenewal())
	require.Equal(t, "9cfb4340f099d445", r.Hash())
	r.Record(wentUnknown())
	require.Equal(t, "1b5169d96027da26", r.Hash())
}

// TestHashFollowsItsDescription computes the hash again, slowly, from the words that hasher's comment describes.
func TestHashFollowsItsDescription(t *testing.T) {
	textWords := func(s string) (words []uint64) {
		little := func(b string) (w uint64) {
			for i := 0; i < len(b); i++ {
				w |= uint64(b[i]) << (8 * i)
			}
			return w
		}
		if len(s) < 8 {
			return []uint64{uint64(len(s))<<56 | little(s)}
		}
		words = []uint64{0xFF<<56 + uint64(len(s))}
		for i := 0; i < len(s)/8; i++ {
			words = append(words, little(s[8*i:8*i+8]))
		}
		if len(s)%8 != 0 {
			words = append(words, little(s[len(s)-8:]))
		}
		return words
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(0, 40, 40).Draw(t, "s")
		want := uint64(hashStart)
		for _, w := range textWords(s) {
			want = (want ^ w) * 0x9E3779B97F4A7C15
			want ^= want >> 32
		}
		require.Equal(t, hasher(want), hashStart.text(s))
	})
}

func TestHashChangesWithEveryField(t *testing.T) {
	require.Len(t, changes, len(changeNames))
	rapid.Check(t, func(t *rapid.T) {
		run := anyRun(1, 5).Draw(t, "run")
		before := hashOf(run)
		i := rapid.IntRange(0, len(run)-1).Draw(t, "i")
		field := rapid.SampledFrom(changeNames).Draw(t, "field")
		changes[field](&run[i])
		require.NotEqual(t, before, hashOf(run), "%s of event %d", field, i)
	})
}

func TestHashDoesNotConfuseNeighbouringFields(t *testing.T) {
	moved := hashOf([]Event{{From: "ab", To: "c"}})
	require.NotEqual(t, moved, hashOf([]Event{{From: "a", To: "bc"}}))
	require.NotEqual(t, moved, hashOf([]Event{{From: "abc"}}))
	require.NotEqual(t, hashOf([]Event{{Name: "x"}}), hashOf([]Event{{Node: "x"}}))
	require.NotEqual(t, hashOf([]Event{{At: 5}}), hashOf([]Event{{Sent: 5}}))
	require.NotEqual(t, hashOf([]Event{{}}), hashOf(nil))
}

func TestHashIgnoresBodies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := anyRun(1, 5).Draw(t, "run")
		before := hashOf(run)
		for i := range run {
			run[i].Body = json.RawMessage(rapid.String().Draw(t, "body"))
		}
		require.Equal(t, before, hashOf(run))
	})
}
