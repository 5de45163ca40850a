package scheduledreport

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/automation/scheduledreport/compose"
	"github.com/svc-dev/svc/automation/scheduledreport/render"
	"github.com/svc-dev/svc/automation/slack"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/mail"
)

// Purposes of letters: "report " and the destination.
const (
	ByEmail = "report email"
	BySlack = "report slack"
)

// dueAtOnce is how many reports one transaction puts into the outbox.
const dueAtOnce = 200

// composeTime bounds the making of a report; the outbox leaves a letter to another server after a minute.
const composeTime = 20 * time.Second

// AddDue puts the reports that are due into the outbox, each with the latest period that has ended: after an outage of
// weeks one comes, not one for each week. Any number of servers may do it at once.
func (r *Reports) AddDue(ctx context.Context) error {
	for {
		more, err := r.addSome(ctx)
		if err != nil || !more {
			return err
		}
	}
}

func (r *Reports) addSome(ctx context.Context) (more bool, err error) {
	now := r.now()
	err = pgx.BeginFunc(ctx, r.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			select s.id, s.workspace_id, s.user_id, s.frequency, s.time_zone, s.destination from scheduled_reports s
			where active and next_at <= $1 order by next_at limit $2 for update skip locked`, now, dueAtOnce)
		if err != nil {
			return err
		}
		list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Report, error) {
			d := &Report{}
			return d, row.Scan(&d.ID, &d.WorkspaceID, &d.UserID, &d.Frequency, &d.TimeZone, &d.Destination)
		})
		if err != nil {
			return err
		}
		more = len(list) == dueAtOnce
		for _, d := range list {
			zone := d.zone()
			period := compose.LastPeriod(d.Frequency, zone, now)
			if _, err := tx.Exec(ctx, `
				with planned as (update scheduled_reports set next_at = $6 where id = $1)
				insert into mail_outbox (id, purpose, key, workspace_id, user_id)
				values (gen_random_uuid(), $2, $3, $4, $5) on conflict (purpose, key) do nothing`,
				d.ID, "report "+string(d.Destination), d.ID.String()+" "+period.Start.Format(time.DateOnly), d.WorkspaceID,
				d.UserID, compose.NextSend(d.Frequency, zone, now)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("put reports into the outbox: %w", err)
	}
	return more, nil
}

// Writers make the emails of reports.
func (r *Reports) Writers() map[string]mail.Writer {
	return map[string]mail.Writer{ByEmail: r.writeMail}
}

// Carriers send the reports to Slack.
func (r *Reports) Carriers() map[string]mail.Carrier {
	return map[string]mail.Carrier{BySlack: r.carry}
}

// scheduled is a report that is about to be sent, and what its content is made of.
type scheduled struct {
	Report
	member    *account.Principal
	address   string
	confirmed bool
	keyID     string
	sealed    []byte
}

// load returns nil when the report is not wanted any more.
func (r *Reports) load(ctx context.Context, id uuid.UUID) (*scheduled, error) {
	s := &scheduled{}
	err := r.Pool.QueryRow(ctx, `
		select s.id, s.workspace_id, s.app_id, s.user_id, s.environment, s.frequency, s.time_zone, s.destination, s.active,
			coalesce(s.key_id, ''), s.sealed, u.email, c.user_id is not null
		from scheduled_reports s
		join apps a on a.id = s.app_id and a.archived_at is null
		join users u on u.id = s.user_id
		left join mail_address c on c.user_id = u.id and c.address = u.email
		where s.id = $1`, id).Scan(&s.ID, &s.WorkspaceID, &s.AppID, &s.UserID, &s.Environment, &s.Frequency, &s.TimeZone,
		&s.Destination, &s.Active, &s.keyID, &s.sealed, &s.address, &s.confirmed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a scheduled report: %w", err)
	}
	s.member, err = r.Accounts.PrincipalOf(ctx, s.address)
	return s, err
}

// mayTell tells whether the member has the right that the destination takes, which they may have lost since.
func (s *scheduled) mayTell() bool {
	return s.Destination == Email || s.member.Can(s.WorkspaceID, account.WorkspaceManage)
}

// zone returns the time zone of a report: UTC in place of one that the database of zones has no more.
func (r *Report) zone() *time.Location {
	if zone, err := time.LoadLocation(r.TimeZone); err == nil {
		return zone
	}
	return time.UTC
}

// make composes a report of a period, as its member may see it.
func (r *Reports) make(ctx context.Context, s *scheduled, period compose.Period) (*compose.Report, error) {
	ctx, cancel := context.WithTimeout(account.With(ctx, s.member), composeTime)
	defer cancel()
	return compose.Make(ctx, r.ask, compose.Subject{
		AppID: s.AppID, Environment: string(s.Environment), Frequency: s.Frequency, Zone: s.zone(),
	}, period)
}

func (r *Reports) links(s *Report) render.Links {
	place := r.BaseURL + "/apps/" + s.AppID.String() + "/" + string(s.Environment)
	return render.Links{Dashboard: place, Settings: place + "/settings?tab=reports"}
}

// reportOf returns the report that a letter is of; nil when it is not wanted any more.
func (r *Reports) reportOf(ctx context.Context, l mail.Letter) (*scheduled, *compose.Report, error) {
	name, start, _ := strings.Cut(l.Key, " ")
	id, idErr := uuid.Parse(name)
	day, dayErr := time.Parse(time.DateOnly, start)
	if err := errors.Join(idErr, dayErr); err != nil {
		return nil, nil, fmt.Errorf("the key of a letter: %w", err)
	}
	s, err := r.load(ctx, id)
	if err != nil || s == nil || !s.Active || !s.mayTell() {
		return nil, nil, err
	}
	report, err := r.make(ctx, s, compose.PeriodOf(s.Frequency, s.zone(), day))
	if errors.Is(err, compose.ErrNoReport) {
		return nil, nil, nil
	}
	return s, report, err
}

func (r *Reports) writeMail(ctx context.Context, l mail.Letter) (*mail.Message, error) {
	s, report, err := r.reportOf(ctx, l)
	if err != nil || report == nil || !s.confirmed {
		return nil, err
	}
	return r.message(s, report)
}

func (r *Reports) message(s *scheduled, report *compose.Report) (*mail.Message, error) {
	links := r.links(&s.Report)
	links.Unsubscribe = r.Mails.Links.UnsubscribeReport(s.ID)
	m, err := render.Mail(report, links)
	if err == nil {
		m.To = s.address
	}
	return m, err
}

func (r *Reports) carry(ctx context.Context, l mail.Letter) error {
	s, report, err := r.reportOf(ctx, l)
	if err != nil {
		return err
	}
	if report == nil {
		return mail.ErrUnwanted
	}
	return r.post(ctx, s, report)
}

// post makes one attempt to send a report to Slack.
func (r *Reports) post(ctx context.Context, s *scheduled, report *compose.Report) error {
	return slack.Deliver(ctx, r.Poster, r.Ring, s.ID, slack.Secret{KeyID: s.keyID, Sealed: s.sealed},
		render.Slack(report, r.links(&s.Report)))
}

// Sent is the result of sending at once.
type Sent struct {
	Accepted bool
	// Reason says why it was not accepted.
	Reason string
}

// SendNow sends a report of the latest period that has ended, at once and besides those that are due.
func (r *Reports) SendNow(ctx context.Context, id uuid.UUID) (*Sent, error) {
	if _, err := r.mayChange(ctx, id); err != nil {
		return nil, err
	}
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	s, err := r.load(ctx, id)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fault.Missing("scheduled report")
	}
	switch {
	case !s.mayTell():
		return nil, fault.New(fault.Conflict, "its member may not send reports to Slack any more")
	case s.Destination == Email && r.Mails.Sender == nil:
		return nil, bymail.ErrNoSender
	case s.Destination == Email && !s.confirmed:
		return nil, fault.New(fault.Conflict, "confirm the address of your account first, in Settings → Notifications")
	}
	if err := r.Accounts.CountMail(ctx, p.UserID); err != nil {
		return nil, err
	}
	report, err := r.make(ctx, s, compose.LastPeriod(s.Frequency, s.zone(), r.now()))
	if errors.Is(err, compose.ErrNoReport) {
		return nil, fault.New(fault.Conflict, "its member may not see the reports of the app")
	}
	if err != nil {
		return nil, err
	}
	return sent(r.deliver(ctx, s, report))
}

func (r *Reports) deliver(ctx context.Context, s *scheduled, report *compose.Report) error {
	if s.Destination == Slack {
		return r.post(ctx, s, report)
	}
	m, err := r.message(s, report)
	if err != nil {
		return err
	}
	m.ID = uuid.NewString()
	return r.Mails.Sender.Send(ctx, *m)
}

func sent(err error) (*Sent, error) {
	var failure *mail.Failure
	switch {
	case errors.As(err, &failure):
		return &Sent{Reason: failure.Reason}, nil
	case err != nil:
		return nil, fmt.Errorf("send a report: %w", err)
	}
	return &Sent{Accepted: true}, nil
}

// Preview makes the report of the latest period that has ended, as who makes the request would get it.
func (r *Reports) Preview(ctx context.Context, workspace, app uuid.UUID, s Schedule) (*render.Preview, error) {
	if _, err := account.Authorize(ctx, workspace, account.AnalyticsRead); err != nil {
		return nil, err
	}
	zone, err := parseZone(s.TimeZone)
	if err != nil {
		return nil, err
	}
	subject := compose.Subject{AppID: app, Environment: string(s.Environment), Frequency: s.Frequency, Zone: zone}
	report, err := compose.Make(ctx, r.ask, subject, compose.LastPeriod(s.Frequency, zone, r.now()))
	if err != nil {
		return nil, fmt.Errorf("preview a report: %w", err)
	}
	return render.PreviewMail(report, r.links(&Report{AppID: app, Environment: s.Environment}))
}
