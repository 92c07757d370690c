package zig

import (
	"bytes"

	"github.com/koru-go/koru/eval"
)

// format carries out a format string: {s} text, {d} numbers, {} numbers,
// booleans and text; {{ and }} are braces.
func (f *frame) format(off int, format, args value) []byte {
	if f.err == nil && (!format.isText() || args.kind != anonValue || len(args.anon.names) > 0) {
		f.fail(off, "prints without a text and a tuple: \"{s}\", .{ value }")
	}
	if f.err != nil {
		return nil
	}
	var out []byte
	rest, used := format.bytes(), 0
	for f.err == nil {
		i := bytes.IndexAny(rest, "{}")
		if i < 0 {
			out = append(out, rest...)
			break
		}
		out = append(out, rest[:i]...)
		if i+1 < len(rest) && rest[i+1] == rest[i] {
			out = append(out, rest[i])
			rest = rest[i+2:]
			continue
		}
		end := bytes.IndexByte(rest[i:], '}')
		switch {
		case rest[i] == '}' || end < 0:
			f.fail(off, "has a format with a brace that lacks its partner")
		case used >= len(args.anon.vals):
			f.fail(off, "has a format for more than %d values", used)
		default:
			out = f.spec(off, out, string(rest[i+1:i+end]), args.anon.vals[used])
			used++
			rest = rest[i+end+1:]
			if len(out) > maxText {
				f.fail(off, "made a text longer than %d bytes", maxText)
			}
		}
	}
	if f.err == nil && used < len(args.anon.vals) {
		f.fail(off, "has a format for %d of %d values", used, len(args.anon.vals))
	}
	f.charge(off, len(out))
	return out
}

// spec prints one value by its spec.
func (f *frame) spec(off int, out []byte, spec string, v value) []byte {
	switch spec {
	case "s":
		if v.isText() {
			return append(out, v.bytes()...)
		}
	case "d":
		if v.isNumber() {
			return eval.AppendNumber(out, v.koru)
		}
	case "", "any":
		switch {
		case v.isText():
			return append(out, v.bytes()...)
		case v.isNumber(), v.kind == boolValue, v.kind == nullValue:
			return eval.AppendText(out, v.koru)
		}
	default:
		f.fail(off, "has the format {%s}: {s}, {d} and {} are evaluated here", spec)
		return out
	}
	f.fail(off, "prints %s with {%s}", v.describe(), spec)
	return out
}
