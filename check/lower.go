package check

import "github.com/koru-go/koru/syntax"

// lowerFlow resolves a FlowItem, an ImplItem or a flow of a test. A flow that
// implements a tor has its fields as parameters.
func (j *judge) lowerFlow(item syntax.Node, owner *Tor) *Flow { return nil }

// lowerValue resolves an expression that stands in no flow: the value of a
// constant, the initial value or the capacity of a store.
func (j *judge) lowerValue(n syntax.Node, want *Type) *Expr { return &Expr{Node: n, Type: want} }
