package frame

import (
	"hash/maphash"
	"math"
	"sync"
	"unsafe"
)

// NeverSeen is the first-seen time of a visitor without a first-touch row.
const NeverSeen int64 = math.MaxInt64

// CodedTouch is a visitor's first touch in dictionary codes, but for its time.
type CodedTouch struct {
	CustomID uint32
	Source   uint32
	Campaign uint32
	Country  uint32
	Platform uint32
	Device   uint32
	Medium   uint32
	Channel  uint32 // channel.Channel, derived
}

// First touches are kept in chunks, which a change copies when a view holds them.
const (
	touchShift = 8
	touchChunk = 1 << touchShift
)

// Blocks of ids grow with their number, so that a dataset of few visitors is small.
const (
	smallestBlock = 1 << 10
	largestBlock  = 1 << 16
)

// touches holds the times apart, because every report that counts new visitors reads them all.
type touches struct {
	firstSeen [touchChunk]int64 // milliseconds since 2020-01-01T00:00Z, or NeverSeen
	rest      [touchChunk]CodedTouch
}

// untouched is the chunk of visitors none of whom has a first touch, as all are whom flow events alone showed.
var untouched = func() *touches {
	chunk := new(touches)
	for i := range chunk.firstSeen {
		chunk.firstSeen[i] = NeverSeen
	}
	return chunk
}()

// visitors numbers the visitors of one environment. Ordinals are never reused; ids are kept in
// large blocks and found through an open-addressed table, because at millions of visitors the
// headers of a Go map would outweigh the frames' columns.
type visitors struct {
	mu     sync.RWMutex
	seed   maphash.Seed
	ids    []string
	slots  []uint32 // ordinal + 1, or 0
	block  []byte
	bytes  int64 // of all blocks
	chunks []*touches
	shared []bool // whether a view may hold the chunk

	touched int // visitors with a first touch
	owned   int // chunks with one
}

func newVisitors() *visitors {
	return &visitors{seed: maphash.MakeSeed(), slots: make([]uint32, 64)}
}

func (v *visitors) find(id string) (slot int, ordinal uint32, ok bool) {
	mask := len(v.slots) - 1
	slot = int(maphash.String(v.seed, id)) & mask
	for ; v.slots[slot] != 0; slot = (slot + 1) & mask {
		if ordinal := v.slots[slot] - 1; v.ids[ordinal] == id {
			return slot, ordinal, true
		}
	}
	return slot, 0, false
}

func (v *visitors) lookup(id string) (uint32, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	_, ordinal, ok := v.find(id)
	return ordinal, ok
}

// ordinal numbers a visitor.
func (v *visitors) ordinal(id string) uint32 {
	v.mu.RLock()
	_, ordinal, ok := v.find(id)
	v.mu.RUnlock()
	if ok {
		return ordinal
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.add(id)
}

// lookupBatch is how many visitors are looked for together.
const lookupBatch = 256

// idBatch collects the ids of visitors that are looked for together. It copies them, because an id may
// be in a buffer that is reused.
type idBatch struct {
	bytes []byte
	ends  []int
	ids   []string
}

func (b *idBatch) add(id string) {
	b.bytes = append(b.bytes, id...)
	b.ends = append(b.ends, len(b.bytes))
}

func (b *idBatch) full() bool { return len(b.ends) == lookupBatch }

// take empties the batch. What it returns is valid until the next call.
func (b *idBatch) take() []string {
	all, from := string(b.bytes), 0
	b.ids = b.ids[:0]
	for _, end := range b.ends {
		b.ids = append(b.ids, all[from:end])
		from = end
	}
	b.bytes, b.ends = b.bytes[:0], b.ends[:0]
	return b.ids
}

// number appends the ordinals of at most lookupBatch visitors to to. Every step is taken for all of them
// before the next, so that waiting for memory overlaps; new visitors come last.
func (v *visitors) number(ids []string, to []uint32) []uint32 {
	var ordinals [lookupBatch]uint32 // each with one added; 0 is a visitor who has to be looked for
	v.mu.RLock()
	mask := uint64(len(v.slots) - 1)
	for i, id := range ids {
		ordinals[i] = v.slots[maphash.String(v.seed, id)&mask]
	}
	for i, id := range ids {
		if o := ordinals[i]; o != 0 && v.ids[o-1] != id {
			ordinals[i] = 0
		}
	}
	for i, id := range ids {
		if ordinals[i] == 0 {
			if _, ordinal, ok := v.find(id); ok {
				ordinals[i] = ordinal + 1
			}
		}
	}
	v.mu.RUnlock()
	for i, id := range ids {
		if ordinals[i] == 0 {
			ordinals[i] = v.ordinal(id) + 1
		}
		to = append(to, ordinals[i]-1)
	}
	return to
}

func (v *visitors) add(id string) uint32 {
	if 4*(len(v.ids)+1) > 3*len(v.slots) {
		v.grow()
	}
	slot, ordinal, ok := v.find(id)
	if ok {
		return ordinal
	}
	ordinal = uint32(len(v.ids))
	v.ids = append(v.ids, v.intern(id))
	v.slots[slot] = ordinal + 1
	if int(ordinal)>>touchShift == len(v.chunks) {
		v.chunks = append(v.chunks, untouched)
		v.shared = append(v.shared, true)
	}
	return ordinal
}

func (v *visitors) grow() {
	v.slots = make([]uint32, 2*len(v.slots))
	mask := len(v.slots) - 1
	for ordinal, id := range v.ids {
		slot := int(maphash.String(v.seed, id)) & mask
		for v.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		v.slots[slot] = uint32(ordinal) + 1
	}
}

// intern copies id into the current block. Bytes of a block are written once and never again, so
// the strings that point into it are immutable.
func (v *visitors) intern(id string) string {
	if len(id) == 0 {
		return ""
	}
	if len(v.block)+len(id) > cap(v.block) {
		v.block = make([]byte, 0, max(min(max(2*cap(v.block), smallestBlock), largestBlock), len(id)))
		v.bytes += int64(cap(v.block))
	}
	from := len(v.block)
	v.block = append(v.block, id...)
	return unsafe.String(&v.block[from], len(id))
}

// setTouch stores the first touch of a visitor without changing what views see.
func (v *visitors) setTouch(ordinal uint32, firstSeen int64, t CodedTouch) {
	c, i := ordinal>>touchShift, ordinal&(touchChunk-1)
	if chunk := v.chunks[c]; chunk.firstSeen[i] == firstSeen && chunk.rest[i] == t {
		return
	}
	if v.shared[c] {
		if v.chunks[c] == untouched {
			v.owned++
		}
		clone := *v.chunks[c]
		chunks := append([]*touches(nil), v.chunks...)
		chunks[c] = &clone
		v.chunks = chunks
		v.shared[c] = false
	}
	switch {
	case v.chunks[c].firstSeen[i] == NeverSeen:
		v.touched++
	case firstSeen == NeverSeen:
		v.touched--
	}
	v.chunks[c].firstSeen[i], v.chunks[c].rest[i] = firstSeen, t
}

// all returns the ids by ordinal, as of now.
func (v *visitors) all() []string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.ids[:len(v.ids):len(v.ids)]
}

// removeTouches makes visitors ones who have no first touch.
func (v *visitors) removeTouches(ordinals []uint32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, ordinal := range ordinals {
		v.setTouch(ordinal, NeverSeen, CodedTouch{})
	}
}

func (v *visitors) snapshot() ([]string, []*touches) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.shared {
		v.shared[i] = true
	}
	return v.ids[:len(v.ids):len(v.ids)], v.chunks[:len(v.chunks):len(v.chunks)]
}

func (v *visitors) memory() int64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.bytes + int64(cap(v.ids))*16 + int64(len(v.slots))*4 +
		int64(len(v.chunks))*8 + int64(v.owned)*int64(unsafe.Sizeof(touches{}))
}
