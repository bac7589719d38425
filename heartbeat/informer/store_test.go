package informer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestStoreListsByKeyWhateverTheOrderOfChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Store[*corev1.Pod]{items: map[string]*corev1.Pod{}}
		model := map[string]*corev1.Pod{}
		for range rapid.IntRange(0, 60).Draw(t, "changes") {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "namespace"),
				Name:      fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "name")),
			}}
			before, known := model[Key(pod)]
			var old *corev1.Pod
			var had bool
			if rapid.Bool().Draw(t, "remove") {
				old, had = s.remove(Key(pod))
				delete(model, Key(pod))
			} else {
				old, had = s.set(pod)
				model[Key(pod)] = pod
			}
			require.Equal(t, known, had)
			require.Same(t, before, old)
			if rapid.Bool().Draw(t, "look") {
				requireLists(t, &s, model)
			}
		}
		requireLists(t, &s, model)
	})
}

func requireLists(t require.TestingT, s *Store[*corev1.Pod], model map[string]*corev1.Pod) {
	require.Equal(t, len(model), s.Len())
	require.Len(t, s.List(), len(model))
	require.True(t, slices.IsSortedFunc(s.List(), func(a, b *corev1.Pod) int { return strings.Compare(Key(a), Key(b)) }))
	for _, pod := range s.List() {
		require.Same(t, model[Key(pod)], pod)
		found, ok := s.Get(Key(pod))
		require.True(t, ok)
		require.Same(t, pod, found)
	}
}
