package scenario

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	yaml3 "go.yaml.in/yaml/v3"
)

// inputDecoder fills Go values from YAML nodes, strictly, and remembers where it found what. A scalar is read as the
// type of its field asks, whatever YAML would make of it by itself: kubernetesVersion: 1.30 is "1.30", not 1.3.
type inputDecoder struct {
	origin   *inputOrigin
	warnings []Warning
	problems []*InputError // what is wrong with entries of mappings and lists, which are gone through to their ends
	aliases  int
}

// maxAliases bounds how often YAML aliases are followed, since a few lines of them can stand for a billion nodes.
const maxAliases = 10000

// decode reads node into target, a pointer, and gives everything that is wrong.
func (d *inputDecoder) decode(node *yaml3.Node, target reflect.Value, path string) *InputError {
	d.note(d.value(node, target, path))
	return inputErrors(d.problems)
}

func (d *inputDecoder) note(err *InputError) {
	if err != nil {
		d.problems = append(d.problems, d.origin.located(err))
	}
}

func (d *inputDecoder) value(node *yaml3.Node, v reflect.Value, path string) *InputError {
	if path != "" && node.Line > 0 {
		d.origin.lines[path] = node.Line
	}
	if node.Kind == yaml3.AliasNode {
		if d.aliases++; d.aliases > maxAliases {
			return badValue(path, "*"+node.Value, "is one alias too many", strconv.Itoa(maxAliases)+" aliases a file")
		}
		node = node.Alias
	}
	if isNullNode(node) {
		return d.null(v, path)
	}
	switch target := v.Addr().Interface().(type) {
	case *Duration:
		return d.duration(node, target, path)
	case *When:
		if node.Kind == yaml3.MappingNode {
			return d.whenRange(node, target, path)
		}
		*target = When{}
		return d.duration(node, &target.At, path)
	}
	switch v.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		if err := d.value(node, fresh.Elem(), path); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	case reflect.Struct:
		return d.structure(node, v, path)
	case reflect.Slice:
		return d.list(node, v, path)
	case reflect.Map:
		return d.stringMap(node, v, path)
	}
	return d.scalar(node, v, path)
}

// null leaves a field as if it were not written, except that a verb with nothing in it is still that verb.
func (d *inputDecoder) null(v reflect.Value, path string) *InputError {
	d.origin.nulls[path] = true
	if v.Kind() == reflect.Pointer && v.Type() != reflect.TypeFor[*When]() && v.Type() != reflect.TypeFor[*Duration]() &&
		v.Type().Elem().Kind() == reflect.Struct {
		v.Set(reflect.New(v.Type().Elem()))
	}
	if strings.HasSuffix(path, "]") {
		return &InputError{Field: path, Message: "is an empty entry of the list", Accepted: acceptedFor(v.Type())}
	}
	return nil
}

func (d *inputDecoder) structure(node *yaml3.Node, v reflect.Value, path string) *InputError {
	if node.Kind != yaml3.MappingNode {
		return wrongNode(node, v.Type(), path)
	}
	if filler, ok := v.Addr().Interface().(interface{ setDefaults() }); ok {
		filler.setDefaults()
	}
	fields := inputFields(v.Type())
	return d.mapping(node, path, func(key, value *yaml3.Node, at string) *InputError {
		for _, f := range fields {
			if f.name == key.Value {
				return d.value(value, v.FieldByIndex(f.index), at)
			}
		}
		return d.unknownField(key, v.Type(), path, at)
	})
}

// mapping goes through the entries of a mapping and refuses what is written twice.
func (d *inputDecoder) mapping(node *yaml3.Node, path string, entry func(key, value *yaml3.Node, at string) *InputError) *InputError {
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind != yaml3.ScalarNode || key.Tag == "!!merge" {
			d.note(&InputError{File: d.origin.file, Line: key.Line, Field: path, Value: key.Value,
				Message: "a key is " + describeNode(key), Accepted: "plain names as keys"})
			continue
		}
		at := inputJoin(path, key.Value)
		if first := seen[key.Value]; first != 0 {
			d.note(&InputError{File: d.origin.file, Line: key.Line, Field: at, Value: value.Value,
				Message: fmt.Sprintf("is written a second time; the first is in line %d", first)})
			continue
		}
		seen[key.Value] = key.Line
		d.note(entry(key, value, at))
	}
	return nil
}

// unknownField refuses a field, unless it is one of the component's own that has no bearing on heartbeats.
func (d *inputDecoder) unknownField(key *yaml3.Node, in reflect.Type, path, at string) *InputError {
	err, ignored := unknownFieldError(in, path, key.Value)
	if ignored != "" {
		d.warnings = append(d.warnings, Warning{File: d.origin.file, Line: key.Line, Field: at, Message: ignored})
		return nil
	}
	err.File, err.Line = d.origin.file, key.Line
	return err
}

// unknownFieldError complains about a name that is no field of the struct type in, which stands at path. If the name is
// a setting that upstream has and the model does not, ignored says so, for those who would rather go on without it.
func unknownFieldError(in reflect.Type, path, name string) (err *InputError, ignored string) {
	names := inputFieldNames(in)
	accepted := listNames(names)
	switch in {
	case reflect.TypeFor[KubeletSpec]():
		upstream := kubeletConfigurationFields()
		if _, ok := upstream[name]; ok {
			ignored = "is a field of KubeletConfiguration that is not modelled; it has no effect here"
		}
		names = append(names, sortedNames(upstream)...)
	case reflect.TypeFor[ControllerManagerSpec]():
		flags := controllerManagerFlagSet()
		if flags.known(name) {
			ignored = "is a flag of kube-controller-manager that is not modelled; it has no effect here"
		}
		names = append(names, flags.names...)
	}
	if ignored != "" {
		return badValue(inputJoin(path, name), name, "is not modelled", accepted), ignored
	}
	return &InputError{Field: path, Value: name, Accepted: accepted,
		Message: fmt.Sprintf("unknown field %s%s", inputQuote(name), didYouMean(name, names))}, ""
}

func (d *inputDecoder) list(node *yaml3.Node, v reflect.Value, path string) *InputError {
	if node.Kind != yaml3.SequenceNode {
		return wrongNode(node, v.Type(), path)
	}
	list := reflect.MakeSlice(v.Type(), len(node.Content), len(node.Content))
	for i, entry := range node.Content {
		d.note(d.value(entry, list.Index(i), fmt.Sprintf("%s[%d]", path, i)))
	}
	v.Set(list)
	return nil
}

func (d *inputDecoder) stringMap(node *yaml3.Node, v reflect.Value, path string) *InputError {
	if node.Kind != yaml3.MappingNode {
		return wrongNode(node, v.Type(), path)
	}
	m := reflect.MakeMap(v.Type())
	err := d.mapping(node, path, func(key, value *yaml3.Node, at string) *InputError {
		if !isPlainText(key.Value) {
			return badValue(path, key.Value, "is no text", acceptedFor(v.Type()))
		}
		text := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(value, text, at); err != nil {
			return err
		}
		m.SetMapIndex(reflect.ValueOf(key.Value), text)
		return nil
	})
	if err != nil {
		return err
	}
	v.Set(m)
	return nil
}

func (d *inputDecoder) whenRange(node *yaml3.Node, w *When, path string) *InputError {
	var r whenRange
	known := len(d.problems)
	if err := d.structure(node, reflect.ValueOf(&r).Elem(), path); err != nil || len(d.problems) > known {
		return err
	}
	accepted := acceptedFor(reflect.TypeFor[When]())
	if r.From == nil {
		return missingValue(inputJoin(path, "from"), "", accepted)
	}
	if r.To == nil {
		return missingValue(inputJoin(path, "to"), "", accepted)
	}
	*w = When{From: *r.From, To: *r.To}
	return nil
}

func (d *inputDecoder) duration(node *yaml3.Node, target *Duration, path string) *InputError {
	if node.Kind != yaml3.ScalarNode {
		return wrongNode(node, reflect.TypeFor[Duration](), path)
	}
	v, problem := parseDuration(node.Value)
	if problem != "" {
		return badValue(path, node.Value, problem, acceptedDuration)
	}
	target.Duration = v
	return nil
}

func (d *inputDecoder) scalar(node *yaml3.Node, v reflect.Value, path string) *InputError {
	if node.Kind != yaml3.ScalarNode {
		return wrongNode(node, v.Type(), path)
	}
	if !setScalar(v, node.Value) {
		return badValue(path, node.Value, "is no "+typeNoun(v.Type()), acceptedFor(v.Type()))
	}
	return nil
}

// setScalar reads text as v's type asks; it is false where text is no such value or does not fit.
func setScalar(v reflect.Value, text string) bool {
	switch v.Kind() {
	case reflect.String:
		if !isPlainText(text) {
			return false
		}
		v.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return false
		}
		v.SetBool(text == "true")
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return false
		}
		v.SetInt(n)
	case reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return false
		}
		v.SetUint(n)
	case reflect.Float32:
		n, err := strconv.ParseFloat(text, 32)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return false
		}
		v.SetFloat(n)
	default:
		panic("scenario: no scalar type: " + v.Type().String())
	}
	return true
}

// isPlainText tells whether a text has only characters that a YAML file may hold as they are.
func isPlainText(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' || r == '\ufeff' || r == '\ufffe' || r == '\uffff'
	}) < 0
}

func isNullNode(node *yaml3.Node) bool {
	return node.Kind == yaml3.ScalarNode && node.Tag == "!!null"
}

func wrongNode(node *yaml3.Node, want reflect.Type, path string) *InputError {
	value := ""
	if node.Kind == yaml3.ScalarNode {
		value = node.Value
	}
	return &InputError{Field: path, Value: value, Message: "is " + describeNode(node), Accepted: acceptedFor(want)}
}

func describeNode(node *yaml3.Node) string {
	switch node.Kind {
	case yaml3.MappingNode:
		return "a mapping"
	case yaml3.SequenceNode:
		return "a list"
	case yaml3.AliasNode:
		return "an alias"
	}
	if node.Tag == "!!merge" {
		return "a merge (<<)"
	}
	return inputQuote(node.Value)
}

// typeNoun names a type as a reader of YAML would.
func typeNoun(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Duration]():
		return "duration"
	case reflect.TypeFor[When]():
		return "duration, or range of durations"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeNoun(t.Elem())
	case reflect.Struct:
		return "mapping"
	case reflect.Slice:
		return "list"
	case reflect.Map:
		return "mapping of texts"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32:
		return "number"
	}
	return "whole number"
}

// acceptedFor says what a field of a type takes, before any bounds of its own.
func acceptedFor(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Duration]():
		return acceptedDuration
	case reflect.TypeFor[When]():
		return "a duration, or a range as in {from: 300s, to: 900s}"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return acceptedFor(t.Elem())
	case reflect.Struct:
		if names := inputFieldNames(t); len(names) > 0 {
			return "a mapping of " + listNames(names)
		}
		return "an empty mapping, {}"
	case reflect.Slice:
		return "a list, each entry " + acceptedFor(t.Elem())
	case reflect.Map:
		return "a mapping of names to texts, without control characters"
	case reflect.String:
		return "text without control characters"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32:
		return "a number, as in 0.1"
	case reflect.Uint64:
		return "a whole number from 0 to 18446744073709551615"
	case reflect.Int32:
		return "a whole number from -2147483648 to 2147483647"
	}
	return "a whole number"
}

// inputField is a field of a struct as YAML knows it.
type inputField struct {
	name  string
	index []int
	typ   reflect.Type
}

// inputFields lists the fields of a struct type in order, those of embedded structs in their place.
func inputFields(t reflect.Type) []inputField {
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[Duration]() {
		return nil
	}
	var fields []inputField
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "" && name != "-" {
			fields = append(fields, inputField{name: name, index: f.Index, typ: f.Type})
		}
	}
	return fields
}

func inputFieldNames(t reflect.Type) []string {
	var names []string
	for _, f := range inputFields(t) {
		names = append(names, f.name)
	}
	return names
}
