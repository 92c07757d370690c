// Package stdlib is the standard library: the std/* modules that every Koru
// program may import.
//
// Each module is a pair that stands side by side. The contract (io.k) is plain
// Koru and says what the verbs take, what they can end in and what they are
// for; checker, editor, vocabulary and manual read it like any other source.
// The bodies (io.go) are Go functions, found under the path that calls use:
// std/io:print.ln.
//
// Verbs marked transform or norun have no body here: the machine runs them
// itself (if, for, stores) or nothing runs them (build declarations). The
// exception are the verbs that print or format: the machine fills their text
// and hands it to a body of this package. The bodies of std/runtime,
// std/interpreter and std/bridge live one floor above, in the bridge.
package stdlib

import (
	"embed"
	"io/fs"

	"github.com/koru-go/koru/eval"
)

//go:embed *.k
var contracts embed.FS

// FS returns the contracts. The module std/io is the file io.k: the alias std
// names the root of this file system.
func FS() fs.FS { return contracts }

// modules is the table of all bodies, by module and verb.
var modules = []struct {
	path  string
	verbs map[string]eval.Func
}{
	{"std/args", argsVerbs},
	{"std/env", envVerbs},
	{"std/fmt", fmtVerbs},
	{"std/fs", fsVerbs},
	{"std/io", ioVerbs},
	{"std/json", jsonVerbs},
	{"std/list", listVerbs},
	{"std/string", stringVerbs},
	{"std/testing", testingVerbs},
	{"std/time", timeVerbs},
	{"std/void", voidVerbs},
}

// Bodies returns the Go bodies by the full path of their verb. The map is the
// caller's own.
func Bodies() map[string]eval.Func {
	bodies := make(map[string]eval.Func)
	for _, m := range modules {
		for verb, body := range m.verbs {
			bodies[m.path+":"+verb] = body
		}
	}
	return bodies
}
