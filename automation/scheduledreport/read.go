package scheduledreport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
)

const selectReports = `
	select s.id, s.workspace_id, s.app_id, s.user_id, u.email, s.environment, s.frequency, s.time_zone, s.destination,
		s.shown, s.active, s.next_at, s.created_at, a.archived_at, l.state, l.error, coalesce(l.finished_at, l.created_at)
	from scheduled_reports s
	join users u on u.id = s.user_id
	join apps a on a.id = s.app_id
	left join lateral (
		select state, error, finished_at, created_at from mail_outbox
		where purpose = 'report ' || s.destination and key >= s.id::text and key < s.id::text || '~'
		order by created_at desc limit 1) l on true `

func scan(row pgx.CollectableRow) (*Report, error) {
	r := &Report{}
	var state *DeliveryState
	var reason *string
	var at *time.Time
	err := row.Scan(&r.ID, &r.WorkspaceID, &r.AppID, &r.UserID, &r.CreatedBy, &r.Environment, &r.Frequency, &r.TimeZone,
		&r.Destination, &r.SlackURL, &r.Active, &r.NextAt, &r.CreatedAt, &r.archivedAt, &state, &reason, &at)
	if state != nil {
		r.Last = &Delivery{*state, *reason, *at}
	}
	return r, err
}

// read returns a scheduled report as who makes the request sees it.
func (r *Reports) read(ctx context.Context, id uuid.UUID) (*Report, error) {
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := r.Pool.Query(ctx, selectReports+`where s.id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("read a scheduled report: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing("scheduled report")
	}
	if err != nil {
		return nil, fmt.Errorf("read a scheduled report: %w", err)
	}
	found.Own = found.UserID == p.UserID
	return found, nil
}

// mayChange returns a scheduled report that who makes the request may change: their own, and those to Slack of a
// workspace that they manage. Another one is not found.
func (r *Reports) mayChange(ctx context.Context, id uuid.UUID) (*Report, error) {
	found, err := r.read(ctx, id)
	if err != nil {
		return nil, err
	}
	owner := account.App{Workspace: found.WorkspaceID, ArchivedAt: found.archivedAt}
	if err := account.AuthorizeApp(ctx, owner, "scheduled report", account.AnalyticsRead); err != nil {
		return nil, err
	}
	if !found.Own && found.Destination == Email {
		return nil, fault.Missing("scheduled report")
	}
	if found.Destination == Slack {
		const why = "a report to Slack tells others"
		if err := account.AuthorizeAlso(ctx, found.WorkspaceID, account.WorkspaceManage, why); err != nil {
			return nil, err
		}
	}
	return found, account.RefuseArchived(owner)
}

// List returns the scheduled reports of an app: those of who makes the request, and those to Slack of all members for
// who manages the workspace.
func (r *Reports) List(ctx context.Context, workspace, app uuid.UUID) ([]*Report, error) {
	p, err := account.Authorize(ctx, workspace, account.AnalyticsRead)
	if err != nil {
		return nil, err
	}
	rows, err := r.Pool.Query(ctx, selectReports+`
		where s.app_id = $1 and (s.user_id = $2 or s.destination = 'slack' and $3)
		order by s.created_at, s.id limit 200`, app, p.UserID, p.Can(workspace, account.WorkspaceManage))
	if err != nil {
		return nil, fmt.Errorf("read scheduled reports: %w", err)
	}
	list, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("read scheduled reports: %w", err)
	}
	for _, found := range list {
		found.Own = found.UserID == p.UserID
	}
	return list, nil
}
