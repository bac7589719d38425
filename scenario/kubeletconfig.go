package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	yaml3 "go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeletconfigv1beta1 "k8s.io/kubelet/config/v1beta1"
	sigsjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// A KubeletConfiguration file is read as the kubelet reads it (v1.36, pkg/kubelet/kubeletconfig/util/codec): field names
// in their exact case, an unknown field or one written twice is a warning in its log and the last one counts, only the
// first document is looked at; but a value that does not fit its field, or another kind of object, stops it.

const (
	kubeletConfigAPIVersion = "kubelet.config.k8s.io/v1beta1"
	kubeletConfigKind       = "KubeletConfiguration"
)

// kubeletConfigFile is what such a file says of the modelled fields.
type kubeletConfigFile struct {
	file     string
	spec     KubeletSpec
	lines    map[string]int // of top-level fields
	gates    map[string]bool
	warnings []Warning
}

// readKubeletConfigFile gives the text of a KubeletConfiguration file that the scenario names.
func (s *Scenario) readKubeletConfigFile(name string) (string, *InputError) {
	data, err := readInput(s.origin.resolve(name), nil)
	problem := "is empty; the kubelet does not start with it"
	if err != nil {
		problem = err.Message
	} else if text := strings.TrimPrefix(string(data), "\ufeff"); strings.TrimSpace(text) != "" {
		return text, nil
	}
	return "", badValue("spec.kubeletConfigFile", name, problem, "the path of a KubeletConfiguration file, relative to the scenario's")
}

// kubeletConfigName is how messages call the KubeletConfiguration of the scenario.
func (s *Scenario) kubeletConfigName() string {
	if s.Spec.KubeletConfigFile != "" {
		return filepath.Base(s.Spec.KubeletConfigFile)
	}
	return "spec.kubeletConfig"
}

// parseKubeletConfig reads the text of a KubeletConfiguration file, and gives everything that the kubelet would stop at.
func parseKubeletConfig(text, file string) (*kubeletConfigFile, []*InputError) {
	c := &kubeletConfigFile{file: file, lines: map[string]int{}}
	root, err := c.firstDocument(text)
	if err != nil {
		return nil, []*InputError{err}
	}
	asJSON, convertError := yaml.YAMLToJSON([]byte(text))
	if convertError != nil {
		return nil, []*InputError{yamlError(convertError, file)}
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(asJSON, &values) != nil {
		return nil, []*InputError{{File: file, Message: "is no " + kubeletConfigKind, Accepted: c.acceptedHeader()}}
	}
	if err := c.checkHeader(values); err != nil {
		return nil, []*InputError{err} // of another kind, so that its fields mean nothing
	}
	c.warnDuplicates(root, "", map[*yaml3.Node]bool{})
	problems := c.readFields(root, values)
	slices.SortStableFunc(c.warnings, func(a, b Warning) int { return a.Line - b.Line })
	return c, problems
}

func (c *kubeletConfigFile) firstDocument(text string) (*yaml3.Node, *InputError) {
	decoder := yaml3.NewDecoder(strings.NewReader(text))
	var document, second yaml3.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, yamlError(err, c.file)
	}
	if err := decoder.Decode(&second); err == nil {
		c.warn(second.Line, "", "a second document starts here; the kubelet reads the first one only")
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml3.MappingNode {
		return nil, &InputError{File: c.file, Message: "is no " + kubeletConfigKind, Accepted: c.acceptedHeader()}
	}
	root := document.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		c.lines[root.Content[i].Value] = root.Content[i].Line
	}
	return root, nil
}

func (c *kubeletConfigFile) acceptedHeader() string {
	return "apiVersion: " + kubeletConfigAPIVersion + ", kind: " + kubeletConfigKind
}

func (c *kubeletConfigFile) checkHeader(values map[string]json.RawMessage) *InputError {
	for _, want := range []struct{ field, value string }{{"apiVersion", kubeletConfigAPIVersion}, {"kind", kubeletConfigKind}} {
		var got string
		raw, ok := values[want.field]
		if !ok {
			e := missingValue(want.field, "", want.value)
			e.File = c.file
			return e
		}
		if json.Unmarshal(raw, &got) != nil || got != want.value {
			return c.bad(want.field, strings.Trim(string(raw), `"`), "is no KubeletConfiguration's "+want.field, want.value)
		}
	}
	return nil
}

// readFields reads every field as its upstream type, so that a value the kubelet would stop at is found whether it is
// modelled or not.
func (c *kubeletConfigFile) readFields(root *yaml3.Node, values map[string]json.RawMessage) []*InputError {
	var problems []*InputError
	known := kubeletConfigurationFields()
	var config kubeletconfigv1beta1.KubeletConfiguration
	target := reflect.ValueOf(&config).Elem()
	for _, name := range slices.SortedFunc(maps.Keys(values), c.byLine) {
		index, ok := known[name]
		if !ok {
			if name != "apiVersion" && name != "kind" {
				c.warn(c.lines[name], name, "the kubelet knows no such field and ignores it"+didYouMean(name, sortedNames(known)))
			}
			continue
		}
		field := target.FieldByIndex(index)
		strict, err := sigsjson.UnmarshalStrict(values[name], field.Addr().Interface())
		if err != nil {
			problems = append(problems, c.unreadable(name, root, field.Type(), err))
			field.SetZero()
			continue
		}
		for _, problem := range strict {
			c.warnStrict(name, problem.Error())
		}
	}
	if others := maps.Clone(config.FeatureGates); others != nil {
		delete(others, "NodeLease")
		config.FeatureGates, c.gates = others, config.FeatureGates
	}
	if len(config.FeatureGates) > 0 {
		c.warn(c.lines["featureGates"], "featureGates", "these feature gates are not modelled; each has its default here: "+strings.Join(sortedNames(config.FeatureGates), ", "))
	}
	c.spec = c.modelled(&config)
	if on, set := c.gates["NodeLease"]; set {
		c.spec.FeatureGates = &KubeletFeatureGates{NodeLease: &on}
	}
	return problems
}

// modelled takes out the modelled fields, where zero is "not set", as upstream's defaulting has it.
func (c *kubeletConfigFile) modelled(config *kubeletconfigv1beta1.KubeletConfiguration) KubeletSpec {
	spec := KubeletSpec{RegisterNode: config.RegisterNode, NodeStatusMaxImages: config.NodeStatusMaxImages,
		KubeAPIQPS: config.KubeAPIQPS, EventRecordQPS: config.EventRecordQPS}
	if config.KubeAPIBurst != 0 {
		spec.KubeAPIBurst = &config.KubeAPIBurst
	}
	if config.EventBurst != 0 {
		spec.EventBurst = &config.EventBurst
	}
	if config.RotateCertificates {
		spec.RotateCertificates = &config.RotateCertificates
	}
	if d := config.NodeStatusUpdateFrequency.Duration; d != 0 {
		spec.NodeStatusUpdateFrequency = &Duration{d}
	}
	if d := config.NodeStatusReportFrequency.Duration; d != 0 {
		spec.NodeStatusReportFrequency = &Duration{d}
	}
	if n := config.NodeLeaseDurationSeconds; n != 0 {
		spec.NodeLeaseDurationSeconds = &n
	}
	return spec
}

// unreadable says why the kubelet cannot read a field, in the words of YAML.
func (c *kubeletConfigFile) unreadable(name string, root *yaml3.Node, t reflect.Type, err error) *InputError {
	const stops = "; the kubelet does not start with it"
	text, scalar := "", false
	if node := mappingValue(root, name); node != nil && node.Kind == yaml3.ScalarNode {
		text, scalar = node.Value, true
	}
	isDuration := t == reflect.TypeFor[metav1.Duration]() || t == reflect.TypeFor[*metav1.Duration]()
	var misfit *json.UnmarshalTypeError
	switch {
	case scalar && isDuration && text == "":
		return c.misplaced(name, name, "is empty"+stops, acceptedDuration)
	case scalar && isDuration:
		problem := "is no duration"
		if _, p := parseDuration(text); p != "" {
			problem = p
		}
		return c.bad(name, text, problem+stops, acceptedDuration)
	case !errors.As(err, &misfit):
		return c.misplaced(name, name, "holds a value that does not fit it"+stops, "a "+typeNoun(t))
	case scalar && misfit.Value == "string":
		return c.bad(name, text, "is text, and does not fit this field"+stops, "a "+typeNoun(t))
	case scalar:
		return c.bad(name, text, "does not fit this field"+stops, "a "+typeNoun(t))
	case isDuration:
		return c.misplaced(name, name, "is a "+jsonNoun(misfit.Value)+stops, acceptedDuration)
	case misfit.Field == "":
		return c.misplaced(name, name, "is a "+jsonNoun(misfit.Value)+stops, "a "+typeNoun(t))
	}
	return c.misplaced(name, name+"."+misfit.Field, "is a "+jsonNoun(misfit.Value)+stops, "a "+typeNoun(misfit.Type))
}

// misplaced complains about a value within a field, which has no line of its own.
func (c *kubeletConfigFile) misplaced(name, path, problem, accepted string) *InputError {
	return &InputError{File: c.file, Line: c.lines[name], Field: path, Message: problem, Accepted: accepted}
}

// jsonNoun names a kind of JSON value, "number 5.5", as a reader of YAML would.
func jsonNoun(kind string) string {
	kind, _, _ = strings.Cut(kind, " ")
	if noun := map[string]string{"string": "text", "bool": "boolean", "array": "list", "object": "mapping"}[kind]; noun != "" {
		return noun
	}
	return kind
}

// warnStrict passes on what only strict decoding minds, with the path from the top.
func (c *kubeletConfigFile) warnStrict(field, problem string) {
	kind, rest, ok := strings.Cut(problem, ` field "`)
	if ok && kind == "unknown" {
		path := field + "." + strings.TrimSuffix(rest, `"`)
		c.warn(c.lines[field], path, "the kubelet knows no such field and ignores it")
		return
	}
	c.warn(c.lines[field], field, problem)
}

// warnDuplicates looks for fields that are written twice, at any depth.
func (c *kubeletConfigFile) warnDuplicates(node *yaml3.Node, path string, seen map[*yaml3.Node]bool) {
	if seen[node] {
		return
	}
	seen[node] = true
	if node.Kind == yaml3.SequenceNode {
		for i, entry := range node.Content {
			c.warnDuplicates(entry, fmt.Sprintf("%s[%d]", path, i), seen)
		}
	}
	if node.Kind != yaml3.MappingNode {
		return
	}
	first := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		at := inputJoin(path, key.Value)
		if line := first[key.Value]; line != 0 {
			c.warn(key.Line, at, fmt.Sprintf("is written a second time, the first is in line %d; the last one counts", line))
		} else {
			first[key.Value] = key.Line
		}
		c.warnDuplicates(node.Content[i+1], at, seen)
	}
}

func (c *kubeletConfigFile) warn(line int, field, message string) {
	c.warnings = append(c.warnings, Warning{File: c.file, Line: line, Field: field, Message: message})
}

func (c *kubeletConfigFile) bad(field, value, problem, accepted string) *InputError {
	e := badValue(field, value, problem, accepted)
	e.File, e.Line = c.file, c.lines[field]
	return e
}

func (c *kubeletConfigFile) byLine(a, b string) int {
	if c.lines[a] != c.lines[b] {
		return c.lines[a] - c.lines[b]
	}
	return strings.Compare(a, b)
}

// kubeletConfigurationFields gives the fields of upstream's KubeletConfiguration by name.
func kubeletConfigurationFields() map[string][]int {
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[kubeletconfigv1beta1.KubeletConfiguration]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "kind" && name != "apiVersion" {
			fields[name] = f.Index
		}
	}
	return fields
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// durationIfSet reads 0 as "not set", which is what a zero in a KubeletConfiguration is.
func durationIfSet(d *Duration) (time.Duration, bool) {
	if d == nil || d.Duration == 0 {
		return 0, false
	}
	return d.Duration, true
}
