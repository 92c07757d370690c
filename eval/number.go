package eval

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Errors of integer arithmetic (R48).
var (
	ErrDivisionByZero = errors.New("division by zero")
	ErrTooLarge       = errors.New("the integer is larger than any type holds")
)

// maxIntBits bounds what exact arithmetic may produce. No type is wider than
// 128 bits, so a longer integer is a fault, not a number.
const maxIntBits = 1024

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// AppendNumber appends the text of an Int or a Float: integers in decimal,
// floats as the shortest decimal that reads back as the same number, without an
// exponent, integral ones without ".0" (R48). The floats that are no numbers
// are NaN, Infinity and -Infinity.
func AppendNumber(dst []byte, v Value) []byte {
	if v.kind == Int {
		if v.ptr != nil {
			return (*big.Int)(v.ptr).Append(dst, 10)
		}
		return strconv.AppendInt(dst, int64(v.num), 10)
	}
	switch f := v.Float(); {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	default:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
}

// InRange reports whether an Int can be held by an integer type of the given
// width.
func InRange(v Value, width int, signed bool) bool {
	if v.kind != Int {
		return false
	}
	if v.ptr == nil {
		i := int64(v.num)
		switch {
		case !signed:
			return i >= 0 && (width >= 63 || i>>width == 0)
		case width >= 64:
			return true
		case width == 0:
			return i == 0
		}
		return i>>(width-1) == 0 || i>>(width-1) == -1
	}
	b := (*big.Int)(v.ptr)
	if !signed {
		return b.Sign() >= 0 && b.BitLen() <= width
	}
	if b.Sign() >= 0 {
		return b.BitLen() < width
	}
	// -2^(width-1) is the one negative number of width bits that fits.
	return b.BitLen() < width || b.BitLen() == width && b.TrailingZeroBits() == uint(width-1)
}

// Arith computes a op b for two integers or, if one of them is a Float, for two
// floats; op is one of + - * / %. Integers are exact: the caller checks the
// result against its type with [InRange]. Division truncates and a remainder
// has the dividend's sign (R48). Operands of other kinds give null.
func Arith(op byte, a, b Value) (Value, error) {
	switch {
	case a.kind == Int && b.kind == Int:
		if a.ptr == nil && b.ptr == nil {
			if v, ok, err := arithInt64(op, int64(a.num), int64(b.num)); ok || err != nil {
				return v, err
			}
		}
		return arithBig(op, a.Big(), b.Big())
	case (a.kind == Int || a.kind == Float) && (b.kind == Int || b.kind == Float):
		return arithFloat(op, a.Float(), b.Float()), nil
	}
	return Value{}, nil
}

// arithInt64 is the fast path; ok is false if the result needs more room.
func arithInt64(op byte, a, b int64) (v Value, ok bool, err error) {
	switch op {
	case '+':
		sum := a + b
		return IntValue(sum), (a^sum)&(b^sum) >= 0, nil
	case '-':
		diff := a - b
		return IntValue(diff), (a^b)&(a^diff) >= 0, nil
	case '*':
		hi, lo := bits.Mul64(uint64(a), uint64(b))
		// The signed high half, from the unsigned one.
		h := int64(hi) - (a>>63)&b - (b>>63)&a
		return IntValue(int64(lo)), h == int64(lo)>>63, nil
	case '/', '%':
		if b == 0 {
			return Value{}, false, ErrDivisionByZero
		}
		if b == -1 {
			return Value{}, false, nil // MinInt64 / -1 does not fit
		}
		if op == '/' {
			return IntValue(a / b), true, nil
		}
		return IntValue(a % b), true, nil
	}
	return Value{}, true, nil
}

func arithBig(op byte, a, b *big.Int) (Value, error) {
	switch op {
	case '+':
		a.Add(a, b)
	case '-':
		a.Sub(a, b)
	case '*':
		a.Mul(a, b)
	case '/', '%':
		if b.Sign() == 0 {
			return Value{}, ErrDivisionByZero
		}
		if op == '/' {
			a.Quo(a, b)
		} else {
			a.Rem(a, b)
		}
	default:
		return Value{}, nil
	}
	if a.BitLen() > maxIntBits {
		return Value{}, ErrTooLarge
	}
	return BigValue(a), nil
}

func arithFloat(op byte, a, b float64) Value {
	switch op {
	case '+':
		a += b
	case '-':
		a -= b
	case '*':
		a *= b
	case '/':
		a /= b
	case '%':
		a = math.Mod(a, b)
	default:
		return Value{}
	}
	return FloatValue(a)
}

// Compare orders two numbers or two texts: negative, zero or positive. ok is
// false for operands that have no order, NaN among them.
func Compare(a, b Value) (order int, ok bool) {
	switch {
	case a.kind == Int && b.kind == Int:
		if a.ptr == nil && b.ptr == nil {
			return threeWay(int64(a.num), int64(b.num)), true
		}
		return a.Big().Cmp(b.Big()), true
	case (a.kind == Int || a.kind == Float) && (b.kind == Int || b.kind == Float):
		x, y := a.Float(), b.Float()
		return threeWay(x, y), x == x && y == y
	case a.kind == String && b.kind == String:
		return threeWay(a.Str(), b.Str()), true
	}
	return 0, false
}

func threeWay[T int64 | float64 | string](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
