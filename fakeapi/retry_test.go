package fakeapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// A request that is tried again after a 429 asks for all that the first try asked
// for: an apply is still one of its manager's, and still by force.
func TestARequestThatIsTriedAgainAsksForTheSame(t *testing.T) {
	l := newLab(t, Options{})
	apply := func(manager, value string, force bool) error {
		_, err := l.c.Nodes().Patch(ctx, "n", types.ApplyPatchType,
			[]byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{"k":"`+value+`"}}}`),
			metav1.PatchOptions{FieldManager: manager, Force: ptr.To(force)})
		return err
	}
	l.do(func() {
		require.NoError(t, apply("first", "1", false))
		busy := Rule{Count: 1, Match: Match{Verbs: []string{"patch"}}, Respond: &metav1.Status{Code: 429,
			Reason: metav1.StatusReasonTooManyRequests, Details: &metav1.StatusDetails{RetryAfterSeconds: 1}}}
		l.s.Network().Add(busy)
		require.NoError(t, apply("second", "2", true))
		require.Equal(t, second, l.e.Now(), "it was tried again")
		node := must(l.c.Nodes().Get(ctx, "n", metav1.GetOptions{}))
		require.Equal(t, "2", node.Labels["k"])

		l.s.Network().Add(busy)
		_, err := l.c.Nodes().Patch(ctx, "n", types.MergePatchType, []byte(`{"unknown":1}`),
			metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict})
		require.ErrorContains(t, err, `unknown field "unknown"`)
	})
}
