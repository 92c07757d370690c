package eval

import (
	"errors"

	"github.com/koru-go/koru/check"
)

// NewGrants links nothing of a program but its register blocks: it is what wire
// text can be judged against when nothing is to run, while the program itself
// may still have errors. Every granted verb has a body that refuses.
func NewGrants(p *check.Program) *Program {
	prog := &Program{
		checked: p, bodies: Bodies{},
		verbs:  map[*check.Tor]*verb{},
		places: map[*check.Store]int32{},
		consts: map[*check.ConstDecl]*constant{},
		shapes: map[*check.Type]*Shape{},
	}
	refuse := func(*Call) (Outcome, error) { return Outcome{}, errors.New("nothing runs here") }
	for _, s := range p.Scopes {
		for _, v := range s.Verbs {
			if v.Tor != nil {
				prog.bodies[v.Tor.Path()] = refuse
			}
		}
	}
	prog.grant()
	prog.linkPending()
	prog.found, prog.calls = nil, nil
	return prog
}
