package studio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

const priceCard = `{"id":"lyr_card","kind":"stack","direction":"vertical","children":[
	{"id":"lyr_title","kind":"text","text":{"default":"Yearly"},"later":true},
	{"id":"lyr_more","kind":"stack","direction":"vertical","children":[]}]}`

func madeOf(tree string) *studio.ComponentContent {
	return &studio.ComponentContent{Tree: json.RawMessage(tree), Slots: []studio.ComponentSlot{}}
}

func (w *world) component(ctx context.Context, name string) (*ent.Component, error) {
	made := madeOf(priceCard)
	made.Slots = []studio.ComponentSlot{{LayerID: "lyr_more", Name: " More "}}
	return w.CreateComponent(ctx, w.app.ID, studio.ComponentChange{Name: &name, Content: made})
}

// withInstance makes a flow whose draft has an instance of a component.
func (w *world) withInstance(of *ent.Component, name string) *ent.Flow {
	w.t.Helper()
	flow := made(w.CreateFlow(w.owner, w.app.ID, name, json.RawMessage(publishable)))(w.t)
	draft := strings.Replace(string(publishable), `{"id":"lyr_b"`, fmt.Sprintf(
		`{"id":"lyr_1","kind":"stack","direction":"vertical","component":{"id":%q,"revision":1,"layer":"lyr_card"},"children":[
			{"id":"lyr_2","kind":"text","text":{"default":"Monthly"},"style":{"color":"#000000"},"component":{"layer":"lyr_title"}}]},{"id":"lyr_b"`,
		of.ID), 1)
	made(w.SaveDraft(w.owner, flow.ID, flow.DraftRevision, json.RawMessage(draft)))(w.t)
	return flow
}

func TestComponentsHaveRevisions(t *testing.T) {
	w := newWorld(t)
	card := made(w.component(w.owner, " Price card "))(t)
	require.Equal(t, "Price card", card.Name)
	first := made(w.ReadComponent(w.owner, card, nil))(t)
	require.NotContains(t, string(first.Tree), "later", "what manifests do not know is left out")
	require.Equal(t, []studio.ComponentSlot{{LayerID: "lyr_more", Name: "More"}}, first.Slots)
	require.Nil(t, first.Overridable)

	next := madeOf(strings.Replace(priceCard, "Yearly", "Per year", 1))
	next.Overridable = []studio.ComponentProperty{{LayerID: "lyr_title", Path: []string{"text"}}}
	changed := made(w.UpdateComponent(w.owner, card.ID, studio.ComponentChange{Content: next, Revision: ptr(1)}))(t)
	require.Equal(t, 2, changed.Revision)
	require.Contains(t, string(made(w.ReadComponent(w.owner, changed, nil))(t).Tree), "Per year")
	require.Equal(t, first, made(w.ReadComponent(w.owner, changed, ptr(1)))(t), "what it was stays")
	require.Equal(t, next.Overridable, made(w.ReadComponent(w.owner, changed, nil))(t).Overridable)
	require.Nil(t, made(w.ReadComponent(w.owner, changed, ptr(3)))(t))

	_, err := w.UpdateComponent(w.owner, card.ID, studio.ComponentChange{Content: next, Revision: ptr(1)})
	refused(t, err, fault.Conflict, "revision")
	renamed := made(w.UpdateComponent(w.owner, card.ID, studio.ComponentChange{Name: ptr("Card")}))(t)
	require.Equal(t, 2, renamed.Revision, "a name is no other content")
	for range 50 {
		made(w.UpdateComponent(w.owner, card.ID, studio.ComponentChange{Content: next}))(t)
	}
	require.Nil(t, made(w.ReadComponent(w.owner, changed, ptr(2)))(t))
	require.NotNil(t, made(w.ReadComponent(w.owner, changed, ptr(3)))(t))
}

// 200 components of 50 revisions with 64 KiB each, and as much again in names of properties, were 1.3 GB of an app.
func TestRevisionsOfAComponentAreBoundedInBytes(t *testing.T) {
	w := newWorld(t)
	card := made(w.component(w.owner, "Card"))(t)
	random := rand.New(rand.NewPCG(1, 2))
	var last *studio.ComponentContent
	for range 30 {
		text := make([]byte, 40<<10) // of base64, which nothing makes much smaller
		for i := range text {
			text[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[random.IntN(64)]
		}
		var texts []string
		for i := range 20 {
			texts = append(texts, fmt.Sprintf(`{"id":"lyr_t%d","kind":"text","text":{"default":%q}}`, i, text[i*2000:(i+1)*2000]))
		}
		last = madeOf(`{"id":"lyr_c","kind":"stack","direction":"vertical","children":[` + strings.Join(texts, ",") + `]}`)
		made(w.UpdateComponent(w.owner, card.ID, studio.ComponentChange{Content: last}))(t)
	}
	var kept, bytes, newest int
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select count(*), max(revision), sum(pg_column_size(tree)
		+ pg_column_size(slots)) from component_revision where component_id = $1`, card.ID).Scan(&kept, &newest, &bytes))
	require.Less(t, bytes, 512<<10)
	require.Greater(t, bytes, 440<<10, "no more is forgotten than has to be")
	require.Less(t, kept, 15)
	require.Equal(t, 31, newest)
	require.JSONEq(t, string(last.Tree), string(made(w.ReadComponent(w.owner, card, ptr(31)))(t).Tree))
	require.NotNil(t, made(w.ReadComponent(w.owner, card, ptr(31-kept+1)))(t), "those that are kept have no gap")
}

func TestWhatIsNoComponentIsNamed(t *testing.T) {
	w := newWorld(t)
	made(w.component(w.owner, "Card"))(t)
	_, err := w.component(w.owner, "Card")
	refused(t, err, fault.InvalidInput, "name")
	script := made(w.component(w.owner, "<script>alert(1)</script>"))(t) // a name is text wherever it is shown
	require.Equal(t, "<script>alert(1)</script>", script.Name)
	for i, broken := range []struct {
		field  string
		change func(c *studio.ComponentContent)
	}{
		{"content.tree", func(c *studio.ComponentContent) { c.Tree = json.RawMessage(`[]`) }},
		{"content.tree", func(c *studio.ComponentContent) { c.Tree = json.RawMessage(`{"id":"lyr_a","kind":"marquee"}`) }},
		{"content.tree", func(c *studio.ComponentContent) {
			c.Tree = json.RawMessage(strings.Replace(priceCard, "lyr_title", "lyr_more", 1))
		}},
		{"content.tree", func(c *studio.ComponentContent) {
			c.Tree = json.RawMessage(strings.Replace(priceCard, "Yearly", long(studio.MaxComponentBytes), 1))
		}},
		{"content.tree", func(c *studio.ComponentContent) {
			var texts []string
			for n := range 200 {
				texts = append(texts, fmt.Sprintf(`{"id":"lyr_t%d","kind":"text","text":{"default":""}}`, n))
			}
			c.Tree = json.RawMessage(`{"id":"lyr_c","kind":"stack","direction":"vertical","children":[` +
				strings.Join(texts, ",") + `]}`)
		}},
		{"content.slots.0.layerId", func(c *studio.ComponentContent) {
			c.Slots = []studio.ComponentSlot{{LayerID: "lyr_title", Name: "Title"}}
		}},
		{"content.slots.0.name", func(c *studio.ComponentContent) {
			c.Slots = []studio.ComponentSlot{{LayerID: "lyr_more", Name: " "}}
		}},
		{"content.slots.1.layerId", func(c *studio.ComponentContent) {
			c.Slots = []studio.ComponentSlot{{LayerID: "lyr_more", Name: "a"}, {LayerID: "lyr_more", Name: "b"}}
		}},
		{"content.overridable.0.layerId", func(c *studio.ComponentContent) {
			c.Overridable = []studio.ComponentProperty{{LayerID: "lyr_none", Path: []string{"text"}}}
		}},
		{"content.overridable.0.path", func(c *studio.ComponentContent) {
			c.Overridable = []studio.ComponentProperty{{LayerID: "lyr_title", Path: []string{}}}
		}},
	} {
		wrong := madeOf(priceCard)
		broken.change(wrong)
		_, err := w.CreateComponent(w.owner, w.app.ID, studio.ComponentChange{Name: ptr(fmt.Sprint(i)), Content: wrong})
		refused(t, err, fault.InvalidInput, broken.field)
	}
	_, err = w.db.Pool.Exec(w.owner, `insert into components (id, app_id, name, updated_at)
		select gen_random_uuid(), $1, 'c' || n, now() from generate_series(1, 198) n`, w.app.ID)
	require.NoError(t, err)
	_, err = w.component(w.owner, "One more")
	refused(t, err, fault.InvalidInput, "appId")
}

func TestComponentsAreTheirAppsAndForWhoEdits(t *testing.T) {
	w := newWorld(t)
	card := made(w.component(w.owner, "Card"))(t)
	editor, viewer, stranger := w.member("editor@example.com", membership.RoleEditor), w.viewer(), w.stranger()
	made(w.component(editor, "Of an editor"))(t)
	for ctx, code := range map[context.Context]fault.Code{viewer: fault.Forbidden, stranger: fault.NotFound} {
		_, err := w.component(ctx, "Mine")
		refused(t, err, code, "")
		_, err = w.UpdateComponent(ctx, card.ID, studio.ComponentChange{Name: ptr("Mine")})
		refused(t, err, code, "")
		refused(t, w.DeleteComponent(ctx, card.ID, true), code, "")
	}
}

func TestPublishedVersionsHoldPlainLayers(t *testing.T) {
	w := newWorld(t)
	card := made(w.component(w.owner, "Card"))(t)
	flow := w.withInstance(card, "Paywall")
	require.Equal(t, []*studio.ComponentUse{{FlowID: flow.ID, Name: "Paywall", Instances: 1}},
		made(w.ComponentUses(w.owner, card))(t))
	published := made(w.Publish(w.owner, flow.ID, ""))(t)
	require.Contains(t, string(published.Version.Manifest), "Monthly")
	require.NotContains(t, string(published.Version.Manifest), "component")
	before := string(published.Version.Manifest)

	err := w.DeleteComponent(w.owner, card.ID, false)
	refused(t, err, fault.Conflict, "")
	require.Contains(t, err.Error(), "“Paywall”")
	require.NoError(t, w.DeleteComponent(w.owner, card.ID, true))
	require.Contains(t, string(made(w.ReadDraft(w.owner, flow.ID))(t)), "Monthly", "its layers stay")
	again := made(w.db.Ent().FlowVersion.Query().Where(flowversion.ID(published.Version.ID)).Only(w.owner))(t)
	require.Equal(t, before, string(again.Manifest))
	refused(t, w.DeleteComponent(w.owner, card.ID, true), fault.NotFound, "")
}
