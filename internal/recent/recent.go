// Package recent remembers what was done recently, in memory of a fixed size: whoever counts something once asks here
// before asking the database.
package recent

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

const (
	// bits is the size of a memory: 2^20 marks are 8 MiB.
	bits = 20
	// ways is how many places a mark may take: those of a line of the processor's cache. With one place two people of
	// whom each pushes the other out would be written at every visit.
	ways = 8
)

// Mark stands for a text and some numbers. Two different ones have the same mark about once in 2^64 times.
type Mark uint64

// Memory holds marks. A mark may push another one out, so what is in it was added, and what isn't may have been. The
// zero value is not ready, see [New]. It is safe for use by many goroutines.
type Memory struct {
	// The seed is secret, so that nobody can make a text whose mark is another's.
	seed   maphash.Seed
	making sync.Mutex
	places atomic.Pointer[[]atomic.Uint64] // nil until the first mark is added
}

// New makes an empty memory, which takes no room yet.
func New() *Memory { return &Memory{seed: maphash.MakeSeed()} }

// Mark returns the mark of a text and words.
func (m *Memory) Mark(text string, words ...uint64) Mark {
	h := maphash.String(m.seed, text)
	for _, word := range words {
		h = (h ^ word) * 0x9e3779b97f4a7c15 // 2^64 over the golden ratio: spreads each word over all bits above it
		h ^= h >> 32
	}
	return Mark(h | 1) // 0 stands for nothing
}

// Has tells whether a mark was added and is remembered.
func (m *Memory) Has(mark Mark) bool {
	places := m.places.Load()
	return places != nil && find(*places, mark, uint64(mark)) != nil
}

// Add remembers a mark.
func (m *Memory) Add(mark Mark) {
	places := m.places.Load()
	if places == nil {
		places = m.make()
	}
	if find(*places, mark, uint64(mark)) != nil {
		return
	}
	place := find(*places, mark, 0)
	if place == nil {
		place = &line(*places, mark)[mark>>1%ways]
	}
	place.Store(uint64(mark))
}

// Remove forgets a mark.
func (m *Memory) Remove(mark Mark) {
	if places := m.places.Load(); places != nil {
		if place := find(*places, mark, uint64(mark)); place != nil {
			place.CompareAndSwap(uint64(mark), 0)
		}
	}
}

// line returns the places that a mark may take.
func line(places []atomic.Uint64, mark Mark) []atomic.Uint64 {
	first := mark >> (64 - bits) &^ (ways - 1)
	return places[first : first+ways]
}

// find returns the place of a mark that has a value, or nil.
func find(places []atomic.Uint64, mark Mark, value uint64) *atomic.Uint64 {
	of := line(places, mark)
	for i := range of {
		if of[i].Load() == value {
			return &of[i]
		}
	}
	return nil
}

func (m *Memory) make() *[]atomic.Uint64 {
	m.making.Lock()
	defer m.making.Unlock()
	if places := m.places.Load(); places != nil {
		return places
	}
	places := make([]atomic.Uint64, 1<<bits)
	m.places.Store(&places)
	return &places
}
