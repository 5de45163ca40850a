package store

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// streamShare is the part of the budget, one in so many, that is kept for reading ranges that memory
// does not hold; frames take the rest. It is never lent to frames, so that such a reading drops nothing
// that other reports use.
const streamShare = 4

// reopenAfter is how long an environment whose visitors alone exceed the budget is not tried again.
const reopenAfter = 10 * time.Minute

// errBudget tells that a range can't be held in memory at once.
var errBudget = errors.New("the range needs more memory than reports may use")

// forFrames is the budget of frames, visitors and values.
func (s *Store) forFrames() int64 { return s.settings.Budget - s.forStreams() }

// forStreams is the budget of ranges that are read in portions.
func (s *Store) forStreams() int64 { return s.settings.Budget / streamShare }

// Bytes is the memory of what the store holds and reads now.
func (s *Store) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := s.loading.Load() + s.streaming.Load()
	for _, e := range s.environments {
		total += e.env.Bytes()
	}
	return total
}

// expected is what loading the days will add to the environment, by day, and what else it needs on the
// way: builders grow, and a part is a copy of its builder. Days that are being read already are others'.
func (e *environment) expected(days []int32, loaders int) (byDay map[int32]int64, total int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	byDay = map[int32]int64{}
	largest := int64(0)
	for _, number := range days {
		if d := e.days[number]; !d.loaded && d.loading == nil {
			byDay[number] = d.expected(e.sessionBytes)
			total += byDay[number]
			largest = max(largest, byDay[number])
		}
	}
	return byDay, total + 2*largest*int64(min(loaders, len(byDay)))
}

// expected is the memory of the day's frame: what it was when it was loaded last, else an estimate.
func (d *day) expected(sessionBytes float64) int64 {
	if d.bytes > 0 {
		return d.bytes
	}
	return int64(float64(d.sessions) * sessionBytes)
}

// frameUse is one frame that may be dropped.
type frameUse struct {
	e      *environment
	number int32
	used   time.Time
	bytes  int64
}

// makeRoom drops what was used longest ago, frames and then environments, until the budget holds with
// the extra bytes. The days that the request asks for stay; when they and the extra alone exceed
// the budget, nothing is dropped for them and the answer is errBudget. The caller gives the extra bytes
// back with release.
func (s *Store) makeRoom(asking *environment, days []int32, extra int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	total, own := s.reserved+extra, asking.env.Bytes()+extra
	if s.environments[asking.id] != asking {
		total += asking.env.Bytes()
	}
	var frames []frameUse
	for _, e := range s.environments {
		total += e.env.Bytes()
		for _, f := range e.frames() {
			switch {
			case e != asking:
				frames = append(frames, f)
			case !slices.Contains(days, f.number):
				frames = append(frames, f)
				own -= f.bytes
			}
		}
	}
	if own > s.forFrames() {
		return errBudget
	}
	slices.SortFunc(frames, func(a, b frameUse) int { return a.used.Compare(b.used) })
	for _, f := range frames {
		if total <= s.forFrames() {
			break
		}
		f.e.drop(f.number)
		total -= f.bytes
	}
	for total > s.forFrames() {
		oldest := s.oldest(asking)
		if oldest == nil {
			return errBudget // others are being loaded
		}
		delete(s.environments, oldest.id)
		total -= oldest.env.Bytes()
	}
	s.reserved += extra
	return nil
}

// release gives reserved bytes back.
func (s *Store) release(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved -= bytes
}

// oldest is the environment used longest ago, but for one. The caller holds the lock.
func (s *Store) oldest(but *environment) *environment {
	var oldest *environment
	for _, e := range s.environments {
		if e != but && (oldest == nil || e.usedAt().Before(oldest.usedAt())) {
			oldest = e
		}
	}
	return oldest
}

func (e *environment) usedAt() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.used
}

// frames are the frames that are loaded.
func (e *environment) frames() []frameUse {
	e.mu.Lock()
	defer e.mu.Unlock()
	var frames []frameUse
	for number, d := range e.days {
		if d.loaded {
			frames = append(frames, frameUse{e, number, d.used, e.env.DayBytes(number)})
		}
	}
	return frames
}

// trim drops what exceeds the budget after polls have added to frames.
func (s *Store) trim() {
	s.mu.Lock()
	open := make([]*environment, 0, len(s.environments))
	for _, e := range s.environments {
		open = append(open, e)
	}
	s.mu.Unlock()
	slices.SortFunc(open, func(a, b *environment) int { return cmp.Compare(b.usedAt().UnixNano(), a.usedAt().UnixNano()) })
	for _, e := range open {
		if err := s.makeRoom(e, nil, 0); err != nil {
			s.forget(e) // its visitors alone exceed the budget
		}
	}
}

// drop forgets the frame of a day.
func (e *environment) drop(number int32) {
	e.write.Lock()
	defer e.write.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if d := e.days[number]; d.loaded {
		d.bytes = e.env.DayBytes(number)
		e.env.Drop(number)
		d.loaded, e.view = false, nil
	}
}
