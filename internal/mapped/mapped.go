// Package mapped reads files where they lie: mapped into memory, read-only, their pages in the page cache of the
// machine and not on the heap.
package mapped

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// File is a mapped file. What reads its bytes must hold it: it is unmapped some time after nothing does. Of bytes that
// are not in memory the system reads the page that is asked for, and no more than that unless it is told: what is
// around it is mostly what nobody asks for, and drives out of memory what is needed.
type File struct {
	path, name string
	bytes      []byte
}

// ErrLength reports that a file is not as long as it should be.
var ErrLength = errors.New("the file has another length")

// linger is how long a file stays mapped after nothing holds it. A loop over its bytes may hold them longer than it
// holds the file, by moments.
const linger = 2 * time.Minute

var total atomic.Int64

// Bytes returns how many bytes are mapped now.
func Bytes() int64 { return total.Load() }

// Open maps a file that must have a length. A file that another process makes shorter later ends whoever reads it with
// a fault: see [Guard].
func Open(path string, length int64) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != length || length <= 0 || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: %d bytes, not %d", path, ErrLength, info.Size(), length)
	}
	bytes, err := unix.Mmap(int(file.Fd()), 0, int(length), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	_ = unix.Madvise(bytes, unix.MADV_RANDOM) // advice, which may be ignored
	total.Add(length)
	f := &File{path: path, name: filepath.Base(path), bytes: bytes}
	runtime.AddCleanup(f, func(bytes []byte) {
		time.AfterFunc(linger, func() {
			total.Add(-int64(len(bytes)))
			_ = unix.Munmap(bytes)
		})
	}, bytes)
	return f, nil
}

// InOrder calls read, which reads the file from its begin to its end: the system reads further ahead meanwhile.
func (f *File) InOrder(read func() error) error {
	_ = unix.Madvise(f.bytes, unix.MADV_SEQUENTIAL) // advice, which may be ignored
	defer func() { _ = unix.Madvise(f.bytes, unix.MADV_RANDOM) }()
	return read()
}

// aheadBytes is how much the system is told of at once. Linux reads no more of one advice than its disk reads ahead, or
// takes in one request, and forgets the rest; 128 KiB is what nearly every disk does.
const aheadBytes = 128 << 10

// A moment is over when so many bytes were asked for, which drive what was read before them out of memory only if there
// is next to none, or when others may have done so since.
const (
	momentBytes   = 128 << 20
	momentSeconds = 4
)

var asked atomic.Int64 // bytes, by this process

// began is when the process did, or about then.
var began = time.Now()

// Moment returns a number that is never 0 and the same as long as what was read is still in memory, so that nobody
// needs to ask for it again.
func Moment() int64 {
	return int64(time.Since(began)/(momentSeconds*time.Second)+1)<<32 | asked.Load()/momentBytes
}

// Ahead tells the system that bytes of the file are read next, so that it reads all of them at once.
func (f *File) Ahead(bytes []byte) {
	asked.Add(int64(len(bytes)))
	for len(bytes) > 0 {
		next := bytes[:min(len(bytes), aheadBytes)]
		f.advise(next, unix.MADV_WILLNEED)
		bytes = bytes[len(next):]
	}
}

// advise gives advice, which may be ignored, about the pages that bytes of the file are in.
func (f *File) advise(bytes []byte, advice int) {
	if len(bytes) == 0 {
		return
	}
	page := uintptr(os.Getpagesize())
	from := uintptr(unsafe.Pointer(&bytes[0])) - uintptr(unsafe.Pointer(&f.bytes[0]))
	_ = unix.Madvise(f.bytes[from/page*page:from+uintptr(len(bytes))], advice)
}

// Name returns the name of the file in its folder.
func (f *File) Name() string { return f.name }

// Bytes returns the contents, for reading only.
func (f *File) Bytes() []byte { return f.bytes }
