package bodylimit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

var (
	// ErrTooLarge says that a body, packed or unpacked, is longer than allowed.
	ErrTooLarge = errors.New("the body is larger than allowed")
	// ErrTooSlow says that a body did not arrive in time: the server's read
	// deadline passed.
	ErrTooSlow = errors.New("the body did not arrive in time")
	// ErrBroken says that a body breaks off or isn't what its coding says.
	ErrBroken = errors.New("the body is not complete")
)

// Coding is how a body is packed.
type Coding string

// The codings that are understood.
const (
	Plain Coding = ""
	Gzip  Coding = "gzip"
	Zstd  Coding = "zstd"
)

const (
	// smallBuffer is what a body takes of memory before it takes of the budget:
	// no more than its connection takes anyway, so that the many small bodies
	// never wait for the large ones.
	smallBuffer = 4 << 10
	// maxWindow is the largest window of zstd that is taken, which is what
	// RFC 8878 §3.1.1.1.2 asks of every decoder.
	maxWindow = 8 << 20
)

// ReadBody reads the body of a request and unpacks it; neither form may have
// more than limit bytes. The hold grows as bytes arrive, whatever length was
// announced, and is as large as the result at the end.
//
// The error is [ErrTooLarge], [ErrTooSlow], [ErrBroken], [ErrFull] or that of
// the request's context.
func (h *Hold) ReadBody(r *http.Request, limit int64, coding Coding) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, ErrTooLarge
	}
	body := buffer{hold: h, limit: limit, expected: r.ContentLength}
	if err := body.fill(r.Body, limit+1); err != nil {
		return nil, err
	}
	if coding == Plain {
		return body.data, nil
	}
	unpacked := buffer{hold: h, limit: limit, expected: -1, beside: int64(cap(body.data))}
	if err := unpack(r.Context(), &unpacked, body.data, coding); err != nil {
		return nil, err
	}
	return unpacked.data, h.take(int64(cap(unpacked.data)))
}

// ReadAll reads a part of a body that has at most limit bytes, beside what the hold has
// already. Its errors are those of [Hold.ReadBody], without that of the context.
func (h *Hold) ReadAll(part io.Reader, limit int64) ([]byte, error) {
	whole := buffer{hold: h, limit: limit, expected: -1, beside: h.size()}
	err := whole.fill(part, limit+1)
	return whole.data, err
}

func (h *Hold) size() int64 {
	if h == nil {
		return 0
	}
	return h.bytes
}

// take makes the hold as large as a buffer, which takes nothing while it is
// small.
func (h *Hold) take(size int64) error {
	if size <= smallBuffer {
		size = 0
	}
	return h.Resize(size)
}

// unpack unpacks data into a buffer.
func unpack(ctx context.Context, into *buffer, data []byte, coding Coding) error {
	switch coding {
	case Gzip:
		return unpackGzip(ctx, into, data)
	case Zstd:
		return unpackZstd(ctx, into, data)
	}
	return fmt.Errorf("unknown coding %q", coding)
}

// unpackGzip waits for a turn when the data turns out to be a large body.
func unpackGzip(ctx context.Context, into *buffer, data []byte) error {
	reader := gzipReaders.Get().(*gzip.Reader)
	defer func() {
		_ = reader.Reset(strings.NewReader("")) // lets go of data
		gzipReaders.Put(reader)
	}()
	if err := reader.Reset(bytes.NewReader(data)); err != nil {
		return ErrBroken
	}
	if err := into.fill(reader, Large); err != nil || into.ended {
		return err
	}
	end, err := into.hold.Turn(ctx)
	if err != nil {
		return err
	}
	defer end()
	return into.fill(reader, into.limit+1)
}

// unpackZstd waits for a turn first: a few bytes can ask for a window of
// maxWindow, which a decoder then keeps, and there are no more decoders than
// turns.
func unpackZstd(ctx context.Context, into *buffer, data []byte) error {
	end, err := into.hold.Turn(ctx)
	if err != nil {
		return err
	}
	defer end()
	reader := zstdReaders.Get().(*zstd.Decoder)
	defer func() {
		_ = reader.Reset(nil) // lets go of data
		zstdReaders.Put(reader)
	}()
	if err := reader.Reset(bytes.NewReader(data)); err != nil {
		return ErrBroken
	}
	return into.fill(reader, into.limit+1)
}

// buffer is a body that grows as bytes come, and takes of the budget what it has
// grown to.
type buffer struct {
	hold     *Hold
	data     []byte
	limit    int64
	expected int64 // length that was announced, or negative
	beside   int64 // bytes that the request holds besides this buffer
	ended    bool  // the source has no more
}

// fill reads until the buffer has upTo bytes or the source has no more, and
// fails when that is more than the limit or less than was announced.
func (b *buffer) fill(source io.Reader, upTo int64) error {
	for !b.ended && int64(len(b.data)) < upTo {
		if int64(len(b.data)) == b.expected {
			b.ended = true
			break
		}
		if len(b.data) == cap(b.data) {
			if err := b.grow(); err != nil {
				return err
			}
		}
		n, err := source.Read(b.data[len(b.data):cap(b.data)])
		b.data = b.data[:len(b.data)+n]
		switch {
		case int64(len(b.data)) > b.limit:
			return ErrTooLarge
		case err == io.EOF && int64(len(b.data)) >= b.expected:
			b.ended = true
		case errors.Is(err, os.ErrDeadlineExceeded):
			return ErrTooSlow
		case err != nil:
			return ErrBroken
		}
	}
	return nil
}

// grow doubles the buffer, to at most the announced length or one byte more than
// the limit, which shows that there is more.
func (b *buffer) grow() error {
	most := b.limit + 1
	if b.expected >= 0 {
		most = b.expected
	}
	size := min(max(2*int64(cap(b.data)), smallBuffer), most)
	if err := b.hold.take(size + b.beside); err != nil {
		return err
	}
	grown := make([]byte, len(b.data), size)
	copy(grown, b.data)
	b.data = grown
	return nil
}

// Decoders are reused: their windows are most of their cost.
var (
	gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}
	zstdReaders = sync.Pool{New: func() any {
		reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeBuffersBelow(0))
		if err != nil {
			panic(err) // only for options that do not exist
		}
		return reader
	}}
)
