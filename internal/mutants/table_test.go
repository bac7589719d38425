package mutants

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository, as seen from this package.
const root = "../.."

func TestEveryMutantChangesOnePlaceOfTheSource(t *testing.T) {
	names := map[string]bool{}
	changes := map[string]string{}
	for _, m := range Table() {
		require.NotEmpty(t, m.Name)
		require.Falsef(t, names[m.Name], "two mutants are called %q", m.Name)
		names[m.Name] = true

		text, err := m.Apply(root)
		if err != nil {
			t.Errorf("mutant %q: %v", m.Name, err)
			continue
		}
		if other := changes[string(text)]; other != "" {
			t.Errorf("mutants %q and %q make the same change", other, m.Name)
		}
		changes[string(text)] = m.Name
		original, err := os.ReadFile(filepath.Join(root, m.File))
		require.NoError(t, err)
		require.NotEqualf(t, string(original), string(text), "mutant %q changes nothing", m.Name)
		_, err = parser.ParseFile(token.NewFileSet(), m.File, text, parser.SkipObjectResolution)
		require.NoErrorf(t, err, "mutant %q is no Go", m.Name)
	}
}

func TestEveryMutantNamesPackagesThatAreThere(t *testing.T) {
	for _, m := range Table() {
		require.NotEmpty(t, m.By, m.Name)
		for _, tests := range m.By {
			sources, err := filepath.Glob(filepath.Join(root, tests.Package, "*.go"))
			require.NoError(t, err)
			require.NotEmptyf(t, sources, "mutant %q: no package %s", m.Name, tests.Package)
		}
	}
}

func TestAMutantWhoseTextIsNotFoundOnceIsAnErrorThatNamesItsFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("one two two"), 0o600))

	for _, old := range []string{"", "two", "three"} {
		_, err := Mutant{File: "a.go", Old: old, New: "four"}.Apply(dir)
		require.ErrorContains(t, err, "a.go", old)
	}
	_, err := Mutant{File: "b.go", Old: "one"}.Apply(dir)
	require.ErrorContains(t, err, "b.go")

	text, err := Mutant{File: "a.go", Old: "one ", New: ""}.Apply(dir)
	require.NoError(t, err)
	require.Equal(t, "two two", string(text))
}
