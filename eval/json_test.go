package eval

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAppendJSON(t *testing.T) {
	tests := []struct {
		name string
		v    Value
		want string
	}{
		{"null", NullValue(), `null`},
		{"booleans", ListValue([]Value{BoolValue(true), BoolValue(false)}), `[true,false]`},
		{"integers", ListValue([]Value{IntValue(-7), UintValue(math.MaxUint64)}), `[-7,18446744073709551615]`},
		{"integral floats lose .0", FloatValue(240), `240`},
		{"floats are as short as they can be", FloatValue(0.1), `0.1`},
		{"floats have no exponent", FloatValue(1e21), `1000000000000000000000`},
		{"small floats have none either", FloatValue(1.5e-9), `0.0000000015`},
		{"floats that are no numbers", ListValue([]Value{FloatValue(math.NaN()), FloatValue(math.Inf(1)), FloatValue(math.Inf(-1))}), `["NaN","Infinity","-Infinity"]`},
		{"escapes", StringValue("a\"b\\c\nd\re\tf"), `"a\"b\\c\nd\re\tf"`},
		{"control bytes", StringValue("\x00\x1f\x7f\b\f"), "\"\\u0000\\u001f\x7f\\u0008\\u000c\""},
		{"nothing else is escaped", StringValue("a|>b </p> & ümlaut 日本 \u2028 😀"), "\"a|>b </p> & ümlaut 日本 \u2028 😀\""},
		{"broken UTF-8", StringValue("a\xffb\xe4\xbdc"), "\"a\uFFFDb\uFFFD\uFFFDc\""},
		{"a real U+FFFD stays", StringValue("\uFFFD"), "\"\uFFFD\""},
		{"empty", ListValue([]Value{ListValue(nil), RecordValue(NewShape()), StringValue("")}), `[[],{},""]`},
		{"fields keep their order", record("ba", IntValue(1), record("z", NullValue())), `{"b":1,"a":{"z":null}}`},
		{"handles print as their token", HandleValue("h:Dir:737eec", nil), `"h:Dir:737eec"`},
		{"host values", OpaqueValue(1), `"<host value>"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := AppendJSON(nil, tt.v)
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("AppendJSON (-want +got):\n%s", diff)
			}
			if !json.Valid(got) {
				t.Errorf("encoding/json does not accept %s", got)
			}
		})
	}
}

func TestAppendJSONOfADeepValue(t *testing.T) {
	const depth = 200_000
	v := NullValue()
	for range depth {
		v = ListValue([]Value{v})
	}
	if got := len(AppendJSON(nil, v)); got != 2*depth+4 {
		t.Errorf("%d bytes, want %d", got, 2*depth+4)
	}
}

func TestAppendOutcomeJSON(t *testing.T) {
	tests := []struct {
		o    Outcome
		want string
	}{
		{Fired(""), `{"branch":""}`},
		{Fired("written"), `{"branch":"written"}`},
		{Delivered("entries", ListValue([]Value{StringValue("hello.txt")})), `{"branch":"entries","value":["hello.txt"]}`},
		{Delivered("", IntValue(3)), `{"branch":"","value":3}`},
		{Delivered("none", NullValue()), `{"branch":"none","value":null}`},
		{Delivered("dear", RecordValue(NewShape("sku", "cost"), StringValue("desk"), IntValue(240))), `{"branch":"dear","value":{"sku":"desk","cost":240}}`},
	}
	for _, tt := range tests {
		if got := string(AppendOutcomeJSON(nil, tt.o)); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestDecodeJSON(t *testing.T) {
	tests := []struct{ text, want string }{
		{" \t\r\n null \n", `null`},
		{`[true , false]`, `[true,false]`},
		{`-0`, `0`},
		{`1.50`, `1.5`},
		{`1e3`, `1000`},
		{`-1.25E-2`, `-0.0125`},
		{`5e-400`, `0`},
		{`9223372036854775807`, `9223372036854775807`},
		{`-9223372036854775808`, `-9223372036854775808`},
		{`340282366920938463463374607431768211455`, `340282366920938463463374607431768211455`},
		{`"\u00e9\ud83d\ude00\/\b\f\"\\"`, `"é😀/\u0008\u000c\"\\"`},
		{`"é😀\n!"`, `"é😀\n!"`},
		{`{"b":1,"a":[{"x":1,"y":2},{"x":3,"y":4}],"":{}}`, `{"b":1,"a":[{"x":1,"y":2},{"x":3,"y":4}],"":{}}`},
	}
	for _, tt := range tests {
		v, err := DecodeJSON([]byte(tt.text), Limits{})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if got := string(AppendJSON(nil, v)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestDecodedRecordsShareTheirShape(t *testing.T) {
	v, err := DecodeJSON([]byte(`[{"a":1,"b":{"c":1}},{"a":2,"b":{"c":2}},{"b":1,"a":2}]`), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	e := v.Elems()
	if e[0].Shape() != e[1].Shape() {
		t.Error("records with the same fields have different shapes")
	}
	if e[0].Elems()[1].Shape() != e[1].Elems()[1].Shape() {
		t.Error("inner records with the same fields have different shapes")
	}
	if e[0].Shape() == e[2].Shape() {
		t.Error("records with another order of fields share a shape")
	}
}

func TestDecodeJSONErrors(t *testing.T) {
	many := func(n int) string {
		fields := make([]string, n)
		for i := range fields {
			fields[i] = string(AppendQuoted(nil, "f"+string(AppendNumber(nil, IntValue(int64(i)))))) + ":0"
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	tests := []struct {
		name, text string
		offset     int
		message    string
	}{
		{"empty", ``, 0, "expected a JSON value, found the end of the text"},
		{"two values", `1 2`, 2, "expected nothing after the value, found '2'"},
		{"a word that is none", `nul`, 0, "expected a JSON value, found 'n'"},
		{"a longer word", `truer`, 0, "expected a JSON value, found 't'"},
		{"single quotes", `{'a':1}`, 1, `expected a field name in quotation marks, found '\''`},
		{"bare field name", `{a:1}`, 1, "expected a field name in quotation marks, found 'a'"},
		{"trailing comma in a list", `[1,]`, 3, "expected a JSON value, found ']'"},
		{"trailing comma in a record", `{"a":1,}`, 7, "expected a field name in quotation marks, found '}'"},
		{"no comma", `[1 2]`, 3, `expected ',' or ']' after a list element, found '2'`},
		{"wrong bracket", `{"a":1]`, 6, `expected ',' or '}' after a field, found ']'`},
		{"no colon", `{"a" 1}`, 5, "expected ':' after the field name, found '1'"},
		{"unclosed", `[[1]`, 4, `expected ',' or ']' after a list element, found the end of the text`},
		{"the same field twice", `{"a":1,"b":{"a":1},"a":2}`, 19, `the field "a" is there twice`},
		{"the same field twice, spelled differently", `{"a":1,"\u0061":2}`, 7, `the field "a" is there twice`},
		{"twice among many", strings.Replace(many(40), `"f39"`, `"f3"`, 1), 303, `the field "f3" is there twice`},
		{"leading zero", `[01]`, 1, "a number must not start with 0"},
		{"plus sign", `+1`, 0, "expected a JSON value, found '+'"},
		{"no digits", `-`, 1, "expected a digit, found the end of the text"},
		{"no digits after the point", `1.`, 2, "expected a digit after the point, found the end of the text"},
		{"no exponent", `1e+x`, 3, "expected a digit in the exponent, found 'x'"},
		{"too large", `[1e999]`, 1, "the number is too large for a float"},
		{"NaN", `NaN`, 0, "expected a JSON value, found 'N'"},
		{"a string without end", `["abc`, 1, "the string that starts here has no end"},
		{"a string without end after an escape", `["abc\n`, 1, "the string that starts here has no end"},
		{"control byte", "\"a\nb\"", 2, "the control byte 0x0a must be escaped in a string"},
		{"control byte after an escape", "\"\\ta\x01\"", 4, "the control byte 0x01 must be escaped in a string"},
		{"broken UTF-8", "\"ab\xff\"", 3, "the string is not UTF-8"},
		{"broken UTF-8 before an escape", "\"é\xff\\n\"", 3, "the string is not UTF-8"},
		{"broken UTF-8 after an escape", "\"\\n\xff\"", 3, "the string is not UTF-8"},
		{"broken UTF-8 outside a string", "\xff", 0, "expected a JSON value, found the byte 0xff"},
		{"unknown escape", `"\x41"`, 1, "unknown escape: a backslash and 'x'"},
		{"short escape", `"\u12"`, 1, `expected four hexadecimal digits after \u`},
		{"unfinished escape", `"\`, 1, "the escape is not finished"},
		{"lone surrogate", `"\ud83d!"`, 1, `half of a surrogate pair: \ud83d needs its other half`},
		{"two high surrogates", `"\ud83d\ud83d"`, 1, `half of a surrogate pair: \ud83d needs its other half`},
		{"too deep", strings.Repeat("[", 65), 64, "lists nested more than 64 deep"},
		{"a deep mixture", strings.Repeat(`[{"a":`, 33), 6 * 32, "lists nested more than 64 deep"},
		{"too many fields", many(4097), 39851, "a record of more than 4096 fields"},
		{"too many digits", strings.Repeat("9", 1025), 0, "an integer of more than 1024 digits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := DecodeJSON([]byte(tt.text), Limits{})
			var fault *JSONError
			if !errors.As(err, &fault) {
				t.Fatalf("got error %v, want a *JSONError", err)
			}
			if fault.Offset != tt.offset || fault.Message != tt.message {
				t.Errorf("got %q at %d, want %q at %d", fault.Message, fault.Offset, tt.message, tt.offset)
			}
		})
	}
}

func TestDecodeJSONLimits(t *testing.T) {
	tests := []struct {
		name, text string
		limits     Limits
		message    string
	}{
		{"bytes", `"12345678"`, Limits{Bytes: 9}, "the text is longer than 9 bytes (byte 9)"},
		{"depth", `[[1]]`, Limits{Depth: 1}, "lists nested more than 1 deep (byte 1)"},
		{"values", `[1,2,3]`, Limits{Values: 3}, "more than 3 values (byte 5)"},
		{"fields", `{"a":1,"b":2}`, Limits{Fields: 1}, "a record of more than 1 fields (byte 7)"},
	}
	for _, tt := range tests {
		_, err := DecodeJSON([]byte(tt.text), tt.limits)
		if err == nil || err.Error() != tt.message {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.message)
		}
	}
	deepest := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	if _, err := DecodeJSON([]byte(deepest), Limits{}); err != nil {
		t.Errorf("64 lists inside each other: %v", err)
	}
	side := "[" + strings.Repeat("[],", 99) + "[]]"
	if _, err := DecodeJSON([]byte(side), Limits{}); err != nil {
		t.Errorf("100 lists beside each other: %v", err)
	}
}

// FuzzDecodeJSON holds the decoder against the one of the Go library: what
// ours accepts, that one accepts; and what was decoded prints as a text that
// decodes to the same value.
func FuzzDecodeJSON(f *testing.F) {
	for _, seed := range []string{
		`null`, `[1,-2.5e3,"a\u00e9\ud83d\ude00"]`, `{"a":{"b":[true,false]},"c":""}`, `-0`, `1e308`, `4.9e-324`,
		`123456789012345678901234567890`, `[[[[]]]]`, `{"a":1,"a":2}`, "\"\xff\"", `"\ud800"`, `{"":0}`, `[1,]`, `01`,
		`[{"x":1,"y":2},{"x":3,"y":4}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := DecodeJSON(data, Limits{})
		if err != nil {
			var fault *JSONError
			if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(data) {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("encoding/json refuses %q", data)
		}
		text := AppendJSON(nil, v)
		again, err := DecodeJSON(text, Limits{})
		if err != nil {
			t.Fatalf("%q printed as %q, which does not decode: %v", data, text, err)
		}
		if !v.Equal(again) {
			t.Fatalf("%q printed as %q, which is another value", data, text)
		}
		if text2 := AppendJSON(nil, again); string(text2) != string(text) {
			t.Fatalf("printed as %q, then as %q", text, text2)
		}
	})
}

func benchmarkText() []byte {
	record := `{"flight_number":"HAT001","date":"2024-05-20","price":179,"seats":{"basic_economy":16,"economy":10,"business":13},"delayed":false,"note":null}`
	return []byte("[" + strings.Repeat(record+",", 99) + record + "]")
}

func BenchmarkDecodeJSON(b *testing.B) {
	data := benchmarkText()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeJSON(data, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeJSONWithLibrary(b *testing.B) {
	data := benchmarkText()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	v, err := DecodeJSON(benchmarkText(), Limits{})
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	b.SetBytes(int64(len(AppendJSON(nil, v))))
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendJSON(buf[:0], v)
	}
}
