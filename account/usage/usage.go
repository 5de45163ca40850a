// Package usage reports what a workspace has used of its plan in a UTC month: monthly active users by day and app,
// events, apps and experiments, and how long a late payment still changes nothing (plans.md).
package usage

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/internal/fault"
)

// Pause is why SDK traffic of a workspace is refused: the code of the 402.
type Pause string

// The reasons. None is the empty text.
const (
	PauseLimit   Pause = "plan_limit_reached"
	PausePastDue Pause = "subscription_past_due"
)

// Report is what a workspace used in a month. Environments are the live ones.
type Report struct {
	Month time.Time // its first day
	Plan  plan.Plan
	// LiveUsers are the month's active users. They are counted while the plan limits them; Counted tells whether anybody
	// was.
	LiveUsers int64
	Counted   bool
	Events    int64 // stored
	// Apps and Experiments are those of now: apps that are not archived, and experiments that run.
	Apps, Experiments int64
	Days              []Day
	ByApp             []App

	Pause        Pause
	PastDueSince *time.Time
	// GraceDaysLeft is for how many days, rounded up, a late payment still changes nothing; nil when none is late.
	GraceDaysLeft *int
}

// Day is one UTC day of the month, up to today.
type Day struct {
	Day          time.Time
	LiveUsers    int64 // active from the month's first day to this one
	NewLiveUsers int64 // active on this day for the first time in the month
	Events       int64
}

// App is what one app used. Archived ones are listed when they used something.
type App struct {
	ID        uuid.UUID
	Name      string
	LiveUsers int64
	Events    int64
}

// Question asks for a report.
type Question struct {
	WorkspaceID uuid.UUID
	// Month is written 2026-11; empty means the one of Now.
	Month string
	Now   time.Time
	Grace time.Duration // of late payments
}

//go:embed usage.sql
var usageSQL string

// Read makes the report. The error is a fault that names the field, or the database's.
func Read(ctx context.Context, pool *pgxpool.Pool, q Question) (*Report, error) {
	month, err := parseMonth(q.Month, q.Now)
	if err != nil {
		return nil, err
	}
	r := &Report{Month: month}
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, pool, options, func(tx pgx.Tx) error {
		if err := r.readPlan(ctx, tx, q); err != nil {
			return err
		}
		return r.readUse(ctx, tx, q)
	})
	if err != nil {
		return nil, fmt.Errorf("read what the workspace used: %w", err)
	}
	if limit, limited := r.Plan.Limit(plan.LiveUsers); limited && r.LiveUsers > limit && month.Equal(startOfMonth(q.Now)) {
		r.Pause = PauseLimit
	}
	if since := r.Plan.PastDueSince; !since.IsZero() {
		left := r.Plan.GraceDaysLeft(q.Now, q.Grace)
		r.PastDueSince, r.GraceDaysLeft = &since, &left
		if r.Plan.IsPaused(q.Now, q.Grace) {
			r.Pause = PausePastDue
		}
	}
	return r, nil
}

func parseMonth(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return startOfMonth(now), nil
	}
	month, err := time.Parse("2006-01", text)
	if err != nil {
		return time.Time{}, fault.Invalid("month", "must be written like 2026-11")
	}
	if month.After(now) {
		return time.Time{}, fault.Invalid("month", "must not be in the future")
	}
	return month, nil
}

func startOfMonth(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}

func (r *Report) readPlan(ctx context.Context, tx pgx.Tx, q Question) error {
	var sub plan.Subscription
	err := tx.QueryRow(ctx, `
		select p.key, p.features, p.limits, s.status, s.past_due_since
		from subscriptions s join plans p on p.key = s.plan_id where s.workspace_id = $1`, q.WorkspaceID,
	).Scan(&sub.PlanKey, &sub.Features, &sub.Limits, &sub.Status, &sub.PastDueSince)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		r.Plan = plan.Of(nil)
	case err != nil:
		return err
	default:
		r.Plan = plan.Of(&sub)
	}
	err = tx.QueryRow(ctx, `
		select
			coalesce((select people from live_user_total where workspace_id = $1 and month = $2), 0),
			exists (select from live_user_total where workspace_id = $1 and month = $2),
			(select count(*) from apps where workspace_id = $1 and archived_at is null),
			(select count(*) from experiments x join channels c on c.id = x.channel_id
				join environments e on e.id = c.environment_id join apps a on a.id = e.app_id
				where a.workspace_id = $1 and e.kind = 'live' and x.status = 'running')`, q.WorkspaceID, r.Month,
	).Scan(&r.LiveUsers, &r.Counted, &r.Apps, &r.Experiments)
	if _, limited := r.Plan.Limit(plan.LiveUsers); limited {
		r.Counted = true
	}
	return err
}

// readUse reads days and apps.
func (r *Report) readUse(ctx context.Context, tx pgx.Tx, q Question) error {
	end := r.Month.AddDate(0, 1, 0)
	for day := r.Month; day.Before(end) && !day.After(q.Now); day = day.AddDate(0, 0, 1) {
		r.Days = append(r.Days, Day{Day: day})
	}
	rows, err := tx.Query(ctx, usageSQL, q.WorkspaceID, r.Month, end)
	if err != nil {
		return err
	}
	var app App
	var day time.Time
	_, err = pgx.ForEachRow(rows, []any{&app.ID, &app.Name, &day, &app.LiveUsers, &app.Events}, func() error {
		if last := len(r.ByApp) - 1; last < 0 || r.ByApp[last].ID != app.ID {
			r.ByApp = append(r.ByApp, App{ID: app.ID, Name: app.Name})
		}
		of := &r.ByApp[len(r.ByApp)-1]
		of.LiveUsers += app.LiveUsers
		of.Events += app.Events
		r.Events += app.Events
		if at := day.Day() - 1; at < len(r.Days) { // another server's clock may be ahead
			r.Days[at].NewLiveUsers += app.LiveUsers
			r.Days[at].Events += app.Events
		}
		return nil
	})
	for i := range r.Days {
		r.Days[i].LiveUsers = r.Days[i].NewLiveUsers
		if i > 0 {
			r.Days[i].LiveUsers += r.Days[i-1].LiveUsers
		}
	}
	return err
}
