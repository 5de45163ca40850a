package automation_test

import (
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/environment"
)

// otherApp makes another app on the world's servers, with an endpoint to the same receiver and an automation that sends
// for every cart_abandoned.
func (w *world) otherApp() *world {
	w.t.Helper()
	ctx := w.owner
	other := *w
	app, err := w.studio.CreateApp(ctx, w.db.Ent().Workspace.Query().OnlyIDX(ctx), "Other")
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
