package frame

import "sync"

// memoSize is how many derived values a view keeps: a dashboard asks for one range and its
// previous period, and a second dashboard may look at another range.
const memoSize = 4

// memo keeps values derived from a view, the latest used first.
type memo struct {
	mu      sync.Mutex
	entries []*memoEntry
}

type memoEntry struct {
	key   any
	once  sync.Once
	value any
}

// Memo returns the value that compute derives from the view for key, computed once while it is
// among the latest used. The key must be comparable; the value must not change afterwards.
func (v *View) Memo(key any, compute func() any) any {
	v.memo.mu.Lock()
	var entry *memoEntry
	for i, e := range v.memo.entries {
		if e.key == key {
			entry = e
			copy(v.memo.entries[1:i+1], v.memo.entries[:i])
			v.memo.entries[0] = e
			break
		}
	}
	if entry == nil {
		entry = &memoEntry{key: key}
		if len(v.memo.entries) < memoSize {
			v.memo.entries = append(v.memo.entries, nil)
		}
		copy(v.memo.entries[1:], v.memo.entries)
		v.memo.entries[0] = entry
	}
	v.memo.mu.Unlock()
	entry.once.Do(func() { entry.value = compute() })
	return entry.value
}
