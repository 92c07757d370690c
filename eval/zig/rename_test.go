package zig

import (
	"slices"
	"testing"
)

func TestRename(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`if (id > 40) return .{ .id = id }; // id`, `if (number > 40) return .{ .id = number }; // id`},
		{`return x.id + id;`, `return x.id + number;`},
		{`return "id";`, `return "id";`},
		{`const id = 1;`, ""},
		{`for (xs) |id| { }`, ""},
		{`return number + id;`, ""},
	} {
		edits, err := Rename(c.body, "id", "number")
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: not refused: %v", c.body, edits)
			}
			continue
		}
		got := c.body
		for _, e := range slices.Backward(edits) {
			got = got[:e.Start] + e.Text + got[e.End:]
		}
		if err != nil || got != c.want {
			t.Errorf("%s\nbecomes %s, %v\nwant    %s", c.body, got, err, c.want)
		}
	}
	if _, err := Rename("return id;", "id", "struct"); err == nil {
		t.Error("a reserved word is taken for a name")
	}
}
