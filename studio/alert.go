package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/automation/slack"
	"github.com/svc-dev/svc/ent"
	entalert "github.com/svc-dev/svc/ent/alert"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/goal"
	"github.com/svc-dev/svc/internal/fault"
)

// Bounds on the alerts of one environment.
const (
	maxAlerts         = 100
	maxAlertRuleBytes = 16 << 10
)

// AlertChange names what to change of an alert; nil leaves a part as it is.
type AlertChange struct {
	Name   *string
	Rule   *alert.Rule
	Paused *bool
	// SlackURL is that of an incoming webhook; empty for none.
	SlackURL *string
}

// CheckAlertRule refuses a rule that can't be looked at, or is of a goal or a segment of another app, and returns how
// it is stored.
func (s *Studio) CheckAlertRule(ctx context.Context, app uuid.UUID, r *alert.Rule) (json.RawMessage, error) {
	if err := r.Validate("rule"); err != nil {
		return nil, err
	}
	scope := r.Scope()
	if analytics.HasGoalFilter(scope.Cross) {
		var err error
		if scope.Goals, err = s.Goals(ctx, app); err != nil {
			return nil, err
		}
	}
	if _, err := scope.Resolve(s.now()); err != nil {
		return nil, err
	}
	stored, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the rule: %w", err)
	}
	if len(stored) > maxAlertRuleBytes {
		return nil, fault.Invalid("rule", "has %d bytes of JSON, more than %d", len(stored), maxAlertRuleBytes)
	}
	if r.SegmentID != nil {
		if _, err := s.Audience(ctx, app, *r.SegmentID, "rule.segmentId"); err != nil {
			return nil, err
		}
	}
	if r.GoalID == nil {
		return stored, nil
	}
	found, err := s.client.Goal.Query().Where(goal.ID(*r.GoalID), goal.AppID(app)).Exist(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the goal: %w", err)
	}
	if !found {
		return nil, fault.Invalid("rule.goalId", "is not a goal of this app")
	}
	return stored, nil
}

// prepareAlert checks a change of an alert of an app and returns the parts as they are stored; what is not changed is
// zero.
func (s *Studio) prepareAlert(
	ctx context.Context, app uuid.UUID, change AlertChange,
) (name string, rule json.RawMessage, err error) {
	if name, err = goalName(change.Name); err != nil || change.Rule == nil {
		return name, nil, err
	}
	rule, err = s.CheckAlertRule(ctx, app, change.Rule)
	return name, rule, err
}

// newAlertState is where an alert stands that starts now: what was before is not told anybody.
func newAlertState(now time.Time) json.RawMessage {
	state, err := json.Marshal(alert.State{Judged: now.UTC()})
	if err != nil { // of a time and numbers there is none
		panic(err)
	}
	return state
}

// sealSlackURL encrypts the URL of the incoming webhook that an alert posts to, which takes the right to manage the
// workspace: it tells others. Nil leaves it as it is.
func (s *Studio) sealSlackURL(ctx context.Context, app *ent.App, id uuid.UUID, url *string) (*slack.Secret, error) {
	if url == nil {
		return nil, nil
	}
	const why = "an alert to Slack tells others"
	if err := account.AuthorizeAlso(ctx, app.WorkspaceID, account.WorkspaceManage, why); err != nil {
		return nil, err
	}
	if *url == "" {
		return &slack.Secret{}, nil
	}
	return slack.Seal(s.ring, id, *url)
}

// CreateAlert makes an alert of an environment, under a name that no other one there has.
func (s *Studio) CreateAlert(
	ctx context.Context, app uuid.UUID, kind environment.Kind, change AlertChange,
) (*ent.Alert, error) {
	a, err := s.findApp(ctx, app, account.SegmentManage)
	if err != nil {
		return nil, err
	}
	name, rule, err := s.prepareAlert(ctx, app, change)
	if err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	if change.SlackURL != nil && *change.SlackURL == "" {
		change.SlackURL = nil
	}
	secret, err := s.sealSlackURL(ctx, a, id, change.SlackURL)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{"app": app, "environment": kind, "name": name}
	var made *ent.Alert
	err = s.transact(ctx, record{a.WorkspaceID, "alert.create", id.String(), detail}, func(tx *ent.Tx) error {
		// Of two made at once the second is counted after the first.
		env, err := tx.Environment.Query().Where(environment.AppID(app), environment.KindEQ(kind)).ForUpdate().Only(ctx)
		if err != nil {
			return readError(err, "environment")
		}
		count, err := tx.Alert.Query().Where(entalert.EnvironmentID(env.ID)).Count(ctx)
		if err := alerts.checkRoom("environment", count, err); err != nil {
			return err
		}
		create := tx.Alert.Create().SetID(id).SetEnvironmentID(env.ID).SetName(name).SetRule(rule).
			SetState(newAlertState(s.now())).SetDueAt(s.now())
		if secret != nil {
			create.SetSlackURL(secret.Shown).SetKeyID(secret.KeyID).SetSealed(secret.Sealed)
			detail["slackUrl"] = secret.Shown
		}
		made, err = create.Save(ctx)
		return alerts.explain(err)
	})
	return made, err
}

// alert finds an alert for those who may change it.
func (s *Studio) alert(ctx context.Context, id uuid.UUID) (*ent.App, *ent.Alert, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, nil, err
	}
	found, err := s.client.Alert.Query().Where(entalert.ID(id)).
		WithEnvironment(func(q *ent.EnvironmentQuery) { q.WithApp() }).Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "alert")
	}
	app := found.Edges.Environment.Edges.App
	return app, found, account.AuthorizeAppChange(ctx, ownerOf(app), "alert", account.SegmentManage)
}

// UpdateAlert renames, pauses or resumes an alert, or gives it another rule. With another rule, and when it is resumed,
// it starts anew.
func (s *Studio) UpdateAlert(ctx context.Context, id uuid.UUID, change AlertChange) (*ent.Alert, error) {
	app, changed, err := s.alert(ctx, id)
	if err != nil {
		return nil, err
	}
	name, rule, err := s.prepareAlert(ctx, app.ID, change)
	if err != nil {
		return nil, err
	}
	secret, err := s.sealSlackURL(ctx, app, id, change.SlackURL)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{"name": changed.Name}
	anew := rule != nil || change.Paused != nil && !*change.Paused && changed.Paused
	err = s.transact(ctx, record{app.WorkspaceID, "alert.update", id.String(), detail}, func(tx *ent.Tx) error {
		update := tx.Alert.UpdateOneID(id).SetNillablePaused(change.Paused)
		if name != "" {
			update.SetName(name)
			detail["name"] = name
		}
		if rule != nil {
			update.SetRule(rule)
			detail["rule"] = rule
		}
		switch {
		case secret == nil:
		case secret.Shown == "":
			update.SetSlackURL("").ClearKeyID().ClearSealed()
			detail["slackUrl"] = ""
		default:
			update.SetSlackURL(secret.Shown).SetKeyID(secret.KeyID).SetSealed(secret.Sealed)
			detail["slackUrl"] = secret.Shown
		}
		if change.Paused != nil {
			detail["paused"] = *change.Paused
		}
		if anew {
			update.SetState(newAlertState(s.now())).SetDueAt(s.now())
		}
		changed, err = update.Save(ctx)
		return alerts.explain(err)
	})
	return changed, err
}

// DeleteAlert removes an alert.
func (s *Studio) DeleteAlert(ctx context.Context, id uuid.UUID) error {
	app, found, err := s.alert(ctx, id)
	if err != nil {
		return err
	}
	return alerts.remove(ctx, s, app, id, found.Name, func(tx *ent.Tx) error {
		return tx.Alert.DeleteOneID(id).Exec(ctx)
	})
}

// refuseWatched refuses to delete what an alert of the app needs.
func refuseWatched(ctx context.Context, tx *ent.Tx, app uuid.UUID, what string, needs func(*alert.Rule) bool) error {
	found, err := tx.Alert.Query().Where(entalert.HasEnvironmentWith(environment.AppID(app))).All(ctx)
	if err != nil {
		return fmt.Errorf("read the alerts of the %s: %w", what, err)
	}
	for _, a := range found {
		var r alert.Rule
		if err := json.Unmarshal(a.Rule, &r); err != nil {
			return fmt.Errorf("read the rule of alert %s: %w", a.ID, err)
		}
		if needs(&r) {
			return fault.New(fault.Conflict, "the alert %q looks at the %s: delete it first", a.Name, what)
		}
	}
	return nil
}
