package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/component"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
	"github.com/svc-dev/svc/studio/bundle/bundletest"
)

func (w *world) componentsIn(app uuid.UUID) []*ent.Component {
	w.t.Helper()
	found := made(w.db.Ent().Component.Query().Where(component.AppID(app)).All(context.Background()))(w.t)
	slices.SortFunc(found, func(a, b *ent.Component) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// instance tells what the instance in a draft is of.
func instance(t *testing.T, draft json.RawMessage) (id uuid.UUID, revision int) {
	t.Helper()
	_, rest, found := strings.Cut(string(draft), `"component":{"id":"`)
	if !found {
		_, rest, found = strings.Cut(strings.ReplaceAll(string(draft), `": `, `":`), `"component":{"id":"`)
	}
	require.True(t, found, "the draft has no instance")
	id = uuid.MustParse(rest[:36])
	_, number, _ := strings.Cut(rest, `"revision":`)
	_, err := fmt.Sscanf(number, "%d", &revision)
	require.NoError(t, err)
	return id, revision
}

func TestComponentsGoWithAFlow(t *testing.T) {
	w := newWorld(t)
	card := made(w.component(w.owner, "Card"))(t)
	flow := w.withInstance(card, "Offer")
	other := made(w.CreateApp(w.owner, w.workspace, "Other"))(t)

	copied := made(w.CopyFlow(w.owner, flow.ID, other.ID, ""))(t)
	there := w.componentsIn(other.ID)
	require.Len(t, there, 1)
	require.Equal(t, "Card", there[0].Name)
	id, revision := instance(t, copied.Flow.Draft)
	require.Equal(t, there[0].ID, id)
	require.Equal(t, 1, revision)
	content := made(w.ReadComponent(w.owner, there[0], nil))(t)
	require.Contains(t, string(content.Tree), "Yearly")
	require.Equal(t, []studio.ComponentSlot{{LayerID: "lyr_more", Name: "More"}}, content.Slots)

	again := made(w.CopyFlow(w.owner, flow.ID, other.ID, "Again"))(t)
	require.Len(t, w.componentsIn(other.ID), 1, "an equal one is there")
	id, _ = instance(t, again.Flow.Draft)
	require.Equal(t, there[0].ID, id)
	same := made(w.CopyFlow(w.owner, flow.ID, w.app.ID, "Same"))(t)
	id, _ = instance(t, same.Flow.Draft)
	require.Equal(t, card.ID, id, "in its own app it stays the very one")
	require.Len(t, w.componentsIn(w.app.ID), 1)

	// A component of the same name that is another one stays, and the one that comes has a free name.
	made(w.UpdateComponent(w.owner, there[0].ID, studio.ComponentChange{
		Content: madeOf(strings.Replace(priceCard, "Yearly", "Weekly", 1)),
	}))(t)
	made(w.CopyFlow(w.owner, flow.ID, other.ID, "Third"))(t)
	names := w.componentsIn(other.ID)
	require.Len(t, names, 2)
	require.Equal(t, "Card 2", names[1].Name)

	// The same by a file, in another workspace.
	owner, theirs := w.elsewhere()
	imported := made(w.ImportFlow(owner, theirs.ID, "", bytes.NewReader(w.exported(w.owner, flow.ID))))(t)
	there = w.componentsIn(theirs.ID)
	require.Len(t, there, 1)
	id, _ = instance(t, imported.Flow.Draft)
	require.Equal(t, there[0].ID, id)

	// What is not the app's own component does not travel, and its layers are plain ones.
	stolen := w.withInstance(there[0], "Stolen")
	require.NotContains(t, bundletest.Unpack(t, w.exported(w.owner, stolen.ID)), "components.json")
	plain := made(w.CopyFlow(w.owner, stolen.ID, other.ID, "Plain"))(t)
	require.NotContains(t, string(plain.Flow.Draft), `"component"`)
	require.Contains(t, string(plain.Flow.Draft), "Monthly")
}

func TestHostileComponentsInAFile(t *testing.T) {
	w := newWorld(t)
	card := made(w.component(w.owner, "Card"))(t)
	files := bundletest.Unpack(t, w.exported(w.owner, w.withInstance(card, "Offer").ID))
	require.Contains(t, files, "components.json")
	owner, theirs := w.elsewhere()
	with := func(components string) *bytes.Reader {
		changed := maps.Clone(files)
		changed["components.json"] = components
		return bytes.NewReader(bundletest.Pack(t, changed))
	}
	one := func(id, name, tree, rest string) string {
		return fmt.Sprintf(`[{"id":%q,"name":%q,"tree":%s%s}]`, id, name, tree, rest)
	}
	id := card.ID.String()
	for what, components := range map[string]string{
		"no list":         `{}`,
		"no JSON":         `[`,
		"a deep one":      strings.Repeat("[", 500_000),
		"too large":       one(id, "Card", `{"id":"lyr_a","kind":"text","text":{"default":"`+strings.Repeat("x", 70_000)+`"}}`, ""),
		"a large file":    "[" + strings.Repeat(" ", 5<<20) + "]",
		"no id":           one("x", "Card", priceCard, ""),
		"no name":         one(id, " ", priceCard, ""),
		"a long name":     one(id, strings.Repeat("x", 500), priceCard, ""),
		"no layers":       one(id, "Card", `[]`, ""),
		"an unknown kind": one(id, "Card", `{"id":"lyr_a","kind":"marquee"}`, ""),
		"a foreign slot":  one(id, "Card", priceCard, `,"slots":[{"layerId":"lyr_none","name":"x"}]`),
		"no slots":        one(id, "Card", priceCard, `,"slots":7`),
		"a foreign layer": one(id, "Card", priceCard, `,"overridable":[{"layerId":"lyr_none","path":["text"]}]`),
		"the same id twice": strings.TrimSuffix(one(id, "A", priceCard, ""), "]") + "," +
			strings.TrimPrefix(one(id, "B", priceCard, ""), "["),
		"too many": "[" + strings.TrimSuffix(strings.Repeat(`{},`, 201), ",") + "]",
	} {
		_, err := w.ImportFlow(owner, theirs.ID, "", with(components))
		t.Log(what, err)
		refused(t, err, fault.InvalidInput, "file")
	}
	require.Empty(t, w.componentsIn(theirs.ID), "nothing is stored of what is refused")
	flows := made(w.db.Ent().Flow.Query().IDs(context.Background()))(t)
	require.Len(t, flows, 1)

	// One that is an instance of itself is plain layers inside, and one that no instance is of is not stored.
	cycle := strings.Replace(priceCard, `"id":"lyr_more"`,
		fmt.Sprintf(`"component":{"id":%q,"revision":1,"layer":"lyr_card"},"id":"lyr_more"`, id), 1)
	unused := strings.TrimPrefix(one(uuid.NewString(), "Unused", priceCard, ""), "[")
	list := strings.TrimSuffix(one(id, "<script>alert(1)</script>", cycle, ""), "]") + "," + unused
	imported := made(w.ImportFlow(owner, theirs.ID, "", with(list)))(t)
	there := w.componentsIn(theirs.ID)
	require.Len(t, there, 1)
	require.NotEqual(t, card.ID, there[0].ID, "an id of another workspace is not taken")
	require.NotContains(t, string(made(w.ReadComponent(owner, there[0], nil))(t).Tree), "component")
	of, _ := instance(t, imported.Flow.Draft)
	require.Equal(t, there[0].ID, of)
	require.Equal(t, 1, made(w.ReadComponent(w.owner, card, nil))(t).Revision, "the other workspace's is untouched")
}
