package check

import "strings"

// Nearest returns the candidate that name was probably meant to be, or "" if
// none is near: a respelling between kebab, snake and camel case, or at most two
// slips away, one for names of up to three letters. Of equally near ones the
// first wins (R8, R55).
func Nearest(name string, candidates []string) string {
	limit := 2
	if len(lastSegment(name)) <= 3 {
		limit = 1
	}
	best, found := limit+1, ""
	plain := respell(name)
	for _, c := range candidates {
		if c == name || c == "" {
			continue
		}
		d := 1
		if respell(c) != plain {
			d = distance(name, c, best-1)
		}
		if d < best {
			best, found = d, c
		}
	}
	return found
}

func lastSegment(name string) string {
	return name[strings.LastIndexAny(name, "/:.")+1:]
}

// respell removes what differs between the spellings of one name.
func respell(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r == '-' || r == '_' || r >= 'A' && r <= 'Z' }) < 0 {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '-' || c == '_':
		case c >= 'A' && c <= 'Z':
			b.WriteByte(c + 'a' - 'A')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// distance counts the slips between two names: letters missing, added, wrong or
// swapped with their neighbour. It gives up beyond limit and returns limit+1.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || limit < 0 {
		return limit + 1
	}
	const short = 64 // names of usual length need no allocation
	var slab [3 * (short + 1)]int
	rows := slab[:]
	if len(b) > short {
		rows = make([]int, 3*(len(b)+1))
	}
	n := len(b) + 1
	before, last, row := rows[:n], rows[n:2*n], rows[2*n:3*n]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
