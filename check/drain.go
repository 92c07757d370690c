package check

import "fmt"

// drains finds, for every store of the file, how its owned columns are emptied
// when the program ends: by the unique disposer, or by a `! discharge` arm of
// the store. A column with neither is refused (language.md 9.6, KORU160).
func (j *judge) drains() {
	for _, s := range j.mod.Stores {
		if s.file != j.file || s.New == nil || s.New.discharges() {
			continue
		}
		for _, c := range s.Columns {
			j.drain(s, c)
		}
	}
}

// discharges reports whether a store declares what to do with what it still
// holds.
func (c *Call) discharges() bool {
	for _, a := range c.Arms {
		if a.Effect && a.Word == "discharge" {
			return true
		}
	}
	return false
}

func (j *judge) drain(s *Store, c *Column) {
	if !owes(c.Type) || c.Type.Phantom == nil {
		return
	}
	states := c.Type.Phantom.Members
	choice := j.prog.takers.choose(states, c.Type, j.mod, nil)
	if choice.one != nil {
		c.Drain, c.DrainField = choice.one.tor, choice.one.field
		return
	}
	name := "the column of '" + s.Name + "'"
	if c.Name != "" {
		name = "'" + s.Name + "." + c.Name + "'"
	}
	text := fmt.Sprintf("%s owes <%s!> for every row that is left when the program ends, and ", name, stateNames(states))
	switch {
	case len(choice.several) > 0:
		text += fmt.Sprintf("%s could each end it: choose one in a '! discharge' arm of the store", names(choice.several))
	case len(choice.takers) > 0:
		text += fmt.Sprintf("nothing ends it by itself: call %s in a '! discharge' arm of the store", names(choice.takers))
	default:
		text += fmt.Sprintf("no tor accepts <!%s>: declare one", stateNames(states))
	}
	j.fault("KORU160", c.Node.Span(), text)
}
