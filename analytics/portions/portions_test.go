package portions_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-dev/svc/analytics/portions"
)

// read reads by so many at once, and returns what each was told.
func read(
	ctx context.Context, shared *portions.Shared[int], readers int, visit func(reader, portion int) error,
) []error {
	told := make([]error, readers)
	var reading sync.WaitGroup
	for i := range readers {
		reading.Go(func() {
			told[i] = shared.Read(ctx, func(portion int) error { return visit(i, portion) })
		})
	}
	reading.Wait()
	return told
}

func TestThoseWhoAskTogetherShareAReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings := 0
		shared := portions.Share(time.Millisecond, func(_ context.Context, visit func(int) error) error {
			readings++
			for portion := range 3 {
				if err := visit(portion); err != nil {
					return err
				}
			}
			return nil
		})
		for round := 1; round <= 2; round++ {
			seen := make([][]int, 4)
			told := read(t.Context(), shared, 4, func(reader, portion int) error {
				seen[reader] = append(seen[reader], portion)
				return nil
			})
			if err := errors.Join(told...); err != nil || readings != round {
				t.Fatalf("%d readings in round %d: %v", readings, round, err)
			}
			for i, portions := range seen {
				if !slices.Equal(portions, []int{0, 1, 2}) {
					t.Errorf("reader %d saw %v", i, portions)
				}
			}
		}
	})
}

func TestAnErrorOfOneIsToldToAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("bad")
		shared := portions.Share(time.Millisecond, func(_ context.Context, visit func(int) error) error { return visit(1) })
		for i, err := range read(t.Context(), shared, 3, func(reader, _ int) error {
			if reader == 1 {
				return bad
			}
			return nil
		}) {
			if !errors.Is(err, bad) {
				t.Errorf("reader %d was told %v", i, err)
			}
		}
	})
}

// Who gives up neither waits for a reading that goes on nor begins one.
func TestWhoGivesUpDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		ended, end := context.WithCancelCause(t.Context())
		begun := 0
		shared := portions.Share(time.Second, func(context.Context, func(int) error) error {
			begun++
			time.Sleep(time.Minute)
			return nil
		})
		nothing := func(int) error { return nil }
		var reading sync.WaitGroup
		reading.Go(func() {
			if err := shared.Read(t.Context(), nothing); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(2 * time.Second)
		late := make(chan error, 1)
		go func() { late <- shared.Read(ended, nothing) }() // while the first reads
		synctest.Wait()
		end(gone)
		if err := <-late; !errors.Is(err, gone) {
			t.Errorf("who waited was told %v", err)
		}
		reading.Wait()
		if err := shared.Read(ended, nothing); !errors.Is(err, gone) || begun != 1 {
			t.Errorf("who had given up was told %v, and %d readings began", err, begun)
		}
	})
}
