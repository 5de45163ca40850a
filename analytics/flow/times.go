package flow

import (
	"math"
	"math/bits"
	"runtime"
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
)

// times counts durations in milliseconds, exactly. They are kept as they are up to a limit; beyond it those of usual
// length are counted by the millisecond, so that memory does not grow with the range.
type times struct {
	last  []uint32   // being filled
	full  [][]uint32 // filled before
	paged int64      // durations in pages
	pages []*[pageMillis]uint32
	long  []int64 // longer than all of the others
}

const (
	pageMillis  = 1024
	pagedMillis = 1 << 22 // of usual length: more than an hour
	fewTimes    = 64      // of the first chunk; each is twice as long as the one before, up to manyTimes
	manyTimes   = 4096
)

// add counts a duration; limit is how many are kept as they are.
func (t *times) add(ms int64, limit int) {
	if n := len(t.last); n < cap(t.last) && ms <= math.MaxUint32 { // nearly always
		t.last = t.last[:n+1]
		t.last[n] = uint32(ms)
		return
	}
	t.addSlowly(ms, limit)
}

func (t *times) addSlowly(ms int64, limit int) {
	if len(t.last) == cap(t.last) {
		t.grow(limit)
	}
	if t.pages == nil && ms <= math.MaxUint32 {
		t.last = append(t.last, uint32(ms))
		return
	}
	t.place(ms)
}

// timers keep the durations of many kinds, of each of which it is known how many there are at most: they stand in one
// slice, where keeping one is a store and no call.
type timers struct {
	flat   []uint32
	next   []uint32 // place of the next duration of each kind
	from   []uint32
	most   int64   // that is kept in flat; -1 where there are more of a kind than are kept as they are
	others []times // what is not in flat
	limit  int
}

func newTimers(sizes []int64, limit int) *timers {
	t := &timers{
		next: make([]uint32, len(sizes)), from: make([]uint32, len(sizes)), others: make([]times, len(sizes)), limit: limit,
		most: math.MaxUint32,
	}
	total := int64(0)
	for n, size := range sizes {
		t.next[n], t.from[n] = uint32(total), uint32(total)
		if total += size; size > int64(limit) || total > math.MaxUint32 {
			t.most = -1
			return t
		}
	}
	t.flat = make([]uint32, total)
	return t
}

// add keeps a duration of a kind.
func (t *timers) add(kind uint32, ms int64) {
	if ms > t.most {
		t.others[kind].add(ms, t.limit)
		return
	}
	i := t.next[kind]
	t.flat[i] = uint32(ms)
	t.next[kind] = i + 1
}

// times returns the durations of a kind, nil of none.
func (t *timers) times(kind int) *times {
	out := &t.others[kind]
	if t.most >= 0 {
		from, next := t.from[kind], t.next[kind]
		if kept := t.flat[from:next:next]; len(kept) > 0 {
			out.full = append(out.full, kept)
		}
	}
	if out.len() == 0 {
		return nil
	}
	return out
}

// grow makes room for another duration.
func (t *times) grow(limit int) {
	if t.pages != nil {
		return
	}
	kept := len(t.last)
	for _, chunk := range t.full {
		kept += len(chunk)
	}
	if kept >= limit {
		t.count()
		return
	}
	if len(t.last) > 0 {
		t.full = append(t.full, t.last)
	}
	t.last = make([]uint32, 0, min(limit-kept, manyTimes, max(fewTimes, 2*cap(t.last))))
}

// count counts what is kept by the millisecond from now on.
func (t *times) count() {
	chunks := append(t.full, t.last)
	t.full, t.last, t.pages = nil, nil, []*[pageMillis]uint32{}
	for _, chunk := range chunks {
		for _, ms := range chunk {
			t.place(int64(ms))
		}
	}
}

// place counts a duration by the millisecond, unless it is long.
func (t *times) place(ms int64) {
	if t.pages == nil || ms >= pagedMillis {
		t.long = append(t.long, ms)
		return
	}
	t.page(int(ms / pageMillis))[ms%pageMillis]++
	t.paged++
}

func (t *times) page(i int) *[pageMillis]uint32 {
	for len(t.pages) <= i {
		t.pages = append(t.pages, nil)
	}
	if t.pages[i] == nil {
		t.pages[i] = new([pageMillis]uint32)
	}
	return t.pages[i]
}

// joinTimes returns the sum of durations, either of which may be nil. Neither may be used afterwards.
func joinTimes(a, b *times, limit int) *times {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	if a.pages == nil && b.pages == nil && a.len()+b.len() <= int64(limit) {
		a.full = append(append(a.full, b.full...), b.last)
		a.long = append(a.long, b.long...)
		return a
	}
	for _, t := range []*times{a, b} {
		if t.pages == nil {
			long := t.long
			t.long = nil
			t.count()
			t.long = append(t.long, long...)
		}
	}
	for i, page := range b.pages {
		if page == nil {
			continue
		}
		to := a.page(i)
		for ms, n := range page {
			to[ms] += n
		}
	}
	a.paged += b.paged
	a.long = append(a.long, b.long...)
	return a
}

// seconds returns the quantiles by nearest rank, in seconds; percents ascend. All are nil without durations.
func (t *times) seconds(percents ...int64) []*float64 {
	out := make([]*float64, len(percents))
	n := t.len()
	if n == 0 {
		return out
	}
	ranks := make([]int64, len(percents))
	for i, percent := range percents {
		ranks[i] = max(1, (n*percent+99)/100) // the smallest with at least so many percent at or below
	}
	values := t.counted(ranks)
	if t.pages == nil {
		chunks, most := append(t.full[:len(t.full):len(t.full)], t.last), uint32(0)
		for _, chunk := range chunks {
			for _, ms := range chunk {
				most |= ms
			}
		}
		nth(chunks, bits.Len32(most), ranks, values)
	}
	slices.Sort(t.long)
	short := n - int64(len(t.long))
	for i, rank := range ranks {
		if rank > short {
			values[i] = t.long[rank-short-1]
		}
		s := float64(values[i]) / 1000
		out[i] = &s
	}
	return out
}

// counted returns the durations of ascending ranks among those of pages; of ranks beyond them it is 0.
func (t *times) counted(ranks []int64) []int64 {
	values := make([]int64, len(ranks))
	next, below := 0, int64(0)
	for i, page := range t.pages {
		if page == nil {
			continue
		}
		for ms, n := range page {
			below += int64(n)
			for next < len(ranks) && ranks[next] <= below {
				values[next] = int64(i*pageMillis + ms)
				next++
			}
		}
	}
	return values
}

// nth finds the values of ascending ranks, from 1, among durations of so many bits; of ranks beyond them it leaves what
// values has. It counts them by their leading bits, and looks again at those whose bits are of a wanted rank.
func nth(chunks [][]uint32, width int, ranks, values []int64) {
	const leading = 11
	shift := max(0, width-leading)
	var sizes, wanted [1 << leading]uint32 // wanted has the place of the bucket in inside, and one
	for _, chunk := range chunks {
		for _, ms := range chunk {
			sizes[ms>>shift&(1<<leading-1)]++
		}
	}
	type bucket struct {
		at         uint32
		below      int64 // durations in the buckets before
		first, end int   // its ranks
		inside     []uint32
	}
	var found []bucket
	next, below := 0, int64(0)
	for at, size := range sizes {
		first := next
		for next < len(ranks) && ranks[next] <= below+int64(size) {
			next++
		}
		if next > first {
			found = append(found, bucket{uint32(at), below, first, next, nil})
			wanted[at] = uint32(len(found))
		}
		below += int64(size)
	}
	if shift > 0 {
		for i := range found {
			found[i].inside = make([]uint32, 0, sizes[found[i].at])
		}
		for _, chunk := range chunks {
			for _, ms := range chunk {
				if k := wanted[ms>>shift&(1<<leading-1)]; k > 0 {
					b := &found[k-1]
					b.inside = append(b.inside, ms&(1<<shift-1))
				}
			}
		}
	}
	for _, b := range found {
		mine := values[b.first:b.end]
		if shift > 0 {
			inner := make([]int64, len(mine))
			for i := range inner {
				inner[i] = ranks[b.first+i] - b.below
			}
			nth([][]uint32{b.inside}, shift, inner, mine)
		} else {
			clear(mine)
		}
		for i := range mine {
			mine[i] += int64(b.at) << shift
		}
	}
}

// quantiles returns the quantiles of several sets of durations, each of which may be nil.
func quantiles(of []*times, percents ...int64) [][]*float64 {
	out := make([][]*float64, len(of))
	workers := max(1, min(runtime.GOMAXPROCS(0), maxWorkers, len(of)))
	frame.Parallel(workers, func(worker int) {
		for i := worker; i < len(of); i += workers {
			out[i] = of[i].seconds(percents...)
		}
	})
	return out
}

// len returns how many durations there are.
func (t *times) len() int64 {
	if t == nil {
		return 0
	}
	n := t.paged + int64(len(t.long)+len(t.last))
	for _, chunk := range t.full {
		n += int64(len(chunk))
	}
	return n
}

// mean returns the mean in seconds, nil without durations.
func (t *times) mean() *float64 {
	n := t.len()
	if n == 0 {
		return nil
	}
	sum := int64(0)
	for _, chunk := range append(t.full[:len(t.full):len(t.full)], t.last) {
		for _, ms := range chunk {
			sum += int64(ms)
		}
	}
	for i, page := range t.pages {
		if page == nil {
			continue
		}
		for ms, n := range page {
			sum += int64(n) * int64(i*pageMillis+ms)
		}
	}
	for _, ms := range t.long {
		sum += ms
	}
	s := float64(sum) / float64(n) / 1000
	return &s
}
