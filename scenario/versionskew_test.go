package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionsFurtherApartThanKubernetesSupportsAreWarnedOf(t *testing.T) {
	const tooOld, tooNew = " minor versions older than its API server of ", " is newer than its API server of "
	for _, c := range []struct{ server, kubelet, want string }{
		{"1.36", "1.33", ""}, {"1.36", "1.32", "4" + tooOld + "1.36, and Kubernetes supports 3"}, {"1.36", "1.36.0", ""}, {"1.36.0", "1.36.3", ""},
		{"1.36", "1.37", "1.37" + tooNew + "1.36"}, {"1.26", "1.24", ""}, {"1.26", "1.23", "3" + tooOld + "1.26, and Kubernetes supports 2"},
	} {
		s := small(t)
		require.NoError(t, s.Set("kubernetesVersion", c.server))
		require.NoError(t, s.Set("controllerManager.version", c.server))
		require.NoError(t, s.Set("nodes[0].version", c.kubelet))
		list := s.warnSkew()
		if c.want == "" {
			require.Empty(t, list, "%+v", c)
			continue
		}
		require.Len(t, list, 1, "%+v", c)
		require.Equal(t, "spec.nodes[0].version", list[0].Field)
		require.Contains(t, list[0].Message, c.want)
	}
}

func TestAControllerManagerMayBeOneMinorVersionBehind(t *testing.T) {
	s := small(t)
	require.NoError(t, s.Set("controllerManager.version", "1.35"))
	require.Empty(t, s.warnSkew())
	require.NoError(t, s.Set("controllerManager.version", "1.34"))
	require.Equal(t, []Warning{{Field: "spec.controllerManager.version", Message: "a controller-manager of 1.34 is 2 minor versions older than its API server of 1.36, and Kubernetes supports 1"}}, s.warnSkew())
}
