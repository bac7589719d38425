package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// flagSet is what is known of a component's command line: the names of its flags as of Kubernetes 1.36 that have no effect, and
// the modelled ones, some of older versions alone, with the field of a settings struct that each sets.
type flagSet struct {
	component string
	names     []string
	modelled  map[string]string // flag name to field name
}

func (f flagSet) known(name string) bool {
	_, found := slices.BinarySearch(f.names, name)
	return found
}

// modelledNames gives the modelled flags in order, with their dashes.
func (f flagSet) modelledNames() []string {
	var names []string
	for _, name := range sortedNames(f.modelled) {
		names = append(names, "--"+name)
	}
	return names
}

// flagValue is one flag as it was given.
type flagValue struct {
	name  string
	path  string // of the list entry that has the value
	value string
}

// parseFlags reads a component's command line into target, a pointer to a settings struct whose fields are pointers,
// says which flag set which field, and what is wrong with the others. It reads "--name=value", "--name value" in one entry or in two, and a lone
// "--name" where the flag is a boolean; underscores count as dashes, and the last of a flag's values wins, as with the
// pflag set of the components. Values are read as pflag reads them: "0" is a duration there.
func (f flagSet) parseFlags(path string, args []string, target any) (set map[string]flagValue, warnings []Warning, problems []*InputError) {
	set = map[string]flagValue{}
	v := reflect.ValueOf(target).Elem()
	for i := 0; i < len(args); i++ {
		at := fmt.Sprintf("%s[%d]", path, i)
		flag, hasValue, err := f.splitFlag(at, args[i])
		if err != nil {
			problems = append(problems, err)
			continue
		}
		field, modelled := f.fieldOf(v, flag.name)
		if !hasValue && !(modelled && field.Type().Elem().Kind() == reflect.Bool) {
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
				flag.value, hasValue = args[i], true
				flag.path = fmt.Sprintf("%s[%d]", path, i)
			}
		}
		if !modelled {
			warnings = append(warnings, Warning{Field: at,
				Message: fmt.Sprintf("--%s is a flag of %s that is not modelled; it has no effect here", flag.name, f.component)})
			continue
		}
		if err := setFlag(field, flag, hasValue); err != nil {
			problems = append(problems, err)
			continue
		}
		set[f.modelled[flag.name]] = flag
	}
	return set, warnings, problems
}

// splitFlag takes one argument apart and checks the flag's name.
func (f flagSet) splitFlag(at, arg string) (flag flagValue, hasValue bool, err *InputError) {
	body, long := strings.CutPrefix(arg, "--")
	short := !long && strings.HasPrefix(arg, "-v")
	if short {
		body = "v=" + strings.TrimPrefix(arg[2:], "=")
	}
	if !long && !short || body == "" {
		return flag, false, badValue(at, arg, "is no flag", "flags of "+f.component+" as on its command line, --name=value")
	}
	cut := strings.IndexAny(body, "= ")
	name, value := body, ""
	if cut >= 0 {
		name, value = body[:cut], strings.TrimSpace(body[cut+1:])
	}
	name = strings.ReplaceAll(name, "_", "-")
	flag = flagValue{name: name, path: at, value: value}
	if _, ok := f.modelled[name]; ok || f.known(name) {
		return flag, cut >= 0, nil
	}
	return flag, false, badValue(at, "--"+name, "is no flag of "+f.component+f.hint(name), listNames(f.modelledNames()))
}

// hint says where a setting is that people look for among the flags.
func (f flagSet) hint(name string) string {
	if f.component == "kubelet" {
		fields := sortedNames(kubeletConfigurationFields())
		for _, field := range fields {
			if foldName(field) == foldName(name) {
				return ", it can only be set by field " + field + " of KubeletConfiguration (spec.kubelet)"
			}
		}
	}
	if near := nearestName(name, append(sortedNames(f.modelled), f.names...)); near != "" {
		return ", did you mean --" + near + "?"
	}
	return ""
}

func (f flagSet) fieldOf(v reflect.Value, flag string) (field reflect.Value, ok bool) {
	name, ok := f.modelled[flag]
	if !ok {
		return reflect.Value{}, false
	}
	for _, candidate := range inputFields(v.Type()) {
		if candidate.name == name {
			return v.FieldByIndex(candidate.index), true
		}
	}
	panic("scenario: flag " + flag + " sets no field")
}

// setFlag sets a pointer field from the text of a flag.
func setFlag(field reflect.Value, flag flagValue, hasValue bool) *InputError {
	fresh := reflect.New(field.Type().Elem())
	accepted := "--" + flag.name + "=" + flagPlaceholder(fresh.Elem().Type())
	if !hasValue {
		if fresh.Elem().Kind() != reflect.Bool {
			return badValue(flag.path, "--"+flag.name, "has no value", accepted)
		}
		flag.value = "true"
	}
	switch target := fresh.Interface().(type) {
	case *Duration:
		d, err := time.ParseDuration(flag.value)
		if err != nil {
			return badValue(flag.path, flag.value, "is no duration for --"+flag.name, accepted)
		}
		target.Duration = d
	case *bool:
		b, err := strconv.ParseBool(flag.value)
		if err != nil {
			return badValue(flag.path, flag.value, "is no boolean for --"+flag.name, accepted)
		}
		*target = b
	default:
		if !setScalar(fresh.Elem(), flag.value) {
			return badValue(flag.path, flag.value, "is no "+typeNoun(fresh.Elem().Type())+" for --"+flag.name, accepted)
		}
	}
	field.Set(fresh)
	return nil
}

func flagPlaceholder(t reflect.Type) string {
	if t == reflect.TypeFor[Duration]() {
		return "DURATION, as in 10s"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Float32:
		return "NUMBER, as in 0.1"
	case reflect.String:
		return "TEXT"
	}
	return "WHOLE NUMBER"
}
