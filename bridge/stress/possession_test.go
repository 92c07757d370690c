package stress

import "testing"

// Forged closes are refused before their body, whoever else talks to the same
// session or to others at the time; the real ones are accepted (B30). The race
// detector looks on when the tests run under it.
func TestPossession(t *testing.T) {
	for _, p := range []Possession{
		{Forged: 10_000, Sessions: 1, Threads: 1},
		{Forged: 500, Sessions: 6, Threads: 4},
	} {
		r, err := p.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !r.Holds() || r.Real != int64(2*p.Sessions) {
			t.Errorf("%+v: %+v", p, r)
		}
	}
}
