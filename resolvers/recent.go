package resolvers

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/predicate"
	"github.com/svc-dev/svc/ent/productevent"
	"github.com/svc-dev/svc/graph"
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
	read := recentEvents{people: people, limit: limit, query: func() *ent.ProductEventQuery {
		return r.client.ProductEvent.Query().Where(
			productevent.EnvironmentID(environmentID), productevent.Name(input.name),
			productevent.OccurredAtGTE(scope.Start), productevent.OccurredAtLT(scope.End),
			ofIndexTime(">=", scope.Start), ofIndexTime("<=", scope.End), ofPlatform(scope.Platform))
	}}
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
	people *audience
	limit  int
	query  func() *ent.ProductEventQuery
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
	q, err := olderThan(e.query(), after)
	if err != nil {
		return nil, err
	}
	if e.people.ids != nil {
		q.Where(ofPeople(e.people.ids))
	}
	if e.people.few {
		// No index has this order, so the rows of these people are read and sorted, however deep they lie. In the order
		// of time the database would pass all others' rows on its way to theirs.
		q.Order(byExpression("occurred_at + interval '0'"))
	} else {
		q.Order(byExpression("index_time(occurred_at)"), productevent.ByOccurredAt(newestFirst))
	}
	rows, err := q.Order(productevent.ByEventKey(newestFirst)).Limit(e.limit + 1).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read recent events: %w", err)
	}
	return rows, nil
}

func byExpression(expression string) productevent.OrderOption {
	return func(event *sql.Selector) { event.OrderExpr(sql.Expr(expression + " desc")) }
}

// ofIndexTime is the condition by which the index finds what is before or after a time, besides that on the time itself
// (postgres.WithinTime).
func ofIndexTime(operator string, at time.Time) predicate.ProductEvent {
	return func(event *sql.Selector) {
		event.Where(sql.P(func(b *sql.Builder) {
			b.WriteString("index_time(").Ident(event.C(productevent.FieldOccurredAt)).WriteString(") " + operator)
			b.WriteString(" index_time(").Arg(at).WriteString(")")
		}))
	}
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

func olderThan(q *ent.ProductEventQuery, after string) (*ent.ProductEventQuery, error) {
	if after == "" {
		return q, nil
	}
	at, id, err := parseCursor(after)
	if err != nil {
		return nil, err
	}
	// The first conditions let the index end the scan, the last breaks ties.
	return q.Where(
		ofIndexTime("<=", at), productevent.OccurredAtLTE(at),
		productevent.Or(productevent.OccurredAtLT(at), productevent.EventKeyLT(id)),
	), nil
}
