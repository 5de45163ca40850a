package store

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
)

// replica is the copy of one environment in memory. Its names, first touches and purchases are complete,
// its sessions are those of the days that reports asked for, and polls keep all of it up to date. A day
// that lost sessions is read anew; where first touches or purchases disappear, the replica is forgotten.
type replica struct {
	id   int64
	data *frame.Dataset

	// builders are kept between days, because they remember the codes of values.
	builders sync.Pool

	// writing is held by whoever changes data, and by whoever makes a view of it, because data is
	// complete only between two changes. purchases, by id, belong to its holder.
	writing   semaphore
	purchases map[int64]frame.Purchase

	mu   sync.Mutex // of what follows; held for moments only
	days map[int32]*day
	used time.Time
	seen snapshot // what has been read

	polling *task
	polled  time.Time // when the latest finished poll began
	failing bool      // the latest poll failed

	// view is of the contents that the latest finished poll left, nil when that has to be made. Every day
	// that is loaded has its frame in it.
	view *frame.View
	// partial says that a poll has written some of its changes, so that no view can be made until one ends.
	partial bool

	sessionBytes float64 // what a session of days that were never loaded may take
}

// day is the state of one home day.
type day struct {
	catalogued
	loaded  bool
	bytes   int64 // of the frame when it was dropped, 0 when it was never loaded
	used    time.Time
	loading *task           // while it is being read
	changed []frame.Session // what polls saw while it was being read
	stale   bool            // what is being read is void: read it again
}

func newReplica(id int64) *replica {
	return &replica{
		id: id, data: frame.NewDataset(), writing: newSemaphore(1),
		purchases: map[int64]frame.Purchase{}, days: map[int32]*day{},
	}
}

// setPurchases stores ledger rows; a row replaces its earlier version. The caller holds writing.
func (r *replica) setPurchases(changed []purchase) {
	if len(changed) == 0 {
		return
	}
	added := true
	for _, p := range changed {
		_, known := r.purchases[p.id]
		added = added && !known
		r.purchases[p.id] = p.row
	}
	if added {
		rows := make([]frame.Purchase, len(changed))
		for i, p := range changed {
			rows[i] = p.row
		}
		r.data.AddPurchases(rows)
		return
	}
	rows := make([]frame.Purchase, 0, len(r.purchases))
	for _, p := range r.purchases {
		rows = append(rows, p)
	}
	r.data.SetPurchases(rows)
}

// daysIn lists the days that may have hits in [from, to), in Unix milliseconds.
func (r *replica) daysIn(from, to int64) (days []int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for number, d := range r.days {
		if d.bounds.meets(from, to) {
			days = append(days, number)
		}
	}
	return days
}

// markUsed notes that the replica and some of its days are used now.
func (r *replica) markUsed(days []int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.used = now
	for _, number := range days {
		r.days[number].used = now
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

func (r *replica) isLoaded(number int32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.days[number].loaded
}

// viewOf returns a view that holds [from, to) as a poll found it that began after since. It returns nil
// when there is none: days are missing, or another poll has to end first.
func (r *replica) viewOf(ctx context.Context, from, to int64, since time.Time) (*frame.View, error) {
	if view, missing := r.currentView(from, to, since); view != nil || missing {
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
	view, _ := r.currentView(from, to, since)
	return view, nil
}

// currentView returns the view that was made last, nil when it has to be made. It reports a view as
// missing when making one would not help: it would be too old or lack days.
func (r *replica) currentView(from, to int64, since time.Time) (view *frame.View, missing bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.polled.After(since) {
		return nil, true
	}
	for _, d := range r.days {
		if !d.loaded && d.bounds.meets(from, to) {
			return nil, true
		}
	}
	return r.view, false
}

// builder returns an empty builder that knows the names of now.
func (r *replica) builder() *frame.Builder {
	if b, ok := r.builders.Get().(*frame.Builder); ok {
		b.Discard()
		return b
	}
	return r.data.NewBuilder()
}

// drop lets go of the frame of a day. Who holds a view goes on with it.
func (r *replica) drop(number int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.days[number]; d.loaded {
		d.bytes = r.data.DayBytes(frame.Sessions, number)
		r.unload(number)
	}
}

// unload lets go of the frame of a day. The caller holds mu.
func (r *replica) unload(number int32) {
	r.data.Drop(frame.Sessions, number)
	r.days[number].loaded, r.view = false, nil
}

// invalidate lets go of the frame of a day that lost sessions, and voids a load that may have begun
// before it did. The caller holds mu.
func (r *replica) invalidate(number int32) {
	d := r.days[number]
	if d == nil {
		return
	}
	d.stale, d.changed = d.loading != nil, nil
	if d.loaded {
		r.unload(number)
	}
}

// put makes a part that was read the frame of its day, with what polls saw meanwhile, unless that made
// it void. The caller holds writing.
func (r *replica) put(number int32, part *frame.Part) {
	r.mu.Lock()
	d := r.days[number]
	changed, stale := d.changed, d.stale
	r.mu.Unlock()
	if !stale {
		r.data.Put(frame.Sessions, number, part)
		r.data.Upsert(changed)
	}
	// Only now, because a poll leaves out days that are neither loaded nor being loaded.
	r.mu.Lock()
	defer r.mu.Unlock()
	d.changed, d.loading, d.stale = nil, nil, false
	if !stale {
		d.loaded, r.view = true, nil
	}
}

// giveUp notes that a day could not be read.
func (r *replica) giveUp(number int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.days[number]
	d.loading, d.changed, d.stale = nil, nil, false
}

// keptDays lists the days whose changed sessions a poll has to bring: those that are loaded or being
// loaded. The load of any other day begins after this call and reads its sessions as they are then.
func (r *replica) keptDays() []time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	var kept []time.Time
	for number, d := range r.days {
		if d.loaded || d.loading != nil {
			kept = append(kept, dateOf(number))
		}
	}
	slices.SortFunc(kept, time.Time.Compare)
	return kept
}

// dateOf returns the date of a day's number.
func dateOf(number int32) time.Time { return time.Unix(int64(number)*86400, 0).UTC() }
