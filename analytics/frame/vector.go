package frame

import (
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"

	"github.com/svc-dev/svc/internal/mapped"
)

// vector is the values of a part of one kind. Those of a file are compared with their checksum when they are first
// asked for, because a report needs few of them, and over a year reading all takes longer than anybody waits.
type vector[T plain] struct {
	values []T
	of     *stretch // of the file; nil in memory, and where the whole file was checked
}

// all returns the values. They panic with a fault when they are not those that were written.
func (c *vector[T]) all() []T {
	if c.of != nil && !c.of.checked.Load() {
		c.of.check()
	}
	return c.values
}

// stretch is bytes of a mapped file that have a checksum of their own.
type stretch struct {
	file    *mapped.File
	bytes   []byte
	sum     uint32
	checked atomic.Bool
	mu      sync.Mutex // one reads them, the others wait
}

// check reads the bytes, and panics when they are not those that were written.
func (s *stretch) check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checked.Load() {
		return
	}
	s.file.Ahead(s.bytes)
	if crc32.Checksum(s.bytes, castagnoli) != s.sum {
		panic(&DamageError{s.file})
	}
	s.checked.Store(true)
}

// DamageError reports that a file does not hold what was written. It is a fault, see [mapped.AsFault].
type DamageError struct{ File *mapped.File }

// Error tells which file it is.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: its checksum is another", e.File.Name())
}

// Unwrap makes it a fault, and an ErrFile.
func (e *DamageError) Unwrap() []error { return []error{mapped.ErrFault, ErrFile} }
