package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// The bounds of a file without its tests, and of any function, in lines.
const (
	maxFileLines     = 600
	maxFunctionLines = 80
)

func parses(p *Pass) {
	if p.Err != nil {
		p.ReportLine(1, "does not parse: %v", p.Err)
	}
}

func packageNamed(p *Pass) {
	if p.AST == nil {
		return
	}
	name := strings.TrimSuffix(p.AST.Name.Name, "_test")
	if slices.Contains([]string{"util", "utils", "common", "helpers"}, name) {
		p.Report(p.AST.Name.Pos(), "package %s says nothing: name it for what it holds, or put each function beside its caller", name)
	}
}

func fileFits(p *Pass) {
	if lines := bytes.Count(p.Text, []byte("\n")); !p.IsTest() && lines > maxFileLines {
		p.ReportLine(maxFileLines+1, "file of %d lines, the bound is %d: give its second idea a file of its own", lines, maxFileLines)
	}
}

func functionsFit(p *Pass) {
	check := func(n ast.Node, name string) {
		if lines := p.Line(n.End()) - p.Line(n.Pos()) + 1; lines > maxFunctionLines {
			p.Report(n.Pos(), "%s has %d lines, the bound is %d: name its steps", name, lines, maxFunctionLines)
		}
	}
	if p.AST == nil {
		return
	}
	ast.Inspect(p.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			check(n, "func "+n.Name.Name)
			return false // what it holds is counted in it
		case *ast.FuncLit:
			check(n, "function literal")
			return false
		}
		return true
	})
}

// nothingLeftOpen finds marks of unfinished work: in the comments of Go files, and anywhere in other texts.
func nothingLeftOpen(p *Pass) {
	mark := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	if !p.IsGo() {
		eachMatch(p, mark, func(line int, found string) { p.ReportLine(line, "%s: do it, or open an issue", found) })
		return
	}
	if p.AST == nil {
		return
	}
	for _, group := range p.AST.Comments {
		for _, c := range group.List {
			for i, text := range strings.Split(c.Text, "\n") {
				if found := mark.FindString(text); found != "" {
					p.ReportLine(p.Line(c.Pos())+i, "%s: do it, or open an issue", found)
				}
			}
		}
	}
}

func nothingSkipped(p *Pass) {
	if !slices.ContainsFunc(p.Imports(), func(s *ast.ImportSpec) bool {
		return importPath(s) == "testing" || importPath(s) == "pgregory.net/rapid"
	}) {
		return
	}
	eachNode(p, func(n ast.Node) {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
			return
		}
		if recv := called(&ast.CallExpr{Fun: sel.X}); recv != nil && slices.Contains([]string{"t", "tb", "b", "f"}, recv.Name) {
			p.Report(sel.Pos(), "%s.%s: make the test hold everywhere, or put it behind a build tag", recv.Name, sel.Sel.Name)
		}
	})
}

// noWorkplaceWords finds what is true of the machine the text was written on and of no other.
func noWorkplaceWords(p *Pass) {
	paths := `(^|[^\w.-])(/wo` + `rk/|/ro` + `ot/|/fa` + `rm/)`
	hosts := `proxy\.go` + `lang|registry\.np` + `mjs|deb\.deb` + `ian`
	word := regexp.MustCompile(fmt.Sprintf("%s|%s", paths, hosts))
	eachMatch(p, word, func(line int, found string) {
		p.ReportLine(line, "%q belongs to a machine: write a path relative to the repository, or a name users have", strings.TrimSpace(found))
	})
}

// eachMatch calls f for each line of the file that holds the expression.
func eachMatch(p *Pass, form *regexp.Regexp, f func(line int, found string)) {
	line := 0
	for text := range bytes.Lines(p.Text) {
		line++
		if found := form.Find(text); found != nil {
			f(line, string(found))
		}
	}
}
