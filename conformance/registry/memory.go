package registry

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// Memory is what the registries have etcd for: keys with values, one revision
// that counts every write to any of them, all revisions still readable, and
// watches. The zero value is not ready: see [NewMemory].
type Memory struct {
	mu       sync.Mutex
	revision int64
	keys     map[string][]version // all versions of a key, oldest first
	log      []change             // every change, in order
	watches  map[*feed]bool
}

// version is the value of a key from one revision on; nil data says that there
// is none.
type version struct {
	revision int64
	data     []byte
}

// change is one write. The value before is nil for a new key, the value after
// for one that was deleted.
type change struct {
	key           string
	revision      int64
	before, after []byte
}

// entry is a key at one revision.
type entry struct {
	key string
	version
}

// NewMemory returns an empty memory, at the revision of an empty etcd.
func NewMemory() *Memory {
	return &Memory{revision: 1, keys: map[string][]version{}, watches: map[*feed]bool{}}
}

// Revision is that of the last write.
func (m *Memory) Revision() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.revision
}

// Get returns the value of a key now, with nil data if there is none, and the
// revision that was read at.
func (m *Memory) Get(key string) (version, int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at(key, m.revision), m.revision
}

// Put writes a value, or deletes the key if data is nil, unless the key has
// been written to since the revision expected; 0 expects no value. It returns
// the revision of the write, and whether it was made.
func (m *Memory) Put(key string, data []byte, expected int64) (int64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.at(key, m.revision)
	if now.data == nil {
		now.revision = 0
	}
	if now.revision != expected {
		return 0, false
	}
	m.write(key, now.data, data)
	return m.revision, true
}

// Range returns what the keys with a prefix were at a revision, in order.
func (m *Memory) Range(prefix string, revision int64) []entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rangeAt(prefix, revision)
}

// Clear deletes every key with a prefix, one write each.
func (m *Memory) Clear(prefix string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.rangeAt(prefix, m.revision) {
		m.write(e.key, e.data, nil)
	}
}

func (m *Memory) rangeAt(prefix string, revision int64) []entry {
	var found []entry
	for key := range m.keys {
		if strings.HasPrefix(key, prefix) {
			if v := m.at(key, revision); v.data != nil {
				found = append(found, entry{key, v})
			}
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].key < found[j].key })
	return found
}

// at returns the version of a key that was the newest at a revision.
func (m *Memory) at(key string, revision int64) version {
	for _, v := range slices.Backward(m.keys[key]) {
		if v.revision <= revision {
			return v
		}
	}
	return version{}
}

func (m *Memory) write(key string, before, after []byte) {
	m.revision++
	m.keys[key] = append(m.keys[key], version{m.revision, after})
	m.log = append(m.log, change{key, m.revision, before, after})
	for f := range m.watches {
		f.tell()
	}
}
