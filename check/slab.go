package check

// slab hands out values one by one and allocates them many at a time: a program
// has thousands of small records that live and die with it. Only the phase that
// declares may use one, for that phase runs alone; closed, a slab allocates each
// value by itself.
type slab[T any] struct {
	free []T
	open bool
}

func (s *slab[T]) new(v T) *T {
	if !s.open {
		p := new(T)
		*p = v
		return p
	}
	if len(s.free) == 0 {
		s.free = make([]T, 64)
	}
	p := &s.free[0]
	*p = v
	s.free = s.free[1:]
	return p
}

// slabs are the records that the declarations of one module are made of.
type slabs struct {
	tors     slab[Tor]
	fields   slab[Field]
	outcomes slab[Outcome]
	types    slab[Type]
	phantoms slab[Phantom]
}

func (s *slabs) open() {
	s.tors.open, s.fields.open, s.outcomes.open, s.types.open, s.phantoms.open = true, true, true, true, true
}
