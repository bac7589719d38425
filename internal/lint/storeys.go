package lint

import (
	"slices"
	"strings"
)

// storey is one row of the dependency rule.
type storey struct {
	name    string
	own     []string // storeys of the module that it may import besides itself; "*" is all
	outside []string // modules it may import besides the standard library; "*" is all
	instead string   // what to do where the rule is in the way
}

// storeys is the dependency rule. Tests may build on what they like: the rule is about what is shipped together.
func storeys() []storey {
	return []storey{
		{"sim", nil, []string{"k8s.io/utils"}, "the engine knows nothing of Kubernetes; move the code up"},
		{"heartbeat", nil, []string{"*"}, "take a heartbeat.Host or a narrow interface; the same code runs on a real cluster"},
		{"fakeapi", []string{"sim"}, []string{"*"}, "offer an Observer or an option, and let scenario wire it"},
		{"traces", nil, []string{"*"}, "record plain values, and let scenario convert"},
		{"scenario", []string{"*"}, []string{"*"}, ""},
		{"holtertest", []string{"*"}, []string{"*"}, ""},
		{"bubble", []string{"*"}, []string{"*"}, ""},
		{"serve", []string{"*"}, []string{"*"}, ""},
		{"cmd", []string{"*"}, []string{"*"}, ""},
		{"examples", []string{"bubble", "holtertest"}, []string{"*"}, "an example uses what its readers can"},
		{"internal", []string{"*"}, []string{"*"}, ""},
	}
}

func importsGoDown(p *Pass) {
	rows := storeys()
	at := slices.IndexFunc(rows, func(s storey) bool { return s.name == p.Storey() })
	if at < 0 {
		p.ReportLine(1, "%s is no storey of the house: add it to the table in internal/lint/storeys.go", p.Storey())
		return
	}
	for _, spec := range p.Imports() {
		name := importPath(spec)
		if !rows[at].allows(p.Tree, name) {
			p.Report(spec.Pos(), "%s imports %s: %s", p.Storey(), strings.TrimPrefix(name, p.Tree.Module+"/"), rows[at].instead)
		}
	}
}

// allows says whether the storey may import a path.
func (s storey) allows(t *Tree, name string) bool {
	if dir, own := t.ownDir(name); own {
		first, _, _ := strings.Cut(dir, "/")
		return first == s.name || slices.Contains(s.own, "*") || slices.Contains(s.own, first)
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		return true // the standard library has no dot in its first element
	}
	return slices.ContainsFunc(s.outside, func(m string) bool { return m == "*" || m == name || strings.HasPrefix(name, m+"/") })
}
