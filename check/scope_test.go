package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

// scope renders a scope with all that is derived from its block, a line a verb.
func scope(s *check.Scope) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s includes %v\n", s.Name, s.Includes)
	for _, v := range s.Verbs {
		fmt.Fprintf(&b, "%s(%d) is %s", v.Name, v.Cost, v.Tor.Path())
		for _, m := range v.Mints {
			fmt.Fprintf(&b, ", %q.%s mints %s of %s", m.Outcome, m.Field, state(m.State), m.ResourceType)
		}
		for _, c := range v.Consumes {
			fmt.Fprintf(&b, ", %s consumes %s", v.Tor.Fields[c.Field].Name, taken(c))
		}
		for _, c := range v.Requires {
			fmt.Fprintf(&b, ", %s requires %s", v.Tor.Fields[c.Field].Name, taken(c))
		}
		if !v.Implemented {
			b.WriteString(", has no body")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func taken(c check.Consume) string {
	var states []string
	for _, s := range c.States {
		states = append(states, state(s))
	}
	text := strings.Join(states, "|") + " of " + c.ResourceType
	if c.Capability {
		text += " (a capability)"
	}
	return text
}

func state(s check.State) string { return check.PrintModule(s.Module) + ":" + s.Name }

// One block is the source of all that a session enforces: names, costs, and
// what is minted, consumed and required, read off the declarations.
func TestScope(t *testing.T) {
	p := check.Source("main.k", `
import std/fs
import std/runtime

tor lease { id: u32 } -> string<held!>
proc lease|js {}
tor stamp { ticket: string<!held>, note: string }
| stamped { ticket: string<held!>, note: string }
| torn
proc stamp|js {}
tor drop { ticket: string<!held|old> }
tor peek { ticket: string<held|old> } -> u32
tor pay { payment_id: string<payment> }
proc pay|js {}

std/runtime:register(scope: "depot") {
    lease(5)
    stamp
    stamp -> mark(2)
    peek
    peek(9)
    scope(files)
    drop
    [debug]pay
}

std/runtime:register(scope: "files") {
    std.fs:dir -> dir
    std.fs:list -> list
    scope(depot)
    std/fs:close -> close(3)
}
`, options(""))
	for _, d := range p.Diagnostics {
		t.Error(show(d))
	}
	want := `depot includes [files]
lease(5) is lease, "".__type_ref mints main:held of string
stamp(1) is stamp, "stamped".ticket mints main:held of string, ticket consumes main:held of string
mark(2) is stamp, "stamped".ticket mints main:held of string, ticket consumes main:held of string
peek(1) is peek, ticket requires main:held|main:old of string, has no body
dir(1) is std/fs:dir, "opened".__type_ref mints std.fs:dir of Dir
list(1) is std/fs:list, d requires std.fs:dir of Dir (a capability)
close(3) is std/fs:close, d consumes std.fs:dir of Dir (a capability)
drop(1) is drop, ticket consumes main:held of string, ticket requires main:old of string, has no body
`
	if diff := cmp.Diff(want, scope(p.Scope("depot"))); diff != "" {
		t.Error(diff)
	}
}

// The discharger of a state is the first verb that ends it for good and has
// something behind it, be it a body or whoever serves the session.
func TestDischarger(t *testing.T) {
	p := check.Source("main.k", `
import std/runtime

tor use { h: string<!open> } -> string<open!>
proc use|js {}
tor claim { h: string<!open> }
tor close { h: string<!open> }
proc close|js {}
tor open {} -> string<open!>
proc open|js {}

std/runtime:register(scope: "s") {
    use
    claim
    close
    open
}
`, options(""))
	s := p.Scope("s")
	open := s.Verb("open").Mints[0].State
	for _, test := range []struct {
		served bool
		want   string
	}{{false, "close"}, {true, "claim"}} {
		if v := s.Discharger(open, test.served); v == nil || v.Name != test.want {
			t.Errorf("served %v: %+v, want %s", test.served, v, test.want)
		}
	}
	if v := s.Discharger(check.State{Module: "other", Name: "open"}, true); v != nil {
		t.Errorf("a state of another module is let go of by %s", v.Name)
	}
}

// Globs grant under full names, and of a module only what is public and can be
// called over a wire.
func TestGlob(t *testing.T) {
	p := check.Source("main.k", `
import std/fs
import std/runtime

tor window.open {}
tor window.shut {}
tor windows {}
std/runtime:register(scope: "s") {
    window.*
    std.fs:*
}
`, options(""))
	var names []string
	for _, v := range p.Scope("s").Verbs {
		names = append(names, v.Name)
	}
	want := []string{
		"window.open", "window.shut",
		"std.fs:dir", "std.fs:list", "std.fs:read", "std.fs:write", "std.fs:collect-lines", "std.fs:close", "std.fs:write-file",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}
