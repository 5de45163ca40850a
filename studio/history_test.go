package studio_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest/edit"
	"github.com/svc-dev/svc/studio"
)

// content is a draft without its revision.
func content(t *testing.T, text []byte) map[string]any {
	var document map[string]any
	require.NoError(t, json.Unmarshal(text, &document))
	delete(document, "version")
	return document
}

// TestADraftGoesBackToEachRevision edits at random and compares with the documents that were read after each edit.
func TestADraftGoesBackToEachRevision(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	anna := w.editor(w.owner, flow.ID)
	random := rand.New(rand.NewPCG(7, 7))
	seen := map[int]map[string]any{}
	look := func() {
		draft := made(w.OpenDraft(w.owner, flow.ID))(t)
		seen[draft.Revision] = content(t, draft.Document)
	}
	look()
	for i := range 60 {
		id := fmt.Sprintf("lyr_n%d", random.IntN(6))
		steps := []string{
			titleIs(fmt.Sprint(i)), addText(id), fmt.Sprintf(`{"op":"remove","node":%q}`, id),
			fmt.Sprintf(`{"op":"move","node":%q,"parent":"lyr_a","slot":"children"}`, id),
			fmt.Sprintf(`{"op":"set","node":%q,"path":["text","en"],"value":"%d"}`, id, i),
		}
		made(anna.send(steps[random.IntN(len(steps))], steps[random.IntN(len(steps))]))(t)
		look()
	}
	for revision, want := range seen {
		draft := made(w.DraftAt(w.owner, flow.ID, revision))(t)
		require.Equal(t, want, content(t, draft.Document), "revision %d", revision)
		require.Equal(t, revision, draft.Revision)
		require.False(t, draft.CanEdit)
	}
	for to := range seen {
		then := made(w.DraftAt(w.owner, flow.ID, to))(t)
		way := made(w.FindWayBack(w.owner, then))(t)
		require.Equal(t, len(seen), way.Revision)
		var operations []edit.Operation
		require.NoError(t, json.Unmarshal(way.Operations, &operations))
		document, _, err := edit.Open(made(w.OpenDraft(w.owner, flow.ID))(t).Document)
		require.NoError(t, err)
		_, refusal := document.Apply(edit.Step{Operations: operations})
		require.Nil(t, refusal)
		require.Equal(t, seen[to], content(t, made(document.Canonical())(t)), "the way back to revision %d", to)
	}
	for range 10 {
		to := 1 + random.IntN(len(seen))
		made(w.RestoreDraft(w.owner, studio.Restore{FlowID: flow.ID, Revision: to}))(t)
		look()
		now := made(w.second().OpenDraft(w.owner, flow.ID))(t)
		require.Equal(t, seen[to], content(t, now.Document), "back to revision %d", to)
	}
}

// TestGoingBackToWhatADifferenceCannotSay takes the way of inverse operations: the body of a screen can't be replaced.
func TestGoingBackToWhatADifferenceCannotSay(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	before := content(t, made(w.OpenDraft(w.owner, flow.ID))(t).Document)
	anna := w.editor(w.owner, flow.ID)
	answer := made(anna.send(`{"op":"remove","node":"scr_a"}`, `{"op":"insert","parent":"flow","slot":"screens","subtree":`+
		`{"id":"scr_a","name":"Other","body":{"id":"lyr_other","kind":"stack","children":[]}}}`))(t)
	for _, outcome := range answer.Outcomes {
		require.Nil(t, outcome.Refusal)
	}
	made(w.RestoreDraft(w.owner, studio.Restore{FlowID: flow.ID, Revision: 1}))(t)
	require.Equal(t, before, content(t, made(w.OpenDraft(w.owner, flow.ID))(t).Document))
}

func TestHistoryGroupsEditsAndNamesThem(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	ben := w.member("ben@example.com", membership.RoleEditor)
	anna, other := w.editor(w.owner, flow.ID), w.editor(ben, flow.ID)
	made(anna.send(titleIs("One")))(t)                                     // 2
	made(other.send(addText("lyr_x")))(t)                                  // 3
	made(anna.send(titleIs("Two")))(t)                                     // 4
	made(anna.send(`{"op":"remove","node":"lyr_none"}`))(t)                // 5, refused
	made(anna.send(titleIs("Three"), `{"op":"remove","node":"lyr_x"}`))(t) // 6
	// Fixed times: one entry of each person in the first quarter, one of the owner in the next.
	exec := func(query string, args ...any) { made(w.db.Pool.Exec(t.Context(), query, args...))(t) }
	exec(`update flow_edit set created_at = timestamptz '2026-01-01 10:00Z' + revision * interval '1 minute' where flow_id = $1`, flow.ID)
	exec(`update flow_edit set created_at = '2026-01-01 10:15Z' where flow_id = $1 and revision = 6`, flow.ID)

	entries := made(w.ListHistory(w.viewer(), flow.ID, nil, 10))(t)
	require.Len(t, entries, 3)
	require.Equal(t, 3, made(w.CountHistory(w.owner, flow.ID))(t))
	last, first, bens := entries[0], entries[1], entries[2]
	require.Equal(t, []int{6, 4, 3}, []int{last.Revision, first.Revision, bens.Revision})
	require.Equal(t, []int{1, 2, 1}, []int{last.Edits, first.Edits, bens.Edits})
	require.Equal(t, []string{"Remove text", "Change the name of “Two”"}, last.Changes)
	require.Equal(t, []string{"Change the name of “One”", "Change the name of “A”"}, first.Changes)
	require.Equal(t, "ben@example.com", *bens.Person)
	require.Equal(t, "10:02 10:04", first.From.UTC().Format("15:04")+" "+first.To.UTC().Format("15:04"))
	require.Equal(t, entries[1:2], made(w.ListHistory(w.owner, flow.ID, ptr(6), 1))(t))

	made(w.RestoreDraft(ben, studio.Restore{FlowID: flow.ID, Revision: 2, BaseRevision: ptr(6), Name: "Go back to 10:02"}))(t)
	newest := made(w.ListHistory(w.owner, flow.ID, nil, 1))(t)[0]
	require.Equal(t, []string{"Go back to 10:02"}, newest.Changes)
	require.Equal(t, 7, made(w.RestoreDraft(ben, studio.Restore{FlowID: flow.ID, Revision: 2}))(t), "nothing to change")
	exec(`update flow_edit set user_id = null where flow_id = $1 and revision = 3`, flow.ID)
	require.Nil(t, made(w.ListHistory(w.owner, flow.ID, ptr(4), 1))(t)[0].Person)
}

func TestWhatHistoryRefuses(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	anna := w.editor(w.owner, flow.ID)
	for i := range 3 {
		made(anna.send(titleIs(fmt.Sprint(i))))(t)
	}
	back := func(revision int) studio.Restore { return studio.Restore{FlowID: flow.ID, Revision: revision} }
	for _, revision := range []int{-1, 0, 5} {
		_, err := w.DraftAt(w.owner, flow.ID, revision)
		refused(t, err, fault.InvalidInput, "revision")
		_, err = w.RestoreDraft(w.owner, back(revision))
		refused(t, err, fault.InvalidInput, "revision")
	}
	stale := back(1)
	stale.BaseRevision = ptr(3)
	_, err := w.RestoreDraft(w.owner, stale)
	refused(t, err, fault.Conflict, "revision")
	viewer := w.viewer()
	_, err = w.RestoreDraft(viewer, back(1))
	refused(t, err, fault.Forbidden, "")
	stranger := w.stranger()
	for _, err := range []error{
		second(w.RestoreDraft(stranger, back(1))), second(w.DraftAt(stranger, flow.ID, 1)),
		second(w.FindWayBack(stranger, &studio.Draft{FlowID: flow.ID, Revision: 1})),
		second(w.ListHistory(stranger, flow.ID, nil, 1)), second(w.CountHistory(stranger, flow.ID)),
		second(w.DraftAt(w.owner, uuid.New(), 1)),
	} {
		refused(t, err, fault.NotFound, "")
	}

	oldest := func() int { return made(w.OldestRevision(viewer, made(w.OpenDraft(viewer, flow.ID))(t)))(t) }
	require.Equal(t, 1, oldest(), "what the flow was made with")
	made(w.db.Pool.Exec(t.Context(), `delete from flow_edit where flow_id = $1 and revision = 3`, flow.ID))(t)
	require.Equal(t, 3, oldest())
	made(w.DraftAt(viewer, flow.ID, 3))(t)
	_, err = w.DraftAt(w.owner, flow.ID, 2)
	refused(t, err, fault.InvalidInput, "revision")
	var gone *fault.Error
	require.ErrorAs(t, err, &gone)
	require.Equal(t, map[string]any{"oldestRevision": 3}, gone.Details)
	fresh := made(w.CreateFlow(w.owner, w.app.ID, "Fresh", nil))(t)
	require.Equal(t, 1, made(w.OldestRevision(viewer, made(w.OpenDraft(viewer, fresh.ID))(t)))(t))
	now := made(w.OpenDraft(viewer, flow.ID))(t).Revision
	made(w.SaveDraft(w.owner, flow.ID, now, json.RawMessage(`{"screens": 5}`)))(t) // no operations say that
	made(w.SaveDraft(w.owner, flow.ID, now+1, json.RawMessage(publishable)))(t)
	require.Equal(t, now+1, oldest(), "the second could be said in operations")
	made(w.DraftAt(viewer, flow.ID, now+1))(t)
	made(w.ArchiveFlow(w.owner, flow.ID))(t)
	_, err = w.RestoreDraft(w.owner, back(3))
	refused(t, err, fault.Conflict, "")
}

func second[T any](_ T, err error) error { return err }
