package lsp

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/lsp/view"
)

// docs/lsp.md is true: it names the requests that are answered and no others,
// every setting and every command.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/lsp.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	said := map[string]string{} // what the page says of a request
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]*\\| (yes|no) \\|").FindAllStringSubmatch(page, -1) {
		said[m[1]] = m[2]
	}
	have := map[string]bool{"textDocument/publishDiagnostics": true}
	for _, f := range features {
		have[f.method] = true
	}
	var kinds []string
	for _, k := range offered("utf-8").CodeActionProvider.(*protocol.CodeActionOptions).CodeActionKinds {
		kinds = append(kinds, string(k))
	}
	for request, says := range said {
		does := have[request] || slices.Contains(kinds, request)
		if does != (says == "yes") {
			t.Errorf("the page says %s of %s, and the table of features %v", says, request, does)
		}
		delete(have, request)
	}
	for request := range have {
		if !strings.HasPrefix(request, "koru/") {
			t.Errorf("the page does not know %s", request)
		}
	}
	for _, name := range settingNames(reflect.TypeFor[settings](), "") {
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("the page does not know the setting %s", name)
		}
	}
	for _, name := range view.Commands() {
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("the page does not know the command %s", name)
		}
	}
	if n := strings.Count(page, "| `koru."); n != len(view.Commands()) {
		t.Errorf("the page lists %d commands, there are %d", n, len(view.Commands()))
	}
}

// settingNames lists the settings by the path that a user writes.
func settingNames(t reflect.Type, prefix string) []string {
	var names []string
	for f := range t.Fields() {
		name := prefix + f.Tag.Get("json")
		if f.Type.Kind() == reflect.Struct {
			names = append(names, settingNames(f.Type, name+".")...)
		} else {
			names = append(names, name)
		}
	}
	return names
}
