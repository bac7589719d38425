package traces

import (
	"bytes"
	"slices"
)

// auditFilter finds out from the bytes of a line whether it can be about a resource of interest. It may let through
// what is not wanted (decoding tells), but never holds back what is.
type auditFilter struct {
	resources []string
	words     [][]byte
}

func newAuditFilter(resources []string) *auditFilter {
	f := &auditFilter{resources: resources}
	for _, r := range resources {
		f.words = append(f.words, []byte(r))
	}
	return f
}

// wantsResource is the exact answer, after decoding.
func (f *auditFilter) wantsResource(resource string) bool {
	return len(f.resources) == 0 || slices.Contains(f.resources, resource)
}

var (
	reference       = []byte(`"objectRef":{"resource":"`)
	eventStart      = []byte(`{"kind":"Event","apiVersion":"audit.k8s.io/`)
	requestReceived = []byte(`"stage":"RequestReceived"`)
)

// wants looks at a line. kube-apiserver writes the keys of an Event in the order of the Go struct and without spaces,
// so that the reference to the object comes early and in one form; quotes inside strings are escaped, so that no text
// of a client's can pass for it. An object in a body may have a reference of the same form, hence all of them are
// looked at. A line without one was written by something else than kube-apiserver, or is about no resource: there the
// bare word decides, since a line that is about nodes has "nodes" in it in any order, spacing or quoting.
func (f *auditFilter) wants(line []byte) bool {
	if len(f.words) == 0 {
		return true
	}
	if bytes.HasPrefix(line, eventStart) && bytes.Contains(line[:min(len(line), 256)], requestReceived) {
		return false
	}
	seen := false
	for rest := line; ; {
		i := bytes.Index(rest, reference)
		if i < 0 {
			break
		}
		seen = true
		rest = rest[i+len(reference):]
		for _, word := range f.words {
			if len(rest) > len(word) && rest[len(word)] == '"' && bytes.HasPrefix(rest, word) {
				return true
			}
		}
	}
	if seen {
		return false
	}
	for _, word := range f.words {
		if bytes.Contains(line, word) {
			return true
		}
	}
	return false
}
