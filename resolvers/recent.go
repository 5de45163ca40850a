package resolvers

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
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

// recent is a page of the newest rows of one event (analytics.md §4).
func (r *Resolver) recent(ctx context.Context, app *ent.App, input recentInput) (*graph.RecentEventConnection, error) {
	environmentID, err := r.readable(ctx, app, input.environment)
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
	scope := analytics.Scope{Platform: platformOf(input.platform)}
	if input.between != nil {
		scope.Start, scope.End = input.between.Start, input.between.End
	}
	if scope.Segment, err = r.segment(ctx, app, input.segmentID); err != nil {
		return nil, err
	}
	now := r.now()
	if scope, err = scope.Resolve(now); err != nil {
		return nil, err
	}
	belongs, err := r.belongs(ctx, environmentID, scope, now)
	if err != nil {
		return nil, err
	}
	query := func() *ent.ProductEventQuery {
		q := r.client.ProductEvent.Query().Where(
			productevent.EnvironmentID(environmentID), productevent.Name(input.name),
			productevent.OccurredAtGTE(scope.Start), productevent.OccurredAtLT(scope.End),
		).Order(productevent.ByOccurredAt(newestFirst), productevent.ByEventKey(newestFirst))
		switch scope.Platform {
		case "":
		case analytics.Mobile:
			q.Where(ofSessionsOn(analytics.IOS, analytics.Android))
		default:
			q.Where(ofSessionsOn(scope.Platform))
		}
		return q
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	after := deref(input.after)
	page := &graph.RecentEventConnection{Nodes: []*ent.ProductEvent{}, PageInfo: &page.Info{}}
	for {
		// An audience is filtered after the read, so a page may take several.
		q, err := olderThan(query(), after)
		if err != nil {
			return nil, err
		}
		rows, err := q.Limit(limit + 1).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("read recent events: %w", err)
		}
		for _, row := range rows[:min(len(rows), limit)] {
			after = cursor(row.OccurredAt, row.EventKey)
			if !belongs(row.AppUserID) {
				continue
			}
			if len(page.Nodes) == limit {
				page.PageInfo.HasNextPage = true
				return page, nil
			}
			page.Nodes = append(page.Nodes, row)
			end := after
			page.PageInfo.EndCursor = &end
		}
		if len(rows) <= limit {
			return page, nil
		}
		if len(page.Nodes) == limit {
			page.PageInfo.HasNextPage = true
			return page, nil
		}
	}
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
	// The first condition lets the index end the scan, the second breaks ties.
	return q.Where(productevent.OccurredAtLTE(at), productevent.Or(productevent.OccurredAtLT(at), productevent.EventKeyLT(id))), nil
}

// belongs tells who is in the scope's audience.
func (r *Resolver) belongs(ctx context.Context, environmentID int64, scope analytics.Scope, now time.Time) (func(appUserID string) bool, error) {
	if scope.Segment == nil {
		return func(string) bool { return true }, nil
	}
	for range segmentTries {
		members, err := r.reports.Members(ctx, environmentID, scope.Segment, now)
		if err != nil {
			return nil, err
		}
		view, err := r.reports.View(ctx, environmentID, now, now)
		if err != nil {
			return nil, err
		}
		if members.Of(view) {
			return func(id string) bool { return contains(members, view, id) }, nil
		}
	}
	return nil, fmt.Errorf("%w: the environment is being loaded anew", analytics.ErrUnavailable)
}

func contains(members *report.Members, view *frame.View, appUserID string) bool {
	ordinal, known := view.Ordinal(appUserID)
	return known && members.Has(ordinal)
}
