package eval

import (
	"errors"
	"strings"
	"testing"

	"github.com/koru-go/koru/check"
)

// The types of a small booking vocabulary, as the checker resolves them.
var (
	stringType = &check.Type{Kind: check.TextType, Name: "string"}
	boolType   = &check.Type{Kind: check.BoolType, Name: "bool"}
	u8Type     = &check.Type{Kind: check.IntType, Name: "u8", Bits: 8}
	i64Type    = &check.Type{Kind: check.IntType, Name: "i64", Bits: 64, Signed: true}
	f64Type    = &check.Type{Kind: check.FloatType, Name: "f64", Bits: 64}
	f32Type    = &check.Type{Kind: check.FloatType, Name: "f32", Bits: 32}
	char4Type  = &check.Type{Kind: check.TextType, Name: "char[4]", Bits: 4}
	dirType    = &check.Type{Kind: check.HostType, Module: "std/fs", Name: "Dir", Pointer: true}
	hostType   = &check.Type{Kind: check.HostType, Name: "Item"}
	cabinType  = &check.Type{Kind: check.ChoiceType, Choices: []string{"economy", "business"}}
	flightType = &check.Type{Kind: check.RecordType, Fields: []*check.Field{
		{Name: "flight_number", Type: stringType}, {Name: "date", Type: stringType}, {Name: "price", Type: optional(f64Type)},
	}}
	flightsType = listOf(flightType)
)

func optional(t *check.Type) *check.Type {
	o := *t
	o.Optional = true
	return &o
}

func listOf(t *check.Type) *check.Type { return &check.Type{Kind: check.ListType, Elem: t} }

func decode(t *testing.T, text string) Value {
	t.Helper()
	v, err := DecodeJSON([]byte(text), Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestConvert(t *testing.T) {
	tests := []struct {
		typ        *check.Type
		text, want string // want is JSON, or what the misfit says
	}{
		{stringType, `"a"`, `"a"`},
		{stringType, `1`, `wants string, got 1`},
		{stringType, `null`, `wants string, got null`},
		{optional(stringType), `null`, `null`},
		{optional(stringType), `[]`, `wants ?string, got a list of 0`},
		{char4Type, `"four"`, `"four"`},
		{char4Type, `"fives"`, `wants char[4], got "fives"`},
		{boolType, `true`, `true`},
		{boolType, `1`, `wants bool, got 1`},
		{boolType, `"true"`, `wants bool, got "true"`},
		{u8Type, `255`, `255`},
		{u8Type, `256`, `wants u8, got 256`},
		{u8Type, `-1`, `wants u8, got -1`},
		{i64Type, `9223372036854775808`, `wants i64, got 9223372036854775808`},
		{i64Type, `2.0`, `wants i64, got 2`},
		{i64Type, `"2"`, `wants i64, got "2"`},
		{f64Type, `2`, `2`},
		{f64Type, `2.5`, `2.5`},
		{f64Type, `"2.5"`, `wants f64, got "2.5"`},
		{f32Type, `1e39`, `wants f32, got 1000000000000000000000000000000000000000`},
		{cabinType, `"economy"`, `"economy"`},
		{cabinType, `"first"`, `wants "economy" | "business", got "first"`},
		{listOf(u8Type), `[1,2,300]`, `'[2]' wants u8, got 300`},
		{listOf(stringType), `"a"`, `wants []string, got "a"`},
		{flightType, `{"flight_number":"HAT001","date":"2024-05-20","price":1.5}`, `{"flight_number":"HAT001","date":"2024-05-20","price":1.5}`},
		{flightType, `{"price":1,"date":"2024-05-20","flight_number":"HAT001"}`, `{"flight_number":"HAT001","date":"2024-05-20","price":1}`},
		{flightType, `{"flight_number":"HAT001","date":"2024-05-20"}`, `{"flight_number":"HAT001","date":"2024-05-20","price":null}`},
		{flightType, `{"flight_number":"HAT001"}`, `'date' is missing, it wants string`},
		{flightType, `{"flight_number":"HAT001","date":"x","day":1}`, `'day' is not a field — the fields are flight_number, date, price`},
		{flightType, `[]`, `wants { flight_number: string, date: string, price: ?f64 }, got a list of 0`},
		{flightsType, `[{"flight_number":"a","date":"b"},{"flight_number":"a","date":20240520}]`, `'[1].date' wants string, got 20240520`},
		{dirType, `"h:Dir:737eec"`, `wants *std/fs:Dir, got "h:Dir:737eec"`},
		{hostType, `{"a":1}`, `{"a":1}`},
		{&check.Type{Kind: check.UnknownType, Name: "Thing"}, `[1]`, `[1]`},
		{nil, `[1]`, `[1]`},
	}
	for _, tt := range tests {
		v, err := Convert(decode(t, tt.text), tt.typ)
		got := string(AppendJSON(nil, v))
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s as %s:\n got %s\nwant %s", tt.text, TypeText(tt.typ), got, tt.want)
		}
		_, path, ok := Fits(decode(t, tt.text), tt.typ)
		var misfit *Misfit
		if ok != (err == nil) || errors.As(err, &misfit) && misfit.Path != path {
			t.Errorf("%s as %s: Fits says %q, %v, Convert says %v", tt.text, TypeText(tt.typ), path, ok, err)
		}
	}
}

func TestFittedNumbersHaveTheDeclaredKind(t *testing.T) {
	v, err := Convert(decode(t, `[1,2.5,3]`), listOf(f64Type))
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range v.Elems() {
		if e.Kind() != Float {
			t.Errorf("element %d is a %s", i, e.Kind())
		}
	}
}

func TestCapabilities(t *testing.T) {
	h := HandleValue("h:Dir:737eec", nil)
	if v, _, ok := Fits(h, dirType); !ok || v != h {
		t.Error("a handle does not fit a capability")
	}
	if _, err := Convert(h, stringType); err == nil || err.Error() != "wants string, got the handle h:Dir:737eec" {
		t.Errorf("a handle as text: %v", err)
	}
}

func TestCoerce(t *testing.T) {
	tests := []struct {
		typ        *check.Type
		text, want string // text is what the wire passes, unquoted
	}{
		{i64Type, `42`, `42`},
		{i64Type, ` 42 `, `42`},
		{i64Type, `4x`, `wants i64, got "4x"`},
		{i64Type, ``, `wants i64, got ""`},
		{i64Type, `"42"`, `wants i64, got "\"42\""`},
		{u8Type, `256`, `wants u8, got 256`},
		{f64Type, `3.5`, `3.5`},
		{f64Type, `3`, `3`},
		{boolType, `true`, `true`},
		{boolType, `0`, `false`},
		{boolType, `yes`, `wants bool, got "yes"`},
		{stringType, `42`, `"42"`},
		{optional(i64Type), `null`, `wants ?i64, got "null"`},
		{optional(flightsType), `null`, `wants ?[]{ flight_number: string, date: string, price: ?f64 }, got "null"`},
		{flightsType, `[{"flight_number":"HAT001","date":"2024-05-20","price":"12.5"}]`, `[{"flight_number":"HAT001","date":"2024-05-20","price":12.5}]`},
		{flightsType, `[{"flight_number":"HAT001","date":"2024-05-20"},{"flight_number":"HAT002","date":5}]`, `'[1].date' wants string, got 5`},
		{flightsType, `[{"flight_number":]`, `expected a JSON value, found ']' (byte 18)`},
		{listOf(boolType), `[0,1,"true",false]`, `[false,true,true,false]`},
	}
	for _, tt := range tests {
		v, err := Coerce(StringValue(tt.text), tt.typ)
		got := string(AppendJSON(nil, v))
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q as %s:\n got %s\nwant %s", tt.text, TypeText(tt.typ), got, tt.want)
		}
	}
}

func TestMisfitIsNamedFromItsField(t *testing.T) {
	_, err := Coerce(StringValue(`[{"flight_number":"a","date":"b"},{"flight_number":"a","date":1}]`), flightsType)
	var misfit *Misfit
	if !errors.As(err, &misfit) {
		t.Fatal(err)
	}
	if got, want := misfit.In("flights"), "'flights[1].date' wants string, got 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDescribe(t *testing.T) {
	if got := Describe(StringValue(strings.Repeat("x", 100))); got != "a string of 100 bytes" {
		t.Errorf("got %s", got)
	}
}

func TestFitsDoesNotAllocateWhatFits(t *testing.T) {
	v := decode(t, `[{"flight_number":"HAT001","date":"2024-05-20","price":1.5},{"flight_number":"HAT001","date":"2024-05-20","price":null}]`)
	if n := testing.AllocsPerRun(100, func() { Fits(v, flightsType) }); n != 0 {
		t.Errorf("%v allocations for a value that fits as it is", n)
	}
}

func BenchmarkFits(b *testing.B) {
	v, err := DecodeJSON([]byte("["+strings.Repeat(`{"flight_number":"HAT001","date":"2024-05-20","price":12},`, 99)+`{"flight_number":"HAT001","date":"2024-05-20"}]`), Limits{})
	if err != nil {
		b.Fatal(err)
	}
	fitted, err := Convert(v, flightsType)
	if err != nil {
		b.Fatal(err)
	}
	for name, v := range map[string]Value{"as-is": fitted, "converted": v} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Fits(v, flightsType)
			}
		})
	}
}
