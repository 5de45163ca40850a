package frame

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"math"
	"sync"
	"unsafe"

	"github.com/dchest/siphash"

	"github.com/svc-dev/svc/internal/mapped"
)

// Blocks of ids grow with their number, so that a dataset of few visitors is small.
const (
	smallestBlock = 1 << 10
	largestBlock  = 1 << 16
)

// ids numbers the ids of people: visitors, and their custom user ids. Numbers are never reused. Ids are kept in large
// blocks and found through an open-addressed table, because at millions of them the headers of a Go map would outweigh
// the frames' columns. The first may be those of a file.
type ids struct {
	mu    sync.RWMutex
	saved *SavedIDs // nil when there are none
	seed  maphash.Seed
	tail  []string // those after the saved ones
	slots []uint32 // index in tail + 1, or 0
	block []byte
	bytes int64 // of all blocks
}

func newIDs() *ids {
	return &ids{seed: maphash.MakeSeed(), slots: make([]uint32, 64)}
}

// find looks for an id in the tail.
func (s *ids) find(id string) (slot int, index uint32, ok bool) {
	mask := len(s.slots) - 1
	slot = int(maphash.String(s.seed, id)) & mask
	for ; s.slots[slot] != 0; slot = (slot + 1) & mask {
		if index := s.slots[slot] - 1; s.tail[index] == id {
			return slot, index, true
		}
	}
	return slot, 0, false
}

// lookup returns the number of an id when it has one.
func (s *ids) lookup(id string) (uint32, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.known(id)
}

func (s *ids) known(id string) (uint32, bool) {
	if number, ok := s.saved.find(id); ok {
		return number, true
	}
	_, index, ok := s.find(id)
	return uint32(s.saved.len()) + index, ok
}

// code returns the number of an id, a new one when it has none.
func (s *ids) code(id string) uint32 {
	if number, ok := s.lookup(id); ok {
		return number
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if number, ok := s.saved.find(id); ok {
		return number
	}
	return uint32(s.saved.len()) + s.add(id)
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

// number appends the numbers of at most lookupBatch ids to to. Every step is taken for all of them before the next, so
// that waiting for memory overlaps; new ids come last.
func (s *ids) number(batch []string, to []uint32) []uint32 {
	var found [lookupBatch]uint32 // each with one added; 0 is an id that has to be looked for
	s.mu.RLock()
	s.saved.guess(batch, &found)
	mask, first := uint64(len(s.slots)-1), uint32(s.saved.len())
	var tail [lookupBatch]uint32
	for i, id := range batch {
		if found[i] == 0 {
			tail[i] = s.slots[maphash.String(s.seed, id)&mask]
		}
	}
	for i, id := range batch {
		if o := tail[i]; o != 0 && s.tail[o-1] == id {
			found[i] = first + o
		}
	}
	for i, id := range batch {
		if found[i] == 0 {
			if number, ok := s.known(id); ok {
				found[i] = number + 1
			}
		}
	}
	s.mu.RUnlock()
	for i, id := range batch {
		if found[i] == 0 {
			found[i] = s.code(id) + 1
		}
		to = append(to, found[i]-1)
	}
	return to
}

// add adds an id to the tail, unless it is there.
func (s *ids) add(id string) uint32 {
	if 4*(len(s.tail)+1) > 3*len(s.slots) {
		s.resize(2 * len(s.slots))
	}
	slot, index, ok := s.find(id)
	if ok {
		return index
	}
	index = uint32(len(s.tail))
	s.tail = append(s.tail, s.intern(id))
	s.slots[slot] = index + 1
	return index
}

// resize makes a table of so many slots for the tail.
func (s *ids) resize(slots int) {
	s.slots = make([]uint32, slots)
	mask := len(s.slots) - 1
	for index, id := range s.tail {
		slot := int(maphash.String(s.seed, id)) & mask
		for s.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		s.slots[slot] = uint32(index) + 1
	}
}

// intern copies id into the current block. Bytes of a block are written once and never again, so
// the strings that point into it are immutable.
func (s *ids) intern(id string) string {
	if len(id) == 0 {
		return ""
	}
	if len(s.block)+len(id) > cap(s.block) {
		s.block = make([]byte, 0, max(min(max(2*cap(s.block), smallestBlock), largestBlock), len(id)))
		s.bytes += int64(cap(s.block))
	}
	from := len(s.block)
	s.block = append(s.block, id...)
	return unsafe.String(&s.block[from], len(id))
}

// all returns the ids by number, as of now.
func (s *ids) all() IDs {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return IDs{s.saved, s.tail[:len(s.tail):len(s.tail)]}
}

func (s *ids) memory() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.bytes + int64(cap(s.tail))*16 + int64(len(s.slots))*4
}

// adopt takes the first ids from a file, which has those that the dataset has, and lets go of their memory.
func (s *ids) adopt(saved *SavedIDs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := s.tail[saved.len()-s.saved.len():]
	s.saved, s.tail, s.block, s.bytes = saved, make([]string, 0, len(rest)), nil, 0
	for _, id := range rest {
		s.tail = append(s.tail, s.intern(id))
	}
	slots := 64
	for 4*(len(rest)+1) > 3*slots {
		slots *= 2
	}
	s.resize(slots)
}

// IDs are ids by number, as a view knows them.
type IDs struct {
	saved *SavedIDs // nil when there are none
	tail  []string
}

// Len returns how many ids there are.
func (s IDs) Len() int { return s.saved.len() + len(s.tail) }

// ID returns the id of a number, valid as long as the view: who keeps it longer copies it.
func (s IDs) ID(number uint32) string {
	if first := s.saved.len(); int(number) >= first {
		return s.tail[int(number)-first]
	}
	return s.saved.at(int(number))
}

// All returns the numbers and their ids, each valid as long as the view.
func (s IDs) All() iter.Seq2[uint32, string] {
	return func(yield func(uint32, string) bool) {
		for number := range uint32(s.Len()) {
			if !yield(number, s.ID(number)) {
				return
			}
		}
	}
}

// SavedIDs are the first ids of a dataset, in a file. Its pieces are cut without regard to what is in them, and are
// checked as ids are looked for or shown.
type SavedIDs struct {
	keys    [2]uint64 // of the hashes, which nobody outside knows
	of      *pieces
	texts   texts
	slots   []uint32 // number + 1, or 0
	textsAt int      // where the bytes of texts begin in the pieces
	slotsAt int
}

func (s *SavedIDs) len() int {
	if s == nil {
		return 0
	}
	return s.texts.len()
}

// File returns the file, nil when there is none.
func (s *SavedIDs) File() *mapped.File {
	if s == nil {
		return nil
	}
	return s.of.file
}

// at returns an id, valid as long as the file.
func (s *SavedIDs) at(number int) string {
	from := max(number-1, 0)
	s.of.needAt(4*from, 4*number+4)
	begin := uint32(0)
	if number > 0 {
		begin = s.texts.ends[from]
	}
	s.of.needAt(s.textsAt+int(begin), s.textsAt+int(s.texts.ends[number]))
	return s.texts.at(number)
}

// numberIn returns what is in a slot.
func (s *SavedIDs) numberIn(slot int) uint32 {
	at := s.slotsAt + 4*slot
	s.of.needAt(at, at+4)
	return s.slots[slot]
}

func (s *SavedIDs) slot(id string) int {
	bytes := unsafe.Slice(unsafe.StringData(id), len(id))
	return int(siphash.Hash(s.keys[0], s.keys[1], bytes)) & (len(s.slots) - 1)
}

// find returns the number of an id when it has one.
func (s *SavedIDs) find(id string) (uint32, bool) {
	if s == nil {
		return 0, false
	}
	mask := len(s.slots) - 1
	for slot := s.slot(id); ; slot = (slot + 1) & mask {
		switch o := s.numberIn(slot); {
		case o == 0:
			return 0, false
		case s.at(int(o-1)) == id:
			return o - 1, true
		}
	}
}

// guess looks for ids where most are. It leaves 0 for those that it does not find.
func (s *SavedIDs) guess(batch []string, found *[lookupBatch]uint32) {
	if s == nil {
		return
	}
	for i, id := range batch {
		found[i] = s.numberIn(s.slot(id))
	}
	for i, id := range batch {
		if o := found[i]; o != 0 && s.at(int(o-1)) != id {
			found[i] = 0
		}
	}
}

// Saved returns the ids that are those of a file.
func (s IDs) Saved() *SavedIDs { return s.saved }

// Save writes all ids as a file, from which they are found without reading it whole.
func (s IDs) Save(e *Encoder) {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	saved := SavedIDs{keys: [2]uint64{
		binary.LittleEndian.Uint64(random[:8]), binary.LittleEndian.Uint64(random[8:]),
	}}
	slots := 64
	for 4*(s.Len()+1) > 3*slots {
		slots *= 2
	}
	saved.slots = make([]uint32, slots)
	for number, id := range s.All() {
		slot := saved.slot(id)
		for saved.slots[slot] != 0 {
			slot = (slot + 1) & (slots - 1)
		}
		saved.slots[slot] = number + 1
	}
	end, texts := uint64(0), make([]byte, 0, 2*textChunk)
	write := func(to io.Writer) {
		end = 0
		ends := make([]uint32, 0, textChunk)
		for number := range uint32(s.Len()) {
			end += uint64(len(s.ID(number)))
			if ends = append(ends, uint32(end)); len(ends) == cap(ends) {
				_, _ = to.Write(bytesOfAll(ends)) // what fails is told by Close
				ends = ends[:0]
			}
		}
		_, _ = to.Write(bytesOfAll(ends))
		_, _ = to.Write(padding[:padded(4*int64(s.Len()))-4*int64(s.Len())])
		for number := range uint32(s.Len()) {
			if texts = append(texts, s.ID(number)...); len(texts) >= textChunk {
				_, _ = to.Write(texts)
				texts = texts[:0]
			}
		}
		_, _ = to.Write(texts)
		_, _ = to.Write(padding[:padded(int64(end))-int64(end)])
		texts = texts[:0]
		_, _ = to.Write(bytesOfAll(saved.slots))
	}
	e.putIndex(indexOfAll(write))
	put(e, saved.keys[:])
	put(e, []int64{int64(s.Len()), int64(end), int64(slots)})
	e.endHead()
	write(e)
	e.pad()
	if end > math.MaxUint32 && e.err == nil {
		e.err = fmt.Errorf("%w: ids of %d bytes", ErrFile, end)
	}
}

// OpenIDs returns the ids of a file, which was checked with [Check].
func OpenIDs(file *mapped.File) (*SavedIDs, error) {
	d, pieces, err := openPieces(file, IDFile)
	if err != nil {
		return nil, err
	}
	return readSavedIDs(d, pieces)
}

func readSavedIDs(d *decoder, pieces *pieces) (*SavedIDs, error) {
	s := &SavedIDs{of: pieces}
	copy(s.keys[:], getN[uint64](d, 2))
	lengths := getN[int64](d, 3)
	if err := d.end(); err != nil {
		return nil, err
	}
	n, bytes, slots := lengths[0], lengths[1], lengths[2]
	all := int64(len(pieces.all))
	if n < 0 || n > all || bytes < 0 || bytes > all || slots <= n || slots > all || slots&(slots-1) != 0 ||
		padded(4*n)+padded(bytes)+4*slots > all {
		return nil, ErrFile
	}
	for i, begin := range pieces.begin[:len(pieces.sums)] {
		if begin != i*pieceBytes {
			return nil, ErrFile
		}
	}
	s.textsAt, s.slotsAt = int(padded(4*n)), int(padded(4*n)+padded(bytes))
	s.texts.ends = valuesIn[uint32](d, pieces.all[:s.textsAt], n)
	s.texts.all = valuesIn[byte](d, pieces.all[s.textsAt:s.slotsAt], bytes)
	s.slots = valuesIn[uint32](d, pieces.all[s.slotsAt:s.slotsAt+int(4*slots)], slots)
	return s, d.end()
}

// IDsOf returns the ids of a file alone.
func IDsOf(saved *SavedIDs) IDs { return IDs{saved: saved} }

// TailLen returns how many ids are in memory.
func (s IDs) TailLen() int { return len(s.tail) }

// SaveTail writes the ids after those of the file.
func (s IDs) SaveTail(e *Encoder) {
	putTexts(e, len(s.tail), func(i int) string { return s.tail[i] })
}

// openIDs makes ids of a file of the first and of one of those after it.
func openIDs(saved *SavedIDs, tail []string) *ids {
	s := newIDs()
	s.saved = saved
	for 4*(len(tail)+1) > 3*len(s.slots) {
		s.slots = make([]uint32, 2*len(s.slots))
	}
	for _, id := range tail {
		s.add(id)
	}
	return s
}
