package frame

import (
	"slices"
	"sync"
)

// Memo keeps as many derived values as its size, the latest used. It may be used by several goroutines.
type Memo[K comparable, V any] struct {
	Size  int
	Keeps func(V) bool // whether a value is kept once those who wait for it have it; nil keeps every value

	mu      sync.Mutex
	entries []*memoEntry[K, V]
}

type memoEntry[K comparable, V any] struct {
	key   K
	once  sync.Once
	value V
	fault any // why there is no value
}

// Get returns what compute derives for key, computed once while it is among the latest used. The value
// must not change afterwards. A panic of compute, such as a fault of a mapped file, is one of every Get of its key.
func (m *Memo[K, V]) Get(key K, compute func() V) V {
	m.mu.Lock()
	var entry *memoEntry[K, V]
	for i, e := range m.entries {
		if e.key == key {
			entry = e
			copy(m.entries[1:i+1], m.entries[:i])
			m.entries[0] = e
			break
		}
	}
	if entry == nil {
		entry = &memoEntry[K, V]{key: key}
		if len(m.entries) < m.Size {
			m.entries = append(m.entries, nil)
		}
		copy(m.entries[1:], m.entries)
		m.entries[0] = entry
	}
	m.mu.Unlock()
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

func (m *Memo[K, V]) forget(entry *memoEntry[K, V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries = slices.DeleteFunc(m.entries, func(e *memoEntry[K, V]) bool { return e == entry })
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
