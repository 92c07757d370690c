package stdlib

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/koru-go/koru/eval"
)

// MaxText is the greatest number of bytes an owned text grows to.
const MaxText = 64 << 20

// String is owned text: the object behind the handle *String of std/string.
// Whether it is a view or an instance is a matter of possession, which the
// checker and the session judge; the object is the same.
type String struct {
	buf []byte
	// text is what buf holds, if read says that it was read since the last
	// change: reading again costs nothing.
	text string
	read bool
}

// NewString returns an owned copy of a text.
func NewString(text string) *String { return &String{text: text, buf: []byte(text), read: true} }

// Text returns the text as it is now.
func (s *String) Text() string {
	if !s.read {
		s.text, s.read = string(s.buf), true
	}
	return s.text
}

func (s *String) change(buf []byte) { s.buf, s.text, s.read = buf, "", false }

var stringVerbs = map[string]eval.Func{
	"from-page":   stringNew,
	"new":         stringNew,
	"take":        withString(stringSame),
	"release":     withString(stringSame),
	"free":        withString(stringFree),
	"read":        withString(stringRead),
	"len":         withString(stringLen),
	"append":      withString(stringAppend),
	"append-char": withString(stringAppendChar),
	"pop-char":    withString(stringPopChar),
	"clear":       withString(stringClear),
	"split":       stringSplit,
	"contains":    withString(stringContains),
	"index-of":    withString(stringIndexOf),
	"substring":   withString(stringSubstring),
	"parse-int":   withString(stringParseInt),
	"from-int":    stringFromInt,
}

// withString gives a body the text behind its field s.
func withString(body func(*eval.Call, *String) (eval.Outcome, error)) eval.Func {
	return func(c *eval.Call) (eval.Outcome, error) {
		s, ok := c.Arg("s").Object().(*String)
		if !ok {
			return eval.Outcome{}, errors.New("'s' wants a String of std/string")
		}
		return body(c, s)
	}
}

func mintString(text string) (eval.Outcome, error) {
	return eval.Delivered("ok", eval.HandleValue("", NewString(text))), nil
}

// unable is the outcome err of the modules that have one.
func unable(format string, args ...any) (eval.Outcome, error) {
	return eval.Delivered("err", eval.StringValue(fmt.Sprintf(format, args...))), nil
}

func stringNew(c *eval.Call) (eval.Outcome, error) {
	text := c.Arg("text").Str()
	if len(text) > MaxText {
		return unable("a String holds at most %d bytes", MaxText)
	}
	return mintString(text)
}

// stringSame hands the handle on: view and instance are one object.
func stringSame(c *eval.Call, _ *String) (eval.Outcome, error) {
	return eval.Delivered("", c.Arg("s")), nil
}

func stringFree(_ *eval.Call, s *String) (eval.Outcome, error) {
	s.change(nil)
	return eval.Outcome{}, nil
}

func stringRead(_ *eval.Call, s *String) (eval.Outcome, error) {
	return eval.Delivered("", eval.StringValue(s.Text())), nil
}

func stringLen(_ *eval.Call, s *String) (eval.Outcome, error) {
	return eval.Delivered("", eval.IntValue(int64(len(s.buf)))), nil
}

func stringAppend(c *eval.Call, s *String) (eval.Outcome, error) {
	text := c.Arg("text").Str()
	if len(s.buf)+len(text) > MaxText {
		return unable("a String holds at most %d bytes", MaxText)
	}
	s.change(append(s.buf, text...))
	return eval.Fired("ok"), nil
}

func stringAppendChar(c *eval.Call, s *String) (eval.Outcome, error) {
	ch, ok := c.Arg("ch").Int()
	switch {
	case !ok || ch < 0 || ch > 255:
		return unable("a character is a number from 0 to 255, got %s", eval.Describe(c.Arg("ch")))
	case len(s.buf) == MaxText:
		return unable("a String holds at most %d bytes", MaxText)
	}
	s.change(append(s.buf, byte(ch)))
	return eval.Fired("ok"), nil
}

func stringPopChar(_ *eval.Call, s *String) (eval.Outcome, error) {
	_, size := utf8.DecodeLastRune(s.buf)
	s.change(s.buf[:len(s.buf)-size])
	return eval.Outcome{}, nil
}

func stringClear(_ *eval.Call, s *String) (eval.Outcome, error) {
	s.change(s.buf[:0])
	return eval.Outcome{}, nil
}

func stringSplit(c *eval.Call) (eval.Outcome, error) {
	rest, sep := c.Arg("s").Str(), c.Arg("sep").Str()
	for n := int64(1); ; n++ {
		piece, after, more := rest, "", false
		if sep != "" {
			piece, after, more = strings.Cut(rest, sep)
		}
		if err := c.Context.Err(); err != nil {
			return eval.Outcome{}, err
		}
		if _, err := c.Fire("piece", eval.StringValue(piece)); err != nil {
			return eval.Outcome{}, err
		}
		if !more {
			return eval.Delivered("done", eval.IntValue(n)), nil
		}
		rest = after
	}
}

func stringContains(c *eval.Call, s *String) (eval.Outcome, error) {
	if strings.Contains(s.Text(), c.Arg("needle").Str()) {
		return eval.Fired("yes"), nil
	}
	return eval.Fired("no"), nil
}

func stringIndexOf(c *eval.Call, s *String) (eval.Outcome, error) {
	if i := strings.Index(s.Text(), c.Arg("needle").Str()); i >= 0 {
		return eval.Delivered("found", eval.IntValue(int64(i))), nil
	}
	return eval.Fired("not-found"), nil
}

func stringSubstring(c *eval.Call, s *String) (eval.Outcome, error) {
	start, ok := c.Arg("start").Int()
	end, ok2 := c.Arg("end").Int()
	if !ok || !ok2 || start < 0 || start > end || end > int64(len(s.buf)) {
		return unable("%s to %s is no part of a String of %d bytes", c.Arg("start").Big(), c.Arg("end").Big(), len(s.buf))
	}
	return mintString(s.Text()[start:end])
}

func stringParseInt(_ *eval.Call, s *String) (eval.Outcome, error) {
	n, err := strconv.ParseInt(s.Text(), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return unable("%s does not fit 64 bits", clipped(s.Text()))
	case err != nil:
		return unable("%s is not a whole number", eval.Describe(eval.StringValue(s.Text())))
	}
	return eval.Delivered("ok", eval.IntValue(n)), nil
}

func stringFromInt(c *eval.Call) (eval.Outcome, error) { return mintString(c.Arg("n").Big().String()) }

// clipped cuts a text that a message repeats to what a message can bear.
func clipped(text string) string {
	const room = 120
	if len(text) <= room {
		return text
	}
	cut := room
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
