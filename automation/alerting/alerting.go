// Package alerting looks at the metrics that alerts watch, on the frames of the report engine, and posts when one fires
// and when it resolves.
//
// Where an alert stands is stored with it, and in one transaction with what is posted: several servers may look at
// once, and one may end at any time, without anything being told twice or not at all.
package alerting

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/automation/slack"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/seal"
)

// Reports evaluate scopes.
type Reports interface {
	Select(
		ctx context.Context, environmentID int64, scope analytics.Scope, withPrevious, withRuns bool, now time.Time,
	) (*report.Selection, error)
	// Guard calls what reads a selection, whose files may turn out to be damaged.
	Guard(read func() error) error
}

// Studio reads what rules name.
type Studio interface {
	Goals(ctx context.Context, app uuid.UUID) ([]analytics.Goal, error)
	Audience(ctx context.Context, app, id uuid.UUID, field string) (*analytics.Segment, error)
}

// Alerting looks at the alerts of a database.
type Alerting struct {
	Pool    *pgxpool.Pool
	Reports Reports
	Studio  Studio
	// Poster and Ring post to Slack; BaseURL is where messages link to.
	Poster  slack.Poster
	Ring    *seal.Ring
	BaseURL string
	Now     func() time.Time // nil means time.Now
	Logger  *slog.Logger     // nil means slog.Default()
}

const (
	// settle is how long after the end of an hour or a day its events may still arrive before it is judged.
	settle = 2 * time.Minute
	// atOnce is how many alerts one call looks at: other tasks of the server that leads wait for it.
	atOnce = 50
	// mostMissed is how many hours or days an alert catches up on after nothing looked at it.
	mostMissed = alert.MaxOf
)

func (a *Alerting) now() time.Time {
	if a.Now == nil {
		return time.Now().UTC()
	}
	return a.Now().UTC()
}

func (a *Alerting) log() *slog.Logger {
	if a.Logger == nil {
		return slog.Default()
	}
	return a.Logger
}

// watched is an alert as it is stored.
type watched struct {
	ID          uuid.UUID
	Name        string
	RuleJSON    []byte
	StateJSON   []byte
	UpdatedAt   time.Time
	Environment int64
	Kind        environment.Kind
	App         uuid.UUID
	AppName     string
	Workspace   uuid.UUID
	Lapse       int  // minutes
	ToSlack     bool // has a webhook

	rule  alert.Rule
	state alert.State
}

const dueSQL = `
	select l.id, l.name, l.rule, l.state, l.updated_at, e.id, e.kind, a.id, a.name, a.workspace_id, a.lapse_minutes,
		l.key_id is not null
	from alerts l
	join environments e on e.id = l.environment_id
	join apps a on a.id = e.app_id
	where l.due_at <= $1 and not l.paused and a.archived_at is null and (l.environment_id, l.id) > ($2, $3)
	order by l.environment_id, l.id limit $4`

// Look returns a look at all alerts whose time has come, some with every call, until more is false.
func (a *Alerting) Look() func(ctx context.Context) (more bool, err error) {
	l := &look{Alerting: a, now: a.now()}
	return l.next
}

// look is one over all alerts that are due at its begin.
type look struct {
	*Alerting
	now         time.Time
	environment int64 // that of the last alert that was looked at, and its id
	id          uuid.UUID
	failed      bool
}

func (l *look) next(ctx context.Context) (more bool, err error) {
	rows, err := l.Pool.Query(ctx, dueSQL, l.now, l.environment, l.id, atOnce)
	if err != nil {
		return false, fmt.Errorf("look for alerts that are due: %w", err)
	}
	due, err := pgx.CollectRows(rows, scanWatched)
	if err != nil {
		return false, fmt.Errorf("look for alerts that are due: %w", err)
	}
	shared := newShared(l.Reports, l.now)
	for _, w := range due {
		l.environment, l.id = w.Environment, w.ID
		// One that can't be looked at keeps nobody from looking at the others. What is wrong with one is mostly so with
		// all: the log says it once.
		if err := l.watch(ctx, shared, w); err != nil && !l.failed {
			l.failed = true
			l.log().WarnContext(ctx, "looking at an alert failed", "alert", w.ID, "error", err)
		}
	}
	return len(due) == atOnce, nil
}

func scanWatched(row pgx.CollectableRow) (*watched, error) {
	w := &watched{}
	err := row.Scan(&w.ID, &w.Name, &w.RuleJSON, &w.StateJSON, &w.UpdatedAt, &w.Environment, &w.Kind, &w.App, &w.AppName,
		&w.Workspace, &w.Lapse, &w.ToSlack)
	return w, err
}

// watch brings an alert up to date, and posts what that leads to.
func (l *look) watch(ctx context.Context, shared *shared, w *watched) error {
	if err := json.Unmarshal(w.RuleJSON, &w.rule); err != nil {
		return fmt.Errorf("read the rule: %w", err)
	}
	if err := json.Unmarshal(w.StateJSON, &w.state); err != nil {
		return fmt.Errorf("read where it stands: %w", err)
	}
	var due time.Time
	err := l.Reports.Guard(func() (err error) {
		due, err = l.step(ctx, shared, w)
		return err
	})
	if err != nil {
		return err
	}
	state, tell := w.state.Tell(&w.rule, l.now)
	if w.state = state; state.Told != state.Firing { // until quiet hours end
		due = earlier(due, l.now.Add(time.Minute))
	}
	return l.store(ctx, w, due, tell)
}

// step judges what has come since the alert was last looked at, and returns when there is more to judge.
func (l *look) step(ctx context.Context, shared *shared, w *watched) (due time.Time, err error) {
	if w.rule.Condition.Silent != nil {
		return l.stepSilence(ctx, shared, w)
	}
	values, err := l.newReader(ctx, shared, w)
	if err != nil {
		return due, err
	}
	ends, err := analytics.Buckets(w.rule.Unit(), l.oldest(w), l.now, w.rule.Location())
	if err != nil {
		return due, err
	}
	for i, end := range ends[1:] {
		due = end.Add(settle)
		if due.After(l.now) {
			break
		}
		j := w.rule.Judge(ends[i], values.at)
		if values.err != nil {
			return due, values.err
		}
		w.state = w.state.Step(&w.rule, j, end)
	}
	if !due.After(l.now) { // now is a bound of the buckets
		due = l.now.Add(settle)
	}
	return due, nil
}

// oldest returns the start of the first hour or day that an alert is to judge.
func (l *look) oldest(w *watched) time.Time {
	unit := time.Hour
	if w.rule.Unit() == analytics.Day {
		unit = 24 * time.Hour
	}
	if missed := l.now.Add(-mostMissed * unit); w.state.Judged.Before(missed) {
		return missed
	}
	return w.state.Judged
}

func (l *look) stepSilence(ctx context.Context, shared *shared, w *watched) (due time.Time, err error) {
	now := l.now.Truncate(time.Minute)
	silence := time.Duration(w.rule.Condition.Silent.Minutes) * time.Minute
	start := now.Add(-alert.MaxSilence*time.Minute - silence)
	scope, err := l.scopeOf(ctx, w)
	if err != nil {
		return due, err
	}
	active, err := shared.minutes(ctx, w.Environment, scope, start, now)
	if err != nil {
		return due, err
	}
	var last time.Time
	for i, came := range active {
		if came {
			last = start.Add(time.Duration(i) * time.Minute)
		}
	}
	w.state = w.state.StepSilence(&w.rule, last, now)
	// Nothing is silent before so many minutes have passed since the last event.
	if due = last.Add(time.Minute + silence); w.state.Firing || due.Before(l.now) {
		due = l.now.Add(time.Minute)
	}
	return due, nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// store keeps where an alert stands and posts what members are told, both or neither. An alert that somebody changed
// meanwhile, or another server looked at, is left alone.
func (l *look) store(ctx context.Context, w *watched, due time.Time, tell bool) error {
	state, err := json.Marshal(w.state)
	if err != nil {
		return fmt.Errorf("write where the alert stands: %w", err)
	}
	return pgx.BeginFunc(ctx, l.Pool, func(tx pgx.Tx) error {
		stored, err := tx.Exec(ctx, `
			update alerts set state = $2, due_at = $3
			where id = $1 and updated_at = $4 and state = $5::jsonb and not paused`,
			w.ID, state, due, w.UpdatedAt, w.StateJSON)
		if err != nil {
			return fmt.Errorf("store where the alert stands: %w", err)
		}
		if !tell || stored.RowsAffected() == 0 {
			return nil
		}
		n := w.notification()
		if err := notification.Post(ctx, tx, n); err != nil || !w.ToSlack {
			return err
		}
		return addToSlack(ctx, tx, n)
	})
}
