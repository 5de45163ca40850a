package store

import (
	"unsafe"

	"github.com/svc-dev/svc/analytics/frame"
)

// changes is what polls read of an environment, in memory of its own.
type changes struct {
	sessions  []frame.Session
	touches   []frame.FirstTouch
	purchases []purchase
	names     []frame.NameRow
	unknown   map[uint32]bool  // names of the sessions that no view knows
	bounds    map[int32]bounds // of the days of all changed sessions, also of those that were left out
	bytes     int64
}

func (c *changes) empty() bool {
	return len(c.sessions)+len(c.touches)+len(c.purchases)+len(c.bounds) == 0
}

func (c *changes) addTouch(t *frame.FirstTouch) {
	c.touches = append(c.touches, cloneTouch(t))
	c.bytes += int64(unsafe.Sizeof(*t)) + int64(len(t.Visitor)+len(t.CustomUserID)+len(t.Source)+len(t.Campaign)+
		len(t.Country)+len(t.Platform)+len(t.Device))
}

func (c *changes) addPurchase(p purchase) {
	c.purchases = append(c.purchases, p)
	c.bytes += int64(unsafe.Sizeof(p)) + int64(len(p.row.Visitor))
}

func (c *changes) addBounds(day int32, b bounds) {
	if c.bounds == nil {
		c.bounds = map[int32]bounds{}
	}
	if known, ok := c.bounds[day]; ok {
		b = b.join(known)
	}
	c.bounds[day] = b
}

// addSession adds a session and the names that it uses for the first time.
func (c *changes) addSession(s *frame.Session, unknown []uint32) {
	copied := clone(s)
	c.sessions = append(c.sessions, copied)
	c.bytes += sizeOf(&copied)
	for _, id := range unknown {
		if c.unknown == nil {
			c.unknown = map[uint32]bool{}
		}
		c.unknown[id] = true
	}
}

// sizeOf returns the memory of a session that shares none with others.
func sizeOf(s *frame.Session) int64 {
	size := int64(unsafe.Sizeof(*s)) + 8*int64(cap(s.Hits))
	for _, field := range textsOf(s) {
		size += int64(len(*field))
	}
	return size
}

// maxWaiting is how many changed sessions wait for the load of their day. Beyond it the load is void: the
// day is read again, with the changes in it.
const maxWaiting = 1 << 16

// write brings changes into the dataset. The caller holds writing.
func (r *replica) write(c *changes) {
	r.data.SetNames(c.names)
	touches := r.data.NewTouches()
	for i := range c.touches {
		touches.Set(&c.touches[i])
	}
	touches.Flush()
	r.setPurchases(c.purchases)
	r.mu.Lock()
	for number, b := range c.bounds {
		d := r.days[number]
		if d == nil {
			d = &day{catalogued: catalogued{bounds: b}}
			r.days[number] = d
		}
		d.bounds = d.bounds.join(b)
	}
	for i := range c.sessions {
		r.days[c.sessions[i].HomeDay].keepForLoad(&c.sessions[i])
	}
	r.mu.Unlock()
	r.data.Upsert(c.sessions)
}

// keepForLoad keeps a changed session for the load of its day, if one is under way.
func (d *day) keepForLoad(s *frame.Session) {
	switch {
	case d.loading == nil || d.stale:
	case len(d.changed) == maxWaiting:
		d.changed, d.stale = nil, true
	default:
		d.changed = append(d.changed, *s)
	}
}
