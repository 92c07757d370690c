package view

import (
	"strings"

	"github.com/koru-go/koru/check"
)

// signatureOf writes a verb on one line, without its name.
func signatureOf(t *check.Tor) string {
	var b strings.Builder
	b.WriteString("{")
	n := 0
	for _, f := range t.Fields {
		if injected(f.Type) {
			continue
		}
		if n++; n > 1 {
			b.WriteString(",")
		}
		b.WriteString(" " + fieldText(f))
	}
	if n > 0 {
		b.WriteString(" ")
	}
	b.WriteString("}")
	if t.Return != nil {
		b.WriteString(" -> " + t.Return.String())
	}
	for _, o := range t.Outcomes {
		b.WriteString(" " + outcomeText(o))
	}
	return b.String()
}

func fieldText(f *check.Field) string {
	text := f.Name + ": " + f.Type.String()
	if f.Default.IsValid() {
		text += " = " + f.Default.Text()
	}
	return text
}

func outcomeText(o *check.Outcome) string {
	mark := "| "
	if o.Effect {
		mark = "! "
	}
	switch {
	case o.Panic:
		mark += "?!"
	case o.Optional:
		mark += "?"
	}
	return mark + o.Name
}
