package kubelet

import (
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEveryFieldOfAStatusButTheHeartbeatTimesIsCompared(t *testing.T) {
	var compared int
	for path, touch := range leaves(reflect.TypeFor[corev1.NodeStatus]()) {
		original, status := fullStatus(), fullStatus()
		touch(reflect.ValueOf(status).Elem())
		require.NotEqual(t, original, status, path)
		want := path != ".Conditions[0].LastHeartbeatTime"
		require.Equal(t, want, reflectiveChanged(original, status), path)
		require.Equal(t, want, nodeStatusHasChanged(original, status), path)
		require.Equal(t, want, nodeStatusHasChanged(status, original), path)
		compared++
	}
	require.Greater(t, compared, 40)
	require.False(t, nodeStatusHasChanged(fullStatus(), fullStatus()))
}

func TestMissingPartsAreChangesAndEmptyOnesAreNot(t *testing.T) {
	for i := range reflect.TypeFor[corev1.NodeStatus]().NumField() {
		name := reflect.TypeFor[corev1.NodeStatus]().Field(i).Name
		t.Run(name, func(t *testing.T) {
			status := fullStatus()
			field := reflect.ValueOf(status).Elem().Field(i)
			field.SetZero()
			require.True(t, nodeStatusHasChanged(fullStatus(), status))
			require.True(t, nodeStatusHasChanged(status, fullStatus()))

			empty := status.DeepCopy()
			field = reflect.ValueOf(empty).Elem().Field(i)
			switch field.Kind() {
			case reflect.Slice:
				field.Set(reflect.MakeSlice(field.Type(), 0, 0))
			case reflect.Map:
				field.Set(reflect.MakeMap(field.Type()))
			}
			require.False(t, nodeStatusHasChanged(status, empty))
			require.False(t, nodeStatusHasChanged(empty, status))
		})
	}
}

func TestTypedComparisonIsTheReflectiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		original, node := drawNode(t, "original"), drawNode(t, "node")
		if rapid.Bool().Draw(t, "only conditions differ") {
			conditions := node.Status.Conditions
			node = original.DeepCopy()
			node.Status.Conditions = conditions
		}
		require.Equal(t, reflectiveChanged(&original.Status, &node.Status), nodeStatusHasChanged(&original.Status, &node.Status))
		require.NotPanics(t, func() {
			checkCompare(&original.Status, &node.Status, nodeStatusHasChanged(&original.Status, &node.Status))
		})
	})
}

func TestConditionsAreTheSameInAnyOrderAndSeenAtAnyTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		original := &corev1.NodeStatus{Conditions: drawConditions(t, "original")}
		status := original.DeepCopy()
		for i := range status.Conditions {
			status.Conditions[i].LastHeartbeatTime = metav1.Unix(rapid.Int64Range(0, 1e10).Draw(t, "seen"), 0)
		}
		status.Conditions = rapid.Permutation(status.Conditions).Draw(t, "order")
		before := original.DeepCopy()
		require.False(t, nodeStatusHasChanged(original, status))
		require.Equal(t, before, original, "nothing is sorted in place")

		if len(status.Conditions) > 0 {
			c := &status.Conditions[rapid.IntRange(0, len(status.Conditions)-1).Draw(t, "which")]
			c.Message += "."
			require.True(t, nodeStatusHasChanged(original, status))
		}
	})
}

func TestAComparisonThatIsWrongPanics(t *testing.T) {
	original, status := fullStatus(), fullStatus()
	require.Panics(t, func() { checkCompare(original, status, true) })
	status.Phase = "z"
	require.Panics(t, func() { checkCompare(original, status, false) })
}

func TestQuantitiesAreComparedByValue(t *testing.T) {
	of := func(q string) *corev1.NodeStatus {
		return &corev1.NodeStatus{Capacity: corev1.ResourceList{"cpu": resource.MustParse(q)}}
	}
	require.False(t, nodeStatusHasChanged(of("1"), of("1000m")))
	require.True(t, nodeStatusHasChanged(of("1"), of("1001m")))
	require.True(t, nodeStatusHasChanged(of("0"), &corev1.NodeStatus{Capacity: corev1.ResourceList{"memory": resource.MustParse("0")}}))
}

// A condition of one type twice is nothing that the API has, but the order of
// the two counts for both comparisons alike.
func TestConditionsOfOneTypeAreComparedInTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []corev1.NodeCondition
		for range rapid.IntRange(0, 4).Draw(t, "conditions") {
			all = append(all, corev1.NodeCondition{
				Type: rapid.SampledFrom(conditionKinds[:2]).Draw(t, "type"), Reason: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "reason"),
			})
		}
		a, b := &corev1.NodeStatus{Conditions: all}, &corev1.NodeStatus{Conditions: rapid.Permutation(all).Draw(t, "order")}
		require.Equal(t, reflectiveChanged(a, b), nodeStatusHasChanged(a, b))
	})
}

// fullStatus has something in every field, one entry in every list and map.
func fullStatus() *corev1.NodeStatus {
	status := &corev1.NodeStatus{}
	fill(reflect.ValueOf(status).Elem())
	return status
}

func fill(v reflect.Value) {
	switch v.Interface().(type) {
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.Unix(1000, 0)))
		return
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse("3")))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("x")
	case reflect.Int32, reflect.Int64:
		v.SetInt(3)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic(fmt.Sprintf("a field of kind %v: teach the test what to fill in", v.Kind()))
	}
}

// leaves returns, by their paths, functions that change one part of a full
// value of that type each.
func leaves(t reflect.Type) map[string]func(reflect.Value) {
	out := map[string]func(reflect.Value){}
	below := func(step string, inner reflect.Type, into func(reflect.Value) reflect.Value) {
		for path, touch := range leaves(inner) {
			out[step+path] = func(v reflect.Value) { touch(into(v)) }
		}
	}
	switch {
	case t == reflect.TypeFor[metav1.Time]():
		out[""] = func(v reflect.Value) { v.Set(reflect.ValueOf(metav1.Unix(1001, 0))) }
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			below("."+t.Field(i).Name, t.Field(i).Type, func(v reflect.Value) reflect.Value { return v.Field(i) })
		}
	case t.Kind() == reflect.Pointer:
		out[" nil"] = func(v reflect.Value) { v.SetZero() }
		below("", t.Elem(), reflect.Value.Elem)
	case t.Kind() == reflect.Slice:
		out[" longer"] = func(v reflect.Value) { v.Set(reflect.Append(v, v.Index(0))) }
		below("[0]", t.Elem(), func(v reflect.Value) reflect.Value { return v.Index(0) })
	case t.Kind() == reflect.Map:
		out[" cleared"] = func(v reflect.Value) { v.Clear() }
		out[" value"] = func(v reflect.Value) {
			v.SetMapIndex(reflect.ValueOf(corev1.ResourceName("x")), reflect.ValueOf(resource.MustParse("4")))
		}
	case t.Kind() == reflect.String:
		out[""] = func(v reflect.Value) { v.SetString("y") }
	case t.Kind() == reflect.Bool:
		out[""] = func(v reflect.Value) { v.SetBool(false) }
	default:
		out[""] = func(v reflect.Value) { v.SetInt(4) }
	}
	return out
}
