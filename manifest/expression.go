package manifest

// variables calls fn with every variable of an expression and its pointer.
func (e *Expression) variables(pointer string, fn func(v *Variable, pointer string)) {
	if e == nil {
		return
	}
	if e.Variable != nil {
		fn(e.Variable, at(pointer, "variable"))
	}
	for i, child := range e.Children {
		child.variables(at(pointer, "children", i), fn)
	}
}

// hasPredicate reports whether an expression asks anything at all.
func (e *Expression) hasPredicate() bool {
	found := false
	e.variables("", func(*Variable, string) { found = true })
	return found
}

// tooDeep returns the pointer of the first group below the allowed depth, ""
// when there is none.
func (e *Expression) tooDeep(pointer string, depth int) string {
	if depth > MaxDepth {
		return pointer
	}
	for i, child := range e.Children {
		if deep := child.tooDeep(at(pointer, "children", i), depth+1); deep != "" {
			return deep
		}
	}
	return ""
}

// placedExpression is a condition with its place; layer is nil for the case of
// a decision.
type placedExpression struct {
	*Expression
	pointer  string
	decision *Decision
	layer    *placedLayer
}

// expressions lists all conditions: those of decisions, then those of
// conditional layers.
func (m *Manifest) expressions() []placedExpression {
	var out []placedExpression
	for i, d := range m.Decisions {
		for j, c := range d.Cases {
			out = append(out, placedExpression{c.Expression, at("/decisionNodes", i, "cases", j, "expression"), d, nil})
		}
	}
	for _, p := range m.layers {
		for i, c := range p.Cases {
			out = append(out, placedExpression{c.Expression, at(p.pointer, "cases", i, "expression"), nil, p})
		}
	}
	return out
}
