package report

import (
	"sync"

	"github.com/svc-dev/svc/analytics/frame"
)

// countCache keeps what passes over all hits count. Several reports ask for the same, and without filters
// several requests do: the next page of a table, or somebody else's dashboard. Their counts stay with
// the window until new data arrives, the latest used.
type countCache struct {
	pages frame.Memo[pageCount, []pageCell]
	names frame.Memo[nameCount, []nameCell]
	// tables is done once the page table and the event table have been counted in one pass.
	tables sync.Once

	others frame.Memo[countKey, any]
}

// pageCount names a count of pages: the zero value that of every page over the range, the others
// those of charts.
type pageCount struct {
	buckets string // see calendar.key
	top     Metric // the chart has only the top pages by this metric
}

// nameCount names a count of names.
type nameCount int

const (
	eventNames nameCount = iota
	screenNames
)

// countKey names any other count of a window.
type countKey struct {
	what    string
	by      string // what it is grouped by
	buckets string // see calendar.key
	cutoff  int64  // of retention
	drill   Drill
}

// What other counts of a window, or of what filters leave of it, may take together is a byte a session, of which its
// columns take a hundred: the more sessions, the longer it takes to count them again. And what one takes at least.
const (
	fewestRemembered = 2 << 20
	mostRemembered   = 16 << 20
	leastRemembered  = 1 << 10
)

// newCountCache keeps counts of so many sessions.
func newCountCache(sessions int) *countCache {
	return &countCache{
		pages: frame.Memo[pageCount, []pageCell]{Size: 6},
		names: frame.Memo[nameCount, []nameCell]{Size: 2},
		others: frame.Memo[countKey, any]{
			Size: fewestRemembered / leastRemembered, Bytes: min(max(sessions, fewestRemembered), mostRemembered),
		},
	}
}

// cache returns where the counts of a selection in memory are kept.
func (s *Selection) cache() *countCache {
	if s.picked != nil {
		return s.picked.counts
	}
	return s.window.counts
}

// remembered returns a count of a selection in memory, of so many cells of so many bytes, which others who ask for the
// same share. It must not be changed. What is too large is counted each time.
func remembered[T any](s *Selection, key countKey, cells, size int, count func() T) T {
	return s.cache().others.GetOf(max(cells*size, leastRemembered), key, func() any { return count() }).(T)
}
