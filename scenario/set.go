package scenario

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
)

// Set gives one field another value, as --set does. The path starts at the scenario's spec: "seed",
// "kubelet.nodeStatusUpdateFrequency", "controllerManager.node-monitor-grace-period", "nodes[0].count",
// "nodes[0].labels.example.com/pool", "network.latency.p50", "faults[0].at.from". The value is read as the field's type
// asks; lists and mappings are given as YAML, "[99s, 116s]", and null takes away what may be absent. Setting
// kubeletConfigFile reads that file. Setting one form of a distribution ("fixed") takes the others away. An entry must be there to be changed; none is added. Whether the value makes sense
// is for Validate to say. Every error is an *InputError, and leaves the scenario as it was.
func (s *Scenario) Set(path, value string) error {
	path = strings.TrimPrefix(path, "spec.")
	if path == "" || !isPlainText(path) {
		return badValue("--set", path, "is no path", "a path from the scenario's spec, as in kubelet.nodeStatusUpdateFrequency")
	}
	p := &pathSetter{value: value}
	if path == "kubeletConfigFile" && value != "" {
		text, err := s.readKubeletConfigFile(value)
		if err != nil {
			return err
		}
		s.Spec.KubeletConfigFile, s.Spec.KubeletConfig = value, text
	} else if err := p.set(reflect.ValueOf(&s.Spec).Elem(), path, "spec"); err != nil {
		return err
	} else if path == "kubeletConfigFile" {
		s.Spec.KubeletConfig = ""
	}
	s.origin = s.origin.wasSet("spec." + path)
	s.origin.reading = slices.Concat(s.origin.reading, p.warnings)
	return nil
}

// IsField tells whether a name is that of a field of the scenario's spec.
func IsField(name string) bool {
	return slices.Contains(inputFieldNames(reflect.TypeFor[Spec]()), name)
}

// pathSetter follows a path into a value and sets what is at its end.
type pathSetter struct {
	value    string
	warnings []Warning
}

// set follows rest, which is "" at the end of the path; at is the path so far.
func (p *pathSetter) set(v reflect.Value, rest, at string) *InputError {
	if rest == "" {
		return p.assign(v, at)
	}
	if v.Kind() == reflect.Pointer {
		return p.behindPointer(v, rest, at)
	}
	if when, ok := v.Addr().Interface().(*When); ok {
		return p.whenBound(when, rest, at)
	}
	switch {
	case len(inputFields(v.Type())) > 0:
		return p.field(v, strings.TrimPrefix(rest, "."), at)
	case v.Kind() == reflect.Slice:
		return p.entry(v, rest, at)
	case v.Kind() == reflect.Map:
		return p.mapEntry(v, rest, at)
	}
	return badValue(at+rest, at+rest, "is no field: "+at+" is a "+typeNoun(v.Type()), at)
}

// behindPointer makes what the pointer points to where there is nothing yet.
func (p *pathSetter) behindPointer(v reflect.Value, rest, at string) *InputError {
	if !v.IsNil() {
		return p.set(v.Elem(), rest, at)
	}
	fresh := reflect.New(v.Type().Elem())
	if err := p.set(fresh.Elem(), rest, at); err != nil {
		return err
	}
	v.Set(fresh)
	return nil
}

func (p *pathSetter) field(v reflect.Value, rest, at string) *InputError {
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	name, rest := rest[:end], rest[end:]
	for _, f := range inputFields(v.Type()) {
		if f.name == name {
			if err := p.set(v.FieldByIndex(f.index), rest, inputJoin(at, name)); err != nil {
				return err
			}
			otherForms(v, name)
			return nil
		}
	}
	err, ignored := unknownFieldError(v.Type(), at, name)
	if ignored != "" {
		err.Message = inputQuote(name) + " " + strings.Replace(ignored, "it has no effect here", "setting it would change nothing", 1)
	}
	if v.Type() == reflect.TypeFor[Spec]() {
		if near := settingPathOf(name); near != "" {
			err.Message = fmt.Sprintf("unknown field %s, did you mean %s?", inputQuote(name), near)
		}
	}
	return err
}

// otherForms takes away the other forms of a distribution: it has one, and the one that is set is meant.
func otherForms(v reflect.Value, set string) {
	d, ok := v.Addr().Interface().(*DistSpec)
	if latency, inFault := v.Addr().Interface().(*LatencyFault); inFault {
		d, ok = &latency.DistSpec, true
	}
	if entry, inList := v.Addr().Interface().(*LatencySpec); inList {
		d, ok = &entry.DistSpec, true
	}
	if webhook, inFault := v.Addr().Interface().(*WebhookFault); inFault {
		d, ok = &webhook.DistSpec, true
	}
	if !ok {
		return
	}
	switch set {
	case "fixed":
		*d = DistSpec{Fixed: d.Fixed}
	case "from", "to":
		*d = DistSpec{From: d.From, To: d.To}
	case "p50", "p99":
		*d = DistSpec{P50: d.P50, P99: d.P99}
	case "histogram":
		*d = DistSpec{Histogram: d.Histogram}
	}
}

// settingPathOf finds where a setting belongs whose path was given without its beginning.
func settingPathOf(name string) string {
	for _, f := range inputFields(reflect.TypeFor[Spec]()) {
		for _, inner := range inputFieldNames(f.typ) {
			if foldName(inner) == foldName(name) && f.typ.Kind() == reflect.Struct {
				return f.name + "." + inner
			}
		}
	}
	return ""
}

func (p *pathSetter) entry(v reflect.Value, rest, at string) *InputError {
	accepted := at + "[0]"
	switch n := v.Len(); {
	case n == 0:
		accepted = "the whole list, " + at + "=[...]; it has no entries yet"
	case n > 1:
		accepted += fmt.Sprintf(" to %s[%d]", at, n-1)
	}
	inside, after, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]")
	i, err := strconv.Atoi(inside)
	if !ok || rest[0] != '[' || err != nil || i < 0 || i >= v.Len() {
		return badValue(at, at+rest, "is no entry of the list", accepted)
	}
	if after != "" && after[0] != '.' && after[0] != '[' {
		return badValue(at, at+rest, "is no path", accepted)
	}
	return p.set(v.Index(i), after, fmt.Sprintf("%s[%d]", at, i))
}

func (p *pathSetter) mapEntry(v reflect.Value, rest, at string) *InputError {
	key, ok := strings.CutPrefix(rest, ".")
	if !ok || key == "" {
		return badValue(at, at+rest, "is no entry of the mapping", at+".NAME")
	}
	if !isPlainText(key) || !isPlainText(p.value) {
		return badValue(at+rest, p.value, "is no text", acceptedFor(v.Type()))
	}
	labels := maps.Clone(v.Interface().(map[string]string))
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = p.value
	v.Set(reflect.ValueOf(labels))
	return nil
}

// whenBound sets one end of a range; what was a moment becomes a range by it.
func (p *pathSetter) whenBound(w *When, rest, at string) *InputError {
	bound := map[string]*Duration{".from": &w.From, ".to": &w.To}[rest]
	if bound == nil {
		return badValue(at, at+rest, "is no field", at+", "+at+".from, "+at+".to")
	}
	if err := p.assign(reflect.ValueOf(bound).Elem(), at+rest); err != nil {
		return err
	}
	w.At = Duration{}
	return nil
}

// assign reads the value as v's type asks.
func (p *pathSetter) assign(v reflect.Value, at string) *InputError {
	if v.Kind() == reflect.String {
		if !setScalar(v, p.value) {
			return badValue(at, p.value, "is no text", acceptedFor(v.Type()))
		}
		return nil
	}
	if v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.String {
		text := reflect.New(v.Type().Elem())
		if err := p.assign(text.Elem(), at); err != nil {
			return err
		}
		v.Set(text)
		return nil
	}
	node, err := parseOneDocument([]byte(p.value), "")
	if err != nil {
		return badValue(at, p.value, "cannot be read", acceptedFor(v.Type()))
	}
	absent := v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice || v.Kind() == reflect.Map
	if isNullNode(node) {
		if !absent {
			return badValue(at, p.value, "is no "+typeNoun(v.Type()), acceptedFor(v.Type()))
		}
		v.SetZero()
		return nil
	}
	return p.decodeInto(v, node, at)
}

func (p *pathSetter) decodeInto(v reflect.Value, node *yaml3.Node, at string) *InputError {
	d := &inputDecoder{origin: newInputOrigin("")}
	fresh := reflect.New(v.Type()).Elem()
	if err := d.decode(node, fresh, at); err != nil {
		err.File, err.Line, err.Others = "", 0, nil
		return err
	}
	for _, w := range d.warnings {
		p.warnings = append(p.warnings, Warning{Field: w.Field, Message: w.Message})
	}
	v.Set(fresh)
	return nil
}
