package registry

import (
	"context"
	"strings"
)

// feed is one watch on a Memory: the changes after a revision to the keys with
// a prefix, and after each batch of them the revision that was reached, even if
// nothing with the prefix changed. (etcd tells that when it is asked to; a
// memory that always does has watch caches that are never behind.)
type feed struct {
	memory *Memory
	prefix string
	next   int // index in the memory's log
	wake   chan struct{}
}

// follow begins a watch after a revision.
func (m *Memory) follow(prefix string, after int64) *feed {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := &feed{memory: m, prefix: prefix, wake: make(chan struct{}, 1)}
	for f.next < len(m.log) && m.log[f.next].revision <= after {
		f.next++
	}
	m.watches[f] = true
	f.tell()
	return f
}

// leave ends the watch.
func (f *feed) leave() {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	delete(f.memory.watches, f)
}

// tell wakes the reader, if it is not awake anyway.
func (f *feed) tell() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// more waits for changes, and returns them and the revision they lead to. It
// reports false once the context has ended.
func (f *feed) more(ctx context.Context) (changes []change, revision int64, ok bool) {
	select {
	case <-ctx.Done():
		return nil, 0, false
	case <-f.wake:
	}
	m := f.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; f.next < len(m.log); f.next++ {
		if c := m.log[f.next]; strings.HasPrefix(c.key, f.prefix) {
			changes = append(changes, c)
		}
	}
	return changes, m.revision, true
}
