package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline renders the items of a reply: calls with their arms, one line a step.
func outline(f *File) []string {
	var out []string
	var walk func(n Node, prefix string)
	walk = func(n Node, prefix string) {
		for c := range n.Children() {
			switch c.Kind() {
			case Call:
				out = append(out, prefix+"call "+CallView{c}.Path().Text()+bindText(CallView{c}.Bind()))
			case WireArm:
				out = append(out, prefix+"arm "+ArmView{c}.Name().Text()+bindText(ArmView{c}.Bind()))
				walk(c, prefix+"  ")
			case ErrorNode:
				out = append(out, prefix+"error "+c.Text())
			}
		}
	}
	for n := range f.Items() {
		if n.Kind() == BlankItem {
			continue
		}
		out = append(out, n.Kind().String())
		walk(n, "  ")
	}
	for _, ft := range f.Faults() {
		out = append(out, ft.Code+" "+ft.Message)
	}
	return out
}

func bindText(b BindView) string {
	if b.IsValid() {
		return " " + b.Name().Text()
	}
	return ""
}

func TestReplyItems(t *testing.T) {
	declares := func(verb, word string) bool { return verb == "find" && (word == "ok" || word == "error") }
	for _, tt := range []struct{ name, text, want string }{
		{"one call", `close(d: r1)`, "wire-item\n  call close"},
		{"three on a chain", "find(code: \"P1\") | ok p |>\nweigh(code: \"P1\", grams: \"250\"): g |>\nsay(text: \"{{ p }}, {{ g }} g\")",
			"wire-item\n  call find\n  arm ok p\n  call weigh g\n  call say"},
		{"arms on lines close the item", "peek(room: r1)\n| shelves s |>\n| locked why |>\nsay(text: \"x\")",
			"wire-item\n  call peek\n  arm shelves s\n  arm locked why\nwire-item\n  call say"},
		{"the first arm leads over its line end", "find(code: \"a\")\n| ok p |>\nsay(text: p)",
			"wire-item\n  call find\n  arm ok p\n  call say"},
		{"an arm after the chain belongs to an earlier call", "find(code: \"a\") | ok p |>\nsay(text: p)\n| error e |>\nsay(text: \"x\")",
			"wire-item\n  call find\n  arm ok p\n  call say\n  arm error e\nwire-item\n  call say"},
		{"a call on the line of an arm is the arm's", "find(code: \"a\")\n| ok p |>\n| error e |> say(text: e)\nsay(text: \"x\")",
			"wire-item\n  call find\n  arm ok p\n  arm error e\n    call say\nwire-item\n  call say"},
		{"a blank line ends an item", "find(code: \"a\") | ok p |>\n\nsay(text: \"x\")", "wire-item\n  call find\n  arm ok p\nwire-item\n  call say"},
		{"spoken lines", "say: Hello {{ u.name }}.\nnote: to do", "say\nnote"},
		{"a spoken line is no call, wherever it stands", "find(code: \"a\") | ok p |>\nsay:it is here (I think)\nsay:hi(there)",
			"wire-item\n  call find\n  arm ok p\nsay\nsay"},
		{"a literal has no fields", "f(a: true.x)", "error-item\n  error f(a: true.x)\nPARSE001 after a value comes ',' or ')', found '.'"},
		{"prose", "I will look it up.", "error-item\n  error I will look it up.\nPARSE001 prose is not wire: a line is verb(field: \"value\"), and text for the user goes into a say: line"},
		{"prose with parentheses", "Look (closely) here", "error-item\n  error Look (closely) here\nPARSE001 prose is not wire: a line is verb(field: \"value\"), and text for the user goes into a say: line"},
		{"a step, then prose", "find(code: \"a\") | ok p |>\nThe parcel is here.",
			"wire-item\n  call find\n  arm ok p\nerror-item\n  error The parcel is here.\nPARSE001 prose is not wire: a line is verb(field: \"value\"), and text for the user goes into a say: line"},
		{"a truncated second call", "find(code: \"a\") | ok p |>\nfind(code: \"b\"",
			"wire-item\n  call find\n  arm ok p\n  error find(code: \"b\"\nPARSE001 the call is never closed: after a value comes ',' or ')', found the end of the text"},
		{"values", `f(a: 1, b: -2.5, c: true, d: null, e: r3, g: u.items.0.id, h: [{ x: "1", y: [] }], )`, "wire-item\n  call f"},
		{"no pun", "f(a)", "error-item\n  error f(a)\nPARSE001 expected ':' after the field 'a': arguments are field: value pairs"},
		{"a definition", "tor sweep { d: string, path: string } | written | failed string\nsweep = write(d, path, content: \"x\")", "definition"},
		{"a definition over lines, then a call", "tor w { a: i64 }\n| ok string\n| no\nw = find(code: a) | ok p |>\nfind(code: p)\n| error _ => no\nsay(text: \"x\")",
			"definition\nwire-item\n  call say"},
		{"half a definition", "tor w { a: i64 }", "error-item\n  error tor w { a: i64 }\nPARSE001 " + MissingHalf},
		{"two names", "tor w {}\nv = f()", "error-item\n  error tor w {}\nv = f()\nPARSE001 the flow names 'v', the declaration names 'w'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := ParseReply(tt.text, declares)
			checkTree(t, f, tt.text)
			got := strings.Join(outline(f), "\n")
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// A room that has held other replies holds the next one as well as a new room.
func TestRepliesShareRoom(t *testing.T) {
	var room Replies
	for _, text := range []string{
		"find(code: \"a\") | ok p |>\nsay(text: \"{{ p }}\")\nsay: x\nnote: y", "f(", "", "f()\nprose", "tor w { a: i64 } | a | b\nw = f(a)",
		"f(a: \"" + strings.Repeat("x", roomy) + "\")", "g(b: [1, { c: d.e }])",
	} {
		got, want := outline(room.Parse(text, nil)), outline(ParseReply(text, nil))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%.60q (-want +got)\n%s", text, d)
		}
	}
}

func FuzzReply(f *testing.F) {
	for _, s := range []string{
		"find(code: \"P1\") | ok p |>\nsay(text: \"{{ p }}\")\n| error e |> note(text: e)",
		"tor w { a: i64 } | ok\nw = f(a) | ok |> _\n", "say: hi {{ x }}\nnote: y", "f(a: [1, {b: \"c\"}])", "```\nf()\n```", "f(a: \"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := ParseReply(text, nil)
		var room Replies
		room.Parse("f(a: \"", nil)
		if d := cmp.Diff(outline(r), outline(room.Parse(text, nil))); d != "" {
			t.Errorf("a used room (-new +used)\n%s", d)
		}
		checkTree(t, r, text)
		if n := len(r.Faults()); n > 1 {
			t.Errorf("%d faults in one reply, want at most one", n)
		}
	})
}
