package version

import "reflect"

// Bools lists the paths of all behaviours that are there or not, in the order of their declaration.
func Bools() []string {
	var paths []string
	for i, f := range flatten(Behaviors{}) {
		if boolAt(Behaviors{}, i).IsValid() {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// RequireFlag is nil if v has the behaviour at that path, one of Bools, and else a *MissingError that names the first
// version which has it.
func RequireFlag(v Version, path string) error {
	for i, f := range flatten(Behaviors{}) {
		if f.path == path && boolAt(Behaviors{}, i).IsValid() {
			return Require(v, path, func(b Behaviors) bool { return boolAt(b, i).Bool() })
		}
	}
	return &MissingError{Version: v, What: path}
}

// boolAt is the nth field of b in the order of flatten, not valid if it is no bool.
func boolAt(b Behaviors, n int) reflect.Value {
	var found reflect.Value
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		for i := range v.NumField() {
			field := v.Field(i)
			if field.Kind() == reflect.Struct {
				walk(field)
				continue
			}
			if n == 0 && field.Kind() == reflect.Bool {
				found = field
			}
			n--
		}
	}
	walk(reflect.ValueOf(b))
	return found
}
