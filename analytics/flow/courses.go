package flow

import (
	"github.com/svc-dev/svc/analytics/frame"
)

// courses are what the paths of a view mean: runs of one path do the same at every step, so that reports count the
// runs of each path and then look at what the path says once. Only times are read from hits.
type courses struct {
	paths  [][]uint32 // of the view: happenings, by code
	stops  []stop     // of all paths
	offset []uint32   // those of a path are stops[offset[path]:offset[path+1]]
	isStop []uint8    // 1 of happenings that are stops, else 0
}

// stop is where a visit begins, or a run ends.
type stop struct {
	step    uint32 // noNumber at the end
	first   bool   // the path's first visit of the step
	surface bool   // the step is seen as one
}

// stopOf returns the stop that a letter is.
func stopOf(l *letter) stop {
	if l.kind == screenVisit || l.kind == surfaceVisit {
		return stop{step: l.step, surface: l.kind == surfaceVisit}
	}
	return stop{step: noNumber}
}

// coursesOf returns the courses of a view, made once.
func coursesOf(view *frame.View) *courses {
	type key struct{}
	return frame.Derive(view, key{}, func() *courses { return newCourses(view, lettersOf(view)) })
}

func newCourses(view *frame.View, letters *alphabet) *courses {
	c := &courses{
		paths: view.Paths, offset: make([]uint32, 1, len(view.Paths)+1), isStop: make([]uint8, len(letters.letters)),
	}
	for code, l := range letters.letters {
		switch l.kind {
		case screenVisit, surfaceVisit, completion, abandonment:
			c.isStop[code] = 1
		}
	}
	seen := make([]uint32, letters.size(ofSteps)) // path, and one, that has it
	for path, codes := range c.paths {
		for _, code := range codes {
			if c.isStop[code] == 0 {
				continue
			}
			one := stopOf(&letters.letters[code])
			if one.step != noNumber {
				one.first = seen[one.step] != uint32(path)+1
				seen[one.step] = uint32(path) + 1
			}
			c.stops = append(c.stops, one)
		}
		c.offset = append(c.offset, uint32(len(c.stops)))
	}
	return c
}

// follower follows the runs of a shard along their courses.
type follower struct {
	*courses
	w       *window
	letters *alphabet

	// Of a run without a path.
	codes []uint32
	own   []stop
	run   uint32
	seen  []uint32 // run that visited it last, by number of the step

	at []int64
}

func (s *Selection) newFollower() *follower {
	c := s.courses
	if c == nil {
		c = coursesOf(s.view)
	}
	return &follower{courses: c, w: s.window, letters: s.window.letters}
}

// happenings returns what happened in a run of a path, in the order of its hits; of a run without one it is what the
// hits say, valid until the next call.
func (f *follower) happenings(path uint32, r ref) []uint32 {
	if path != 0 {
		return f.paths[path]
	}
	f.codes = f.codes[:0]
	for _, hit := range f.w.hits(r) {
		if code := frame.HitName(hit); f.letters.letters[code].kind != nothing {
			f.codes = append(f.codes, code)
		}
	}
	return f.codes
}

// stopsOf returns the stops of a run, valid until the next call.
func (f *follower) stopsOf(path uint32, r ref) []stop {
	if path != 0 {
		return f.stops[f.offset[path]:f.offset[path+1]]
	}
	if f.seen == nil {
		f.seen = make([]uint32, f.letters.size(ofSteps))
	}
	f.own = f.own[:0]
	f.run++
	for _, code := range f.happenings(0, r) {
		if f.isStop[code] == 0 {
			continue
		}
		one := stopOf(&f.letters.letters[code])
		if one.step != noNumber {
			one.first = f.seen[one.step] != f.run
			f.seen[one.step] = f.run
		}
		f.own = append(f.own, one)
	}
	return f.own
}

// visitsOf returns how many visits of each of n steps the runs have.
func (f *follower) visitsOf(rs *runs, n int) []int64 {
	visits, byPath := make([]int64, n), make([]int64, len(f.paths))
	add := func(stops []stop, runs int64) {
		for _, stop := range stops {
			if stop.step != noNumber {
				visits[stop.step] += runs
			}
		}
	}
	for i, path := range rs.path {
		if byPath[path]++; path == 0 {
			add(f.stopsOf(path, rs.refs[i]), 1)
		}
	}
	for path, runs := range byPath {
		if path != 0 && runs > 0 {
			add(f.stops[f.offset[path]:f.offset[path+1]], runs)
		}
	}
	return visits
}

// times returns when a run came to its stops, valid until the next call. What is no stop is passed over without a jump
// that nobody can foresee.
func (f *follower) times(hits []int64) []int64 {
	if cap(f.at) < len(hits) {
		f.at = make([]int64, 2*len(hits))
	}
	at, isStop, n := f.at[:len(hits)], f.isStop, 0
	for _, hit := range hits {
		at[n] = frame.HitTime(hit)
		n += int(isStop[frame.HitName(hit)])
	}
	return at[:n]
}
