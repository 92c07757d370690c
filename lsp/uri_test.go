package lsp

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/koru-go/koru/lsp/lsptest"
	"github.com/koru-go/koru/lsp/view"
)

// spellings are the ways in which clients write the URI of one file. The first
// of a group is the plainest; every other must mean the same document.
var spellings = [][]string{
	{"file:///w/a.k", "file:/w/a.k", "file://localhost/w/a.k", "FILE:///w/a.k", "file:///w/./a.k", "file:///w/x/../a.k", "file:////w/a.k", "file:///w//a.k", "file:///%77/a.k"},
	{"file:///w/with%20space.k", "file:///w/with space.k"},
	{"file:///w/100%25.k", "file:///w/100%.k"},
	{"file:///w/a%23b.k"},
	{"file:///w/a%3Fb.k"},
	{"file:///w/(tabs)/a.k", "file:///w/%28tabs%29/a.k"},
	{"file:///w/a%2Bb.k", "file:///w/a+b.k"},
	{"file:///w/%C3%A9t%C3%A9.k", "file:///w/été.k", "file:///w/%c3%a9t%c3%a9.k"},
	{"file:///w/%F0%9F%A6%8A.k", "file:///w/🦊.k"},
	{"file:///w/%5Bid%5D.k", "file:///w/[id].k"},
	{"file:///w/a%27b.k", "file:///w/a'b.k"},
	{"file:///c%3A/work/a.k", "file:///c:/work/a.k", "file:///C:/work/a.k", "file:///C%3A/work/a.k", "file://c:/work/a.k", `file:///c:\work\a.k`},
	{"file://server/share/a.k", "file://SERVER/share/a.k"},
	{"untitled:Untitled-1"},
	{"untitled:Untitled-2"},
	{"vscode-notebook-cell:/w/n.ipynb#W0sZmlsZQ%3D%3D"},
}

// A document that was opened under one spelling is found under the others, and
// answers name it as it was opened.
func TestSpellings(t *testing.T) {
	for _, group := range spellings {
		for _, opened := range group {
			s := open(t, fstest.MapFS{}, nil)
			s.Open(opened, 1, "tor find {}\nfind(\n")
			d, _, err := s.Published(opened, 1)
			if err != nil || len(d.Diagnostics) == 0 {
				t.Fatalf("%s: %v", opened, err)
			}
			for _, asked := range group {
				if got := s.must("textDocument/hover", lsptest.At(asked, 0, 5)); !strings.Contains(got, "tor find") {
					t.Errorf("opened as %s, asked as %s: %s", opened, asked, got)
				}
			}
			for _, closed := range group[len(group)-1:] {
				s.Notify("textDocument/didClose", lsptest.Doc(closed))
				d, _, err := s.Published(opened, -1)
				if err != nil || len(d.Diagnostics) != 0 {
					t.Errorf("opened as %s, closed as %s: %d diagnostics are left: %v", opened, closed, len(d.Diagnostics), err)
				}
			}
		}
	}
}

// Different files are different documents.
func TestSpellingsApart(t *testing.T) {
	s := view.New(view.Options{}).WithRoots(nil)
	seen := map[string]string{}
	for _, group := range spellings {
		path := s.PathOf(uriOf(group[0]))
		if other, taken := seen[path]; taken {
			t.Errorf("%s and %s are both %s", other, group[0], path)
		}
		seen[path] = group[0]
	}
}

// A place in a file that is not open is named by its canonical URI, and in one
// that is open as the client spells it.
func TestAnswersSpell(t *testing.T) {
	disk := fstest.MapFS{"w/été (1).k": {Data: []byte("pub tor count {}\nproc count|js {}\n")}}
	s := open(t, disk, lsptest.Obj{"textDocument": lsptest.Obj{"publishDiagnostics": lsptest.Obj{"relatedInformation": true}}})
	const lib = "file:///w/%C3%A9t%C3%A9%20%281%29.k"
	for _, spelled := range []string{"", "file:///w/été%20(1).k"} {
		want := lib
		if spelled != "" {
			s.Open(spelled, 1, "pub tor count {}\nproc count|js {}\n")
			want = spelled
		}
		var report struct{ Items []struct{ URI string } }
		if err := json.Unmarshal([]byte(s.must("workspace/diagnostic", lsptest.Obj{"previousResultIds": []string{}})), &report); err != nil {
			t.Fatal(err)
		}
		if len(report.Items) != 1 || report.Items[0].URI != want {
			t.Errorf("the file is called %v, want %s", report.Items, want)
		}
	}
}
