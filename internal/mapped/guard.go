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
		if reason := recover(); reason != nil {
			if err = AsFault(reason); err == nil {
				panic(reason)
			}
		}
	}()
	return f()
}

// AsFault returns the error of a panic that a fault is, nil of any other.
func AsFault(reason any) error {
	switch value := reason.(type) {
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
	return nil
}
