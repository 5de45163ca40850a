package frame

import (
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/svc-dev/svc/internal/mapped"
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

// The times are kept apart, because every report that counts new visitors reads them all.
type (
	seenTimes    [touchChunk]int64 // milliseconds since 2020-01-01T00:00Z, or NeverSeen
	codedTouches [touchChunk]CodedTouch
)

// chunk is a chunk of first touches, in memory or in a file, which it holds then.
type chunk struct {
	times   *seenTimes
	touches *codedTouches
	of      *pieces // whose first piece is the times of a group of chunks, and the second one the rest
}

// untouched is the chunk of visitors none of whom has a first touch, as all are whom flow events alone showed.
var untouched = func() chunk {
	c := chunk{times: new(seenTimes), touches: new(codedTouches)}
	for i := range c.times {
		c.times[i] = NeverSeen
	}
	return c
}()

// touchBytes is the memory of a chunk.
const touchBytes = int64(unsafe.Sizeof(seenTimes{}) + unsafe.Sizeof(codedTouches{}))

// firstSeen returns the times.
func (c *chunk) firstSeen() *seenTimes {
	if c.of != nil {
		c.of.need(0)
	}
	return c.times
}

// rest returns the first touches but for their times.
func (c *chunk) rest() *codedTouches {
	if c.of != nil {
		c.of.need(1)
	}
	return c.touches
}

// file returns the file that the chunk is in, nil in memory.
func (c *chunk) file() *mapped.File {
	if c.of == nil {
		return nil
	}
	return c.of.file
}

// visitors numbers the visitors of one environment and holds their first touches.
type visitors struct {
	*ids

	touchesMu sync.RWMutex
	chunks    []chunk
	shared    []bool // whether a view may hold the chunk
	listed    bool   // whether a view may hold the list of chunks

	touched int // visitors with a first touch
	owned   int // chunks in memory
}

func newVisitors() *visitors { return &visitors{ids: newIDs()} }

// cover makes chunks for so many visitors. The caller holds touchesMu.
func (v *visitors) cover(visitors int) {
	for len(v.chunks) < (visitors+touchChunk-1)/touchChunk {
		v.chunks = append(v.chunks, untouched)
		v.shared = append(v.shared, true)
	}
}

// setTouches stores first touches without changing what views see.
func (v *visitors) setTouches(ordinals []uint32, touch func(i int) (firstSeen int64, t CodedTouch)) {
	known := v.all().Len()
	v.touchesMu.Lock()
	defer v.touchesMu.Unlock()
	v.cover(known)
	for i, ordinal := range ordinals {
		firstSeen, t := touch(i)
		v.setTouch(ordinal, firstSeen, t)
	}
}

func (v *visitors) setTouch(ordinal uint32, firstSeen int64, t CodedTouch) {
	c, i := ordinal>>touchShift, ordinal&(touchChunk-1)
	was := v.chunks[c]
	if was.firstSeen()[i] == firstSeen && was.rest()[i] == t {
		return
	}
	if v.shared[c] {
		if !was.isOwned() {
			v.owned++
		}
		times, touches := *was.times, *was.touches
		if v.listed {
			v.chunks, v.listed = slices.Clone(v.chunks), false
		}
		v.chunks[c], v.shared[c] = chunk{times: &times, touches: &touches}, false
	}
	switch {
	case was.times[i] == NeverSeen:
		v.touched++
	case firstSeen == NeverSeen:
		v.touched--
	}
	v.chunks[c].times[i], v.chunks[c].touches[i] = firstSeen, t
}

// isOwned tells whether the chunk takes memory of its own.
func (c chunk) isOwned() bool { return c.of == nil && c != untouched }

// removeTouches makes visitors ones who have no first touch.
func (v *visitors) removeTouches(ordinals []uint32) {
	v.setTouches(ordinals, func(int) (int64, CodedTouch) { return NeverSeen, CodedTouch{} })
}

func (v *visitors) snapshot() (IDs, []chunk) {
	ids := v.all()
	v.touchesMu.Lock()
	defer v.touchesMu.Unlock()
	v.cover(ids.Len())
	for i := range v.shared {
		v.shared[i] = true
	}
	v.listed = true
	return ids, v.chunks[:len(v.chunks):len(v.chunks)]
}

// firstTouches returns how many visitors have a first touch.
func (v *visitors) firstTouches() int {
	v.touchesMu.RLock()
	defer v.touchesMu.RUnlock()
	return v.touched
}

func (v *visitors) memory() int64 {
	v.touchesMu.RLock()
	defer v.touchesMu.RUnlock()
	return v.ids.memory() + int64(len(v.chunks))*int64(unsafe.Sizeof(chunk{})) +
		int64(v.owned)*touchBytes
}

// groupChunks is how many chunks a file of first touches has.
const groupChunks = 256

// TouchGroups returns how many groups of first touches there are, each of which is a file.
func (v *View) TouchGroups() int { return (len(v.touches) + groupChunks - 1) / groupChunks }

func (v *View) touchGroup(group int) []chunk {
	return v.touches[group*groupChunks : min((group+1)*groupChunks, len(v.touches))]
}

// TouchFile returns the file that has the first touches of a group as they are, nil when there is none.
func (v *View) TouchFile(group int) *mapped.File {
	chunks := v.touchGroup(group)
	for i := range chunks {
		if chunks[i].of == nil || chunks[i].of != chunks[0].of {
			return nil
		}
	}
	return chunks[0].file()
}

// SaveTouches writes a group of first touches as a file.
func (v *View) SaveTouches(group int, e *Encoder) {
	chunks, touched := v.touchGroup(group), int64(0)
	times, touches := make([]seenTimes, len(chunks)), make([]codedTouches, len(chunks))
	for i := range chunks {
		times[i], touches[i] = *chunks[i].firstSeen(), *chunks[i].rest()
		for _, at := range times[i] {
			if at != NeverSeen {
				touched++
			}
		}
	}
	e.putIndex(indexOf(bytesOfAll(times), bytesOfAll(touches)))
	put(e, []int64{touched})
	e.endHead()
	e.write(bytesOfAll(times))
	e.write(bytesOfAll(touches))
}

// SavedTouches is a group of first touches of a file.
type SavedTouches struct {
	touched int
	chunks  []chunk
}

// OpenTouches returns the first touches of a file, which was checked with [Check].
func OpenTouches(file *mapped.File) (*SavedTouches, error) {
	d, pieces, err := openPieces(file, TouchFile)
	if err != nil {
		return nil, err
	}
	return readTouches(d, pieces)
}

func readTouches(d *decoder, pieces *pieces) (*SavedTouches, error) {
	touched := getN[int64](d, 1)
	if err := d.end(); err != nil {
		return nil, err
	}
	if len(pieces.sums) != 2 {
		return nil, ErrFile
	}
	length := len(pieces.piece(0)) / int(unsafe.Sizeof(seenTimes{}))
	times := valuesIn[seenTimes](d, pieces.piece(0), int64(length))
	touches := valuesIn[codedTouches](d, pieces.piece(1), int64(length))
	if d.err != nil || length == 0 || length > groupChunks || touched[0] < 0 || touched[0] > int64(length*touchChunk) {
		return nil, ErrFile
	}
	s := &SavedTouches{touched: int(touched[0])}
	for i := range times {
		s.chunks = append(s.chunks, chunk{&times[i], &touches[i], pieces})
	}
	return s, nil
}

// AdoptTouches takes the first touches of a group from a file that was written of the view, those that did not change
// since.
func (d *Dataset) AdoptTouches(v *View, group int, saved *SavedTouches) {
	was := v.touchGroup(group)
	d.visitors.touchesMu.Lock()
	defer d.visitors.touchesMu.Unlock()
	chunks := append([]chunk(nil), d.visitors.chunks...)
	for i := range saved.chunks {
		c := group*groupChunks + i
		if chunks[c] != was[i] {
			continue
		}
		if was[i].isOwned() {
			d.visitors.owned--
		}
		chunks[c], d.visitors.shared[c] = saved.chunks[i], true
	}
	d.visitors.chunks = chunks
}

// openVisitors makes visitors of files.
func openVisitors(saved *SavedIDs, tail []string, groups []*SavedTouches) (*visitors, error) {
	v := &visitors{ids: openIDs(saved, tail)}
	for g, group := range groups {
		if len(v.chunks) != g*groupChunks {
			return nil, ErrFile // a group before the last is not full
		}
		v.touched += group.touched
		for _, saved := range group.chunks {
			v.chunks, v.shared = append(v.chunks, saved), append(v.shared, true)
		}
	}
	if len(v.chunks) > (v.all().Len()+touchChunk-1)/touchChunk {
		return nil, ErrFile
	}
	v.cover(v.all().Len())
	return v, nil
}
