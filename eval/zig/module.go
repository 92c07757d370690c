package zig

import (
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/syntax"
)

// moduleValue finds the declaration of a name among the host lines of a file,
// const name = …; or var name = …;, and evaluates it if it is a literal or an
// array of them (R84). A variable has its first value in every call: a body
// cannot change what other calls see.
func moduleValue(f *check.File, name string) (value, bool) {
	if f == nil || f.Syntax == nil {
		return value{}, false
	}
	for item := range f.Syntax.Items() {
		if item.Kind() != syntax.HostItem {
			continue
		}
		if v, ok := hostValueOf(item.Text(), name); ok {
			return v, true
		}
	}
	return value{}, false
}

// hostValueOf walks the tokens of host text. Only declarations outside all
// brackets are those of the module.
func hostValueOf(text, name string) (value, bool) {
	lex := lexer{src: text}
	depth := 0
	for {
		at := lex.pos
		tok, err := lex.next()
		switch {
		case err != nil:
			lex.pos = max(lex.pos, at+1) // host text may be what the subset does not know
		case tok.kind == endToken:
			return value{}, false
		case tok.kind == punctToken:
			switch tok.text {
			case "{", "(", "[":
				depth++
			case "}", ")", "]":
				depth--
			}
		case depth == 0 && tok.kind == nameToken && (tok.text == "const" || tok.text == "var"):
			if declared, err := lex.next(); err == nil && declared.kind == nameToken && declared.text == name {
				return literalAt(text[tok.start:])
			}
		}
	}
}

// literalAt evaluates the declaration that text begins with.
func literalAt(text string) (value, bool) {
	p := newParser(text)
	p.next()
	n := p.declaration()
	if p.fault != nil || n.op != opDeclare {
		return value{}, false
	}
	f := &frame{call: &eval.Call{}, vars: make([]value, p.slots)}
	v := f.declared(n)
	freeze(v)
	return v, f.err == nil && v.kind != undefinedValue
}

// freeze makes the memory behind a value constant. Literals nest no deeper than
// the parser allows.
func freeze(v value) {
	switch v.kind {
	case seqValue:
		v.seq.constant = true
		for _, e := range v.seq.elems {
			freeze(e)
		}
	case anonValue:
		for _, e := range v.anon.vals {
			freeze(e)
		}
	}
}
