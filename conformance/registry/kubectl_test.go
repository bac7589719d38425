//go:build apiserver

package registry

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const scriptFolder = "testdata/kubectl"

// TestKubectlSaysWhatTheGoldenSays runs the script against a kube-apiserver with
// etcd, whose answers are the golden.
func TestKubectlSaysWhatTheGoldenSays(t *testing.T) {
	kubeconfig, err := startCluster(t).Kubeconfig()
	require.NoError(t, err)
	got, err := kubectl(t, kubeconfig).RunScript()
	require.NoError(t, err)
	if os.Getenv("HOLTER_GOLDEN") == "rewrite" {
		require.NoError(t, os.WriteFile(filepath.Join(scriptFolder, "upstream.golden"), []byte(got), 0o644))
	}
	requireScript(t, got, nil)
}

// TestKubectlOfOursSaysTheSame runs the script against our server, or against
// whatever the kubeconfig leads to that HOLTER_KUBECONFIG names.
func TestKubectlOfOursSaysTheSame(t *testing.T) {
	kubeconfig := os.Getenv("HOLTER_KUBECONFIG")
	if kubeconfig == "" {
		ours := NewOurs()
		t.Cleanup(ours.Close)
		server := httptest.NewServer(&Loopback{server: ours})
		t.Cleanup(server.Close)
		kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
		require.NoError(t, os.WriteFile(kubeconfig, []byte(fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q}}]
contexts: [{name: x, context: {cluster: c}}]
current-context: x
`, server.URL)), 0o600))
	}
	got, err := kubectl(t, kubeconfig).RunScript()
	require.NoError(t, err)
	if name := os.Getenv("HOLTER_ANSWERS"); name != "" {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
	}
	requireScript(t, got, acceptedOfKubectl)
}

func kubectl(t *testing.T, kubeconfig string) *Kubectl {
	t.Helper()
	files, err := filepath.Abs(scriptFolder)
	require.NoError(t, err)
	return &Kubectl{Program: filepath.Join(os.Getenv("HOLTER_APISERVER_BIN"), "kubectl"), Files: files, Home: t.TempDir(), Kubeconfig: kubeconfig}
}

// requireScript compares what commands printed with the golden, but for the
// commands that may print something else.
func requireScript(t *testing.T, got string, accepted []accept) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(scriptFolder, "upstream.golden"))
	require.NoError(t, err)
	theirs, ours := strings.Split(string(want), "\n$ "), strings.Split(got, "\n$ ")
	require.Len(t, ours, len(theirs))
	same, used := 0, make([]int, len(accepted))
	for i := range theirs {
		if theirs[i] == ours[i] {
			same++
		} else if !allowed(theirs[i], accepted, used) {
			t.Errorf("upstream:\n%s\nhere:\n%s", theirs[i], ours[i])
		}
	}
	t.Logf("%d of %d commands print the same", same, len(theirs))
	for i, a := range accepted {
		require.Positive(t, used[i], "accepted, but the same: %s", a.where)
		t.Logf("%3d accepted: %s: %s", used[i], a.where, a.reason)
	}
}

func allowed(theirs string, accepted []accept, used []int) bool {
	line, _, _ := strings.Cut(theirs, "\n")
	for i, a := range accepted {
		if regexp.MustCompile(a.where).MatchString(line) {
			used[i]++
			return true
		}
	}
	return false
}
