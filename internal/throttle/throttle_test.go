package throttle_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/throttle"
)

func TestOneASecondIsAllowed(t *testing.T) {
	t.Parallel()
	var p throttle.PerSecond
	now := time.Unix(1_700_000_000, 0)
	for second := range 3 {
		var allowed atomic.Int64
		var together sync.WaitGroup
		for range 20 {
			together.Go(func() {
				if p.Allow(now.Add(time.Duration(second) * time.Second)) {
					allowed.Add(1)
				}
			})
		}
		together.Wait()
		require.EqualValues(t, 1, allowed.Load())
	}
}
