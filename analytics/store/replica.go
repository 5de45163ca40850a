package store

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/framedir"
	"github.com/svc-dev/svc/internal/mapped"
)

// replica is the copy of one environment in memory. Its names, first touches and purchases are complete,
// its sessions and runs are those of the days that reports asked for, and polls keep all of it up to date. A day
// that lost rows is read anew, and who was erased is taken out; where other first touches or purchases disappear, the
// replica is forgotten.
type replica struct {
	id    int64
	data  *frame.Dataset
	files *framedir.Directory // nil when it is in memory alone

	// builders are kept between days, because they remember the codes of values.
	builders [frame.RowTypes]sync.Pool

	// writing is held by whoever changes data, and by whoever makes a view of it, because data is
	// complete only between two changes.
	writing semaphore

	mu   sync.Mutex // of what follows; held for moments only
	days map[dayKey]*day
	// Of rows that nobody has asked for yet nothing is known, and polls leave them out.
	catalogues [frame.RowTypes]catalogue
	used       time.Time
	seen       snapshot // what has been read

	polling *task
	polled  time.Time // when the latest finished poll began
	failing bool      // the latest poll failed

	// view is of the contents that the latest finished poll left, nil when that has to be made. Every day
	// that is loaded has its frame in it.
	view *frame.View
	// partial says that a poll has written some of its changes, so that no view can be made until one ends.
	partial bool

	unsaved bool // there is something that files do not have
	savedAt time.Time
	written int64 // bytes, by the latest saving
	// erased says that people were erased, of whom values may be left in memory that files must not have: the replica
	// is in no file from then on, until it is read anew.
	erased bool
	opened time.Time
	saves  semaphore // held while files are written or removed; ledger belongs to its holder
	ledger savedLedger

	keptBytes int64 // of the rows that are kept for loads
	keepLimit int64
}

// savedDay is a day whose frame is in files of which nothing was read yet. No view has it until they were checked.
type savedDay struct {
	framedir.Day
	sealed, overlay *mapped.File // overlay is nil when there is none
}

// catalogue tells whether the days of the rows of one type are known.
type catalogue struct {
	followed bool // polls bring changes
	known    bool
	reading  *task
	rowBytes float64 // what a row of days that were never loaded may take
}

// day is the state of one home day.
type day struct {
	catalogued
	loaded  bool
	bytes   int64 // of the frame when it was dropped, 0 when it was never loaded
	used    time.Time
	loading *task // while it is being read
	changed []row // what polls saw while it was being read
	stale   bool  // what is being read is void: read it again

	saved *savedDay // nil when it is loaded, or when it has no file

	changedBytes int64
}

func (s *Store) newReplica(id int64) *replica {
	return &replica{
		id: id, files: s.settings.Files, data: frame.NewDatasetWithin(valueBudget(s.frameBudget())), writing: newSemaphore(1),
		days: map[dayKey]*day{}, saves: newSemaphore(1), opened: time.Now(), keepLimit: s.pollBudget(),
	}
}

// daysOf lists the days that may have what is needed.
func (r *replica) daysOf(needs []need) (days []dayKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, d := range r.days {
		if d.isNeeded(key, needs) {
			days = append(days, key)
		}
	}
	return days
}

// isNeeded tells whether the bounds of a day meet one of the ranges that are needed.
func (c *catalogued) isNeeded(key dayKey, needs []need) bool {
	return slices.ContainsFunc(needs, func(n need) bool { return n.rows == key.rows && c.meets(n.from, n.to) })
}

// followed lists the types of rows that polls follow.
func (r *replica) followed() (rows []frame.RowType) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for t := range r.catalogues {
		if r.catalogues[t].followed {
			rows = append(rows, frame.RowType(t))
		}
	}
	return rows
}

// markUsed notes that the replica and some of its days are used now.
func (r *replica) markUsed(days []dayKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.used = now
	for _, key := range days {
		r.days[key].used = now
	}
}

func (r *replica) lastUsed() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

func (r *replica) lastPolled() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.polled
}

func (r *replica) isLoaded(key dayKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.days[key].loaded
}

// viewOf returns a view that holds what is needed as a poll found it that began after since. It returns nil
// when there is none: days are missing, or another poll has to end first.
func (r *replica) viewOf(ctx context.Context, needs []need, since time.Time) (*frame.View, error) {
	if view, missing := r.currentView(needs, since); view != nil || missing {
		return view, nil
	}
	if err := r.writing.acquire(ctx); err != nil {
		return nil, err
	}
	defer r.writing.release()
	r.mu.Lock()
	if r.view == nil && !r.partial {
		r.view = r.data.View(math.MinInt32, math.MaxInt32)
	}
	r.mu.Unlock()
	view, _ := r.currentView(needs, since)
	return view, nil
}

// currentView returns the view that was made last, nil when it has to be made. It reports a view as
// missing when making one would not help: it would be too old or lack days.
func (r *replica) currentView(needs []need, since time.Time) (view *frame.View, missing bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.polled.After(since) {
		return nil, true
	}
	for key, d := range r.days {
		if !d.loaded && d.isNeeded(key, needs) {
			return nil, true
		}
	}
	return r.view, false
}

// builder returns an empty builder that knows the names of now.
func (r *replica) builder(t *table) builder {
	if b, ok := r.builders[t.rows].Get().(builder); ok {
		b.Discard()
		return b
	}
	return t.newBuilder(r.data)
}

// drop lets go of the frame of a day. Who holds a view goes on with it.
func (r *replica) drop(key dayKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.days[key]; d.loaded {
		d.bytes = r.data.DayBytes(key.rows, key.number)
		r.unload(key)
	}
}

// unload lets go of the frame of a day. The caller holds mu.
func (r *replica) unload(key dayKey) {
	r.data.Drop(key.rows, key.number)
	r.days[key].loaded, r.days[key].saved, r.view, r.unsaved = false, nil, nil, true
}

// invalidate lets go of the frame of a day that lost rows, and voids a load that may have begun
// before it did. The caller holds mu.
func (r *replica) invalidate(key dayKey) {
	d := r.days[key]
	if d == nil {
		return
	}
	r.voidLoad(d)
	if d.loaded || d.saved != nil {
		r.unload(key)
	}
}

// voidLoad has a day that is being read read again. The caller holds mu.
func (r *replica) voidLoad(d *day) {
	r.dropKept(d)
	d.stale = d.loading != nil
}

// put makes a part that was read the frame of its day, with what polls saw meanwhile, unless that made
// it void. The caller holds writing.
func (r *replica) put(key dayKey, part *frame.Part) (err error) {
	r.mu.Lock()
	d := r.days[key]
	changed, stale := d.changed, d.stale
	r.mu.Unlock()
	if stale {
		r.files.Remove(r.id, part.File()) // it may have people who were erased
	} else {
		r.data.Put(key.rows, key.number, part)
		if len(changed) > 0 {
			err = tables[key.rows].upsert(r.data, changed)
		}
	}
	// Only now, because a poll leaves out days that are neither loaded nor being loaded.
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endLoad(d)
	switch {
	case err != nil:
		r.data.Drop(key.rows, key.number)
	case !stale:
		d.loaded, r.view, r.unsaved = true, nil, true
	}
	return err
}

// giveUp notes that a day could not be read.
func (r *replica) giveUp(key dayKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endLoad(r.days[key])
}

// endLoad notes that a day is not being read any more. The caller holds mu.
func (r *replica) endLoad(d *day) {
	r.dropKept(d)
	d.loading, d.stale = nil, false
}

// keptDays lists the days whose changed rows of a type a poll has to bring: those that are loaded or being
// loaded. The load of any other day begins after this call and reads its rows as they are then.
func (r *replica) keptDays(rows frame.RowType) []time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	var kept []time.Time
	for key, d := range r.days {
		if key.rows == rows && (d.loaded || d.saved != nil || d.loading != nil) {
			kept = append(kept, dateOf(key.number))
		}
	}
	slices.SortFunc(kept, time.Time.Compare)
	return kept
}

// dateOf returns the date of a day's number.
func dateOf(number int32) time.Time { return time.Unix(int64(number)*86400, 0).UTC() }
