package mapped

import "golang.org/x/sys/unix"

// Use waits until bytes of the file are in memory, and has the system count that as a use of them. It counts no other:
// that of a mapping which is read at random says nothing to Linux about what will be needed again, and what was read
// first leaves memory first, however often it was used since.
func (f *File) Use(bytes []byte) { f.advise(bytes, unix.MADV_POPULATE_READ) }

// Behind tells the system that bytes of the file were read, and may leave memory before others do.
func (f *File) Behind(bytes []byte) { f.advise(bytes, unix.MADV_COLD) }
