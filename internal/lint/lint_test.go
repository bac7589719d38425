package lint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository, as seen from this package.
const root = "../.."

func TestTheRepositoryKeepsItsRules(t *testing.T) {
	tree, err := Read(root)
	require.NoError(t, err)
	exports, err := Exports(root, tree.Outside())
	require.NoError(t, err)
	tree.TypeCheck(exports)

	found := Check(tree, Rules())
	if len(found) == 0 {
		return
	}
	var lines strings.Builder
	for _, f := range found {
		lines.WriteString("\n" + f.String())
	}
	t.Errorf("%d findings:%s", len(found), lines.String())
}
