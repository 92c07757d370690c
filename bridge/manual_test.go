package bridge

import (
	"os"
	"strings"
	"testing"
)

// The replies that the manual shows are lawful, and the grammar generates them.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	_, b := scopeOf(t, "testdata/renders/depot.txtar")
	r := newRecogniser(t, readGBNF(t, RenderGBNF(b.Words(), Names{Live: b.Bindings()})))
	shown := 0
	for _, fence := range strings.Split(string(page), "```wire\n")[1:] {
		reply, _, _ := strings.Cut(fence, "```")
		if why := b.unlawful(reply); why != "" || !r.accepts(reply) {
			t.Errorf("%s (understood up to %q)\n%s", why, r.reach(reply), reply)
		}
		shown++
	}
	if shown == 0 {
		t.Error("the manual shows no reply")
	}
}
