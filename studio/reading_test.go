package studio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

func TestNotesStandOnTheChartsOfAnEnvironment(t *testing.T) {
	w := newWorld(t)
	note := made(w.CreateNote(w.owner, w.app.ID, environment.KindLive, w.now, "  Price doubled "))(t)
	require.Equal(t, "Price doubled", note.Text)
	earlier := w.now.Add(-24 * time.Hour)
	changed := made(w.UpdateNote(w.owner, note.ID, studio.NoteChange{At: &earlier}))(t)
	require.Equal(t, "Price doubled", changed.Text, "what is not named stays")
	require.True(t, changed.At.Equal(earlier))
	changed = made(w.UpdateNote(w.owner, note.ID, studio.NoteChange{Text: ptr(" Price halved ")}))(t)
	require.Equal(t, "Price halved", changed.Text)

	for field, change := range map[string]studio.NoteChange{
		"at": {At: ptr(time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC))}, "text": {Text: ptr(" ")},
	} {
		_, err := w.UpdateNote(w.owner, note.ID, change)
		refused(t, err, fault.InvalidInput, field)
	}
	_, err := w.CreateNote(w.owner, w.app.ID, environment.KindLive, w.now.AddDate(1, 0, 1), "Too late")
	refused(t, err, fault.InvalidInput, "at")
	for _, text := range []string{"", "a\x00b", long(281)} {
		_, err := w.CreateNote(w.owner, w.app.ID, environment.KindLive, w.now, text)
		refused(t, err, fault.InvalidInput, "text")
	}
	made(w.CreateNote(w.owner, w.app.ID, environment.KindLive, w.now, long(280)))(t)
	require.NoError(t, w.DeleteNote(w.owner, note.ID))
	refused(t, w.DeleteNote(w.owner, note.ID), fault.NotFound, "")
}

func TestNotesAreBounded(t *testing.T) {
	w := newWorld(t)
	test := w.db.Ent().Environment.Query().
		Where(environment.AppID(w.app.ID), environment.KindEQ(environment.KindTest)).OnlyX(w.owner)
	_, err := w.db.Pool.Exec(w.owner, `
		insert into notes (id, environment_id, user_id, at, text, updated_at)
		select gen_random_uuid(), $1, (select id from users limit 1), now(), 'x', now() from generate_series(1, 1000)`,
		test.ID)
	require.NoError(t, err)
	_, err = w.CreateNote(w.owner, w.app.ID, environment.KindTest, w.now, "One more")
	refused(t, err, fault.InvalidInput, "environment")
	made(w.CreateNote(w.owner, w.app.ID, environment.KindLive, w.now, "Of the other environment"))(t)
}

func TestNotesAreChangedByWhoWroteThemAndByAdministrators(t *testing.T) {
	w := newWorld(t)
	editor, viewer, stranger := w.member("editor@example.com", membership.RoleEditor), w.viewer(), w.stranger()
	of := made(w.CreateNote(w.owner, w.app.ID, environment.KindLive, w.now, "Of the owner"))(t)
	own := made(w.CreateNote(editor, w.app.ID, environment.KindLive, w.now, "Of the editor"))(t)
	change := studio.NoteChange{Text: ptr("Changed")}
	for who, ctx := range map[string]context.Context{"editor": editor, "viewer": viewer} {
		_, err := w.UpdateNote(ctx, of.ID, change)
		require.Error(t, err, who)
		refused(t, w.DeleteNote(ctx, of.ID), fault.Forbidden, "")
	}
	refused(t, w.DeleteNote(stranger, of.ID), fault.NotFound, "")
	_, err := w.CreateNote(viewer, w.app.ID, environment.KindLive, w.now, "Of a viewer")
	refused(t, err, fault.Forbidden, "")
	made(w.UpdateNote(editor, own.ID, change))(t)
	made(w.UpdateNote(w.owner, own.ID, change))(t)
	require.NoError(t, w.DeleteNote(w.owner, own.ID))
}

func TestViewsKeepAScope(t *testing.T) {
	w := newWorld(t)
	segment := made(w.CreateSegment(w.owner, w.app.ID, studio.SegmentChange{Name: ptr("People")}))(t)
	scope := studio.ViewScope{
		Period: "CUSTOM", From: "2026-01-01", To: "2026-01-31", Comparison: "SEGMENT", Against: segment.ID.String(),
		SegmentID: &segment.ID,
	}
	view := made(w.CreateSavedView(w.owner, w.app.ID, studio.ViewChange{Name: ptr(" January "), Scope: &scope}))(t)
	require.Equal(t, "January", view.Name)
	var kept studio.ViewScope
	require.NoError(t, json.Unmarshal(view.Scope, &kept))
	require.Equal(t, scope, kept)

	_, err := w.CreateSavedView(w.owner, w.app.ID, studio.ViewChange{Name: ptr("January"), Scope: &scope})
	refused(t, err, fault.InvalidInput, "name")
	renamed := made(w.UpdateSavedView(w.owner, view.ID, studio.ViewChange{Name: ptr("First month")}))(t)
	require.JSONEq(t, string(view.Scope), string(renamed.Scope), "what is not named stays")
	week := studio.ViewScope{Period: "DAY_7", Comparison: "NONE"}
	changed := made(w.UpdateSavedView(w.owner, view.ID, studio.ViewChange{Scope: &week}))(t)
	require.Equal(t, "First month", changed.Name)
	require.NoError(t, json.Unmarshal(changed.Scope, &kept))
	require.Equal(t, "DAY_7", kept.Period)

	elsewhere := uuid.New()
	for field, wrong := range map[string]studio.ViewScope{
		"scope.from":      {Period: "DAY_7", From: "2026-01-01", Comparison: "NONE"},
		"scope.to":        {Period: "CUSTOM", From: "2026-01-01", To: "tomorrow", Comparison: "NONE"},
		"scope.against":   {Period: "DAY_7", Comparison: "ARM"},
		"scope.timeZone":  {Period: "DAY_7", Comparison: "NONE", TimeZone: "Mars/Olympus"},
		"scope.segmentId": {Period: "DAY_7", Comparison: "NONE", SegmentID: &elsewhere},
	} {
		_, err := w.UpdateSavedView(w.owner, view.ID, studio.ViewChange{Scope: &wrong})
		refused(t, err, fault.InvalidInput, field)
	}
	_, err = w.UpdateSavedView(w.owner, view.ID, studio.ViewChange{
		Scope: &studio.ViewScope{Period: "DAY_7", Comparison: "NONE", Against: "x"},
	})
	refused(t, err, fault.InvalidInput, "scope.against")
	_, err = w.UpdateSavedView(w.owner, view.ID, studio.ViewChange{
		Scope: &studio.ViewScope{Period: "DAY_7", Comparison: "NONE", Cross: map[string]studio.RuleFilter{
			"os": {Op: "CONTAINS", Values: []string{"i"}},
		}},
	})
	require.Error(t, err, "an operator of texts")
	_, err = w.UpdateSavedView(w.owner, view.ID, studio.ViewChange{Name: ptr(" ")})
	refused(t, err, fault.InvalidInput, "name")

	viewer, stranger := w.viewer(), w.stranger()
	refused(t, w.DeleteSavedView(viewer, view.ID), fault.Forbidden, "")
	refused(t, w.DeleteSavedView(stranger, view.ID), fault.NotFound, "")
	require.NoError(t, w.DeleteSavedView(w.owner, view.ID))
	_, err = w.UpdateSavedView(w.owner, view.ID, studio.ViewChange{Name: ptr("Gone")})
	refused(t, err, fault.NotFound, "")
}

func TestViewsAreBounded(t *testing.T) {
	w := newWorld(t)
	_, err := w.db.Pool.Exec(w.owner, `
		insert into saved_views (id, app_id, name, scope, updated_at)
		select gen_random_uuid(), $1, 'View ' || n, '{}', now() from generate_series(1, 200) n`, w.app.ID)
	require.NoError(t, err)
	_, err = w.CreateSavedView(w.owner, w.app.ID, studio.ViewChange{
		Name: ptr("One more"), Scope: &studio.ViewScope{Period: "DAY_7", Comparison: "NONE"},
	})
	refused(t, err, fault.InvalidInput, "appId")
}

func TestMarksTellWhatWasChanged(t *testing.T) {
	w := newWorld(t)
	flow, version := w.published(w.app.ID)
	live := w.channel()
	made(w.Pin(w.owner, live.PublicID, version.ID))(t)
	test := made(w.CreateChannel(w.owner, w.app.ID, studio.Test, "Trial"))(t)
	made(w.Pin(w.owner, test.PublicID, version.ID))(t)
	made(w.Unassign(w.owner, live.PublicID))(t)
	other := made(w.CreateApp(w.owner, w.workspace, "Other"))(t)
	w.published(other.ID)
	about, err := json.Marshal(map[string]any{"appId": w.app.ID, "environment": "live"})
	require.NoError(t, err)
	_, err = w.db.Pool.Exec(w.owner, `
		insert into notification (id, workspace_id, kind, key, severity, title, body, about)
		values (gen_random_uuid(), $1, 'ingest_refused', 'x', 'warning', 'Refused', 'Many', $2)`, w.workspace, about)
	require.NoError(t, err)

	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	said := func(kind environment.Kind, from, to time.Time) (said []string) {
		for _, mark := range made(w.Marks(w.owner, w.workspace, w.app.ID, kind, from, to))(t) {
			said = append(said, fmt.Sprint(mark.Kind, " ", mark.Name))
			require.Equal(t, mark.Kind == studio.IngestRefused, mark.UserID == nil)
		}
		return said
	}
	require.Equal(t, []string{
		"ingest_refused Shop", "channel.unassign Main", "channel.pin Main", "flow.publish " + flow.Name,
	}, said(environment.KindLive, from, to), "the latest first, of no other app and environment")
	require.Equal(t, []string{"channel.pin Trial", "flow.publish " + flow.Name}, said(environment.KindTest, from, to))
	require.Empty(t, said(environment.KindLive, from.Add(-time.Hour), from))
}

func TestUsesOfAFileAreFound(t *testing.T) {
	w := newWorld(t)
	used := made(w.UploadMedia(w.owner, w.workspace, studio.Upload{Type: "image", Filename: "used.png", Content: png("used")}))(t)
	idle := made(w.UploadMedia(w.owner, w.workspace, studio.Upload{Type: "image", Filename: "idle.png", Content: png("idle")}))(t)
	shows := strings.Replace(publishable, `"name":"A",`,
		`"name":"A","containerStyle":{"backgroundFill":{"kind":"image","media":{"mediaAssetId":"`+
			used.ID.String()+`"}}},`, 1)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Pictures", json.RawMessage(shows)))(t)
	w.published(w.app.ID)

	uses := made(w.MediaUses(w.owner, w.app, used.ID))(t)
	require.Equal(t, []*studio.MediaUse{{FlowID: flow.ID, Name: "Pictures", Draft: true}}, uses.Flows)
	require.False(t, uses.Branding)
	version := made(w.Publish(w.owner, flow.ID, ""))(t).Version
	made(w.SaveDraft(w.owner, flow.ID, flow.DraftRevision, json.RawMessage(publishable)))(t)
	uses = made(w.MediaUses(w.owner, w.app, used.ID))(t)
	require.Equal(t, []*studio.MediaUse{{FlowID: flow.ID, Name: "Pictures", Version: &version.Number}}, uses.Flows)
	require.Empty(t, made(w.MediaUses(w.owner, w.app, idle.ID))(t).Flows)
	_, err := w.MediaUses(w.owner, w.app, uuid.New())
	refused(t, err, fault.InvalidInput, "assetId")
}

func TestWhyAPersonGetsAFlow(t *testing.T) {
	w := newWorld(t)
	ch := w.db.Ent().Channel.GetX(w.owner, w.channel().ID)
	explained := made(w.ExplainChannel(w.owner, ch, nil))(t)
	require.NotNil(t, explained.Refusal, "nothing was read yet")
	require.Empty(t, explained.Arms)
	for _, person := range []string{"", long(257)} {
		_, err := w.ExplainChannel(w.owner, ch, &person)
		refused(t, err, fault.InvalidInput, "appUserId")
	}
	made(w.ArchiveApp(w.owner, w.app.ID, w.app.Name))(t)
	explained = made(w.ExplainChannel(w.owner, ch, ptr("ann")))(t)
	require.Equal(t, "invalid_key", *explained.Refusal)
}
