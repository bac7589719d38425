package registry

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Names replaces what differs between any two runs by what is the same in each:
// versions by how many writes there have been in the case ("version 3"), uids by
// the order in which they were first seen, times by the word "time" and ages by
// "age". What the requests gave stays: their times are all in the year 2001, and
// their versions are large.
type Names struct {
	base      int64             // the version before the first request
	jumps     []jump            // writes that do not count
	uids      map[string]string // and what they are called
	generated []*regexp.Regexp  // of names that may be generated, prefix first
}

// NewNames returns names for a case that begins at a version.
func NewNames(base int64) *Names {
	return &Names{base: base, uids: map[string]string{}}
}

// jump is a number of writes after a version that are not the case's.
type jump struct{ after, by int64 }

// jump leaves writes after a version out of the count.
func (n *Names) jump(after, by int64) { n.jumps = append(n.jumps, jump{after, by}) }

// Object returns a JSON value with everything named.
func (n *Names) Object(v any) any {
	n.collect(v)
	return n.walk("", v)
}

var generateName = regexp.MustCompile(`"generateName":"([^"]*)"`)

// expect notes which names a request may have generated.
func (n *Names) expect(r *Request) {
	for _, m := range generateName.FindAllStringSubmatch(r.Body, -1) {
		n.generated = append(n.generated, regexp.MustCompile("("+regexp.QuoteMeta(m[1])+")[bcdfghjklmnpqrstvwxz2456789]{5}"))
	}
}

// collect finds the uids, which stand in other strings too.
func (n *Names) collect(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n.collect(e)
		}
	case map[string]any:
		if uid, _ := v["uid"].(string); len(uid) == len("00000000-0000-4000-8000-000000000000") {
			if n.uids[uid] == "" {
				n.uids[uid] = fmt.Sprint("uid ", len(n.uids)+1)
			}
		}
		for _, key := range sortedKeys(v) {
			n.collect(v[key])
		}
	}
}

func (n *Names) walk(key string, v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = n.walk(key, e)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for _, k := range sortedKeys(v) {
			if k != "managedFields" {
				out[k] = n.walk(k, v[k])
			}
		}
		return out
	case string:
		return n.text(key, v)
	}
	return v
}

var (
	timeText    = regexp.MustCompile(`\b(20(0[02-9]|[1-9]\d)|1970)-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	microText   = regexp.MustCompile(`\b20(0[02-9]|[1-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`)
	ageText     = regexp.MustCompile(`^(\d+[smhdy])+$`)
	versionText = regexp.MustCompile(`(?i)(resource ?version in precondition: |resource ?version in object meta: |current: |requested: |too old resource version: \d+ \(|too old resource version: |in the precondition \(|in record \(|\\*"resourceVersion\\*":\\*")(\d+)`)
)

// text names a string that stands under a key.
func (n *Names) text(key, s string) string {
	switch key {
	case "resourceVersion":
		return n.version(s)
	case "continue":
		return n.token(s)
	case "cells":
		if ageText.MatchString(s) {
			return "age"
		}
	case "k8s.io/initial-events-end":
		return s
	}
	for _, name := range n.generated {
		s = name.ReplaceAllString(s, "$1(generated)")
	}
	for uid, called := range n.uids {
		s = strings.ReplaceAll(s, uid, called)
	}
	s = timeText.ReplaceAllString(s, "time")
	s = microText.ReplaceAllString(s, "time with microseconds")
	return n.versionsIn(n.versionsIn(s))
}

// versionsIn names the versions in a message; of two in a row, the second.
func (n *Names) versionsIn(s string) string {
	return versionText.ReplaceAllStringFunc(s, func(match string) string {
		parts := versionText.FindStringSubmatch(match)
		return parts[1] + n.version(parts[2])
	})
}

// token shows what a continue token says.
func (n *Names) token(s string) string {
	data, err := base64.RawURLEncoding.DecodeString(s)
	var t struct {
		V     string `json:"v"`
		RV    int64  `json:"rv"`
		Start string `json:"start"`
	}
	if err != nil || json.Unmarshal(data, &t) != nil || s == "" {
		return s
	}
	return fmt.Sprintf("%s from %q at %s", t.V, t.Start, n.version(fmt.Sprint(t.RV)))
}

// version is what a resourceVersion is called.
func (n *Names) version(s string) string {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v == 0 || len(s) > 7 {
		return s // the table's own
	}
	if v <= n.base {
		return "an old version"
	}
	count := v - n.base
	for _, j := range n.jumps {
		if v > j.after {
			count -= j.by
		}
	}
	return fmt.Sprint("version ", count)
}
