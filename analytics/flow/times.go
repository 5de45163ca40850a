package flow

import (
	"math"
	"slices"
)

// times counts durations in milliseconds, exactly. They are kept as they are up to a limit; beyond it those of usual
// length are counted by the millisecond, so that memory does not grow with the range.
type times struct {
	n, sum int64
	last   []uint32   // being filled
	full   [][]uint32 // filled before
	pages  []*[pageMillis]uint32
	long   []int64 // longer than all of the others
}

const (
	pageMillis  = 1024
	pagedMillis = 1 << 22 // of usual length: more than an hour
	fewTimes    = 64      // of the first chunk; each is twice as long as the one before, up to manyTimes
	manyTimes   = 4096
)

// add counts a duration; limit is how many are kept as they are.
func (t *times) add(ms int64, limit int) {
	t.n++
	t.sum += ms
	if len(t.last) == cap(t.last) {
		t.grow(limit)
	}
	if t.pages == nil && ms <= math.MaxUint32 {
		t.last = append(t.last, uint32(ms))
		return
	}
	t.place(ms)
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
	a.n, a.sum = a.n+b.n, a.sum+b.sum
	if a.pages == nil && b.pages == nil && a.n+b.n <= int64(limit) {
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
	a.long = append(a.long, b.long...)
	return a
}

// seconds returns the quantiles by nearest rank, in seconds; percents ascend. All are nil without durations.
func (t *times) seconds(percents ...int64) []*float64 {
	out := make([]*float64, len(percents))
	if t == nil || t.n == 0 {
		return out
	}
	ranks := make([]int64, len(percents))
	for i, percent := range percents {
		ranks[i] = max(1, (t.n*percent+99)/100) // the smallest with at least so many percent at or below
	}
	values := t.counted(ranks)
	if t.pages == nil {
		values = t.kept(ranks)
	}
	slices.Sort(t.long)
	short := t.n - int64(len(t.long))
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

// kept returns the durations of ascending ranks among those kept as they are; of ranks beyond them it is 0. They are
// sorted into buckets by their leading bits first, and then only the buckets that hold a rank.
func (t *times) kept(ranks []int64) []int64 {
	const buckets = 4096
	chunks := append(t.full[:len(t.full):len(t.full)], t.last)
	most := uint32(0)
	for _, chunk := range chunks {
		if len(chunk) > 0 {
			most = max(most, slices.Max(chunk))
		}
	}
	shift := 0
	for most>>shift >= buckets {
		shift++
	}
	var sizes [buckets]int64
	for _, chunk := range chunks {
		for _, ms := range chunk {
			sizes[ms>>shift%buckets]++
		}
	}
	values := make([]int64, len(ranks))
	next, below := 0, int64(0)
	for bucket, size := range sizes {
		if next == len(ranks) {
			break
		}
		if ranks[next] > below+size {
			below += size
			continue
		}
		inside := make([]uint32, 0, size)
		for _, chunk := range chunks {
			for _, ms := range chunk {
				if ms>>shift == uint32(bucket) {
					inside = append(inside, ms)
				}
			}
		}
		slices.Sort(inside)
		for ; next < len(ranks) && ranks[next] <= below+size; next++ {
			values[next] = int64(inside[ranks[next]-below-1])
		}
		below += size
	}
	return values
}

// len returns how many durations there are.
func (t *times) len() int64 {
	if t == nil {
		return 0
	}
	return t.n
}

// mean returns the mean in seconds, nil without durations.
func (t *times) mean() *float64 {
	if t == nil || t.n == 0 {
		return nil
	}
	s := float64(t.sum) / float64(t.n) / 1000
	return &s
}
