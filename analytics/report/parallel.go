package report

import (
	"runtime"
	"sync"
)

// maxWorkers bounds the goroutines of one report: reports run side by side, and past a few
// workers memory bandwidth is the limit.
const maxWorkers = 8

// minSessions is how many sessions make another worker worth its start.
const minSessions = 20_000

func workers(sessions int) int {
	return max(1, min(runtime.GOMAXPROCS(0), maxWorkers, sessions/minSessions))
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
