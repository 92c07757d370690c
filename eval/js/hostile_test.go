package js

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/eval"
)

// A match that backtracks stops by the clock of the process, see [regexp2.DefaultMatchTimeout];
// the tests give their bodies less time than the ten seconds it has.
func TestMain(m *testing.M) {
	regexp2.DefaultMatchTimeout = time.Second
	os.Exit(m.Run())
}

// Bodies that would run for ever, or eat what there is, end in an error. Each
// of them would hang or kill the process without one of the engine's bounds.
func TestHostileBodies(t *testing.T) {
	const (
		slow   = "ran for more than 100ms and was stopped"
		memory = "MiB of memory and was stopped"
		deep   = "called itself more than 2000 calls deep and was stopped"
		length = "is longer than a |js body may use"
		nested = "nested more than"
	)
	tests := []struct {
		name, body string
		want       []string // any of them
	}{
		{"an endless loop", `while (true) {}`, []string{slow}},
		{"an endless loop that catches everything", `while (true) try { while (true) {} } catch {} finally {}`, []string{slow}},
		{"an endless loop in a callback", `[1].forEach(() => { for (;;); })`, []string{slow}},
		{"an endless loop in a getter of the result", `return { get ok() { for (;;); } }`, []string{slow}},
		{"an endless loop in a message", `throw { toString() { for (;;); }, get message() { for (;;); } }`, []string{slow, "threw"}},
		{"an endless loop of promises", `let p = Promise.resolve(); (function f() { p = p.then(f) })()`, []string{slow}},
		{"an endless iterator", `[...{ [Symbol.iterator]: () => ({ next: () => ({}) }) }]`, []string{slow, memory}},
		{"recursion", `(function f() { f() })()`, []string{deep}},
		{"recursion through a built-in", `(function f() { [1].forEach(f) })()`, []string{deep}},
		{"recursion through a getter", `const o = { get x() { return this.x } }; o.x`, []string{deep}},
		{"recursion through toString", `const o = { toString() { return "" + this } }; "" + o`, []string{deep}},
		{"recursion through toJSON", `const o = { toJSON() { return JSON.stringify(this) } }; JSON.stringify(o)`, []string{deep}},
		{"recursion through async functions", `return (async function f() { await f() })()`, []string{deep}},
		{"recursion through a comparison", `const f = () => [2, 1].sort(f); f()`, []string{deep}},
		{"recursion through a replacement", `const f = () => "x".replace(/x/, f); f()`, []string{deep}},
		{"text without end", `let s = "x"; for (;;) s += s`, []string{memory, slow}},
		{"an array without end", `const a = []; for (;;) a.push(a.length)`, []string{memory, slow}},
		{"an object without end", `const o = {}; for (let i = 0;; i++) o["k" + i] = i`, []string{memory, slow}},
		{"a deep array", `let a = []; for (;;) a = [a]`, []string{memory, slow}},
		{"repeat", `"x".repeat(2 ** 31)`, []string{length}},
		{"repeat of a long text", `"x".repeat(1e6).repeat(1e6)`, []string{length}},
		{"repeat that says something else twice", `let n = 0; "x".repeat({ valueOf: () => n++ ? 2 ** 40 : 1 })`, nil},
		{"padStart", `"x".padStart(2 ** 30)`, []string{length}},
		{"replaceAll of everything by everything", `const s = "x".repeat(1e5); s.replaceAll("x", s)`, []string{length}},
		{"replace with what stands in front", "const s = 'x'.repeat(1e5); s.replace(/x/g, '$`')", []string{length}},
		{"an array of enormous length", `Array(4294967295).fill(0)`, []string{length}},
		{"a search in one", `const a = []; a.length = 4294967295; a.indexOf(1)`, []string{length}},
		{"one spread", `[...Array(4294967295)]`, []string{length}},
		{"one as arguments", `Math.max(...Array(4294967295))`, []string{length}},
		{"one in a Set", `new Set(Array(4294967295))`, []string{length}},
		{"one sorted", `const a = [3, 1]; a[4294967290] = 1; a.sort()`, []string{length}},
		{"one joined", `"" + Array(4294967295)`, []string{length}},
		{"one concatenated", `[].concat(Array(4294967295))`, []string{length}},
		{"one flattened", `[Array(4294967295)].flat()`, []string{slow, memory}},
		{"one from a callback", `[1].flatMap(() => Array(4294967295))`, []string{slow, memory}},
		{"one in JSON", `JSON.stringify(Array(4294967295))`, []string{slow, memory}},
		{"one returned", `return { ok: Array(4294967295) }`, []string{"brings more than 1000000 values"}},
		{"what only claims to be long", `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`, []string{slow, memory}},
		{"what claims to be long the second time", `let n = 0; Array.prototype.map.call({ get length() { return n++ ? 2 ** 53 - 1 : 1 } }, x => x)`, nil},
		{"Array.from of what claims to be long", `Array.from({ length: 1e12 })`, []string{slow, memory}},
		{"arguments of what claims to be long", `Math.max.apply(null, { length: 1e12 })`, []string{slow, memory}},
		{"String.raw of what claims to be long", `String.raw({ raw: { length: 1e12 } })`, []string{slow, memory}},
		{"a doubled array in JSON", `let a = ["x"]; for (let i = 0; i < 60; i++) a = [a, a]; JSON.stringify(a)`, []string{slow, memory}},
		{"a doubled array as text", `let a = ["x"]; for (let i = 0; i < 60; i++) a = [a, a]; String(a)`, []string{slow, memory}},
		{"a doubled array flattened", `let a = ["x"]; for (let i = 0; i < 60; i++) a = [a, a]; a.flat(Infinity)`, []string{slow, memory}},
		{"a doubled array returned", `let a = ["x"]; for (let i = 0; i < 60; i++) a = [a, a]; return { ok: a }`, []string{"brings more than"}},
		{"deep JSON read", `JSON.parse("[".repeat(1e7))`, []string{nested}},
		{"deep JSON written", `let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)`, []string{deep, slow, memory}},
		{"a deep array returned", `let a = []; for (let i = 0; i < 1e4; i++) a = [a]; return { ok: a }`, []string{nested}},
		{"binary memory", `new ArrayBuffer(2 ** 33)`, []string{"ArrayBuffer is not defined"}},
		{"an integer of many bits", `BigInt.asUintN(2 ** 40, -1n)`, []string{length}},
		{"an integer without end", `let b = 3n; for (;;) b *= b`, []string{slow, memory}},
		{"an expression that tries everything, with a reference back", `/^(a+)+\1$/.test("a".repeat(60) + "b")`, []string{slow}},
		{"an expression that tries everything, looking ahead", `/^(?!(a+)+$)/.test("a".repeat(60) + "b")`, []string{slow}},
		{"a very deep expression", `new RegExp("(".repeat(1e6) + ")".repeat(1e6))`, []string{"SyntaxError", slow, memory}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, &Target{Time: 100 * time.Millisecond, Memory: 128 << 20}, "f {}\n| ok []string\n| no", tt.body+"\nreturn 'no'")
			_, err := s.call(t, "")
			if len(tt.want) == 0 {
				if err != nil {
					t.Errorf("got %v, want success", err)
				}
				return
			}
			var fault *eval.BodyError
			if !errors.As(err, &fault) {
				t.Fatalf("got %v, want a located error", err)
			}
			// On a slow machine the time is up before another bound is met.
			for _, want := range append(tt.want, slow) {
				if strings.Contains(fault.Message, want) {
					return
				}
			}
			t.Errorf("got %q, want one of %q", fault.Message, tt.want)
		})
	}
}

// The source of a body is bounded, so that no source takes the engine's parser
// and compiler down: whatever is repeated up to the bound, compiling it ends.
func TestLongSources(t *testing.T) {
	tor, proc := verb(t, "f {} -> i64", "")
	for _, unit := range []string{
		"(", "[", "!", "x=", "x=>", "a?b:", "if(a)", "{", "{a:", "a:", "`${", "-+", "new ", "typeof ", "function f(){", "1+", "1n*", "a||", "a.b.",
		"x**", "async x=>", "((a)=>", "(a=", "({a:b=", "class A{b=", "(a=>a)(", "({get a(){", "for(let x of ", "else ",
	} {
		proc.Body = strings.Repeat(unit, maxSource/len(unit)+1)[:maxSource]
		(&Target{}).Compile(tor, proc)
	}
	for body, want := range map[string]string{
		strings.Repeat(" ", maxSource+1):                "the |js body is longer than 32768 bytes",
		"return 0" + strings.Repeat("+1", 2000):         "the |js body is nested more than 1000 deep",
		"return {" + strings.Repeat("a:1,", 2000) + "}": "the |js body has more than 1500 keys and labels",
	} {
		proc.Body = body
		if _, err := (&Target{}).Compile(tor, proc); err == nil || err.Error() != want {
			t.Errorf("%.20s…: got %v, want %s", body, err, want)
		}
	}
	proc.Body = "return 0" + strings.Repeat("+1", 900)
	if _, err := (&Target{}).Compile(tor, proc); err != nil {
		t.Errorf("a long sum: %v", err)
	}
}

func TestCancel(t *testing.T) {
	s := compile(t, &Target{}, "f {}\n! tick", "for (;;) tick()")
	ctx, cancel := context.WithCancel(context.Background())
	s.ctx = ctx
	ticks := 0
	s.fire = func(string, eval.Value) (eval.Outcome, error) {
		if ticks++; ticks == 10 {
			cancel()
		}
		return eval.Outcome{}, nil
	}
	if _, err := s.call(t, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context was cancelled", err)
	}
}

// The time of the caller's handlers is not the body's.
func TestTimeOfHandlersIsFree(t *testing.T) {
	w := watch{ctx: context.Background(), time: time.Minute, memory: 1 << 62, resumed: time.Now()}
	w.pause()
	w.resumed = w.resumed.Add(-time.Hour) // an hour goes by in the handler
	if reason := w.judge(); reason != nil {
		t.Errorf("while a handler runs: %v", reason)
	}
	w.resume()
	if reason := w.judge(); reason != nil {
		t.Errorf("after a long handler: %v", reason)
	}
	w.resumed = w.resumed.Add(-time.Hour) // and one in the body
	if w.judge() == nil {
		t.Error("a body that took an hour goes on")
	}
}

// Nothing that one call does is there for the next one, though both run in the
// same engine.
func TestNothingOutlivesACall(t *testing.T) {
	for len(idle) > 0 {
		<-idle // so that one engine serves all calls
	}
	tries := []string{
		`globalThis.leak = 1`,
		`Object.prototype.leak = 1`,
		`Array.prototype.leak = 1`,
		`Array.prototype.push.leak = 1`,
		`Object.getPrototypeOf([][Symbol.iterator]()).leak = 1`,
		`Object.getPrototypeOf(async () => {}).leak = 1`,
		`console.leak = 1`,
		`console.log.leak = 1`,
		`Math.leak = 1`,
		`JSON.parse = () => 1`,
		`Object.defineProperty(Object.prototype, "leak", { value: 1 })`,
		`Object.setPrototypeOf(Array.prototype, { leak: 1 })`,
		`Object.getPrototypeOf(h).leak = 1`,
		`h.toString.leak = 1`,
		`h.constructor.leak = 1`,
		`Object.prototype.toString = () => "leak"`,
		`Error.prototype.name = "leak"`,
		`RegExp.prototype.leak = 1`,
		`Map.prototype.set = 1`,
		`Promise.resolve().constructor.leak = 1`,
		`Symbol.leak = 1`,
		`Date.now = () => 0`,
		`Object.getOwnPropertyDescriptor(arguments, "callee").get.leak = 1`,
		`delete Array.prototype.map`,
		`(() => {}).__proto__.leak = 1`,
	}
	for _, try := range tries {
		s := compile(t, &Target{}, "f { h: *Dir } -> string", `try { `+try+`; return "done" } catch (e) { return e.name }`)
		o, err := s.run(&eval.Call{Tor: s.tor, Args: []eval.Value{eval.HandleValue("h:Dir:1", nil)}})
		if got := s.show(o, err); got != `{"branch":"","value":"TypeError"}` {
			t.Errorf("%s: %s", try, got)
		}
	}
	s := compile(t, &Target{}, "f { h: *Dir } -> []string", `
		const seen = [];
		for (const it of [globalThis, {}, [], [].push, [][Symbol.iterator](), async () => {}, () => {}, console, console.log, Math, h, h.toString, /x/, Symbol, Promise])
			if ("leak" in it || it.leak !== undefined) seen.push(String(it));
		if (JSON.parse("2") !== 2 || String({}) !== "[object Object]" || new Error("x").name !== "Error") seen.push("changed");
		return seen;`)
	o, err := s.run(&eval.Call{Tor: s.tor, Args: []eval.Value{eval.HandleValue("h:Dir:1", nil)}})
	if got := s.show(o, err); got != `{"branch":"","value":[]}` {
		t.Errorf("left behind: %s", got)
	}
	if len(idle) != 1 {
		t.Errorf("%d engines served the calls, want one", len(idle))
	}
}

// What bodies customarily assign to can be assigned to, frozen as its prototype
// is.
func TestFrozenIsNotInTheWay(t *testing.T) {
	s := compile(t, &Target{}, "f {} -> []string", `
		const e = new Error("x");
		e.name = "StockError";
		class MyError extends Error { constructor(m) { super(m); this.name = "MyError"; this.message = m + "!"; } }
		const o = {};
		o.toString = () => "mine";
		o.constructor = 1;
		function Old() {}
		Old.prototype.toString = function () { return "old" };
		Old.prototype.valueOf = () => 7;
		const count = {};
		for (const w of ["constructor", "toString", "hasOwnProperty", "x"]) count[w] = (Object.hasOwn(count, w) ? count[w] : 0) + 1;
		const a = [1];
		a.extra = 1;
		return [String(e), String(new MyError("bad")), String(o), String(new Old()), String(+new Old()), JSON.stringify(count), JSON.stringify(Object.keys(o)), String(a.extra)];`)
	want := `{"branch":"","value":["StockError: x","MyError: bad!","mine","old","7","{\"constructor\":1,\"toString\":1,\"hasOwnProperty\":1,\"x\":1}","[\"toString\",\"constructor\"]","1"]}`
	if diff := cmp.Diff(want, s.show(s.call(t, ""))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The built-ins that lockdown.js replaces do what the language says. Each line
// is an expression and its JSON.
func TestReplacedBuiltins(t *testing.T) {
	tests := []struct{ expr, want string }{
		{`[1,[2,[3,[4]]]].flat()`, `[1,2,[3,[4]]]`},
		{`[1,[2,[3,[4]]]].flat(Infinity)`, `[1,2,3,4]`},
		{`[1,,2].flat()`, `[1,2]`},
		{`[1,2].flatMap(x => [x, [x * 2]])`, `[1,[2],2,[4]]`},
		{`[1,[2,3],null,undefined,"x"].join()`, `"1,2,3,,,x"`},
		{`[1,2].join("-")`, `"1-2"`},
		{`[1,2].join(undefined)`, `"1,2"`},
		{`(() => { const a = [1]; a.push(a, 2); return String(a) })()`, `"1,,2"`},
		{`String([1,[2,3]])`, `"1,2,3"`},
		{`[1.5].toLocaleString()`, `"1.5"`},
		{`[].concat(1, [2], [[3]])`, `[1,2,[3]]`},
		{`[3,1,2].sort()`, `[1,2,3]`},
		{`[3,1,2].toSorted((a, b) => b - a)`, `[3,2,1]`},
		{`[1,2,3].with(1, 9)`, `[1,9,3]`},
		{`[...[1,2].entries()]`, `[[0,1],[1,2]]`},
		{`[...[1,2].keys()]`, `[0,1]`},
		{`[1,2,3,4].splice(1, 2)`, `[2,3]`},
		{`Array.from("ab")`, `["a","b"]`},
		{`Array.from({ length: 3 }, (_, i) => i * 2)`, `[0,2,4]`},
		{`Array.from(new Set([1, 1, 2]))`, `[1,2]`},
		{`Array.from({ length: 2, 0: "a", 1: "b" })`, `["a","b"]`},
		{`Array.prototype.map.call("abc", c => c + c)`, `["aa","bb","cc"]`},
		{`(function () { return Array.prototype.slice.call(arguments, 1) })(1, 2, 3)`, `[2,3]`},
		{`(function () { return [...arguments] })(1, 2)`, `[1,2]`},
		{`Math.max.apply(null, [1, 3, 2])`, `3`},
		{`Reflect.apply(Math.min, null, [1, 3])`, `1`},
		{`Reflect.construct(Date, [0]).getTime()`, `0`},
		{`(class extends Array {}).from([1]).constructor.name`, `""`},
		{`"ab".repeat(3)`, `"ababab"`},
		{`"a".repeat(0)`, `""`},
		{`"a".padStart(3, "xy")`, `"xya"`},
		{`"a".padEnd(3)`, `"a  "`},
		{`"a-b-c".replace("-", "$&$&")`, `"a--b-c"`},
		{`"a-b-c".replaceAll("-", "+")`, `"a+b+c"`},
		{`"a-b".replace(/(\w)-(\w)/, (m, a, b) => b + a)`, `"ba"`},
		{`"aXbX".split("X")`, `["a","b",""]`},
		{`"aXbX".split("X", 1)`, `["a"]`},
		{`"a1b2".match(/\d/g)`, `["1","2"]`},
		{`[..."a1b2".matchAll(/\d/g)].map(m => m.index)`, `[1,3]`},
		{`"a1".search(/\d/)`, `1`},
		{`[..."é😀"]`, `["é","😀"]`},
		{`/a/.test("cat")`, `true`},
		{"String.raw`a\\n${1}`", `"a\\n1"`},
		{`String(BigInt.asUintN(8, 257n))`, `"1"`},
		{`JSON.parse('{"a":[1,{"b":null}]}', (k, v) => v === 1 ? 2 : v)`, `{"a":[2,{"b":null}]}`},
		{`JSON.stringify({ a: [1, undefined, () => 1], b: undefined, c: new Date(0), d: NaN })`, `"{\"a\":[1,null,null],\"c\":\"1970-01-01T00:00:00.000Z\",\"d\":null}"`},
		{`JSON.stringify({ a: 1, b: [], c: { d: {} } }, null, 2)`, `"{\n  \"a\": 1,\n  \"b\": [],\n  \"c\": {\n    \"d\": {}\n  }\n}"`},
		{`JSON.stringify([1, [2]], null, "--")`, `"[\n--1,\n--[\n----2\n--]\n]"`},
		{`JSON.stringify({ a: 1, b: 2, c: { a: 3 } }, ["a", "c"])`, `"{\"a\":1,\"c\":{\"a\":3}}"`},
		{`JSON.stringify({ a: 1, b: 2 }, (k, v) => k === "a" ? undefined : v)`, `"{\"b\":2}"`},
		{`JSON.stringify([new Number(1), new String("x"), new Boolean(false), Object("y")])`, `"[1,\"x\",false,\"y\"]"`},
		{`JSON.stringify("é\u2028\n")`, "\"\\\"é\u2028\\\\n\\\"\""},
		{`typeof JSON.stringify(undefined)`, `"undefined"`},
		{`[].map.name + [].map.length + [].join.length`, `"map11"`},
		{`(() => { try { JSON.stringify((o => o.o = o)({})) } catch (e) { return e.message } })()`, `"the value contains itself, which JSON cannot say"`},
		{`(() => { try { [].map.call(null) } catch (e) { return e.name } })()`, `"TypeError"`},
		{`(() => { try { [].sort.call({ length: 1 }) } catch (e) { return e.name } })()`, `"TypeError"`},
		{`(() => { try { new [].map() } catch (e) { return e.name } })()`, `"TypeError"`},
		{`(() => {}) instanceof Function`, `true`},
	}
	for _, tt := range tests {
		s := compile(t, &Target{}, "f {} -> Anything", "return "+tt.expr)
		want := `{"branch":"","value":` + tt.want + `}`
		if got := s.show(s.call(t, "")); got != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.expr, got, want)
		}
	}
}

// One compiled body serves many sessions at once.
func TestManyCallsAtOnce(t *testing.T) {
	s := compile(t, &Target{}, "f { n: i64 } -> i64", "let sum = 0; for (let i = 0; i <= n; i++) sum += i; return sum")
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for i := range 50 {
				n := int64(g*50 + i)
				o, err := s.run(&eval.Call{Tor: s.tor, Args: []eval.Value{eval.IntValue(n)}})
				if err != nil || !o.Payload.Equal(eval.IntValue(n*(n+1)/2)) {
					t.Error(fmt.Sprint(n, eval.Text(o.Payload), err))
				}
			}
		})
	}
	wait.Wait()
}

// FuzzCompile looks for sources that make the engine's parser or compiler fail
// in another way than with an error.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"return 1", "const t = { pen: 3 }; return sku in t ? { priced: t[sku] } : { unknown: null };", "class A { #x = 1n ** 2n }",
		"for (const [a, ...b] of [[1]]) label: while (a) break label", "return `a${`b`}`", "/[/]\\//g.test('x') / 2", "async () => await 1",
		"function* g() {}", "}) (function() {", "a?.b?.[c] ?? d", "switch (1) { default: }", "try {} catch {} finally {}", "\u00e9 = 1",
	} {
		f.Add(seed)
	}
	tor, proc := verb(f, "price { sku: string }\n| priced i64\n| unknown", "")
	f.Fuzz(func(t *testing.T, body string) {
		p := *proc
		p.Body = body
		_, err := (&Target{}).Compile(tor, &p)
		var fault *eval.BodyError
		if err != nil && (!errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(body)) {
			t.Fatalf("%q: error without a place: %v", body, err)
		}
	})
}
