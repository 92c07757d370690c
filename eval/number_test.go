package eval

import (
	"errors"
	"math/big"
	"testing"
	"testing/quick"
)

func integer(t *testing.T, text string) Value {
	t.Helper()
	b, ok := new(big.Int).SetString(text, 0)
	if !ok {
		t.Fatalf("%s is no integer", text)
	}
	return BigValue(b)
}

func TestInRange(t *testing.T) {
	tests := []struct {
		width     int
		signed    bool
		low, high string
	}{
		{8, true, "-128", "127"},
		{8, false, "0", "255"},
		{1, false, "0", "1"},
		{32, true, "-2147483648", "2147483647"},
		{32, false, "0", "4294967295"},
		{63, false, "0", "9223372036854775807"},
		{64, true, "-9223372036854775808", "9223372036854775807"},
		{64, false, "0", "18446744073709551615"},
		{65, true, "-18446744073709551616", "18446744073709551615"},
		{128, true, "-170141183460469231731687303715884105728", "170141183460469231731687303715884105727"},
		{128, false, "0", "340282366920938463463374607431768211455"},
	}
	for _, tt := range tests {
		low, high := integer(t, tt.low), integer(t, tt.high)
		below, _ := Arith('-', low, IntValue(1))
		above, _ := Arith('+', high, IntValue(1))
		for v, want := range map[Value]bool{low: true, high: true, below: false, above: false, IntValue(0): true} {
			if got := InRange(v, tt.width, tt.signed); got != want {
				t.Errorf("InRange(%s, %d bits, signed %v) = %v", Text(v), tt.width, tt.signed, got)
			}
		}
	}
	if InRange(FloatValue(1), 64, true) {
		t.Error("a float is in the range of an integer type")
	}
}

func TestArith(t *testing.T) {
	tests := []struct{ a, op, b, want string }{
		{"7", "/", "2", "3"}, {"-7", "/", "2", "-3"}, {"7", "/", "-2", "-3"},
		{"7", "%", "3", "1"}, {"-7", "%", "3", "-1"}, {"7", "%", "-3", "1"},
		{"9223372036854775807", "+", "1", "9223372036854775808"},
		{"-9223372036854775808", "-", "1", "-9223372036854775809"},
		{"-9223372036854775808", "/", "-1", "9223372036854775808"},
		{"-9223372036854775808", "%", "-1", "0"},
		{"-9223372036854775808", "*", "-1", "9223372036854775808"},
		{"4294967296", "*", "4294967296", "18446744073709551616"},
		{"-4294967296", "*", "2147483648", "-9223372036854775808"},
		{"18446744073709551616", "-", "18446744073709551615", "1"},
		{"18446744073709551616", "/", "2", "9223372036854775808"},
	}
	for _, tt := range tests {
		got, err := Arith(tt.op[0], integer(t, tt.a), integer(t, tt.b))
		if err != nil || !got.Equal(integer(t, tt.want)) {
			t.Errorf("%s %s %s = %s, %v, want %s", tt.a, tt.op, tt.b, Text(got), err, tt.want)
		}
	}
}

func TestArithAgreesWithBigIntegers(t *testing.T) {
	exact := map[byte]func(z, a, b *big.Int) *big.Int{'+': (*big.Int).Add, '-': (*big.Int).Sub, '*': (*big.Int).Mul, '/': (*big.Int).Quo, '%': (*big.Int).Rem}
	for op, compute := range exact {
		check := func(a, b int64, shiftA, shiftB uint8) bool {
			a, b = a>>(shiftA%64), b>>(shiftB%64)
			got, err := Arith(op, IntValue(a), IntValue(b))
			if b == 0 && (op == '/' || op == '%') {
				return errors.Is(err, ErrDivisionByZero)
			}
			return err == nil && got.Big().Cmp(compute(new(big.Int), big.NewInt(a), big.NewInt(b))) == 0
		}
		if err := quick.Check(check, &quick.Config{MaxCount: 2000}); err != nil {
			t.Errorf("%c: %v", op, err)
		}
	}
}

func TestArithFaults(t *testing.T) {
	v := integer(t, "340282366920938463463374607431768211455")
	var err error
	for range 10 {
		if v, err = Arith('*', v, v); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("squaring without end: %v", err)
	}
	if _, err := Arith('/', integer(t, "18446744073709551616"), IntValue(0)); !errors.Is(err, ErrDivisionByZero) {
		t.Errorf("big / 0: %v", err)
	}
	if v, _ := Arith('+', StringValue("a"), IntValue(1)); !v.IsNull() {
		t.Errorf("text + number = %s", Text(v))
	}
	if v, _ := Arith('/', FloatValue(1), IntValue(4)); Text(v) != "0.25" {
		t.Errorf("1.0 / 4 = %s", Text(v))
	}
	if v, _ := Arith('%', FloatValue(-5.5), FloatValue(2)); Text(v) != "-1.5" {
		t.Errorf("-5.5 %% 2.0 = %s", Text(v))
	}
}

func TestCompare(t *testing.T) {
	big1, big2 := integer(t, "18446744073709551616"), integer(t, "18446744073709551617")
	tests := []struct {
		a, b  Value
		order int
		ok    bool
	}{
		{IntValue(1), IntValue(2), -1, true},
		{big2, big1, 1, true},
		{IntValue(-1), big1, -1, true},
		{IntValue(2), FloatValue(1.5), 1, true},
		{StringValue("a"), StringValue("b"), -1, true},
		{StringValue("a"), StringValue("a"), 0, true},
		{StringValue("1"), IntValue(1), 0, false},
		{BoolValue(true), BoolValue(false), 0, false},
	}
	for _, tt := range tests {
		if order, ok := Compare(tt.a, tt.b); order != tt.order || ok != tt.ok {
			t.Errorf("Compare(%s, %s) = %d, %v, want %d, %v", Text(tt.a), Text(tt.b), order, ok, tt.order, tt.ok)
		}
	}
	nan, _ := Arith('/', FloatValue(0), FloatValue(0))
	if _, ok := Compare(nan, nan); ok {
		t.Error("NaN has an order")
	}
}

func TestFormat(t *testing.T) {
	list := ListValue([]Value{StringValue("a\"b"), IntValue(1)})
	tests := []struct {
		v          Value
		spec, want string
		fault      string
	}{
		{StringValue("a\"b"), "s", `a"b`, ""},
		{StringValue("a\"b"), "any", `a"b`, ""},
		{StringValue("x"), "", "x", ""},
		{IntValue(3), "d", "3", ""},
		{FloatValue(3), "f", "3", ""},
		{IntValue(3), "f", "3", ""},
		{list, "any", `["a\"b",1]`, ""},
		{ListValue(nil), "any", `[]`, ""},
		{record("a", IntValue(1)), "any", `{"a":1}`, ""},
		{BoolValue(true), "any", "true", ""},
		{NullValue(), "any", "null", ""},
		{HandleValue("h:Dir:737eec", nil), "any", "h:Dir:737eec", ""},
		{IntValue(3), "s", "", "':s' prints text, found 3"},
		{StringValue("3"), "d", "", `':d' prints an integer, found "3"`},
		{FloatValue(1.5), "d", "", "':d' prints an integer, found 1.5"},
		{list, "f", "", "':f' prints a number, found a list of 2"},
		{list, "x", "", "unknown format ':x' — the formats are :s, :d, :f and :any"},
	}
	for _, tt := range tests {
		got, err := Format(tt.v, tt.spec)
		fault := ""
		if err != nil {
			fault = err.Error()
		}
		if got != tt.want || fault != tt.fault {
			t.Errorf("Format(%s, %q) = %q, %q, want %q, %q", Describe(tt.v), tt.spec, got, fault, tt.want, tt.fault)
		}
	}
}
