package wire

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// models are the schemas of Go types, by upstream's names for them, such as
// io.k8s.api.core.v1.Node.
type models map[string]any

// addKind adds the model of a kind, and of all that it refers to.
func (m models) addKind(kind schema.GroupVersionKind) {
	typ, ok := scheme.AllKnownTypes()[kind]
	if !ok {
		return
	}
	m.addType(typ)
	if model, ok := m[modelName(typ)].(node); ok && model["x-kubernetes-group-version-kind"] == nil {
		model["x-kubernetes-group-version-kind"] = []any{kindNode(kind)}
	}
}

// modelOfKind is the name of a kind's model.
func modelOfKind(kind schema.GroupVersionKind) string {
	typ, ok := scheme.AllKnownTypes()[kind]
	if !ok {
		return "io.k8s.apimachinery.pkg.apis.meta.v1.Status"
	}
	return modelName(typ)
}

// modelName is openapi-gen's name for a type: its package with the domain
// turned round, and its own.
func modelName(t reflect.Type) string {
	pkg := strings.Replace(t.PkgPath(), "k8s.io", "io.k8s", 1)
	return strings.ReplaceAll(pkg, "/", ".") + "." + t.Name()
}

func reference(model string) string { return "#/components/schemas/" + model }

// special are types whose JSON is not that of their fields.
var special = map[reflect.Type]node{
	reflect.TypeFor[metav1.Time]():          {"type": "string", "format": "date-time"},
	reflect.TypeFor[metav1.MicroTime]():     {"type": "string", "format": "date-time"},
	reflect.TypeFor[metav1.Duration]():      {"type": "string"},
	reflect.TypeFor[resource.Quantity]():    {"oneOf": []any{node{"type": "string"}, node{"type": "number"}}},
	reflect.TypeFor[intstr.IntOrString]():   {"oneOf": []any{node{"type": "integer"}, node{"type": "string"}}, "format": "int-or-string"},
	reflect.TypeFor[metav1.FieldsV1]():      {"type": "object"},
	reflect.TypeFor[runtime.RawExtension](): {"type": "object"},
}

// addType adds the model of a struct.
func (m models) addType(t reflect.Type) {
	name := modelName(t)
	if m[name] != nil {
		return
	}
	if s, ok := special[t]; ok {
		m[name] = s
		return
	}
	doc := docOf(t)
	properties, required := node{}, []string{}
	model := node{"type": "object", "description": doc[""], "properties": properties}
	m[name] = model // before the fields, which may refer to it
	m.addFields(t, doc, properties, &required)
	if len(required) > 0 {
		model["required"] = required
	}
}

func (m models) addFields(t reflect.Type, doc map[string]string, properties node, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
			continue
		case f.Anonymous && name == "", strings.Contains(options, "inline"):
			m.addFields(f.Type, docOf(f.Type), properties, required)
			continue
		}
		property := m.schemaOf(f.Type)
		if property["$ref"] != nil && doc[name] != "" {
			property = node{"allOf": []any{property}}
		}
		if doc[name] != "" {
			property["description"] = doc[name]
		}
		if strategy := f.Tag.Get("patchStrategy"); strategy != "" {
			property["x-kubernetes-patch-strategy"] = strategy
		}
		if key := f.Tag.Get("patchMergeKey"); key != "" {
			property["x-kubernetes-patch-merge-key"] = key
		}
		properties[name] = property
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
}

// schemaOf is the schema of a field of that type.
func (m models) schemaOf(t reflect.Type) node {
	switch t.Kind() {
	case reflect.Pointer:
		return m.schemaOf(t.Elem())
	case reflect.Struct:
		m.addType(t)
		return node{"$ref": reference(modelName(t))}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return node{"type": "string", "format": "byte"}
		}
		return node{"type": "array", "items": m.schemaOf(t.Elem())}
	case reflect.Map:
		return node{"type": "object", "additionalProperties": m.schemaOf(t.Elem())}
	case reflect.Bool:
		return node{"type": "boolean"}
	case reflect.Int64:
		return node{"type": "integer", "format": "int64"}
	case reflect.Int32, reflect.Int:
		return node{"type": "integer", "format": "int32"}
	case reflect.Float64:
		return node{"type": "number", "format": "double"}
	}
	return node{"type": "string"}
}

// docOf is what is generated into the API's packages of their comments: "" is
// the type, other keys are its fields.
func docOf(t reflect.Type) map[string]string {
	if d, ok := reflect.New(t).Interface().(interface{ SwaggerDoc() map[string]string }); ok {
		return d.SwaggerDoc()
	}
	return nil
}
