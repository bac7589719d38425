package scenario

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// syntheticLog is an audit log that is made while it is read: nodes that renew
// their Leases every 10 s, and nothing else. Level Request, as kubelets' writes
// have it in the policies of most distributions.
type syntheticLog struct {
	nodes, renewals int
	next            int
	line            bytes.Buffer
}

func (s *syntheticLog) Read(p []byte) (int, error) {
	if s.line.Len() == 0 {
		if s.next == s.renewals {
			return 0, io.EOF
		}
		s.write()
	}
	return s.line.Read(p)
}

func (s *syntheticLog) write() {
	node, round := s.next%s.nodes, s.next/s.nodes
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(round)*10*time.Second + time.Duration(node)*10*time.Second/time.Duration(s.nodes))
	fmt.Fprintf(&s.line, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"8c4b6c1e-0000-4000-8000-%012x",`+
		`"stage":"ResponseComplete","requestURI":"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-%[2]d?timeout=10s","verb":"update",`+
		`"user":{"username":"system:node:node-%[2]d","groups":["system:nodes","system:authenticated"]},"sourceIPs":["10.0.0.1"],`+
		`"userAgent":"kubelet/v1.36.3 (linux/amd64) kubernetes/abcdef0","objectRef":{"resource":"leases","namespace":"kube-node-lease",`+
		`"name":"node-%[2]d","uid":"8c4b6c1e-1111-4000-8000-000000000000","apiGroup":"coordination.k8s.io","apiVersion":"v1","resourceVersion":"%[1]d"},`+
		`"responseStatus":{"metadata":{},"code":200},"requestObject":{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"node-%[2]d",`+
		`"namespace":"kube-node-lease","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"node-%[2]d","uid":"8c4b6c1e-2222-4000-8000-000000000000"}]},`+
		`"spec":{"holderIdentity":"node-%[2]d","leaseDurationSeconds":40,"renewTime":"%[3]s"}},"requestReceivedTimestamp":"%[3]s",`+
		`"stageTimestamp":"%[4]s","annotations":{"authorization.k8s.io/decision":"allow"}}`+"\n",
		s.next, node, at.Format("2006-01-02T15:04:05.000000Z"), at.Add(4*time.Millisecond).Format("2006-01-02T15:04:05.000000Z"))
	s.next++
}

// BenchmarkWhatIfPerRenewal reads a log of 200,000 renewals, 1000
// nodes for half an hour, and puts it to the model. bytes/renewal is what is
// kept of one; read/scan is the time to read the log over that to look at its
// lines only, simulate/read that of one run of the model over that to read.
func BenchmarkWhatIfPerRenewal(b *testing.B) {
	const nodes, renewals = 1000, 200_000
	for b.Loop() {
		scan := timeOf(b, func() {
			lines := bufio.NewScanner(&syntheticLog{nodes: nodes, renewals: renewals})
			for lines.Scan() {
				continue
			}
		})
		before := heap()
		var r *Recording
		read := timeOf(b, func() {
			var err error
			r, err = ReadRecording([]string{"-"}, &syntheticLog{nodes: nodes, renewals: renewals}, true)
			require.NoError(b, err)
		})
		kept := heap() - before
		settings, err := New("bench").Effective()
		require.NoError(b, err)
		run := timeOf(b, func() {
			_, err := NewWhatIf(r, settings, &Fit{})
			require.NoError(b, err)
		})
		require.Equal(b, renewals, r.Renewals)
		b.ReportMetric(float64(kept)/renewals, "bytes/renewal")
		b.ReportMetric(read/scan, "read/scan")
		b.ReportMetric(run/read, "simulate/read")
		b.ReportMetric(read, "s-read")
		b.ReportMetric(run, "s-simulate")
	}
}

func timeOf(b *testing.B, f func()) (seconds float64) {
	b.Helper()
	before := b.Elapsed()
	f()
	return (b.Elapsed() - before).Seconds()
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
