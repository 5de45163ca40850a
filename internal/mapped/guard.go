package mapped

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrFault reports that bytes of a mapped file could not be read: the disk failed, or the file was made shorter.
var ErrFault = errors.New("a mapped file can't be read")

// Guard calls f and returns its error, or one that wraps ErrFault when reading a mapped file failed on this goroutine,
// which else would end the process. Any other panic goes on.
func Guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := FaultOf(recover()); fault != nil {
			err = fault
		}
	}()
	return f()
}

// FaultOf returns the error of a panic that a fault is, and nil without a panic; any other panic goes on.
func FaultOf(panicked any) error {
	switch value := panicked.(type) {
	case nil:
		return nil
	case interface {
		error
		Addr() uintptr
	}:
		return fmt.Errorf("%w: %w", ErrFault, value)
	case error:
		if errors.Is(value, ErrFault) {
			return value
		}
	}
	panic(panicked)
}
