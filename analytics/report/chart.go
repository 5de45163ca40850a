package report

// chart is the groups that a chart shows, and cells: those of the group at index i, one a bucket,
// start at first[i].
type chart[C any] struct {
	groups []uint32
	first  []int
	cells  []C
}

// chartOf is a chart whose cells are all groups', so many each.
func chartOf[C any](groups []uint32, each int, cells []C) chart[C] {
	c := chart[C]{groups: groups, cells: cells}
	for _, group := range groups {
		c.first = append(c.first, int(group)*each)
	}
	return c
}

// chartOfTop is a chart whose cells are those of its groups, in their order.
func chartOfTop[C any](groups []uint32, each int, cells []C) chart[C] {
	c := chart[C]{groups: groups, cells: cells}
	for i := range groups {
		c.first = append(c.first, i*each)
	}
	return c
}

// lastOfEach is every n-th cell: of cells by bucket, see stride, those of the whole range.
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
