package frame

import "slices"

// Met is a hit of a session whose name means something to who asks: its place among those of the session, and what.
type Met struct {
	Place   uint32
	Meaning uint16
}

// Meanings returns what names mean by their codes, given that by name, last of names that have no entry.
func (t *Trails) Meanings(of []uint16) []uint16 {
	meanings := make([]uint16, len(t.names))
	for code, name := range t.names {
		meanings[code] = of[min(int(name), len(of)-1)]
	}
	return meanings
}

// AppendMet appends the hits of a session whose names mean something, in their order, given the meanings of codes.
// There is no branch for that, because whether a name means something can't be predicted.
func (t *Trails) AppendMet(to []Met, c *TrailCursor, row uint32, meanings []uint16) []Met {
	t.Seek(c, row)
	n, at, place, found := t.off[row+1]-t.off[row], c.at, uint32(0), len(to)
	to = slices.Grow(to, int(n))[:found+int(n)]
	if n > 1 {
		if t.codes[at] == otherFirst {
			at++
		} else {
			if meaning := meanings[t.usual]; meaning != 0 {
				to[found] = Met{0, meaning}
				found++
			}
			place = 1
		}
	}
	codes, single := t.codes, t.single
	for ; place < n; place++ {
		code := uint32(codes[at])
		at++
		if code >= single {
			code, at = t.long(code, at)
		}
		meaning := meanings[code]
		to[found] = Met{place, meaning}
		next := found + 1
		if meaning != 0 {
			found = next
		}
	}
	c.row, c.at = row+1, at
	return to[:found]
}

// MetAt is a hit whose name means something, of the session of a row.
type MetAt struct {
	Row uint32
	Met
}

// AppendAllMet appends those of the sessions [row, until), in their order.
func (t *Trails) AppendAllMet(to []MetAt, c *TrailCursor, row, until uint32, meanings []uint16) []MetAt {
	if row == until {
		return to
	}
	t.Seek(c, row)
	off, at, found := t.off[row:until+1], c.at, len(to)
	hits := int(off[len(off)-1] - off[0])
	to = slices.Grow(to, hits)[:found+hits]
	codes, single, usual := t.codes, t.single, meanings[t.usual]
	for i, end := range off[1:] {
		n, place := end-off[i], uint32(0)
		if n > 1 {
			if codes[at] == otherFirst {
				at++
			} else {
				if usual != 0 {
					to[found] = MetAt{row, Met{0, usual}}
					found++
				}
				place = 1
			}
		}
		for ; place < n; place++ {
			code := uint32(codes[at])
			at++
			if code >= single {
				code, at = t.long(code, at)
			}
			meaning := meanings[code]
			to[found] = MetAt{row, Met{place, meaning}}
			next := found + 1
			if meaning != 0 {
				found = next
			}
		}
		row++
	}
	c.row, c.at = until, at
	return to[:found]
}
