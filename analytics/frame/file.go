package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"unsafe"
)

// Format is the number of the format of files. It is raised when a file would mean another thing than before: by its
// layout, or because what is derived when rows are encoded changed. Files of another format are not read.
const Format = 6

// FileKind is what a file holds.
type FileKind uint32

// The kinds of files.
const (
	PartFile    FileKind = iota + 1 // the rows of a day, one type
	OverlayFile                     // what replaces some of them
	IDFile                          // the first ids of visitors or of custom users, with a table to find them by
	TailFile                        // the ids after those
	TouchFile                       // chunks of first touches
	ValueFile                       // dictionaries, names, tuples
	LedgerFile                      // purchases
)

// ErrFile reports that a file is not what it should be.
var ErrFile = errors.New("the file is damaged, or of another format")

const (
	fileMagic    = "svcframe"
	headerBytes  = 16 // magic, format, kind
	trailerBytes = 8  // checksum of all before, and its complement
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// plain is what columns consist of: values without pointers and without gaps, which have the same bytes in memory and
// in a file of a little-endian machine.
type plain interface {
	~uint8 | ~uint32 | ~int32 | ~uint64 | ~int64 | ~float64 | ~[16]byte | seenTimes | codedTouches | Crossing
}

// Encoder writes a file: a header, arrays one after the other, each at a multiple of eight bytes behind its length, and
// a checksum. Errors of writing are told by Close.
type Encoder struct {
	to    io.Writer
	sum   hash.Hash32 // of what is written, where a file is in pieces that of its head
	ended bool        // the head
	bytes int64
	err   error
}

// NewEncoder begins a file of a kind.
func NewEncoder(to io.Writer, kind FileKind) *Encoder {
	e := &Encoder{to: to, sum: crc32.New(castagnoli)}
	header := binary.LittleEndian.AppendUint32([]byte(fileMagic), Format)
	e.write(binary.LittleEndian.AppendUint32(header, uint32(kind)))
	if !littleEndian {
		e.err = fmt.Errorf("%w: this machine orders bytes the other way", ErrFile)
	}
	return e
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Write appends bytes. What fails is told by Close.
func (e *Encoder) Write(bytes []byte) (int, error) {
	e.write(bytes)
	return len(bytes), nil
}

func (e *Encoder) write(bytes []byte) {
	if e.err != nil {
		return
	}
	if !e.ended {
		_, _ = e.sum.Write(bytes) // never fails
	}
	n, err := e.to.Write(bytes)
	e.bytes, e.err = e.bytes+int64(n), err
}

// Close ends the file. It returns its length and its checksum.
func (e *Encoder) Close() (length int64, sum uint32, err error) {
	sum = e.sum.Sum32()
	e.write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, sum), ^sum))
	return e.bytes, sum, e.err
}

var padding [8]byte

// put writes an array.
func put[T plain](e *Encoder, values []T) {
	e.begin(len(values))
	e.write(bytesOfAll(values))
	e.pad()
}

// begin writes the length of an array, whose values follow by append.
func (e *Encoder) begin(length int) { e.write(binary.LittleEndian.AppendUint64(nil, uint64(length))) }

// pad ends an array.
func (e *Encoder) pad() {
	if over := e.bytes % 8; over != 0 {
		e.write(padding[over:])
	}
}

// bytesOfAll returns the memory of values.
func bytesOfAll[T plain](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(values[0])))
}

// textChunk is how many bytes of texts are written at a time.
const textChunk = 1 << 16

// putTexts writes texts: where each ends, and all of them one after the other.
func putTexts(e *Encoder, n int, text func(i int) string) {
	end, ends := uint64(0), make([]uint32, 0, textChunk)
	e.begin(n)
	for i := range n {
		end += uint64(len(text(i)))
		if ends = append(ends, uint32(end)); len(ends) == cap(ends) {
			e.write(bytesOfAll(ends))
			ends = ends[:0]
		}
	}
	e.write(bytesOfAll(ends))
	e.pad()
	if end > math.MaxUint32 && e.err == nil {
		e.err = fmt.Errorf("%w: texts of %d bytes", ErrFile, end)
	}
	all := make([]byte, 0, 2*textChunk)
	e.begin(int(end))
	for i := range n {
		if all = append(all, text(i)...); len(all) >= textChunk {
			e.write(all)
			all = all[:0]
		}
	}
	e.write(all)
	e.pad()
}

// Verify checks a whole file: its kind, and that its bytes are those that were written, with the checksum that is
// known of it.
func Verify(file []byte, kind FileKind, sum uint32) error {
	return VerifySlowly(file, kind, sum, func() {})
}

// Check checks what has to be known of a file before it is opened: the head of one in pieces, all of any other.
func Check(file []byte, kind FileKind, sum uint32, progress func()) error {
	if kind.InPieces() {
		_, err := checkHead(file, kind, sum)
		return err
	}
	return VerifySlowly(file, kind, sum, progress)
}

// verifiedStep is how many bytes are checked between two calls of progress.
const verifiedStep = 16 << 20

// VerifySlowly does so and tells of its progress: a file of millions of people takes seconds to read from a disk.
func VerifySlowly(file []byte, kind FileKind, sum uint32, progress func()) error {
	if kind.InPieces() {
		p, err := checkHead(file, kind, sum)
		if err != nil {
			return err
		}
		return p.verify(progress)
	}
	if _, err := decode(file, kind); err != nil {
		return err
	}
	body, trailer := file[:len(file)-trailerBytes], file[len(file)-trailerBytes:]
	found := uint32(0)
	for len(body) > 0 {
		step := body[:min(verifiedStep, len(body))]
		found, body = crc32.Update(found, castagnoli, step), body[len(step):]
		progress()
	}
	return compare(found, sum, trailer)
}

var errChecksum = fmt.Errorf("%w: its checksum is another", ErrFile)

// compare tells whether the checksum that a file has is the one that is known of it, and the one at its end.
func compare(found, sum uint32, trailer []byte) error {
	if found != sum || binary.LittleEndian.Uint32(trailer) != sum || binary.LittleEndian.Uint32(trailer[4:]) != ^sum {
		return errChecksum
	}
	return nil
}

// padded returns a length to the next multiple of eight.
func padded(length int64) int64 { return (length + 7) / 8 * 8 }

// valuesIn returns the values that bytes of a file are, which fill them but for what was added to reach a multiple of
// eight.
func valuesIn[T plain](d *decoder, bytes []byte, length int64) []T {
	var value T
	size := int64(unsafe.Sizeof(value))
	if length < 0 || length > int64(len(bytes))/size || int64(len(bytes))-length*size >= 8 {
		d.fail()
		return nil
	}
	if length == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&bytes[0])), length)
}

// decoder reads the arrays of a file in place, one after the other.
type decoder struct {
	rest []byte
	err  error
}

func decode(file []byte, kind FileKind) (*decoder, error) {
	switch {
	case !littleEndian, len(file) < headerBytes+trailerBytes, string(file[:8]) != fileMagic,
		binary.LittleEndian.Uint32(file[8:]) != Format, binary.LittleEndian.Uint32(file[12:]) != uint32(kind),
		uintptr(unsafe.Pointer(&file[0]))%8 != 0:
		return nil, ErrFile
	}
	return &decoder{rest: file[headerBytes : len(file)-trailerBytes]}, nil
}

// get returns the next array.
func get[T plain](d *decoder) []T {
	if d.err != nil || len(d.rest) < 8 {
		d.fail()
		return nil
	}
	var value T
	size := uint64(unsafe.Sizeof(value))
	length := binary.LittleEndian.Uint64(d.rest)
	if length > uint64(len(d.rest)-8)/size {
		d.fail()
		return nil
	}
	values := d.rest[8 : 8+length*size]
	d.rest = d.rest[min(uint64(len(d.rest)), (8+length*size+7)/8*8):]
	if length == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&values[0])), length)
}

// getN returns the next array, which must have a length.
func getN[T plain](d *decoder, length int) []T {
	values := get[T](d)
	if len(values) != length {
		d.fail()
		return nil
	}
	return values
}

// getTexts returns the next texts, in place.
func getTexts(d *decoder) texts {
	t := texts{ends: get[uint32](d)}
	t.all = get[byte](d)
	last := uint32(0)
	for _, end := range t.ends {
		if end < last {
			d.fail()
			return texts{}
		}
		last = end
	}
	if int(last) != len(t.all) {
		d.fail()
		return texts{}
	}
	return t
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = fmt.Errorf("%w: it is too short, or its lengths contradict each other", ErrFile)
	}
}

// end tells whether the file was read without an error and to its end.
func (d *decoder) end() error {
	if d.err == nil && len(d.rest) > 0 {
		d.fail()
	}
	return d.err
}

// texts are texts in one block.
type texts struct {
	ends []uint32
	all  []byte
}

func (t *texts) len() int { return len(t.ends) }

// at returns a text, valid as long as the block.
func (t *texts) at(i int) string {
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	if from == t.ends[i] {
		return ""
	}
	return unsafe.String(&t.all[from], t.ends[i]-from)
}

// copied returns the texts in memory of their own.
func (t *texts) copied() []string {
	all, from := string(t.all), uint32(0)
	values := make([]string, len(t.ends))
	for i, end := range t.ends {
		values[i] = all[from:end]
		from = end
	}
	return values
}
