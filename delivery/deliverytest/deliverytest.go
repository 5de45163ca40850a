// Package deliverytest writes control-plane rows for tests and benchmarks of
// delivery, with the SQL that a mutation would run: every change of an app
// raises the assignment versions it must and notifies in its transaction.
package deliverytest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery/bucketing"
	"github.com/svc-dev/svc/internal/appchange"
)

// App is an app with both environments.
type App struct {
	t           testing.TB
	pool        *pgxpool.Pool
	ID          uuid.UUID
	WorkspaceID uuid.UUID
	Test, Live  AppEnvironment
}

// AppEnvironment is one half of an app, with one publishable key.
type AppEnvironment struct {
	app  *App
	ID   int64
	Kind string
	Key  string
}

// Version is a published flow version.
type Version struct {
	ID, FlowID uuid.UUID
	Number     int
}

// Arm is a variant of an experiment.
type Arm struct {
	ID      uuid.UUID
	Key     string
	Weight  int
	Version *Version
}

// Channel is a channel of an environment.
type Channel struct {
	environment AppEnvironment
	ID          int64
	PublicID    string
}

// Experiment is an experiment on a channel.
type Experiment struct {
	channel Channel
	ID      uuid.UUID
	Salt    string
	Arms    []Arm
}

// NewApp inserts a workspace with an app, its environments and a key each.
func NewApp(t testing.TB, pool *pgxpool.Pool) *App {
	app := &App{t: t, pool: pool, ID: newID(), WorkspaceID: newID()}
	app.exec("insert into workspaces (id, name) values ($1, 'Test')", app.WorkspaceID)
	app.exec(`insert into apps (id, name, allowed_origins, ignore_bots, integrations, canvas_gates, workspace_id)
		values ($1, 'App', '[]', true, '{}', '{}', $2)`, app.ID, app.WorkspaceID)
	app.Test, app.Live = app.environment("test"), app.environment("live")
	app.Notify()
	return app
}

func (a *App) environment(kind string) AppEnvironment {
	e := AppEnvironment{app: a, Kind: kind, Key: "ob_pk_" + kind + "_" + short()}
	a.scan("insert into environments (app_id, kind) values ($1, $2) returning id", []any{&e.ID}, a.ID, kind)
	a.exec("insert into publishable_keys (id, key, environment_id) values ($1, $2, $3)", newID(), e.Key, e.ID)
	return e
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

func short() string { return strings.ReplaceAll(uuid.NewString(), "-", "")[:20] }

// Exec runs statements of one mutation in a transaction that also notifies.
func (a *App) Exec(sql string, args ...any) {
	a.t.Helper()
	err := pgx.BeginFunc(a.ctx(), a.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(a.ctx(), sql, args...); err != nil {
			return err
		}
		_, err := tx.Exec(a.ctx(), appchange.NotifySQL, appchange.Of(a.ID))
		return err
	})
	require.NoError(a.t, err, sql)
}

// Notify tells catalogues that the app changed.
func (a *App) Notify() { a.t.Helper(); a.exec(appchange.NotifySQL, appchange.Of(a.ID)) }

func (a *App) exec(sql string, args ...any) {
	a.t.Helper()
	_, err := a.pool.Exec(a.ctx(), sql, args...)
	require.NoError(a.t, err, sql)
}

func (a *App) scan(sql string, into []any, args ...any) {
	a.t.Helper()
	require.NoError(a.t, a.pool.QueryRow(a.ctx(), sql, args...).Scan(into...), sql)
}

// ctx is not the test's: rows are also written while a test is being cleaned up.
func (a *App) ctx() context.Context { return context.Background() }

// Bump raises the assignment version of all channels: what a change of branding,
// integrations or plan does (wire.md §3.7).
func (a *App) Bump() {
	a.t.Helper()
	a.Exec(`update channels set assignment_version = assignment_version + 1
		where environment_id in (select id from environments where app_id = $1)`, a.ID)
}

// Manifest returns the smallest manifest that says which version it is. Padding adds
// a text of about that many bytes.
func Manifest(flow uuid.UUID, number, padding int) string {
	return fmt.Sprintf(`{"defaultLocale":"en","entryScreenId":"scr_a","flowId":%q,"locales":["en"],"schemaVersion":7,`+
		`"screens":[{"id":"scr_a","name":"A","next":{"default":null},`+
		`"regions":{"body":{"children":[{"id":"lyr_t","kind":"text","text":{"default":%q}}],`+
		`"direction":"vertical","id":"lyr_b","kind":"stack"}}}],"version":%d}`,
		flow, "Version "+strings.Repeat("lorem ipsum ", padding/12), number)
}

// Publish inserts a new flow with one version.
func (a *App) Publish() *Version { return a.PublishManifest("", 0) }

// PublishManifest inserts a new flow with one version of the given manifest; ""
// is a small one with the given padding.
func (a *App) PublishManifest(text string, padding int) *Version {
	a.t.Helper()
	v := &Version{ID: newID(), FlowID: newID(), Number: 1}
	if text == "" {
		text = Manifest(v.FlowID, v.Number, padding)
	}
	a.exec("insert into flows (id, name, draft, updated_at, app_id) values ($1, 'Flow', '{}', now(), $2)", v.FlowID, a.ID)
	a.exec(
		"insert into flow_versions (id, number, manifest, checksum, flow_id) values ($1, $2, $3, '', $4)", v.ID, v.Number,
		[]byte(text), v.FlowID,
	)
	return v
}

// Channel inserts a channel that serves nothing.
func (e AppEnvironment) Channel() Channel {
	e.app.t.Helper()
	c := Channel{environment: e, PublicID: "ch_" + e.Kind + "_" + short()}
	e.app.scan("insert into channels (public_id, name, updated_at, environment_id) values ($1, 'Channel', now(), $2) "+
		"returning id",
		[]any{&c.ID}, c.PublicID, e.ID)
	e.app.Notify()
	return c
}

// Pinned inserts a channel that serves a version.
func (e AppEnvironment) Pinned(v *Version) Channel {
	c := e.Channel()
	c.Pin(v)
	return c
}

// Revoke revokes the environment's key.
func (e AppEnvironment) Revoke() {
	e.app.Exec("update publishable_keys set revoked_at = now() where key = $1", e.Key)
}

// Pin assigns a version.
func (c Channel) Pin(v *Version) {
	c.environment.app.t.Helper()
	c.environment.app.Exec(`update channels set assignment = 'direct', flow_version_id = $2, experiment_id = null,
		assignment_version = assignment_version + 1 where id = $1`, c.ID, v.ID)
}

// Record writes the channel's assignment into its history, begun at a time.
func (c Channel) Record(at time.Time) {
	c.environment.app.t.Helper()
	c.environment.app.Exec(`insert into assignments (channel_id, assignment_version, assignment, flow_version_id,
		experiment_id, reason, created_at)
		select id, assignment_version, assignment, flow_version_id, experiment_id, 'pin', $2 from channels
		where id = $1`, c.ID, at)
}

// Unpin assigns nothing.
func (c Channel) Unpin() {
	c.environment.app.Exec(`update channels set assignment = 'none', flow_version_id = null, experiment_id = null,
		assignment_version = assignment_version + 1 where id = $1`, c.ID)
}

// Archive archives the channel.
func (c Channel) Archive() {
	c.environment.app.Exec("update channels set archived_at = $2 where id = $1", c.ID, time.Now())
}

// Experiment assigns a new experiment with the given status and arms, whose ids
// it fills in.
func (c Channel) Experiment(status string, arms ...Arm) *Experiment {
	app := c.environment.app
	app.t.Helper()
	x := &Experiment{channel: c, ID: newID(), Salt: short(), Arms: arms}
	app.exec("insert into experiments (id, name, salt, status, updated_at, channel_id) values ($1, 'Experiment', $2, "+
		"$3, now(), $4)",
		x.ID, x.Salt, status, c.ID)
	for i := range x.Arms {
		arm := &x.Arms[i]
		arm.ID = newID()
		var version *uuid.UUID
		if arm.Version != nil {
			version = &arm.Version.ID
		}
		app.exec("insert into variants (id, key, position, weight, experiment_id, flow_version_id) values ($1, $2, $3, "+
			"$4, $5, $6)",
			arm.ID, arm.Key, i, arm.Weight, x.ID, version)
	}
	app.Exec(`update channels set assignment = 'experiment', flow_version_id = null, experiment_id = $2,
		assignment_version = assignment_version + 1 where id = $1`, c.ID, x.ID)
	return x
}

// Status moves the experiment on, as its life cycle does.
func (x *Experiment) Status(status string) {
	x.channel.environment.app.exec("update experiments set status = $2 where id = $1", x.ID, status)
	x.channel.environment.app.Exec(
		"update channels set assignment_version = assignment_version + 1 where id = $1", x.channel.ID,
	)
}

// SplitByCustomUserID makes the experiment one that is split by custom user id.
func (x *Experiment) SplitByCustomUserID() {
	x.channel.environment.app.Exec("update experiments set split_by = 'custom_user_id' where id = $1", x.ID)
}

// Expected returns the arm that a person is in.
func (x *Experiment) Expected(appUserID string) Arm {
	var weights []int
	for _, arm := range x.Arms {
		weights = append(weights, arm.Weight)
	}
	return x.Arms[bucketing.ChooseArm(x.ID.String(), x.Salt, appUserID, weights)]
}
