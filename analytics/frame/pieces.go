package frame

import (
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"

	"github.com/svc-dev/svc/internal/mapped"
)

// A file in pieces has a head that is checked when it is opened, and behind it pieces that are checked when somebody
// first needs them: a report needs few columns of a day, and of millions of people those whom it shows. The lengths of
// the pieces and their checksums come first in the head.

// InPieces tells which kinds of files are in pieces.
func (k FileKind) InPieces() bool { return k == PartFile || k == IDFile || k == TouchFile }

// pieceBytes is how long pieces are that are cut without regard to what is in them.
const pieceBytes = 1 << 20

// index is the lengths and the checksums of pieces.
type index struct {
	lengths []int64
	sums    []uint32
}

func (x *index) add(piece []byte) {
	x.lengths, x.sums = append(x.lengths, int64(len(piece))), append(x.sums, crc32.Checksum(piece, castagnoli))
}

// pad adds bytes to the last piece, so that the next begins at a multiple of eight.
func (x *index) pad() {
	last := len(x.lengths) - 1
	over := padded(x.lengths[last]) - x.lengths[last]
	x.lengths[last] += over
	x.sums[last] = crc32.Update(x.sums[last], castagnoli, padding[:over])
}

// indexOf returns the index of pieces that are written each from a multiple of eight.
func indexOf(pieces ...[]byte) *index {
	x := &index{}
	for _, piece := range pieces {
		x.add(piece)
		x.pad()
	}
	return x
}

// cutter makes an index of what is written to it, cut into pieces of one length.
type cutter struct {
	index
	rest []byte
}

func (c *cutter) Write(bytes []byte) (int, error) {
	for left := bytes; len(left) > 0; {
		n := min(pieceBytes-len(c.rest), len(left))
		c.rest, left = append(c.rest, left[:n]...), left[n:]
		if len(c.rest) == pieceBytes {
			c.add(c.rest)
			c.rest = c.rest[:0]
		}
	}
	return len(bytes), nil
}

// indexOfAll returns the index of what write writes.
func indexOfAll(write func(io.Writer)) *index {
	c := &cutter{rest: make([]byte, 0, pieceBytes)}
	write(c)
	c.add(c.rest)
	c.pad()
	return &c.index
}

// putIndex begins the head of a file in pieces.
func (e *Encoder) putIndex(x *index) {
	put(e, x.lengths)
	put(e, x.sums)
}

// endHead ends it: pieces follow.
func (e *Encoder) endHead() { e.ended = true }

// pieces are those of a file.
type pieces struct {
	file  *mapped.File // nil in tests that have none
	begin []int        // of each piece in all, and the end of the last
	all   []byte
	sums  []uint32
	known []atomic.Bool // which were checked
	asked []askedPiece
	mu    sync.Mutex // one reads a piece, the others wait

	blocks blocks
}

// decodePieces reads the head of a file. What follows its index is left to the caller.
func decodePieces(file []byte, kind FileKind) (*decoder, *pieces, error) {
	d, err := decode(file, kind)
	if err != nil {
		return nil, nil, err
	}
	lengths := get[int64](d)
	p := &pieces{sums: getN[uint32](d, len(lengths)), begin: make([]int, 1, len(lengths)+1)}
	total := 0
	for _, length := range lengths {
		if length < 0 || length > int64(len(d.rest)-total) {
			d.fail()
			return nil, nil, d.err
		}
		total += int(length)
		p.begin = append(p.begin, total)
	}
	if d.err != nil {
		return nil, nil, d.err
	}
	head := len(d.rest) - total
	p.all, d.rest = d.rest[head:], d.rest[:head]
	p.known, p.asked = make([]atomic.Bool, len(lengths)), make([]askedPiece, len(lengths))
	return d, p, nil
}

// openPieces reads the head of a mapped file, which was checked with [Check].
func openPieces(file *mapped.File, kind FileKind) (*decoder, *pieces, error) {
	d, p, err := decodePieces(file.Bytes(), kind)
	if err == nil {
		p.file = file
	}
	return d, p, err
}

// checkHead compares the head of a file in pieces with the checksum that is known of it.
func checkHead(file []byte, kind FileKind, sum uint32) (*pieces, error) {
	_, p, err := decodePieces(file, kind)
	if err != nil {
		return nil, err
	}
	end := len(file) - trailerBytes
	return p, compare(crc32.Checksum(file[:end-len(p.all)], castagnoli), sum, file[end:])
}

// verify reads all pieces.
func (p *pieces) verify(progress func()) error {
	for i := range p.sums {
		if crc32.Checksum(p.piece(i), castagnoli) != p.sums[i] {
			return errChecksum
		}
		progress()
	}
	return nil
}

func (p *pieces) piece(i int) []byte { return p.all[p.begin[i]:p.begin[i+1]] }

// pieceIfAny returns nothing where there are fewer pieces.
func (p *pieces) pieceIfAny(i int) []byte {
	if i >= len(p.sums) {
		return nil
	}
	return p.piece(i)
}

// need checks a piece, unless it was. It panics when its bytes are not those that were written.
func (p *pieces) need(i int) {
	if !p.known[i].Load() {
		p.check(i)
	}
}

// needAt checks the pieces of one length that bytes from … to are in.
func (p *pieces) needAt(from, to int) {
	for i := from / pieceBytes; i <= max(from, to-1)/pieceBytes; i++ {
		p.need(i)
	}
}

func (p *pieces) check(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[i].Load() {
		return
	}
	bytes := p.piece(i)
	p.ahead(i)
	if crc32.Checksum(bytes, castagnoli) != p.sums[i] {
		panic(&DamageError{p.file})
	}
	p.known[i].Store(true)
}

// DamageError reports that a file does not hold what was written. It is a fault, see [mapped.AsFault].
type DamageError struct{ File *mapped.File }

// Error tells which file it is.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: its checksum is another", e.File.Name())
}

// Unwrap makes it a fault, and an ErrFile.
func (e *DamageError) Unwrap() []error { return []error{mapped.ErrFault, ErrFile} }

// vector is the values of a part of one kind, in memory or a piece of a file.
type vector[T plain] struct {
	values []T
	of     *pieces // nil in memory, and where the whole file was checked
	piece  int
}

// askedPiece says at which moments, as [mapped.Moment] tells them, a piece was asked for and used last.
type askedPiece struct{ ahead, use atomic.Int64 }

// ahead tells the system that a piece is read next, unless it was told just now.
func (p *pieces) ahead(i int) {
	if now := mapped.Moment(); p.asked[i].ahead.Swap(now) != now {
		p.file.Ahead(p.piece(i))
	}
}

// use waits for a piece, and has the system count that as a use, unless it did just now.
func (p *pieces) use(i int) {
	if now := mapped.Moment(); p.asked[i].use.Load() != now {
		p.file.Use(p.piece(i))
		p.asked[i].use.Store(now)
	}
}

// behind tells the system that a piece, or some of its bytes, were read and may leave memory before others do.
func (p *pieces) behind(i int, bytes []byte) {
	p.file.Behind(bytes)
	p.asked[i].ahead.Store(0)
	p.asked[i].use.Store(0)
}

// ahead tells the system that all values are read next.
func (v *vector[T]) ahead() {
	if v.of != nil {
		v.of.ahead(v.piece)
	}
}

// use waits for them, and checks them unless they were.
func (v *vector[T]) use() {
	if v.of != nil {
		v.all()
		v.of.use(v.piece)
	}
}

// behind tells the system that the values were read.
func (v *vector[T]) behind() {
	if v.of != nil {
		v.of.behind(v.piece, v.of.piece(v.piece))
	}
}

// all returns the values.
func (v *vector[T]) all() []T {
	if v.of != nil && !v.of.known[v.piece].Load() {
		v.of.check(v.piece)
	}
	return v.values
}
