package js

import (
	_ "embed"
	"fmt"
	"runtime"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
)

// What a body may use. The numbers are far above what an honest body needs and
// far below what hurts the process it runs in.
const (
	maxCalls     = 2000     // calls inside each other (R101)
	maxText      = 16 << 20 // characters of a text that built-ins work on
	maxReplaced  = 1 << 31  // what replace could make of a text, in the worst case
	maxList      = 1 << 20  // elements of an array that built-ins work on
	maxArguments = 1 << 16
	maxBits      = 1 << 12 // of BigInt.asIntN
	maxJSONDepth = 1000
)

// The engine's backtracking matcher knows neither the interrupt nor the time of
// a call; it stops by its own clock only, which is this package variable. A
// match that is cut off looks to the body like no match, so the value must not
// be smaller than the time a body has: the call has failed by then.
func init() { regexp2.DefaultMatchTimeout = MaxTime }

//go:embed lockdown.js
var lockdownSource string

var lockdown = goja.MustCompile("lockdown.js", lockdownSource, true)

// engine is one locked JavaScript world. It serves one call at a time, and an
// endless number of them one after the other: nothing a body does outlives its
// call, see lockdown.js.
type engine struct {
	vm     *goja.Runtime
	call   *call
	handle *goja.Object // prototype of the objects that stand for handles
}

// idle keeps engines between calls. An engine takes about a millisecond to make
// and a call about a microsecond.
var idle = make(chan *engine, runtime.GOMAXPROCS(0))

func acquire() *engine {
	select {
	case e := <-idle:
		return e
	default:
		return newEngine()
	}
}

// release keeps the engine for the next call.
func (e *engine) release() {
	e.call = nil
	select {
	case idle <- e:
	default:
	}
}

func newEngine() *engine {
	e := &engine{vm: goja.New()}
	e.vm.SetMaxCallStackSize(maxCalls)
	e.vm.SetTimeSource(func() time.Time { return e.call.now() })
	e.vm.SetRandSource(func() float64 { return e.call.random() })
	e.installConsole()
	e.installHandles()
	limits := e.vm.NewObject()
	for name, limit := range map[string]int{
		"text": maxText, "list": maxList, "arguments": maxArguments, "replaced": maxReplaced, "bits": maxBits, "depth": maxJSONDepth,
	} {
		must(limits.Set(name, limit))
	}
	must(limits.Set("nests", func(c goja.FunctionCall) goja.Value {
		return e.vm.ToValue(nests(c.Argument(0).String(), maxJSONDepth))
	}))
	must(limits.Set("handle", e.handle))
	locked, err := e.vm.RunProgram(lockdown)
	must(err)
	lock, _ := goja.AssertFunction(locked)
	_, err = lock(goja.Undefined(), limits)
	must(err)
	return e
}

// must stops at a fault in lockdown.js: an engine that is not locked must not
// run anything.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("js: the engine cannot be locked: %v", err))
	}
}

// nests reports whether brackets stand more than depth deep in a JSON text. The
// engine's own reader goes down one stack frame a bracket.
func nests(text string, depth int) bool {
	open, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if open++; open > depth {
				return true
			}
		case c == ']' || c == '}':
			open--
		}
	}
	return false
}

// installConsole makes console.log and its kin, which write a line to the
// standard error stream of the program's host.
func (e *engine) installConsole() {
	console := e.vm.NewObject()
	for _, name := range []string{"log", "info", "warn", "error", "debug"} {
		must(console.Set(name, func(c goja.FunctionCall) goja.Value {
			e.call.print(c.Arguments)
			return goja.Undefined()
		}))
	}
	must(e.vm.Set("console", console))
}

// installHandles makes what objects that stand for handles inherit: they show
// their token and nothing else.
func (e *engine) installHandles() {
	e.handle = e.vm.NewObject()
	for _, name := range []string{"toString", "toJSON"} {
		token := func(c goja.FunctionCall) goja.Value {
			object, _ := c.This.(*goja.Object)
			return e.vm.ToValue(e.call.handles[object].Str())
		}
		must(e.handle.DefineDataProperty(name, e.vm.ToValue(token), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
	}
}
