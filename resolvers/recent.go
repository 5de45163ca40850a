package resolvers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/predicate"
	"github.com/svc-dev/svc/ent/productevent"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/resolvers/page"
)

// recentInput is what the list of recent events takes.
type recentInput struct {
	name        string
	environment environment.Kind
	platform    *graph.Platform
	segmentID   *uuid.UUID
	between     *graph.RangeInput
	first       *int
	after       *string
}

// readRecent returns a page of the newest rows of one event (analytics.md §4).
func (r *Resolver) readRecent(
	ctx context.Context, app *ent.App, input recentInput,
) (*graph.RecentEventConnection, error) {
	environmentID, err := r.authorizeReports(ctx, app, input.environment)
	if err != nil {
		return nil, err
	}
	if input.name == "" {
		return nil, analytics.Invalid("name", "is required")
	}
	limit, err := page.Size(input.first)
	if err != nil {
		return nil, err
	}
	now := r.now()
	scope, err := r.resolveRecentScope(ctx, app, input, now)
	if err != nil {
		return nil, err
	}
	people, err := r.evaluateAudience(ctx, environmentID, scope.Segment, now)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	read := recentEvents{
		name: input.name, people: people, limit: limit, start: scope.Start, end: scope.End, db: r.db,
		query: func(client *ent.Client) *ent.ProductEventQuery {
			return client.ProductEvent.Query().Where(
				productevent.EnvironmentID(environmentID), productevent.Name(input.name),
				productevent.OccurredAtLT(scope.End), ofPlatform(scope.Platform))
		},
	}
	return read.page(ctx, deref(input.after))
}

// resolveRecentScope returns the range, the platform and the segment that the list is limited to.
func (r *Resolver) resolveRecentScope(
	ctx context.Context, app *ent.App, input recentInput, now time.Time,
) (scope analytics.Scope, err error) {
	scope.Platform = convertPlatform(input.platform)
	if input.between != nil {
		scope.Start, scope.End = input.between.Start, input.between.End
	}
	if scope.Segment, err = r.readSegment(ctx, app, input.segmentID); err != nil {
		return scope, err
	}
	return scope.Resolve(now)
}

// recentEvents reads a page of the events of an audience.
type recentEvents struct {
	name       string
	people     *audience
	limit      int
	start, end time.Time
	db         *postgres.DB
	query      func(*ent.Client) *ent.ProductEventQuery
}

// page reads the events that come after the cursor.
func (e *recentEvents) page(ctx context.Context, after string) (*graph.RecentEventConnection, error) {
	found := &graph.RecentEventConnection{Nodes: []*ent.ProductEvent{}, PageInfo: &page.Info{}}
	for {
		rows, err := e.read(ctx, after)
		if err != nil {
			return nil, err
		}
		for _, row := range rows[:min(len(rows), e.limit)] {
			after = encodeCursor(row.OccurredAt, row.EventKey)
			if !e.people.has(row.AppUserID) {
				continue
			}
			if len(found.Nodes) == e.limit {
				found.PageInfo.HasNextPage = true
				return found, nil
			}
			found.Nodes = append(found.Nodes, row)
			end := after
			found.PageInfo.EndCursor = &end
		}
		if len(rows) <= e.limit {
			return found, nil
		}
		// Of an audience that is too large to be asked for, a page may take several reads.
		if len(found.Nodes) == e.limit {
			found.PageInfo.HasNextPage = true
			return found, nil
		}
	}
}

// read returns one row more than the page has, if there is one.
func (e *recentEvents) read(ctx context.Context, after string) ([]*ent.ProductEvent, error) {
	from, err := e.place(after)
	if err != nil {
		return nil, err
	}
	if e.people.few {
		// No index has this order, so the rows of these people are read and sorted, however deep they lie. In the order
		// of time the database would pass all others' rows on its way to theirs.
		return e.find(ctx, e.within(e.start, from), byExpression("occurred_at + interval '0'"))
	}
	hasDensity, err := e.db.HasDensity(ctx)
	if err != nil {
		return nil, err
	}
	if !hasDensity {
		return e.find(ctx, e.within(e.start, from), byExpression(indexTime), productevent.ByOccurredAt(newestFirst))
	}
	return e.merge(ctx, from)
}

// place is what a page comes after.
type place struct {
	at time.Time
	id *uuid.UUID // none before the first page
}

func (e *recentEvents) place(after string) (place, error) {
	if after == "" {
		return place{at: e.end}, nil
	}
	at, id, err := parseCursor(after)
	return place{at, &id}, err
}

// merge reads the events of each density by an index of its own: of sparse ones those of five minutes are read, of
// dense ones those of a tenth of a second, of crowded ones those of the page. What came before those that were found
// already is not looked for.
func (e *recentEvents) merge(ctx context.Context, from place) (merged []*ent.ProductEvent, err error) {
	start, index := e.start, postgres.DenseNamed(e.name)
	add := func(rows []*ent.ProductEvent, err error) error {
		merged = append(merged, rows...)
		slices.SortFunc(merged, func(a, b *ent.ProductEvent) int {
			return cmp.Or(b.OccurredAt.Compare(a.OccurredAt), bytes.Compare(b.EventKey[:], a.EventKey[:]))
		})
		if len(merged) > e.limit {
			merged = merged[:e.limit+1]
			start = merged[e.limit].OccurredAt
		}
		return err
	}
	err = e.db.InOrderOfIndex(ctx, func(client *ent.Client) error {
		of := func() *ent.ProductEventQuery {
			return e.query(client).Where(productevent.OccurredAtGTE(start), olderThan(from))
		}
		if err := add(e.find(ctx, of().Where(
			matching(index.Condition), ofTenth(index, ">=", start), ofTenth(index, "<=", from.at),
		), byExpression(index.Order[0]), byExpression(index.Order[1]),
			productevent.ByOccurredAt(newestFirst))); err != nil {
			return err
		}
		return add(e.find(ctx, of().Where(productevent.Density(int(postgres.Crowded))),
			productevent.ByOccurredAt(newestFirst)))
	})
	if err != nil {
		return nil, err
	}
	err = add(e.find(ctx, e.within(start, from).Where(matching(index.Sparse)),
		byExpression(indexTime), productevent.ByOccurredAt(newestFirst)))
	return merged, err
}

// within is the query of events after a place, by the index of time.
func (e *recentEvents) within(start time.Time, from place) *ent.ProductEventQuery {
	return e.query(e.db.Ent()).Where(
		productevent.OccurredAtGTE(start), ofBin(">=", start), ofBin("<=", from.at), olderThan(from))
}

// find reads the rows of a query in an order, which the key completes.
func (e *recentEvents) find(
	ctx context.Context, q *ent.ProductEventQuery, order ...productevent.OrderOption,
) ([]*ent.ProductEvent, error) {
	if e.people.ids != nil {
		q.Where(ofPeople(e.people.ids))
	}
	rows, err := q.Order(append(order, productevent.ByEventKey(newestFirst))...).Limit(e.limit + 1).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read recent events: %w", err)
	}
	return rows, nil
}

func byExpression(expression string) productevent.OrderOption {
	return func(event *sql.Selector) { event.OrderExpr(sql.Expr(expression + " desc")) }
}

// indexTime is the order of the index of time.
var indexTime = postgres.TimeBin("occurred_at")

// ofBin is the condition by which the index of time finds what is before or after a time, besides that on the time
// itself (postgres.WithinTime).
func ofBin(operator string, at time.Time) predicate.ProductEvent {
	return compared(postgres.TimeBin("occurred_at"), operator, postgres.TimeBin, at)
}

// ofTenth is the condition by which an index finds dense events from the tenth of a second of a time on, or those up to
// it. It has the begin of what the tenth is in before the tenth.
func ofTenth(index postgres.DenseIndex, operator string, at time.Time) predicate.ProductEvent {
	return compared("("+strings.Join(index.Order, ", ")+")", operator, func(at string) string {
		return "(" + index.Begin(at) + ", " + index.Tenth(at) + ")"
	}, at)
}

// compared compares something of events with the same of a time, both in SQL.
func compared(events, operator string, of func(at string) string, at time.Time) predicate.ProductEvent {
	return func(event *sql.Selector) {
		event.Where(sql.P(func(b *sql.Builder) {
			b.WriteString(events + " " + operator + " ")
			for i, part := range strings.Split(of("\x00::timestamptz"), "\x00") {
				if i > 0 {
					b.Arg(at)
				}
				b.WriteString(part)
			}
		}))
	}
}

// matching keeps the events of a condition in SQL.
func matching(condition string) predicate.ProductEvent {
	return func(event *sql.Selector) { event.Where(sql.ExprP(condition)) }
}

// ofPeople keeps the events of people, as one parameter however many they are.
func ofPeople(ids []string) predicate.ProductEvent {
	return func(event *sql.Selector) {
		event.Where(sql.P(func(b *sql.Builder) {
			b.Ident(event.C(productevent.FieldAppUserID)).WriteString(" = any(").Arg(ids).WriteString(")")
		}))
	}
}

// ofPlatform keeps the events of sessions on a platform; none means any.
func ofPlatform(platform string) predicate.ProductEvent {
	switch platform {
	case "":
		return func(*sql.Selector) {}
	case analytics.Mobile:
		return ofSessionsOn(analytics.IOS, analytics.Android)
	}
	return ofSessionsOn(platform)
}

// ofSessionsOn keeps the events of sessions of one of the platforms: the platform of a scope limits
// sessions, and an event of theirs may say nothing of its own (analytics.md §3).
func ofSessionsOn(platforms ...any) predicate.ProductEvent {
	return func(event *sql.Selector) {
		session := sql.Table("product_session")
		event.Where(sql.Exists(sql.Dialect(event.Dialect()).Select(session.C("platform")).From(session).Where(sql.And(
			sql.ColumnsEQ(session.C("environment_id"), event.C(productevent.FieldEnvironmentID)),
			sql.ColumnsEQ(session.C("app_user_id"), event.C(productevent.FieldAppUserID)),
			sql.ColumnsEQ(session.C("session_id"), event.C(productevent.FieldSessionID)),
			sql.In(session.C("platform"), platforms...),
		))))
	}
}

// olderThan keeps what comes after a place.
func olderThan(from place) predicate.ProductEvent {
	if from.id == nil {
		return func(*sql.Selector) {}
	}
	return func(event *sql.Selector) {
		productevent.OccurredAtLTE(from.at)(event) // by which partitions are left out
		event.Where(sql.P(func(b *sql.Builder) {
			b.WriteString("(").Ident(event.C(productevent.FieldOccurredAt)).WriteString(", ").
				Ident(event.C(productevent.FieldEventKey)).WriteString(") < (").Args(from.at, *from.id).WriteString(")")
		}))
	}
}
