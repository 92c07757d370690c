package check

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// WriteGitHub writes findings as workflow commands, one a line: what GitHub
// Actions shows beside the line of a pull request. Lines and columns count from
// 1, columns in UTF-16 code units.
//
//	::error file=shop.k,line=7,endLine=7,col=1,endColumn=5,title=KORU022::branch 'unknown' must be handled
func WriteGitHub(w io.Writer, list []Diagnostic) error {
	var b bytes.Buffer
	for i := range list {
		workflowCommand(&b, &list[i])
	}
	_, err := w.Write(b.Bytes())
	return err
}

func workflowCommand(b *bytes.Buffer, d *Diagnostic) {
	from, to := d.File.Syntax.Position(d.Span.Start, syntax.UTF16), d.File.Syntax.Position(d.Span.End, syntax.UTF16)
	fmt.Fprintf(b, "::%s file=%s,line=%d,endLine=%d", d.Severity, propertyEscapes.Replace(d.File.Path), from.Line+1, to.Line+1)
	if from.Line == to.Line { // columns are only understood within one line
		fmt.Fprintf(b, ",col=%d,endColumn=%d", from.Column+1, to.Column+1)
	}
	if d.Code != "" {
		fmt.Fprintf(b, ",title=%s", propertyEscapes.Replace(d.Code))
	}
	b.WriteString("::" + dataEscapes.Replace(d.Message))
	for _, n := range d.Notes {
		b.WriteString(dataEscapes.Replace("\n" + place(n.File, n.Span) + ": " + n.Message))
	}
	b.WriteByte('\n')
}

// What would end a command or a property of it is escaped.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
