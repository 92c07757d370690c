package bridge

import (
	"math/big"
	"strconv"

	"github.com/koru-go/koru/check"
)

// The tokens of the grammar. Control bytes are left out of all text but for
// tabs and line ends: a model has no use for them.

// mostBlanks is how long a run of blanks may be. A decoder that may go on with
// them for ever sometimes does.
const mostBlanks = 20

// blank is blanks within a line.
func (l *legal) blank() *rule {
	return l.token("blank", "", func() expr { return repeat{class(` \t`), 1, mostBlanks} })
}

// blanks is blanks, or nothing. That what may be missing is a rule of its own
// keeps sequences of it small where a reader writes out all combinations.
func (l *legal) blanks() *rule {
	return l.rule("blanks", "", func() expr { return optional(l.blank()) })
}

// gaps are the blanks within brackets, where lines may end, or nothing.
func (l *legal) gaps() *rule {
	return l.rule("gaps", "", func() expr {
		return optional(l.token("gap", "", func() expr { return repeat{class(` \t\r\n`), 1, mostBlanks} }))
	})
}

func (l *legal) newline() *rule {
	return l.token("newline", "", func() expr { return alt{text("\r\n"), text("\n")} })
}

// line is text to the end of a line.
func (l *legal) line() *rule {
	return l.token("line", "", func() expr { return repeat{class(`^\x00-\x08\x0A-\x1F`), 1, -1} })
}

// spoken is what a say: line says.
func (l *legal) spoken() *rule {
	if !l.names.Strict {
		return l.line()
	}
	return l.token("spoken", "", func() expr {
		return seq{class(` \t`), l.around(class(`^{\x00-\x08\x0A-\x1F`))}
	})
}

// word is a plain name.
func (l *legal) word() *rule {
	return l.token("word", "", func() expr { return seq{class(letters), star(class(wordLetters))} })
}

// name is what a payload can be bound to. No rN is bound anew (R34), unless
// there is no value to bind to it.
func (l *legal) name(value bool) *rule {
	if !value {
		return l.word()
	}
	return l.token("name", "", func() expr {
		more := star(class(wordLetters))
		return alt{
			seq{class("A-Z_a-qs-z"), more},
			seq{text("r"), class("1-9"), star(class(digits)), class(letters), more},
			seq{text("r"), class("0A-Z_a-z"), more},
			text("r"),
		}
	})
}

// quoted is a quoted text, of so many bytes at most if limit is not 0.
func (l *legal) quoted(limit int) *rule {
	switch {
	case limit > 0:
		return l.token("quoted-"+strconv.Itoa(limit), "", func() expr { return seq{text(`"`), l.limited(limit), text(`"`)} })
	case !l.names.Strict:
		return l.string()
	}
	return l.token("quoted", "", func() expr {
		escape := seq{text(`\`), class(`^\x00-\x1F`)}
		return seq{text(`"`), l.around(alt{class(`^"\\{\x00-\x08\x0B\x0C\x0E-\x1F`), escape}), text(`"`)}
	})
}

// string is a quoted text of any length. A backslash takes what is behind it
// along, so that a quote may stand there (bridge.md 5.2).
func (l *legal) string() *rule {
	return l.token("string", "", func() expr { return seq{text(`"`), star(l.char()), text(`"`)} })
}

func (l *legal) char() *rule {
	return l.token("char", "", func() expr {
		return alt{class(`^"\\\x00-\x08\x0B\x0C\x0E-\x1F`), seq{text(`\`), class(`^\x00-\x1F`)}}
	})
}

// around is text of pieces that are no brace, with splices in it that name
// something. A brace may stand alone.
func (l *legal) around(piece expr) expr {
	return seq{star(alt{piece, l.token("splice", "", l.anySplice), seq{text("{"), piece}}), optional(text("{"))}
}

func (l *legal) anySplice() expr {
	names := alt{l.path(nil)}
	if l.names.Live != nil {
		names = alt{l.local()}
		for i := range l.live {
			if p := &l.live[i]; !p.handle { // a handle is not text
				names = append(names, text(p.path))
			}
		}
	}
	return seq{text("{{"), optional(l.blank()), names, optional(l.blank()), text("}}")}
}

// spliced is a quoted text that names something of which nothing is known yet:
// what the text will be cannot be judged before the reply runs.
func (l *legal) spliced() *rule {
	return l.token("spliced", "", func() expr {
		var known []string
		for i := range l.live {
			known = append(known, l.live[i].path)
		}
		return seq{
			text(`"`), star(l.char()), text("{{"), optional(l.blank()), l.path(known), optional(l.blank()), text("}}"),
			star(l.char()), text(`"`),
		}
	})
}

// limited is text of so many bytes at most, without splices. In longer texts
// only characters of one byte are offered, and no braces, so that they need not
// be counted by their size.
func (l *legal) limited(limit int) expr {
	const counted = 64
	one := alt{class(` !#-[\]-z|}~\t\n\r`), seq{text(`\`), class(`"\\/nrt`)}}
	if limit > counted {
		return repeat{one, 0, min(limit, 1000)}
	}
	sizes := []expr{one, class(`\u0080-\u07FF`), class(`\u0800-\uFFFF`), class(`\U00010000-\U0010FFFF`)}
	more := make([]expr, limit+1) // by how many bytes are left
	more[0] = seq{}
	for n := 1; n <= limit; n++ {
		more[n] = optional(l.token("up-to-"+strconv.Itoa(n), "", func() expr {
			var choices alt
			for size := min(n, len(sizes)); size >= 1; size-- {
				choices = append(choices, seq{sizes[size-1], more[n-size]})
			}
			for size := min(n-1, len(sizes)); size >= 1; size-- {
				choices = append(choices, seq{text("{"), sizes[size-1], more[n-1-size]})
			}
			return append(choices, text("{"))
		}))
	}
	return more[limit]
}

// jsonText is the inside of a JSON text within a quoted text: its backslashes
// are escaped.
func (l *legal) jsonText(limit int) expr {
	if limit > 0 {
		return repeat{class(` !#-[\]-~`), 0, min(limit, 1000)}
	}
	return star(l.token("json-char", "", func() expr {
		return alt{class(`^"\\\x00-\x1F`), seq{text(`\\`), alt{class(`bfnrt/`), text(`\"`), text(`\\`)}}}
	}))
}

// number is the numbers that a type holds.
func (l *legal) number(t *check.Type) *rule {
	if t.Kind == check.FloatType {
		return l.float()
	}
	return l.token("number-"+t.Name, "", func() expr {
		if !t.Signed {
			return append(upTo(greatest(t.Bits)), text("0"))
		}
		most := greatest(t.Bits - 1)
		least := new(big.Int).Add(most, big.NewInt(1))
		return append(upTo(most), text("0"), seq{text("-"), append(upTo(least), text("0"))})
	})
}

// greatest is the greatest number of so many bits.
func greatest(bits int) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return n.Sub(n, big.NewInt(1))
}

// upTo is the numbers from 1 to the one given. The long ones come first, so
// that a reader that takes the first that matches takes all of a number.
func upTo(most *big.Int) alt {
	top := most.String()
	choices := alt{text(top)}
	for i := len(top) - 1; i >= 0; i-- { // the same digits up to i, and there a lesser one
		first := byte('0')
		if i == 0 {
			first = '1'
		}
		if top[i] == first {
			continue
		}
		var lesser seq
		if i > 0 {
			lesser = seq{text(top[:i])}
		}
		lesser = append(lesser, class(string([]byte{first, '-', top[i] - 1})))
		if behind := len(top) - i - 1; behind > 0 {
			lesser = append(lesser, repeat{class(digits), behind, behind})
		}
		choices = append(choices, lesser)
	}
	if len(top) > 1 {
		choices = append(choices, seq{class("1-9"), repeat{class(digits), 0, len(top) - 2}})
	}
	return choices
}

// float is decimal numbers. Thirty digits are more than any float keeps.
func (l *legal) float() *rule {
	return l.token("float", "", func() expr {
		digit := class(digits)
		return seq{
			optional(text("-")), alt{seq{class("1-9"), repeat{digit, 0, 29}}, text("0")},
			optional(seq{text("."), repeat{digit, 1, 30}}),
		}
	})
}
