package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/studio"
	"github.com/svc-dev/svc/studio/media"
)

// world is a studio on a fresh database, with a workspace and an app.
type world struct {
	*studio.Studio
	t         *testing.T
	db        *postgres.DB
	accounts  *account.Accounts
	now       time.Time
	workspace uuid.UUID
	app       *ent.App
	owner     context.Context // of somebody who may do everything
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	ctx, quiet := context.Background(), slog.New(slog.DiscardHandler)
	w := &world{t: t, db: pgtest.New(t), now: time.Now().UTC().Truncate(time.Second)}
	files, err := media.NewDirectory(t.TempDir())
	require.NoError(t, err)
	catalogue := delivery.New(w.db.Pool, delivery.Options{MediaBase: "http://svc.test", Logger: quiet})
	ring, err := seal.NewRing(seal.Key{ID: "test", Secret: bytes.Repeat([]byte{7}, seal.KeySize)})
	require.NoError(t, err)
	w.Studio = studio.New(w.db.Ent(), studio.Options{
		Delivery: catalogue, Media: files, Privacy: privacy.New(w.db), Logger: quiet, Now: func() time.Time { return w.now },
		Books: revenue.New(w.db.Pool, revenue.Options{}), Ring: ring, Notifications: w.db.Pool,
	})
	w.accounts = account.New(w.db.Ent(), w.db.Pool, account.Options{Logger: quiet})
	_, err = w.accounts.Bootstrap(ctx, "owner@example.com", "correct horse", "Acme")
	require.NoError(t, err)
	w.workspace = w.db.Ent().Workspace.Query().OnlyIDX(ctx)
	w.owner = w.as("owner@example.com")
	w.app = made(w.CreateApp(w.owner, w.workspace, " Shop "))(t)
	return w
}

// as returns the context of a person.
func (w *world) as(email string) context.Context {
	w.t.Helper()
	person, err := w.accounts.PrincipalOf(context.Background(), email)
	require.NoError(w.t, err)
	return account.With(context.Background(), person)
}

// viewer returns the context of a member who may only look.
func (w *world) viewer() context.Context {
	w.t.Helper()
	return w.member("viewer@example.com", membership.RoleViewer)
}

// member returns the context of somebody with a role in the workspace.
func (w *world) member(email string, role membership.Role) context.Context {
	w.t.Helper()
	ctx := context.Background()
	person := w.db.Ent().User.Create().SetEmail(email).SetPasswordHash("x").SaveX(ctx)
	w.db.Ent().Membership.Create().SetUserID(person.ID).SetWorkspaceID(w.workspace).SetRole(role).ExecX(ctx)
	return w.as(email)
}

// stranger returns the context of the owner of another workspace.
func (w *world) stranger() context.Context {
	w.t.Helper()
	ctx := context.Background()
	person := w.db.Ent().User.Create().SetEmail("stranger@example.com").SetPasswordHash("x").SaveX(ctx)
	elsewhere := w.db.Ent().Workspace.Create().SetName("Elsewhere").SaveX(ctx)
	w.db.Ent().Membership.Create().SetUserID(person.ID).SetWorkspaceID(elsewhere.ID).
		SetRole(membership.RoleOwner).ExecX(ctx)
	return w.as("stranger@example.com")
}

// plan puts the workspace on a plan with these features and limits.
func (w *world) plan(key string, features []string, limits map[string]int64) {
	w.t.Helper()
	w.db.Ent().Plan.Create().SetID(key).SetName(key).SetFeatures(features).SetLimits(limits).ExecX(context.Background())
	operator := account.With(context.Background(), account.Operator())
	_, err := w.ChangeSubscription(operator, studio.SubscriptionChange{WorkspaceID: w.workspace, Plan: &key})
	require.NoError(w.t, err)
}

// publishable is a manifest that passes the gates.
const publishable = `{"flowId":"00000000-0000-0000-0000-000000000000","schemaVersion":7,"version":1,"defaultLocale":"en","locales":["en"],
	"entryScreenId":"scr_a","screens":[{"id":"scr_a","name":"A","regions":{"body":{"id":"lyr_a","kind":"stack","direction":"vertical","children":[
		{"id":"lyr_b","kind":"button","variant":"primary","action":{"kind":"continue"},"children":[]}]}},"next":{"default":null}}]}`

// published makes a flow with one version.
func (w *world) published(app uuid.UUID) (*ent.Flow, *ent.FlowVersion) {
	w.t.Helper()
	flow := made(w.CreateFlow(w.owner, app, "Flow", json.RawMessage(publishable)))(w.t)
	return flow, made(w.Publish(w.owner, flow.ID, "First"))(w.t).Version
}

func (w *world) channel() *ent.Channel {
	w.t.Helper()
	return made(w.CreateChannel(w.owner, w.app.ID, studio.Live, "Main"))(w.t)
}

// made returns what a use case made.
func made[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		require.NoError(t, err)
		return value
	}
}

// refused requires an error with a code that names the field; "" for one of no field.
func refused(t *testing.T, err error, code fault.Code, field string) {
	t.Helper()
	require.Error(t, err)
	var known *fault.Error
	require.ErrorAs(t, err, &known)
	require.Equal(t, code, known.Code, err)
	require.Equal(t, field, known.Field, err)
}

func long(n int) string { return strings.Repeat("ä", n) }

func ptr[T any](value T) *T { return &value }

func png(content string) *bytes.Reader { return bytes.NewReader([]byte("\x89PNG\r\n\x1a\n" + content)) }

func readerOf(content string) *strings.Reader { return strings.NewReader(content) }
