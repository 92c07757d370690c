package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/lsp/lsptest"
	"github.com/koru-go/koru/syntax"
)

// hostileText has before, in and behind its names whatever makes columns differ:
// a byte order mark, CRLF, tabs, characters of two and four bytes, combining
// marks, joined emoji, a line separator that ends no line.
const hostileText = "\ufeff// été 🦊\r\nimport std/io\r\n\r\n[\r\n- doc\r\nFind é 🦊.\r\n- doc(sku)\r\n日本\r\n]\r\n" +
	"tor find { sku: string, cabin: \"été\" | \"🦊\" = \"🦊\" }\r\n| found { name: string }\r\n| missing\r\n" +
	"proc find|js { return \"🦊\"; }\r\n\r\n" +
	"find(sku: \"🦊e\u0301\", cabin: \"🦊\")\r\n" +
	"| found f |> std/io:print.ln(\"日本 {{ f.name:s }} 👩‍👩‍👧\u2028 {{ f.name:s }}\t{{ f.nome }}\") |> find(sku: \"é\")\r\n" +
	"    | found g |> std/io:print.ln(\"🦊 {{ g.name:s }}\")\r\n    | missing |> _\r\n| missing |> _\r\n" +
	"tor été { }\r\n\tfind(sku: \"🦊\" sku)\r"

// TestPositions: whatever is asked in whichever encoding, at whatever place, the
// answer is about the same bytes.
func TestPositions(t *testing.T) {
	const uri = "file:///w/a.k"
	text := []rune(hostileText)
	answers := map[string]map[string]string{}
	for name, enc := range encodings {
		s := open(t, fstest.MapFS{}, in(name))
		s.Open(uri, 1, hostileText)
		ref := &reference{text, enc}
		got := map[string]string{}
		for off := 0; off <= len(text); off += 3 {
			line, column := ref.position(off)
			for _, q := range questions {
				key := fmt.Sprintf("%s at %d", q.method, off)
				params := q.params(uri, line, column)
				if r, ranged := params["range"]; ranged { // the end is a place of bytes too
					r.(lsptest.Obj)["end"] = lsptest.Obj{"line": line + 5, "character": 0}
				}
				result, err := s.Call(q.method, params)
				if err != nil {
					got[key] = err.Error()
					continue
				}
				got[key] = ref.inBytes(result, uri)
			}
		}
		answers[name] = got
	}
	for _, name := range []string{"utf-16", "utf-32"} {
		if d := cmp.Diff(answers["utf-8"], answers[name]); d != "" {
			t.Errorf("(-utf-8 +%s)\n%s", name, d)
		}
	}
	spans := 0
	for _, a := range answers["utf-8"] {
		spans += len(a)
	}
	if spans < 100_000 {
		t.Errorf("only %d bytes of answers: the test has seen nothing", spans)
	}
}

// position returns the line and column of a character.
func (r *reference) position(off int) (line, column int) {
	for i := 0; i < off; i++ {
		switch {
		case r.text[i] == '\n', r.text[i] == '\r' && !(i+1 < len(r.text) && r.text[i+1] == '\n'):
			line, column = line+1, 0
		case r.text[i] == '\r': // the LF behind it begins no line either
		default:
			column += r.width(r.text[i])
		}
	}
	return line, column
}

// inBytes writes an answer with all places in it as offsets of bytes.
func (r *reference) inBytes(result json.RawMessage, uri string) string {
	bytes := func(p wirePosition) int {
		n := 0
		for _, c := range r.text[:r.offset(p.Line, p.Character)] {
			n += utf8.RuneLen(c)
		}
		return n
	}
	v := walkRanges(result, uri, func(at string, w wireRange) any {
		if at != uri {
			return at // another text, which this reference does not hold
		}
		return fmt.Sprintf("%d-%d", bytes(w.Start), bytes(w.End))
	})
	v = withoutColumns(v, bytes)
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// withoutColumns converts what is no range: the positions of hints, the lines
// and columns of foldings, the numbers of tokens, and the ids that are sums of
// an answer.
func withoutColumns(v any, bytes func(wirePosition) int) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutColumns(v[i], bytes)
		}
	case map[string]any:
		if p, ok := positionIn(v); ok && len(v) == 2 {
			return bytes(p)
		}
		for _, end := range []string{"start", "end"} {
			line, ok := v[end+"Line"].(float64)
			if column, also := v[end+"Character"].(float64); ok && also {
				v[end+"Character"] = bytes(wirePosition{int(line), int(column)})
			}
		}
		delete(v, "resultId")
		for key, x := range v {
			v[key] = withoutColumns(x, bytes)
		}
		if data, ok := v["data"].([]any); ok {
			v["data"] = tokensInBytes(data, bytes)
		}
	}
	return v
}

func tokensInBytes(data []any, bytes func(wirePosition) int) any {
	var out []string
	p := wirePosition{}
	for t := range slices.Chunk(data, 5) {
		n := make([]int, 5)
		for i := range t {
			f, ok := t[i].(float64)
			if !ok {
				return data // no tokens
			}
			n[i] = int(f)
		}
		if n[0] > 0 {
			p = wirePosition{p.Line + n[0], 0}
		}
		p.Character += n[1]
		end := wirePosition{p.Line, p.Character + n[2]}
		out = append(out, fmt.Sprintf("%d-%d %d %d", bytes(p), bytes(end), n[3], n[4]))
	}
	return out
}

// The two ways to find a position are written apart; they agree everywhere.
func TestReferencePositions(t *testing.T) {
	file := syntax.Parse("a.k", syntax.Pure, hostileText)
	text := []rune(hostileText)
	for _, enc := range encodings {
		ref := &reference{text, enc}
		n := 0
		for off, c := range text {
			line, column := ref.position(off)
			if got := file.Position(n, enc); c != '\n' && (got.Line != line || got.Column != column) {
				t.Errorf("byte %d: %v, want %d:%d", n, got, line, column)
			}
			if c != '\n' {
				if got := file.Offset(syntax.Position{Line: line, Column: column}, enc); got != n {
					t.Errorf("%d:%d: byte %d, want %d", line, column, got, n)
				}
			}
			n += utf8.RuneLen(c)
		}
	}
}
