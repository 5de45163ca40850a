package automation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
)

// Activating an automation sends something, which the capability engage:send allows. Whatever changes what an active
// automation does needs it as well, or engage:manage alone would decide what is sent, to whom and where to
// (docs/automations.md, "Who may").

// runningVersions selects the definitions, as v, by which somebody may move in active automations, as a: those that
// people enter, and those that they are in.
const runningVersions = `
	from automation a join automation_version v on v.automation_id = a.id
	where a.state = 'active' and (v.number = a.version or exists (
		select from automation_enrolment n where n.environment_id = a.environment_id and n.automation_id = a.id
			and n.version = v.number and n.ended_at is null))`

// endpointUse is what an endpoint is used for at a moment.
type endpointUse struct {
	// sends says that an active automation or a message that waits uses the endpoint.
	sends bool
	// people says that what it is sent tells of people.
	people bool
	// notifications says that it is sent those of the workspace.
	notifications bool
}

// useOf reads what an endpoint is used for.
func useOf(ctx context.Context, tx pgx.Tx, environment int64, endpoint uuid.UUID) (use endpointUse, err error) {
	if err := tx.QueryRow(ctx, `
		select notifications, exists (select from webhook_delivery d where d.endpoint_id = p.id and d.state = 'pending')
		from webhook_endpoint p where id = $1`, endpoint).Scan(&use.notifications, &use.sends); err != nil {
		return use, fmt.Errorf("read the use of the endpoint: %w", err)
	}
	use.people = use.sends // messages that wait name their people
	// Definitions write ids as their authors did: all ways have the last twelve digits in one piece.
	rows, err := tx.Query(ctx, `select v.definition`+runningVersions+`
		and a.environment_id = $1 and v.definition::text ilike '%' || right($2::text, 12) || '%'`, environment, endpoint)
	if err != nil {
		return use, fmt.Errorf("read active automations: %w", err)
	}
	var text []byte
	_, err = pgx.ForEachRow(rows, []any{&text}, func() error {
		definition, problems := Parse(text)
		if len(problems) > 0 {
			return nil // of another version of this program: it sends nothing here
		}
		for _, id := range definition.endpoints() {
			if id == endpoint {
				use.sends, use.people = true, use.people || definition.People
			}
		}
		return nil
	})
	return use, err
}

// authorize checks that the caller may change what the endpoint does: where messages go, by which secrets they are
// signed, and whether they go at all.
func (u endpointUse) authorize(ctx context.Context, s scope, redirects bool) error {
	const why = "active automations or messages that wait use the endpoint"
	if u.sends {
		if err := account.AuthorizeAlso(ctx, s.workspace, account.EngageSend, why); err != nil {
			return err
		}
	}
	if u.people && redirects {
		if err := account.AuthorizeAlso(ctx, s.workspace, account.CustomersRead, why); err != nil {
			return err
		}
	}
	if u.notifications {
		return account.AuthorizeAlso(
			ctx, s.workspace, account.WorkspaceManage, "the endpoint is sent the notifications of the workspace",
		)
	}
	return nil
}

// authorizeEndpoint reads what an endpoint is used for and checks that the caller may change what it does.
func authorizeEndpoint(ctx context.Context, tx pgx.Tx, s scope, endpoint uuid.UUID, redirects bool) error {
	use, err := useOf(ctx, tx, s.environment, endpoint)
	if err != nil {
		return err
	}
	return use.authorize(ctx, s, redirects)
}

// authorizeLimits checks that the caller may change how often and when an environment sends.
func authorizeLimits(ctx context.Context, tx pgx.Tx, s scope) error {
	var active bool
	if err := tx.QueryRow(ctx, `
		select exists (select from automation where environment_id = $1 and state = 'active')`, s.environment,
	).Scan(&active); err != nil || !active {
		return err
	}
	return account.AuthorizeAlso(ctx, s.workspace, account.EngageSend, "the environment has active automations")
}

// SegmentEnrols tells whether an active automation of an app enrols those who enter a segment, or meet a goal. Until
// the transaction ends, no automation changes.
func SegmentEnrols(ctx context.Context, tx Execer, app, followed uuid.UUID) (enrols bool, err error) {
	rows, err := tx.QueryContext(ctx, `
		select v.definition->'trigger' from (select number from automation_revision for share) r,
			automation a join automation_version v on v.automation_id = a.id and v.number = a.version
		where a.state = 'active' and v.definition->'trigger'->>'type' in ('segment', 'goal')
			and a.environment_id in (select id from environments where app_id = $1)`, app)
	if err != nil {
		return false, fmt.Errorf("look for automations that follow a segment: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var text []byte
		if err := rows.Scan(&text); err != nil {
			return false, fmt.Errorf("look for automations that follow a segment: %w", err)
		}
		var trigger struct{ SegmentID, GoalID uuid.UUID }
		if json.Unmarshal(text, &trigger) == nil && (trigger.SegmentID == followed || trigger.GoalID == followed) {
			enrols = true
		}
	}
	return enrols, rows.Err()
}
