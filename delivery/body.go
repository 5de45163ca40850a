package delivery

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"sync"

	"github.com/klauspost/compress/flate"
)

// A document is written as three parts: the head of the channel and arm, the
// surroundings of the app, the content of the version. The latter two are
// serialized and compressed once and shared by every channel that serves them,
// so that a thousand channels on one version cost a thousand heads.
//
// The gzip form is a single member made of the same three parts: the head in a
// stored (uncompressed) block, then the two shared DEFLATE streams, each ended
// by a sync flush and without references before its own start.

// gzipHeader is the fixed 10-byte member header: DEFLATE, no flags, no time,
// unknown system (RFC 1952 §2.3).
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// gzipFinal is an empty final DEFLATE block with fixed codes (RFC 1951 §3.2.6).
const gzipFinal = "\x03\x00"

// maxStored is the largest stored DEFLATE block in bytes (RFC 1951 §3.2.4).
const maxStored = 1<<16 - 1

// part is a piece of JSON text and the same piece as DEFLATE blocks that end on
// a byte boundary.
type part struct {
	plain    []byte
	deflated []byte
}

// storedPart keeps text uncompressed: for pieces too small to gain anything.
func storedPart(text []byte) part {
	deflated := make([]byte, 0, len(text)+5)
	for rest := text; ; {
		block := rest[:min(len(rest), maxStored)]
		rest = rest[len(block):]
		size := uint16(len(block))
		deflated = append(deflated, 0)
		deflated = binary.LittleEndian.AppendUint16(deflated, size)
		deflated = binary.LittleEndian.AppendUint16(deflated, ^size)
		deflated = append(deflated, block...)
		if len(rest) == 0 {
			break
		}
	}
	if len(text) <= maxStored {
		text = deflated[5:] // one copy of the bytes is enough
	}
	return part{plain: text, deflated: deflated}
}

// deflaters are reused: each one holds about a megabyte of tables.
var deflaters = sync.Pool{New: func() any {
	writer, err := flate.NewWriter(io.Discard, flate.BestCompression)
	if err != nil {
		panic(err) // only for a level that does not exist
	}
	return writer
}}

// deflatedPart compresses text as well as DEFLATE can: it happens once for a
// version, not for a request.
func deflatedPart(text []byte) (part, error) {
	var out bytes.Buffer
	writer := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(writer)
	writer.Reset(&out)
	if _, err := writer.Write(text); err != nil {
		return part{}, fmt.Errorf("compress response part: %w", err)
	}
	if err := writer.Flush(); err != nil {
		return part{}, fmt.Errorf("compress response part: %w", err)
	}
	return part{plain: text, deflated: bytes.Clone(out.Bytes())}, nil
}

// headPart serializes a head and leaves the object open for the parts that
// follow.
func headPart(head Head) (part, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return part{}, fmt.Errorf("serialize document head: %w", err)
	}
	text[len(text)-1] = ','
	return storedPart(text), nil
}

// surroundingsPart serializes the middle of the object.
func surroundingsPart(surroundings Surroundings) (part, error) {
	text, err := json.Marshal(surroundings)
	if err != nil {
		return part{}, fmt.Errorf("serialize document surroundings: %w", err)
	}
	text = text[1:]
	text[len(text)-1] = ','
	return deflatedPart(text)
}

// contentPart serializes the end of the object.
func contentPart(content Content) (part, error) {
	text, err := contentText(content)
	if err != nil {
		return part{}, err
	}
	return deflatedPart(text)
}

// contentText writes the end of the object. The manifest is copied byte for byte.
func contentText(content Content) ([]byte, error) {
	if !json.Valid(content.Manifest) {
		return nil, fmt.Errorf("serialize document content: the manifest is not JSON")
	}
	if content.MediaMap == nil {
		content.MediaMap = map[string]string{}
	}
	media, err := json.Marshal(content.MediaMap)
	if err != nil {
		return nil, fmt.Errorf("serialize media map: %w", err)
	}
	text := make([]byte, 0, len(content.Manifest)+len(media)+32)
	text = append(text, `"manifest":`...)
	text = append(text, content.Manifest...)
	text = append(text, `,"mediaMap":`...)
	text = append(text, media...)
	return append(text, '}'), nil
}

// Body is response text in both encodings, ready to be written. It is
// immutable and safe for concurrent use.
type Body struct {
	parts []part
	// trailer ends the gzip form: final block, CRC-32, size modulo 2^32.
	trailer [len(gzipFinal) + 8]byte
	// lengths are the Content-Length header values of the two forms.
	plainLength, gzipLength []string
}

func newBody(parts ...part) *Body {
	body := &Body{parts: parts}
	sum, plain, compressed := uint32(0), 0, len(gzipHeader)+len(body.trailer)
	for _, p := range parts {
		sum = crc32.Update(sum, crc32.IEEETable, p.plain)
		plain += len(p.plain)
		compressed += len(p.deflated)
	}
	copy(body.trailer[:], gzipFinal)
	binary.LittleEndian.PutUint32(body.trailer[len(gzipFinal):], sum)
	binary.LittleEndian.PutUint32(body.trailer[len(gzipFinal)+4:], uint32(plain))
	body.plainLength, body.gzipLength = []string{strconv.Itoa(plain)}, []string{strconv.Itoa(compressed)}
	return body
}

// ContentLength returns the size in bytes of what Write writes, as a header value
// that is ready to be sent and must not be written to.
func (b *Body) ContentLength(gzip bool) []string {
	if gzip {
		return b.gzipLength
	}
	return b.plainLength
}

// Write writes the text, or its gzip form, without building either: nothing
// that grows with the manifest is allocated.
func (b *Body) Write(w io.Writer, gzip bool) error {
	if !gzip {
		for _, p := range b.parts {
			if _, err := w.Write(p.plain); err != nil {
				return err
			}
		}
		return nil
	}
	if _, err := io.WriteString(w, gzipHeader); err != nil {
		return err
	}
	for _, p := range b.parts {
		if _, err := w.Write(p.deflated); err != nil {
			return err
		}
	}
	_, err := w.Write(b.trailer[:])
	return err
}

// The fixed text around and between the entries of resolve-all.
var (
	listOpen  = storedPart([]byte(`{"channels":[`))
	listComma = storedPart([]byte(`,`))
	listClose = storedPart([]byte(`]}`))
)

// ListBody returns the answer of resolve-all: the documents of several channels in
// one object (wire.md §3.8). It shares the bytes of its entries.
func ListBody(entries []*Body) *Body {
	parts := make([]part, 0, 2+4*len(entries))
	parts = append(parts, listOpen)
	for i, entry := range entries {
		if i > 0 {
			parts = append(parts, listComma)
		}
		parts = append(parts, entry.parts...)
	}
	return newBody(append(parts, listClose)...)
}
