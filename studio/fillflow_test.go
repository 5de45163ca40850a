package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

// screensOf counts the screens of a flow's draft.
func (w *world) screensOf(ctx context.Context, flow uuid.UUID) int {
	w.t.Helper()
	var draft struct{ Screens []json.RawMessage }
	require.NoError(w.t, json.Unmarshal(made(w.OpenDraft(ctx, flow))(w.t).Document, &draft))
	return len(draft.Screens)
}

func TestAFlowWithoutScreensIsFilled(t *testing.T) {
	w := newWorld(t)
	source, picture := w.branded()
	file := w.exported(w.owner, source.ID)
	owner, app := w.elsewhere()
	for what, from := range map[string]studio.FlowContent{
		"a manifest": {Manifest: json.RawMessage(publishable)},
		"a template": {Template: &studio.FromTemplate{ID: "three-plans"}},
		"a file":     {File: bytes.NewReader(file)},
	} {
		flow := made(w.CreateFlow(owner, app.ID, what, nil))(t)
		filled := made(w.FillFlow(owner, flow.ID, from))(t)
		require.Equal(t, flow.ID, filled.Flow.ID, what)
		require.Equal(t, 2, filled.Flow.DraftRevision, what)
		require.Positive(t, w.screensOf(owner, flow.ID), what)
		history := made(w.ListHistory(owner, flow.ID, nil, 10))(t)
		require.Len(t, history, 1, what)
		if from.File != nil {
			require.Equal(t, []string{"Grotesk"}, filled.FontsAdded)
			require.Equal(t, []studio.MissingPart{{Kind: studio.GradientPart, Name: "Dusk"}}, filled.Missing)
			require.NotContains(t, string(made(w.OpenDraft(owner, flow.ID))(t).Document), picture.ID.String())
		}
		// What is filled is not filled again, and going back empties it.
		_, err := w.FillFlow(owner, flow.ID, studio.FlowContent{Manifest: json.RawMessage(publishable)})
		refused(t, err, fault.Conflict, "")
		made(w.RestoreDraft(owner, studio.Restore{FlowID: flow.ID, Revision: 1}))(t)
		require.Zero(t, w.screensOf(owner, flow.ID), what)
	}
}

func TestWhatAFlowIsNotFilledWith(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Empty", nil))(t)
	manifest := studio.FlowContent{Manifest: json.RawMessage(publishable)}
	template := func(from studio.FromTemplate) studio.FlowContent { return studio.FlowContent{Template: &from} }
	name := strings.Repeat("x", 81)
	for _, wrong := range []struct {
		from  studio.FlowContent
		field string
	}{
		{studio.FlowContent{}, "manifest"},
		{studio.FlowContent{Manifest: manifest.Manifest, File: unread{}}, "manifest"},
		{studio.FlowContent{Manifest: json.RawMessage(`{"screens": 1}`)}, "manifest"},
		{studio.FlowContent{Manifest: json.RawMessage(`[]`)}, "manifest"},
		{template(studio.FromTemplate{ID: "none"}), "template.id"},
		{template(studio.FromTemplate{ID: "three-plans", AppName: &name}), "template.appName"},
		{studio.FlowContent{File: strings.NewReader("no zip")}, "file"},
	} {
		_, err := w.FillFlow(w.owner, flow.ID, wrong.from)
		refused(t, err, fault.InvalidInput, wrong.field)
	}
	_, err := w.FillFlow(w.viewer(), flow.ID, studio.FlowContent{File: unread{}})
	refused(t, err, fault.Forbidden, "")
	_, err = w.FillFlow(w.stranger(), flow.ID, studio.FlowContent{File: unread{}})
	refused(t, err, fault.NotFound, "")
	require.Zero(t, w.screensOf(w.owner, flow.ID))
	require.Equal(t, 1, made(w.OpenDraft(w.owner, flow.ID))(t).Revision)
	made(w.ArchiveFlow(w.owner, flow.ID))(t)
	_, err = w.FillFlow(w.owner, flow.ID, manifest)
	refused(t, err, fault.Conflict, "")
}
