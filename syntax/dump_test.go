package syntax

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func dump(b *strings.Builder, n Node, depth int) {
	fmt.Fprintf(b, "%s%s", strings.Repeat("  ", depth), n.Kind())
	if !n.FirstChild().IsValid() {
		fmt.Fprintf(b, " %q", n.Text())
	}
	b.WriteByte('\n')
	for c := range n.Children() {
		dump(b, c, depth+1)
	}
}

func TestDumpFile(t *testing.T) {
	name := os.Getenv("KORU_DUMP")
	if name == "" {
		return
	}
	data, _ := os.ReadFile(name)
	f := Parse(name, KindOf(name), string(data))
	var b strings.Builder
	for n := range f.Items() {
		dump(&b, n, 0)
	}
	for _, ft := range f.Faults() {
		p := f.Position(ft.Start, UTF8)
		fmt.Fprintf(&b, "%s:%d:%d: %s %s\n", name, p.Line+1, p.Column+1, ft.Code, ft.Message)
	}
	fmt.Println(b.String())
}
