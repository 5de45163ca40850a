package scheduledreport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/automation/scheduledreport/compose"
	"github.com/svc-dev/svc/automation/slack"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/postgres/transaction"
)

// Destination is where a report goes.
type Destination string

// The destinations.
const (
	Email Destination = "email" // the confirmed address of the member's account
	Slack Destination = "slack" // an incoming webhook
)

// maxReports bounds the scheduled reports of a member in a workspace.
const maxReports = 50

// Reports are the use cases of scheduled reports.
type Reports struct {
	Pool     *pgxpool.Pool
	Accounts *account.Accounts
	Mails    *bymail.Mails
	Poster   slack.Poster
	Ring     *seal.Ring
	BaseURL  string
	Now      func() time.Time // nil means time.Now

	ask compose.Asker
}

// Start encrypts URLs with the current key that are not.
func (r *Reports) Start(ctx context.Context) error {
	_, err := r.Ring.Anew(ctx, r.Pool, "scheduled_reports")
	return err
}

// AskWith sets what answers the queries of reports, before the first of them is made.
func (r *Reports) AskWith(ask compose.Asker) { r.ask = ask }

func (r *Reports) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// Report is one scheduled report.
type Report struct {
	ID                 uuid.UUID
	WorkspaceID, AppID uuid.UUID
	UserID             uuid.UUID
	// CreatedBy is the address of the account of its member; Own tells that this is who asks.
	CreatedBy   string
	Own         bool
	Environment environment.Kind
	Frequency   compose.Frequency
	TimeZone    string
	Destination Destination
	// SlackURL is what may be shown of the URL: its host and its end. Empty of email.
	SlackURL  string
	Active    bool
	NextAt    time.Time
	CreatedAt time.Time
	// Last is what became of the latest one, of the last 30 days.
	Last *Delivery

	archivedAt *time.Time
}

// DeliveryState is what became of one report, as the outbox has it.
type DeliveryState string

// The states.
const (
	DeliveryPending DeliveryState = "pending"
	DeliverySent    DeliveryState = "sent"
	DeliveryDropped DeliveryState = "dropped" // not wanted any more, or the address is not confirmed
	DeliveryFailed  DeliveryState = "failed"
)

// Delivery is one report that was to be sent.
type Delivery struct {
	State  DeliveryState
	Reason string // why it was not sent
	At     time.Time
}

// Schedule is what a member chooses.
type Schedule struct {
	Environment environment.Kind
	Frequency   compose.Frequency
	TimeZone    string `validate:"required,zone"`
	Destination Destination
	SlackURL    string
}

// Change is what changes of a scheduled report; nil stays.
type Change struct {
	Frequency *compose.Frequency
	TimeZone  *string
	SlackURL  *string
	Active    *bool
}

func parseZone(name string) (*time.Location, error) {
	if err := validate.At("", struct {
		TimeZone string `json:"timeZone" validate:"zone"`
	}{name}); err != nil || name == "" {
		return nil, fault.Invalid("timeZone", "must be an IANA name, such as Europe/Berlin")
	}
	return time.LoadLocation(name)
}

// Create schedules a report of an app for who makes the request. To Slack it takes the right to manage the workspace:
// it tells others.
func (r *Reports) Create(ctx context.Context, app uuid.UUID, s Schedule) (*Report, error) {
	p, workspace, err := r.authorize(ctx, app, s.Destination)
	if err != nil {
		return nil, err
	}
	zone, err := parseZone(s.TimeZone)
	if err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	keyID, sealed, shown, err := r.sealURL(id, s.Destination, s.SlackURL)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{"frequency": s.Frequency, "destination": s.Destination}
	err = r.change(ctx, workspace, "scheduled_report.create", id, detail, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			insert into scheduled_reports (id, workspace_id, user_id, app_id, environment, frequency, time_zone,
				destination, key_id, sealed, shown, next_at)
			select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 where (
				select count(*) from scheduled_reports where workspace_id = $2 and user_id = $3) < $13`,
			id, workspace, p.UserID, app, s.Environment, s.Frequency, zone.String(), s.Destination, keyID, sealed, shown,
			compose.NextSend(s.Frequency, zone, r.now()), maxReports)
		if err == nil && tag.RowsAffected() == 0 {
			return fault.New(fault.Conflict, "a member has at most %d scheduled reports in a workspace", maxReports)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if transaction.IsDryRun(ctx) {
		return &Report{
			ID: id, WorkspaceID: workspace, AppID: app, UserID: p.UserID, CreatedBy: p.Email, Own: true,
			Environment: s.Environment, Frequency: s.Frequency, TimeZone: zone.String(), Destination: s.Destination,
			SlackURL: shown, Active: true, NextAt: compose.NextSend(s.Frequency, zone, r.now()), CreatedAt: r.now(),
		}, nil
	}
	return r.read(ctx, id)
}

// authorize checks that who makes the request may schedule a report of an app.
func (r *Reports) authorize(
	ctx context.Context, app uuid.UUID, to Destination,
) (*account.Principal, uuid.UUID, error) {
	p, err := account.From(ctx)
	if err != nil { // who is nobody learns of no app
		return nil, uuid.Nil, err
	}
	var owner account.App
	err = r.Pool.QueryRow(ctx, `select workspace_id, archived_at from apps where id = $1`, app).
		Scan(&owner.Workspace, &owner.ArchivedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, uuid.Nil, fault.Missing("app")
	}
	if err != nil {
		return nil, uuid.Nil, fmt.Errorf("read the app: %w", err)
	}
	if err := account.AuthorizeAppChange(ctx, owner, "app", account.AnalyticsRead); err != nil {
		return nil, uuid.Nil, err
	}
	if to == Slack {
		const why = "a report to Slack tells others"
		if err := account.AuthorizeAlso(ctx, owner.Workspace, account.WorkspaceManage, why); err != nil {
			return nil, uuid.Nil, err
		}
	}
	return p, owner.Workspace, nil
}

// sealURL encrypts the URL of an incoming webhook for a report.
func (r *Reports) sealURL(
	id uuid.UUID, to Destination, url string,
) (keyID *string, sealed []byte, shown string, err error) {
	if to == Email {
		if url != "" {
			return nil, nil, "", fault.Invalid("slackUrl", "goes with the destination SLACK only")
		}
		return nil, nil, "", nil
	}
	secret, err := slack.Seal(r.Ring, id, url)
	if err != nil {
		return nil, nil, "", err
	}
	return &secret.KeyID, secret.Sealed, secret.Shown, nil
}

// Update changes a scheduled report.
func (r *Reports) Update(ctx context.Context, id uuid.UUID, c Change) (*Report, error) {
	found, err := r.mayChange(ctx, id)
	if err != nil {
		return nil, err
	}
	if c.Frequency != nil {
		found.Frequency = *c.Frequency
	}
	if c.TimeZone != nil {
		found.TimeZone = *c.TimeZone
	}
	if c.Active != nil {
		found.Active = *c.Active
	}
	zone, err := parseZone(found.TimeZone)
	if err != nil {
		return nil, err
	}
	var keyID *string
	var sealed []byte
	if c.SlackURL != nil {
		if found.Destination == Email {
			return nil, fault.Invalid("slackUrl", "goes with the destination SLACK only")
		}
		if keyID, sealed, found.SlackURL, err = r.sealURL(id, Slack, *c.SlackURL); err != nil {
			return nil, err
		}
	}
	found.NextAt = compose.NextSend(found.Frequency, zone, r.now())
	err = r.change(ctx, found.WorkspaceID, "scheduled_report.update", id, nil, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			update scheduled_reports set frequency = $2, time_zone = $3, active = $4, next_at = $5,
				key_id = coalesce($6, key_id), sealed = coalesce($7, sealed), shown = $8
			where id = $1`,
			id, found.Frequency, found.TimeZone, found.Active, found.NextAt, keyID, sealed, found.SlackURL)
		return err
	})
	return found, err
}

// Delete ends a scheduled report.
func (r *Reports) Delete(ctx context.Context, id uuid.UUID) error {
	found, err := r.mayChange(ctx, id)
	if err != nil {
		return err
	}
	return r.change(ctx, found.WorkspaceID, "scheduled_report.delete", id, nil, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `delete from scheduled_reports where id = $1`, id)
		return err
	})
}

func (r *Reports) change(
	ctx context.Context, workspace uuid.UUID, action string, id uuid.UUID, detail map[string]any,
	work func(tx pgx.Tx) error,
) error {
	if detail == nil {
		detail = map[string]any{}
	}
	return transaction.RunIn(ctx, r.Pool, func(tx pgx.Tx) error {
		if err := work(tx); err != nil {
			return err
		}
		return account.RecordIn(ctx, tx, workspace, action, id.String(), detail)
	})
}
