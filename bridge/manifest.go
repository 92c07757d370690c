package bridge

import (
	"slices"
	"strconv"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// RenderManifest returns the vocabulary as JSON for programs: one object
// without blanks, its keys in a fixed order (bridge.md 3.7, R64, R86). What a
// session has defined comes last, and only if there is something.
func RenderManifest(words *check.Vocabulary) string {
	m := manifest{words}
	dst := appendText(nil, `{"kind":"koru/scope-manifest","version":1,"scope":`, words.Scope.Name)
	dst = appendList(dst, `,"events":[`, words.Scope.Verbs, m.event)
	dst = appendList(dst, `,"includes":[`, words.Scope.Includes, eval.AppendQuoted)
	if len(words.Defined) > 0 {
		dst = appendList(dst, `,"defined":[`, words.Defined, m.event)
	}
	return string(append(dst, '}'))
}

type manifest struct{ words *check.Vocabulary }

// event appends one verb. A granted verb has a price; what a defined one costs
// may depend on the path it takes, so that it has a least cost and, behind all
// else, a greatest one, null if there is no bound.
func (m manifest) event(dst []byte, v *check.Verb) []byte {
	cost := m.words.CostOf(v)
	dst = appendText(dst, `{"name":`, v.Name)
	dst = append(dst, `,"cost":`...)
	dst = strconv.AppendUint(dst, cost.Least, 10)
	dst = appendNullable(dst, `,"home":`, m.home(v))
	dst = appendList(dst, `,"args":[`, inputsOf(v.Tor), appendArg)
	dst = appendList(dst, `,"creates":[`, creates(v), appendCreate)
	dst = appendList(dst, `,"discharges":[`, discharges(v), appendDischarge)
	dst = appendList(dst, `,"branches":[`, outcomesOf(v.Tor), appendBranch)
	if slices.Contains(m.words.Defined, v) {
		dst = append(dst, `,"cost_greatest":`...)
		if cost.Unbounded {
			dst = append(dst, "null"...)
		} else {
			dst = strconv.AppendUint(dst, cost.Greatest, 10)
		}
	}
	return append(dst, '}')
}

// home is the module that declares a verb; a definition has none.
func (m manifest) home(v *check.Verb) string {
	if v.Tor.Module == nil || slices.Contains(m.words.Defined, v) {
		return ""
	}
	return v.Tor.Module.Print()
}

func appendArg(dst []byte, f *check.Field) []byte {
	dst = appendMember(dst, f.Name, f.Type, !f.Required())
	phantom := ""
	if f.Type.Phantom != nil {
		phantom = f.Type.Phantom.Raw
	}
	return append(appendNullable(dst, `,"phantom":`, phantom), '}')
}

// appendMember appends a field but for its closing brace. The type is the bare
// one: the question mark is in optional, the label in phantom.
func appendMember(dst []byte, name string, t *check.Type, optional bool) []byte {
	bare := *t
	bare.Optional = false
	dst = appendText(dst, `{"name":`, name)
	dst = appendText(dst, `,"type":`, bare.String())
	return appendFlag(dst, `,"optional":`, optional)
}

// create is an obligation that a verb hands out.
type create struct{ obligation, module, field, resource string }

// creates lists what the outcomes of a verb hand out, each thing once.
func creates(v *check.Verb) []create {
	var list []create
	for _, m := range v.Mints {
		c := create{m.State.Name, dotted(m.State.Module), m.Field, m.ResourceType}
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

func appendCreate(dst []byte, c create) []byte {
	dst = appendText(dst, `{"obligation":`, c.obligation)
	dst = appendText(dst, `,"module":`, c.module)
	dst = appendText(dst, `,"field":`, c.field)
	return append(appendText(dst, `,"resource_type":`, c.resource), '}')
}

// discharge is an obligation that a verb settles.
type discharge struct{ obligation, module, arg string }

func discharges(v *check.Verb) []discharge {
	var list []discharge
	for _, c := range v.Consumes {
		for _, s := range c.States {
			list = append(list, discharge{s.Name, dotted(s.Module), v.Tor.Fields[c.Field].Name})
		}
	}
	return list
}

func appendDischarge(dst []byte, d discharge) []byte {
	dst = appendText(dst, `{"obligation":`, d.obligation)
	dst = appendText(dst, `,"module":`, d.module)
	return append(appendText(dst, `,"arg":`, d.arg), '}')
}

// appendBranch appends an outcome. A payload that is no record is one field
// without a name of its own (bridge.md 4.1).
func appendBranch(dst []byte, o *check.Outcome) []byte {
	dst = appendText(dst, `{"name":`, o.Name)
	dst = appendFlag(dst, `,"optional":`, o.Optional || o.Panic)
	dst = append(dst, `,"fields":[`...)
	if p := o.Payload; p != nil && p.Kind == check.RecordType && !p.Optional {
		for i, f := range p.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendMember(dst, f.Name, f.Type, f.Type.Optional), '}')
		}
	} else if p != nil {
		dst = append(appendMember(dst, check.SelfField, p, p.Optional), '}')
	}
	return append(dst, "]}"...)
}

func appendFlag(dst []byte, key string, flag bool) []byte {
	return strconv.AppendBool(append(dst, key...), flag)
}

// appendNullable appends a text, or null if there is none.
func appendNullable(dst []byte, key, text string) []byte {
	if text == "" {
		return append(append(dst, key...), "null"...)
	}
	return appendText(dst, key, text)
}
