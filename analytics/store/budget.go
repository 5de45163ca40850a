package store

import (
	"errors"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
)

// streamShare is the part of the budget, one in so many, that is kept for reading ranges that memory
// does not hold; frames take the rest. It is never lent to frames, so that such a reading drops nothing
// that other reports use.
const streamShare = 4

// reopenAfter is how long an environment whose visitors alone exceed the budget is not tried again.
const reopenAfter = 10 * time.Minute

// errBudget tells that a range can't be held in memory at once.
var errBudget = errors.New("the range needs more memory than reports may use")

// pollShare is the part of the budget, one in so many, that is kept for what polls read.
const pollShare = 16

// frameBudget returns the budget of frames, visitors, values and the members of segments.
func (s *Store) frameBudget() int64 {
	return s.settings.Budget - s.streamBudget() - s.settings.Budget/pollShare
}

// streamBudget returns the budget of ranges that are read in portions.
func (s *Store) streamBudget() int64 { return s.settings.Budget / streamShare }

// pollBudget returns the budget of one of the polls that run at once.
func (s *Store) pollBudget() int64 { return s.settings.Budget / pollShare / pollers }

// valueShare is the part of a budget, one in so many, that values may take which clients make up. A budget so small
// that minValueBytes are more than that refuses ranges, rather than calling values of few people "(other)".
const (
	valueShare    = 8
	minValueBytes = 64 << 10
)

func valueBudget(budget int64) int64 {
	return min(frame.ValueBytes, max(minValueBytes, budget/valueShare))
}

// Bytes returns the memory of what the store holds and reads now.
func (s *Store) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := s.loading.Load() + s.polling.Load() + s.streaming.Load()
	for _, r := range s.replicas {
		total += r.data.Bytes()
	}
	for _, m := range s.members {
		total += m.members.Bytes()
	}
	return total
}

// expected returns what loading the days will add to the environment, by day, and what else it needs on the
// way: builders grow, and a part is a copy of its builder. Days that are being read already are others'.
func (r *replica) expected(days []dayKey, loaders int) (byDay map[dayKey]int64, total int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	byDay = map[dayKey]int64{}
	read, largest := 0, int64(0)
	saves := r.files != nil && !r.erased // a day moves into a file once it was read
	for _, key := range days {
		if d := r.days[key]; !d.loaded && d.saved == nil && d.loading == nil {
			bytes := d.expected(r.catalogues[key.rows].rowBytes)
			largest, read = max(largest, bytes), read+1
			if !saves {
				byDay[key] = bytes
				total += bytes
			}
		}
	}
	copies := int64(2)
	if saves {
		copies++
	}
	return byDay, total + copies*largest*int64(min(loaders, read))
}

// expected returns the memory of the day's frame: what it was when it was loaded last, else an estimate.
func (d *day) expected(rowBytes float64) int64 {
	if d.bytes > 0 {
		return d.bytes
	}
	return int64(float64(d.rows) * rowBytes)
}

// evictable is memory that may be given up: a frame or the members of a segment.
type evictable struct {
	used  time.Time
	bytes int64
	drop  func() // called with the store's lock
}

// makeRoom gives up what was used longest ago, frames and members of segments, then whole replicas, until
// the budget holds with the extra bytes. The days that the request asks for stay; when they and the extra
// alone exceed the budget, nothing is given up for them and the answer is errBudget. The caller gives the
// extra bytes back with release.
func (s *Store) makeRoom(asking *replica, days []dayKey, extra int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	total, own := s.reserved+extra, asking.data.Bytes()+extra
	if s.replicas[asking.id] != asking {
		total += asking.data.Bytes()
	}
	var holdings []evictable
	for _, r := range s.replicas {
		total += r.data.Bytes()
		for _, f := range r.frames() {
			if r == asking && slices.Contains(days, f.key) {
				continue
			}
			holdings = append(holdings, evictable{f.used, f.bytes, func() { r.drop(f.key) }})
			if r == asking {
				own -= f.bytes
			}
		}
	}
	for key, m := range s.members {
		total += m.members.Bytes()
		holdings = append(holdings, evictable{m.at, m.members.Bytes(), func() { delete(s.members, key) }})
	}
	if own > s.frameBudget() {
		return errBudget
	}
	slices.SortFunc(holdings, func(a, b evictable) int { return a.used.Compare(b.used) })
	for _, h := range holdings {
		if total <= s.frameBudget() {
			break
		}
		h.drop()
		total -= h.bytes
	}
	for total > s.frameBudget() {
		oldest := s.findOldest(asking)
		if oldest == nil && extra == 0 {
			// What is being loaded was granted before. A day that was loaded just now counts twice until its
			// reservation is given back.
			break
		}
		if oldest == nil {
			return errBudget // others are being loaded
		}
		delete(s.replicas, oldest.id)
		total -= oldest.data.Bytes()
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

// findOldest returns the replica used longest ago, but for one. The caller holds the lock.
func (s *Store) findOldest(but *replica) *replica {
	var oldest *replica
	for _, r := range s.replicas {
		if r != but && (oldest == nil || r.lastUsed().Before(oldest.lastUsed())) {
			oldest = r
		}
	}
	return oldest
}

// frameUse is the use of one frame.
type frameUse struct {
	key   dayKey
	used  time.Time
	bytes int64
}

// frames returns the frames that are loaded into memory.
func (r *replica) frames() []frameUse {
	r.mu.Lock()
	defer r.mu.Unlock()
	var frames []frameUse
	for key, d := range r.days {
		if d.loaded && !r.data.Frame(key.rows, key.number).IsSaved() {
			frames = append(frames, frameUse{key, d.used, r.data.DayBytes(key.rows, key.number)})
		}
	}
	return frames
}

// trim gives up what exceeds the budget after polls have added to frames.
func (s *Store) trim() {
	open := s.openReplicas()
	slices.SortFunc(open, func(a, b *replica) int { return b.lastUsed().Compare(a.lastUsed()) })
	for _, r := range open {
		if err := s.makeRoom(r, nil, 0); err != nil {
			s.forget(r) // its visitors alone exceed the budget
		}
	}
}
