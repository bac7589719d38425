package version

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMissingBehaviourNamesTheFirstVersionThatHasIt(t *testing.T) {
	parse := func(text string) Version {
		v, err := Parse(text)
		require.NoError(t, err)
		return v
	}
	require.EqualError(t, RequireFlag(parse("1.20"), "Kubelet.DelayAfterNodeStatusChange"),
		"Kubernetes 1.20 has no Kubelet.DelayAfterNodeStatusChange; the first version that has it is 1.32.0 (1.32.0 up to but without 1.32.3, and 1.34.0 or later)")
	require.NoError(t, RequireFlag(parse("1.36"), "Kubelet.DelayAfterNodeStatusChange"))
	require.NoError(t, RequireFlag(parse("1.37"), "NodeLifecycle.NodeLeaseCircuitBreaker"))
	require.Error(t, RequireFlag(parse("1.36"), "NodeLifecycle.NodeLeaseCircuitBreaker"))
}

func TestEveryBoolCanBeRequiredOfSomeVersion(t *testing.T) {
	bools := Bools()
	require.Contains(t, bools, "Kubelet.RuntimeUpFirst")
	require.NotContains(t, bools, "Lease.JitterFactor")
	for _, path := range bools {
		missing := RequireFlag(Version{Minor: OldestSeries - 1}, path)
		if missing != nil {
			require.NotEmpty(t, missing.(*MissingError).Spans, path)
		}
	}
}
