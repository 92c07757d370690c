package bridge

import (
	"regexp"
	"testing"
)

// The digits depend on the session's id and on nothing else (bridge.md 7.2).
func TestTokensFollowTheSession(t *testing.T) {
	for session, want := range map[string][]string{
		"a":      {"h:Dir:737eec", "h:Dir:89715d", "h:Dir:700b53"},
		"kopium": {"h:Dir:7ba8ac", "h:Dir:323177"},
	} {
		tokens := newTokens(session)
		for i, w := range want {
			got, err := tokens.mint("Dir")
			if err != nil || got != w {
				t.Errorf("session %q, token %d: got %q, %v, want %q", session, i+1, got, err, w)
			}
		}
	}
}

func TestTokenSpellsTheType(t *testing.T) {
	for resource, want := range map[string]string{
		"Dir":               "h:Dir:000abc",
		"std.mem.Allocator": "h:std_mem_Allocator:000abc",
		"char[32]":          "h:char_32_:000abc",
		"Größe":             "h:Gr__e:000abc",
		"a\x00:b\n":         "h:a__b_:000abc",
		"\xff":              "h:_:000abc",
		"":                  "h:_:000abc",
	} {
		if got := spellToken(resource, 0xabc); got != want {
			t.Errorf("spellToken(%q) = %q, want %q", resource, got, want)
		}
	}
}

func TestTokensNeverRepeat(t *testing.T) {
	form := regexp.MustCompile(`^h:[A-Za-z0-9_]+:[0-9a-f]{6}$`)
	tokens := newTokens("busy")
	seen := map[string]bool{}
	for i := range 200_000 { // far past the first collision of 24 random bits
		token, err := tokens.mint("Dir")
		if err != nil {
			t.Fatal(err)
		}
		if seen[token] {
			t.Fatalf("token %d: %s was minted before", i+1, token)
		}
		if !form.MatchString(token) {
			t.Fatalf("token %d: %s is not a token", i+1, token)
		}
		seen[token] = true
	}
}

// A session that has spent its tokens says so; it neither repeats one nor spins.
func TestTokensRunOut(t *testing.T) {
	tokens := newTokens("endless")
	tokens.drawn = maxTokens - 1
	if _, err := tokens.mint("Dir"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if token, err := tokens.mint("Dir"); err != errTokensSpent {
			t.Fatalf("after the last token: got %q, %v", token, err)
		}
	}
}

func BenchmarkMintToken(b *testing.B) {
	b.ReportAllocs()
	tokens := newTokens("bench")
	for b.Loop() {
		if _, err := tokens.mint("Dir"); err == errTokensSpent {
			tokens = newTokens("bench")
		}
	}
}
