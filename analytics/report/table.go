package report

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics"
)

// DefaultFirst and MaxFirst bound the rows of one page.
const (
	DefaultFirst = 50
	MaxFirst     = 10_000
)

// Page asks for a page of a table. OrderBy is any numeric column; empty means the table's default.
// Order is descending unless Ascending; ties are broken by the value's bytes and null comes last
// either way. Search keeps the rows whose value contains it, whatever the case.
type Page struct {
	First     int // 0 means DefaultFirst
	After     string
	OrderBy   Metric
	Ascending bool
	Search    string
}

// Table is a page of rows.
type Table[R any] struct {
	Rows        []R      `json:"rows"`
	TotalCount  int      `json:"totalCount"` // rows that match the search, on all pages
	HasNextPage bool     `json:"hasNextPage"`
	Cursors     []string `json:"-"` // by row; pass the last as Page.After
}

// EndCursor returns the cursor of the last row, empty without rows.
func (t *Table[R]) EndCursor() string {
	if len(t.Cursors) == 0 {
		return ""
	}
	return t.Cursors[len(t.Cursors)-1]
}

// tableOf describes a table whose rows are numbered.
type tableOf[R any] struct {
	ids     []uint32
	order   Metric                                // default
	metrics []Metric                              // that may order
	number  func(id uint32, metric Metric) number // value of a metric
	key     func(id uint32) string                // unique; starts with the value, so that ties go by value
	search  func(id uint32) []string              // texts to search
	row     func(id uint32) R
}

// position is a row's place in the order; a cursor is its encoding.
type position struct {
	Order     Metric  `json:"o"`
	Ascending bool    `json:"a,omitempty"`
	Null      bool    `json:"n,omitempty"`
	Whole     int64   `json:"w,omitempty"`
	Float     float64 `json:"f,omitempty"`
	Key       []byte  `json:"k"`
}

type rankedRow struct {
	number
	id uint32
}

func compareNumbers(a, b number, ascending bool) int {
	switch {
	case a.null != b.null:
		if a.null {
			return 1
		}
		return -1
	case a.float == b.float && a.whole == b.whole:
		return 0
	}
	less := a.float < b.float || a.float == b.float && a.whole < b.whole
	if less == ascending {
		return -1
	}
	return 1
}

// sorting is a Page whose values have been checked against a table.
type sorting struct {
	Page  // with the defaults filled in
	after *position
}

// sorting checks a page against the columns that may order, the first of which is the default.
func (p Page) sorting(standard Metric, metrics []Metric) (sorting, error) {
	if p.First < 0 || p.First > MaxFirst {
		return sorting{}, analytics.Invalid("first", "must be between 1 and %d", MaxFirst)
	}
	if p.First == 0 {
		p.First = DefaultFirst
	}
	if p.OrderBy == "" {
		p.OrderBy = standard
	}
	if !slices.Contains(metrics, p.OrderBy) {
		return sorting{}, analytics.Invalid("orderBy", "unknown column %q", p.OrderBy)
	}
	if p.After == "" {
		return sorting{Page: p}, nil
	}
	after := &position{}
	raw, err := base64.RawURLEncoding.DecodeString(p.After)
	if err != nil || json.Unmarshal(raw, after) != nil {
		return sorting{}, analytics.Invalid("after", "not a cursor of this table")
	}
	if after.Order != p.OrderBy || after.Ascending != p.Ascending {
		return sorting{}, analytics.Invalid("after", "the cursor belongs to another order")
	}
	return sorting{p, after}, nil
}

// listing is the first rows of a page and one more, and how many rows match on all pages.
type listing[R any] struct {
	rows  []listed[R]
	total int
}

type listed[R any] struct {
	number
	key string
	row R
}

// List returns the page of a table whose rows are at hand. The first of metrics is the default order; value returns
// a metric of a row, nil for null, and key is unique and starts with what is searched. Errors are
// analytics.FieldErrors.
func List[R any](
	rows []R, p Page, metrics []Metric, value func(row R, metric Metric) *float64, key func(row R) string,
) (*Table[R], error) {
	ids := make([]uint32, len(rows))
	for i := range ids {
		ids[i] = uint32(i)
	}
	return tableOf[R]{
		ids: ids, order: metrics[0], metrics: metrics,
		number: func(id uint32, metric Metric) number { return fraction(value(rows[id], metric)) },
		key:    func(id uint32) string { return key(rows[id]) },
		search: func(id uint32) []string { return []string{key(rows[id])} },
		row:    func(id uint32) R { return rows[id] },
	}.page(p)
}

func (t tableOf[R]) page(p Page) (*Table[R], error) {
	by, err := p.sorting(t.order, t.metrics)
	if err != nil {
		return nil, err
	}
	return t.list(by).page(by)
}

// list finds the rows of a page.
func (t tableOf[R]) list(p sorting) listing[R] {
	r := t.ranking(p)
	for _, id := range t.ids {
		r.add(rankedRow{t.number(id, p.OrderBy), id})
	}
	return r.listing()
}

// ranking finds the rows of a page among those that are added, in any order.
type ranking[R any] struct {
	tableOf[R]
	by     sorting
	needle string
	best   bounded[rankedRow]
	total  int
}

func (t tableOf[R]) ranking(p sorting) *ranking[R] {
	compare := func(a, b rankedRow) int {
		if c := compareNumbers(a.number, b.number, p.Ascending); c != 0 {
			return c
		}
		return strings.Compare(t.key(a.id), t.key(b.id))
	}
	return &ranking[R]{
		tableOf: t, by: p, needle: foldCase(p.Search), best: bounded[rankedRow]{limit: p.First + 1, compare: compare},
	}
}

func (r *ranking[R]) add(it rankedRow) {
	if r.needle != "" && !slices.ContainsFunc(r.search(it.id), func(text string) bool {
		return strings.Contains(foldCase(text), r.needle)
	}) {
		return
	}
	r.total++
	if after := r.by.after; after != nil {
		at := number{null: after.Null, whole: after.Whole, float: after.Float}
		c := compareNumbers(it.number, at, r.by.Ascending)
		if c < 0 || c == 0 && r.key(it.id) <= string(after.Key) {
			return
		}
	}
	r.best.add(it)
}

// plus adds what was added to another.
func (r *ranking[R]) plus(more *ranking[R]) {
	for _, it := range more.best.items {
		r.best.add(it)
	}
	r.total += more.total
}

func (r *ranking[R]) listing() listing[R] {
	out := listing[R]{total: r.total}
	for _, it := range r.best.sorted() {
		// A visitor's key would keep the block of memory that it lies in.
		out.rows = append(out.rows, listed[R]{it.number, strings.Clone(r.key(it.id)), r.row(it.id)})
	}
	return out
}

// plus returns the listing of the rows of both.
func (l listing[R]) plus(more listing[R], p sorting) listing[R] {
	rows := slices.Concat(l.rows, more.rows)
	slices.SortFunc(rows, func(a, b listed[R]) int {
		return cmp.Or(compareNumbers(a.number, b.number, p.Ascending), strings.Compare(a.key, b.key))
	})
	return listing[R]{rows[:min(len(rows), p.First+1)], l.total + more.total}
}

// page returns the listing as a page.
func (l listing[R]) page(p sorting) (*Table[R], error) {
	out := &Table[R]{Rows: []R{}, TotalCount: l.total, HasNextPage: len(l.rows) > p.First}
	for _, it := range l.rows[:min(p.First, len(l.rows))] {
		raw, err := json.Marshal(position{p.OrderBy, p.Ascending, it.null, it.whole, it.float, []byte(it.key)})
		if err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, it.row)
		out.Cursors = append(out.Cursors, base64.RawURLEncoding.EncodeToString(raw))
	}
	return out, nil
}

// bounded keeps the first limit items of an order: a heap with the last of them on top.
type bounded[T any] struct {
	limit   int
	compare func(a, b T) int
	items   []T
}

func (b *bounded[T]) add(it T) {
	if len(b.items) < b.limit {
		b.items = append(b.items, it)
		for i := len(b.items) - 1; i > 0; {
			parent := (i - 1) / 2
			if b.compare(b.items[i], b.items[parent]) <= 0 {
				break
			}
			b.items[i], b.items[parent] = b.items[parent], b.items[i]
			i = parent
		}
		return
	}
	if b.limit == 0 || b.compare(it, b.items[0]) >= 0 {
		return
	}
	b.items[0] = it
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(b.items) {
			return
		}
		if child+1 < len(b.items) && b.compare(b.items[child+1], b.items[child]) > 0 {
			child++
		}
		if b.compare(b.items[i], b.items[child]) >= 0 {
			return
		}
		b.items[i], b.items[child] = b.items[child], b.items[i]
		i = child
	}
}

func (b *bounded[T]) sorted() []T {
	slices.SortFunc(b.items, b.compare)
	return b.items
}
