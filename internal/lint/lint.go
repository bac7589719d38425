// Package lint holds what the compiler does not: the dependency rule between the storeys, the determinism contract of the
// packages that are simulated, and the shape of the code. It runs as a Go test over the repository's files; the rules are
// the table in rules.go, and every finding is reported at once with the replacement by name.
package lint

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Rule is one claim about the files of the repository.
type Rule struct {
	// Name is the claim in a few words; a finding quotes it.
	Name string
	// In says which files the claim is about.
	In func(*File) bool
	// Bans are identifiers and imports that the files may not use, each with its replacement. They are resolved by type, so
	// a renamed import or a function value is found too.
	Bans []Ban
	// Check looks at one file for what Bans cannot say. It may be nil.
	Check func(*Pass)
}

// Finding is one place where a rule is broken.
type Finding struct {
	File string // path from the root of the repository, with slashes
	Line int    // from 1
	Rule string // name of the rule
	Text string // what is wrong, and what to use instead
}

// String is the finding as "file:line: text (rule)".
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)", f.File, f.Line, f.Text, f.Rule)
}

// Pass is one rule's look at one file.
type Pass struct {
	*File
	Tree *Tree
	// Types is nil for the files that are not type-checked: all but those of the storeys under the determinism contract.
	Types *types.Info

	rule   string
	report func(Finding)
}

// Report adds a finding at a position of the file's syntax tree.
func (p *Pass) Report(pos token.Pos, format string, args ...any) {
	p.ReportLine(p.Line(pos), format, args...)
}

// ReportLine adds a finding at a line, from 1.
func (p *Pass) ReportLine(line int, format string, args ...any) {
	p.report(Finding{File: p.Path, Line: line, Rule: p.rule, Text: fmt.Sprintf(format, args...)})
}

// Line is the line of a position in the file, from 1; a //line comment does not move it.
func (p *Pass) Line(pos token.Pos) int { return p.Tree.fset.PositionFor(pos, false).Line }

// Object is the thing of another package that an identifier stands for, nil if it stands for none.
func (p *Pass) Object(id *ast.Ident) types.Object {
	if p.Types == nil {
		return nil
	}
	obj := p.Types.Uses[id]
	if obj == nil || obj.Pkg() == nil {
		return nil
	}
	return obj
}

// Check holds the rules against every file of the tree and returns what it found, by file and line, each finding once.
func Check(t *Tree, rules []Rule) []Finding {
	var found []Finding
	for _, rule := range rules {
		for _, f := range t.Files {
			if !rule.In(f) {
				continue
			}
			for _, info := range t.infos(f) {
				p := &Pass{File: f, Tree: t, Types: info, rule: rule.Name, report: func(x Finding) { found = append(found, x) }}
				checkBans(p, rule.Bans)
				if rule.Check != nil {
					rule.Check(p)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(found)
}
