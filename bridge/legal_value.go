package bridge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// argument is what a field may be given.
func (l *legal) argument(v *check.Verb, f *check.Field) expr {
	switch t := f.Takes(); {
	case v == releaseVerb && l.names.Strict:
		return l.handle(nil)
	case !isHandle(l.words, t):
		return l.given(t)
	case l.names.Strict:
		return l.handle(t)
	}
	return l.anything() // what is no live handle is refused when it is dispatched (R37)
}

// given is the values of a type as a field takes them: a list or record may also
// be JSON in a quoted text (R4).
func (l *legal) given(t *check.Type) expr {
	if t.Kind != check.ListType && t.Kind != check.RecordType || l.names.Strict || !spellable(t) {
		return l.value(t)
	}
	return l.rule("given-"+ruleName(t), t.String(), func() expr {
		return alt{l.value(t), seq{text(`"`), l.gaps(), l.json(notOptional(t)), l.gaps(), text(`"`)}}
	})
}

// value is the values of a type: written out, named, or spliced.
func (l *legal) value(t *check.Type) expr {
	return l.rule(ruleName(t), t.String(), func() expr {
		if t.Optional {
			return alt{l.value(notOptional(t)), text("null")}
		}
		switch t.Kind {
		case check.TextType, check.ExprType:
			if t.Bits == 0 {
				return alt{l.quoted(0), l.namesOf(t)}
			}
			limited := alt{l.quoted(t.Bits), l.namesOf(t), l.splice(t)}
			if !l.names.Strict {
				limited = append(limited, l.spliced())
			}
			return limited
		case check.ChoiceType, check.BoolType, check.IntType, check.FloatType:
			return append(l.literals(t), l.namesOf(t), l.splice(t))
		case check.ListType:
			return alt{l.list(l.value(t.Elem)), l.namesOf(t), l.splice(t)}
		case check.RecordType:
			return alt{l.record(t), l.namesOf(t), l.splice(t)}
		}
		if t.IsCapability() {
			return l.namesOf(t)
		}
		return l.anything()
	})
}

func notOptional(t *check.Type) *check.Type {
	bare := *t
	bare.Optional = false
	return &bare
}

func ruleName(t *check.Type) string {
	switch {
	case t.Optional:
		return "maybe-" + ruleName(notOptional(t))
	case t.IsCapability():
		return "capability"
	}
	switch t.Kind {
	case check.TextType:
		if t.Bits > 0 {
			return "text-" + strconv.Itoa(t.Bits)
		}
		return "text"
	case check.ExprType:
		return "text"
	case check.BoolType, check.IntType, check.FloatType:
		return t.Name
	case check.ChoiceType:
		return "choice"
	case check.ListType:
		return "list"
	case check.RecordType:
		return "record"
	}
	return "value"
}

// literals are the values of a scalar type written out. Numbers and booleans
// may also stand in quotes, and 0 and 1 are booleans (R4); a strict grammar
// offers one spelling.
func (l *legal) literals(t *check.Type) alt {
	var bare alt
	switch t.Kind {
	case check.ChoiceType:
		for _, c := range t.Choices {
			bare = append(bare, text(wireQuoted(c)))
		}
		if l.names.Strict {
			return bare
		}
		return append(bare, l.spliced())
	case check.BoolType:
		bare = alt{text("true"), text("false")}
		if !l.names.Strict {
			bare = append(bare, text("1"), text("0"))
		}
	default:
		bare = alt{l.number(t)}
	}
	if l.names.Strict {
		return bare
	}
	return append(bare, seq{text(`"`), slices.Clone(bare), text(`"`)}, l.spliced())
}

func (l *legal) list(elem expr) expr {
	item := seq{elem, l.gaps()}
	return seq{text("["), l.gaps(), optional(seq{item, star(seq{l.comma(), item}), l.lastComma()}), text("]")}
}

func (l *legal) comma() expr { return seq{text(","), l.gaps()} }

// lastComma is the comma that may stand behind the last of a list.
func (l *legal) lastComma() *rule {
	return l.rule("last-comma", "", func() expr { return optional(l.comma()) })
}

func (l *legal) record(t *check.Type) expr {
	field := func(f *check.Field) expr {
		var label expr = text(f.Name + ":")
		if !l.names.Strict {
			label = alt{label, text(wireQuoted(f.Name) + ":")}
		}
		return seq{label, l.gaps(), l.value(f.Type), l.gaps()}
	}
	return seq{text("{"), l.gaps(), l.listed("more-fields", t.String(), t.Fields, field, true), text("}")}
}

// spellable reports whether all parts of a type can be written as JSON: handles
// and what nobody knows cannot.
func spellable(t *check.Type) bool {
	switch t.Kind {
	case check.ListType:
		return spellable(t.Elem)
	case check.RecordType:
		return !slices.ContainsFunc(t.Fields, func(f *check.Field) bool { return !spellable(f.Type) })
	case check.TextType, check.ExprType, check.ChoiceType, check.BoolType, check.IntType, check.FloatType:
		return true
	}
	return false
}

// json is the values of a type as JSON whose quotes are escaped.
func (l *legal) json(t *check.Type) expr {
	return l.rule("json-"+ruleName(t), t.String(), func() expr {
		if t.Optional {
			return alt{l.json(notOptional(t)), text("null")}
		}
		quote := text(`\"`)
		switch t.Kind {
		case check.TextType, check.ExprType:
			return seq{quote, l.jsonText(t.Bits), quote}
		case check.ChoiceType:
			var forms alt
			for _, c := range t.Choices {
				forms = append(forms, text(escaped(jsonQuoted(c))))
			}
			return forms
		case check.BoolType:
			flags := alt{text("true"), text("false"), text("1"), text("0")}
			return append(flags, seq{quote, slices.Clone(flags), quote})
		case check.IntType, check.FloatType:
			return alt{l.number(t), seq{quote, l.number(t), quote}}
		case check.ListType:
			item := seq{l.json(t.Elem), l.gaps()}
			return seq{text("["), l.gaps(), optional(seq{item, star(seq{l.comma(), item})}), text("]")}
		}
		field := func(f *check.Field) expr {
			return seq{text(escaped(jsonQuoted(f.Name))), l.gaps(), text(":"), l.gaps(), l.json(f.Type), l.gaps()}
		}
		return seq{text("{"), l.gaps(), l.listed("more-json", t.String(), t.Fields, field, false), text("}")}
	})
}

// anything is any value that can be written. Of records it generates those of
// one field: that no two fields of a longer one share a name it cannot say.
func (l *legal) anything() *rule {
	return l.rule("anything", "", func() expr {
		field := seq{alt{l.word(), l.string()}, text(":"), l.gaps(), l.anything(), l.gaps()}
		return alt{
			l.string(), l.float(), text("true"), text("false"), text("null"), l.path(nil), l.list(l.anything()),
			seq{text("{"), l.gaps(), optional(seq{field, l.lastComma()}), text("}")},
		}
	})
}

// wireQuoted returns a text as a reply quotes it.
func wireQuoted(s string) string { return `"` + escaped(s) + `"` }

func jsonQuoted(s string) string { return string(eval.AppendQuoted(nil, s)) }

func escaped(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }
