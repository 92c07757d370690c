package eval

// Weight estimates what a value costs in bytes: three words a value and the
// length of its text. Shared parts count each time they are reached, as they do
// when the value is printed, so a small value that contains itself over and
// over weighs what its JSON would. Counting stops as soon as the weight passes
// limit; a result above limit means "too heavy", not how heavy.
func Weight(v Value, limit int) int {
	const words = 24
	var room [16]Value
	stack := append(room[:0], v)
	weight := 0
	for len(stack) > 0 && weight <= limit {
		v = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		weight += words
		switch v.kind {
		case String:
			weight += v.Len()
		case List, Record:
			stack = append(stack, v.Elems()...)
		}
	}
	return weight
}
