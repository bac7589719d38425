package sim

// fifo is a queue in order of arrival: events of the present instant, and what
// happened to a host while it was paused. It is a ring that doubles when it is full.
type fifo struct {
	n    uint
	head uint
	ring []ref // length is 0 or a power of two
}

func (q *fifo) len() int { return int(q.n) }

func (q *fifo) push(r ref) {
	if q.n == uint(len(q.ring)) {
		q.grow()
	}
	q.ring[(q.head+q.n)&uint(len(q.ring)-1)] = r
	q.n++
}

// pop removes the oldest element. The queue must not be empty.
func (q *fifo) pop() ref {
	r := q.ring[q.head]
	q.head = (q.head + 1) & uint(len(q.ring)-1)
	q.n--
	return r
}

// filter drops the elements that keep refuses.
func (q *fifo) filter(keep func(ref) bool) {
	for range q.n {
		if r := q.pop(); keep(r) {
			q.push(r)
		}
	}
}

func (q *fifo) grow() {
	bigger := make([]ref, max(8, 2*len(q.ring)))
	for i := range q.n {
		bigger[i] = q.ring[(q.head+i)&uint(len(q.ring)-1)]
	}
	q.ring, q.head = bigger, 0
}
