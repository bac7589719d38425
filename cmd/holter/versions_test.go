package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionsPrintsTheTable(t *testing.T) {
	c := holter("versions")
	require.Zero(t, c.code, c.err)
	require.Contains(t, c.out, "from 1.32.0\n")
	require.Contains(t, c.out, "  NodeLifecycle.NodeMonitorGracePeriod  40s -> 50s\n")
	require.Contains(t, c.out, "  NodeLifecycle.NodeLeaseCircuitBreaker  no -> yes\n")
	require.NotContains(t, c.out, "node_lifecycle_controller.go")
	require.Contains(t, holter("versions", "--evidence").out, "node_lifecycle_controller.go tryUpdateNodeHealth, from v1.36.3 to v1.37.0")
}

func TestVersionsOfOnePrintsHowItBehaves(t *testing.T) {
	require.Contains(t, holter("versions", "1.31").out, "NodeLifecycle.NodeMonitorGracePeriod")
	regression, mended := holter("versions", "1.32.2"), holter("versions", "1.32.3")
	require.Regexp(t, `Kubelet.NeverReportedIsExpired +no`, regression.out)
	require.Regexp(t, `Kubelet.NeverReportedIsExpired +yes`, mended.out)

	var b struct {
		Kubelet struct{ NeverReportedIsExpired bool }
	}
	require.NoError(t, json.Unmarshal([]byte(holter("versions", "1.32.3", "-o", "json").out), &b))
	require.True(t, b.Kubelet.NeverReportedIsExpired)
}

func TestVersionsOfNoneIsRefusedInOneLine(t *testing.T) {
	c := holter("versions", "1.12")
	require.Equal(t, 2, c.code)
	require.Equal(t, 1, strings.Count(c.err, "\n"), c.err)
	require.Contains(t, c.err, "older than the table of versions; accepted: 1.13 to 1.37")
}
