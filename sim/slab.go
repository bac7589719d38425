package sim

// slab holds what events do. A slot is 32 bytes, two to a cache line; freed
// slots are taken again last in, first out, while they are warm.
type slab struct {
	slots []slot
	free  []uint32
}

// slot is one scheduled event, wherever its entry is: in the queue, in the
// FIFO, or held by a paused host. The key tells an entry or a Timer whether the
// slot is still its own; keys are never used twice, and 0 is a free slot.
type slot struct {
	key   uint64
	f     func()
	life  *life // nil: an event of no host
	cause uint64
}

// ref names a slot as long as it holds the event it was given to.
type ref struct {
	key  uint64
	slot uint32
}

func (s *slab) alloc() uint32 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i
	}
	s.slots = append(s.slots, slot{})
	return uint32(len(s.slots) - 1)
}

func (s *slab) release(i uint32) {
	s.slots[i] = slot{}
	s.free = append(s.free, i)
}

// used returns the number of slots that are not free.
func (s *slab) used() int { return len(s.slots) - len(s.free) }
