// Package page reads the lists of GraphQL in one way: `first` rows after a cursor, in an order that no two rows share,
// with the total where an operation asks for it.
package page

import (
	"context"
	"fmt"
	"sync"

	"entgo.io/ent/dialect/sql"

	"github.com/svc-dev/svc/internal/fault"
)

// Default and Max bound the rows of one page of the control plane's lists.
const (
	Default = 50
	Max     = 200
)

// Of is one page of a list: the GraphQL type …Connection.
type Of[T any] struct {
	Nodes    []*T
	PageInfo *Info
	total    int
	count    func(context.Context) (int, error) // nil when the total is known
}

// Info says where a page ends: the GraphQL type PageInfo.
type Info struct {
	HasNextPage bool
	EndCursor   *string // nil for an empty page
}

// New returns a page that its caller has read. EndCursor is empty for a page without rows.
func New[T any](nodes []*T, hasNextPage bool, endCursor string, total int) *Of[T] {
	page := &Of[T]{Nodes: nodes, PageInfo: &Info{HasNextPage: hasNextPage}, total: total}
	if endCursor != "" {
		page.PageInfo.EndCursor = &endCursor
	}
	return page
}

// TotalCount returns how many rows all pages have. Rows of the database are counted when somebody asks.
func (p *Of[T]) TotalCount(ctx context.Context) (int, error) {
	if p.count == nil {
		return p.total, nil
	}
	total, err := p.count(ctx)
	if err != nil {
		return 0, fmt.Errorf("count the rows of all pages: %w", err)
	}
	return total, nil
}

// Map returns the page with every row converted.
func Map[T, U any](p *Of[T], convert func(*T) *U) *Of[U] {
	nodes := make([]*U, len(p.Nodes))
	for i, node := range p.Nodes {
		nodes[i] = convert(node)
	}
	return &Of[U]{Nodes: nodes, PageInfo: p.PageInfo, total: p.total, count: p.count}
}

// Query is what Read needs of ent's generated queries.
type Query[Q any, P, O ~func(*sql.Selector), T, S any] interface {
	Where(...P) Q
	Order(...O) Q
	Limit(int) Q
	Clone() Q
	Select(...string) S
	Count(context.Context) (int, error)
	All(context.Context) ([]*T, error)
}

// Read reads a page of a query that has no order of its own yet, all columns of its rows or those that are named, which
// the order's are among. A bad argument is an error that names it.
func Read[T, S any, P, O ~func(*sql.Selector), Q Query[Q, P, O, T, S]](
	ctx context.Context, query Q, order Order[T], first *int, after *string, columns ...string,
) (*Of[T], error) {
	all := query.Clone() // before columns are named, which count would count
	if len(columns) > 0 {
		query.Select(columns...)
	}
	return ReadWith(ctx, order, first, after, func(ctx context.Context, position []any, limit int) ([]*T, error) {
		if position != nil {
			query.Where(P(order.after(position)))
		}
		query.Order(O(order.sort))
		query.Limit(limit)
		return query.All(ctx)
	}, all.Count)
}

// ReadWith reads a page as [Read] does of a list that ent does not know: read returns rows in the order, behind a
// position where there is one, whose values are those of the order's columns, and count counts all.
func ReadWith[T any](
	ctx context.Context, order Order[T], first *int, after *string,
	read func(ctx context.Context, position []any, limit int) ([]*T, error), count func(context.Context) (int, error),
) (*Of[T], error) {
	limit, err := Size(first)
	if err != nil {
		return nil, err
	}
	var position []any
	if after != nil {
		if position, err = order.parse(*after); err != nil {
			return nil, err
		}
	}
	rows, err := read(ctx, position, limit+1) // one more tells whether there is a next page
	if err != nil {
		return nil, fmt.Errorf("read a page: %w", err)
	}
	page := &Of[T]{
		Nodes: rows[:min(len(rows), limit)], PageInfo: &Info{HasNextPage: len(rows) > limit}, count: countOnce(count),
	}
	if n := len(page.Nodes); n > 0 {
		end := order.cursor(page.Nodes[n-1])
		page.PageInfo.EndCursor = &end
	}
	return page, nil
}

// countOnce counts at the first call: aliases of totalCount share one statement.
func countOnce(count func(context.Context) (int, error)) func(context.Context) (int, error) {
	var do sync.Once
	var total int
	var err error
	return func(ctx context.Context) (int, error) {
		do.Do(func() { total, err = count(ctx) })
		return total, err
	}
}

// Size returns how many rows the argument `first` asks for.
func Size(first *int) (int, error) {
	if first == nil {
		return Default, nil
	}
	if *first < 1 || *first > Max {
		return 0, fault.Invalid("first", "must be between 1 and %d", Max)
	}
	return *first, nil
}
