package store

import "context"

// semaphore lets a number of holders in at once. Waiting for it ends with a context, unlike waiting
// for a mutex, so a request that has ended never stands in line.
type semaphore chan struct{}

func newSemaphore(holders int) semaphore { return make(semaphore, holders) }

// acquire waits for a place. It fails with the cause of ctx's end.
func (s semaphore) acquire(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s semaphore) release() { <-s }
