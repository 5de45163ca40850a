package mapped

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"
)

// Buffer is memory that bytes of files are read into. It belongs to one goroutine; the zero value is an empty one.
type Buffer struct{ bytes []byte }

// alignment is that of memory and of places in a file which are read past the page cache.
const alignment = 4096

// room returns n bytes that begin at a multiple of the alignment.
func (b *Buffer) room(n int) []byte {
	if cap(b.bytes) < n+alignment {
		b.bytes = make([]byte, n+n/4+alignment)
	}
	all := b.bytes[:cap(b.bytes)]
	skip := -uintptr(unsafe.Pointer(&all[0])) % alignment
	return all[skip:][:n]
}

// Past returns bytes of the file: where they lie if most are in memory, else read into the buffer past the page cache.
// What is needed once, and is more than memory has room for, then drives nothing out of it, and costs no processor the
// making of pages. Where that can't be done they are read ahead and returned where they lie. What it returns is good
// until the buffer is used again. Errors wrap ErrFault.
func (f *File) Past(bytes []byte, b *Buffer) ([]byte, error) {
	if len(bytes) == 0 {
		return nil, nil
	}
	if f.mostInMemory(bytes) {
		f.Ahead(bytes)
		return bytes, nil
	}
	file, err := openDirect(f.path)
	if err != nil { // gone, or of a file system that does not know this
		f.Ahead(bytes)
		return bytes, nil
	}
	defer file.Close() //nolint:errcheck // it was only read
	return f.readDirect(file, bytes, b)
}

func (f *File) readDirect(file *os.File, bytes []byte, b *Buffer) ([]byte, error) {
	from := int(uintptr(unsafe.Pointer(&bytes[0])) - uintptr(unsafe.Pointer(&f.bytes[0])))
	begin, end := from/alignment*alignment, (from+len(bytes)+alignment-1)/alignment*alignment
	room := b.room(end - begin)
	n, err := file.ReadAt(room, int64(begin))
	switch to := from - begin + len(bytes); {
	case n >= to:
		return room[from-begin : to], nil
	case err != nil && !errors.Is(err, io.EOF) && n == 0: // of a file system that allows it and can't
		f.Ahead(bytes)
		return bytes, nil
	default:
		return nil, fmt.Errorf("%w: %s: %d of %d bytes: %w", ErrFault, f.name, n, to, errors.Join(err))
	}
}
