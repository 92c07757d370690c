package js

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// verb declares a tor and its |js body the way a program does.
func verb(t testing.TB, declaration, body string) (*check.Tor, *check.Proc) {
	t.Helper()
	name := strings.Fields(declaration)[0]
	p := check.Source("t.k", "tor "+declaration+"\nproc "+name+"|js {"+body+"}\n", check.Options{})
	tor := p.Entry.Tor(name)
	if tor == nil || len(tor.Procs) != 1 {
		t.Fatalf("the declaration does not load: %s", declaration)
	}
	return tor, tor.Procs[0]
}

// session runs calls of one body.
type session struct {
	tor    *check.Tor
	body   string
	run    eval.Func
	stderr bytes.Buffer
	ctx    context.Context
	fire   func(effect string, payload eval.Value) (eval.Outcome, error)
}

func compile(t testing.TB, target *Target, declaration, body string) *session {
	t.Helper()
	tor, proc := verb(t, declaration, body)
	run, err := target.Compile(tor, proc)
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	return &session{tor: tor, body: proc.Body, run: run, ctx: context.Background()}
}

// call takes the arguments as JSON, one a field in declared order.
func (s *session) call(t testing.TB, args string) (eval.Outcome, error) {
	t.Helper()
	values, err := eval.DecodeJSON([]byte("["+args+"]"), eval.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := &eval.Call{Context: s.ctx, Tor: s.tor, Args: values.Elems(), Host: &eval.Host{Stderr: &s.stderr}}
	if s.fire != nil {
		c.OnEffect(func(effect int, payload eval.Value) (eval.Outcome, error) {
			for _, o := range s.tor.Outcomes {
				if o.Effect && o.Index == effect {
					return s.fire(o.Name, payload)
				}
			}
			return eval.Outcome{}, fmt.Errorf("effect %d is not declared", effect)
		})
	}
	return s.run(c)
}

// show gives the outcome as JSON, or the error with the text it points at.
func (s *session) show(o eval.Outcome, err error) string {
	if err == nil {
		return string(eval.AppendOutcomeJSON(nil, o))
	}
	return showError(s.body, err)
}

func showError(body string, err error) string {
	var fault *eval.BodyError
	if !errors.As(err, &fault) {
		return "error: " + err.Error()
	}
	at := strings.TrimSpace(body[fault.Offset:])
	at, _, _ = strings.Cut(at, "\n")
	return fmt.Sprintf("%s\n  at %.20s", fault.Message, at)
}

func TestBodies(t *testing.T) {
	tests := []struct{ name, declaration, body, args, want string }{
		{
			"an arm with a payload", "price { sku: string }\n| priced i64\n| unknown",
			`const t = { pen: 3, desk: 240 };
			 return sku in t ? { priced: t[sku] } : { unknown: null };`,
			`"desk"`, `{"branch":"priced","value":240}`,
		},
		{"an arm without payload, as an object", "price { sku: string }\n| priced i64\n| unknown", `return { unknown: null }`, `""`, `{"branch":"unknown"}`},
		{"an arm without payload, undefined", "price { sku: string }\n| priced i64\n| unknown", `return { unknown: undefined }`, `""`, `{"branch":"unknown"}`},
		{"an arm without payload, as a string", "price { sku: string }\n| priced i64\n| unknown", `return "unknown"`, `""`, `{"branch":"unknown"}`},
		{"a kebab arm as declared", "find {}\n| sold-out string\n| ok string", `return { "sold-out": "pen" }`, ``, `{"branch":"sold-out","value":"pen"}`},
		{"a kebab arm in snake form", "find {}\n| sold-out string\n| ok string", `return { sold_out: "pen" }`, ``, `{"branch":"sold-out","value":"pen"}`},
		{"a kebab arm in snake form as a string", "find {}\n| sold-out\n| ok string", `return "sold_out"`, ``, `{"branch":"sold-out"}`},
		{"an optional outcome", "find {}\n| ok string\n| ?warned string", `return { warned: "late" }`, ``, `{"branch":"warned","value":"late"}`},
		{
			"a record payload, in declared order", "find {}\n| ok { a: string, n: i64 }\n| no",
			`return { ok: { n: 2, a: "x" } }`, ``, `{"branch":"ok","value":{"a":"x","n":2}}`,
		},
		{"a value", "twice { n: i64 } -> i64", `return n * 2;`, `21`, `{"branch":"","value":42}`},
		{"a record value", "split { n: u32 } -> { half: u32, rest: u32 }", `return { half: n >> 1, rest: n & 1 };`, `9`, `{"branch":"","value":{"half":4,"rest":1}}`},
		{"a list value", "words { s: string } -> []string", `return s.split(" ");`, `"a b c"`, `{"branch":"","value":["a","b","c"]}`},
		{"a void verb", "hush {}", ``, ``, `{"branch":""}`},
		{"a void verb that returns null", "hush {}", `return null`, ``, `{"branch":""}`},
		{"an optional value, absent", "find {} -> ?string", `return null`, ``, `{"branch":"","value":null}`},
		{"an optional field, absent", "f { a: ?string } -> string", `return a === null ? "none" : a`, `null`, `{"branch":"","value":"none"}`},
		{"an optional record field left out", "f {} -> { a: string, b: ?i64 }", `return { a: "x", b: undefined }`, ``, `{"branch":"","value":{"a":"x","b":null}}`},
		{"an integer for a float", "f {} -> f64", `return 3`, ``, `{"branch":"","value":3}`},
		{"a choice", `f {} -> "a" | "b"`, `return "b"`, ``, `{"branch":"","value":"b"}`},
		{"records and lists in", "total { items: []{ sku: string, n: i64 } } -> i64", `return items.reduce((sum, i) => sum + i.n, 0)`, `[{"sku":"a","n":2},{"sku":"b","n":3}]`, `{"branch":"","value":5}`},
		{"text of every alphabet", "f { s: string } -> string", `return [...s].reverse().join("")`, `"aé日😀"`, `{"branch":"","value":"😀日éa"}`},
		{"a field called __proto__", "f { r: { __proto__: string, b: string } } -> string", `return Object.keys(r).join() + Object.getPrototypeOf(r).constructor.name`, `{"__proto__":"x","b":"y"}`, `{"branch":"","value":"__proto__,bObject"}`},
		{"a reserved word as a field", "f { class: string, default: i64 } -> string", `return class_ + default_`, `"a", 1`, `{"branch":"","value":"a1"}`},
		{"async functions", "f {} -> i64", `const g = async (n) => n + 1; return (async () => await g(await g(1)))()`, ``, `{"branch":"","value":3}`},
		{"classes, spread, destructuring, regular expressions", "f {} -> string",
			`class A { #x = 1; get x() { return this.#x } }
			 const { x, ...rest } = { x: new A().x, y: 2, z: 3 };
			 return JSON.stringify([x, rest, "a1b2".replace(/(\d)/g, "<$1>"), /(?<n>\d+)/.exec("ab12").groups.n]);`,
			``, `{"branch":"","value":"[1,{\"y\":2,\"z\":3},\"a<1>b<2>\",\"12\"]"}`},
		{"a comment at the end", "f {} -> i64", `return 1 // done`, ``, `{"branch":"","value":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, &Target{}, tt.declaration, tt.body)
			if diff := cmp.Diff(tt.want, s.show(s.call(t, tt.args))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestIntegers(t *testing.T) {
	tests := []struct{ declaration, body, args, want string }{
		{"f { n: i64 } -> string", `return typeof n`, `9007199254740992`, `{"branch":"","value":"number"}`},
		{"f { n: i64 } -> string", `return typeof n`, `9007199254740993`, `{"branch":"","value":"bigint"}`},
		{"f { n: i64 } -> string", `return typeof n`, `-9007199254740993`, `{"branch":"","value":"bigint"}`},
		{"f { n: i64 } -> i64", `return n`, `9223372036854775807`, `{"branch":"","value":9223372036854775807}`},
		{"f { n: u128 } -> u128", `return n * 2n`, `100000000000000000000`, `{"branch":"","value":200000000000000000000}`},
		{"f {} -> i64", `return 2n ** 62n`, ``, `{"branch":"","value":4611686018427387904}`},
		{"f {} -> i64", `return 5n`, ``, `{"branch":"","value":5}`},
		{"f {} -> i64", `return -0`, ``, `{"branch":"","value":0}`},
		{"f {} -> i64", `return new Number(7)`, ``, `{"branch":"","value":7}`},
		{"f {} -> u128", `return 1e20`, ``, `{"branch":"","value":100000000000000000000}`},
		{"f {} -> f64", `return 0.1 + 0.2`, ``, `{"branch":"","value":0.30000000000000004}`},
		{"f {} -> i64", `return 1e20`, ``, "the |js body returned a value that does not fit: wants i64, got 100000000000000000000\n  at return 1e20"},
		{"f {} -> u8", `return 256`, ``, "the |js body returned a value that does not fit: wants u8, got 256\n  at return 256"},
		{"f {} -> i64", `return 1.5`, ``, "the |js body returned a value that does not fit: wants i64, got 1.5\n  at return 1.5"},
		{"f {} -> i64", `return NaN`, ``, "the |js body returned a value that does not fit: wants i64, got NaN\n  at return NaN"},
	}
	for _, tt := range tests {
		s := compile(t, &Target{}, tt.declaration, tt.body)
		if diff := cmp.Diff(tt.want, s.show(s.call(t, tt.args))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.body, diff)
		}
	}
}

// A body that breaks the contract fails the step; no outcome is invented (R47).
func TestBrokenContracts(t *testing.T) {
	const find = "find { n: i64 }\n| ok { a: string, n: i64 }\n| sold-out\n! seen string -> bool"
	tests := []struct{ name, declaration, body, want string }{
		{"a throw", find, "let x = 1;\nthrow new Error('no stock')", "the |js body threw Error: no stock\n  at new Error('no stock'"},
		{"a throw in a function", find, "const f = () => { null.x };\nreturn f()", "the |js body threw TypeError: Cannot read property 'x' of undefined\n  at x };"},
		{"a thrown text", find, "throw 'no stock'", "the |js body threw no stock\n  at throw 'no stock'"},
		{"a thrown record", find, "throw { code: 5 }", "the |js body threw {\"code\":5}\n  at throw { code: 5 }"},
		{"a thrown value that cannot be shown", find, "throw new class extends Error { get message() { throw 1 } }", "the |js body threw a value that cannot be shown\n  at new class extends Er"},
		{"a rejected promise", find, "return Promise.reject(new Error('late'))", "the |js body threw Error: late\n  at new Error('late'))"},
		{"a promise nobody settles", find, "return new Promise(() => {})", "the |js body returned a promise that nothing settles\n  at return new Promise(("},
		{"an undefined name", find, "return stock[n]", "the |js body threw ReferenceError: stock is not defined\n  at stock[n]"},
		{"an undeclared arm", find, "if (!n) return { ok: {} };\nreturn { none: null }", "the |js body returned 'none', which is not an outcome of 'find' — declared: ok, sold-out\n  at return { none: null "},
		{"an undeclared arm as a string", find, "if (n == 0) return 'sold_out';\nreturn 'none'", "the |js body returned 'none', which is not an outcome of 'find' — declared: ok, sold-out\n  at return 'none'"},
		{"an effect is no outcome", find, "return { seen: '' }", "the |js body returned 'seen', which is not an outcome of 'find' — declared: ok, sold-out\n  at return { seen: '' }"},
		{"the bare name of an arm with a payload", find, "return 'ok'", "the |js body returned the bare name of 'ok', which carries { a: string, n: i64 }: return { ok: … }\n  at return 'ok'"},
		{"a payload nobody declared", find, "return { sold_out: 1 }", "the |js body returned a payload for 'sold-out', which carries none: return \"sold-out\" or { sold_out: null }\n  at return { sold_out: 1"},
		{"a missing field", find, "return { ok: { a: 'x' } }", "the |js body returned 'ok' with a payload that does not fit: 'n' is missing, it wants i64\n  at return { ok: { a: 'x"},
		{"a field too many", find, "return { ok: { a: 'x', n: 1, m: 2 } }", "the |js body returned 'ok' with a payload that does not fit: 'm' is not a field — the fields are a, n\n  at return { ok: { a: 'x"},
		{"a field of another type", find, "return { ok: { a: 'x', n: '1' } }", "the |js body returned 'ok' with a payload that does not fit: 'n' wants i64, got \"1\"\n  at return { ok: { a: 'x"},
		{"nothing", find, "", "the |js body returned undefined, expected { outcome: payload } with one of: ok, sold-out\n  at "},
		{"two arms", find, "return { ok: {}, sold_out: null }", "the |js body returned an object of 2 fields, expected { outcome: payload } with one of: ok, sold-out\n  at return { ok: {}, sol"},
		{"a value where arms are declared", find, "return 5", "the |js body returned 5, expected { outcome: payload } with one of: ok, sold-out\n  at return 5"},
		{"a value from a void verb", "hush {}", "return 5", "the |js body returned 5, but 'hush' declares neither a value nor an outcome\n  at return 5"},
		{"nothing where a value is declared", "f {} -> i64", "", "the |js body returned a value that does not fit: wants i64, got null\n  at "},
		{"a function", "f {} -> string", "return () => 1", "the |js body returned a value that does not fit: is a function, which is not a value of Koru\n  at return () => 1"},
		{"a date", "f {} -> []string", "return ['', new Date(0)]", "the |js body returned a value that does not fit: '[1]' is a Date, which is not a value of Koru\n  at return ['', new Date"},
		{"a symbol", "f {} -> string", "return Symbol('x')", "the |js body returned a value that does not fit: is a symbol, which is not a value of Koru\n  at return Symbol('x')"},
		{"a value inside itself", "f {} -> []string", "const a = []; a.push(a); return a", "the |js body returned a value that does not fit: '" + strings.Repeat("[0]", 64) + "' is nested more than 64 deep — does it contain itself?\n  at return a"},
		{"a getter that throws", "f {} -> { a: string, b: string }", "return { a: '', get b() { throw new Error('no b') } }", "the |js body threw Error: no b\n  at new Error('no b') } "},
		{"text that becomes code", "f {} -> i64", "return eval('1')", "the |js body threw TypeError: text cannot become code in a |js body\n  at ('1')"},
		{"text that becomes a function", "f {} -> i64", "return (() => 1).constructor('return 1')()", "the |js body threw TypeError: text cannot become code in a |js body\n  at ('return 1')()"},
		{"text that becomes an async function", "f {} -> i64", "return (async () => 1).constructor('return 1')()", "the |js body threw TypeError: text cannot become code in a |js body\n  at ('return 1')()"},
		{"a global left behind", "f {} -> i64", "count = 1; return 1", "the |js body threw ReferenceError: count is not defined\n  at count = 1; return 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, &Target{}, tt.declaration, tt.body)
			args := ""
			if len(s.tor.Fields) > 0 {
				args = "1"
			}
			if diff := cmp.Diff(tt.want, s.show(s.call(t, args))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompileErrors(t *testing.T) {
	tests := []struct{ name, declaration, body, want string }{
		{"a syntax error", "f {} -> i64", "\n  const = 5;", "the |js body is not JavaScript: Unexpected token =\n  at = 5;"},
		{"an unfinished expression", "f {} -> i64", "return 1 +", "the |js body is not JavaScript: Unexpected token }\n  at "},
		{"behind text of other alphabets", "f {} -> i64", "const s = 'é日😀'; var 1", "the |js body is not JavaScript: Unexpected number\n  at 1"},
		{"a name declared twice", "f {} -> i64", "let a = 1;\nlet a = 2;", "the |js body is not JavaScript: Identifier 'a' has already been declared\n  at a = 2;"},
		{"a field declared again", "f { n: i64 } -> i64", "let n = 1", "the |js body is not JavaScript: Identifier 'n' has already been declared\n  at n = 1"},
		{"a generator", "f {} -> i64", "function* g() { yield 1 }", "a |js body cannot have generator functions: the engine cannot bound them — build an array instead\n  at function* g() { yiel"},
		{"a generator method", "f {} -> i64", "const o = { *g() { yield 1 } }", "a |js body cannot have generator functions: the engine cannot bound them — build an array instead\n  at *g() { yield 1 } }"},
		{"a power of big integers", "f {} -> i64", "return 10n ** 10000000000n", "in a |js body with big integers the right side of ** must be a literal of at most 1024\n  at 10000000000n"},
		{"a shift of big integers", "f { n: i64 } -> i64", "let a = BigInt(1);\na <<= n", "in a |js body with big integers the right side of << must be a literal of at most 1024\n  at n"},
		{"a field and an effect of one name", "f { line: string }\n! line string", "", "the field 'line' and the effect 'line' of 'f' have the same name in a |js body: line\n  at "},
		{"a with statement", "f {} -> i64", "with ({}) return 1", "the |js body is not JavaScript: Strict mode code may not include a with statement\n  at with ({}) return 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tor, proc := verb(t, tt.declaration, tt.body)
			_, err := (&Target{}).Compile(tor, proc)
			if err == nil {
				t.Fatal("the body compiles")
			}
			if diff := cmp.Diff(tt.want, showError(proc.Body, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The body's braces are the language's to match; if it was fooled, the wrapping
// function must not end early.
func TestTheBodyCannotLeaveItsFunction(t *testing.T) {
	tor, proc := verb(t, "f {} -> i64", "")
	for _, body := range []string{"return 1 }) (); (function() {", "})(function() {", "}, function() {", "} /* ", "return 1 }"} {
		proc.Body = body
		if _, err := (&Target{}).Compile(tor, proc); err == nil {
			t.Errorf("%q compiles", body)
		}
	}
}

func TestSourceMapsAreNotRead(t *testing.T) {
	s := compile(t, &Target{}, "f {} -> i64", "return 1\n//# sourceMappingURL=/etc/passwd\n")
	if _, err := s.call(t, ""); err != nil {
		t.Error(err)
	}
}

func TestConsole(t *testing.T) {
	s := compile(t, &Target{}, "f { n: i64 }", `
		console.log("CLOSED " + n, { a: [1, "x"] }, null, undefined, 1n, new Error("bad"), /x/g, () => 1, Symbol("s"), new Map());
		console.info("info"); console.warn("warn"); console.error("error"); console.debug();`)
	if _, err := s.call(t, "7"); err != nil {
		t.Fatal(err)
	}
	want := `CLOSED 7 {"a":[1,"x"]} null undefined 1 Error: bad /x/g a function Symbol(s) a Map
info
warn
error

`
	if diff := cmp.Diff(want, s.stderr.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEffects(t *testing.T) {
	declaration := "scan { n: i64 } -> []string\n! line string\n! beat\n! ask string -> bool\n! pick-one { a: i64, b: string } | yes-please i64 | no"
	body := `
		const out = [];
		for (let i = 0; i < n; i++) out.push(String(line("line " + i)));
		out.push(String(beat()));
		out.push(String(ask("go on?")));
		const picked = pick_one({ b: "x", a: 1 });
		out.push(JSON.stringify(picked), JSON.stringify(pick_one({ b: "y", a: 2 })));
		return out;`
	s := compile(t, &Target{}, declaration, body)
	var fired []string
	s.fire = func(effect string, payload eval.Value) (eval.Outcome, error) {
		fired = append(fired, effect+" "+eval.Text(payload))
		switch {
		case effect == "ask":
			return eval.Delivered("", eval.BoolValue(true)), nil
		case effect == "pick-one" && len(fired)%2 == 0:
			return eval.Fired("no"), nil
		case effect == "pick-one":
			return eval.Delivered("yes-please", eval.IntValue(5)), nil
		}
		return eval.Outcome{}, nil
	}
	got := s.show(s.call(t, "2"))
	if diff := cmp.Diff(`{"branch":"","value":["undefined","undefined","undefined","true","{\"yes_please\":5}","{\"no\":null}"]}`, got); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	want := []string{"line line 0", "line line 1", "beat null", "ask go on?", `pick-one {"a":1,"b":"x"}`, `pick-one {"a":2,"b":"y"}`}
	if diff := cmp.Diff(want, fired); diff != "" {
		t.Errorf("fired (-want +got):\n%s", diff)
	}
}

func TestEffectsNobodyHandles(t *testing.T) {
	s := compile(t, &Target{}, "scan {}\n! ?warning string", `if (warning("x") !== undefined) throw 1`)
	if got := s.show(s.call(t, "")); got != `{"branch":""}` {
		t.Error(got)
	}
}

func TestFaultsInEffects(t *testing.T) {
	stop := errors.New("the handler failed")
	tests := []struct{ name, body, want string }{
		{"a payload that does not fit", "line(5)", "the |js body threw TypeError: the payload of the effect 'line' does not fit: wants string, got 5\n  at (5)"},
		{"a payload nobody declared", "beat(5)", "the |js body threw TypeError: the effect 'beat' carries no payload\n  at (5)"},
		{"the error of a handler passes catch and finally", "try { line('x') } catch (e) { console.log('caught') } finally { console.log('finally') }", "error: the handler failed"},
		{"from inside a built-in", "try { ['x', 'y'].forEach(s => line(s)) } catch {}", "error: the handler failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, &Target{}, "scan {}\n! line string\n! beat", tt.body)
			fired := 0
			s.fire = func(string, eval.Value) (eval.Outcome, error) { fired++; return eval.Outcome{}, stop }
			if diff := cmp.Diff(tt.want, s.show(s.call(t, ""))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if fired > 1 || s.stderr.Len() > 0 {
				t.Errorf("the body went on: %d effects, %q", fired, s.stderr.String())
			}
		})
	}
}

func TestHandles(t *testing.T) {
	dir := eval.HandleValue("h:Dir:737eec", new(int))
	s := compile(t, &Target{}, "pass { d: *Dir<open>, e: *Dir<open> } -> { first: *Dir, shown: string, same: bool }",
		`d.mine = 1; return { first: d, shown: d + " " + JSON.stringify({ d }) + Object.keys(e), same: d === e }`)
	o, err := s.run(&eval.Call{Tor: s.tor, Args: []eval.Value{dir, eval.HandleValue("h:Dir:000001", nil)}})
	if err != nil {
		t.Fatal(err)
	}
	if first, _ := o.Payload.Field("first"); first != dir {
		t.Error("the handle came back as another one")
	}
	if got, want := string(eval.AppendJSON(nil, o.Payload)), `{"first":"h:Dir:737eec","shown":"h:Dir:737eec {\"d\":\"h:Dir:737eec\"}","same":false}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s = compile(t, &Target{}, "forge { d: *Dir } -> string", `return d`)
	if _, err := s.run(&eval.Call{Tor: s.tor, Args: []eval.Value{dir}}); err == nil {
		t.Error("a handle passes as text")
	}
}

// What a body delivers as *T becomes the object behind a new handle.
func TestMintedObjects(t *testing.T) {
	open := compile(t, &Target{}, "open { id: u32 }\n| opened *Locker<open!>\n| jammed string", `return { opened: { id, parcels: [] } }`)
	o, err := open.call(t, "7")
	if err != nil {
		t.Fatal(err)
	}
	locker := o.Payload
	if locker.Kind() != eval.Handle {
		t.Fatalf("minted a %s", locker.Kind())
	}
	put := compile(t, &Target{}, "put { l: *Locker<!open>, parcel: string } -> *Locker<open!>", `l.parcels.push(parcel); return l`)
	for _, parcel := range []string{"boots", "hat"} {
		o, err := put.run(&eval.Call{Tor: put.tor, Args: []eval.Value{locker, eval.StringValue(parcel)}})
		if err != nil {
			t.Fatal(err)
		}
		if o.Payload != locker {
			t.Error("the handle came back as another one")
		}
	}
	list := compile(t, &Target{}, "list { l: *Locker<open> } -> []string", `return [String(l.id), ...l.parcels]`)
	o, err = list.run(&eval.Call{Tor: list.tor, Args: []eval.Value{locker}})
	if got, want := list.show(o, err), `{"branch":"","value":["7","boots","hat"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if again, _ := open.call(t, "7"); again.Payload.Equal(locker) {
		t.Error("two minted objects are the same handle")
	}
	text := compile(t, &Target{}, "open {} -> *Note<open!>", `return "a note"`)
	o, err = text.call(t, "")
	if err != nil {
		t.Fatal(err)
	}
	read := compile(t, &Target{}, "read { n: *Note<open> } -> string", `return n.value`)
	if got := read.show(read.run(&eval.Call{Tor: read.tor, Args: []eval.Value{o.Payload}})); got != `{"branch":"","value":"a note"}` {
		t.Error(got)
	}
}

func TestClockAndChance(t *testing.T) {
	tor, proc := verb(t, "f {} -> { now: i64, year: i64 }", `return { now: Date.now(), year: new Date().getUTCFullYear() }`)
	run, err := (&Target{}).Compile(tor, proc)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC) }
	o, err := run(&eval.Call{Tor: tor, Host: &eval.Host{Now: now}})
	if got := string(eval.AppendOutcomeJSON(nil, o)); err != nil || got != `{"branch":"","value":{"now":1790812800000,"year":2026}}` {
		t.Errorf("%s, %v", got, err)
	}
	draw := func(target *Target) string {
		s := compile(t, target, "f {} -> []f64", `return [Math.random(), Math.random()]`)
		return s.show(s.call(t, "")) + s.show(s.call(t, ""))
	}
	if a, b := draw(&Target{}), draw(&Target{}); a != b {
		t.Errorf("two targets draw different numbers:\n%s\n%s", a, b)
	}
	half := func() float64 { return 0.5 }
	if got := draw(&Target{Random: half}); strings.Count(got, "0.5") != 4 {
		t.Error(got)
	}
}

func BenchmarkCompile(b *testing.B) {
	tor, proc := verb(b, "price { sku: string }\n| priced i64\n| unknown", `
    const t = { pen: 3, desk: 240 };
    return sku in t ? { priced: t[sku] } : { unknown: null };`)
	target := &Target{}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := target.Compile(tor, proc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	s := compile(b, &Target{}, "price { sku: string }\n| priced i64\n| unknown", `
    const t = { pen: 3, desk: 240 };
    return sku in t ? { priced: t[sku] } : { unknown: null };`)
	c := &eval.Call{Context: b.Context(), Tor: s.tor, Args: []eval.Value{eval.StringValue("pen")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.run(c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewEngine(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newEngine()
	}
}
