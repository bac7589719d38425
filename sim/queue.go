package sim

import "math/bits"

// queue is the event set: a 4-ary heap, ordered by (at, key).
//
// An entry holds no pointer, so the garbage collector never looks inside, and a
// sift moves 24 bytes. What the event does lies in the slab, under slot.
//
// pop leaves a hole at the root instead of closing it: an event usually
// schedules its successor, and push then drops that one into the hole and sifts
// once, where closing and pushing would sift twice.
type queue struct {
	heap []entry
	hole bool // heap[0] has been popped
}

// entry is an event in the queue. No two entries of a queue have the same key.
type entry struct {
	at   Time
	key  uint64
	slot uint32
}

// less orders by (at, key) without a branch: which of four children is the
// earliest is a coin toss no predictor wins.
func (a *entry) less(b *entry) bool {
	_, borrow := bits.Sub64(a.key, b.key, 0)
	_, borrow = bits.Sub64(uint64(a.at), uint64(b.at), borrow)
	return borrow != 0
}

const arity = 4

// len returns the number of entries.
func (q *queue) len() int {
	if q.hole {
		return len(q.heap) - 1
	}
	return len(q.heap)
}

// min returns the earliest entry, or nil. It is valid until the next call.
func (q *queue) min() *entry {
	if q.hole {
		q.close()
	}
	if len(q.heap) == 0 {
		return nil
	}
	return &q.heap[0]
}

// pop removes the entry that min has just returned.
func (q *queue) pop() { q.hole = true }

// push adds an entry.
func (q *queue) push(x entry) {
	if q.hole {
		q.hole = false
		q.down(0, x)
		return
	}
	q.heap = append(q.heap, x)
	q.up(len(q.heap)-1, x)
}

// close fills the hole at the root with the last entry.
func (q *queue) close() {
	q.hole = false
	last := len(q.heap) - 1
	x := q.heap[last]
	q.heap = q.heap[:last]
	if last > 0 {
		q.down(0, x)
	}
}

// filter drops the entries that keep refuses and rebuilds the heap.
func (q *queue) filter(keep func(entry) bool) {
	if q.hole {
		q.close()
	}
	kept := q.heap[:0]
	for _, x := range q.heap {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	q.heap = kept
	for i := (len(kept) - 2) / arity; i >= 0 && len(kept) > 1; i-- {
		q.down(i, kept[i])
	}
}

// up puts x where it belongs on the way from the empty place i to the root.
func (q *queue) up(i int, x entry) {
	h := q.heap
	for i > 0 {
		parent := (i - 1) / arity
		if !x.less(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = x
}

// down puts x where it belongs on the way from the empty place i to the leaves.
func (q *queue) down(i int, x entry) {
	h := q.heap
	for {
		first := arity*i + 1
		if first >= len(h) {
			break
		}
		best := first
		for c := first + 1; c < min(first+arity, len(h)); c++ {
			if h[c].less(&h[best]) {
				best = c
			}
		}
		if !h[best].less(&x) {
			break
		}
		h[i] = h[best]
		i = best
	}
	h[i] = x
}
