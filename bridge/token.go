package bridge

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// maxTokens is how many tokens one session can mint. It is half of the 2^24
// names that six hex digits spell: as long as half of them are free, the next
// unused one is two draws away on average, however long the session lives.
const maxTokens = 1 << 23

// tokenSalt makes the session "a" mint the token of the published transcript
// first (bridge.md 7.2, U5).
const tokenSalt = 0xd3c187

var errTokensSpent = fmt.Errorf("this session has minted %d handles, which is as many as one session can name; open a new one", maxTokens)

// tokens draws the names of capabilities: h:Dir:737eec. The digits are a
// function of the session id and of how many were drawn before, never of a
// clock, so a replay mints the same names; and they are not a counter, so
// nobody finds the next one by counting (bridge.md 7.2). A token is a name for
// people and ledgers and confers nothing (R38).
type tokens struct {
	state uint64 // splitmix64
	drawn int
	// used marks the names drawn so far, 64 to a word: a few bytes for a short
	// session, a few megabytes for one that spends them all.
	used map[uint32]uint64
}

// newTokens returns the generator of one session.
func newTokens(session string) *tokens {
	h := fnv.New64a()
	h.Write([]byte(session))
	return &tokens{state: h.Sum64() ^ tokenSalt, used: map[uint32]uint64{}}
}

// mint returns a token for a handle to a resource of the given type that this
// session has not used before.
func (t *tokens) mint(resource string) (string, error) {
	if t.drawn == maxTokens {
		return "", errTokensSpent
	}
	n := t.next()
	for t.used[n/64]&(1<<(n%64)) != 0 {
		n = t.next()
	}
	t.used[n/64] |= 1 << (n % 64)
	t.drawn++
	return spellToken(resource, n), nil
}

// next returns the top 24 bits of the next output of splitmix64.
func (t *tokens) next() uint32 {
	t.state += 0x9e3779b97f4a7c15
	z := t.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return uint32((z ^ z>>31) >> 40)
}

func spellToken(resource string, n uint32) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	b.Grow(len("h:") + max(len(resource), 1) + len(":000000"))
	b.WriteString("h:")
	writeTypeName(&b, resource)
	b.WriteByte(':')
	for shift := 20; shift >= 0; shift -= 4 {
		b.WriteByte(digits[n>>shift&15])
	}
	return b.String()
}

// writeTypeName writes a type name with every character that a token cannot
// hold as an underscore: std.mem.Allocator becomes std_mem_Allocator.
func writeTypeName(b *strings.Builder, name string) {
	if name == "" {
		b.WriteByte('_')
	}
	for _, r := range name {
		switch {
		case '0' <= r && r <= '9', 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', r == '_':
			b.WriteByte(byte(r))
		default:
			b.WriteByte('_')
		}
	}
}
