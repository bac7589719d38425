package conformance

import (
	"encoding/json"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// empty returns a new object of a pointer type.
func empty[T runtime.Object]() T {
	var none T
	return reflect.New(reflect.TypeOf(none).Elem()).Interface().(T)
}

func nameOf(obj runtime.Object) string { return obj.(metav1.Object).GetName() }

// decoded returns what a client makes of an object that comes over the wire: a
// copy of its own, with times of whole seconds in the machine's time zone.
// Upstream compares some times with ==.
func decoded[T runtime.Object](obj T) T {
	data, err := json.Marshal(obj)
	if err != nil {
		panic(err) // API types always marshal
	}
	out := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(T)
	if err := json.Unmarshal(data, out); err != nil {
		panic(err)
	}
	return out
}
