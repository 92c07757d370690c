package check

import "strconv"

// An arm below a chain stands at every step that declares its word, so chains
// inside such arms multiply: forty of them, each with an arm for two steps, make
// more paths than anything could walk. Whatever follows the paths of a flow
// relies on this bound: they have at most mostPaths steps in all, or few times
// as many as the flow has in its text.
const (
	mostPaths = 10_000
	timesText = 16
)

// boundPaths refuses a flow whose shared arms multiply beyond the bound. Its
// body is then a broken one, and nothing more is said about it.
func (l *lowerer) boundPaths() {
	m := measure{sizes: map[*Chain]int{}}
	all := m.chain(l.flow.Body)
	if all <= mostPaths || all <= timesText*m.text {
		return
	}
	n := l.flow.Body.Node
	l.report("PARSE001", n.Span(), "the arms below these chains multiply: this flow has more than "+strconv.Itoa(mostPaths)+
		" steps on its paths — give the inner chains tors of their own")
	l.flow.Body = &Chain{Node: n, Steps: []*Step{{Kind: BrokenStep, Node: n}}}
	l.broken = true
}

// measure counts the steps of a flow: those in its text, and those on all paths.
type measure struct {
	sizes map[*Chain]int
	text  int
}

func (m *measure) chain(c *Chain) int {
	if c == nil {
		return 0
	}
	if n, ok := m.sizes[c]; ok {
		return n
	}
	n := len(c.Steps) + 1
	m.text += n
	for _, s := range c.Steps {
		if s.Call != nil {
			for _, a := range s.Call.Arms {
				n = min(n+m.chain(a.Body), 1<<40)
			}
		}
	}
	m.sizes[c] = n
	return n
}
