package lint

import (
	"go/ast"
	"go/token"
	"go/types"
)

func noGoStatement(p *Pass) {
	eachNode(p, func(n ast.Node) {
		if s, ok := n.(*ast.GoStmt); ok {
			p.Report(s.Pos(), "go statement: use Host.Go")
		}
	})
}

func noSelect(p *Pass) {
	eachNode(p, func(n ast.Node) {
		if s, ok := n.(*ast.SelectStmt); ok {
			p.Report(s.Pos(), "select statement: use a Waiter that the first event wakes (Host.Sleep for a pause)")
		}
	})
}

// noChannels finds what would block on a channel: the engine would wait with it, for ever.
func noChannels(p *Pass) {
	const instead = "use the blocking call itself: a verb, a Next or Host.Sleep"
	eachNode(p, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.SendStmt:
			p.Report(n.Pos(), "send on a channel: %s", instead)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				p.Report(n.Pos(), "receive from a channel: %s", instead)
			}
		case *ast.RangeStmt:
			if p.Types == nil {
				return
			}
			if t := p.Types.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Chan); ok {
					p.Report(n.Pos(), "range over a channel: %s", instead)
				}
			}
		}
	})
}

// noFusedProducts finds products of floating-point numbers that a compiler may fuse with an addition, across statements
// even: on some architectures the intermediate result is then not rounded. An explicit conversion forbids it.
func noFusedProducts(p *Pass) {
	if p.Types == nil || p.AST == nil {
		return
	}
	ast.PreorderStack(p.AST, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.MUL && isFloat(p, n) && !rounded(p, stack) {
				p.Report(n.OpPos, "floating-point product that may be fused with an addition: use integers, or round it as float64(x * y)")
			}
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN && isFloat(p, n.Lhs[0]) {
				p.Report(n.TokPos, "floating-point product that may be fused with an addition: use integers, or x = float64(x * y)")
			}
		}
		return true
	})
}

// isFloat says whether an expression is a floating-point or complex number that is not a constant.
func isFloat(p *Pass, x ast.Expr) bool {
	tv := p.Types.Types[x]
	if tv.Type == nil || tv.Value != nil {
		return false
	}
	basic, ok := tv.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
}

// rounded says whether a product's value goes straight into a conversion, or into another product or quotient.
func rounded(p *Pass, stack []ast.Node) bool {
	for i := len(stack) - 1; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.BinaryExpr:
			return n.Op == token.MUL || n.Op == token.QUO
		case *ast.CallExpr:
			return p.Types.Types[n.Fun].IsType()
		}
		return false
	}
	return false
}

func eachNode(p *Pass, f func(ast.Node)) {
	if p.AST == nil {
		return
	}
	ast.Inspect(p.AST, func(n ast.Node) bool {
		if n != nil {
			f(n)
		}
		return true
	})
}
