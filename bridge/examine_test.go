package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/syntax"
)

// An examination says of a text what a session says when it comes to it, under
// the same code, and carries nothing out.
func TestExamineJudgesAsTheSessionDoes(t *testing.T) {
	for _, reply := range []string{
		`find(code: "P1") | ok p |>`,
		`fnd(code: "P1") | ok p |>`,
		`find(cod: "P1") | ok p |>`,
		`find() | ok p |>`,
		`find(code: "P1") | okay p |>`,
		"find(code: \"P1\")\n| ok p |>\n| ok q |>",
		`find(code: "P1", code: "P2") | ok p |>`,
		"find(code: \"P1\")\n| ok p |> say(text: \"{{ q }}\")",
		`weigh(code: "P1", grams: "heavy")`,
		`tor two { code: string } | ok string | error string` + "\n" + `two = find(code)`,
		`tor two { code: string } | ok string` + "\n" + `two = find(code)`,
		`tor find { code: string } | ok string` + "\n" + `find = weigh(code)`,
		`find(code: "P1" | ok p |>`,
	} {
		k := &kitchen{}
		program := compile(t, pantry, k.bodies())
		x, err := Examine(program, "pantry", nil, syntax.ParseReply(reply, nil), "")
		if err != nil {
			t.Fatal(err)
		}
		if k.calls != nil {
			t.Errorf("%s\ncalled %q", reply, k.calls)
		}
		b, err := Create(Options{ID: "a", Program: program, Scope: "pantry", Introspect: true})
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if turn := b.Run(t.Context(), reply); turn.Err != nil {
			want = turn.Err.Code
		}
		b.Close()
		got := ""
		if len(x.Diagnostics) > 0 {
			got = x.Diagnostics[0].Code
		}
		if got != want {
			t.Errorf("%s\nexamined as %q, refused by a session as %q\n%s", reply, got, want, findings(x))
		}
	}
}

func findings(x *Examination) string {
	var b strings.Builder
	for _, d := range x.Diagnostics {
		fmt.Fprintf(&b, "%s %q: %s\n", d.Code, x.File.Syntax.Text()[d.Span.Start:d.Span.End], d.Message)
	}
	return b.String()
}

// Every item is judged, not only those up to the first that is refused.
func TestExamineGoesOn(t *testing.T) {
	text := "fnd(code: \"P1\")\nfind(code: \"P1\")\n| ok p |> say(text: \"{{ p }} {{ z }}\")\n| error e |>\nweigh(code: \"P1\", grams: \"x\")\n"
	x, err := Examine(compile(t, pantry, (&kitchen{}).bodies()), "pantry", nil, syntax.ParseReply(text, nil), "")
	if err != nil {
		t.Fatal(err)
	}
	var codes, names []string
	for _, d := range x.Diagnostics {
		codes = append(codes, d.Code)
	}
	for _, n := range x.Names {
		names = append(names, fmt.Sprint(n.Token.Text(), " of ", n.Verb.Name, " read ", len(n.Uses)))
	}
	if diff := cmp.Diff([]string{"KORU040", "KORU040", "KORU082"}, codes); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, findings(x))
	}
	if diff := cmp.Diff([]string{"p of find read 1", "e of find read 0"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
