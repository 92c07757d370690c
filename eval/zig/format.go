package zig

import "strings"

// format carries out a format string: {s} text, {d} numbers, {} any; {{ and }}
// are braces.
func (f *frame) format(off int, format, args value) []byte {
	if f.err != nil {
		return nil
	}
	if !format.isText() || args.kind != anonValue || len(args.anon.names) > 0 {
		f.fail(off, "a format is a text and a tuple: \"{s}\", .{ value }")
		return nil
	}
	var out []byte
	rest, next := string(format.bytes()), 0
	for rest != "" && f.err == nil {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			out = append(out, rest...)
			break
		}
		out = append(out, rest[:i]...)
		if strings.HasPrefix(rest[i:], "{{") || strings.HasPrefix(rest[i:], "}}") {
			out = append(out, rest[i])
			rest = rest[i+2:]
			continue
		}
		end := strings.IndexByte(rest[i:], '}')
		if rest[i] == '}' || end < 0 {
			f.fail(off, "the format has a brace without its partner")
			return nil
		}
		if next >= len(args.anon.vals) {
			f.fail(off, "the format wants more than %d values", next)
			return nil
		}
		out = f.spec(off, out, rest[i+1:i+end], args.anon.vals[next])
		next++
		rest = rest[i+end+1:]
		if len(out) > maxText {
			f.fail(off, "this text is longer than %d bytes", maxText)
		}
	}
	if f.err == nil && next < len(args.anon.vals) {
		f.fail(off, "the format uses %d of %d values", next, len(args.anon.vals))
	}
	return out
}

// spec prints one value by its spec.
func (f *frame) spec(off int, out []byte, spec string, v value) []byte {
	switch {
	case spec == "s" && v.isText():
		return append(out, v.bytes()...)
	case (spec == "d" || spec == "" || spec == "any") && v.kind == intValue:
		return v.integer().Append(out, 10)
	case (spec == "d" || spec == "" || spec == "any") && v.kind == floatValue:
		return append(out, floatText(v.f)...)
	case (spec == "" || spec == "any") && v.kind == boolValue:
		if v.n != 0 {
			return append(out, "true"...)
		}
		return append(out, "false"...)
	case spec == "" || spec == "s" || spec == "d" || spec == "any":
		f.fail(off, "{%s} does not print %s", spec, v.kindName())
	default:
		f.fail(off, "the format {%s} is beyond the Zig that is evaluated here: use {s}, {d} or {}", spec)
	}
	return out
}
