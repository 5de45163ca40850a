package frame

import (
	"slices"
	"sync"
)

// Memo keeps as many derived values as its size, the latest used. It may be used by several goroutines.
type Memo[K comparable, V any] struct {
	Size  int
	Bytes int          // what those that say what they take may take together
	Keeps func(V) bool // whether a value is kept once those who wait for it have it; nil keeps every value

	mu      sync.Mutex
	entries []*memoEntry[K, V]
	bytes   int
}

type memoEntry[K comparable, V any] struct {
	key   K
	bytes int
	once  sync.Once
	value V
	fault any // why there is no value
}

// Get returns what compute derives for key, computed once while it is among the latest used. The value
// must not change afterwards. A panic of compute, such as a fault of a mapped file, is one of every Get of its key.
func (m *Memo[K, V]) Get(key K, compute func() V) V { return m.GetOf(0, key, compute) }

// GetOf is Get for a value of so many bytes. One that takes more than half of what all may take is computed each time,
// and makes no other give way.
func (m *Memo[K, V]) GetOf(bytes int, key K, compute func() V) V {
	if bytes > m.Bytes/2 {
		return compute()
	}
	entry := m.use(key, bytes)
	entry.once.Do(func() {
		defer func() { entry.fault = recover() }()
		entry.value = compute()
		if m.Keeps != nil && !m.Keeps(entry.value) {
			m.forget(entry)
		}
	})
	if entry.fault != nil {
		panic(entry.fault) // of everybody who asks: else the others would find a zero value
	}
	return entry.value
}

// use returns the entry of a key, which is the latest used from now on; those that were not used for longest give way.
func (m *Memo[K, V]) use(key K, bytes int) *memoEntry[K, V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.entries, func(e *memoEntry[K, V]) bool { return e.key == key }); i >= 0 {
		entry := m.entries[i]
		copy(m.entries[1:i+1], m.entries[:i])
		m.entries[0] = entry
		return entry
	}
	m.bytes += bytes
	for last := len(m.entries) - 1; last >= 0 && (last >= m.Size-1 || m.bytes > m.Bytes); last-- {
		m.bytes -= m.entries[last].bytes
		m.entries = slices.Delete(m.entries, last, last+1)
	}
	m.entries = slices.Insert(m.entries, 0, &memoEntry[K, V]{key: key, bytes: bytes})
	return m.entries[0]
}

func (m *Memo[K, V]) forget(entry *memoEntry[K, V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.entries, entry); i >= 0 {
		m.bytes -= entry.bytes
		m.entries = slices.Delete(m.entries, i, i+1)
	}
}

// memoSize is how many derived values a view keeps: a dashboard asks for one range and its
// previous period, of sessions, of their rows and of runs, and a second dashboard may look at another range.
const memoSize = 12

// derivedKey is the key of a value of type V, so that values of several types may share a view's memo.
type derivedKey[K comparable, V any] struct{ key K }

// Derive returns the value that compute derives from the view for key, computed once while it is among
// the latest used, and kept as long as the view. The value must not change afterwards.
func Derive[K comparable, V any](v *View, key K, compute func() V) V {
	return v.memo.Get(derivedKey[K, V]{key}, func() any { return compute() }).(V)
}
