package js

import (
	"slices"
	"testing"

	"github.com/koru-go/koru/syntax"
)

func TestRename(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`console.log(note + " += " + text); return note;`, `console.log(memo + " += " + text); return memo;`},
		{`return { note, other: note.note, "note": x => x + note };`, `return { note: memo, other: memo.note, "note": x => x + memo };`},
		{`return { memo: note, "memo": note, other: note };`, `return { memo, "memo": memo, other: memo };`},
		{"return `é 🦊 ${note}`;", "return `é 🦊 ${memo}`;"},
		{`return 1;`, `return 1;`},
		{`const f = function () { return note; }; return f();`, `const f = function () { return memo; }; return f();`},
	} {
		edits, err := rename([]string{"note", "text"}, c.body, "note", "memo")
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
		} else if got := apply(c.body, edits); got != c.want {
			t.Errorf("%s\nbecomes %s\nwant    %s", c.body, got, c.want)
		}
	}
}

func TestRenameRefuses(t *testing.T) {
	for _, body := range []string{
		`const note = 1; return note;`,
		`{ let { note } = text; }`,
		`{ let { a: [note] } = text; }`,
		`return [1].map(note => note);`,
		`try { } catch (note) { }`,
		`note: for (;;) { break note; }`,
		`for (const note of text) { }`,
		`function note() { }`,
		`return memo + note;`,
		`const memo = 1; return note;`,
		`return ({ memo });`,
		`return n\u006fte;`,
		`return note +;`,
		`}) (function () {`,
	} {
		if edits, err := rename([]string{"note", "text"}, body, "note", "memo"); err == nil {
			t.Errorf("%s: not refused: %v", body, edits)
		}
	}
	if _, err := rename([]string{"note"}, `return note;`, "note", "class"); err == nil {
		t.Error("a reserved word is taken for a name")
	}
}

func apply(body string, edits []syntax.Edit) string {
	for _, e := range slices.Backward(edits) {
		body = body[:e.Start] + e.Text + body[e.End:]
	}
	return body
}
