package nodelifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
)

func TestBetaLabelsFollowTheStableOnes(t *testing.T) {
	for name, c := range map[string]struct{ have, want map[string]string }{
		"missing": {map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64"},
			map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64", "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "arm64"}},
		"different": {map[string]string{"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "plan9"},
			map[string]string{"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux"}},
		"in order":              {map[string]string{"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux"}, nil},
		"no stable one":         {map[string]string{"beta.kubernetes.io/os": "linux"}, nil},
		"no labels whatsoever":  {nil, nil},
		"an empty one is a one": {map[string]string{"kubernetes.io/os": ""}, map[string]string{"kubernetes.io/os": "", "beta.kubernetes.io/os": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: c.have}})
			l.run()
			l.to(time.Minute)
			if c.want == nil {
				require.Empty(t, l.sent(0))
				return
			}
			require.Equal(t, []string{"get nodes n: ok", "patch nodes n: ok"}, l.sent(0))
			require.Equal(t, c.want, l.server.Node("n").Labels)
		})
	}
}
