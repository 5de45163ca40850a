package flow

import (
	"slices"
)

// times counts durations in milliseconds, exactly: few are kept as they are, of more those below pagedMillis are
// counted by the millisecond, so that its memory is bounded by the range of usual times.
type times struct {
	n, sum int64
	few    []int64 // those that are not in pages
	pages  []*[pageMillis]uint32
}

const (
	pageMillis  = 1024
	pagedMillis = 1 << 22 // more than an hour
)

// add counts a duration; limit is how many are kept as they are.
func (t *times) add(ms int64, limit int) {
	t.n++
	t.sum += ms
	if t.pages == nil && len(t.few) < limit || ms >= pagedMillis {
		t.few = append(t.few, ms)
		return
	}
	if t.pages == nil {
		few := t.few
		t.few = nil
		for _, ms := range few {
			t.place(ms)
		}
	}
	t.place(ms)
}

// place puts a duration in its page.
func (t *times) place(ms int64) {
	if ms >= pagedMillis {
		t.few = append(t.few, ms)
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

// plus adds more to t and returns it.
func (t *times) plus(more *times, limit int) *times {
	if more.n > t.n {
		t, more = more, t
	}
	for i, page := range more.pages {
		if page == nil {
			continue
		}
		if t.pages == nil { // as more than few are there
			few := t.few
			t.few = nil
			for _, ms := range few {
				t.place(ms)
			}
		}
		to := t.page(i)
		for ms, n := range page {
			to[ms] += n
			t.n += int64(n)
			t.sum += int64(n) * int64(i*pageMillis+ms)
		}
	}
	for _, ms := range more.few {
		t.add(ms, limit)
	}
	return t
}

// joinTimes returns the sum of durations, either of which may be nil.
func joinTimes(a, b *times, limit int) *times {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return a.plus(b, limit)
}

// seconds returns the quantiles by nearest rank, in seconds; shares are in percent and ascend. All are nil without
// durations.
func (t *times) seconds(percents ...int64) []*float64 {
	out := make([]*float64, len(percents))
	if t == nil || t.n == 0 {
		return out
	}
	slices.Sort(t.few)
	below, page, ms := int64(0), 0, -1 // what is counted up to ms of page
	for i, percent := range percents {
		rank := max(1, (t.n*percent+99)/100) // the smallest with at least so many percent at or below
		value := int64(-1)
		if t.pages == nil {
			value = t.few[rank-1]
		}
		for value < 0 && page < len(t.pages) {
			if below >= rank {
				value = int64(page*pageMillis + ms)
				break
			}
			if ms++; ms == pageMillis || t.pages[page] == nil {
				page, ms = page+1, -1
				continue
			}
			below += int64(t.pages[page][ms])
		}
		if value < 0 { // beyond the pages
			value = t.few[rank-1-below]
		}
		s := float64(value) / 1000
		out[i] = &s
	}
	return out
}

// count returns how many durations there are.
func (t *times) count() int64 {
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
