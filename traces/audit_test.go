package traces

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// recorded is an excerpt of a real audit log, one request of each kind that occurred; the recording began at
// recordedStart.
const recorded = "testdata/three-nodes.jsonl.gz"

func recordedStart() time.Time { return time.Date(2026, 11, 21, 9, 9, 0, 0, time.UTC) }

// recordedLog is the text of the excerpt.
func recordedLog(t require.TestingT) []byte {
	file, err := os.ReadFile(recorded)
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	var text bytes.Buffer
	_, err = text.ReadFrom(z)
	require.NoError(t, err)
	return text.Bytes()
}

// read collects all records of a log.
func read(log []byte, o AuditOptions) (records []AuditRecord, stats AuditStats, err error) {
	o.Name = "audit.log"
	stats, err = ReadAudit(bytes.NewReader(log), o, func(r *AuditRecord) error {
		records = append(records, *r)
		return nil
	})
	return records, stats, err
}

// auditLine is one line of a log about a Lease's renewal.
func auditLine(node, stage string, second int) string {
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"id-%d","stage":"%s",`+
		`"requestURI":"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/%[3]s?timeout=10s","verb":"update",`+
		`"user":{"username":"system:node:%[3]s","groups":["system:nodes"]},"sourceIPs":["10.0.0.1"],"userAgent":"kubelet/v1.36.3",`+
		`"objectRef":{"resource":"leases","namespace":"kube-node-lease","name":"%[3]s","apiGroup":"coordination.k8s.io",`+
		`"apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},"requestObject":{"spec":{"renewTime":"x"}},`+
		`"requestReceivedTimestamp":"2026-01-01T00:00:%02[1]d.000001Z","stageTimestamp":"2026-01-01T00:00:%02[1]d.004000Z",`+
		`"annotations":{"authorization.k8s.io/decision":"allow"}}`+"\n", second, stage, node)
}

func renewals(n int) (log string) {
	for i := 0; i < n; i++ {
		log += auditLine("node-1", "ResponseComplete", i)
	}
	return log
}

func TestARealAuditLogReadsAsItsGolden(t *testing.T) {
	file, err := os.Open(recorded)
	require.NoError(t, err)
	defer file.Close()
	var got strings.Builder
	stats, err := ReadAudit(file, AuditOptions{Name: recorded, Strict: true}, func(r *AuditRecord) error {
		ev := r.ToEvent(recordedStart())
		fmt.Fprintln(&got, Text(&ev))
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, AuditStats{Lines: 44, Events: 44, Kept: 44}, stats)
	const golden = "testdata/three-nodes.golden"
	if os.Getenv("HOLTER_GOLDEN") == "rewrite" {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func TestAllFieldsOfARecordAreDecoded(t *testing.T) {
	line := strings.Replace(auditLine("node-1", "ResponseComplete", 7), `{"metadata":{},"code":200}`,
		`{"metadata":{},"status":"Failure","message":"no \"luck\"","reason":"Conflict","code":409}`, 1)
	line = strings.Replace(line, `,"requestReceived`, `,"responseObject":{"kind":"Status","metadata":{"resourceVersion":"12"}},"requestReceived`, 1)
	line = strings.Replace(line, `"apiVersion":"v1"}`, `"apiVersion":"v1","subresource":"status"}`, 1)
	records, _, err := read([]byte(line), AuditOptions{Strict: true})
	require.NoError(t, err)
	require.Equal(t, []AuditRecord{{
		ID: "id-7", Level: "Request", Stage: "ResponseComplete",
		Received:  time.Date(2026, 1, 1, 0, 0, 7, 1000, time.UTC),
		Completed: time.Date(2026, 1, 1, 0, 0, 7, 4000000, time.UTC),
		User:      "system:node:node-1", UserAgent: "kubelet/v1.36.3", Verb: "update", Group: "coordination.k8s.io",
		Resource: "leases", Subresource: "status", Namespace: "kube-node-lease", Name: "node-1",
		URI:  "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1?timeout=10s",
		Code: 409, Reason: "Conflict", Message: `no "luck"`, ResourceVersion: "12",
		Object:         json.RawMessage(`{"spec":{"renewTime":"x"}}`),
		ResponseObject: json.RawMessage(`{"kind":"Status","metadata":{"resourceVersion":"12"}}`),
	}}, records)
}

func TestLogsAreReadInAnyPacking(t *testing.T) {
	log := recordedLog(t)
	var gz, zst bytes.Buffer
	z := gzip.NewWriter(&gz)
	_, err := z.Write(log)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	s, err := zstd.NewWriter(&zst)
	require.NoError(t, err)
	_, err = s.Write(log)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	want, _, err := read(log, AuditOptions{})
	require.NoError(t, err)

	for name, packed := range map[string][]byte{
		"gzip": gz.Bytes(), "zstd": zst.Bytes(),
		"two gzip members": append(bytes.Clone(gz.Bytes()), gz.Bytes()...),
		"two zstd frames":  append(bytes.Clone(zst.Bytes()), zst.Bytes()...),
	} {
		got, stats, err := read(packed, AuditOptions{Strict: true})
		require.NoError(t, err, name)
		require.Zero(t, stats.Events%len(want), name)
		require.Equal(t, want, got[:len(want)], name)
		require.Equal(t, want, got[len(got)-len(want):], name)
	}
}

// indent is the log's events, or one EventList of them, as a person would pretty-print them.
func indent(t *testing.T, object string) string {
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, []byte(object), "", "  "))
	return out.String() + "\n"
}

func TestOneEventReadsAlikeInEveryWrapping(t *testing.T) {
	line := strings.TrimSuffix(auditLine("node-1", "ResponseComplete", 1), "\n")
	want, _, err := read([]byte(line), AuditOptions{})
	require.NoError(t, err)
	require.Len(t, want, 1)
	quoted := func(s string) string { return string(appendString(nil, s)) }
	half := len(line) / 2
	list := `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[ ` + line + ` ]}`
	var sorted map[string]any
	require.NoError(t, json.Unmarshal([]byte(line), &sorted))
	alphabetical, err := json.Marshal(sorted)
	require.NoError(t, err)
	var spaced map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(indent(t, line)), &spaced))

	for name, log := range map[string]string{
		"newline":                 line + "\n",
		"DOS line end":            line + "\r\n",
		"blank lines":             "\n  \n" + line + "\n\n",
		"other order of keys":     string(alphabetical),
		"indented":                indent(t, line),
		"spaces":                  strings.ReplaceAll(strings.ReplaceAll(line, `":`, `" : `), `,"`, `, "`),
		"EventList":               list,
		"indented EventList":      indent(t, list),
		"v1beta1":                 strings.Replace(line, "audit.k8s.io/v1", "audit.k8s.io/v1beta1", 1),
		"timestamp before":        "2026-01-01T00:00:01Z kube-apiserver-audit: " + line,
		"CRI":                     "2026-01-01T00:00:01.000000001Z stdout F " + line,
		"CRI, split":              "2026-01-01T00:00:01Z stdout P " + line[:half] + "\n2026-01-01T00:00:01Z stderr F I0101 x\n2026-01-01T00:00:01Z stdout F " + line[half:],
		"docker":                  `{"log":` + quoted(line+"\n") + `,"stream":"stdout","time":"2026-01-01T00:00:01Z"}`,
		"docker, split":           `{"log":` + quoted(line[:half]) + `,"stream":"stdout"}` + "\n" + `{"log":` + quoted(line[half:]+"\n") + `,"stream":"stdout"}`,
		"docker without newlines": `{"log":` + quoted(line) + `,"kubernetes":{"pod":"x"}}`,
		"shipper, text":           `{"@timestamp":"x","message":` + quoted(line) + `}`,
		"shipper, parsed":         `{"@timestamp":"x","message":` + line + `,"host":"y"}`,
	} {
		for _, resources := range [][]string{nil, {"nodes", "leases"}} {
			got, stats, err := read([]byte(log), AuditOptions{Strict: true, Resources: resources})
			require.NoError(t, err, name)
			for i := range got {
				got[i].Object = compacted(t, got[i].Object)
			}
			require.Equal(t, want, got, name)
			require.Equal(t, 1, stats.Events, name)
		}
		_, stats, err := read([]byte(log), AuditOptions{Strict: true, Resources: []string{"widgets"}})
		require.NoError(t, err, name)
		require.Equal(t, 1, stats.Skipped, name)
		require.Zero(t, stats.Kept, name)
	}
}

func compacted(t *testing.T, object json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	require.NoError(t, json.Compact(&out, object))
	return out.Bytes()
}

func TestStagesThatSayNothingNewAreSkipped(t *testing.T) {
	log := ""
	for _, stage := range []string{"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"} {
		log += auditLine("node-1", stage, 1) + strings.Replace(auditLine("node-1", stage, 1), `"verb":"update"`, `"verb":"watch"`, 1)
	}
	for _, resources := range [][]string{nil, {"leases"}} {
		records, stats, err := read([]byte(log), AuditOptions{Strict: true, Resources: resources})
		require.NoError(t, err)
		var kept []string
		for _, r := range records {
			kept = append(kept, r.Verb+" "+r.Stage)
		}
		require.Equal(t, []string{"watch ResponseStarted", "update ResponseComplete", "watch ResponseComplete", "update Panic",
			"watch Panic"}, kept)
		require.Equal(t, AuditStats{Lines: 8, Events: 8, Kept: 5, Skipped: 3}, stats)
	}
}

func TestKeepDecidesAndFunctionsErrorEndsTheReading(t *testing.T) {
	log := auditLine("node-1", "ResponseComplete", 2) + auditLine("node-2", "ResponseComplete", 1) + auditLine("node-1", "ResponseComplete", 3)
	records, stats, err := read([]byte(log), AuditOptions{Keep: func(r *AuditRecord) bool { return r.Name == "node-1" }})
	require.NoError(t, err)
	require.Equal(t, AuditStats{Lines: 3, Events: 3, Kept: 2, Skipped: 1}, stats)
	require.Equal(t, "id-2", records[0].ID, "in the order of the log")

	enough := errors.New("enough")
	stats, err = ReadAudit(strings.NewReader(log), AuditOptions{}, func(r *AuditRecord) error { return enough })
	require.ErrorIs(t, err, enough)
	require.Equal(t, 1, stats.Kept)
}

func TestOtherLogsBetweenTheEventsArePassedOver(t *testing.T) {
	log := "I1121 09:21:02.095000       1 server.go:12] {\"a\":1}\n" + renewals(1) +
		`{"ts":1,"level":"info","msg":"etcd"}` + "\n" +
		`{"kind":"Event","apiVersion":"v1","reason":"NodeNotReady"}` + "\n" +
		`{"log":"I1121 09:21:02.095000 1 x\n","stream":"stderr"}` + "\n" + renewals(1)
	records, stats, err := read([]byte(log), AuditOptions{Strict: true})
	require.NoError(t, err)
	require.Len(t, records, 2)
	require.Equal(t, AuditStats{Lines: 6, Events: 2, Kept: 2, Foreign: 4}, stats)
}

func TestADamagedLogIsReadUpToItsDamage(t *testing.T) {
	good, line := renewals(3), renewals(1)
	for name, c := range map[string]struct {
		rest, what string
		line       int
	}{
		"cut":             {line[:200], "cut off", 4},
		"cut in a body":   {strings.Replace(line, `"x"}},"req`, `"x"}},`, 1), "", 4},
		"garbage":         {"\x00\x00\x00\n", "no JSON object", 4},
		"much garbage":    {strings.Repeat("\x00\x00\x00\n", 5000), "no JSON object", 4},
		"broken JSON":     {strings.Replace(line, `"verb":`, `"verb"`, 1), "not valid JSON", 4},
		"broken body":     {strings.Replace(line, `{"renewTime":"x"}`, `{"renewTime":x]}`, 1), "not valid JSON", 4},
		"broken time":     {strings.Replace(line, `2026-01-01T00:00:00.000001Z`, `yesterday`, 1), "requestReceivedTimestamp", 4},
		"broken code":     {strings.Replace(line, `"code":200`, `"code":"200"`, 1), "responseStatus", 4},
		"broken list":     {`{"kind":"EventList","items":[,{}]}` + "\n", "EventList", 4},
		"unfinished":      {"{\n  \"kind\": \"Event\",\n", "ends within", 6},
		"unfinished part": {"2026-01-01T00:00:01Z stdout P {\n", "ends within", 5},
	} {
		records, stats, err := read([]byte(good+c.rest), AuditOptions{})
		require.NoError(t, err, name)
		require.NotNil(t, stats.Damage, name)
		require.Zero(t, stats.Bad, name)
		require.Equal(t, c.line, stats.Damage.Line, name)
		require.Contains(t, stats.Damage.What, c.what, name)
		if c.line == 4 {
			require.EqualValues(t, len(good), stats.Damage.Offset, name)
		}
		require.Len(t, records, 3, name)

		_, _, err = read([]byte(good+c.rest), AuditOptions{Strict: true})
		require.ErrorContains(t, err, "audit.log: line", name)
		_, _, err = read([]byte(c.rest), AuditOptions{})
		require.Error(t, err, "%s: nothing usable", name)
	}
}

func TestALineThatCannotBeReadIsSkippedWhereReadableOnesFollow(t *testing.T) {
	good, line := renewals(3), renewals(1)
	for name, bad := range map[string]string{
		"garbage":     "\x00\x00\x00\n",
		"text":        "panic: out of memory\n",
		"cut":         line[:200] + "\n",
		"cut, and on": line[:200],
		"a bracket":   "{\n",
		"broken JSON": strings.Replace(line, `"verb":`, `"verb"`, 1),
		"broken body": strings.Replace(line, `{"renewTime":"x"}`, `{"renewTime":x]}`, 1),
		"broken time": strings.Replace(line, `2026-01-01T00:00:00.000001Z`, `yesterday`, 1),
	} {
		kept := 6
		if !strings.HasSuffix(bad, "\n") {
			kept = 5 // the line that goes on in it is lost as well
		}
		log := good + bad + good
		records, stats, err := read([]byte(log), AuditOptions{})
		require.NoError(t, err, name)
		require.Nil(t, stats.Damage, name)
		require.Equal(t, 1, stats.Bad, name)
		require.Len(t, records, kept, name)
		if name != "a bracket" {
			require.Equal(t, 4, stats.FirstBad.Line, name)
		}

		_, stats, err = read([]byte(log+bad+good+bad+bad+good), AuditOptions{})
		require.NoError(t, err, name)
		require.Equal(t, 4, stats.Bad+map[bool]int{true: 1}[kept == 5], "%s: those that go on are one", name)
		_, _, err = read([]byte(log), AuditOptions{Strict: true})
		require.ErrorContains(t, err, "audit.log: line", name)
		_, _, err = read([]byte(log[:len(log)-20]), AuditOptions{})
		require.NoError(t, err)
	}
}

func TestAFileOfSomethingElseIsNotReadToItsEnd(t *testing.T) {
	_, stats, err := read([]byte(strings.Repeat("apiVersion: v1\n", 100_000)), AuditOptions{})
	require.ErrorContains(t, err, "audit.log: nothing in it can be read: line 1 (byte 0): the line is no JSON object")
	require.Less(t, stats.Lines, 2000)
}

func TestATruncatedPackedLogIsReadUpToTheCut(t *testing.T) {
	log := []byte(strings.Repeat(renewals(50), 20))
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	_, err := z.Write(log)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	records, stats, err := read(gz.Bytes()[:gz.Len()-9], AuditOptions{})
	require.NoError(t, err)
	require.NotNil(t, stats.Damage)
	require.Contains(t, stats.Damage.What, "unexpected EOF")
	require.Greater(t, len(records), 900)
}

func TestWhatIsNoAuditLogIsAnErrorThatNamesIt(t *testing.T) {
	for _, log := range []string{
		"", "\n\n", "hello\n", "{}\n", `{"a":1}`, `{"holter":"trace/v1alpha1","seed":1}` + "\n", "\x1f\x8b\x00", "{\n",
		"I1121 09:21:02.095000 1 x\n",
	} {
		for _, resources := range [][]string{nil, {"nodes"}} {
			_, _, err := read([]byte(log), AuditOptions{Resources: resources})
			require.ErrorContains(t, err, "audit.log", "%q", log)
		}
	}
}

func TestBodiesOfMegabytesAreRead(t *testing.T) {
	line := strings.Replace(renewals(1), `{"renewTime":"x"}`, `{"renewTime":"`+strings.Repeat("x", 8<<20)+`"}`, 1)
	records, _, err := read([]byte(line+line), AuditOptions{Strict: true, Resources: []string{"leases"}})
	require.NoError(t, err)
	require.Len(t, records, 2)
	require.Len(t, records[1].Object, len(`{"spec":{"renewTime":""}}`)+8<<20)
}

// TestTheFilterHoldsNothingBack reads the excerpt with and without the filter on bytes.
func TestTheFilterHoldsNothingBack(t *testing.T) {
	log := recordedLog(t)
	for _, resources := range [][]string{{"leases"}, {"nodes"}, {"pods", "nodes"}, {"events"}, {"node"}, {"kube-node-lease"}} {
		filtered, _, err := read(log, AuditOptions{Strict: true, Resources: resources})
		require.NoError(t, err)
		decoded, _, err := read(log, AuditOptions{Strict: true, Keep: func(r *AuditRecord) bool {
			return newAuditFilter(resources).wantsResource(r.Resource)
		}})
		require.NoError(t, err)
		require.Equal(t, decoded, filtered, resources)
	}
}

func TestAReferenceInsideABodyDoesNotHideTheEventsOwn(t *testing.T) {
	inner := `{"objectRef":{"resource":"widgets"}}`
	line := renewals(1)
	for _, log := range []string{
		strings.Replace(line, `{"spec":{"renewTime":"x"}}`, inner, 1),
		strings.Replace(line, `"verb":`, `"annotations":`+inner+`,"verb":`, 1),
	} {
		records, _, err := read([]byte(log), AuditOptions{Strict: true, Resources: []string{"leases"}})
		require.NoError(t, err)
		require.Len(t, records, 1)
		records, _, err = read([]byte(log), AuditOptions{Strict: true, Resources: []string{"widgets"}})
		require.NoError(t, err)
		require.Empty(t, records)
	}
}

func FuzzReadAudit(f *testing.F) {
	log := recordedLog(f)
	f.Add(log[:bytes.IndexByte(log, '\n')+1])
	f.Add([]byte(renewals(2)))
	f.Add([]byte("2026-01-01T00:00:01Z stdout P {\n2026-01-01T00:00:01Z stdout F }\n"))
	f.Add([]byte(`{"log":"{\"kind\":\"Event\"}\n","stream":"stdout"}`))
	f.Add([]byte("{\n\"kind\":\"EventList\",\"items\":[{\"stage\":\"Panic\"}]\n}\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		records, stats, err := read(log, AuditOptions{})
		require.Equal(t, stats.Kept, len(records))
		require.Equal(t, stats.Events, stats.Kept+stats.Skipped)
		_, _, strictErr := read(log, AuditOptions{Strict: true})
		require.Equal(t, err != nil || stats.Damage != nil || stats.Bad > 0, strictErr != nil)
		for i := range records {
			line, err := records[i].MarshalJSON()
			require.NoError(t, err)
			again, _, err := read(append(line, '\n'), AuditOptions{Strict: true})
			require.NoError(t, err, "%s", line)
			require.Len(t, again, 1)
			records[i].ToEvent(recordedStart())
		}
	})
}
