package archive

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// Bounds of a portion of a file whose lines are grouped. It waits in memory, packed: JSON of a tool takes about a
// tenth, so some 500,000 rows are a portion.
const (
	portionBytes = 24 << 20
	blockBytes   = 64 << 10 // of lines of a bucket that are packed together
	buckets      = 128      // that groups are spread over
	sortedBytes  = 8 << 20  // about, of a bucket, that are unpacked and sorted at once
)

// groupedReader cuts a stream into batches that have the lines of a group together. A session whose lines are scattered
// over a file is then merged once instead of once per line. Portions depend on nothing but the line they begin with, so
// an import that goes on with one meets the same batches.
type groupedReader struct {
	in      *lineReader
	groupOf func(line []byte) []byte
	packer  *zstd.Encoder
	opener  *zstd.Decoder

	first, after int64   // numbers of the portion's first line and of the line behind it
	tooLong      []int64 // of the portion
	given        int64   // lines of the portion in batches
	packed       int     // bytes of the portion
	buckets      [buckets]bucket
	next         int // bucket
	sorted       []groupedLine
}

// bucket holds lines of a portion, each behind its number and length.
type bucket struct {
	open   []byte   // not packed yet
	blocks [][]byte // packed
}

type groupedLine struct {
	group  uint64
	number int64
	text   []byte
}

func newGroupedReader(in *lineReader, groupOf func(line []byte) []byte) (*groupedReader, error) {
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(blockBytes), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	opener, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2*maxLine))
	if err != nil {
		return nil, err
	}
	return &groupedReader{in: in, groupOf: groupOf, packer: packer, opener: opener, next: buckets}, nil
}

// read returns the next batch, and io.EOF behind the last one.
func (r *groupedReader) read() (*batch, error) {
	if len(r.sorted) == 0 && r.next == buckets {
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
	if err := r.sort(); err != nil {
		return nil, err
	}
	b := &batch{first: r.first, after: r.first}
	size := 0
	for len(r.sorted) > 0 && len(b.lines) < batchLines && size < batchBytes {
		line := r.sorted[0]
		b.lines, b.numbers = append(b.lines, line.text), append(b.numbers, line.number)
		size += len(line.text)
		r.sorted = r.sorted[1:]
	}
	if err := r.sort(); err != nil {
		return nil, err
	}
	b.count = int64(len(b.lines))
	if len(r.sorted) == 0 {
		b.after, b.tooLong, b.count = r.after, r.tooLong, r.after-r.first-r.given
	}
	r.given += b.count
	return b, nil
}

// fill reads a portion.
func (r *groupedReader) fill() error {
	r.first, r.given, r.packed, r.tooLong, r.next = r.in.next, 0, 0, nil, 0
	for r.packed < portionBytes {
		b, err := r.in.read()
		if errors.Is(err, io.EOF) && r.in.next > r.first {
			break
		}
		if err != nil {
			r.next = buckets
			return err
		}
		r.tooLong = append(r.tooLong, b.tooLong...)
		for i, line := range b.lines {
			r.add(b.numbers[i], line)
		}
	}
	r.after = r.in.next
	return nil
}

func (r *groupedReader) add(number int64, line []byte) {
	to := &r.buckets[xxhash.Sum64(r.groupOf(line))%buckets]
	to.open = binary.AppendUvarint(to.open, uint64(number))
	to.open = binary.AppendUvarint(to.open, uint64(len(line)))
	if to.open = append(to.open, line...); len(to.open) < blockBytes {
		return
	}
	block := slices.Clip(r.packer.EncodeAll(to.open, make([]byte, 0, len(to.open)/4)))
	to.blocks, to.open = append(to.blocks, block), to.open[:0]
	r.packed += len(block)
}

// sort has lines in sorted, unless there are no more in the portion.
func (r *groupedReader) sort() error {
	for ; len(r.sorted) == 0 && r.next < buckets; r.next++ {
		from := &r.buckets[r.next]
		size := 0
		for len(from.blocks) > 0 && size < sortedBytes {
			block, err := r.opener.DecodeAll(from.blocks[0], nil)
			if err != nil {
				return fmt.Errorf("unpack lines: %w", err)
			}
			from.blocks[0] = nil
			from.blocks, size = from.blocks[1:], size+len(block)
			r.split(block)
		}
		more := len(from.blocks) > 0
		if !more {
			r.split(slices.Clone(from.open))
			from.blocks, from.open = nil, from.open[:0]
		}
		slices.SortStableFunc(r.sorted, func(a, b groupedLine) int { return cmp.Compare(a.group, b.group) })
		if more {
			return nil // the bucket goes on
		}
	}
	return nil
}

// split adds the lines of a block to sorted.
func (r *groupedReader) split(block []byte) {
	for len(block) > 0 {
		number, n := binary.Uvarint(block)
		block = block[n:]
		length, n := binary.Uvarint(block)
		line := block[n : n+int(length) : n+int(length)]
		r.sorted = append(r.sorted, groupedLine{xxhash.Sum64(r.groupOf(line)), int64(number), line})
		block = block[n+int(length):]
	}
}
