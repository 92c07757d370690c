package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/syntax"
)

func astCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ast FILE",
		Short: "Print the syntax tree of a file as JSON",
		Long: `Print the syntax tree of a file as JSON: nested nodes with their kind and byte
range, and every token with its text. Concatenating the tokens gives the file
back. The names of the kinds are stable.`,
		Example: indent("koru ast shop.k", "koru ast - < shop.k"),
		Args:    exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readSource(cmd, args[0])
			if err != nil {
				return err
			}
			f := syntax.Parse(args[0], syntax.KindOf(args[0]), text)
			if err := writeTree(cmd.OutOrStdout(), f); err != nil {
				return err
			}
			if len(f.Faults()) > 0 {
				return errFindings
			}
			return nil
		},
	}
}

// treeWriter prints a tree as JSON while walking it, so that a large file does
// not stand in memory a second time.
type treeWriter struct {
	w       *bufio.Writer
	scratch bytes.Buffer
}

func writeTree(w io.Writer, f *syntax.File) error {
	t := &treeWriter{w: bufio.NewWriter(w)}
	t.w.WriteString(`{"file":`)
	t.text(f.Name)
	t.w.WriteString(`,"items":[`)
	first := true
	for n := range f.Items() {
		t.comma(&first)
		t.node(n)
	}
	t.w.WriteString(`],"faults":[`)
	first = true
	for _, ft := range f.Faults() {
		t.comma(&first)
		t.open(ft.Code, "code", ft.Start, ft.End)
		t.w.WriteString(`,"message":`)
		t.text(ft.Message)
		t.w.WriteByte('}')
	}
	t.w.WriteString("]}\n")
	return t.w.Flush()
}

func (t *treeWriter) node(n syntax.Node) {
	s := n.Span()
	t.open(n.Kind().String(), "kind", s.Start, s.End)
	t.w.WriteString(`,"children":[`)
	first := true
	child := n.FirstChild()
	for tok := range n.Tokens() {
		for child.IsValid() && child.Span().Start < tok.Span().Start {
			t.comma(&first)
			t.node(child)
			child = child.Next()
		}
		t.comma(&first)
		t.open(tok.Kind().String(), "kind", tok.Span().Start, tok.Span().End)
		t.w.WriteString(`,"text":`)
		t.text(tok.Text())
		t.w.WriteByte('}')
	}
	for ; child.IsValid(); child = child.Next() {
		t.comma(&first)
		t.node(child)
	}
	t.w.WriteString("]}")
}

func (t *treeWriter) comma(first *bool) {
	if !*first {
		t.w.WriteByte(',')
	}
	*first = false
}

// open writes the beginning of an object: its name and its range.
func (t *treeWriter) open(name, key string, start, end int) {
	t.w.WriteString(`{"` + key + `":`)
	t.text(name)
	t.w.WriteString(`,"start":` + strconv.Itoa(start) + `,"end":` + strconv.Itoa(end))
}

func (t *treeWriter) text(s string) {
	t.scratch.Reset()
	enc := json.NewEncoder(&t.scratch)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	t.w.Write(bytes.TrimSuffix(t.scratch.Bytes(), []byte("\n")))
}
