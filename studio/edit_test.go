package studio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest/edit"
	"github.com/svc-dev/svc/studio"
)

// editor is an open editor: it sends batches one after the other.
type editor struct {
	studio   *studio.Studio
	ctx      context.Context
	flow     uuid.UUID
	id       uuid.UUID
	revision int
	sent     studio.Edit
}

func (w *world) editor(ctx context.Context, flow uuid.UUID) *editor {
	return &editor{studio: w.Studio, ctx: ctx, flow: flow, id: uuid.New(), revision: 1}
}

// second is another server on the database.
func (w *world) second() *studio.Studio {
	quiet := slog.New(slog.DiscardHandler)
	return studio.New(w.db.Ent(), studio.Options{Logger: quiet, Now: func() time.Time { return w.now }})
}

// send sends steps, each a list of operations.
func (e *editor) send(steps ...string) (*studio.Edited, error) {
	e.sent = studio.Edit{
		FlowID: e.flow, BaseRevision: e.revision, ClientID: e.id, Sequence: e.sent.Sequence + 1,
		Steps: make([]edit.Step, len(steps)),
	}
	for i, step := range steps {
		if err := json.Unmarshal([]byte("["+step+"]"), &e.sent.Steps[i].Operations); err != nil {
			return nil, err
		}
	}
	return e.sendAgain()
}

func (e *editor) sendAgain() (*studio.Edited, error) {
	answer, err := e.studio.EditDraft(e.ctx, e.sent)
	if err == nil {
		e.revision = answer.Revision
	}
	return answer, err
}

func titleIs(title string) string {
	return fmt.Sprintf(`{"op":"set","node":"scr_a","path":["name"],"value":%q}`, title)
}

func addText(id string) string {
	return fmt.Sprintf(`{"op":"insert","parent":"lyr_a","slot":"children","subtree":{"id":%q,"kind":"text"}}`, id)
}

func (w *world) draft(server *studio.Studio, flow uuid.UUID) string {
	w.t.Helper()
	return string(made(server.OpenDraft(w.owner, flow))(w.t).Document)
}

func TestEditsAreOrderedAnsweredAndKept(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	anna, ben := w.editor(w.owner, flow.ID), w.editor(w.member("ben@example.com", membership.RoleEditor), flow.ID)
	ben.studio = w.second()

	first := made(anna.send(titleIs("One"), addText("lyr_x")))(t)
	require.Equal(t, 2, first.Revision)
	require.Len(t, first.Outcomes, 2)
	require.Empty(t, first.Others)
	require.JSONEq(t, `[{"op":"set","node":"scr_a","path":["name"],"value":"A"}]`, string(first.Outcomes[0].Inverse))
	require.Contains(t, string(first.Outcomes[1].Step), `"after":"lyr_b"`, "anchors are resolved")

	made(anna.send(`{"op":"remove","node":"lyr_x"}`))(t)
	second := made(ben.send(titleIs("Two"), `{"op":"set","node":"lyr_x","path":["a"],"value":1}`))(t)
	require.Equal(t, 4, second.Revision)
	require.Len(t, second.Others, 2, "what came since the base")
	require.Equal(t, "owner@example.com", *second.Others[0].Person)
	require.Nil(t, second.Outcomes[0].Refusal)
	refusal := second.Outcomes[1].Refusal
	require.Equal(t, "node_removed", refusal.Code)
	require.Equal(t, "owner@example.com", *refusal.By, "the one who removed it")

	again := made(ben.sendAgain())(t)
	require.Equal(t, second.Revision, again.Revision, "a repeated batch is answered as the first time")
	require.Equal(t, refusal, again.Outcomes[1].Refusal)
	require.JSONEq(t, string(second.Outcomes[0].Step), string(again.Outcomes[0].Step))

	reused := ben.sent
	reused.Steps = []edit.Step{{Operations: []edit.Operation{{Op: edit.Remove, Node: "lyr_b"}}}}
	_, err := ben.studio.EditDraft(ben.ctx, reused)
	refused(t, err, studio.ClientReused, "")
	reused.Sequence += 2
	_, err = ben.studio.EditDraft(ben.ctx, reused)
	refused(t, err, studio.SequenceGap, "")

	for _, server := range []*studio.Studio{w.Studio, ben.studio, w.second()} {
		require.Contains(t, w.draft(server, flow.ID), `"name":"Two"`)
		require.Equal(t, w.draft(w.Studio, flow.ID), string(made(server.ReadDraft(w.owner, flow.ID))(t)))
	}
	published := made(w.Publish(w.owner, flow.ID, ""))(t)
	require.Contains(t, string(published.Version.Manifest), `"name":"Two"`, "publishing takes the edits")
	_, err = w.PublishRevision(w.owner, flow.ID, ptr(3), "")
	refused(t, err, fault.Conflict, "revision")
	copied := made(w.DuplicateFlow(w.owner, flow.ID, ""))(t)
	require.Contains(t, w.draft(w.Studio, copied.ID), `"name":"Two"`)
	var count int
	require.NoError(t, w.db.Pool.QueryRow(t.Context(),
		`select count(*) from audit_entries where action = 'flow.draft' and subject = $1`, flow.ID.String()).Scan(&count))
	require.Equal(t, 2, count, "one entry a person, however many edits")
}

func TestWhoMayNotEditADraft(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	viewer := w.viewer()
	_, err := w.editor(viewer, flow.ID).send(titleIs("No"))
	refused(t, err, fault.Forbidden, "")
	require.False(t, made(w.OpenDraft(viewer, flow.ID))(t).CanEdit)
	require.True(t, made(w.OpenDraft(w.owner, flow.ID))(t).CanEdit)
	stranger := w.stranger()
	_, err = w.editor(stranger, flow.ID).send(titleIs("No"))
	refused(t, err, fault.NotFound, "")
	_, err = w.OpenDraft(stranger, flow.ID)
	refused(t, err, fault.NotFound, "")
	made(w.ArchiveFlow(w.owner, flow.ID))(t)
	_, err = w.editor(w.owner, flow.ID).send(titleIs("No"))
	refused(t, err, fault.Conflict, "")
	require.False(t, made(w.OpenDraft(w.owner, flow.ID))(t).CanEdit)
}

func TestLimitsOfABatch(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	many := func(n int) string { return strings.TrimSuffix(strings.Repeat(titleIs("x")+",", n), ",") }
	for name, steps := range map[string][]string{
		"operations": {many(studio.MaxEditOperations + 1)}, "in two steps": {many(studio.MaxEditOperations), titleIs("x")},
		"bytes": {titleIs(strings.Repeat("x", studio.MaxEditBytes))}, "none": {},
	} {
		_, err := w.editor(w.owner, flow.ID).send(steps...)
		refused(t, err, fault.InvalidInput, "steps")
		require.Error(t, err, name)
	}
	made(w.editor(w.owner, flow.ID).send(many(studio.MaxEditOperations)))(t)
	ahead := w.editor(w.owner, flow.ID)
	ahead.revision = 9
	_, err := ahead.send(titleIs("x"))
	refused(t, err, fault.InvalidInput, "baseRevision")

	// The document stays within what a manifest may have, and what is removed makes room.
	full, limited := w.editor(w.owner, flow.ID), false
	for i := 0; !limited && i < 40; i++ {
		answer := made(full.send(fmt.Sprintf(`{"op":"set","node":"flow","path":["x%d"],"value":%q}`, i, strings.Repeat("x", 200<<10))))(t)
		limited = answer.Outcomes[0].Refusal != nil && answer.Outcomes[0].Refusal.Code == "limit"
	}
	require.True(t, limited)
	made(full.send(`{"op":"unset","node":"flow","path":["x0"]}`))(t)
	answer := made(full.send(fmt.Sprintf(`{"op":"set","node":"flow","path":["y"],"value":%q}`, strings.Repeat("x", 100<<10))))(t)
	require.Nil(t, answer.Outcomes[0].Refusal)

	// Who comes late is not sent more than 4 MiB of what others did.
	late := made(w.editor(w.owner, flow.ID).send(titleIs("Late")))(t)
	require.True(t, late.Reset)
	require.Empty(t, late.Others)
}

func TestSavedDraftsAreEditsWhereTheyCanBe(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	anna := w.editor(w.owner, flow.ID)
	made(anna.send(titleIs("Mine")))(t)
	_, err := w.SaveDraft(w.owner, flow.ID, 1, json.RawMessage(publishable))
	refused(t, err, fault.Conflict, "revision")
	made(w.SaveDraft(w.owner, flow.ID, 2, titled("Saved")))(t)
	answer := made(anna.send(addText("lyr_y")))(t)
	require.False(t, answer.Reset)
	require.Len(t, answer.Others, 1)
	require.Contains(t, string(answer.Others[0].Steps), "Saved")
	require.Equal(t, 4, answer.Revision)

	made(w.SaveDraft(w.owner, flow.ID, 4, json.RawMessage(`{"screens":[{"name":"no id"}]}`)))(t)
	require.Contains(t, string(made(w.ReadDraft(w.owner, flow.ID))(t)), "no id")
	answer = made(anna.send(`{"op":"set","node":"flow","path":["a"],"value":1}`))(t)
	require.True(t, answer.Reset, "operations can't say it")
	require.Contains(t, w.draft(w.second(), flow.ID), `"a":1`)

	// A server of an earlier version writes the draft alone.
	exec := func(query string, args ...any) { made(w.db.Pool.Exec(context.Background(), query, args...))(t) }
	exec(`update flows set draft = $2, draft_revision = draft_revision + 1 where id = $1`, flow.ID, []byte(publishable))
	require.Contains(t, w.draft(w.Studio, flow.ID), `"name":"A"`)
	made(anna.send(titleIs("After")))(t)
	for _, server := range []*studio.Studio{w.Studio, w.second()} {
		require.Contains(t, w.draft(server, flow.ID), `"name":"After"`)
		require.NotContains(t, w.draft(server, flow.ID), `"a":1`)
	}
}

func TestKeysThatOthersRenamedAreFollowed(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	anna, ben := w.editor(w.owner, flow.ID), w.editor(w.member("ben@example.com", membership.RoleEditor), flow.ID)
	made(anna.send(`{"op":"insert","parent":"lyr_a","slot":"children","subtree":{"id":"lyr_q","kind":"text_input","fieldKey":"goal"}}`))(t)
	ben.revision = anna.revision
	made(anna.send(`{"op":"rename","key":"field","from":"goal","to":"objective"}`))(t)
	answer := made(ben.send(`{"op":"insert","parent":"lyr_a","slot":"children","subtree":
		{"id":"lyr_t","kind":"text","text":{"default":"You want {{ goal }}"}}}`))(t)
	require.Contains(t, string(answer.Outcomes[0].Step), "{{ objective }}")
	require.Contains(t, w.draft(w.second(), flow.ID), "You want {{ objective }}")
}

func TestDraftsAtRestAreStoredAsAWhole(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	anna := w.editor(w.owner, flow.ID)
	stored := func() (text string) {
		require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select draft::text from flows where id = $1`, flow.ID).Scan(&text))
		return text
	}
	made(anna.send(titleIs("Edited")))(t)
	require.NoError(t, w.second().StoreRestingDrafts(t.Context()))
	require.NotContains(t, stored(), "Edited", "somebody is at work")
	made(w.db.Pool.Exec(t.Context(), `update flows set updated_at = updated_at - interval '1 minute'`))(t)
	require.NoError(t, w.second().StoreRestingDrafts(t.Context()))
	require.Contains(t, stored(), "Edited")
	made(anna.send(titleIs("Again")))(t)
	require.Contains(t, w.draft(w.second(), flow.ID), "Again")
	for i := range 200 {
		anna.id, anna.sent.Sequence = uuid.New(), 0
		made(anna.send(titleIs(fmt.Sprint("Edit ", i))))(t)
	}
	require.Contains(t, stored(), "Edit 198", "whoever edits without a rest is stored every 200 edits")
}

// A transaction that is not committed leaves nothing in the document that this server keeps.
func TestAnEditThatIsNotCommittedIsForgotten(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
	anna := w.editor(w.owner, flow.ID)
	made(anna.send(titleIs("Kept")))(t)
	// Checked when the transaction commits, after everything has been applied.
	made(w.db.Pool.Exec(t.Context(), `
		create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
		create constraint trigger refuse after insert on flow_edit deferrable initially deferred
			for each row execute function refuse()`))(t)
	_, err := anna.send(titleIs("Lost"))
	require.ErrorContains(t, err, "commit")
	made(w.db.Pool.Exec(t.Context(), `drop trigger refuse on flow_edit`))(t)
	require.Contains(t, w.draft(w.Studio, flow.ID), `"name":"Kept"`)
	answer := made(anna.sendAgain())(t)
	require.Equal(t, 3, answer.Revision)
	require.JSONEq(t, `[{"op":"set","node":"scr_a","path":["name"],"value":"Kept"}]`, string(answer.Outcomes[0].Inverse))
}

// Three editors at two servers, whose batches are repeated and whose answers get lost, make what the log says: its
// steps one after the other on the first draft.
func TestTheLogIsTheDraft(t *testing.T) {
	w := newWorld(t)
	other := w.second()
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 7))
		flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t)
		base := w.draft(w.Studio, flow.ID)
		editors := []*editor{w.editor(w.owner, flow.ID), w.editor(w.owner, flow.ID), w.editor(w.owner, flow.ID)}
		for i := range 90 {
			e := editors[random.IntN(len(editors))]
			e.studio = []*studio.Studio{w.Studio, other}[random.IntN(2)]
			known := e.revision
			answer, err := e.send(randomSteps(random, i)...)
			require.NoError(t, err)
			if random.IntN(4) == 0 { // the answer was lost
				e.revision = known
				e.studio = []*studio.Studio{w.Studio, other}[random.IntN(2)]
				again := made(e.sendAgain())(t)
				require.Equal(t, answer.Revision, again.Revision)
				require.Equal(t, len(answer.Others), len(again.Others))
			}
		}
		w.sameAsLog(t, flow, base, other)
	}
}

func randomSteps(random *rand.Rand, i int) []string {
	node := func() string { return fmt.Sprintf("lyr_%d", random.IntN(i+2)) }
	stack := fmt.Sprintf(`{"op":"insert","parent":"lyr_a","slot":"children","after":%q,
		"subtree":{"id":"lyr_%d","kind":"stack","direction":"vertical","children":[]}}`, node(), i)
	steps := []string{
		stack, titleIs(node()), fmt.Sprintf(`{"op":"remove","node":%q}`, node()),
		fmt.Sprintf(`{"op":"move","node":%q,"parent":%q,"slot":"children"}`, node(), node()),
		fmt.Sprintf(`{"op":"set","node":%q,"path":["style","padding","t"],"value":%d}`, node(), random.IntN(9)),
		fmt.Sprintf(`{"op":"unset","node":%q,"path":["style"]}`, node()),
	}
	random.Shuffle(len(steps), func(a, b int) { steps[a], steps[b] = steps[b], steps[a] })
	return append([]string{stack}[:random.IntN(2)], steps[:1+random.IntN(2)]...)
}

// sameAsLog replays the rows of a flow on its first draft, the naive way.
func (w *world) sameAsLog(t *testing.T, flow *ent.Flow, base string, other *studio.Studio) {
	t.Helper()
	document, _, err := edit.Open([]byte(base))
	require.NoError(t, err)
	rows := made(w.db.Pool.Query(t.Context(), `select steps from flow_edit where flow_id = $1 order by revision`, flow.ID))(t)
	defer rows.Close()
	revision := 1
	for rows.Next() {
		var steps []edit.Step
		require.NoError(t, rows.Scan(&steps))
		for _, step := range steps {
			_, refusal := document.Apply(step)
			require.Nil(t, refusal)
		}
		revision++
	}
	require.NoError(t, rows.Err())
	document.Stamp(flow.ID.String(), revision)
	want := made(document.Canonical())(t)
	for _, server := range []*studio.Studio{w.Studio, other, w.second()} {
		require.Equal(t, string(want), w.draft(server, flow.ID))
	}
}
