// Package mutants breaks the model on purpose, one way at a time, to show that a test notices: not a golden, which differs
// whatever happens, but an expectation or a property that says what is wrong. It knows the text of the source and the names
// of the packages whose tests are to notice; nothing imports it.
//
// The mutants themselves are the table in table.go. `make mutants` runs them (build tag mutants); a plain `go test` checks
// the table against the source.
package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Mutant is one wrong change of the source.
type Mutant struct {
	// Name is what the mutant makes of the model, as a claim that is false of it. Unique.
	Name string
	// File is the path from the root of the repository, with slashes.
	File string
	// Old is the text that is replaced, a line or a part of one wherever that is enough. It occurs in File exactly once.
	Old string
	// New is the text in its place; "" removes it.
	New string
	// By are the tests that are to notice; they are run in this order until one fails. At least one.
	By []Tests
}

// Tests are tests of one package.
type Tests struct {
	// Package is a folder, from the root of the repository, as the go command takes it: "./sim".
	Package string
	// Run limits which of its tests are meant, as go test's -run does; "" is all.
	Run string
}

// Apply returns the text of the mutant's file, as it is below root, with the change made. It is an error if the file cannot
// be read, or if Old does not occur in it exactly once: the source has changed, and the mutant is to follow it.
func (m Mutant) Apply(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(text), m.Old); m.Old == "" || n != 1 {
		return nil, fmt.Errorf("%s: the text to be replaced is found %d times, and must be found once: %q", m.File, n, m.Old)
	}
	return []byte(strings.Replace(string(text), m.Old, m.New, 1)), nil
}
