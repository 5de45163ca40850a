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
	"github.com/svc-dev/svc/internal/pgerr"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/manifest"
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
	// SegmentEvaluation is nil of an automation that is not active or has another trigger than a segment, and before the
	// first evaluation.
	SegmentEvaluation *SegmentEvaluation
}

// SegmentEvaluation is what came of the latest evaluation of the segment whose new members an automation enrols.
type SegmentEvaluation struct {
	At time.Time
	// Members are how many the segment had when it was last evaluated without a problem.
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

const automationColumns = `
	select a.id, a.environment_id, e.app_id, e.kind, a.name, a.state, a.draft, a.version, a.created_at, a.updated_at,
		s.evaluated_at, coalesce(s.members, 0), coalesce(s.problem, '')
	from automation a
	join environments e on e.id = a.environment_id
	left join automation_version v on v.automation_id = a.id and v.number = a.version
	left join automation_segment s on a.state = 'active' and s.environment_id = a.environment_id
		and s.segment_id::text = v.definition->'trigger'->>'segmentId' `

func scanAutomation(row pgx.CollectableRow) (*Automation, error) {
	var one Automation
	var at *time.Time
	var s SegmentEvaluation
	err := row.Scan(&one.ID, &one.EnvironmentID, &one.AppID, &one.Environment, &one.Name, &one.State, &one.Draft,
		&one.Version, &one.CreatedAt, &one.UpdatedAt, &at, &s.Members, &s.Problem)
	if at != nil {
		s.At = *at
		one.SegmentEvaluation = &s
	}
	return &one, err
}

// Filter chooses automations of an environment of an app.
type Filter struct {
	App         uuid.UUID
	Environment environment.Kind
	Archived    bool // also those that are archived
}

// Place is that of an automation in a list by name.
type Place struct {
	Name string
	ID   uuid.UUID
}

// List returns at most limit automations by name, and by id where names are equal: those behind a place, all without
// one.
func (a *Automations) List(ctx context.Context, f Filter, behind *Place, limit int) ([]*Automation, error) {
	s, err := a.ofApp(ctx, f.App, f.Environment, account.EngageRead)
	if err != nil {
		return nil, err
	}
	if behind == nil {
		behind = &Place{}
	}
	rows, err := a.db.Pool.Query(ctx, automationColumns+`
		where a.environment_id = $1 and ($2 or a.state <> 'archived') and (a.name, a.id) > ($3, $4)
		order by a.name, a.id limit $5`, s.environment, f.Archived, behind.Name, behind.ID, limit)
	if err != nil {
		return nil, fmt.Errorf("read automations: %w", err)
	}
	return pgx.CollectRows(rows, scanAutomation)
}

// Count returns how many automations List has.
func (a *Automations) Count(ctx context.Context, f Filter) (n int, err error) {
	s, err := a.ofApp(ctx, f.App, f.Environment, account.EngageRead)
	if err != nil {
		return 0, err
	}
	err = a.db.Pool.QueryRow(ctx, `
		select count(*) from automation where environment_id = $1 and ($2 or state <> 'archived')`,
		s.environment, f.Archived).Scan(&n)
	return n, err
}

// Get returns an automation.
func (a *Automations) Get(ctx context.Context, id uuid.UUID) (*Automation, error) {
	if _, err := a.ofAutomation(ctx, id, account.EngageRead); err != nil {
		return nil, err
	}
	return read(ctx, a.db.Pool, id)
}

func read(ctx context.Context, q queryer, id uuid.UUID) (*Automation, error) {
	rows, err := q.Query(ctx, automationColumns+`where a.id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("read the automation: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scanAutomation)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing("automation")
	}
	return found, err
}

// Versions returns the published versions of an automation, newest first.
func (a *Automations) Versions(ctx context.Context, id uuid.UUID) ([]*Version, error) {
	if _, err := a.ofAutomation(ctx, id, account.EngageRead); err != nil {
		return nil, err
	}
	rows, err := a.db.Pool.Query(ctx, `
		select number, definition, published_at, published_by from automation_version
		where automation_id = $1 order by number desc limit 100`, id)
	if err != nil {
		return nil, fmt.Errorf("read the versions: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[Version])
}

// Check returns what keeps a draft from being published.
func (a *Automations) Check(ctx context.Context, draft *Automation) ([]manifest.Problem, error) {
	_, problems, err := check(ctx, a.db.Pool, draft)
	return problems, err
}

// check reads a draft and returns what keeps it from being published.
func check(ctx context.Context, q queryer, draft *Automation) (*Definition, []manifest.Problem, error) {
	definition, problems := Parse(draft.Draft)
	if len(problems) > 0 {
		return nil, problems, nil
	}
	known, err := knownEndpoints(ctx, q, draft.EnvironmentID)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{}
	for pointer, id := range definition.endpoints() {
		if !known[id] {
			r.report(pointer, "endpoint", "is not an endpoint of this environment")
		}
	}
	if definition.Trigger.Type == OnSegment {
		var known bool
		if err := q.QueryRow(ctx, `select exists (select from segments where id = $1 and app_id = $2)`,
			definition.Trigger.SegmentID, draft.AppID).Scan(&known); err != nil {
			return nil, nil, fmt.Errorf("look for the segment: %w", err)
		}
		if !known {
			r.report("/trigger/segmentId", "segment", "is not a segment of this app")
		}
	}
	return definition, r.problems, nil
}

func knownEndpoints(ctx context.Context, q queryer, environment int64) (map[uuid.UUID]bool, error) {
	rows, err := q.Query(ctx, `select id from webhook_endpoint where environment_id = $1`, environment)
	if err != nil {
		return nil, fmt.Errorf("read endpoints: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	known := map[uuid.UUID]bool{}
	for _, id := range ids {
		known[id] = true
	}
	return known, err
}

// validDraft checks what every draft must be: a JSON object that can be stored. What else is wrong with it keeps it
// from being published, not from being saved.
func validDraft(text json.RawMessage) error {
	var object map[string]any
	if len(text) > MaxDefinition {
		return fault.Invalid("definition", "has more than %d bytes", MaxDefinition)
	}
	if err := json.Unmarshal(text, &object); err != nil || object == nil {
		return fault.Invalid("definition", "must be a JSON object")
	}
	return nil
}

// Create makes an automation with a draft.
func (a *Automations) Create(
	ctx context.Context, app uuid.UUID, kind environment.Kind, name string, draft json.RawMessage,
) (*Automation, error) {
	s, err := a.ofApp(ctx, app, kind, account.EngageManage)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	if err := validDraft(draft); err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	detail := map[string]any{"name": name}
	return a.changeOne(ctx, s, "automation.create", id, detail, func(tx pgx.Tx) error {
		n, err := affected(ctx, tx, `
			insert into automation (environment_id, id, name, draft) select $1, $2, $3, $4
			where (select count(*) from automation where environment_id = $1 and state <> 'archived') < $5`,
			s.environment, id, name, string(draft), maxAutomations)
		if err == nil && n == 0 {
			err = fault.New(fault.LimitReached, "an environment has at most %d automations", maxAutomations)
		}
		return draftError(err)
	})
}

// SaveDraft changes the name or the draft of an automation; nil leaves one as it is.
func (a *Automations) SaveDraft(
	ctx context.Context, id uuid.UUID, name *string, draft json.RawMessage,
) (*Automation, error) {
	s, err := a.ofAutomation(ctx, id, account.EngageManage)
	if err != nil {
		return nil, err
	}
	var renamed *string
	if name != nil {
		valid, err := validate.Name("name", *name)
		if err != nil {
			return nil, err
		}
		renamed = &valid
	}
	var text *string
	if draft != nil {
		if err := validDraft(draft); err != nil {
			return nil, err
		}
		stored := string(draft)
		text = &stored
	}
	return a.changeOne(ctx, s, "automation.save", id, nil, func(tx pgx.Tx) error {
		n, err := affected(ctx, tx, `
			update automation set name = coalesce($2, name), draft = coalesce($3::jsonb, draft), updated_at = now()
			where id = $1 and state <> 'archived'`, id, renamed, text)
		if err == nil && n == 0 {
			err = errArchived
		}
		return draftError(err)
	})
}

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
				ctx, s.workspace, account.EngageSend, "people enter the new version of an active automation at once",
			); err != nil {
				return err
			}
		}
		definition, problems, err := check(ctx, tx, found)
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
				ctx, s.workspace, account.CustomersRead, "the definition reads or sends what is known of people",
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
				and v.definition->'trigger'->>'segmentId' = s.segment_id::text)`, environment)
	return err
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

// draftError turns text that no database takes into the caller's fault.
func draftError(err error) error {
	if pgerr.IsUnstorableText(err) {
		return fault.Invalid("definition", "holds characters that can't be stored")
	}
	return err
}
