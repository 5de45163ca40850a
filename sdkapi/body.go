package sdkapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// payload is a request body that has passed the checks of size and type. What
// can be decided by headers is decided by them, so that a body which is refused
// for its key is usually never read.
type payload struct {
	request  *http.Request
	limit    int64
	encoding string
	read     bool
	data     []byte
	err      *Error
}

// admit checks size and media type of a request body (413, 415). A body whose
// size the headers do not tell, because it is compressed or chunked, is read
// here, because 413 comes before every other check (wire.md §11).
func admit(r *http.Request, limit int64, plainText bool) (payload, *Error) {
	p := payload{request: r, limit: limit}
	if r.ContentLength > limit {
		return p, tooLarge(limit)
	}
	if e := checkMediaType(r.Header.Get("Content-Type"), plainText); e != nil {
		return p, e
	}
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		p.encoding = "gzip"
	case "zstd":
		p.encoding = "zstd"
	default:
		return p, &Error{
			Status: http.StatusUnsupportedMediaType, Code: codeUnsupportedMedia,
			Message: "content-encoding must be gzip, zstd or absent",
		}
	}
	if p.encoding != "" || r.ContentLength < 0 {
		if _, e := p.bytes(); e != nil && e.Status == http.StatusRequestEntityTooLarge {
			return p, e
		}
	}
	return p, nil
}

func checkMediaType(contentType string, plainText bool) *Error {
	switch contentType {
	case "", "application/json": // absent is taken for JSON: nothing else is spoken here
		return nil
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err == nil && (media == "application/json" || plainText && media == "text/plain") {
		return nil
	}
	message := "content-type must be application/json"
	if plainText {
		message += " (or text/plain, as sendBeacon sends it)"
	}
	return &Error{Status: http.StatusUnsupportedMediaType, Code: codeUnsupportedMedia, Message: message}
}

func tooLarge(limit int64) *Error {
	return &Error{
		Status: http.StatusRequestEntityTooLarge, Code: codePayloadTooLarge,
		Message: fmt.Sprintf("the body is larger than %d bytes (after decompression)", limit),
	}
}

// bytes reads and decompresses the body, once. The error is 413 or, for a body
// that breaks off or isn't what its encoding says, 400.
func (p *payload) bytes() ([]byte, *Error) {
	if !p.read {
		p.read = true
		p.data, p.err = p.load()
	}
	return p.data, p.err
}

func (p *payload) load() ([]byte, *Error) {
	if p.encoding == "" && p.request.ContentLength >= 0 { // the size is known and was checked
		data := make([]byte, p.request.ContentLength)
		if _, err := io.ReadFull(p.request.Body, data); err != nil {
			return nil, p.unreadable(err)
		}
		return data, nil
	}
	// The compressed form has the same limit: it is never meant to be larger.
	var source io.Reader = &limitedReader{reader: p.request.Body, left: p.limit}
	size := max(p.request.ContentLength, 0)
	switch p.encoding {
	case "gzip":
		reader := gzipReaders.Get().(*gzip.Reader)
		defer gzipReaders.Put(reader)
		if err := reader.Reset(source); err != nil {
			return nil, p.unreadable(err)
		}
		source, size = &limitedReader{reader: reader, left: p.limit}, 4*size
	case "zstd":
		reader := zstdReaders.Get().(*zstd.Decoder)
		defer zstdReaders.Put(reader)
		if err := reader.Reset(source); err != nil {
			return nil, p.unreadable(err)
		}
		source, size = &limitedReader{reader: reader, left: p.limit}, 4*size
	}
	data, err := readAll(source, min(size, p.limit))
	if err != nil {
		return nil, p.unreadable(err)
	}
	return data, nil
}

func (p *payload) unreadable(err error) *Error {
	if errors.Is(err, errTooLarge) {
		return tooLarge(p.limit)
	}
	what := "the body ended before its announced length"
	if p.encoding != "" {
		what = "the body is not valid " + p.encoding
	}
	return &Error{Status: http.StatusBadRequest, Code: codeInvalidJSON, Message: what}
}

// readAll is io.ReadAll with room for the expected size.
func readAll(r io.Reader, expected int64) ([]byte, error) {
	data := make([]byte, 0, expected+512)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

var errTooLarge = errors.New("more bytes than allowed")

// limitedReader fails, unlike io.LimitedReader, when there is more than allowed.
type limitedReader struct {
	reader io.Reader
	left   int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n, errTooLarge
	}
	return n, err
}

// Decompressors are reused: their windows are most of their cost.
var (
	gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}
	zstdReaders = sync.Pool{New: func() any {
		// 8 MiB is the window that RFC 8878 §3.1.1.1.2 asks every decoder to take.
		reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderLowmem(true))
		if err != nil {
			panic(err) // only for options that do not exist
		}
		return reader
	}}
)
