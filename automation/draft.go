package automation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/pgerr"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/manifest"
)

// Check returns what keeps a draft from being published.
func (a *Automations) Check(ctx context.Context, draft *Automation) ([]manifest.Problem, error) {
	_, problems, err := a.check(ctx, a.db.Pool, draft)
	return problems, err
}

// check reads a draft and returns what keeps it from being published.
func (a *Automations) check(
	ctx context.Context, q queryer, draft *Automation,
) (*Definition, []manifest.Problem, error) {
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
	for i, n := range definition.Nodes {
		if n.Type == NodeEmail && a.mail == nil {
			r.report(fmt.Sprintf("/nodes/%d/type", i), "smtp",
				"this server sends no email: its operator has to set smtp_host and mail_from")
		}
	}
	if id, followed := definition.Trigger.follows(); followed {
		of := definition.Trigger.Type
		var known bool
		look := `select exists (select from segments where id = $1 and app_id = $2)`
		if of == OnGoal {
			look = `select exists (select from goals where id = $1 and app_id = $2)`
		}
		if err := q.QueryRow(ctx, look, id, draft.AppID).Scan(&known); err != nil {
			return nil, nil, fmt.Errorf("look for the %s: %w", of, err)
		}
		if !known {
			r.report("/trigger/"+of+"Id", of, "is not a %s of this app", of)
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

// draftError turns text that no database takes into the caller's fault.
func draftError(err error) error {
	if pgerr.IsUnstorableText(err) {
		return fault.Invalid("definition", "holds characters that can't be stored")
	}
	return err
}
