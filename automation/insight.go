package automation

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
)

// Figures count what became of an automation's enrolments, of all versions.
type Figures struct {
	// Entered = Running + Completed + Exited + Failed.
	Entered, Running, Completed, Exited, Failed int
	// Converted are enrolments that reached the goal within its days.
	Converted int
	Nodes     []*NodeFigures
}

// NodeFigures count the steps of a node.
type NodeFigures struct {
	Node string
	// Waiting are enrolments that are at the node now.
	Waiting int
	// Delivered, Pending and Undelivered are messages by what became of them.
	Delivered, Pending, Undelivered int
	// Suppressed are emails that were not sent after all, because the person may not get them any more; Unsubscribed are
	// people who followed the link of one.
	Suppressed, Unsubscribed int
	Steps                    []*StepCount
}

// StepCount counts steps with a result and a reason.
type StepCount struct {
	Result, Reason string
	Count          int
}

// Figures counts what became of an automation's enrolments.
func (a *Automations) Figures(ctx context.Context, id uuid.UUID) (*Figures, error) {
	if _, err := a.ofAutomation(ctx, id, account.EngageRead); err != nil {
		return nil, err
	}
	f := &Figures{Nodes: []*NodeFigures{}}
	err := a.db.Pool.QueryRow(ctx, `
		select count(*), count(*) filter (where state = 'running'), count(*) filter (where state = 'completed'),
			count(*) filter (where state = 'exited'), count(*) filter (where state = 'failed'), count(converted_at)
		from automation_enrolment where automation_id = $1`, id,
	).Scan(&f.Entered, &f.Running, &f.Completed, &f.Exited, &f.Failed, &f.Converted)
	if err != nil {
		return nil, fmt.Errorf("count entries: %w", err)
	}
	rows, err := a.db.Pool.Query(ctx, `
		select node, 'step' as kind, result, reason, count(*) from automation_step where automation_id = $1
		group by node, result, reason
		union all
		select node, 'message', state, '', count(*) from webhook_delivery where automation_id = $1 group by node, state
		union all
		select node, 'message', case state when 'sent' then 'delivered' else state end, '', count(*)
		from automation_mail where automation_id = $1 group by node, state
		union all
		select node, 'left', '', '', count(*) from automation_mail
		where automation_id = $1 and unsubscribed_at is not null group by node
		union all
		select node, 'now', '', '', count(*) from automation_enrolment
		where automation_id = $1 and ended_at is null group by node
		order by 1, 2, 3, 4`, id)
	if err != nil {
		return nil, fmt.Errorf("count steps: %w", err)
	}
	var node, kind, result, reason string
	var count int
	_, err = pgx.ForEachRow(rows, []any{&node, &kind, &result, &reason, &count}, func() error {
		if len(f.Nodes) == 0 || f.Nodes[len(f.Nodes)-1].Node != node {
			f.Nodes = append(f.Nodes, &NodeFigures{Node: node, Steps: []*StepCount{}})
		}
		n := f.Nodes[len(f.Nodes)-1]
		switch {
		case kind == "step":
			n.Steps = append(n.Steps, &StepCount{result, reason, count})
		case kind == "now":
			n.Waiting = count
		case kind == "left":
			n.Unsubscribed = count
		case result == "suppressed":
			n.Suppressed = count
		case result == "delivered":
			n.Delivered = count
		case result == "pending":
			n.Pending = count
		default:
			n.Undelivered = count
		}
		return nil
	})
	return f, err
}

// Enrolment is one way of a person through an automation.
type Enrolment struct {
	ID           int64
	AutomationID uuid.UUID
	Version      int
	AppUserID    string
	Key          string
	Event        string
	EnteredAt    time.Time
	State        string
	Node         string
	DueAt        *time.Time
	EndedAt      *time.Time
	Reason       string
	ConvertedAt  *time.Time
	Steps        []*Step
	Deliveries   []*Delivery
}

// Step is what became of a node for a person.
type Step struct {
	Node, Result, Reason string
	At                   time.Time
}

// Explanation says what an automation did for a person, and why not more.
type Explanation struct {
	AppUserID string
	State     State
	// MayEnterAt is when the person may enter again; nil when they may at once, or never (Never).
	MayEnterAt *time.Time
	Never      bool
	// MarketingConsent is the person's: granted, denied or unknown.
	MarketingConsent string
	// Enrolments are the latest first, at most 20.
	Enrolments []*Enrolment
}

// Explain returns what an automation did for a person.
func (a *Automations) Explain(ctx context.Context, id uuid.UUID, appUserID string) (*Explanation, error) {
	s, err := a.ofAutomation(ctx, id, account.CustomersRead)
	if err != nil {
		return nil, err
	}
	found, err := read(ctx, a.db.Pool, id)
	if err != nil {
		return nil, err
	}
	x := &Explanation{AppUserID: appUserID, State: found.State, MarketingConsent: "unknown", Enrolments: []*Enrolment{}}
	people, err := readPeople(ctx, a.db.Pool, s.environment, []string{appUserID})
	if err != nil {
		return nil, fmt.Errorf("read the person: %w", err)
	}
	if person, known := people[appUserID]; known {
		x.MarketingConsent = person.Consent
	}
	var again *time.Time
	if err := a.db.Pool.QueryRow(ctx, `
		select coalesce(bool_or(again_at = 'infinity'), false), max(again_at) filter (where isfinite(again_at))
		from automation_entry where environment_id = $1 and automation_id = $2 and app_user_id = $3 and entry_key = ''`,
		s.environment, id, appUserID).Scan(&x.Never, &again); err != nil {
		return nil, fmt.Errorf("read when the person entered: %w", err)
	}
	if again != nil && again.After(a.now()) {
		x.MayEnterAt = again
	}
	rows, err := a.db.Pool.Query(ctx, `
		select id, automation_id, version, app_user_id, entry_key, event_name, entered_at, state, node,
			coalesce(due_at, paused_due_at), ended_at, reason, converted_at
		from automation_enrolment where environment_id = $1 and app_user_id = $2 and automation_id = $3
		order by entered_at desc, id desc limit 20`, s.environment, appUserID, id)
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	var e Enrolment
	byID := map[int64]*Enrolment{}
	var ids []int64
	_, err = pgx.ForEachRow(rows, []any{&e.ID, &e.AutomationID, &e.Version, &e.AppUserID, &e.Key, &e.Event, &e.EnteredAt,
		&e.State, &e.Node, &e.DueAt, &e.EndedAt, &e.Reason, &e.ConvertedAt}, func() error {
		one := e
		one.Steps, one.Deliveries = []*Step{}, []*Delivery{}
		x.Enrolments, byID[one.ID], ids = append(x.Enrolments, &one), &one, append(ids, one.ID)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	return x, a.readSteps(ctx, s.environment, ids, byID)
}

// readSteps reads the steps and messages of enrolments.
func (a *Automations) readSteps(ctx context.Context, environment int64, ids []int64, into map[int64]*Enrolment) error {
	rows, err := a.db.Pool.Query(ctx, `
		select enrolment_id, node, result, reason, at from automation_step
		where environment_id = $1 and enrolment_id = any ($2) order by id`, environment, ids)
	if err != nil {
		return fmt.Errorf("read steps: %w", err)
	}
	var id int64
	var s Step
	if _, err := pgx.ForEachRow(rows, []any{&id, &s.Node, &s.Result, &s.Reason, &s.At}, func() error {
		one := s
		into[id].Steps = append(into[id].Steps, &one)
		return nil
	}); err != nil {
		return fmt.Errorf("read steps: %w", err)
	}
	rows, err = a.db.Pool.Query(ctx, `
		select enrolment_id, id, endpoint_id, automation_id, node, app_user_id, body, state, attempts, next_attempt_at,
			created_at, finished_at
		from webhook_delivery where environment_id = $1 and enrolment_id = any ($2) order by created_at`, environment, ids)
	if err != nil {
		return fmt.Errorf("read deliveries: %w", err)
	}
	var all []*Delivery
	var d Delivery
	if _, err := pgx.ForEachRow(rows, []any{&id, &d.ID, &d.EndpointID, &d.AutomationID, &d.Node, &d.AppUserID, &d.Body,
		&d.State, &d.Attempts, &d.NextAttemptAt, &d.CreatedAt, &d.FinishedAt}, func() error {
		one := d
		into[id].Deliveries, all = append(into[id].Deliveries, &one), append(all, &one)
		return nil
	}); err != nil {
		return fmt.Errorf("read deliveries: %w", err)
	}
	return a.readAttempts(ctx, environment, all)
}

// LimitsOf returns what an environment asks of all its automations.
func (a *Automations) LimitsOf(ctx context.Context, app uuid.UUID, kind environment.Kind) (*Limits, error) {
	s, err := a.ofApp(ctx, app, kind, account.EngageRead)
	if err != nil {
		return nil, err
	}
	limits, err := readLimits(ctx, a.db.Pool, s.environment)
	return &limits, err
}

// SetLimits changes what an environment asks of all its automations; what is due from then on follows it.
func (a *Automations) SetLimits(
	ctx context.Context, app uuid.UUID, kind environment.Kind, limits Limits, zone string,
) (*Limits, error) {
	s, err := a.ofApp(ctx, app, kind, account.EngageManage)
	if err != nil {
		return nil, err
	}
	if limits.Zone, err = loadZone(zone); err != nil {
		return nil, fault.Invalid("timeZone", "is not a time zone such as Europe/Berlin")
	}
	switch {
	case limits.Cap < 0 || limits.Cap > 10_000:
		return nil, fault.Invalid("cap", "must be from 0 (no cap) to 10000")
	case limits.CapDays < 1 || limits.CapDays > 90:
		return nil, fault.Invalid("capDays", "must be from 1 to 90")
	}
	var quietFrom, quietUntil, cap *int
	if limits.Cap > 0 {
		cap = &limits.Cap
	}
	if limits.QuietFrom != limits.QuietUntil {
		quietFrom, quietUntil = &limits.QuietFrom, &limits.QuietUntil
	}
	err = a.change(ctx, s, "automation.limits", app.String(), nil, func(tx pgx.Tx) error {
		if err := authorizeLimits(ctx, tx, s); err != nil {
			return err
		}
		_, err := affected(ctx, tx, `
			insert into automation_limit (environment_id, cap, cap_days, quiet_from, quiet_until, time_zone)
			values ($1, $2, $3, $4, $5, $6)
			on conflict (environment_id) do update set cap = excluded.cap, cap_days = excluded.cap_days,
				quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, time_zone = excluded.time_zone`,
			s.environment, cap, limits.CapDays, quietFrom, quietUntil, limits.Zone.String())
		return err
	})
	return &limits, err
}

// ParseMinute reads a time of day such as 22:30 as a minute of the day.
func ParseMinute(field, text string) (int, error) {
	at, err := time.Parse("15:04", text)
	if err != nil {
		return 0, fault.Invalid(field, "must be a time of day such as 22:30")
	}
	return at.Hour()*60 + at.Minute(), nil
}
