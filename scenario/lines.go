package scenario

import (
	"maps"
	"path/filepath"
	"strings"
)

// inputOrigin remembers where each field of a scenario was written, so that a complaint made long after reading can
// name the line. It is immutable once reading is done: what changes it makes a copy.
type inputOrigin struct {
	file    string
	lines   map[string]int  // of every field and list entry, by its path
	nulls   map[string]bool // the fields that are written, and empty
	reading []Warning       // what was odd about the text itself
}

func newInputOrigin(file string) *inputOrigin {
	return &inputOrigin{file: file, lines: map[string]int{}, nulls: map[string]bool{}}
}

// lineOf gives the line of a field or, where the field was not written, of the nearest thing around it that was.
// The file is "" where the value did not come from the file.
func (o *inputOrigin) lineOf(path string) (file string, line int) {
	if o == nil {
		return "", 0
	}
	for p := path; p != ""; p = inputParentPath(p) {
		if line := o.lines[p]; line < 0 {
			return "", 0
		} else if line > 0 {
			return o.file, line
		}
	}
	return o.file, 0
}

// written tells whether a field was given a value, rather than left out.
func (o *inputOrigin) written(path string) bool {
	return o != nil && o.lines[path] != 0 && !o.nulls[path]
}

// wasSet gives the origin of the scenario after one of its fields was set from outside the file.
func (o *inputOrigin) wasSet(path string) *inputOrigin {
	next := newInputOrigin("")
	if o != nil {
		next.file, next.reading = o.file, o.reading
		next.lines, next.nulls = maps.Clone(o.lines), maps.Clone(o.nulls)
	}
	maps.DeleteFunc(next.lines, func(p string, _ int) bool { return inputIsUnder(p, path) })
	maps.DeleteFunc(next.nulls, func(p string, _ bool) bool { return inputIsUnder(p, path) })
	next.lines[path] = -1
	return next
}

// resolve gives the path of a file that the scenario names relative to itself.
func (o *inputOrigin) resolve(name string) string {
	if o == nil || o.file == "" || o.file == stdinDisplay || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(o.file), name)
}

// located fills in the place of a complaint from its field.
func (o *inputOrigin) located(e *InputError) *InputError {
	if e.File == "" && e.Line == 0 {
		e.File, e.Line = o.lineOf(e.Field)
	}
	return e
}

// inputParentPath cuts the last step off a path: "a.b[1]" is in "a.b", which is in "a", which is in "".
func inputParentPath(path string) string {
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}

func inputIsUnder(path, parent string) bool {
	rest, ok := strings.CutPrefix(path, parent)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func inputJoin(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
