package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheReadmeShowsWhatTheRunPrints(t *testing.T) {
	t.Chdir("../..")
	c := holter("run", "testdata/scenarios/node-death.yaml")
	require.Zero(t, c.code, c.err)
	require.Contains(t, timeless(read(t, "README.md")), "```text\n"+strings.TrimSpace(timeless(c.out))+"\n```",
		"put the output of holter run testdata/scenarios/node-death.yaml into README.md")
}
