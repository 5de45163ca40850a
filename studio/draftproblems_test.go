package studio_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/edit"
	"github.com/svc-dev/svc/studio"
)

// The problems of an open draft are those of its latest edits, by names, and a fix is an edit that fixes them.
func TestProblemsOfADraftFollowItsEdits(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	problems := func() []studio.DraftProblem {
		return made(w.InspectDraft(w.owner, made(w.OpenDraft(w.owner, flow.ID))(t)))(t)
	}
	errorsOf := func(all []studio.DraftProblem) (found []studio.DraftProblem) {
		for _, p := range all {
			if p.Severity == manifest.Error {
				found = append(found, p)
			}
		}
		return found
	}
	require.Empty(t, errorsOf(problems()), "what can be published has no errors")

	anna := w.editor(w.owner, flow.ID)
	made(anna.send(
		titleIs("Welcome"),
		`{"op":"insert","parent":"lyr_a","slot":"children","subtree":{"id":"lyr_wide","name":"Later","kind":"button",`+
			`"variant":"primary","action":{"kind":"continue"},"children":[{"id":"lyr_wide_text","kind":"text",`+
			`"text":{"default":"Later"}}]}}`,
	))(t)
	found := errorsOf(problems())
	require.NotEmpty(t, found)
	for _, p := range found {
		require.NotContains(t, p.Message, "lyr_wide", "problems are told by names")
		require.Equal(t, "lyr_wide_text", p.LayerID)
		require.Equal(t, "scr_a", p.StepID)
	}
	for _, p := range found {
		if p.Fix == nil {
			continue
		}
		var step edit.Step
		require.NoError(t, json.Unmarshal(p.Fix, &step))
		require.NotEmpty(t, step.Name)
		require.Contains(t, string(p.Fix), `"#f9fafb"`, "the button is dark")
		operations, err := json.Marshal(step.Operations)
		require.NoError(t, err)
		made(anna.send(string(operations[1 : len(operations)-1])))(t)
	}
	require.Less(t, len(errorsOf(problems())), len(found), "a fix solves something")

	_, err := w.InspectDraft(w.stranger(), &studio.Draft{FlowID: flow.ID})
	require.Error(t, err, "who may not read the flow is told nothing of it")
}
