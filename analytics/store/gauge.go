package store

import (
	"sync"
	"sync/atomic"
)

// gauge is the bytes that one reader holds, as part of a total.
type gauge struct {
	total *atomic.Int64

	mu    sync.Mutex
	bytes int64
	ended bool
}

// set tells how many bytes the reader holds now.
func (g *gauge) set(bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended {
		g.total.Add(bytes - g.bytes)
		g.bytes = bytes
	}
}

// end gives everything back, for good.
func (g *gauge) end() {
	g.set(0)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
}
