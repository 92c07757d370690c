package syntax

// quotes finds where quoted text ends that hides the braces in it. A quote that
// is not closed on its line is a quote and nothing more. So are then those that
// follow it on that line, which keeps hostile text from having its lines read
// once for each quote.
type quotes struct {
	text string
	lone [256]int // by quote: those in front of this offset close nothing
}

// skip returns the offset behind the quoted text at i, or behind the quote if it
// is not closed on its line.
func (q *quotes) skip(i int) int {
	quote := q.text[i]
	if i < q.lone[quote] {
		return i + 1
	}
	for j := i + 1; j < len(q.text); j++ {
		switch c := q.text[j]; {
		case c == quote:
			return j + 1
		case isLine(c):
			q.lone[quote] = j
			return i + 1
		case c == '\\':
			j++
		}
	}
	q.lone[quote] = len(q.text)
	return i + 1
}

// skipRegex returns the offset behind the regular expression of a JavaScript
// body at i; the slash of one that does not end on its line divides.
func (q *quotes) skipRegex(i int) int {
	if i < q.lone['/'] {
		return i + 1
	}
	class := false
	j := i + 1
	for ; j < len(q.text) && !isLine(q.text[j]); j++ {
		switch c := q.text[j]; {
		case c == '\\':
			j++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return j + 1
		}
	}
	q.lone['/'] = j
	return i + 1
}
