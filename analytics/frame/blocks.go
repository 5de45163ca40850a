package frame

import (
	"hash/crc32"
	"slices"
	"sync"

	"github.com/svc-dev/svc/internal/mapped"
)

// A piece that memory has no room for is read in blocks, past the page cache. What is read of it once is checked as it
// is read: the checksums of blocks that are next to each other make that of both, until it is that of the piece. Who
// used blocks of a piece settles it before anybody is told what follows from them.

// block is bytes of a piece that were read, and their checksum.
type block struct {
	from, to int
	sum      uint32
}

// blocks are those of the pieces of a file that were not checked yet, of each piece in their order.
type blocks struct {
	mu sync.Mutex
	of map[int][]block
}

// settleBytes is how much is read at once of what nobody has used.
const settleBytes = 1 << 20

// past returns bytes [from, to) of a piece, read into the buffer unless they are in memory.
func (p *pieces) past(i, from, to int, b *mapped.Buffer) []byte {
	bytes, err := p.file.Past(p.piece(i)[from:to], b)
	if err != nil {
		panic(err)
	}
	if !p.known[i].Load() {
		p.saw(i, block{from, to, crc32.Checksum(bytes, castagnoli)})
	}
	return bytes
}

// saw takes note of a block of a piece. It panics when all of the piece was read and is not what was written.
func (p *pieces) saw(i int, b block) {
	p.blocks.mu.Lock()
	defer p.blocks.mu.Unlock()
	all := p.blocks.of[i]
	at, _ := slices.BinarySearchFunc(all, b.from, func(b block, from int) int { return b.from - from })
	if p.known[i].Load() || b.from == b.to || at > 0 && all[at-1].to > b.from || at < len(all) && all[at].from < b.to {
		return // somebody else saw it
	}
	if at > 0 && all[at-1].to == b.from {
		b = all[at-1].and(b)
		all = slices.Delete(all, at-1, at)
		at--
	}
	if at < len(all) && all[at].from == b.to {
		b = b.and(all[at])
		all = slices.Delete(all, at, at+1)
	}
	if p.blocks.of == nil {
		p.blocks.of = map[int][]block{}
	}
	p.blocks.of[i] = slices.Insert(all, at, b)
	if b.from > 0 || b.to < len(p.piece(i)) {
		return
	}
	delete(p.blocks.of, i)
	if b.sum != p.sums[i] {
		panic(&DamageError{p.file})
	}
	p.known[i].Store(true)
}

// settle checks a piece of which blocks were used: it reads the others.
func (p *pieces) settle(i int, b *mapped.Buffer) {
	if p.known[i].Load() {
		return
	}
	p.blocks.mu.Lock()
	seen := slices.Clone(p.blocks.of[i])
	p.blocks.mu.Unlock()
	from, length := 0, len(p.piece(i))
	for _, s := range append(seen, block{from: length}) {
		for from < s.from {
			to := min(from+settleBytes, s.from)
			p.past(i, from, to, b)
			from = to
		}
		from = s.to
	}
	p.need(i) // others may have read other blocks at once
}

// and returns the block that is both.
func (b block) and(next block) block {
	return block{b.from, next.to, joined(b.sum, next.sum, next.to-next.from)}
}

// joined returns the checksum of bytes with the first checksum and those after them, so many, with the other: the first
// as a polynomial times x to the power of their bits, modulo that of the checksum.
func joined(first, second uint32, length int) uint32 {
	power, square := uint32(1)<<31, uint32(1)<<23 // one and x to the power of 8: the highest bit is that of one
	for ; length > 0; length /= 2 {
		if length%2 == 1 {
			power = times(power, square)
		}
		square = times(square, square)
	}
	return times(power, first) ^ second
}

// times multiplies polynomials.
func times(a, b uint32) (product uint32) {
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		b = b>>1 ^ b&1*crc32.Castagnoli
	}
	return product
}

// HitsPast returns the hits of the rows [from, to) of a file: where they lie if they are in memory, else read into the
// buffer past the page cache, good until that is used again. Who used them calls SettleHits before anybody is told of
// what follows from them.
func (p *Part) HitsPast(from, to uint32, b *mapped.Buffer) []int64 {
	off := p.Offsets()
	lo, hi := off[from], off[to]
	if p.hits.of == nil || p.hits.of.file == nil {
		return p.Hits()[lo:hi]
	}
	d := decoder{}
	return valuesIn[int64](&d, p.hits.of.past(p.hits.piece, HitBytes*int(lo), HitBytes*int(hi), b), int64(hi-lo))
}

// SettleHits checks the hits of a file, unless they were. It panics when they are not those that were written.
func (p *Part) SettleHits(b *mapped.Buffer) {
	if p.hits.of != nil {
		p.hits.of.settle(p.hits.piece, b)
	}
}
