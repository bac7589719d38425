package lint

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
)

// mapRangesExplained finds loops over a map that do not say why the order of its keys reaches no event, draw or line. A
// loop without variables sees no order.
func mapRangesExplained(p *Pass) {
	if p.Types == nil || p.AST == nil {
		return
	}
	reasons := orderReasons(p)
	eachNode(p, func(n ast.Node) {
		loop, ok := n.(*ast.RangeStmt)
		if !ok || isBlank(loop.Key) && isBlank(loop.Value) || !isMap(p.Types.TypeOf(loop.X)) {
			return
		}
		if line := p.Line(loop.Pos()); !reasons[line] && !reasons[line-1] {
			p.Report(loop.Pos(), "range over a map: use slices.Sorted(maps.Keys(m)), or say above it why that is needless: // order: reason")
		}
	})
}

// orderReasons are the lines with a comment "// order: reason", and the last line of a comment group that holds one.
func orderReasons(p *Pass) map[int]bool {
	form := regexp.MustCompile(`^//\s?order:\s+\S`)
	lines := map[int]bool{}
	for _, group := range p.AST.Comments {
		for _, c := range group.List {
			if form.MatchString(c.Text) {
				lines[p.Line(c.Pos())] = true
				lines[p.Line(group.End())] = true
			}
		}
	}
	return lines
}

// isMap says whether a value of a type is ranged over in a map's order; a type parameter counts if any of its types does.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		return isMap(u.Constraint().Underlying())
	case *types.Union:
		for term := range u.Terms() {
			if isMap(term.Type()) {
				return true
			}
		}
		return false
	case *types.Interface:
		for embedded := range u.EmbeddedTypes() {
			if isMap(embedded) {
				return true
			}
		}
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Interface:
		return isMap(u)
	}
	return false
}

func isBlank(x ast.Expr) bool {
	if x == nil {
		return true
	}
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// mapKeysSorted finds maps.Keys, Values and All whose order is not undone on the spot: by slices.Sorted and its kin around
// the call, or by slices.Collect into a variable that the next statement sorts.
func mapKeysSorted(p *Pass) {
	if p.Types == nil || p.AST == nil {
		return
	}
	ast.PreorderStack(p.AST, nil, func(n ast.Node, stack []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || !p.isFunc(id, "maps", "Keys", "Values", "All") {
			return true
		}
		if !p.orderUndone(id, stack) {
			p.Report(id.Pos(), "maps.%s in the map's order: use slices.Sorted around it", id.Name)
		}
		return true
	})
}

// orderUndone says whether the call of a function is sorted by what stands around it.
func (p *Pass) orderUndone(id *ast.Ident, stack []ast.Node) bool {
	calls := enclosingCalls(stack)
	if len(calls) < 2 || called(calls[0]) != id {
		return false
	}
	around := called(calls[1])
	return p.isFunc(around, "slices", "Sorted", "SortedFunc", "SortedStableFunc") ||
		p.isFunc(around, "slices", "Collect") && p.sortedNext(stack, calls[1])
}

// isFunc says whether an identifier stands for one of a package's functions.
func (p *Pass) isFunc(id *ast.Ident, pkg string, names ...string) bool {
	if id == nil {
		return false
	}
	fn, ok := p.Object(id).(*types.Func)
	return ok && fn.Pkg().Path() == pkg && slices.Contains(names, qualifiedName(fn))
}

// sortedNext says whether a call's result is stored in a variable that the next statement of the block sorts.
func (p *Pass) sortedNext(stack []ast.Node, call *ast.CallExpr) bool {
	at := slices.IndexFunc(stack, func(n ast.Node) bool { return n == ast.Node(call) })
	if at < 2 {
		return false
	}
	assign, ok := stack[at-1].(*ast.AssignStmt)
	block, inBlock := stack[at-2].(*ast.BlockStmt)
	if !ok || !inBlock || len(assign.Lhs) != 1 {
		return false
	}
	next := slices.Index(block.List, ast.Stmt(assign)) + 1
	if next >= len(block.List) {
		return false
	}
	stmt, ok := block.List[next].(*ast.ExprStmt)
	if !ok {
		return false
	}
	sort, ok := stmt.X.(*ast.CallExpr)
	if !ok || len(sort.Args) == 0 || types.ExprString(sort.Args[0]) != types.ExprString(assign.Lhs[0]) {
		return false
	}
	return p.isFunc(called(sort), "slices", "Sort", "SortFunc", "SortStableFunc") ||
		p.isFunc(called(sort), "sort", "Strings", "Ints", "Float64s", "Slice", "SliceStable")
}

// enclosingCalls are the calls that a function's name stands in, from its own outwards, as long as each is an argument of the
// next.
func enclosingCalls(stack []ast.Node) []*ast.CallExpr {
	var calls []*ast.CallExpr
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.CallExpr:
			calls = append(calls, n)
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.ParenExpr:
		default:
			return calls
		}
	}
	return calls
}

// called is the name of the function that a call is of, nil if it has none.
func called(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}
