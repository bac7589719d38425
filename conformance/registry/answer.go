package registry

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"
)

// Answer is a response without what differs between any two runs.
type Answer struct {
	raw  any            // the body as it came; of a watch, its last event's object
	tree map[string]any // what is compared
}

// answer reads a response and names what is in it.
func (n *Names) answer(r *Request, got *Response) (*Answer, error) {
	n.expect(r)
	kind, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type"))
	tree := map[string]any{"code": float64(got.Code), "contentType": got.Header.Get("Content-Type")}
	for _, header := range []string{"Retry-After", "Warning"} {
		if values := got.Header.Values(header); len(values) > 0 {
			tree[strings.ToLower(header)] = n.Object(texts(values))
		}
	}
	a := &Answer{tree: tree}
	if r.watches() && got.Code == http.StatusOK && (kind == runtime.ContentTypeJSON || kind == runtime.ContentTypeProtobuf) {
		frames, err := framesOf(kind, got.Body)
		if err != nil {
			return nil, err
		}
		n.events(a, frames)
		return a, nil
	}
	body, err := parse(kind, got.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: a body of type %s that is none: %w", r.Method, r.Path, kind, err)
	}
	a.raw = body
	tree["body"] = n.Object(body)
	return a, nil
}

// events names what a watch has told.
func (n *Names) events(a *Answer, frames []map[string]any) {
	events := []any{}
	for _, ev := range frames {
		a.raw = ev["object"]
		events = append(events, n.Object(ev))
	}
	a.tree["events"] = events
}

// framesOf takes the body of a watch apart: a line of JSON an event, or a length
// in four bytes and as much protobuf.
func framesOf(kind string, body []byte) ([]map[string]any, error) {
	var out []map[string]any
	if kind == runtime.ContentTypeJSON {
		for line := range bytes.Lines(body) {
			var ev map[string]any
			if err := json.Unmarshal(line, &ev); err != nil {
				return nil, fmt.Errorf("watch event %q: %w", line, err)
			}
			out = append(out, ev)
		}
		return out, nil
	}
	for len(body) > 4 {
		n := int(binary.BigEndian.Uint32(body))
		if n > len(body)-4 {
			return nil, fmt.Errorf("a frame of %d bytes, of which there are %d", n, len(body)-4)
		}
		var ev metav1.WatchEvent
		if err := ev.Unmarshal(body[4 : 4+n]); err != nil {
			return nil, err
		}
		object, err := parse(kind, ev.Object.Raw)
		if err != nil {
			return nil, err
		}
		out = append(out, map[string]any{"type": ev.Type, "object": object})
		body = body[4+n:]
	}
	return out, nil
}

// parse reads a body into a JSON value; what is not JSON, YAML or protobuf is
// its text.
func parse(kind string, body []byte) (any, error) {
	var out any
	switch {
	case len(body) == 0:
		return nil, nil
	case kind == runtime.ContentTypeJSON:
		return out, json.Unmarshal(body, &out)
	case kind == runtime.ContentTypeYAML:
		return out, yaml.Unmarshal(body, &out)
	case kind == runtime.ContentTypeProtobuf:
		obj, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		s := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme, jsonserializer.SerializerOptions{})
		if err := s.Encode(obj, &text); err != nil {
			return nil, err
		}
		return out, json.Unmarshal(text.Bytes(), &out)
	}
	return strings.TrimSpace(string(body)), nil
}

// Differences lists where two answers differ, as "path: theirs | ours". Answers
// of different kinds have one difference.
func Differences(theirs, ours *Answer) []string {
	if a, b := theirs.kind(), ours.kind(); a != b {
		return []string{fmt.Sprintf("answer: %s | %s", theirs.brief(), ours.brief())}
	}
	return diff("", theirs.tree, ours.tree)
}

// kind is what sort of an answer it is.
func (a *Answer) kind() string {
	return fmt.Sprint(a.tree["code"], " ", dig(a.tree, "body", "kind"))
}

// brief says in few words what the answer is.
func (a *Answer) brief() string {
	body := a.tree["body"]
	if message, ok := dig(body, "message").(string); ok {
		return fmt.Sprintf("%v %v %.400q", a.tree["code"], dig(body, "reason"), message)
	}
	return fmt.Sprintf("%v %v %.200s", a.tree["code"], dig(body, "kind"), show(body))
}

func diff(path string, a, b any) []string {
	x, xok := a.(map[string]any)
	y, yok := b.(map[string]any)
	if xok && yok {
		var out []string
		for _, key := range sets.List(sets.KeySet(x).Union(sets.KeySet(y))) {
			out = append(out, diffMember(path+"."+key, x, y, key)...)
		}
		return out
	}
	p, pok := a.([]any)
	q, qok := b.([]any)
	if pok && qok && (discovery(p) || discovery(q)) {
		return diff(path, byName(p), byName(q))
	}
	if pok && qok && len(p) == len(q) {
		var out []string
		for i := range p {
			out = append(out, diff(fmt.Sprintf("%s[%d]", path, i), p[i], q[i])...)
		}
		return out
	}
	if s, t := show(a), show(b); s != t {
		return []string{fmt.Sprintf("%s: %s | %s", strings.TrimPrefix(path, "."), s, t)}
	}
	return nil
}

// discovery says that a list tells what is served, so that its order is nothing.
func discovery(list []any) bool {
	if len(list) == 0 {
		return false
	}
	m, _ := list[0].(map[string]any)
	return m["verbs"] != nil || m["versions"] != nil
}

// byName returns the entries of a list by what they are of.
func byName(list []any) map[string]any {
	out := map[string]any{}
	for _, e := range list {
		name := ""
		for _, key := range [][]string{{"name"}, {"resource"}, {"subresource"}, {"metadata", "name"}} {
			if s, ok := dig(e, key...).(string); ok {
				name = s
			}
		}
		out[name] = e
	}
	return out
}

func diffMember(path string, x, y map[string]any, key string) []string {
	a, inA := x[key]
	b, inB := y[key]
	path = strings.TrimPrefix(path, ".")
	switch {
	case !inA:
		return []string{fmt.Sprintf("%s: nothing | %s", path, show(b))}
	case !inB:
		return []string{fmt.Sprintf("%s: %s | nothing", path, show(a))}
	}
	return diff(path, a, b)
}

// show prints a value in one line.
func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
