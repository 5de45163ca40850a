package frame

import (
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/internal/mapped"
)

// Parallel calls f(0) … f(n-1), each in its own goroutine, and waits. A fault of a mapped file panics in the
// goroutine of the caller.
func Parallel(n int, f func(i int)) {
	if n == 1 {
		f(0)
		return
	}
	faults := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			faults[i] = mapped.Guard(func() error {
				f(i)
				return nil
			})
		})
	}
	wg.Wait()
	if err := errors.Join(faults...); err != nil {
		panic(err)
	}
}

// Together calls functions, each in its own goroutine, and returns the first error. A fault of a mapped file panics in
// the goroutine of the caller.
func Together(functions ...func() error) error {
	var together errgroup.Group
	for _, f := range functions {
		together.Go(func() error { return mapped.Guard(f) })
	}
	err := together.Wait()
	if errors.Is(err, mapped.ErrFault) {
		panic(err)
	}
	return err
}
