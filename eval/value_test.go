package eval

import (
	"math"
	"math/big"
	"testing"
	"unsafe"
)

func record(names string, vals ...Value) Value {
	var list []string
	for _, r := range names {
		list = append(list, string(r))
	}
	return RecordValue(NewShape(list...), vals...)
}

func TestValueIsThreeWords(t *testing.T) {
	if got := unsafe.Sizeof(Value{}); got != 24 {
		t.Errorf("a Value takes %d bytes, want 24", got)
	}
}

func TestAccessorsOfTheWrongKindAreZero(t *testing.T) {
	object := new(int)
	all := map[string]Value{
		"null": NullValue(), "bool": BoolValue(true), "integer": IntValue(7), "float": FloatValue(1.5),
		"string": StringValue("x"), "list": ListValue([]Value{IntValue(1)}), "record": record("a", IntValue(1)),
		"handle": HandleValue("h:Dir:1", object), "host value": OpaqueValue(object),
	}
	for name, v := range all {
		if v.Kind().String() != name {
			t.Errorf("%s: kind says %q", name, v.Kind())
		}
		if v.Bool() && name != "bool" || v.IsNull() != (name == "null") {
			t.Errorf("%s: Bool %v, IsNull %v", name, v.Bool(), v.IsNull())
		}
		if _, ok := v.Int(); ok != (name == "integer") {
			t.Errorf("%s: Int ok = %v", name, ok)
		}
		if s := v.Str(); (s != "") != (name == "string" || name == "handle") {
			t.Errorf("%s: Str = %q", name, s)
		}
		if (v.Elems() != nil) != (name == "list" || name == "record") {
			t.Errorf("%s: Elems = %v", name, v.Elems())
		}
		if (v.Object() == object) != (name == "handle" || name == "host value") {
			t.Errorf("%s: Object = %v", name, v.Object())
		}
		if _, ok := v.Field("a"); ok != (name == "record") {
			t.Errorf("%s: Field ok = %v", name, ok)
		}
		if (v.Shape() != nil) != (name == "record") {
			t.Errorf("%s: Shape = %v", name, v.Shape())
		}
	}
}

func TestEveryIntegerHasOneForm(t *testing.T) {
	for _, text := range []string{"0", "-1", "9223372036854775807", "-9223372036854775808"} {
		b, _ := new(big.Int).SetString(text, 10)
		if _, ok := BigValue(b).Int(); !ok {
			t.Errorf("%s is kept as a big integer", text)
		}
	}
	for _, text := range []string{"9223372036854775808", "-9223372036854775809", "340282366920938463463374607431768211455"} {
		b, _ := new(big.Int).SetString(text, 10)
		v := BigValue(b)
		if _, ok := v.Int(); ok {
			t.Errorf("%s claims to fit an int64", text)
		}
		if v.Big().Cmp(b) != 0 {
			t.Errorf("%s reads back as %s", text, v.Big())
		}
		v.Big().SetInt64(0)
		if v.Big().Cmp(b) != 0 {
			t.Errorf("%s was changed through a copy", text)
		}
	}
	if got := UintValue(math.MaxUint64); got.Big().String() != "18446744073709551615" {
		t.Errorf("UintValue(MaxUint64) = %s", got.Big())
	}
}

func TestEmptyTextAndLists(t *testing.T) {
	if v := StringValue(""); v.Str() != "" || v.Kind() != String || v.Len() != 0 {
		t.Errorf("empty string: %q, %s", v.Str(), v.Kind())
	}
	if v := ListValue(nil); v.Len() != 0 || len(v.Elems()) != 0 || v.Kind() != List {
		t.Errorf("empty list: %v", v.Elems())
	}
	if v := RecordValue(NewShape()); v.Len() != 0 || len(v.Elems()) != 0 || v.Shape() == nil {
		t.Errorf("empty record: %v", v.Elems())
	}
}

func TestEqual(t *testing.T) {
	object := new(int)
	huge := BigValue(new(big.Int).Lsh(big.NewInt(1), 70))
	deep := func() Value {
		v := IntValue(1)
		for range 200_000 {
			v = ListValue([]Value{v})
		}
		return v
	}
	tests := []struct {
		name string
		a, b Value
		want bool
	}{
		{"null", NullValue(), NullValue(), true},
		{"null and false", NullValue(), BoolValue(false), false},
		{"int and float", IntValue(2), FloatValue(2), true},
		{"int and other float", IntValue(2), FloatValue(2.5), false},
		{"big integers", huge, BigValue(huge.Big()), true},
		{"big and small", huge, IntValue(0), false},
		{"zero and minus zero", FloatValue(0), FloatValue(math.Copysign(0, -1)), true},
		{"NaN", FloatValue(math.NaN()), FloatValue(math.NaN()), false},
		{"text and number", StringValue("1"), IntValue(1), false},
		{"lists", ListValue([]Value{IntValue(1), StringValue("a")}), ListValue([]Value{FloatValue(1), StringValue("a")}), true},
		{"list of other length", ListValue([]Value{IntValue(1)}), ListValue(nil), false},
		{"empty list and empty record", ListValue(nil), RecordValue(NewShape()), false},
		{"fields in another order", record("ab", IntValue(1), IntValue(2)), record("ba", IntValue(2), IntValue(1)), true},
		{"fields of another name", record("ab", IntValue(1), IntValue(2)), record("ac", IntValue(1), IntValue(2)), false},
		{"handles by token", HandleValue("h:Dir:1", object), HandleValue("h:Dir:1", nil), true},
		{"handles without token", HandleValue("", object), HandleValue("", object), false},
		{"host values by identity", OpaqueValue(object), OpaqueValue(object), false},
		{"very deep", deep(), deep(), true},
		{"nested difference", ListValue([]Value{record("a", IntValue(1)), IntValue(3)}), ListValue([]Value{record("a", IntValue(1)), IntValue(4)}), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.a.Equal(tt.b); got != tt.want {
				t.Errorf("a.Equal(b) = %v, want %v", got, tt.want)
			}
			if got := tt.b.Equal(tt.a); got != tt.want {
				t.Errorf("b.Equal(a) = %v, want %v", got, tt.want)
			}
		})
	}
	if h := HandleValue("", object); !h.Equal(h) {
		t.Error("a handle without a token differs from itself")
	}
}

func TestWeight(t *testing.T) {
	if got := Weight(StringValue("abcd"), 100); got != 28 {
		t.Errorf("weight of a short string: %d", got)
	}
	// Thirty doublings: a gigabyte as JSON, a few hundred bytes in memory.
	bomb := StringValue("boom")
	for range 30 {
		bomb = ListValue([]Value{bomb, bomb})
	}
	if got := Weight(bomb, 1000); got <= 1000 || got > 2000 {
		t.Errorf("weight of a doubled value: %d, want just above the limit", got)
	}
}

func BenchmarkRecordValue(b *testing.B) {
	shape := NewShape("sku", "cost")
	b.ReportAllocs()
	for b.Loop() {
		RecordValue(shape, StringValue("desk"), IntValue(240))
	}
}

func BenchmarkEqual(b *testing.B) {
	mk := func() Value {
		var list []Value
		for i := range 100 {
			list = append(list, record("ab", IntValue(int64(i)), StringValue("text")))
		}
		return ListValue(list)
	}
	v, w := mk(), mk()
	b.ReportAllocs()
	for b.Loop() {
		v.Equal(w)
	}
}
