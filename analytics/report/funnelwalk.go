package report

import (
	"github.com/svc-dev/svc/analytics"
)

// What a hit is to a funnel, besides the steps that it meets, of which step 1 is bit 0.
const (
	excludes uint16 = 1 << 14
	ofKind   uint16 = 1 << 15 // of a kind that a step names, where the order is strict
)

// funnelHit is a hit that matters to a funnel.
type funnelHit struct {
	at   int64
	bits uint16
	from uint32 // its session among those of the unit
	pos  uint32 // its place among the part's hits; outside of one for runs and charges
}

// outside is the place of what is no hit of a session.
const outside = 1<<32 - 1

// funnelWalk finds the attempt of a unit that gets furthest. Attempts wait by the step that they reached last, in lists
// in the order of their starts. A hit that meets the next step takes a whole list there, so that many attempts cost no
// more than few: nothing is done for each of them but to begin and, once its window is over, to end.
type funnelWalk struct {
	steps  int
	window int64
	strict bool
	// The times of hits are the earliest that they may be at, and each may be later by that much. What that leaves open
	// makes a walk unclear.
	slack   int64
	unclear bool

	idle bool // no hit does anything to an attempt that has begun

	starts []int32 // by attempt: the hit at which it began
	next   []int32 // by attempt: the next of its list
	head   [analytics.MaxFunnelSteps + 1]int32
	tail   [analytics.MaxFunnelSteps + 1]int32
	top    int // no list of a higher level has an attempt

	best, bestLevel int32 // a start, and the steps reached from there
}

const none = int32(-1)

// furthest returns the hit at which the attempt began that gets furthest, the earliest of equals; -1 without any. Hits
// are in their order.
func (w *funnelWalk) furthest(hits []funnelHit, begins func(*funnelHit) bool) int {
	all := uint16(0)
	for i := range hits {
		all |= hits[i].bits
	}
	w.idle = all&(1<<1|excludes) == 0 && !w.strict
	if all&(1<<1) == 0 { // nobody gets further than step 1
		for i := range hits {
			if hits[i].bits&1 == 1 && begins(&hits[i]) {
				return i
			}
		}
		return -1
	}
	w.starts, w.next = w.starts[:0], w.next[:0]
	for level := range w.head {
		w.head[level], w.tail[level] = none, none
	}
	w.best, w.bestLevel, w.top = none, 0, 0
	for i := range hits {
		h := &hits[i]
		w.expire(hits, h.at)
		for level := w.top; level > 0; level-- {
			switch {
			case w.head[level] == none:
			case h.bits>>level&1 == 1:
				if level+1 == w.steps {
					return int(w.starts[w.head[level]]) // nobody who is behind began earlier
				}
				w.advance(level)
			case w.strict || h.bits&excludes != 0:
				w.end(level)
				w.head[level], w.tail[level] = none, none
			}
		}
		if h.bits&1 == 1 && begins(h) {
			w.begin(int32(i))
		}
	}
	for level := w.top; level > 0; level-- {
		w.end(level)
	}
	return int(w.best)
}

func (w *funnelWalk) begin(hit int32) {
	attempt := int32(len(w.starts))
	w.starts, w.next = append(w.starts, hit), append(w.next, none)
	w.join(1, attempt, attempt)
}

// join appends a list to that of a level. Who is there began earlier.
func (w *funnelWalk) join(level int, head, tail int32) {
	if w.head[level] == none {
		w.head[level] = head
	} else {
		w.next[w.tail[level]] = head
	}
	w.tail[level], w.top = tail, max(w.top, level)
}

func (w *funnelWalk) advance(level int) {
	head, tail := w.head[level], w.tail[level]
	w.head[level], w.tail[level] = none, none
	w.join(level+1, head, tail)
}

// end takes the earliest attempt of a level into account.
func (w *funnelWalk) end(level int) {
	if w.head[level] == none {
		return
	}
	start := w.starts[w.head[level]]
	if int32(level) > w.bestLevel || int32(level) == w.bestLevel && start < w.best {
		w.best, w.bestLevel = start, int32(level)
	}
}

// expire ends the attempts whose window is over. Who reached more began earlier.
func (w *funnelWalk) expire(hits []funnelHit, now int64) {
	for w.top > 0 && w.head[w.top] == none {
		w.top--
	}
	for level := w.top; level > 0; level-- {
		for w.head[level] != none {
			attempt := w.head[level]
			if w.within(now - hits[w.starts[attempt]].at) {
				return
			}
			w.end(level)
			if w.head[level] = w.next[attempt]; w.head[level] == none {
				w.tail[level] = none
			}
		}
	}
}

// within tells whether a hit is in the window of an attempt that began so many milliseconds before.
func (w *funnelWalk) within(millis int64) bool {
	w.unclear = w.unclear || millis-w.slack <= w.window && millis+w.slack > w.window
	return millis <= w.window
}

// funnelPath is how an attempt went.
type funnelPath struct {
	level int // steps reached
	times [analytics.MaxFunnelSteps]int64
	hits  [analytics.MaxFunnelSteps]int32 // of the unit
	ended bool                            // by an exclusion, or by another hit in strict order
}

// follow returns how the attempt went that began at a hit.
func (w *funnelWalk) follow(hits []funnelHit, start int) funnelPath {
	p := funnelPath{level: 1}
	p.times[0], p.hits[0] = hits[start].at, int32(start)
	for i := start + 1; !w.idle && i < len(hits) && p.level < w.steps && w.within(hits[i].at-p.times[0]); i++ {
		switch h := &hits[i]; {
		case h.bits>>p.level&1 == 1:
			p.times[p.level], p.hits[p.level] = h.at, int32(i)
			p.level++
		case w.strict || h.bits&excludes != 0:
			p.ended = true
			return p
		}
	}
	return p
}
