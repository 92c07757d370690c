package syntax

import (
	"fmt"
	"strings"
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
