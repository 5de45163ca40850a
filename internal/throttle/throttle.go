// Package throttle keeps what happens very often from filling the log.
package throttle

import (
	"sync/atomic"
	"time"
)

// PerSecond lets one thing a second through. The zero value is ready; it is safe
// for concurrent use.
type PerSecond struct{ last atomic.Int64 } // the second of the last one, in Unix time

// Allow reports whether the thing that happens now is the first of its second.
func (p *PerSecond) Allow(now time.Time) bool {
	last := p.last.Load()
	return last != now.Unix() && p.last.CompareAndSwap(last, now.Unix())
}
