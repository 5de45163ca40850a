package resolvers

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/resolvers/page"
)

const (
	// fewPeople is how many people's events are read one by one: about twenty thousand rows.
	fewPeople = 1_000
	// namedPeople is how many ids a query may have, some two megabytes.
	namedPeople = 50_000
)

// audience is whose events a list has.
type audience struct {
	// ids are all people of the audience; nil when it has everybody, or too many to name.
	ids []string
	few bool // the ids are few enough to read all their events
	has func(appUserID string) bool
}

func everybody(string) bool { return true }

// evaluateAudience evaluates a segment; nil is everybody.
func (r *Resolver) evaluateAudience(
	ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time,
) (*audience, error) {
	if segment == nil {
		return &audience{has: everybody}, nil
	}
	view, members, err := r.reports.SegmentView(ctx, environmentID, segment, now)
	if err != nil {
		return nil, err
	}
	return newAudience(members, view), nil
}

// findPeopleOf finds an environment for callers who may see its people.
func (r *Resolver) findPeopleOf(ctx context.Context, app *ent.App, kind environment.Kind) (*ent.Environment, error) {
	if _, err := account.Authorize(ctx, app.WorkspaceID, account.CustomersRead); err != nil {
		return nil, err
	}
	return (&appResolver{r}).Environment(ctx, app, kind)
}

func newAudience(members *report.Members, view *frame.View) *audience {
	if members.Count() > namedPeople {
		return &audience{has: func(id string) bool {
			ordinal, known := view.Ordinal(id)
			return known && members.Has(ordinal)
		}}
	}
	ids := make([]string, 0, members.Count())
	for ordinal, id := range view.Visitors.All() {
		if members.Has(ordinal) {
			ids = append(ids, strings.Clone(id))
		}
	}
	return &audience{ids: ids, few: len(ids) <= fewPeople, has: everybody}
}

// pageMembers reads a page of the people of a segment.
func (r *Resolver) pageMembers(
	ctx context.Context, app *ent.App, kind environment.Kind, segmentID uuid.UUID, first *int, after *string,
) (*page.Of[report.Member], error) {
	if _, err := r.findPeopleOf(ctx, app, kind); err != nil {
		return nil, err
	}
	environmentID, err := r.authorizeReports(ctx, app, kind)
	if err != nil {
		return nil, err
	}
	segment, err := r.readSegment(ctx, app, &segmentID)
	if err != nil {
		return nil, err
	}
	view, members, err := r.reports.SegmentView(ctx, environmentID, segment, r.now())
	if err != nil {
		return nil, err
	}
	return page.ReadWith(ctx, segmentMembersByID, first, after,
		func(_ context.Context, position []any, limit int) ([]*report.Member, error) {
			behind := ""
			if position != nil {
				behind = position[0].(string)
			}
			return members.Page(view, behind, limit), nil
		},
		func(context.Context) (int, error) { return members.Count(), nil })
}

// authorizeConditions refuses conditions about what identify said to callers who may not see people: how many have an
// e-mail address tells who is known.
func authorizeConditions(ctx context.Context, app *ent.App, where *analytics.Condition) error {
	identified := false
	if where != nil {
		where.Leaves(func(c *analytics.Condition) {
			identified = identified || c.Attribute != nil || c.Person != nil && !c.Person.Field.OfFirstTouch()
		})
	}
	if !identified {
		return nil
	}
	_, err := account.Authorize(ctx, app.WorkspaceID, account.CustomersRead)
	return err
}
