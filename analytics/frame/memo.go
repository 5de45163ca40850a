package frame

import "sync"

// Memo keeps as many derived values as its size, the latest used. It may be used by several goroutines.
type Memo struct {
	Size int

	mu      sync.Mutex
	entries []*memoEntry
}

type memoEntry struct {
	key   any
	once  sync.Once
	value any
}

// Get returns what compute derives for key, computed once while it is among the latest used. The key
// must be comparable; the value must not change afterwards.
func (m *Memo) Get(key any, compute func() any) any {
	m.mu.Lock()
	var entry *memoEntry
	for i, e := range m.entries {
		if e.key == key {
			entry = e
			copy(m.entries[1:i+1], m.entries[:i])
			m.entries[0] = e
			break
		}
	}
	if entry == nil {
		entry = &memoEntry{key: key}
		if len(m.entries) < m.Size {
			m.entries = append(m.entries, nil)
		}
		copy(m.entries[1:], m.entries)
		m.entries[0] = entry
	}
	m.mu.Unlock()
	entry.once.Do(func() { entry.value = compute() })
	return entry.value
}

// memoSize is how many derived values a view keeps: a dashboard asks for one range and its
// previous period, and a second dashboard may look at another range.
const memoSize = 4

// Memo returns the value that compute derives from the view for key, see Memo.Get.
func (v *View) Memo(key any, compute func() any) any { return v.memo.Get(key, compute) }
