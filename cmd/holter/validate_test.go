package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValidateSaysWhatAScenarioHolds(t *testing.T) {
	c := holter("validate", nodeDeath, broken)
	require.Equal(t, exitFine, c.code, c.err)
	require.Equal(t, "ok  "+nodeDeath+": node-death, Kubernetes 1.36, 3 nodes, 3m, 1 fault, 2 expectations (seed 1)\n"+
		"ok  "+broken+": broken, Kubernetes 1.36, 3 nodes, 3m, 1 fault, 3 expectations (seed 1)\n", c.out)
	require.Equal(t, 2, strings.Count(c.err, "warning: "))
}

func TestValidateTellsEverythingThatIsWrong(t *testing.T) {
	text := strings.NewReplacer("duration: 3m", "duration: -3m", "at: 60s", "at: -60s", "node: node-1", "node: node-9").Replace(read(t, nodeDeath))
	c := (&call{args: []string{"validate", "-"}, stdin: text}).run()
	require.Equal(t, exitRefused, c.code)
	require.Empty(t, c.out)
	golden(t, "validate-errors.golden", c.err)

	c = (&call{args: []string{"validate", nodeDeath, "-", "-o", "json"}, stdin: text}).run()
	require.Equal(t, exitRefused, c.code)
	objects := c.objects(t)
	require.Len(t, objects, 2)
	require.Equal(t, true, objects[0]["ok"])
	require.Equal(t, false, objects[1]["ok"])
	require.Len(t, objects[1]["problems"], 4)
}

func TestValidateTellsEverythingThatIsWrongWithTheFilesToo(t *testing.T) {
	folder := t.TempDir()
	config := "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: many\nnodeStatusUpdateFrequency: 10\nauthentication: {webhook: {enabled: \"yes\"}}\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kubelet.yaml"), []byte(config), 0o644))
	path := filepath.Join(folder, "s.yaml")
	text := strings.NewReplacer("  kubelet: {", "  kubeletConfigFile: kubelet.yaml\n  kubelet: {", "duration: 3m", "duration: -3m").Replace(read(t, nodeDeath))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	c := holter("validate", path)
	require.Equal(t, exitRefused, c.code)
	require.Equal(t, 4, strings.Count(c.err, "error: "), c.err)
	for _, want := range []string{`spec.duration: "-3m" is negative`, `kubelet.yaml:3: maxPods: "many" is text`, `kubelet.yaml:4: nodeStatusUpdateFrequency: "10" is a number without a unit`,
		`kubelet.yaml:5: authentication.webhook.enabled: is a text`} {
		require.Contains(t, c.err, want)
	}
	for _, word := range []string{"Go ", "int32", "unmarshal"} {
		require.NotContains(t, c.err, word)
	}

	c = (&call{args: []string{"validate", "-"}, stdin: strings.NewReplacer("duration:", "duraton:", "kill: {node: node-1}", "kil: {node: node-1}", "seed: 1", "seed: one").Replace(read(t, nodeDeath))}).run()
	require.Equal(t, exitRefused, c.code)
	require.Equal(t, 3, strings.Count(c.err, "error: "), c.err)
	require.Contains(t, c.err, `did you mean duration?`)
	require.Contains(t, c.err, `did you mean kill?`)
	require.Contains(t, c.err, `"one" is no whole number`)
}

func TestTheVersionSaysWhatIsModelled(t *testing.T) {
	c := holter("version")
	require.Equal(t, exitFine, c.code)
	require.Contains(t, c.out, "models    Kubernetes 1.13 to 1.37\n")
	require.Contains(t, c.out, "trace     trace/v1alpha1\n")

	o := holter("version", "-o", "json").object(t)
	require.Len(t, o["kubernetes"], 25)
	require.NotEmpty(t, o["holter"])
}
