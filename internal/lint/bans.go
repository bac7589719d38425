package lint

import (
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"
)

// Ban is a set of names of one package that may not be used.
type Ban struct {
	// Path is the package's import path.
	Path string
	// Names are separated by spaces: "Now" is a name of the package, "Time.Local" a method, "func" all of its functions (not
	// methods), "*" everything it declares, "-Locker" an exception to these two. Empty is the import itself.
	Names string
	// Instead is the replacement, by name.
	Instead string
}

func checkBans(p *Pass, bans []Ban) {
	if len(bans) == 0 || p.AST == nil {
		return
	}
	for _, spec := range p.Imports() {
		for _, b := range bans {
			if b.Names == "" && b.Path == importPath(spec) {
				p.Report(spec.Pos(), "import of %s: use %s", b.Path, b.Instead)
			}
		}
	}
	ast.Inspect(p.AST, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := p.Object(id)
		if obj == nil {
			return true
		}
		for _, b := range bans {
			if b.Path == obj.Pkg().Path() && b.covers(obj) {
				p.Report(id.Pos(), "%s: use %s", path.Base(strings.TrimSuffix(b.Path, "/v2"))+"."+qualifiedName(obj), b.Instead)
			}
		}
		return true
	})
}

// covers says whether an object of the ban's package is meant.
func (b Ban) covers(obj types.Object) bool {
	names := strings.Fields(b.Names)
	name := qualifiedName(obj)
	if name == "" || slices.Contains(names, "-"+name) {
		return false
	}
	if slices.Contains(names, name) {
		return true
	}
	topLevel := !strings.Contains(name, ".")
	_, function := obj.(*types.Func)
	return topLevel && (slices.Contains(names, "*") || function && slices.Contains(names, "func"))
}

// qualifiedName is "Now" for what a package declares, "Time.Local" for a method, and "" for fields, local names and packages.
func qualifiedName(obj types.Object) string {
	if fn, ok := obj.(*types.Func); ok {
		recv := fn.Origin().Signature().Recv()
		if recv == nil {
			return fn.Name()
		}
		t := types.Unalias(recv.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		if named, ok := t.(*types.Named); ok {
			return named.Obj().Name() + "." + fn.Name()
		}
		return ""
	}
	if _, isPackage := obj.(*types.PkgName); isPackage || obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return obj.Name()
}
