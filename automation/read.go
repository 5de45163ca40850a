package automation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
)

const automationColumns = `

	select a.id, a.environment_id, e.app_id, e.kind, a.name, a.state, a.draft, a.version, a.created_at, a.updated_at,
		s.evaluated_at, coalesce(s.members, 0), coalesce(s.problem, '')
	from automation a
	join environments e on e.id = a.environment_id
	left join automation_version v on v.automation_id = a.id and v.number = a.version
	left join automation_segment s on a.state = 'active' and s.environment_id = a.environment_id
		and s.segment_id::text in (v.definition->'trigger'->>'segmentId', v.definition->'trigger'->>'goalId') `

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
