package zig_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/eval/zig"
	"github.com/koru-go/koru/syntax"
)

// declared returns the tor that a contract declares.
func declared(t testing.TB, contract string) *check.Tor {
	t.Helper()
	f := &check.File{Syntax: syntax.Parse("a.k", syntax.Pure, contract)}
	m := &check.Module{Files: []*check.File{f}}
	tor := m.DeclareTor(f, f.Syntax.Item(0))
	if tor == nil {
		t.Fatalf("no tor in %q", contract)
	}
	return tor
}

func compile(t testing.TB, contract, body string) (eval.Func, *check.Tor, error) {
	tor := declared(t, contract)
	run, err := (&zig.Target{Others: "js"}).Compile(tor, &check.Proc{Name: tor.Name, Targets: []string{"zig"}, Body: body})
	return run, tor, err
}

// show renders an outcome as its JSON.
func show(o eval.Outcome) string { return string(eval.AppendOutcomeJSON(nil, o)) }

// What bodies return, by construct.
func TestBodies(t *testing.T) {
	const answer = "tor f {} -> i64"
	for _, tt := range []struct {
		name, contract, body string
		args                 []eval.Value
		want                 string
	}{
		{"the script of a model", "tor model { n: u32 } -> string", `
    const turns = [_][]const u8{
        "dir(path: \"sandbox\")\n| opened d |>",
        "close(d: r1)",
    };
    return turns[n - 1];`, []eval.Value{eval.IntValue(2)}, `{"branch":"","value":"close(d: r1)"}`},
		{"arithmetic", answer, `return 2 + 3 * 4 - 10 / 3 % 2;`, nil, `{"branch":"","value":13}`},
		{"division truncates", answer, `return -7 / 2;`, nil, `{"branch":"","value":-3}`},
		{"rest takes the sign of the dividend", answer, `return -7 % 3;`, nil, `{"branch":"","value":-1}`},
		{"mod takes the sign of the divisor", answer, `return @mod(-7, 3);`, nil, `{"branch":"","value":2}`},
		{"min and max", answer, `return @min(3, 2) + @max(3, 2);`, nil, `{"branch":"","value":5}`},
		{"bases and separators", answer, `return 0xFF + 0b11 + 0o7 + 1_000;`, nil, `{"branch":"","value":1265}`},
		{"floats", "tor f {} -> f64", `const x: f64 = 3; return x / 2 + 0.25;`, nil, `{"branch":"","value":1.75}`},
		{"bools", "tor f { a: bool } -> bool", `return !a or (a and 1 < 2);`, []eval.Value{eval.BoolValue(true)}, `{"branch":"","value":true}`},
		{"characters are numbers", answer, `return 'a' + '\n';`, nil, `{"branch":"","value":107}`},
		{"text", "tor f { s: string } -> string", `return s ++ "-" ++ s[1..] ++ s[0..1];`, []eval.Value{eval.StringValue("abc")}, `{"branch":"","value":"abc-bca"}`},
		{"lines", "tor f {} -> string", "return\n\\\\one {\n\\\\two\n;", nil, `{"branch":"","value":"one {\ntwo"}`},
		{"comparing text", "tor f { s: string } -> bool", `return std.mem.eql(u8, s, "ab") and std.mem.startsWith(u8, s, "a") and std.mem.endsWith(u8, s, "b");`, []eval.Value{eval.StringValue("ab")}, `{"branch":"","value":true}`},
		{"finding text", answer, `return @as(i64, @intCast(std.mem.indexOf(u8, "hello", "l") orelse 99));`, nil, `{"branch":"","value":2}`},
		{"finding nothing", answer, `return std.mem.indexOf(u8, "hello", "z") orelse 99;`, nil, `{"branch":"","value":99}`},
		{"a loop", answer, `var i: u32 = 0; var sum: u32 = 0; while (i < 5) : (i += 1) { if (i == 3) continue; sum += i; } return sum;`, nil, `{"branch":"","value":7}`},
		{"a loop that breaks", answer, `var i: u8 = 0; while (true) { i += 1; if (i > 9) break; } return i;`, nil, `{"branch":"","value":10}`},
		{"over a slice with an index", answer, `var sum: usize = 0; for ([_]u8{ 5, 6, 7 }, 0..) |x, i| { sum += x * i; } return sum;`, nil, `{"branch":"","value":20}`},
		{"over a range", answer, `var n: usize = 0; for (2..5) |i| n += i; return n;`, nil, `{"branch":"","value":9}`},
		{"a switch that gives a value", "tor f { n: i64 } -> string", `return switch (n) { 1, 2 => "few", 3...9 => "some", else => "many" };`, []eval.Value{eval.IntValue(5)}, `{"branch":"","value":"some"}`},
		{"a switch that leaves", "tor f { n: i64 } -> string", `switch (n) { 1 => return "one", else => {} } return "other";`, []eval.Value{eval.IntValue(1)}, `{"branch":"","value":"one"}`},
		{"an if that gives a value", answer, `const x: i64 = if (1 < 2) 10 else 20; return x;`, nil, `{"branch":"","value":10}`},
		{"an optional captured", "tor f { s: ?string } -> i64", `if (s) |text| { return text.len; } else { return 0; }`, []eval.Value{eval.StringValue("abc")}, `{"branch":"","value":3}`},
		{"an optional absent", "tor f { s: ?string } -> i64", `const text = s orelse return 7; return text.len;`, []eval.Value{eval.NullValue()}, `{"branch":"","value":7}`},
		{"an array that is written", answer, `var a = [_]i64{ 1, 2, 3 }; a[1] = 20; a[2] += 1; return a[0] + a[1] + a[2];`, nil, `{"branch":"","value":25}`},
		{"arrays are copied, slices are not", answer, `var a = [_]i64{ 1, 2 }; var b = a; const s = a[0..]; a[0] = 9; return b[0] * 10 + s[0];`, nil, `{"branch":"","value":19}`},
		{"a buffer", "tor f { n: i64 } -> string", `var buf: [32]u8 = undefined; const s = std.fmt.bufPrint(&buf, "{s}={d} {{{}}}", .{ "n", n, true }) catch unreachable; return s;`, []eval.Value{eval.IntValue(4)}, `{"branch":"","value":"n=4 {true}"}`},
		{"allocated text", "tor f {} -> string", `return try std.fmt.allocPrint(std.heap.page_allocator, "{d}", .{1.5});`, nil, `{"branch":"","value":"1.5"}`},
		{"an outcome with a payload", "tor f {}\n| found string\n| sold-out", `return .{ .found = "x" };`, nil, `{"branch":"found","value":"x"}`},
		{"an outcome without one", "tor f {}\n| found string\n| sold-out", `return .sold_out;`, nil, `{"branch":"sold-out"}`},
		{"a record", "tor f {}\n| at { row: i64, shelf: string }\n| gone", `return .{ .at = .{ .shelf = "a", .row = 3 } };`, nil, `{"branch":"at","value":{"row":3,"shelf":"a"}}`},
		{"a list", "tor f {} -> []string", `return &.{ "a", "b" };`, nil, `{"branch":"","value":["a","b"]}`},
		{"nothing", "tor f {}", `_ = 1;`, nil, `{"branch":""}`},
		{"catch with a value", "tor f {} -> string", `var b: [1]u8 = undefined; return std.fmt.bufPrint(&b, "{s}", .{"long"}) catch "too long";`, nil, `{"branch":"","value":"too long"}`},
		{"catch that leaves", "tor f {}\n| ok string\n| failed", `var b: [1]u8 = undefined; const s = std.fmt.bufPrint(&b, "{s}", .{"long"}) catch return .failed; return .{ .ok = s };`, nil, `{"branch":"failed"}`},
		{"a typed array from an anonymous one", answer, `const a: [3]i64 = .{ 1, 2, 3 }; return a[2] + a.len;`, nil, `{"branch":"","value":6}`},
		{"a tuple", answer, `const a = .{ 1, 2 }; return a[1] + a.len;`, nil, `{"branch":"","value":4}`},
		{"compared with null", "tor f { s: ?string } -> bool", `return s == null;`, []eval.Value{eval.NullValue()}, `{"branch":"","value":true}`},
		{"a field of a record", "tor f { r: { a: u8, b: ?string } } -> string", `return r.b orelse "none";`, []eval.Value{eval.RecordValue(eval.NewShape("a", "b"), eval.IntValue(1), eval.StringValue("x"))}, `{"branch":"","value":"x"}`},
		{"records of a list", "tor f { rs: []{ a: u8, n: i64 } } -> i64", `var sum: i64 = 0; for (rs) |r| sum += r.n; return sum;`, []eval.Value{eval.ListValue([]eval.Value{eval.RecordValue(eval.NewShape("a", "n"), eval.IntValue(1), eval.IntValue(40)), eval.RecordValue(eval.NewShape("a", "n"), eval.IntValue(1), eval.IntValue(2))})}, `{"branch":"","value":42}`},
		{"a choice", `tor f {} -> "basic_economy" | "business-class"`, `return .business_class;`, nil, `{"branch":"","value":"business-class"}`},
		{"a float variable", "tor f {} -> f64", `var x = 1.5; x = 2; return x / 4;`, nil, `{"branch":"","value":0.5}`},
		{"wide integers", "tor f {} -> u128", `const x: u128 = 18446744073709551615; return x * x;`, nil, `{"branch":"","value":340282366920938463426481119284349108225}`},
		{"a handle passes through", "tor f { d: *Dir } -> *Dir", `return d;`, []eval.Value{eval.HandleValue("h:Dir:1", nil)}, `{"branch":"","value":"h:Dir:1"}`},
		{"lists of text", answer, `const a = [_][]const u8{ "x", "y" }; var n: i64 = 0; for (a) |s| { if (std.mem.eql(u8, s, "y")) n += 1; } return n;`, nil, `{"branch":"","value":1}`},
		{"finding in an array", answer, `return std.mem.indexOf(i64, &[_]i64{ 1, 2, 3 }, &[_]i64{ 2, 3 }) orelse 9;`, nil, `{"branch":"","value":1}`},
		{"joining arrays", "tor f {} -> []i64", `const a = [_]i64{ 1 } ++ [_]i64{ 2 }; return &a;`, nil, `{"branch":"","value":[1,2]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run, tor, err := compile(t, tt.contract, tt.body)
			if err != nil {
				t.Fatal(err)
			}
			out, err := run(&eval.Call{Context: context.Background(), Tor: tor, Args: tt.args})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, show(out)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// What is refused before anything runs, with its place.
func TestBeyondTheSubset(t *testing.T) {
	for _, tt := range []struct{ name, body, at, want string }{
		{"a function of the host", `return takeFree(size);`, "takeFree", "'takeFree' is a function that is not known here"},
		{"an unknown function of std", `const x = std.mem.zeroes(u8); return x;`, "std", "'std.mem.zeroes' is beyond the Zig that is evaluated here"},
		{"defer", `defer free(); return 1;`, "defer", "'defer' is beyond"},
		{"a struct", `const T = struct { a: i64 }; return 1;`, "struct", "a struct declaration is beyond"},
		{"a builtin", `return @sqrt(2);`, "@sqrt", "'@sqrt' is beyond"},
		{"a wrapping operator", `return 1 +% 2;`, "+%", "the operator '+%' is beyond"},
		{"a method", `const a = 1; a.b();`, "();", "a call of anything but the named functions is beyond"},
		{"an unknown name", `return size;`, "size", "'size' is no input of 'f' and no variable"},
		{"a constant assigned", `const a = 1; a = 2; return a;`, "a = 2", "cannot be assigned to"},
		{"an input assigned", `n = 2; return n;`, "n = 2", "cannot be assigned to"},
		{"declared twice", `const a = 1; const a = 2; return a;`, "const a = 2", "'a' is declared already"},
		{"no semicolon", `return 1`, "", "expected ';', found the end of the body"},
		{"an unclosed string", "return \"abc\n;", `"abc`, "this string has no closing quote"},
		{"an unknown name of the module", `return $mod.limit;`, "$mod", "'$mod.limit' is no literal or array"},
		{"break outside a loop", `break; return 1;`, "break", "'break' outside a loop"},
		{"too deep", "return " + strings.Repeat("(", 1000) + "1;", "", "nested too deeply"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := compile(t, "tor f { n: i64 } -> i64", tt.body)
			var fault *eval.BodyError
			if !errors.As(err, &fault) {
				t.Fatalf("error %v, want an *eval.BodyError", err)
			}
			if !strings.Contains(fault.Message, tt.want) {
				t.Errorf("message %q, want %q in it", fault.Message, tt.want)
			}
			if tt.at != "" && fault.Offset != strings.Index(tt.body, tt.at) {
				t.Errorf("offset %d, want that of %q, %d", fault.Offset, tt.at, strings.Index(tt.body, tt.at))
			}
		})
	}
}

// What fails while it runs, with its place.
func TestFaults(t *testing.T) {
	for _, tt := range []struct{ name, contract, body, at, want string }{
		{"overflow", "tor f { n: u8 } -> u8", "\nreturn n + 250;", "+ 250", "computed 6 + 250, which is out of range of u8"},
		{"below zero", "tor f { n: u8 } -> u8", "return n - 10;", "- 10", "computed 6 - 10, which is out of range of u8"},
		{"overflow of a field", "tor f { n: u8, r: { a: u8, b: u8 } } -> u8", "return r.a * 2;", "* 2", "computed 200 * 2, which is out of range of u8"},
		{"overflow of a variable that starts undefined", "tor f { n: u8 } -> u8", "var x: u8 = undefined; x = 300; return x;", "x = 300", "has 300, which is out of range of u8"},
		{"a variable without a value", "tor f { n: u8 } -> u8", "var x: u8 = undefined; return x;", "x;", "read a variable that has no value yet"},
		{"an element without a value", "tor f { n: u8 } -> i64", "var x: [3]i64 = undefined; x[1] = 5; return x[2];", "[2]", "read an element that has no value yet"},
		{"division by zero", "tor f { n: u8 } -> u8", "return n / (n - n);", "/ (", "division by zero"},
		{"index", "tor f { n: u8 } -> u8", "const a = [_]u8{ 1, 2 }; return a[n];", "n];", "used index 6 out of bounds: the length is 2"},
		{"slice", "tor f { n: u8 } -> string", "return \"abc\"[2..n];", "[2..", "took the slice 2..6 out of bounds: the length is 3"},
		{"unreachable", "tor f { n: u8 } -> u8", "if (n == 6) unreachable; return n;", "unreachable", "reached unreachable code"},
		{"panic", "tor f { n: u8 } -> u8", "@panic(\"no way\");", "@panic", "panicked: no way"},
		{"null unwrapped", "tor f { n: u8 } -> u8", "const x = std.mem.indexOf(u8, \"a\", \"b\"); return x.?;", ".?", "unwrapped a null"},
		{"a cast", "tor f { n: u8 } -> u8", "return @as(u8, 300);", "@as", "has 300, which is out of range of u8"},
		{"a narrowing cast", "tor f { n: u8 } -> u8", "const big: i64 = 999; const x: u8 = @intCast(big); return x;", "const x", "has 999, which is out of range of u8"},
		{"a condition", "tor f { n: u8 } -> u8", "if (n) return 1; return 2;", "n)", "has 6 where a bool is wanted"},
		{"a declared type", "tor f { n: u8 } -> u8", "const s: []const u8 = 5; return s.len;", "const s", "has 5, but the declared type wants []u8"},
		{"a declared length", "tor f { n: u8 } -> u8", "const a: [3]u8 = .{ 1, 2 }; return a[0];", "const a", "has 2 elements, but the type says 3"},
		{"values of different kinds compared", "tor f { n: u8 } -> bool", "return n == \"6\";", "==", "compared 6 with \"6\""},
		{"slices compared", "tor f { n: u8 } -> bool", "return \"a\" == \"a\";", "==", "compared slices with ==, which std.mem.eql does"},
		{"a small buffer", "tor f { n: u8 } -> string", "var b: [2]u8 = undefined; return try std.fmt.bufPrint(&b, \"{d}{d}\", .{ n, 100 });", "try", "returned error.NoSpaceLeft"},
		{"an error nobody catches", "tor f { n: u8 } -> string", "var b: [2]u8 = undefined; return std.fmt.bufPrint(&b, \"{d}{d}\", .{ n, 100 });", "std", "left error.NoSpaceLeft without try or catch"},
		{"catch unreachable", "tor f { n: u8 } -> string", "var b: [2]u8 = undefined; return std.fmt.bufPrint(&b, \"{d}{d}\", .{ n, 100 }) catch unreachable;", "unreachable", "reached unreachable code"},
		{"a bad format", "tor f { n: u8 } -> string", "return try std.fmt.allocPrint(std.heap.page_allocator, \"{x}\", .{n});", "std", "has the format {x}: {s}, {d} and {} are evaluated here"},
		{"too few values for a format", "tor f { n: u8 }", "std.debug.print(\"{d} {d}\", .{n});", "std", "has a format for more than 1 values"},
		{"too many values for a format", "tor f { n: u8 }", "std.debug.print(\"{d}\", .{ n, n });", "std", "has a format for 1 of 2 values"},
		{"no return", "tor f { n: u8 } -> u8", "_ = n;", "_ = n;", "ended without a return"},
		{"an undeclared outcome", "tor f { n: u8 }\n| a\n| b", "_ = n; return .c;", "return", "returned 'c', which is not an outcome of 'f' — declared: a, b"},
		{"a payload nobody declared", "tor f { n: u8 }\n| a\n| b", "return .{ .a = 1 };", "return", "returned a payload for 'a', which carries none: return .a"},
		{"a missing payload", "tor f { n: u8 }\n| a i64\n| b", "return .a;", "return", "returned the bare name of 'a', which carries i64"},
		{"a value where outcomes are declared", "tor f { n: u8 }\n| a i64\n| b", "return n;", "return", "returned 6, expected .{ .outcome = payload } or .outcome with one of: a, b"},
		{"a misfit", "tor f { n: u8 } -> string", "return n;", "return", "returned a value that does not fit: wants string, got 6"},
		{"a name where text is declared", "tor f { n: u8 } -> string", "return .text;", "return", "returned a value that does not fit: wants string, got .text"},
		{"a payload that does not fit", "tor f { n: u8 }\n| a { x: i64, y: string }\n| b", "return .{ .a = .{ .x = 1, .y = 2 } };", "return", "returned 'a' with a payload that does not fit: 'y' wants string, got 2"},
		{"a value from a void verb", "tor f { n: u8 }", "return n;", "return", "returned 6, but 'f' declares neither a value nor an outcome"},
		{"a constant changed", "tor f { n: u8 } -> string", "var s: []const u8 = \"abc\"; s[0] = 'x'; return s;", "[0]", "assigned to an element of a constant"},
		{"a constant as a buffer", "tor f { n: u8 } -> string", "return try std.fmt.bufPrint(\"abc\", \"{d}\", .{n});", "std", "printed into a constant"},
		{"an endless loop", "tor f { n: u8 } -> u8", "while (true) {} return n;", "", "took more than 50000000 steps and was stopped"},
		{"text that grows", "tor f { n: u8 } -> string", "var s: []const u8 = \"ab\"; while (true) s = s ++ s; return s;", "++", "made a text longer than 16777216 bytes"},
		{"long copies", "tor f { n: u8 } -> u8", "var s: []const u8 = \"ab\"; var i: u8 = 0; while (i < 20) : (i += 1) s = s ++ s; while (true) { _ = s ++ s; } return n;", "", "took more than 50000000 steps and was stopped"},
		{"long comparisons", "tor f { n: u8 } -> u8", "var s: []const u8 = \"ab\"; var i: u8 = 0; while (i < 20) : (i += 1) s = s ++ s; while (true) { _ = std.mem.eql(u8, s, s); } return n;", "", "took more than 50000000 steps and was stopped"},
		{"arrays of arrays", "tor f { n: u8 } -> u8", "const row: [1000][1000]i64 = undefined; var all: [1000][1000][1000]i64 = undefined; all[0] = row; return n;", "", "took more than 50000000 steps and was stopped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run, tor, err := compile(t, tt.contract, tt.body)
			if err != nil {
				t.Fatal(err)
			}
			args := []eval.Value{eval.IntValue(6), eval.RecordValue(eval.NewShape("a", "b"), eval.IntValue(200), eval.IntValue(1))}
			_, err = run(&eval.Call{Context: context.Background(), Tor: tor, Args: args})
			var fault *eval.BodyError
			if !errors.As(err, &fault) || !strings.Contains(fault.Message, tt.want) {
				t.Fatalf("error %v, want %q in it", err, tt.want)
			}
			if at := tt.body[fault.Offset:]; !strings.HasPrefix(at, tt.at) {
				t.Errorf("the error is at %q, want %q", at, tt.at)
			}
		})
	}
}

// What one call changes is its own: literals, inputs and constants of the
// module are the same in the next one.
func TestCallsShareNothing(t *testing.T) {
	file := &check.File{Syntax: syntax.Parse("a.kz", syntax.Zig, "const table = [_]i64{ 1, 2 };\n\n~tor g {}\n")}
	tor := declared(t, "tor g { in: []i64 } -> []i64")
	run, err := (&zig.Target{}).Compile(tor, &check.Proc{File: file, Body: `
		var a = [_]i64{ 1, 2 };
		a[0] += 10;
		var b = $mod.table;
		b[0] += 10;
		var c = .{ .x = 1 };
		var d = c;
		d.x += 10;
		return &.{ a[0], b[0], c.x, d.x, in[0] };`})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out, err := run(&eval.Call{Context: context.Background(), Tor: tor, Args: []eval.Value{eval.ListValue([]eval.Value{eval.IntValue(7)})}})
		if err != nil {
			t.Fatal(err)
		}
		if got := show(out); got != `{"branch":"","value":[11,11,1,11,7]}` {
			t.Error(got)
		}
	}
	for _, body := range []string{`var t = $mod.table[0..]; t[0] = 9; return t;`, `var t = in; t[0] = 9; return t;`} {
		run, err := (&zig.Target{}).Compile(tor, &check.Proc{File: file, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		_, err = run(&eval.Call{Context: context.Background(), Tor: tor, Args: []eval.Value{eval.ListValue([]eval.Value{eval.IntValue(7)})}})
		if err == nil || !strings.Contains(err.Error(), "assigned to an element of a constant") {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestLongSources(t *testing.T) {
	_, _, err := compile(t, "tor f {} -> i64", strings.Repeat(" ", 65537))
	if err == nil || err.Error() != "the |zig body is longer than 65536 bytes" {
		t.Errorf("error %v", err)
	}
	for _, unit := range []string{"1+", "a.b", "!", "-", "[", "(", "if(a)", "a orelse ", "a and ", ".{", ".{.a=", "switch(a){1=>", "@as(u8,", "?", "[_]u8{", "x[0]"} {
		run, tor, err := compile(t, "tor f { a: i64 } -> i64", "return "+strings.Repeat(unit, 65000/len(unit)))
		if err == nil {
			t.Errorf("%q compiles to %v of %s", unit, run, tor.Name)
		}
	}
	run, tor, err := compile(t, "tor f {} -> i64", "return 0"+strings.Repeat("+1", 30000)+";")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run(&eval.Call{Tor: tor}); err != nil || show(out) != `{"branch":"","value":30000}` {
		t.Errorf("%s, %v", show(out), err)
	}
}

func TestCancel(t *testing.T) {
	run, tor, err := compile(t, "tor f {}", "while (true) {}")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := run(&eval.Call{Context: ctx, Tor: tor}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestDebugPrint(t *testing.T) {
	run, tor, err := compile(t, "tor f { n: i64 }", `std.debug.print("n is {d}\n", .{n});`)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	call := &eval.Call{Context: context.Background(), Tor: tor, Args: []eval.Value{eval.IntValue(3)}, Host: &eval.Host{Stderr: &stderr}}
	if _, err := run(call); err != nil {
		t.Fatal(err)
	}
	if stderr.String() != "n is 3\n" {
		t.Errorf("printed %q", stderr.String())
	}
}

func TestModuleLiterals(t *testing.T) {
	file := &check.File{Syntax: syntax.Parse("a.kz", syntax.Zig, "// const limit: i64 = 10;\nfn x() void { const limit = 20; }\nconst s = \"const limit = 30;\";\npub const limit: i64 = 40;\nvar names = [_][]const u8{ \"a\", \"b\" };\nconst f = std.x.y;\n\n~tor g {}\n")}
	tor := declared(t, "tor g {} -> string")
	run, err := (&zig.Target{}).Compile(tor, &check.Proc{Body: `if ($mod.limit == 40) return $mod.names[1]; return "";`, File: file})
	if err != nil {
		t.Fatal(err)
	}
	out, err := run(&eval.Call{Context: context.Background(), Tor: tor})
	if err != nil {
		t.Fatal(err)
	}
	if got := show(out); got != `{"branch":"","value":"b"}` {
		t.Errorf("got %s", got)
	}
	if _, err := (&zig.Target{}).Compile(tor, &check.Proc{Body: `return $mod.f;`, File: file}); err == nil {
		t.Error("a declaration that is no literal was taken")
	}
}

// Effects are called by their snake names and answer.
func TestEffects(t *testing.T) {
	run, tor, err := compile(t, "tor f {}\n! each-word string -> string\n| done string", `return .{ .done = each_word("hi") ++ "!" };`)
	if err != nil {
		t.Fatal(err)
	}
	call := &eval.Call{Context: context.Background(), Tor: tor}
	call.OnEffect(func(effect int, payload eval.Value) (eval.Outcome, error) {
		return eval.Delivered("", eval.StringValue("<"+payload.Str()+">")), nil
	})
	out, err := run(call)
	if err != nil {
		t.Fatal(err)
	}
	if got := show(out); got != `{"branch":"done","value":"<hi>!"}` {
		t.Errorf("got %s", got)
	}
}

// An effect with named resume arms answers with one of them.
func TestResumeArms(t *testing.T) {
	contract := "tor f {} -> string\n! ask { q: string, n: i64 } | yes-please i64 | no"
	run, tor, err := compile(t, contract, `return switch (ask(.{ .n = 1, .q = "go?" })) {
		.yes_please => |n| if (n == 5) "five" else "other",
		.no => "no",
	};`)
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{"yes-please": "five", "no": "no"} {
		call := &eval.Call{Context: context.Background(), Tor: tor}
		call.OnEffect(func(effect int, payload eval.Value) (eval.Outcome, error) {
			if got := string(eval.AppendJSON(nil, payload)); got != `{"q":"go?","n":1}` {
				t.Errorf("fired with %s", got)
			}
			if answer == "no" {
				return eval.Fired(answer), nil
			}
			return eval.Delivered(answer, eval.IntValue(5)), nil
		})
		out, err := run(call)
		if got := show(out); err != nil || got != `{"branch":"","value":"`+want+`"}` {
			t.Errorf("%s: %s, %v", answer, got, err)
		}
	}
	stop := errors.New("the handler failed")
	call := &eval.Call{Context: context.Background(), Tor: tor}
	call.OnEffect(func(int, eval.Value) (eval.Outcome, error) { return eval.Outcome{}, stop })
	if _, err := run(call); err != stop {
		t.Errorf("error %v, want that of the handler", err)
	}
	for body, want := range map[string]string{
		`_ = ask(); return "";`:            "the effect 'ask' carries 1 values, got 0",
		`_ = ask(1, 2); return "";`:        "the effect 'ask' carries 1 values, got 2",
		`_ = ask(.{ .q = 1 }); return "";`: "fired 'ask' with a payload that does not fit: 'q' wants string, got 1",
	} {
		run, tor, err := compile(t, contract, body)
		if err == nil {
			_, err = run(&eval.Call{Context: context.Background(), Tor: tor})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", body, err, want)
		}
	}
}

func FuzzBody(f *testing.F) {
	for _, s := range []string{
		"return n;", "var a = [_]u8{1,2}; a[n] = 3; return a[0];", "while (true) : (n) {}",
		"return switch (n) { 1 => 2, else => n };", "for (0..n) |i| { _ = i; } return .{ .a = .b };",
		"const s = \"a\\x41\" ++ \\\\x\n; return s.len;", "if (n) |x| {} else return;", "return std.fmt.bufPrint(&n, \"{\", .{});",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		run, tor, err := compile(t, "tor f { n: u8 } -> i64", body)
		if err != nil {
			var fault *eval.BodyError
			if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(body) {
				t.Fatalf("error %#v outside the body", err)
			}
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // the first check of the context ends loops
		_, _ = run(&eval.Call{Context: ctx, Tor: tor, Args: []eval.Value{eval.IntValue(3)}})
	})
}

func BenchmarkBody(b *testing.B) {
	run, tor, err := compile(b, "tor model { n: u32 } -> string", `
    const turns = [_][]const u8{ "one", "two", "three" };
    return turns[n - 1];`)
	if err != nil {
		b.Fatal(err)
	}
	call := &eval.Call{Context: context.Background(), Tor: tor, Args: []eval.Value{eval.IntValue(2)}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := run(call); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := compile(b, "tor model { n: u32 } -> string", `
    const turns = [_][]const u8{ "one", "two", "three" };
    return turns[n - 1];`); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoop shows what a step costs: about ten of them a round.
func BenchmarkLoop(b *testing.B) {
	run, tor, err := compile(b, "tor f { n: i64 } -> i64", `
    var sum: i64 = 0;
    var i: i64 = 0;
    while (i < n) : (i += 1) sum += i * i % 7;
    return sum;`)
	if err != nil {
		b.Fatal(err)
	}
	call := &eval.Call{Context: context.Background(), Tor: tor, Args: []eval.Value{eval.IntValue(1000)}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := run(call); err != nil {
			b.Fatal(err)
		}
	}
}
