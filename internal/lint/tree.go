package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// File is one text file of the repository.
type File struct {
	Path     string    // from the root of the repository, with slashes
	Text     []byte    // nil if the file is binary
	AST      *ast.File // nil unless it is Go outside of testdata, and parses
	Err      error     // why it does not parse
	Testdata bool      // it lies in a testdata folder
	Nested   bool      // it belongs to a module inside the module
}

// IsGo says that the file is Go source of the project: testdata is not.
func (f *File) IsGo() bool { return strings.HasSuffix(f.Path, ".go") && !f.Testdata }

// IsTest says that the file is a Go test file.
func (f *File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Dir is the folder of the file, "." for the root.
func (f *File) Dir() string { return path.Dir(f.Path) }

// Storey is the first folder of the file's path, "." for the root.
func (f *File) Storey() string {
	first, _, inside := strings.Cut(f.Path, "/")
	if !inside {
		return "."
	}
	return first
}

// Imports are the import paths of the file and the lines they stand on.
func (f *File) Imports() []*ast.ImportSpec {
	if f.AST == nil {
		return nil
	}
	return f.AST.Imports
}

// Tree is the repository as the rules see it.
type Tree struct {
	Module string  // the module's path
	Files  []*File // by path

	fset       *token.FileSet
	typed      map[*File][]*types.Info
	typeErrors map[*File][]types.Error
}

// Read reads the repository whose root holds go.mod. Files that git ignores are left out. The folders are read by this
// process and not by git, so that go test knows when its remembered result is out of date.
func Read(root string) (*Tree, error) {
	ignored := gitIgnored(root)
	texts := map[string][]byte{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (d.Name() == ".git" || ignored[rel+"/"]):
			return filepath.SkipDir
		case !d.Type().IsRegular() || ignored[rel]:
			return nil
		}
		text, err := os.ReadFile(name)
		texts[rel] = text
		return err
	})
	if err != nil {
		return nil, err
	}
	module := modulePath(texts["go.mod"])
	if module == "" {
		return nil, fmt.Errorf("%s: no go.mod with a module line", root)
	}
	return newTree(module, texts), nil
}

// newTree parses the files of a repository that is held in memory.
func newTree(module string, texts map[string][]byte) *Tree {
	t := &Tree{Module: module, fset: token.NewFileSet()}
	var nested []string
	for name := range texts {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			nested = append(nested, path.Dir(name)+"/")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		f := &File{Path: name, Text: texts[name]}
		f.Testdata = strings.Contains("/"+name, "/testdata/")
		f.Nested = slices.ContainsFunc(nested, func(dir string) bool { return strings.HasPrefix(name, dir) })
		if bytes.IndexByte(f.Text[:min(len(f.Text), 8000)], 0) >= 0 {
			f.Text = nil
		}
		if f.IsGo() {
			f.AST, f.Err = parser.ParseFile(t.fset, name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
		}
		if f.Err != nil {
			f.AST = nil
		}
		t.Files = append(t.Files, f)
	}
	return t
}

// gitIgnored lists what git ignores, folders with a slash at the end. Outside of a git work tree nothing is ignored.
func gitIgnored(root string) map[string]bool {
	cmd := exec.Command("git", "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		ignored[name] = true
	}
	return ignored
}

// modulePath is the path that a go.mod file declares, "" if it declares none.
func modulePath(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "module" {
			return fields[1]
		}
	}
	return ""
}
