package view

import (
	"fmt"
	"strings"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval/js"
	"github.com/koru-go/koru/eval/zig"
	"github.com/koru-go/koru/syntax"
)

// A host body reads the inputs of its verb by their names, and so does a rename
// reach into the bodies whose language is known here. What a body answers with
// is made of texts and keys of its own: outcomes and their fields are not
// renamed there.

// renamers give an input another name in a body, by the target of the body.
var renamers = map[string]func(t *check.Tor, body, name, to string) ([]syntax.Edit, error){
	"js": js.Rename,
	"zig": func(_ *check.Tor, body, name, to string) ([]syntax.Edit, error) {
		return zig.Rename(body, name, to)
	},
}

// readsInputs reports whether an entity is an input of the verb that a body
// implements, and the body is in a language whose names are understood.
func readsInputs(p *check.Program, e check.Entity, proc *check.Proc) bool {
	owner := p.Owner(e)
	if owner == nil || e.Kind != check.FieldEntity {
		return false
	}
	input := owner.Field(e.Name)
	return input != nil && input.Node == e.Node && targetOf(proc) != ""
}

// targetOf returns the language of a body, "" if its names are not understood.
func targetOf(proc *check.Proc) string {
	if len(proc.Targets) == 1 && renamers[proc.Targets[0]] != nil {
		return proc.Targets[0]
	}
	return ""
}

// hostBodies renames an input in the bodies of its verb.
func (r *renaming) hostBodies(p *check.Program) error {
	owner := p.Owner(r.entity)
	if owner == nil {
		return nil
	}
	for _, proc := range owner.Procs {
		if !readsInputs(p, r.entity, proc) {
			continue
		}
		target := targetOf(proc)
		list, err := renamers[target](owner, proc.Body, r.entity.Name, r.to)
		if err != nil {
			reason := strings.TrimSpace(err.Error())
			return Refusal(fmt.Sprintf("the |%s body of '%s' reads '%s', and that cannot become '%s' there: %s", target, owner.Name, r.entity.Name, r.to, reason))
		}
		base := syntax.ProcView{Node: proc.Node}.Body().Span().Start
		doc := r.s.DocumentOf(proc.File)
		for _, e := range list {
			r.edits.replace(doc, syntax.Span{Start: base + e.Start, End: base + e.End}, e.Text)
		}
	}
	return nil
}
