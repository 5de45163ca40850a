package archive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

const (
	// maxLine is far above the longest valid event: properties take 32,768 UTF-16
	// code units, each at most six bytes when escaped.
	maxLine = 1 << 20
	// batchLines is a transaction of ingest: larger ones don't get cheaper.
	batchLines = 2000
	// batchBytes bounds the memory of a batch of large events.
	batchBytes = 4 << 20
)

// lineReader cuts a stream into batches of lines. It unpacks gzip by its magic
// number, whatever the file is called.
type lineReader struct {
	in   *bufio.Reader
	next int64 // number of the next line, from 1
}

func newLineReader(r io.Reader) (*lineReader, error) {
	in, err := Unpack(r)
	if err != nil {
		return nil, err
	}
	return &lineReader{in: in, next: 1}, nil
}

// Unpack returns what is read, unpacked when it is gzip.
func Unpack(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, maxLine)
	magic, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", err)
		}
		in = bufio.NewReaderSize(unpacked, maxLine)
	}
	return in, nil
}

// batch is some lines of the file.
type batch struct {
	first   int64    // number of its first line; of grouped lines, that of their portion
	after   int64    // number of the line up to which all are in this batch and those before
	count   int64    // of lines, those that lines leaves out among them
	lines   [][]byte // without blank ones and those that are too long
	numbers []int64  // of lines
	tooLong []int64  // numbers of lines beyond maxLine
}

// read returns the next batch, and io.EOF behind the last one.
func (r *lineReader) read() (*batch, error) {
	b := &batch{first: r.next}
	var held []byte
	var ends []int
	for len(ends) < batchLines && len(held) < batchBytes {
		line, long, err := r.line()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("line %d: %w", r.next, err)
		}
		if err != nil && len(line) == 0 && !long {
			break
		}
		if line = bytes.TrimSpace(line); long {
			b.tooLong = append(b.tooLong, r.next)
		} else if len(line) > 0 {
			held = append(held, line...)
			ends = append(ends, len(held))
			b.numbers = append(b.numbers, r.next)
		}
		r.next++
	}
	b.after, b.count = r.next, r.next-b.first
	if b.count == 0 {
		return nil, io.EOF
	}
	start := 0
	for _, end := range ends {
		b.lines = append(b.lines, held[start:end:end])
		start = end
	}
	return b, nil
}

// line returns the next line; of one that is too long, nothing but that it is.
func (r *lineReader) line() (line []byte, long bool, err error) {
	line, err = r.in.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		line, long = nil, true
		_, err = r.in.ReadSlice('\n')
	}
	return line, long, err
}

// skip passes over the lines before the given number.
func (r *lineReader) skip(to int64) error {
	for r.next < to {
		line, long, err := r.line()
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !long) {
			return err
		}
		r.next++
	}
	return nil
}
