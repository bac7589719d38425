package fakeapi

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
)

func TestTheMethodsAreThoseOfClientGo(t *testing.T) {
	all := []string{"Create", "Update", "Patch", "Get", "List", "Delete"}
	withStatus := append([]string{"UpdateStatus"}, all...)
	for _, c := range []struct {
		ours, theirs reflect.Type
		methods      []string
	}{
		{reflect.TypeFor[*Nodes](), reflect.TypeFor[coreclient.NodeInterface](), withStatus},
		{reflect.TypeFor[*Pods](), reflect.TypeFor[coreclient.PodInterface](), withStatus},
		{reflect.TypeFor[*Leases](), reflect.TypeFor[coordinationclient.LeaseInterface](), all},
		{reflect.TypeFor[*Namespaces](), reflect.TypeFor[coreclient.NamespaceInterface](), withStatus},
		{reflect.TypeFor[*Events](), reflect.TypeFor[coreclient.EventInterface](), all},
	} {
		for _, name := range c.methods {
			ours, ok := c.ours.MethodByName(name)
			require.True(t, ok, "%v.%s", c.ours, name)
			theirs, ok := c.theirs.MethodByName(name)
			require.True(t, ok, "%v.%s", c.theirs, name)
			var in []reflect.Type
			for i := 1; i < ours.Type.NumIn(); i++ { // without the receiver
				in = append(in, ours.Type.In(i))
			}
			out := []reflect.Type{}
			for i := range ours.Type.NumOut() {
				out = append(out, ours.Type.Out(i))
			}
			require.Equal(t, theirs.Type, reflect.FuncOf(in, out, ours.Type.IsVariadic()), "%v.%s", c.ours, name)
		}
		_, has := c.ours.MethodByName("UpdateStatus")
		require.Equal(t, len(c.methods) == len(withStatus), has, "%v: a status subresource", c.ours)
	}
}
