package version

import (
	"fmt"
	"reflect"
	"time"
)

// flag is one field of Behaviors with its value for people.
type flag struct{ path, value string }

// flatten lists every flag of b in the order of its declaration. Embedded structs only group fields: they are no part of a
// path.
func flatten(b Behaviors) []flag { return fields("", reflect.ValueOf(b)) }

func fields(path string, v reflect.Value) []flag {
	var out []flag
	for i := range v.NumField() {
		field := v.Type().Field(i)
		at := path
		if !field.Anonymous {
			if at != "" {
				at += "."
			}
			at += field.Name
		}
		if field.Type.Kind() == reflect.Struct {
			out = append(out, fields(at, v.Field(i))...)
			continue
		}
		out = append(out, flag{at, valueText(v.Field(i).Interface())})
	}
	return out
}

// valueText is a value in a table: yes or no, a duration, a number, a text.
func valueText(value any) string {
	switch value := value.(type) {
	case bool:
		if value {
			return "yes"
		}
		return "no"
	case time.Duration:
		return durationText(value)
	}
	if text := fmt.Sprint(value); text != "" {
		return text
	}
	return "none"
}

// durationText is a duration without parts that are zero: 5m, not 5m0s.
func durationText(d time.Duration) string {
	switch {
	case d != 0 && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d%time.Second == 0:
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return d.String()
}
