package stdlib

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/eval"
)

func TestTime(t *testing.T) {
	w := newWorld(t)
	w.expect("error: this host has no clock", "std/time:now")
	clock := time.Unix(0, 1_000_000_000)
	w.host.Now = func() time.Time { return clock }
	w.expect("1000000000", "std/time:now")
	start := field{"start", 1_000_000_000}
	clock = clock.Add(1500 * time.Microsecond)
	w.expect(`{"ns":1500000,"us":1500,"ms":1.5,"s":0.0015}`, "std/time:elapsed", start)
	w.expect("", "std/time:report", start, field{"label", "work"})
	if got := w.stderr.String(); got != "work: 1.50 ms\n" {
		t.Errorf("report printed %q", got)
	}
	// The type is i128: a moment no clock can show is still a number.
	far, _ := eval.Arith('*', eval.UintValue(1<<63), eval.IntValue(-4))
	w.expect(`{"ns":36893488148420603232,"us":36893488148420600,"ms":36893488148420.6,"s":36893488148.4206}`,
		"std/time:elapsed", field{"start", far})
}

func mint(w *world, text string) eval.Value {
	w.t.Helper()
	o, err := w.outcome("std/string:from-page", field{"text", text})
	if err != nil || o.Branch != "ok" {
		w.t.Fatalf("from-page ended in %s, %v", show(o), err)
	}
	return o.Payload
}

func TestStrings(t *testing.T) {
	w := newWorld(t)
	view := mint(w, "naïve")
	o, err := w.outcome("std/string:take", field{"s", view})
	if err != nil || o.Branch != "" || !o.Payload.Equal(view) {
		t.Fatalf("take ended in %s, %v: the instance must be the same object", show(o), err)
	}
	s := field{"s", o.Payload}
	w.expect("naïve", "std/string:read", s)
	w.expect("6", "std/string:len", s)
	w.expect("ok", "std/string:append", s, field{"text", "té"})
	w.expect("naïveté", "std/string:read", s)
	w.expect("", "std/string:pop-char", s)
	w.expect("naïvet", "std/string:read", s)
	w.expect("ok", "std/string:append-char", s, field{"ch", 0xc3})
	w.expect("ok", "std/string:append-char", s, field{"ch", 0xa9})
	w.expect("naïveté", "std/string:read", s)
	w.expect("err a character is a number from 0 to 255, got 256", "std/string:append-char", s, field{"ch", 256})
	w.expect("yes", "std/string:contains", s, field{"needle", "ïv"})
	w.expect("yes", "std/string:contains", s, field{"needle", ""})
	w.expect("no", "std/string:contains", s, field{"needle", "IV"})
	w.expect("found 4", "std/string:index-of", s, field{"needle", "v"})
	w.expect("not-found", "std/string:index-of", s, field{"needle", "x"})
	w.expect("", "std/string:clear", s)
	w.expect("0", "std/string:len", s)
	w.expect("", "std/string:pop-char", s)
	w.expect("", "std/string:read", s)
	w.expect("", "std/string:free", s)
	w.expect("error: 's' wants a String of std/string", "std/string:read", field{"s", "text"})
}

// What was read stays as it was when the String changes afterwards.
func TestWhatWasReadDoesNotChange(t *testing.T) {
	w := newWorld(t)
	s := field{"s", mint(w, "abc")}
	before, err := w.outcome("std/string:read", s)
	if err != nil {
		t.Fatal(err)
	}
	part, err := w.outcome("std/string:substring", s, field{"start", 0}, field{"end", 2})
	if err != nil {
		t.Fatal(err)
	}
	w.call("std/string:clear", s)
	w.call("std/string:append", s, field{"text", "xyz"})
	if got := before.Payload.Str(); got != "abc" {
		t.Errorf("the text that was read is now %q", got)
	}
	w.expect("ab", "std/string:read", field{"s", part.Payload})
}

func TestSubstring(t *testing.T) {
	w := newWorld(t)
	s := field{"s", mint(w, "hello")}
	for _, test := range []struct {
		start, end any
		want       string
	}{
		{0, 5, "hello"}, {1, 3, "el"}, {5, 5, ""}, {0, 0, ""},
		{3, 1, "err 3 to 1 is no part of a String of 5 bytes"},
		{0, 6, "err 0 to 6 is no part of a String of 5 bytes"},
		{eval.UintValue(1<<64 - 1), 5, "err 18446744073709551615 to 5 is no part of a String of 5 bytes"},
	} {
		o, err := w.outcome("std/string:substring", s, field{"start", test.start}, field{"end", test.end})
		if err != nil {
			t.Fatal(err)
		}
		got := show(o)
		if o.Branch == "ok" {
			got = w.call("std/string:read", field{"s", o.Payload})
		}
		if got != test.want {
			t.Errorf("substring %v to %v is %q, want %q", test.start, test.end, got, test.want)
		}
	}
}

func TestNumbersAndStrings(t *testing.T) {
	w := newWorld(t)
	for text, want := range map[string]string{
		"42":                   "ok 42",
		"-9223372036854775808": "ok -9223372036854775808",
		"+7":                   "ok 7",
		"9223372036854775808":  "err 9223372036854775808 does not fit 64 bits",
		"":                     `err "" is not a whole number`,
		" 1":                   `err " 1" is not a whole number`,
		"1_000":                `err "1_000" is not a whole number`,
		"4.0":                  `err "4.0" is not a whole number`,
	} {
		w.expect(want, "std/string:parse-int", field{"s", mint(w, text)})
	}
	o, err := w.outcome("std/string:from-int", field{"n", -42})
	if err != nil || o.Branch != "ok" {
		t.Fatalf("from-int ended in %s, %v", show(o), err)
	}
	w.expect("-42", "std/string:read", field{"s", o.Payload})
}

func TestSplit(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		text, sep string
		want      []string
	}{
		{"a,b,c", ",", []string{"a", "b", "c"}},
		{",a,,", ",", []string{"", "a", "", ""}},
		{"", ",", []string{""}},
		{"abc", "", []string{"abc"}},
		{"a--b-c", "--", []string{"a", "b-c"}},
	} {
		done := "done " + eval.Text(eval.IntValue(int64(len(test.want))))
		w.expect(done, "std/string:split", field{"s", test.text}, field{"sep", test.sep})
		if diff := cmp.Diff(test.want, w.fired); diff != "" {
			t.Errorf("split of %q at %q (-want +got):\n%s", test.text, test.sep, diff)
		}
	}
}

func TestAStringIsBounded(t *testing.T) {
	w := newWorld(t)
	s := field{"s", mint(w, strings.Repeat("x", MaxText-1))}
	w.expect("ok", "std/string:append-char", s, field{"ch", 'x'})
	w.expect("err a String holds at most 67108864 bytes", "std/string:append-char", s, field{"ch", 'x'})
	w.expect("err a String holds at most 67108864 bytes", "std/string:append", s, field{"text", "x"})
	w.expect("67108864", "std/string:len", s)
}

func TestJSONGet(t *testing.T) {
	w := newWorld(t)
	const text = `{ "url" : "https:\/\/x", "n": -3, "big": 9223372036854775808, "f": 1.5, "o": {"url": 1}, "q\"": "k" }`
	for _, test := range []struct{ verb, key, want string }{
		{"get.string", "url", "ok https://x"},
		{"get.string", `q"`, "ok k"},
		{"get.string", "n", "not-found"},
		{"get.string", "none", "not-found"},
		{"get.int", "n", "ok -3"},
		{"get.int", "big", "not-found"},
		{"get.int", "f", "not-found"},
		{"get.int", "o", "not-found"},
	} {
		w.expect(test.want, "std/json:"+test.verb, field{"json", text}, field{"key", test.key})
	}
	for _, broken := range []string{"", "[1]", `"url"`, `{"url": "x"`, "{'url': 'x'}"} {
		w.expect("not-found", "std/json:get.string", field{"json", broken}, field{"key", "url"})
	}
}

// begin starts a builder and returns the handle that each step hands on.
func begin(w *world, verb string) eval.Value {
	w.t.Helper()
	o, err := w.outcome(verb)
	if err != nil {
		w.t.Fatal(err)
	}
	return o.Payload
}

func TestJSONBuilders(t *testing.T) {
	w := newWorld(t)
	obj := begin(w, "std/json:object.new")
	set := func(key string, v any) {
		t.Helper()
		o, err := w.outcome("std/json:object.set", field{"obj", obj}, field{"key", key}, field{"value", v})
		if err != nil || !o.Payload.Equal(obj) {
			t.Fatalf("set ended in %s, %v: the builder must be handed back", show(o), err)
		}
	}
	set("name", `say "hi"`)
	set("n", 1)
	set("f", 2.0)
	set("on", true)
	set("none", nil)
	set("list", eval.ListValue([]eval.Value{eval.IntValue(1), eval.StringValue("a")}))
	set("n", 2)
	w.expect(`{"name":"say \"hi\"","n":2,"f":2,"on":true,"none":null,"list":[1,"a"]}`, "std/json:object.finish", field{"obj", obj})
	w.expect("{}", "std/json:object.finish", field{"obj", begin(w, "std/json:object.new")})

	arr := begin(w, "std/json:array.new")
	w.expect("[]", "std/json:array.finish", field{"arr", arr})
	w.call("std/json:array.push", field{"arr", arr}, field{"value", "a"})
	w.call("std/json:array.push", field{"arr", arr}, field{"value", 7})
	w.expect(`["a",7]`, "std/json:array.finish", field{"arr", arr})
	w.expect("error: 'obj' wants an object that object.new began", "std/json:object.set", field{"obj", arr}, field{"key", "k"}, field{"value", 1})
	w.expect("error: 'arr' wants an array that array.new began", "std/json:array.push", field{"arr", obj}, field{"value", 1})
}

// Forty doublings of one list are small to hold and a terabyte to write.
func TestJSONTextIsWeighedFirst(t *testing.T) {
	w := newWorld(t)
	v := eval.StringValue("x")
	for range 40 {
		v = eval.ListValue([]eval.Value{v, v})
	}
	arr := begin(w, "std/json:array.new")
	w.call("std/json:array.push", field{"arr", arr}, field{"value", v})
	w.expect("error: the JSON text would be longer than 67108864 bytes", "std/json:array.finish", field{"arr", arr})
	w.expect(`failed {"expected":"1","actual":"a list of 2"}`, "std/testing:assert.eq", field{"expected", 1}, field{"actual", v})
}

func TestLists(t *testing.T) {
	w := newWorld(t)
	o, err := w.outcome("std/list:new", field{"expr", "i64"})
	if err != nil || o.Branch != "list" {
		t.Fatalf("new ended in %s, %v", show(o), err)
	}
	xs := field{"xs", o.Payload}
	w.expect("empty", "std/list:pop", xs)
	for _, n := range []int{10, 20, 30} {
		w.expect("", "std/list:push", xs, field{"v", n})
	}
	w.expect("3", "std/list:len", xs)
	w.expect("item 20", "std/list:get", xs, field{"i", 1})
	w.expect("out-of-bounds", "std/list:get", xs, field{"i", 3})
	w.expect("item 30", "std/list:pop", xs)
	w.expect("2", "std/list:len", xs)
	w.expect(`error: 'v' wants i64, got "a"`, "std/list:push", xs, field{"v", "a"})
	w.expect("2", "std/list:len", xs)
	w.expect("", "std/list:free", xs)
	w.expect("error: 'xs' wants a list of std/list", "std/list:len", field{"xs", "text"})
}

func TestElementTypes(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		elem  string
		value any
		ok    bool
	}{
		{"u8", 255, true}, {"u8", 256, false}, {"i8", -129, false}, {"usize", -1, false},
		{"u128", eval.UintValue(1<<64 - 1), true},
		{"f64", 1.5, true}, {"f64", 1, true}, {"f32", "x", false},
		{"bool", true, true}, {"bool", 1, false},
		{"string", "x", true}, {"string", 1, false},
		{"app/car:Engine", "anything", true}, {"i7", "a host type", true},
	} {
		o, err := w.outcome("std/list:new", field{"expr", " " + test.elem + " "})
		if err != nil || o.Branch != "list" {
			t.Fatalf("new(%s) ended in %s, %v", test.elem, show(o), err)
		}
		got := w.call("std/list:push", field{"xs", o.Payload}, field{"v", test.value})
		if ok := !strings.HasPrefix(got, "error"); ok != test.ok {
			t.Errorf("a list of %s and the value %v: %q", test.elem, test.value, got)
		}
	}
	w.expect("err a list needs the type of its elements, as in new(i64)", "std/list:new", field{"expr", " "})
}

func TestAsserts(t *testing.T) {
	w := newWorld(t)
	w.expect("", "std/testing:assert", field{"expr", true})
	w.expect("error: the condition does not hold", "std/testing:assert", field{"expr", false})
	w.expect("error: assert wants a condition, got 3", "std/testing:assert", field{"expr", 3})
	w.expect("", "std/testing:assert.ok")
	w.expect("error: this place must not be reached", "std/testing:assert.fail", field{"message", nil})
	w.expect("error: sold out twice", "std/testing:assert.fail", field{"message", "sold out twice"})
	w.expect("ok", "std/testing:assert.eq", field{"expected", 2}, field{"actual", 2.0})
	w.expect(`failed {"expected":"1","actual":"\"1\""}`, "std/testing:assert.eq", field{"expected", 1}, field{"actual", "1"})
	w.expect("ok", "std/testing:assert.contains", field{"haystack", "abc"}, field{"needle", "b"})
	w.expect(`failed {"expected":"\"x\"","actual":"\"abc\""}`, "std/testing:assert.contains", field{"haystack", "abc"}, field{"needle", "x"})
}

func TestFormattedText(t *testing.T) {
	w := newWorld(t)
	w.expect(`{"text":"a line"}`, "std/fmt:ln", field{"expr", "a line"})
	w.expect(`{"text":"a\nblock"}`, "std/fmt:blk", field{"source", "a\nblock"})
	w.expect("", "std/void:placeholder")
}
