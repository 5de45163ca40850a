package automation

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
)

var errArchived = fault.New(fault.Conflict, "the automation is archived")

// Publish makes the next numbered version of the draft. An active automation enrols into it from then on, which needs
// engage:send as activating does; who is enrolled stays in the version that they entered. A definition that reads what
// is known of people, or sends it, needs customers:read.
func (a *Automations) Publish(ctx context.Context, id uuid.UUID) (*Automation, error) {
	s, err := a.ofAutomation(ctx, id, account.EngageManage)
	if err != nil {
		return nil, err
	}
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{}
	return a.changeOne(ctx, s, "automation.publish", id, detail, func(tx pgx.Tx) error {
		found, err := read(ctx, tx, id) // nobody else changes it: the revision is locked
		if err != nil {
			return err
		}
		if found.State == Archived {
			return errArchived
		}
		if found.State == Active {
			if err := account.AuthorizeAlso(
				ctx, s.workspace, account.EngageSend, "users enter the new version of an active automation at once",
			); err != nil {
				return err
			}
		}
		definition, problems, err := a.check(ctx, tx, found)
		if err != nil {
			return err
		}
		if len(problems) > 0 {
			blocked := fault.New(fault.PublishBlocked, "the definition has %d problems", len(problems))
			blocked.Details = map[string]any{"problems": problems}
			return blocked
		}
		if definition.People {
			if err := account.AuthorizeAlso(
				ctx, s.workspace, account.CustomersRead, "the definition reads or sends what is known of users",
			); err != nil {
				return err
			}
		}
		detail["number"] = found.Version + 1
		if _, err := affected(ctx, tx, `
			insert into automation_version (automation_id, number, definition, published_by) values ($1, $2, $3, $4)`,
			id, found.Version+1, string(found.Draft), p.UserID); err != nil {
			return err
		}
		_, err = affected(ctx, tx, `
			update automation set version = $2, updated_at = now(),
				state = case state when 'draft' then 'published' else state end
			where id = $1`, id, found.Version+1)
		if err != nil {
			return err
		}
		return forgetSegments(ctx, tx, s.environment)
	})
}

// Activate lets a published or paused automation work. Who waited when it was paused goes on.
func (a *Automations) Activate(ctx context.Context, id uuid.UUID) (*Automation, error) {
	return a.turn(ctx, id, Active, "automation.activate", `
		update automation_enrolment set due_at = paused_due_at, paused_due_at = null
		where automation_id = $1 and paused_due_at is not null`)
}

// Pause stops an automation: nobody enters and nobody goes on until it is activated again. Messages that were made are
// delivered.
func (a *Automations) Pause(ctx context.Context, id uuid.UUID) (*Automation, error) {
	return a.turn(ctx, id, Paused, "automation.pause", `
		update automation_enrolment set paused_due_at = due_at, due_at = null
		where automation_id = $1 and due_at is not null`)
}

// Archive ends an automation for good, and all its enrolments.
func (a *Automations) Archive(ctx context.Context, id uuid.UUID) (*Automation, error) {
	return a.turn(ctx, id, Archived, "automation.archive", `
		update automation_enrolment set state = 'exited', reason = '`+reasonArchived+`', ended_at = now(), due_at = null,
			paused_due_at = null
		where automation_id = $1 and ended_at is null`)
}

// turn changes the state. Who enters while it changes is paused or archived with the others: the row of the
// automation is locked, and enrolling reads it.
func (a *Automations) turn(
	ctx context.Context, id uuid.UUID, to State, action, follows string,
) (*Automation, error) {
	s, err := a.ofAutomation(ctx, id, account.EngageSend)
	if err != nil {
		return nil, err
	}
	return a.changeOne(ctx, s, action, id, nil, func(tx pgx.Tx) error {
		found, err := read(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case found.State == Archived:
			return errArchived
		case found.State == Draft && to != Archived:
			return fault.New(fault.Conflict, "the automation was never published")
		case found.State == Published && to == Paused:
			return fault.New(fault.Conflict, "the automation is not active")
		}
		if _, err := affected(
			ctx, tx, `update automation set state = $2, updated_at = now() where id = $1`, id, string(to),
		); err != nil {
			return err
		}
		if _, err = affected(ctx, tx, follows, id); err != nil {
			return err
		}
		return forgetSegments(ctx, tx, s.environment)
	})
}

// forgetSegments forgets who is in segments that no active automation follows any more: when one does again, who came
// meanwhile has not entered.
func forgetSegments(ctx context.Context, tx pgx.Tx, environment int64) error {
	_, err := affected(ctx, tx, `
		delete from automation_segment s where environment_id = $1 and not exists (
			select from automation a join automation_version v on v.automation_id = a.id and v.number = a.version
			where a.environment_id = $1 and a.state = 'active'
				and s.segment_id::text in (v.definition->'trigger'->>'segmentId', v.definition->'trigger'->>'goalId'))`,
		environment)
	return err
}
