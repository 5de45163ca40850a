package delivery

import (
	"maps"
	"sync"

	"github.com/google/uuid"
)

// reads orders the reads of a catalogue. They run side by side, so that one that
// hangs delays no other; a read that began later must never be overwritten by
// one that began earlier.
type reads struct {
	mu      sync.Mutex
	latest  uint64
	running map[uint64]bool
	// number of the read that each app was taken from, if an earlier one may
	// still come.
	number map[uuid.UUID]uint64
}

// begin numbers a read that is about to begin.
func (r *reads) begin() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running == nil {
		r.running, r.number = map[uint64]bool{}, map[uuid.UUID]uint64{}
	}
	r.latest++
	r.running[r.latest] = true
	return r.latest
}

// take notes that an app is taken from a read, and reports whether it may be: a
// read that began later has not brought it yet. The caller holds the lock.
func (r *reads) take(number uint64, app uuid.UUID) bool {
	if r.number[app] > number {
		return false
	}
	r.number[app] = number
	return true
}

// end forgets a read, and what nobody can overwrite any more.
func (r *reads) end(number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, number)
	oldest := r.latest + 1
	for running := range r.running {
		oldest = min(oldest, running)
	}
	maps.DeleteFunc(r.number, func(_ uuid.UUID, taken uint64) bool { return taken < oldest })
}

// contents are the prepared versions that reads share.
type contents struct {
	mu       sync.Mutex
	prepared map[contentKey]*version
}

func (c *contents) get(key contentKey) *version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.prepared[key]
}

func (c *contents) put(key contentKey, prepared *version) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prepared == nil {
		c.prepared = map[contentKey]*version{}
	}
	c.prepared[key] = prepared
}

// keep lets go of versions that no app uses.
func (c *contents) keep(apps map[uuid.UUID]*appEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.prepared, func(key contentKey, _ *version) bool {
		for _, app := range apps {
			if app != nil && app.versions[key] {
				return false
			}
		}
		return true
	})
}
