package automation_test

import (
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
)

// otherApp makes another app on the world's servers, with an endpoint to the same receiver and an automation that sends
// for every cart_abandoned.
func (w *world) otherApp() *world {
	w.t.Helper()
	return w.appOf(w.db.Ent().Workspace.Query().OnlyIDX(w.owner))
}

// inAnotherWorkspace makes such an app in a workspace of its own.
func (w *world) inAnotherWorkspace() *world {
	w.t.Helper()
	accounts := account.New(w.db.Ent(), w.db.Pool, account.Options{Logger: quiet})
	made, err := accounts.CreateWorkspace(w.owner, "Elsewhere")
	require.NoError(w.t, err)
	owner, err := accounts.PrincipalOf(w.owner, "owner@example.com")
	require.NoError(w.t, err)
	other := *w
	other.owner = account.With(w.t.Context(), owner)
	return other.appOf(made.ID)
}

func (w *world) appOf(workspace uuid.UUID) *world {
	w.t.Helper()
	ctx := w.owner
	other := *w
	app, err := w.studio.CreateApp(ctx, workspace, "Other")
	require.NoError(w.t, err)
	other.app = app.ID
	other.environment = w.db.Ent().Environment.Query().
		Where(environment.AppID(app.ID), environment.KindEQ("live")).OnlyIDX(ctx)
	made, err := w.CreateEndpoint(ctx, app.ID, "live", "Receiver", w.receiver.URL)
	require.NoError(w.t, err)
	other.endpoint = made.Endpoint.ID
	other.define(`{"trigger": {"type": "event", "event": "cart_abandoned", "reentry": "always"}, "nodes": [
		{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "x"}]}`)
	return &other
}
