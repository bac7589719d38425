package traces

import (
	"encoding/json"
	"errors"
)

// fields walks over the keys of one JSON object without decoding its values: what is not asked for costs only the
// search for its end. It checks the structure at its own level; what is inside a value is up to who reads the value.
type fields struct {
	b     []byte
	i     int
	begun bool
	done  bool
	err   error
}

var errNotObject = errors.New("not a complete JSON object")

// next moves to the next key. The key is without quotes, and without unescaping (no key of ours needs it); the value
// is its raw JSON. False at the end of the object or at an error.
func (f *fields) next() (key, value []byte, ok bool) {
	if f.done || f.err != nil {
		return nil, nil, false
	}
	if !f.begun {
		f.begun = true
		if !f.take('{') {
			return f.fail()
		}
		if f.take('}') {
			return f.finish()
		}
	} else if f.take('}') {
		return f.finish()
	} else if !f.take(',') {
		return f.fail()
	}
	f.space()
	start := f.i
	if f.i = skipString(f.b, f.i); f.i < 0 {
		return f.fail()
	}
	key = f.b[start+1 : f.i-1]
	if !f.take(':') {
		return f.fail()
	}
	f.space()
	start = f.i
	if f.i = skipValue(f.b, f.i); f.i < 0 {
		return f.fail()
	}
	return key, f.b[start:f.i], true
}

func (f *fields) fail() (key, value []byte, ok bool) {
	f.err = errNotObject
	return nil, nil, false
}

func (f *fields) finish() (key, value []byte, ok bool) {
	f.done = true
	f.space()
	if f.i != len(f.b) {
		return f.fail()
	}
	return nil, nil, false
}

func (f *fields) space() { f.i = skipSpace(f.b, f.i) }

// take skips white space and c, if c comes next.
func (f *fields) take(c byte) bool {
	f.space()
	if f.i < len(f.b) && f.b[f.i] == c {
		f.i++
		return true
	}
	return false
}

// lookup finds the raw value under a path of keys, nil if it is not there.
func lookup(object []byte, path ...string) []byte {
	for _, want := range path {
		f := fields{b: object}
		object = nil
		for key, value, ok := f.next(); ok; key, value, ok = f.next() {
			if string(key) == want {
				object = value
				break
			}
		}
		if object == nil {
			return nil
		}
	}
	return object
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue is the index after the value that begins at i, -1 if it does not end.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && !endsLiteral[b[i]] {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// endsLiteral marks what cannot stand in a number, true, false or null.
var endsLiteral = [256]bool{',': true, '}': true, ']': true, ':': true, '"': true, '{': true, '[': true,
	' ': true, '\t': true, '\n': true, '\r': true}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// skipString is the index after the string that begins at i, -1 if none does or it does not end.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			i++
		case c < ' ':
			return -1
		}
	}
	return -1
}

// unquote decodes a JSON string. plain is true when the result is a part of value: it has no escapes.
func unquote(value []byte) (text []byte, plain, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false, false
	}
	for _, c := range value[1 : len(value)-1] {
		if c == '\\' || c >= 0x80 {
			var s string
			if json.Unmarshal(value, &s) != nil {
				return nil, false, false
			}
			return []byte(s), false, true
		}
	}
	return value[1 : len(value)-1], true, true
}

// parseUint reads a JSON number that is a whole one and fits 64 bits.
func parseUint(value []byte) (n uint64, ok bool) {
	if len(value) == 0 || len(value) > 20 || (value[0] == '0' && len(value) > 1) {
		return 0, false
	}
	for _, c := range value {
		d := uint64(c - '0')
		if c < '0' || c > '9' || n > (1<<64-1-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, true
}
