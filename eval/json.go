package eval

import (
	"fmt"
	"math/big"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendJSON appends the JSON text of v: no spaces, fields in their order,
// numbers as [AppendNumber] writes them, and nothing escaped in text that need
// not be (bridge.md 4.2). A handle prints as its token. JSON has no word for
// three floats, so they print as the strings "NaN", "Infinity" and "-Infinity";
// an opaque host object prints as "<host value>".
//
// The walk keeps its own stack, so that a value nested deeply by a program
// costs memory, never the goroutine's stack.
func AppendJSON(dst []byte, v Value) []byte {
	var room [16]jsonFrame
	stack := room[:0]
	for {
		switch v.kind {
		case List:
			dst = append(dst, '[')
			stack = append(stack, jsonFrame{of: v})
		case Record:
			dst = append(dst, '{')
			stack = append(stack, jsonFrame{of: v})
		default:
			dst = appendScalar(dst, v)
		}
		for len(stack) > 0 && stack[len(stack)-1].next == stack[len(stack)-1].of.Len() {
			dst = append(dst, closing(stack[len(stack)-1].of))
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return dst
		}
		dst, v = stack[len(stack)-1].step(dst)
	}
}

// jsonFrame is a list or record that is half written.
type jsonFrame struct {
	of   Value
	next int
}

// step writes what stands in front of the next element and returns it.
func (f *jsonFrame) step(dst []byte) ([]byte, Value) {
	i := f.next
	f.next++
	if i > 0 {
		dst = append(dst, ',')
	}
	if f.of.kind == Record {
		dst = AppendQuoted(dst, f.of.Shape().Names[i])
		dst = append(dst, ':')
	}
	return dst, f.of.Elems()[i]
}

func closing(v Value) byte {
	if v.kind == List {
		return ']'
	}
	return '}'
}

func appendScalar(dst []byte, v Value) []byte {
	switch v.kind {
	case Bool:
		return strconv.AppendBool(dst, v.num != 0)
	case Int, Float:
		if v.kind == Float && !finite(v.Float()) {
			dst = append(dst, '"')
			return append(AppendNumber(dst, v), '"')
		}
		return AppendNumber(dst, v)
	case String, Handle:
		return AppendQuoted(dst, v.Str())
	case Opaque:
		return append(dst, `"<host value>"`...)
	}
	return append(dst, "null"...)
}

// AppendOutcomeJSON appends how an outcome prints on the wire and in
// transcripts: {"branch":"b"}, or {"branch":"b","value":v} when it carries a
// payload (R26).
func AppendOutcomeJSON(dst []byte, o Outcome) []byte {
	dst = append(dst, `{"branch":`...)
	dst = AppendQuoted(dst, o.Branch)
	if o.Has {
		dst = append(dst, `,"value":`...)
		dst = AppendJSON(dst, o.Payload)
	}
	return append(dst, '}')
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string. Quotation marks, backslashes and
// control bytes are escaped; all other UTF-8 stands as it is; a byte that is
// not UTF-8 becomes U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
			start = i + 1
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// Limits bound what [DecodeJSON] accepts from outside. A zero field means the
// default.
type Limits struct {
	Bytes  int // length of the text; 16 MiB
	Depth  int // lists and records inside each other; 64
	Values int // values in all; 1,000,000
	Fields int // fields of one record; 4,096
	Digits int // digits of one integer; 1,024
}

func (l Limits) withDefaults() Limits {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	set(&l.Bytes, 16<<20)
	set(&l.Depth, 64)
	set(&l.Values, 1_000_000)
	set(&l.Fields, 4096)
	set(&l.Digits, 1024)
	return l
}

// JSONError says what is wrong with a JSON text and at which byte.
type JSONError struct {
	Offset  int
	Message string
}

func (e *JSONError) Error() string { return fmt.Sprintf("%s (byte %d)", e.Message, e.Offset) }

// DecodeJSON reads one JSON text. It is strict (RFC 8259): no comments, no
// trailing commas, no control bytes or broken UTF-8 in strings, no lone
// surrogates, nothing after the value; a record must not name a field twice.
// A number without a fraction and an exponent is an integer and keeps every
// digit. Fields keep their order, and records that name the same fields one
// after another share a [Shape].
func DecodeJSON(data []byte, limits Limits) (Value, error) {
	return decodeText(string(data), limits)
}

func decodeText(text string, limits Limits) (Value, error) {
	d := jsonDecoder{text: text, limits: limits.withDefaults()}
	if len(text) > d.limits.Bytes {
		return Value{}, &JSONError{d.limits.Bytes, fmt.Sprintf("the text is longer than %d bytes", d.limits.Bytes)}
	}
	v, err := d.document()
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

// jsonDecoder walks the text once. Strings without escapes are slices of the
// text; elements gather on one stack and leave it as a slice of exact size.
type jsonDecoder struct {
	text   string
	pos    int
	depth  int
	values int
	limits Limits
	elems  []Value
	names  []string
	shapes [4]*Shape // the most recent shapes, newest first
}

func (d *jsonDecoder) fail(at int, format string, args ...any) *JSONError {
	return &JSONError{at, fmt.Sprintf(format, args...)}
}

// found describes the byte at the cursor for a message.
func (d *jsonDecoder) found() string {
	if d.pos >= len(d.text) {
		return "the end of the text"
	}
	r, size := utf8.DecodeRuneInString(d.text[d.pos:])
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("the byte 0x%02x", d.text[d.pos])
	}
	return strconv.QuoteRune(r)
}

func (d *jsonDecoder) space() {
	for d.pos < len(d.text) {
		switch d.text[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

func (d *jsonDecoder) document() (Value, *JSONError) {
	v, err := d.value()
	if err != nil {
		return Value{}, err
	}
	if d.space(); d.pos < len(d.text) {
		return Value{}, d.fail(d.pos, "expected nothing after the value, found %s", d.found())
	}
	return v, nil
}

func (d *jsonDecoder) value() (Value, *JSONError) {
	d.space()
	if d.values++; d.values > d.limits.Values {
		return Value{}, d.fail(d.pos, "more than %d values", d.limits.Values)
	}
	if d.pos < len(d.text) {
		switch c := d.text[d.pos]; {
		case c == '"':
			s, err := d.str()
			return StringValue(s), err
		case c == '{':
			return d.record()
		case c == '[':
			return d.list()
		case c == '-' || '0' <= c && c <= '9':
			return d.number()
		case 'a' <= c && c <= 'z':
			return d.word()
		}
	}
	return Value{}, d.fail(d.pos, "expected a JSON value, found %s", d.found())
}

func (d *jsonDecoder) word() (Value, *JSONError) {
	start := d.pos
	for d.pos < len(d.text) && 'a' <= d.text[d.pos] && d.text[d.pos] <= 'z' {
		d.pos++
	}
	switch word := d.text[start:d.pos]; word {
	case "null":
		return NullValue(), nil
	case "true", "false":
		return BoolValue(word == "true"), nil
	}
	d.pos = start
	return Value{}, d.fail(start, "expected a JSON value, found %s", d.found())
}

func (d *jsonDecoder) digits() int {
	start := d.pos
	for d.pos < len(d.text) && '0' <= d.text[d.pos] && d.text[d.pos] <= '9' {
		d.pos++
	}
	return d.pos - start
}

func (d *jsonDecoder) number() (Value, *JSONError) {
	start := d.pos
	if d.text[d.pos] == '-' {
		d.pos++
	}
	first := d.pos
	n := d.digits()
	switch {
	case n == 0:
		return Value{}, d.fail(d.pos, "expected a digit, found %s", d.found())
	case n > 1 && d.text[first] == '0':
		return Value{}, d.fail(first, "a number must not start with 0")
	}
	isFloat := false
	if d.pos < len(d.text) && d.text[d.pos] == '.' {
		isFloat = true
		d.pos++
		if d.digits() == 0 {
			return Value{}, d.fail(d.pos, "expected a digit after the point, found %s", d.found())
		}
	}
	if d.pos < len(d.text) && (d.text[d.pos] == 'e' || d.text[d.pos] == 'E') {
		isFloat = true
		d.pos++
		if d.pos < len(d.text) && (d.text[d.pos] == '+' || d.text[d.pos] == '-') {
			d.pos++
		}
		if d.digits() == 0 {
			return Value{}, d.fail(d.pos, "expected a digit in the exponent, found %s", d.found())
		}
	}
	text := d.text[start:d.pos]
	if isFloat {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return Value{}, d.fail(start, "the number is too large for a float")
		}
		return FloatValue(f), nil
	}
	if n < 19 {
		i, _ := strconv.ParseInt(text, 10, 64)
		return IntValue(i), nil
	}
	if n > d.limits.Digits {
		return Value{}, d.fail(start, "an integer of more than %d digits", d.limits.Digits)
	}
	b, _ := new(big.Int).SetString(text, 10)
	return BigValue(b), nil
}

func (d *jsonDecoder) enter(what string) *JSONError {
	if d.depth++; d.depth > d.limits.Depth {
		return d.fail(d.pos, "%s nested more than %d deep", what, d.limits.Depth)
	}
	return nil
}

// more reads what separates two elements; it reports false after the closing
// bracket.
func (d *jsonDecoder) more(end byte, what string) (bool, *JSONError) {
	d.space()
	if d.pos < len(d.text) {
		switch d.text[d.pos] {
		case end:
			d.pos++
			d.depth--
			return false, nil
		case ',':
			d.pos++
			return true, nil
		}
	}
	return false, d.fail(d.pos, "expected ',' or %q after %s, found %s", end, what, d.found())
}

// empty reports whether the bracket that was just opened closes at once.
func (d *jsonDecoder) empty(end byte) bool {
	d.pos++
	d.space()
	if d.pos < len(d.text) && d.text[d.pos] == end {
		d.pos++
		d.depth--
		return true
	}
	return false
}

func (d *jsonDecoder) list() (Value, *JSONError) {
	if err := d.enter("lists"); err != nil {
		return Value{}, err
	}
	if d.empty(']') {
		return ListValue(nil), nil
	}
	base := len(d.elems)
	for {
		v, err := d.value()
		if err != nil {
			return Value{}, err
		}
		d.elems = append(d.elems, v)
		if more, err := d.more(']', "a list element"); err != nil {
			return Value{}, err
		} else if !more {
			break
		}
	}
	list := ListValue(append([]Value(nil), d.elems[base:]...))
	d.elems = d.elems[:base]
	return list, nil
}

func (d *jsonDecoder) record() (Value, *JSONError) {
	if err := d.enter("records"); err != nil {
		return Value{}, err
	}
	base, nameBase := len(d.elems), len(d.names)
	if d.empty('}') {
		return RecordValue(d.shape(nil)), nil
	}
	var seen map[string]bool
	for {
		name, err := d.fieldName(nameBase, &seen)
		if err != nil {
			return Value{}, err
		}
		d.names = append(d.names, name)
		v, err := d.value()
		if err != nil {
			return Value{}, err
		}
		d.elems = append(d.elems, v)
		if more, err := d.more('}', "a field"); err != nil {
			return Value{}, err
		} else if !more {
			break
		}
	}
	record := RecordValue(d.shape(d.names[nameBase:]), d.elems[base:]...)
	d.elems, d.names = d.elems[:base], d.names[:nameBase]
	return record, nil
}

// fewNames is the number of fields up to which looking at all of them is
// cheaper than a map.
const fewNames = 16

func (d *jsonDecoder) fieldName(base int, seen *map[string]bool) (string, *JSONError) {
	d.space()
	at := d.pos
	if d.pos >= len(d.text) || d.text[d.pos] != '"' {
		return "", d.fail(at, "expected a field name in quotation marks, found %s", d.found())
	}
	name, err := d.str()
	if err != nil {
		return "", err
	}
	names := d.names[base:]
	if len(names) >= d.limits.Fields {
		return "", d.fail(at, "a record of more than %d fields", d.limits.Fields)
	}
	if d.named(names, name, seen) {
		return "", d.fail(at, "the field %q is there twice", name)
	}
	if d.space(); d.pos >= len(d.text) || d.text[d.pos] != ':' {
		return "", d.fail(d.pos, "expected ':' after the field name, found %s", d.found())
	}
	d.pos++
	return name, nil
}

func (d *jsonDecoder) named(names []string, name string, seen *map[string]bool) bool {
	if len(names) < fewNames {
		for _, n := range names {
			if n == name {
				return true
			}
		}
		return false
	}
	if *seen == nil {
		*seen = make(map[string]bool, 2*len(names))
		for _, n := range names {
			(*seen)[n] = true
		}
	}
	if (*seen)[name] {
		return true
	}
	(*seen)[name] = true
	return false
}

// shape returns a shape with the given names, one that was made before if it
// is among the recent ones.
func (d *jsonDecoder) shape(names []string) *Shape {
	for i, s := range d.shapes {
		if s == nil {
			break
		}
		if sameNames(s.Names, names) {
			copy(d.shapes[1:i+1], d.shapes[:i])
			d.shapes[0] = s
			return s
		}
	}
	s := NewShape(append([]string(nil), names...)...)
	copy(d.shapes[1:], d.shapes[:])
	d.shapes[0] = s
	return s
}

func sameNames(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// str reads a string. The common one, without escapes, is a slice of the text.
func (d *jsonDecoder) str() (string, *JSONError) {
	open := d.pos
	d.pos++
	start := d.pos
	ascii := true
	for d.pos < len(d.text) {
		switch c := d.text[d.pos]; {
		case c == '"':
			s := d.text[start:d.pos]
			if !ascii && !utf8.ValidString(s) {
				return "", d.fail(start+invalidAt(s), "the string is not UTF-8")
			}
			d.pos++
			return s, nil
		case c == '\\':
			return d.escaped(open, start)
		case c < ' ':
			return "", d.fail(d.pos, "the control byte 0x%02x must be escaped in a string", c)
		case c >= utf8.RuneSelf:
			ascii = false
		}
		d.pos++
	}
	return "", d.fail(open, "the string that starts here has no end")
}

// escaped goes on with a string at its first backslash.
func (d *jsonDecoder) escaped(open, start int) (string, *JSONError) {
	buf := append(make([]byte, 0, d.pos-start+32), d.text[start:d.pos]...)
	if !utf8.Valid(buf) {
		return "", d.fail(start+invalidAt(d.text[start:d.pos]), "the string is not UTF-8")
	}
	for d.pos < len(d.text) {
		switch c := d.text[d.pos]; {
		case c == '"':
			d.pos++
			return string(buf), nil
		case c == '\\':
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			buf = utf8.AppendRune(buf, r)
		case c < ' ':
			return "", d.fail(d.pos, "the control byte 0x%02x must be escaped in a string", c)
		default:
			r, size := utf8.DecodeRuneInString(d.text[d.pos:])
			if r == utf8.RuneError && size == 1 {
				return "", d.fail(d.pos, "the string is not UTF-8")
			}
			buf = append(buf, d.text[d.pos:d.pos+size]...)
			d.pos += size
		}
	}
	return "", d.fail(open, "the string that starts here has no end")
}

func invalidAt(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return len(s)
}

// escape reads one escape, surrogate pairs joined.
func (d *jsonDecoder) escape() (rune, *JSONError) {
	at := d.pos
	d.pos++
	if d.pos >= len(d.text) {
		return 0, d.fail(at, "the escape is not finished")
	}
	c := d.text[d.pos]
	d.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return d.unicodeEscape(at)
	}
	d.pos--
	return 0, d.fail(at, "unknown escape: a backslash and %s", d.found())
}

func (d *jsonDecoder) unicodeEscape(at int) (rune, *JSONError) {
	r, ok := d.hex4()
	if !ok {
		return 0, d.fail(at, `expected four hexadecimal digits after \u`)
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if len(d.text)-d.pos >= 2 && d.text[d.pos] == '\\' && d.text[d.pos+1] == 'u' {
		d.pos += 2
		if low, ok := d.hex4(); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, nil
			}
		}
	}
	return 0, d.fail(at, `half of a surrogate pair: \u%04x needs its other half`, r)
}

func (d *jsonDecoder) hex4() (rune, bool) {
	if len(d.text)-d.pos < 4 {
		return 0, false
	}
	var r rune
	for _, c := range []byte(d.text[d.pos : d.pos+4]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	d.pos += 4
	return r, true
}
