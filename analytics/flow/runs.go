package flow

import (
	"bytes"
	"cmp"
	"sort"
	"sync"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/session"
)

// runs are runs of a shard by visitor, start and key. What most reports ask of a run stands here once more, side by
// side, 29 bytes a run: runs by visitor are scattered over the columns of the days, more streams than a processor
// reads ahead.
type runs struct {
	refs    []ref
	visitor []uint32
	start   []int64
	took    []uint32 // as in facts
	marks   []marks
	path    []uint32

	releases []int64 // how many of them are of each release, by code
}

func newRuns(n int) *runs {
	return &runs{
		refs: make([]ref, n), visitor: make([]uint32, n), start: make([]int64, n), took: make([]uint32, n),
		marks: make([]marks, n), path: make([]uint32, n),
	}
}

func (rs *runs) len() int { return len(rs.refs) }

// put copies a row of a part to place i.
func (rs *runs) put(i uint32, p *part, r ref) {
	m := p.marks[r.row]
	if p.isPaid(r.row) {
		m |= paid
	}
	rs.refs[i], rs.visitor[i], rs.start[i] = r, p.Visitors()[r.row], p.start[r.row]
	rs.took[i], rs.marks[i], rs.path[i] = p.took[r.row], m, p.Column(frame.RunPath)[r.row]
}

// visits is the runs [from, to) of one visitor, to be sorted.
type visits struct {
	*runs
	w        *window
	from, to int
}

func (v visits) Len() int { return v.to - v.from }

func (v visits) Less(i, j int) bool {
	i, j = i+v.from, j+v.from
	c := cmp.Compare(v.start[i], v.start[j])
	if c == 0 {
		a, b := v.refs[i], v.refs[j]
		c = bytes.Compare(v.w.parts[a.part].Keys()[a.row][:], v.w.parts[b.part].Keys()[b.row][:])
	}
	return c < 0
}

func (v visits) Swap(i, j int) {
	i, j = i+v.from, j+v.from
	v.refs[i], v.refs[j] = v.refs[j], v.refs[i]
	v.start[i], v.start[j] = v.start[j], v.start[i]
	v.took[i], v.took[j] = v.took[j], v.took[i]
	v.marks[i], v.marks[j] = v.marks[j], v.marks[i]
	v.path[i], v.path[j] = v.path[j], v.path[i]
}

// sort puts the runs of each visitor in order, which they nearly are: home days are nearly in that of starts.
func (rs *runs) sort(w *window) {
	for from := 0; from < rs.len(); {
		to, sorted := from+1, true
		for ; to < rs.len() && rs.visitor[to] == rs.visitor[from]; to++ {
			sorted = sorted && rs.start[to-1] < rs.start[to]
		}
		if !sorted {
			sort.Sort(visits{rs, w, from, to})
		}
		from = to
	}
}

// byPart returns the rows of the runs by part. They ascend, so that hits are read from front to end.
func (rs *runs) byPart(parts int) [][]uint32 {
	sizes := make([]int, parts)
	for _, r := range rs.refs {
		sizes[r.part]++
	}
	rows := make([][]uint32, parts)
	for i, n := range sizes {
		rows[i] = make([]uint32, 0, n)
	}
	for _, r := range rs.refs {
		rows[r.part] = append(rows[r.part], r.row)
	}
	return rows
}

// of returns the places of a visitor's runs, from the first to before the last.
func (rs *runs) of(visitor uint32) (from, to int) {
	from = sort.Search(rs.len(), func(i int) bool { return rs.visitor[i] >= visitor })
	for to = from; to < rs.len() && rs.visitor[to] == visitor; to++ {
	}
	return from, to
}

// selectFrom returns the runs of a shard that pass: a counting sort by visitor of the rows of each part that do.
func (f *filter) selectFrom(w *window, s shard) *runs {
	offset := make([]uint32, s.to-s.from+1)
	var rows []uint32 // of all parts, one after the other
	ends, releases := make([]int, len(w.parts)), make([]int64, len(w.view.Releases))
	for i := range w.parts {
		p, from := &w.parts[i], len(rows)
		rows = f.appendRows(rows, p, s)
		ends[i] = len(rows)
		for _, row := range rows[from:] {
			offset[p.Visitors()[row]-s.from]++
			releases[p.Column(frame.RunRelease)[row]]++
		}
	}
	next := uint32(0)
	for i, n := range offset {
		offset[i] = next
		next += n
	}
	out := newRuns(len(rows))
	out.releases = releases
	from := 0
	for i, end := range ends {
		p := &w.parts[i]
		for _, row := range rows[from:end] {
			slot := &offset[p.Visitors()[row]-s.from]
			out.put(*slot, p, ref{uint32(i), row})
			*slot++
		}
		from = end
	}
	out.sort(w)
	return out
}

// appendRows appends the rows of a part that pass, column by column: each is read from front to end, and what passes is
// kept without a jump that nobody can foresee.
func (f *filter) appendRows(rows []uint32, p *part, s shard) []uint32 {
	lo, hi := p.Bounds(s.from, s.to)
	from := len(rows)
	for row := uint32(lo); int(row) < hi; row++ {
		if at := p.start[row]; at >= f.start && at < f.end && !p.masked.Has(row) {
			rows = append(rows, row)
		}
	}
	for column, has := range f.columns {
		if has == nil {
			continue
		}
		codes, kept := p.Column(frame.Column(column)), rows[from:]
		n := 0
		for _, row := range kept {
			kept[n] = row
			n += int(has[codes[row]])
		}
		rows = rows[:from+n]
	}
	if f.people {
		kept := rows[from:]
		rows = rows[:from]
		for _, row := range kept {
			if f.passes(p.Visitors()[row]) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// selections remembers the runs of the latest scopes of a view: reports of a page are asked for one by one, and asked
// for again. Together they have at most as many runs as the view, so that they add at most runBytes to each.
type selections struct {
	most int

	mu      sync.Mutex
	entries []*remembered // the latest used first
}

type remembered struct {
	key    selectionKey
	once   sync.Once
	shards []*runs
	n      int // runs; 0 until they are known

	// Median times to the first visits of steps, in seconds by number of the step: they don't depend on now, and are the
	// only figures of a funnel that take the hits of its runs.
	timed   sync.Once
	medians []*float64

	listings sync.Mutex
	listing  *listing // that was chosen last, nil when there was no need for one
	listedBy []session.Key
}

// selectionKey is what runs are selected by: the scope as text, and the members of its segment.
type selectionKey struct {
	scope   string
	members *report.Members
}

// selectionsOf returns the selections of a view.
func selectionsOf(view *frame.View) *selections {
	type key struct{}
	return frame.Derive(view, key{}, func() *selections {
		s := &selections{}
		for _, f := range view.Runs {
			s.most += f.Sealed.Len()
			if f.Open != nil {
				s.most += f.Open.Len()
			}
		}
		return s
	})
}

// get returns the runs of a scope, selected once while it is among those remembered.
func (s *selections) get(key selectionKey, compute func() []*runs) *remembered {
	entry := s.use(key)
	entry.once.Do(func() {
		entry.shards = compute()
		n := 0
		for _, rs := range entry.shards {
			n += rs.len()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		entry.n = n
		total := 0
		for i, e := range s.entries {
			if total += e.n; total > s.most || i == maxRemembered {
				clear(s.entries[i:])
				s.entries = s.entries[:i]
				break
			}
		}
	})
	return entry
}

// maxRemembered bounds the selections of few runs.
const maxRemembered = 64

// use returns the entry of a key, which is now the latest used.
func (s *selections) use(key selectionKey) *remembered {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := len(s.entries)
	for i, e := range s.entries {
		if e.key == key {
			at = i
			break
		}
	}
	if at == len(s.entries) {
		s.entries = append(s.entries, &remembered{key: key})
	}
	entry := s.entries[at]
	copy(s.entries[1:at+1], s.entries[:at])
	s.entries[0] = entry
	return entry
}
