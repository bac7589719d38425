package traces

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLinesOfATraceArePinned(t *testing.T) {
	request := lostRenewal()
	request.Seq, request.Body = 17, json.RawMessage("{\n  \"spec\": {}\n}")
	line, err := appendEvent(nil, &request, true)
	require.NoError(t, err)
	require.Equal(t, `{"seq":17,"at":"000115.003210s","atNs":17,"actor":"kubelet/node-1","kind":"request","cause":16,`+
		`"node":"node-1","verb":"update","resource":"leases","namespace":"kube-node-lease","name":"node-1","code":409,`+
		`"reason":"Conflict","sent":"000114.999210s","resourceVersion":"1234",`+
		`"renewTime":"2026-01-01T00:01:54.999210Z","body":{"spec":{}}}`, string(line))

	transition := wentUnknown()
	transition.Seq = 18
	line, err = appendEvent(nil, &transition, true)
	require.NoError(t, err)
	require.Equal(t, `{"seq":18,"at":"000118.200000s","actor":"kube-controller-manager","kind":"transition",`+
		`"node":"node-1","reason":"NodeStatusUnknown","from":"True","to":"Unknown","detail":"no renewal for 50s"}`,
		string(line))
}

func TestEventsSurviveTheirJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := anyEvent().Draw(t, "ev")
		ev.Seq = rapid.Uint64().Draw(t, "seq")
		line, err := json.Marshal(ev)
		require.NoError(t, err)
		var back Event
		require.NoError(t, json.Unmarshal(line, &back))
		require.Equal(t, ev, back)
	})
}

func TestTextsAreEscapedAsEncodingJSONReadsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "s"))
		var standard string
		require.NoError(t, json.Unmarshal(appendString(nil, s), &standard))
		require.Equal(t, toValid(s), standard)
	})
}

func TestABodyThatIsNotJSONIsRefused(t *testing.T) {
	ev := lostRenewal()
	ev.Body = json.RawMessage(`{"spec":`)
	_, err := appendEvent(nil, &ev, true)
	require.ErrorContains(t, err, "body")
	_, err = appendEvent(nil, &ev, false)
	require.NoError(t, err)
}

func TestALineOfALaterVersionWithMoreFieldsIsRead(t *testing.T) {
	var ev Event
	require.NoError(t, json.Unmarshal([]byte(` { "seq" : 3 , "span" : {"a":["}",{}]} , "kind":"n\u006fte", "code":-1 } `), &ev))
	require.Equal(t, Event{Seq: 3, Kind: KindNote, Code: -1}, ev)
}

func TestBadFieldsAreNamed(t *testing.T) {
	for field, line := range map[string]string{
		"seq":    `{"seq":-1}`,
		"at":     `{"seq":1,"at":"5s"}`,
		"sent":   `{"seq":1,"sent":12}`,
		"code":   `{"seq":1,"code":"200"}`,
		"cause":  `{"seq":1,"cause":18446744073709551616}`,
		"actor":  `{"seq":1,"actor":null}`,
		"body":   `{"seq":1,"body":{"a":tru}}`,
		"atNs":   `{"seq":1,"atNs":1000}`,
		"detail": `{"seq":1,"detail":"\x"}`,
		"later":  `{"seq":1,"later":[1,}`,
	} {
		var ev Event
		require.ErrorContains(t, decodeEvent([]byte(line), &ev, &interner{}), field, line)
	}
}

func FuzzFieldsAgreeWithEncodingJSON(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":{"c":"}\"]"},"d":[[],{}],"e":null, "f" : -1.5e3 }`))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"a":"\\","b":"\u00e9"}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		walked := map[string]string{}
		w := fields{b: object}
		for key, value, ok := w.next(); ok; key, value, ok = w.next() {
			var name string
			if json.Unmarshal(append(append([]byte{'"'}, key...), '"'), &name) != nil {
				return
			}
			walked[name] = string(value)
		}
		var standard map[string]json.RawMessage
		if json.Unmarshal(object, &standard) != nil || standard == nil {
			return // what is not JSON may be walked: who reads the values finds out
		}
		require.NoError(t, w.err)
		require.Len(t, walked, len(standard))
		for name, value := range standard {
			require.Equal(t, string(value), walked[name])
		}
	})
}
