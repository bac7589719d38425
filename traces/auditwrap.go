package traces

import "bytes"

// What container runtimes and log shippers put around the lines of an audit log that the API server writes to its
// standard output: a timestamp in front, a JSON object around, a line cut into pieces, the server's own log between.

// dockerStart begins each line of Docker's json-file driver: {"log":"...\n","stream":"stdout","time":"..."}.
var dockerStart = []byte(`{"log":"`)

// pieces holds the beginnings of lines that a runtime split at 16 KiB, of standard output and standard error.
type pieces [2][]byte

func (p *pieces) pending() bool { return len(p[0]) > 0 || len(p[1]) > 0 }

// of is the beginning that belongs to a stream's name.
func (p *pieces) of(stream []byte) *[]byte {
	if string(stream) == "stderr" {
		return &p[1]
	}
	return &p[0]
}

// piece takes a part of a line from one stream; more says that the rest is still to come.
func (a *auditReader) piece(stream, text []byte, more bool) error {
	begun := a.pieces.of(stream)
	if more || len(*begun) > 0 {
		*begun = append(*begun, text...)
		text = *begun
	}
	if len(text) > a.lines.limit {
		return corrupt{errLineTooLong.Error()}
	}
	if more {
		return nil
	}
	*begun = (*begun)[:0]
	return a.unwrapped(text)
}

// unwrapped takes the text from inside a wrapper, where anything but an audit event is somebody else's log.
func (a *auditReader) unwrapped(text []byte) error {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return nil
	case text[0] != '{' || text[len(text)-1] != '}':
		a.stats.Foreign++
		return nil
	case !a.filter.wants(text) && a.isAudit(text):
		a.stats.Events++
		a.stats.Skipped++
		return nil
	}
	return a.object(text, false)
}

// unwrap takes the value under "log" or "message": a text, or an object that a shipper has parsed already.
func (a *auditReader) unwrap(value []byte) error {
	if value[0] == '{' {
		return a.object(value, false)
	}
	text, _, ok := unquote(value)
	if !ok {
		a.stats.Foreign++
		return nil
	}
	return a.unwrapped(text)
}

// docker takes a line of the json-file driver. A text without a newline at its end goes on in the next line, unless
// it is a whole object: some shippers strip the newline.
func (a *auditReader) docker(line []byte) error {
	var log, stream []byte
	f := fields{b: line}
	for key, value, ok := f.next(); ok; key, value, ok = f.next() {
		switch string(key) {
		case "log":
			log = value
		case "stream":
			stream, _, _ = unquote(value)
		}
	}
	text, _, ok := unquote(log)
	if f.err != nil || !ok {
		return corrupt{"the line is not valid JSON"}
	}
	whole := bytes.HasSuffix(text, []byte("\n")) || (text != nil && skipValue(text, 0) == len(text))
	return a.piece(stream, text, !whole)
}

// criLine takes apart a line of the container runtime interface's log format: "2026-11-21T09:21:02.095Z stdout F
// text", with P instead of F when the text goes on in the stream's next line.
func criLine(line []byte) (stream, text []byte, more, ok bool) {
	if line[0] < '0' || line[0] > '9' {
		return nil, nil, false, false
	}
	_, rest, _ := bytes.Cut(line, []byte(" "))
	stream, rest, _ = bytes.Cut(rest, []byte(" "))
	tag, text, _ := bytes.Cut(rest, []byte(" "))
	if string(stream) != "stdout" && string(stream) != "stderr" {
		return nil, nil, false, false
	}
	if string(tag) != "F" && string(tag) != "P" {
		return nil, nil, false, false
	}
	return stream, text, tag[0] == 'P', true
}

// afterPrefix is the object behind what a log shipper put before it; nil if there is none.
func afterPrefix(line []byte) []byte {
	const longestPrefix = 1 << 10
	i := bytes.IndexByte(line[:min(len(line), longestPrefix)], '{')
	if i < 0 {
		return nil
	}
	return line[i:]
}

// isKlog knows the server's own log lines ("I1121 09:21:02.095000 ..."), which come between the audit lines when
// --audit-log-path is "-" and both streams go to one place.
func isKlog(line []byte) bool {
	if len(line) < 6 || line[5] != ' ' || bytes.IndexByte([]byte("IWEF"), line[0]) < 0 {
		return false
	}
	for _, c := range line[1:5] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// indented collects an object that is spread over many lines, from a "{" to a "}" at the beginning of a line.
func (a *auditReader) indented(line []byte) error {
	if len(line) > 0 && line[0] == '{' {
		a.pretty = nil // nothing that is indented has a bracket there
		a.doubtful(corrupt{"the event before it does not end"})
		return a.line(line)
	}
	a.pretty = append(append(a.pretty, line...), '\n')
	if len(a.pretty) > a.lines.limit {
		return corrupt{errLineTooLong.Error()}
	}
	if len(line) == 0 || line[0] != '}' {
		return nil
	}
	object := bytes.TrimSpace(a.pretty)
	a.pretty = nil
	return a.object(object, true)
}
