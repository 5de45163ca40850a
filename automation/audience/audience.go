// Package audience tells automations who is in a segment, as the reports of product analytics find it.
package audience

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/segment"
)

// Reports evaluate segments.
type Reports interface {
	SegmentView(
		ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time,
	) (*frame.View, *report.Members, error)
	// Guard calls what reads a view, whose files may turn out to be damaged.
	Guard(read func() error) error
}

// Stored reads segments as they are stored.
type Stored interface {
	Audience(ctx context.Context, app, id uuid.UUID, field string) (*analytics.Segment, error)
}

// Segments evaluates stored segments: it is an [automation.Segments].
type Segments struct {
	Client  *ent.Client
	Stored  Stored
	Reports Reports
}

// Members returns who is in a segment, as it was found at since or later. People whom it names and of whom no event
// came yet are no members.
func (s *Segments) Members(
	ctx context.Context, environmentID int64, id uuid.UUID, since time.Time, most int,
) ([]string, error) {
	found, err := s.Client.App.Query().
		Where(app.HasEnvironmentsWith(environment.ID(environmentID)), app.HasSegmentsWith(segment.ID(id))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the app of a segment: %w", err)
	}
	audience, err := s.Stored.Audience(ctx, found.ID, id, "segmentId")
	if err != nil {
		return nil, err
	}
	if audience.Rules != nil {
		audience.Rules.Lapse = time.Duration(found.LapseMinutes) * time.Minute
	}
	audience.Since = since
	var ids []string
	err = s.Reports.Guard(func() error {
		view, members, err := s.Reports.SegmentView(ctx, environmentID, audience, time.Now())
		if err != nil {
			return fmt.Errorf("evaluate the segment: %w", err)
		}
		for id := range members.IDs(view) {
			if len(ids) == most {
				return automation.ErrTooManyMembers
			}
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}
