package scenario

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/holter-sim/holter/traces"
)

// Recording is what an audit log says of node heartbeats, boiled down: the
// writes to be put to the model, and what the recorded controller did. Times
// are virtual, from Start.
type Recording struct {
	Name  string
	Start time.Time
	// End is when the log ends: the last moment that it tells of.
	End time.Duration

	// Writes are the requests that changed nodes and their Leases and did not
	// come from the node lifecycle controller, in the order in which they took
	// effect.
	Writes []Write
	// Changes are the recorded controller's, in the order of their arrival.
	Changes []Change

	// ControllerStart is when the recorded controller began to watch;
	// ControllerSeen tells whether the log has that moment.
	ControllerStart time.Duration
	ControllerSeen  bool
	// ControllerRestarts are its later starts, of the same process or of another
	// that took over.
	ControllerRestarts []time.Duration
	// ControllerLatency is the median time that the server took for its requests.
	ControllerLatency time.Duration

	// Outages are the times in which the recorded server answered nobody, Blind
	// those in which the controller got to know nothing of a resource, or a
	// kubelet of its Node, in order.
	Outages []Outage
	Blind   []Blind

	// Nodes are all the nodes that it speaks of, by name.
	Nodes []string
	// Renewals counts the renewals of Leases among Writes.
	Renewals int
	// Failed counts the writes that the server refused or never finished; they
	// are not put to the model.
	Failed int
	// Bodiless counts the writes whose object is not in the log (audit level
	// Metadata): of a Lease, the time of its arrival is taken for renewTime; of
	// a kubelet's status report, that it says the node is ready; of the
	// controller's writes, what it can only have written.
	Bodiless int
	// Warnings are about the log itself: damage, lines that are no audit
	// events, and what is missing from it so that the model cannot do it justice.
	Warnings []string

	names []string    // what Write.node counts
	begun []nodeBegun // how each of them is found at the start
}

// nodeBegun is what is known of a node at the start of a recording.
type nodeBegun struct {
	present bool // it is there before the log's first word of it
	state   nodeState
}

// ReadRecording reads audit logs (plain, gzip or zstd; "-" is stdin). They may
// overlap, as rotated files and logs that were shipped twice do: a request
// counts once. Of a cluster with several API servers give the logs of all of
// them, since a kubelet speaks to one. What is wrong with a log is an
// *InputError; what is merely damaged is read up to the damage, unless strict.
func ReadRecording(paths []string, stdin io.Reader, strict bool) (*Recording, error) {
	var names []string
	for _, path := range paths {
		names = append(names, DisplayName(path))
	}
	b := newRecordingBuilder(strings.Join(names, ", "))
	for _, path := range paths {
		if err := b.readFile(path, stdin, strict); err != nil {
			return nil, err
		}
	}
	return b.finish()
}

func (b *recordingBuilder) readFile(path string, stdin io.Reader, strict bool) error {
	in, name := stdin, DisplayName(path)
	if path != stdinName {
		file, err := os.Open(path)
		if err != nil {
			return inputUnreadable(path, err)
		}
		defer file.Close()
		in = file
	}
	stats, err := traces.ReadAudit(in, traces.AuditOptions{
		Name:      name,
		Strict:    strict,
		Resources: []string{"nodes", "leases"},
	}, b.take)
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		return inputUnreadable(path, err)
	case err != nil:
		return &InputError{File: name, Message: strings.TrimPrefix(err.Error(), name+": ")}
	}
	if stats.Bad > 0 {
		b.warn("%s: %s skipped that cannot be read; the first is %v", name, countLines(stats.Bad), stats.FirstBad)
	}
	if stats.Damage != nil {
		b.warn("%s: %v; read up to there", name, stats.Damage)
	}
	if stats.Foreign > 0 {
		b.warn("%s: %s passed over that hold no audit event", name, countLines(stats.Foreign))
	}
	return nil
}

// countLines is "1 line was" or "7 lines were".
func countLines(n int) string {
	if n == 1 {
		return "1 line was"
	}
	return fmt.Sprintf("%d lines were", n)
}

func (b *recordingBuilder) warn(format string, args ...any) {
	b.recording.Warnings = append(b.recording.Warnings, fmt.Sprintf(format, args...))
}

// Write is one recorded request that is put to the model: a renewal of a Lease,
// which is nearly all of a log and so takes few bytes, or a write of a node.
type Write struct {
	at        int64      // arrival, in nanoseconds from the recording's start
	renewTime int64      // what a Lease was renewed to, in Unix nanoseconds; 0 where the log does not say
	node      uint32     // index into the recording's names
	took      uint32     // microseconds from arrival to answer
	write     *nodeWrite // nil for a renewal
}

// At is when the request reached the recorded server.
func (w *Write) At() time.Duration { return time.Duration(w.at) }

// Done is when the recorded server had answered it. What it wrote can be seen
// from then on.
func (w *Write) Done() time.Duration {
	return time.Duration(w.at) + time.Duration(w.took)*time.Microsecond
}

// newWrite keeps of a record when it was, and of whom.
func newWrite(r *traces.AuditRecord, node uint32) Write {
	const longest = 1<<32 - 1 // over an hour
	took := r.Completed.Sub(r.Received).Microseconds()
	return Write{at: r.Received.UnixNano(), node: node, took: uint32(min(max(took, 0), longest))}
}
