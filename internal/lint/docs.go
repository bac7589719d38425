package lint

import (
	"go/ast"
)

// exportedDocumented finds exported names of a package that another can import and that have no comment of their own. In a
// group of constants or variables the group's comment speaks for all of them, and a comment for the lines right below it.
func exportedDocumented(p *Pass) {
	if p.AST == nil || p.IsTest() || p.AST.Name.Name == "main" {
		return
	}
	for _, decl := range p.AST.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if recv := receiver(d); d.Name.IsExported() && (recv == "" || ast.IsExported(recv)) && d.Doc.Text() == "" {
				p.Report(d.Name.Pos(), "%s has no comment: say what it means, its units, bounds and errors", d.Name.Name)
			}
		case *ast.GenDecl:
			checkGroup(p, d)
		}
	}
}

func checkGroup(p *Pass, d *ast.GenDecl) {
	grouped := d.Lparen.IsValid()
	spokenFor := -1 // the line up to which a comment speaks
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc.Text() == "" && (grouped || d.Doc.Text() == "") {
				p.Report(s.Name.Pos(), "%s has no comment: say what it stands for", s.Name.Name)
			}
		case *ast.ValueSpec:
			// A comment in a group speaks for the lines right below it too.
			if s.Doc.Text() != "" || d.Doc.Text() != "" || grouped && s.Comment.Text() != "" || p.Line(s.Pos()) == spokenFor+1 {
				spokenFor = p.Line(s.End())
				continue
			}
			for _, name := range s.Names {
				if name.IsExported() {
					p.Report(name.Pos(), "%s has no comment: say what it means and in which unit", name.Name)
				}
			}
		}
	}
}

// receiver is the name of a method's type, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	x := d.Recv.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	if id := called(&ast.CallExpr{Fun: x}); id != nil {
		return id.Name
	}
	return ""
}

// packageDocumented finds packages without a comment; the first of a package's files answers for it.
func packageDocumented(p *Pass) {
	if p.AST == nil || p.IsTest() {
		return
	}
	files := p.Tree.sources(p.Dir())
	if files[0] != p.File {
		return
	}
	for _, f := range files {
		if f.AST.Doc.Text() != "" {
			return
		}
	}
	p.ReportLine(p.Line(p.AST.Name.Pos()), "package %s has no comment: say what it is for and what it knows nothing of", p.AST.Name.Name)
}
