// Package audience tells automations who is in a segment, as the reports of product analytics find it.
package audience

import (
	"context"
	"encoding/json"
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
	"github.com/svc-dev/svc/ent/goal"
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

// Members returns who is in a segment, or met a goal lately, as it was found at since or later. People whom a segment
// names and of whom no event came yet are no members.
func (s *Segments) Members(
	ctx context.Context, environmentID int64, id uuid.UUID, since time.Time, most int,
) ([]string, error) {
	found, audience, err := s.read(ctx, environmentID, id)
	if err != nil || audience == nil {
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

// goalDays are the UTC days, today among them, in which those met a goal who count as new: one more than today, so that
// what is met just before midnight is seen after it.
const goalDays = 2

// read returns a stored segment, or that of those who met a goal lately, and its app; nil of one that is not of the app
// of the environment.
func (s *Segments) read(ctx context.Context, environmentID int64, id uuid.UUID) (*ent.App, *analytics.Segment, error) {
	of, err := s.Client.App.Query().
		Where(app.HasEnvironmentsWith(environment.ID(environmentID))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the app of a segment: %w", err)
	}
	met, err := s.Client.Goal.Query().Where(goal.ID(id), goal.AppID(of.ID)).Only(ctx)
	if err == nil {
		audience, err := converters(met)
		return of, audience, err
	}
	if !ent.IsNotFound(err) {
		return nil, nil, fmt.Errorf("read a goal: %w", err)
	}
	there, err := s.Client.Segment.Query().Where(segment.ID(id), segment.AppID(of.ID)).Exist(ctx)
	if err != nil || !there {
		return nil, nil, err
	}
	audience, err := s.Stored.Audience(ctx, of.ID, id, "segmentId")
	return of, audience, err
}

// converters returns the segment of those who met a goal lately.
func converters(g *ent.Goal) (*analytics.Segment, error) {
	met := &analytics.ConversionCondition{Period: analytics.Period{WithinDays: goalDays}}
	if err := json.Unmarshal(g.Condition, &met.Condition); err != nil {
		return nil, fmt.Errorf("read the condition of goal %s: %w", g.ID, err)
	}
	return &analytics.Segment{
		ID: g.ID.String(), Rules: &analytics.SegmentRules{Where: &analytics.Condition{Goal: met}},
	}, nil
}
