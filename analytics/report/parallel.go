package report

import (
	"runtime"
	"sync"
	"time"
)

// maxWorkers bounds the goroutines of one report: reports run side by side, and past a few
// workers memory bandwidth is the limit.
const maxWorkers = 8

// Tuning holds the sizes at which a report changes its way of counting. They change the speed and
// never the answer; tests set them so that small data takes every path.
var Tuning = struct {
	// SessionsPerWorker is how many sessions make another worker worth its start.
	SessionsPerWorker int
	// FusedCells bounds the cells of a pass that counts every value by bucket; a chart with more
	// finds its top values in a pass of their own, because so many cells fall out of the
	// processor's cache.
	FusedCells int
	// CountCells bounds the plain counters of a chart that needs no distinct counts.
	CountCells int
	// Together is how long a streamed reading waits for other reports of the selection that can share
	// it: those of one request start within microseconds of each other.
	Together time.Duration
}{SessionsPerWorker: 20_000, FusedCells: 1 << 14, CountCells: 1 << 20, Together: 10 * time.Millisecond}

func workers(sessions int) int {
	return max(1, min(runtime.GOMAXPROCS(0), maxWorkers, sessions/Tuning.SessionsPerWorker))
}

// parallel calls f(0) … f(n-1), each in its own goroutine, and waits.
func parallel(n int, f func(i int)) {
	if n == 1 {
		f(0)
		return
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}
