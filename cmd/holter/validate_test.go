package main

import (
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

func TestTheVersionSaysWhatIsModelled(t *testing.T) {
	c := holter("version")
	require.Equal(t, exitFine, c.code)
	require.Contains(t, c.out, "models    Kubernetes 1.36\n")
	require.Contains(t, c.out, "trace     trace/v1alpha1\n")

	o := holter("version", "-o", "json").object(t)
	require.Equal(t, []any{"1.36"}, o["kubernetes"])
	require.NotEmpty(t, o["holter"])
}
