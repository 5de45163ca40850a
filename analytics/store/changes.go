package store

import (
	"unsafe"

	"github.com/svc-dev/svc/analytics/frame"
)

// changes is what polls read of an environment, in memory of its own.
type changes struct {
	rows      [frame.RowTypes]changedRows
	touches   []frame.FirstTouch
	purchases []frame.Purchase
	bounds    map[dayKey]bounds // of the days of all changed rows, also of those that were left out
	bytes     int64
}

// changedRows are rows of one type.
type changedRows struct {
	rows    []row
	names   []name
	unknown map[int32]bool // names of the rows that no view knows
}

func (c *changes) empty() bool {
	return len(c.touches)+len(c.purchases)+len(c.bounds) == 0 // every changed row has a day
}

func (c *changes) addTouch(t *frame.FirstTouch) {
	c.touches = append(c.touches, cloneTouch(t))
	c.bytes += int64(unsafe.Sizeof(*t)) + int64(len(t.Visitor)+len(t.CustomUserID)+len(t.Source)+len(t.Campaign)+
		len(t.Country)+len(t.Platform)+len(t.Device)+len(t.Medium)+len(t.ReferrerHost))
}

func (c *changes) addPurchase(p frame.Purchase) {
	c.purchases = append(c.purchases, p)
	c.bytes += int64(unsafe.Sizeof(p)) + int64(len(p.Visitor))
}

func (c *changes) addBounds(day dayKey, b bounds) {
	if c.bounds == nil {
		c.bounds = map[dayKey]bounds{}
	}
	if known, ok := c.bounds[day]; ok {
		b = b.join(known)
	}
	c.bounds[day] = b
}

// addRow adds a row and the names that it uses for the first time.
func (c *changes) addRow(t *table, r row, unknown []int32) {
	changed := &c.rows[t.rows]
	changed.rows = append(changed.rows, r)
	c.bytes += r.size()
	for _, id := range unknown {
		if changed.unknown == nil {
			changed.unknown = map[int32]bool{}
		}
		changed.unknown[id] = true
	}
}

// write brings changes into the dataset. The caller holds writing.
func (r *replica) write(c *changes) error {
	touches := r.data.NewTouches()
	for i := range c.touches {
		touches.Set(&c.touches[i])
	}
	touches.Flush()
	r.data.UpsertPurchases(c.purchases)
	r.mu.Lock()
	for key, b := range c.bounds {
		d := r.days[key]
		if d == nil {
			d = &day{catalogued: catalogued{bounds: b}}
			r.days[key] = d
		}
		d.bounds = d.bounds.join(b)
	}
	for t := range c.rows {
		for _, changed := range c.rows[t].rows {
			r.keepForLoad(r.days[dayKey{frame.RowType(t), changed.homeDay()}], changed)
		}
	}
	r.mu.Unlock()
	for t := range c.rows {
		tables[t].setNames(r.data, c.rows[t].names)
		if len(c.rows[t].rows) > 0 {
			if err := tables[t].upsert(r.data, c.rows[t].rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepForLoad keeps a changed row for the load of its day, if one is under way. Rows that are more than may be kept
// make the load void: the day is read again, with the changes in it. The caller holds mu.
func (r *replica) keepForLoad(d *day, changed row) {
	if d.loading == nil || d.stale {
		return
	}
	if size := changed.size(); r.keptBytes+size <= r.keepLimit {
		d.changed, d.changedBytes = append(d.changed, changed), d.changedBytes+size
		r.keptBytes += size
		return
	}
	r.voidLoad(d)
}

// dropKept gives up the rows that are kept for the load of a day. The caller holds mu.
func (r *replica) dropKept(d *day) {
	r.keptBytes -= d.changedBytes
	d.changed, d.changedBytes = nil, 0
}
