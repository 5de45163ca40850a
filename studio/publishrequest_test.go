package studio_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

func TestWhoAsksToPublish(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	request := func() *studio.PublishRequest {
		t.Helper()
		stored := made(w.db.Ent().Flow.Query().Where(entflow.ID(flow.ID)).Only(t.Context()))(t)
		return made(studio.PublishRequestOf(stored))(t)
	}
	_, err := w.RequestPublish(w.viewer(), flow.ID, 1, "", "")
	refused(t, err, fault.Forbidden, "")
	_, err = w.RequestPublish(w.stranger(), flow.ID, 1, "", "")
	refused(t, err, fault.NotFound, "")
	_, err = w.RequestPublish(context.Background(), flow.ID, 1, "", "")
	require.Error(t, err)

	editor := w.member("editor@example.com", membership.RoleEditor)
	_, err = w.RequestPublish(editor, flow.ID, 1, long(121), "")
	refused(t, err, fault.InvalidInput, "label")
	_, err = w.RequestPublish(editor, flow.ID, 1, "", long(1001))
	refused(t, err, fault.InvalidInput, "text")
	_, err = w.RequestPublish(editor, flow.ID, 2, "", "")
	refused(t, err, fault.Conflict, "revision")
	blank := made(w.CreateFlow(w.owner, w.app.ID, "Blank", nil))(t)
	_, err = w.RequestPublish(editor, blank.ID, 1, "", "")
	refused(t, err, fault.PublishBlocked, "")
	require.Nil(t, request(), "what was refused asks for nothing")

	made(w.RequestPublish(editor, flow.ID, 1, " Shorter ", " Half leave. "))(t)
	asked := request()
	require.Equal(t, []any{1, "Shorter", "Half leave.", ""}, []any{asked.Revision, asked.Label, asked.Text, asked.KeyName})
	require.Equal(t, made(account.From(editor))(t).UserID, asked.UserID)
	require.True(t, asked.CreatedAt.Equal(w.now))
	require.Zero(t, made(w.db.Ent().FlowVersion.Query().Count(t.Context()))(t), "nothing is published")

	_, err = w.DeclinePublish(w.as("viewer@example.com"), flow.ID)
	refused(t, err, fault.Forbidden, "")
	_, err = w.DeclinePublish(w.as("stranger@example.com"), flow.ID)
	refused(t, err, fault.NotFound, "")
	for range 2 { // the second time there is none
		made(w.DeclinePublish(editor, flow.ID))(t)
		require.Nil(t, request())
	}

	made(w.RequestPublish(editor, flow.ID, 1, "First", ""))(t)
	made(w.RequestPublish(w.owner, flow.ID, 1, "Second", ""))(t)
	require.Equal(t, "Second", request().Label, "the newest stands")
	made(w.Publish(w.owner, flow.ID, ""))(t)
	require.Nil(t, request(), "publishing answers the request")
}

func TestAStoredRequestThatCanNotBeRead(t *testing.T) {
	t.Parallel()
	_, err := studio.PublishRequestOf(&ent.Flow{PublishRequest: json.RawMessage(`{"revision":"x"}`)})
	require.ErrorContains(t, err, "read the request of flow")
}
