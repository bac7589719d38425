package lint

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// buildVariants are the sets of build tags under which the simulated storeys are checked. A file that no set builds is a
// finding of its own, so that nothing hides behind a tag.
func buildVariants() [][]string { return [][]string{nil, {"mutants"}, {"race"}, {"nolocks"}} }

// Exports asks the go command for the export data of packages from outside of the module: a file name for each import path.
// A path that cannot be built is missing from the answer; what needs it then fails to type-check, which is a finding.
func Exports(root string, paths []string) (map[string]string, error) {
	found := map[string]string{}
	if len(paths) == 0 {
		return found, nil
	}
	cmd := exec.Command("go", append([]string{"list", "-e", "-export", "-f", "{{.ImportPath}}\t{{.Export}}", "--"}, paths...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return nil, fmt.Errorf("go list -export: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found[name] = file
		}
	}
	return found, nil
}

// Outside lists the import paths from outside of the module that type-checking the simulated storeys needs.
func (t *Tree) Outside() []string {
	paths := map[string]bool{}
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if seen[dir] {
			return
		}
		seen[dir] = true
		for _, f := range t.sources(dir) {
			for _, spec := range f.Imports() {
				name := importPath(spec)
				if own, ok := t.ownDir(name); ok {
					visit(own)
				} else if name != "unsafe" && name != "C" {
					paths[name] = true
				}
			}
		}
	}
	for _, dir := range t.simulatedDirs() {
		visit(dir)
	}
	return slices.Sorted(maps.Keys(paths))
}

// TypeCheck type-checks the simulated storeys from their sources, each build variant apart; export data stands for packages
// from outside of the module. Errors are kept for the rule that reports them.
func (t *Tree) TypeCheck(exports map[string]string) {
	t.typed = map[*File][]*types.Info{}
	t.typeErrors = map[*File][]types.Error{}
	before := ""
	for _, tags := range buildVariants() {
		c := &checker{tree: t, tags: tags, done: map[string]*types.Package{}}
		files := c.fileNames()
		if files == before {
			continue
		}
		before = files
		c.outside = importer.ForCompiler(t.fset, "gc", func(name string) (io.ReadCloser, error) {
			if exports[name] == "" {
				return nil, fmt.Errorf("no export data for %s", name)
			}
			return os.Open(exports[name])
		})
		for _, dir := range t.simulatedDirs() {
			_, _ = c.Import(path.Join(t.Module, dir))
		}
	}
}

// infos are the type information of a file, one for each build variant it is part of; one nil if it has none.
func (t *Tree) infos(f *File) []*types.Info {
	if len(t.typed[f]) == 0 {
		return []*types.Info{nil}
	}
	return t.typed[f]
}

// simulatedDirs are the folders of the packages under the determinism contract.
func (t *Tree) simulatedDirs() []string {
	var dirs []string
	for _, f := range t.Files {
		if simulated(f) && !slices.Contains(dirs, f.Dir()) {
			dirs = append(dirs, f.Dir())
		}
	}
	return dirs
}

// sources are the Go files of one package of the module, without its tests.
func (t *Tree) sources(dir string) []*File {
	var files []*File
	for _, f := range t.Files {
		if f.AST != nil && !f.IsTest() && f.Dir() == dir {
			files = append(files, f)
		}
	}
	return files
}

// ownDir is the folder of an import path of the module.
func (t *Tree) ownDir(name string) (dir string, ok bool) {
	if name == t.Module {
		return ".", true
	}
	return strings.CutPrefix(name, t.Module+"/")
}

// checker type-checks packages of the module under one set of build tags. It is the importer of its own packages.
type checker struct {
	tree    *Tree
	tags    []string
	outside types.Importer
	done    map[string]*types.Package // nil while a package is being checked
}

// Import implements types.Importer.
func (c *checker) Import(name string) (*types.Package, error) {
	dir, own := c.tree.ownDir(name)
	if !own {
		return c.outside.Import(name)
	}
	if pkg, ok := c.done[name]; ok {
		if pkg == nil {
			return nil, fmt.Errorf("import cycle through %s", name)
		}
		return pkg, nil
	}
	c.done[name] = nil
	pkg := c.check(name, c.files(dir))
	c.done[name] = pkg
	return pkg, nil
}

func (c *checker) check(name string, files []*File) *types.Package {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: c, Sizes: types.SizesFor("gc", runtime.GOARCH), Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			c.tree.addTypeError(e)
		}
	}}
	var syntax []*ast.File
	for _, f := range files {
		syntax = append(syntax, f.AST)
		c.tree.typed[f] = append(c.tree.typed[f], info)
	}
	// The error is the first of those that conf.Error has been told.
	pkg, _ := conf.Check(name, c.tree.fset, syntax, info)
	return pkg
}

// files are the files of one package that the checker's build tags select.
func (c *checker) files(dir string) []*File {
	return slices.DeleteFunc(c.tree.sources(dir), func(f *File) bool { return !c.selects(f) })
}

func (c *checker) selects(f *File) bool {
	ctx := build.Default
	ctx.BuildTags = c.tags
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.Text)), nil }
	ok, err := ctx.MatchFile(f.Dir(), path.Base(f.Path))
	return err == nil && ok
}

// fileNames are the files of the whole module that the build tags select, as one text to compare.
func (c *checker) fileNames() string {
	var names strings.Builder
	for _, f := range c.tree.Files {
		if f.AST != nil && !f.IsTest() && !f.Nested && c.selects(f) {
			names.WriteString(f.Path + "\n")
		}
	}
	return names.String()
}

func (t *Tree) addTypeError(e types.Error) {
	name := t.fset.PositionFor(e.Pos, false).Filename
	for _, f := range t.Files {
		if f.Path == name {
			t.typeErrors[f] = append(t.typeErrors[f], e)
		}
	}
}

// typesKnown reports what kept a file from being type-checked: without types the rules about identifiers are blind.
func typesKnown(p *Pass) {
	if p.Types == nil {
		p.ReportLine(1, "no build variant of the lint selects this file: add its tags to buildVariants")
	}
	for _, e := range p.Tree.typeErrors[p.File] {
		p.Report(e.Pos, "does not type-check: %s", e.Msg)
	}
}

// importPath is the path an import names.
func importPath(spec *ast.ImportSpec) string {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return name
}
