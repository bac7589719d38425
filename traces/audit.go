package traces

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// AuditRecord is what this package keeps of one audit.k8s.io Event: one stage of one API request.
type AuditRecord struct {
	// ID is the auditID, the same for all stages of a request.
	ID string
	// Level is how much was logged: Metadata, Request or RequestResponse.
	Level string
	// Stage is ResponseComplete, Panic, or (for a watch) ResponseStarted.
	Stage string
	// Received is when the request reached the server, Completed when it reached Stage. UTC, to the microsecond.
	Received, Completed time.Time
	// User is the authenticated user's name, UserAgent what the client says it is.
	User, UserAgent string
	// Verb is the Kubernetes verb (the HTTP method in small letters for a request that is about no resource).
	Verb string
	// Group, Resource, Subresource, Namespace and Name say what the request is about. A name that the log's reference
	// leaves out (generateName) is taken from the objects.
	Group, Resource, Subresource, Namespace, Name string
	// URI is the request's path and query.
	URI string
	// Code, Reason and Message are those of the response's status; Code is 0 if there was no response.
	Code            int
	Reason, Message string
	// ResourceVersion is that of the response object, "" below level RequestResponse.
	ResourceVersion string
	// Object is the request's object or patch, nil at level Metadata. ResponseObject is the answer, nil below
	// RequestResponse.
	Object, ResponseObject json.RawMessage
}

// AuditOptions says what is read of an audit log.
type AuditOptions struct {
	// Name is what errors call the log.
	Name string
	// Strict makes damage an error instead of an early end, and a line that cannot be read too.
	Strict bool
	// Resources, if any, are the only resources of interest ("leases", "nodes", with all their subresources). Lines
	// about others are passed over without being decoded, which is many times faster.
	Resources []string
	// Keep, if not nil, says which of those are wanted. The record and all it points to are only valid during the
	// call.
	Keep func(*AuditRecord) bool
}

// AuditStats says what was found.
type AuditStats struct {
	// Lines is the number of lines read, blank ones too.
	Lines int
	// Events is the number of audit events among them.
	Events int
	// Kept is how many of those were handed on, Skipped how many were not: another resource, a stage that says
	// nothing more than the others, or refused by Keep.
	Kept, Skipped int
	// Foreign is the number of lines that hold something else: the server's own log between the audit lines, or
	// JSON of another kind.
	Foreign int
	// Bad is the number of lines that cannot be read, with readable ones after them, and FirstBad says where the first
	// is and what is wrong with it.
	Bad      int
	FirstBad *Damage
	// Damage is where the log stopped being readable, nil if it did not.
	Damage *Damage
}

// ReadAudit reads an audit log as kube-apiserver writes it (audit.k8s.io/v1 or v1beta1, one JSON Event a line; an
// EventList, as its webhook sends it, may stand for an Event), plain, gzip or zstd, and hands the records to fn in the
// order of the log, which is nearly that of Completed. It understands a timestamp before the JSON, and lines wrapped
// by a container runtime or log shipper ({"log": "..."}, {"message": "..."}). fn may keep the records. An error of fn
// ends the reading and is returned.
//
// A line that cannot be read is skipped and counted where readable ones follow, as a server that was killed in the
// middle of a line leaves one. A log that is cut off, or a packed one that is corrupt, is read up to the damage. What is
// not of interest is looked at only as far as it takes to see that.
// A log without a single audit event is an error. Memory is bounded by the longest line.
func ReadAudit(r io.Reader, o AuditOptions, fn func(*AuditRecord) error) (AuditStats, error) {
	if o.Name == "" {
		o.Name = "audit log"
	}
	l, err := newLines(r)
	if err != nil {
		return AuditStats{}, fmt.Errorf("%s: %w", o.Name, err)
	}
	defer l.close()
	a := &auditReader{options: o, filter: newAuditFilter(o.Resources), lines: l, fn: fn}
	err = a.run()
	a.stats.Lines = l.number
	switch {
	case err != nil:
		return a.stats, err
	case a.stats.Events == 0 && a.stats.Damage != nil:
		return a.stats, fmt.Errorf("%s: nothing in it can be read: %w", o.Name, a.stats.Damage)
	case l.end == 0:
		return a.stats, fmt.Errorf("%s: is empty", o.Name)
	case a.stats.Events == 0:
		return a.stats, fmt.Errorf("%s: has no audit event (audit.k8s.io) in it", o.Name)
	case a.stats.Damage != nil && o.Strict:
		return a.stats, fmt.Errorf("%s: %w", o.Name, a.stats.Damage)
	}
	return a.stats, nil
}

type auditReader struct {
	options AuditOptions
	filter  *auditFilter
	lines   *lines
	fn      func(*AuditRecord) error
	stats   AuditStats
	names   interner
	record  AuditRecord // what Keep is shown
	pretty  []byte      // the lines of an indented object so far
	pieces  pieces      // the beginnings of lines that a container runtime split
	doubt   *Damage     // the first of the lines since the last event that cannot be read
	doubts  int         // how many they are
}

// mostDoubts is how many lines that cannot be read may come before the first event: a file of something else is not
// read to its end.
const mostDoubts = 1000

// corrupt marks an error as damage of the log, to tell it from an error of fn.
type corrupt struct{ what string }

func (c corrupt) Error() string { return c.what }

func (a *auditReader) run() error {
	for {
		line, err := a.lines.next()
		if errors.Is(err, io.EOF) {
			if a.pretty != nil || a.pieces.pending() {
				a.damage(a.lines.damagedAfter("the log ends within an event"))
			}
			a.damage(a.doubt)
			return nil
		}
		if err != nil {
			a.damage(a.lines.damagedAfter("cannot be read: %v", err))
			return nil
		}
		if broken := a.lines.broken(); broken != nil {
			a.damage(a.lines.damaged("%v", cutOrCorrupt(broken)))
			return nil
		}
		before := a.stats.Events
		err = a.line(line)
		if bad := (corrupt{}); errors.As(err, &bad) {
			if a.doubtful(bad) {
				return nil
			}
			continue
		}
		if err != nil {
			return err
		}
		if a.stats.Events > before {
			a.settle()
		}
	}
}

// doubtful takes a line that cannot be read; true ends the reading.
func (a *auditReader) doubtful(bad corrupt) (ends bool) {
	if a.doubts++; a.doubt == nil {
		a.doubt = a.lines.damaged("%s", bad.what)
	}
	if a.options.Strict || a.stats.Events == 0 && a.doubts >= mostDoubts {
		a.stats.Damage = a.doubt
		return true
	}
	return false
}

// settle counts the doubtful lines, for an event has come after them.
func (a *auditReader) settle() {
	if a.stats.Bad == 0 {
		a.stats.FirstBad = a.doubt
	}
	a.stats.Bad += a.doubts
	a.doubt, a.doubts = nil, 0
}

// damage is where the log ends: here, or at the doubtful lines before.
func (a *auditReader) damage(d *Damage) {
	if a.doubt != nil {
		d = a.doubt
	}
	if a.stats.Damage == nil {
		a.stats.Damage = d
	}
}

// line takes one line of the log.
func (a *auditReader) line(line []byte) error {
	if a.pretty != nil {
		return a.indented(line)
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if stream, text, more, ok := criLine(line); ok {
		return a.piece(stream, text, more)
	}
	switch {
	case bytes.HasPrefix(line, dockerStart):
		return a.docker(line)
	case line[0] == '{':
		return a.document(line)
	case isKlog(line):
		a.stats.Foreign++
		return nil
	}
	if object := afterPrefix(line); object != nil {
		return a.document(object)
	}
	return corrupt{"the line is no JSON object"}
}

// document takes a line from its opening bracket on.
func (a *auditReader) document(line []byte) error {
	switch {
	case len(line) == 1:
		a.pretty = append(a.pretty, '{', '\n')
		return nil
	case line[len(line)-1] != '}':
		return corrupt{"the line is cut off"}
	case !a.filter.wants(line) && a.isAudit(line):
		a.stats.Events++
		a.stats.Skipped++
		return nil
	}
	return a.object(line, true)
}

// isAudit guards the quick way out: until one audit event was seen, a line that is passed over must look like one.
func (a *auditReader) isAudit(line []byte) bool {
	return a.stats.Events > 0 || bytes.Contains(line, []byte("audit.k8s.io/"))
}

// deliver hands a record on if it is wanted. raw is the event it was decoded from.
func (a *auditReader) deliver(raw []byte) error {
	a.stats.Events++
	rec := &a.record
	if !wantedStage(rec) || !a.filter.wantsResource(rec.Resource) ||
		(a.options.Keep != nil && !a.options.Keep(rec)) {
		a.stats.Skipped++
		return nil
	}
	if !json.Valid(raw) {
		a.stats.Events--
		return corrupt{"the event is not valid JSON"}
	}
	a.stats.Kept++
	kept := *rec
	kept.Object, kept.ResponseObject = bytes.Clone(rec.Object), bytes.Clone(rec.ResponseObject)
	return a.fn(&kept)
}

// wantedStage leaves one record a request, and for a watch its beginning besides its end.
func wantedStage(rec *AuditRecord) bool {
	switch rec.Stage {
	case "ResponseComplete", "Panic":
		return true
	case "ResponseStarted":
		return rec.Verb == "watch"
	}
	return false
}
