package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres/transaction"
)

// Automation is one of an environment's automations.
type Automation struct {
	ID            uuid.UUID
	EnvironmentID int64
	AppID         uuid.UUID
	Environment   environment.Kind
	Name          string
	State         State
	Draft         json.RawMessage
	// Version is the number of the newest published version; 0 while there is none.
	Version   int
	CreatedAt time.Time
	UpdatedAt time.Time
	// SegmentEvaluation is nil of an automation that is not active or has another trigger than a segment or a goal, and
	// before the first evaluation.
	SegmentEvaluation *SegmentEvaluation
}

// SegmentEvaluation is what came of the latest evaluation of the segment whose new members an automation enrols, or of
// the goal that starts it.
type SegmentEvaluation struct {
	At time.Time
	// Members are how many the segment had when it was last evaluated without a problem, or how many users met the goal
	// that day (UTC) or the day before.
	Members int
	// Problem is why the evaluation came to nothing: failed, or too_many_members for more than MaxSegmentMembers. It is
	// empty when it did not.
	Problem string
}

// State is where an automation stands.
type State string

// The states. Only an active automation enrols people and does anything.
const (
	Draft     State = "draft"
	Published State = "published"
	Active    State = "active"
	Paused    State = "paused"
	Archived  State = "archived"
)

// Version is what was published, for ever.
type Version struct {
	Number      int
	Definition  json.RawMessage
	PublishedAt time.Time
	PublishedBy *uuid.UUID
}

// maxAutomations bounds how many automations an environment has that are not archived.
const maxAutomations = 1000

// scope is whom a use case is about.
type scope struct {
	environment int64
	app         uuid.UUID
	workspace   uuid.UUID
	kind        environment.Kind
}

// authorize finds a scope by a condition on e, the table of environments, and
// checks that the caller has the capability there; engage:manage and engage:send change something.
func (a *Automations) authorize(
	ctx context.Context, what string, capability account.Capability, condition string, args ...any,
) (scope, error) {
	if _, err := account.From(ctx); err != nil {
		return scope{}, err
	}
	var s scope
	var app account.App
	err := a.db.Pool.QueryRow(ctx, `
		select e.id, e.app_id, a.workspace_id, e.kind, a.archived_at
		from environments e join apps a on a.id = e.app_id
		where `+condition, args...).Scan(&s.environment, &s.app, &app.Workspace, &s.kind, &app.ArchivedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, fault.Missing(what)
	}
	if err != nil {
		return s, fmt.Errorf("read the %s: %w", what, err)
	}
	s.workspace = app.Workspace
	if capability == account.EngageManage || capability == account.EngageSend {
		return s, account.AuthorizeAppChange(ctx, app, what, capability)
	}
	return s, account.AuthorizeApp(ctx, app, what, capability)
}

func (a *Automations) ofApp(
	ctx context.Context, app uuid.UUID, kind environment.Kind, capability account.Capability,
) (scope, error) {
	return a.authorize(ctx, "app", capability, `e.app_id = $1 and e.kind = $2`, app, kind)
}

func (a *Automations) ofAutomation(ctx context.Context, id uuid.UUID, capability account.Capability) (scope, error) {
	return a.authorize(
		ctx, "automation", capability, `e.id = (select environment_id from automation where id = $1)`, id,
	)
}

// change runs work and its audit entry in one transaction, and raises the revision that servers follow.
func (a *Automations) change(
	ctx context.Context, s scope, action, subject string, detail map[string]any, work func(tx pgx.Tx) error,
) error {
	if detail == nil {
		detail = map[string]any{}
	}
	detail["environment"] = s.kind
	err := transaction.RunIn(ctx, a.db.Pool, func(tx pgx.Tx) error {
		// First, so that changes of automations come one after another.
		if _, err := tx.Exec(ctx, `update automation_revision set number = number + 1`); err != nil {
			return err
		}
		if err := work(tx); err != nil {
			return err
		}
		return account.RecordIn(ctx, tx, s.workspace, action, subject, detail)
	})
	if err != nil || transaction.IsDryRun(ctx) {
		return err
	}
	refreshing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := a.registry.refresh(refreshing); err != nil {
		a.log.WarnContext(ctx, "a committed change of automations is not known yet", "error", err)
	}
	return nil
}

// changeOne changes an automation and returns it as it is then.
func (a *Automations) changeOne(
	ctx context.Context, s scope, action string, id uuid.UUID, detail map[string]any, work func(tx pgx.Tx) error,
) (changed *Automation, err error) {
	err = a.change(ctx, s, action, id.String(), detail, func(tx pgx.Tx) error {
		if err := work(tx); err != nil {
			return err
		}
		changed, err = read(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// affected runs a statement and returns how many rows it changed.
func affected(ctx context.Context, tx pgx.Tx, sql string, args ...any) (int64, error) {
	tag, err := tx.Exec(ctx, sql, args...)
	return tag.RowsAffected(), err
}

// Enrol enrols people by hand, whatever the trigger is, and returns how many entered: who may not enter again does not.
// One call takes at most 1,000.
func (a *Automations) Enrol(ctx context.Context, id uuid.UUID, appUserIDs []string) (entered int, err error) {
	s, err := a.ofAutomation(ctx, id, account.EngageSend)
	if err != nil {
		return 0, err
	}
	if err := validate.Input(struct {
		People []string `json:"appUserIds" validate:"min=1,max=1000,dive,name=256"`
	}{appUserIDs}); err != nil {
		return 0, err
	}
	detail := map[string]any{}
	err = a.change(ctx, s, "automation.enrol", id.String(), detail, func(tx pgx.Tx) error {
		found, err := read(ctx, tx, id)
		if err != nil {
			return err
		}
		if found.State != Active {
			return fault.New(fault.Conflict, "the automation is not active")
		}
		definition, err := a.registry.definition(ctx, versionKey{id, found.Version})
		if err != nil {
			return err
		}
		now, seen := a.now(), map[string]bool{}
		var entries []entry
		for _, person := range appUserIDs {
			if seen[person] {
				continue
			}
			seen[person] = true
			e := entry{
				EnvironmentID: s.environment, AutomationID: id, Version: found.Version, AppUserID: person,
				EventKey: uuid.New(), Event: json.RawMessage("{}"), TriggeredAt: now, Node: definition.Nodes[0].ID,
				Always: definition.Trigger.Reentry == "always",
			}
			if definition.Trigger.Reentry == "days" {
				e.Days = &definition.Trigger.Days
			}
			entries = append(entries, e)
		}
		argument, err := json.Marshal(entries)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, privacy.JoinWriters); err != nil {
			return err
		}
		// Without properties each counts once.
		counts, err := pgxStatements{tx}.enter(ctx, argument)
		entered = int(counts[s.environment])
		detail["people"] = entered
		return err
	})
	return entered, err
}
