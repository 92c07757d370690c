package eval

import "fmt"

// AppendText appends what a splice prints for v: text bare, a handle as its
// token, null as null, numbers and booleans in words, lists and records as JSON
// (R48, bridge.md 5.4).
func AppendText(dst []byte, v Value) []byte {
	switch v.kind {
	case String, Handle:
		return append(dst, v.Str()...)
	case Int, Float:
		return AppendNumber(dst, v)
	}
	return AppendJSON(dst, v)
}

// Text returns what a splice prints for v, see [AppendText].
func Text(v Value) string {
	if v.kind == String {
		return v.Str()
	}
	return string(AppendText(nil, v))
}

// AppendFormat appends v as the format of a splice asks: s text, d integers,
// f floats (integers too: a float may have been written as one), any and "" all
// values. Where the types are known a misfit is KORU168 before anything runs;
// the error here is for the values whose types were not known.
func AppendFormat(dst []byte, v Value, spec string) ([]byte, error) {
	var ok bool
	switch spec {
	case "", "any":
		ok = true
	case "s":
		ok = v.kind == String
	case "d":
		ok = v.kind == Int
	case "f":
		ok = v.kind == Float || v.kind == Int
	default:
		return dst, fmt.Errorf("unknown format ':%s' — the formats are :s, :d, :f and :any", spec)
	}
	if !ok {
		return dst, fmt.Errorf("':%s' prints %s, found %s", spec, specWants[spec], Describe(v))
	}
	return AppendText(dst, v), nil
}

var specWants = map[string]string{"s": "text", "d": "an integer", "f": "a number"}

// Format returns v as the format of a splice asks, see [AppendFormat].
func Format(v Value, spec string) (string, error) {
	if v.kind == String && (spec == "s" || spec == "any" || spec == "") {
		return v.Str(), nil
	}
	out, err := AppendFormat(nil, v, spec)
	return string(out), err
}

// describeMax is how much of a value a message shows.
const describeMax = 60

// Describe names a value in a message: its JSON if that is short, otherwise its
// kind and size.
func Describe(v Value) string {
	switch v.kind {
	case Null, Bool:
		return string(appendScalar(nil, v))
	case Int, Float:
		return string(AppendNumber(nil, v))
	case String:
		if v.Len() <= describeMax {
			return string(AppendQuoted(nil, v.Str()))
		}
		return fmt.Sprintf("a string of %d bytes", v.Len())
	case Handle:
		return "the handle " + v.Str()
	case List:
		return fmt.Sprintf("a list of %d", v.Len())
	case Record:
		return fmt.Sprintf("a record of %d fields", v.Len())
	}
	return "a host value"
}
