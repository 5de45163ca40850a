package report

import "context"

// chart is the groups that a chart shows, and cells: those of the group at index i, one a bucket,
// start at first[i].
type chart[C any] struct {
	groups []uint32
	first  []int
	cells  []C
}

// startsOf returns where the cells of groups start among those of all groups, so many each.
func startsOf(groups []uint32, each int) []int {
	first := make([]int, len(groups))
	for i, group := range groups {
		first[i] = int(group) * each
	}
	return first
}

// startsInOrder returns where the cells of groups start that come one after the other.
func startsInOrder(groups []uint32, each int) []int {
	first := make([]int, len(groups))
	for i := range groups {
		first[i] = i * each
	}
	return first
}

// lastOfEach returns every n-th cell: of cells by bucket, see stride, those of the whole range.
func lastOfEach[C any](cells []C, n int) []C {
	out := make([]C, 0, len(cells)/n)
	for i := n - 1; i < len(cells); i += n {
		out = append(out, cells[i])
	}
	return out
}

// slots numbers the given codes in order and skips all others.
func slots(codes []uint32, size int) []uint32 {
	slot := make([]uint32, size)
	for i := range slot {
		slot[i] = skip
	}
	for i, code := range codes {
		slot[code] = uint32(i)
	}
	return slot
}

// hitChart returns the chart of the groups that top picks by their hits over the range. Counts of every name by bucket
// may be too many to be remembered; the few that are shown are not.
func (s *Selection) hitChart(
	ctx context.Context, what string, cal *calendar, count func(portion *Selection) []int64,
	top func(known *Selection, hits []int64) []uint32,
) (chart[int64], *Selection, error) {
	draw := func(counts []int64, known *Selection) chart[int64] {
		buckets := cal.len()
		groups := top(known, totals(counts, buckets))
		shown := make([]int64, 0, len(groups)*buckets)
		for _, at := range startsOf(groups, buckets) {
			shown = append(shown, counts[at:at+buckets]...)
		}
		return chart[int64]{groups, startsInOrder(groups, buckets), shown}
	}
	if s.stream == nil {
		key := countKey{what: "hits of " + what, buckets: cal.key()}
		return remembered(s, key, SeriesValues*cal.len(), 8, func() chart[int64] { return draw(count(s), s) }), s, nil
	}
	counts, known, err := sumPortions(ctx, s, count, addCounts)
	if err != nil {
		return chart[int64]{}, nil, err
	}
	return draw(counts, known), known, nil
}
