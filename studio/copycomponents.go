package studio

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/studio/bundle"
)

// componentsOf reads the components of an app that a draft has instances of, as they are now.
func (s *Studio) componentsOf(ctx context.Context, app uuid.UUID, draft json.RawMessage) ([]bundle.Component, error) {
	ids, err := bundle.InstancesOf(draft)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	all, err := currentComponents(ctx, s.client, app, ids...)
	if err != nil {
		return nil, err
	}
	var found []bundle.Component
	for _, one := range all {
		found = append(found, one.Component)
	}
	return found, nil
}

type currentComponent struct {
	bundle.Component
	revision int
}

// currentComponents reads the components of an app, or those of ids, with what they are now, by name.
func currentComponents(
	ctx context.Context, q querier, app uuid.UUID, ids ...uuid.UUID,
) ([]currentComponent, error) {
	var all []currentComponent
	err := eachRow(ctx, q, func(rows *sql.Rows) error {
		one := currentComponent{}
		var tree, slots, overridable []byte
		if err := rows.Scan(&one.ID, &one.Name, &one.revision, &tree, &slots, &overridable); err != nil {
			return err
		}
		one.Tree, one.Slots, one.Overridable = tree, slots, overridable
		if overridable == nil {
			one.Overridable = json.RawMessage("null")
		}
		all = append(all, one)
		return nil
	}, `
		select c.id, c.name, c.revision, r.tree, r.slots, r.overridable from components c
		join component_revision r on r.component_id = c.id and r.revision = c.revision
		where c.app_id = $1 and ($2::uuid[] is null or c.id = any($2)) order by c.name`, app, ids)
	if err != nil {
		return nil, fmt.Errorf("read the components: %w", err)
	}
	return all, nil
}

// withTrees lists a draft and the layers of components.
func withTrees(draft json.RawMessage, components []bundle.Component) []json.RawMessage {
	texts := []json.RawMessage{draft}
	for _, one := range components {
		texts = append(texts, one.Tree)
	}
	return texts
}

// checkComponents refuses what is no component in a bundle, before anything is stored.
func checkComponents(components []bundle.Component) error {
	for i, one := range components {
		where := fmt.Sprintf("components.json: %d", i)
		if _, err := validate.Name("file", one.Name); err != nil {
			return fault.Invalid("file", "%s: name: %s", where, err)
		}
		if _, err := contentOf(one); err != nil {
			return fault.Invalid("file", "%s: %s", where, err)
		}
	}
	return nil
}

// contentOf reads and checks what a component of elsewhere is.
func contentOf(one bundle.Component) (*ComponentContent, error) {
	content := &ComponentContent{Tree: one.Tree, Slots: []ComponentSlot{}}
	if len(one.Slots) > 0 {
		if err := json.Unmarshal(one.Slots, &content.Slots); err != nil {
			return nil, fault.Invalid(contentField("slots"), "can't be read: %s", err)
		}
	}
	if len(one.Overridable) > 0 {
		if err := json.Unmarshal(one.Overridable, &content.Overridable); err != nil {
			return nil, fault.Invalid(contentField("overridable"), "can't be read: %s", err)
		}
	}
	return content, content.check()
}

// linkComponents makes the instances of a draft that comes to an app instances of components of that app: of the very
// ones, else of equal ones, else of new ones. An instance of what came without its component becomes plain layers.
func linkComponents(
	ctx context.Context, tx *ent.Tx, app *ent.App, draft json.RawMessage, components []bundle.Component,
	files, gradients map[uuid.UUID]uuid.UUID,
) (json.RawMessage, error) {
	ids, err := bundle.InstancesOf(draft)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return draft, nil
	}
	locked := app
	// Of two who copy at once the second finds what the first made.
	if err := lockApp(ctx, tx, app.ID, &locked); err != nil {
		return nil, err
	}
	there, err := currentComponents(ctx, tx, app.ID)
	if err != nil {
		return nil, err
	}
	arriving := arrivals{app: app, there: there, links: map[uuid.UUID]bundle.Link{}}
	for _, id := range ids {
		for _, one := range components {
			if one.ID != id || arriving.has(id) {
				continue
			}
			if one.Tree, err = bundle.Rename(one.Tree, files, gradients); err != nil {
				return nil, err
			}
			if err := arriving.take(ctx, tx, one); err != nil {
				return nil, err
			}
		}
	}
	return bundle.Relink(draft, arriving.link)
}

// arrivals are components that come to an app with a draft.
type arrivals struct {
	app   *ent.App
	there []currentComponent
	links map[uuid.UUID]bundle.Link
	// equals are links to what is there by hashes of contents; nil until one is asked for.
	equals map[[sha256.Size]byte]bundle.Link
}

// has reports whether the app has the very component.
func (a *arrivals) has(id uuid.UUID) bool {
	for _, one := range a.there {
		if one.ID == id {
			return true
		}
	}
	return false
}

func (a *arrivals) link(from bundle.Link) (bundle.Link, bool) {
	for _, one := range a.there {
		if one.ID == from.ID {
			return bundle.Link{ID: from.ID, Revision: min(max(from.Revision, 0), one.revision)}, true
		}
	}
	to, ok := a.links[from.ID]
	return to, ok
}

// take finds the component of the app that is equal to one that arrives, or makes it.
func (a *arrivals) take(ctx context.Context, tx *ent.Tx, one bundle.Component) error {
	content, err := contentOf(one)
	if err != nil {
		return fault.Invalid("file", "the component %q: %s", one.Name, err)
	}
	hash, err := content.hash()
	if err != nil {
		return err
	}
	if equal, ok := a.equal(hash); ok {
		a.links[one.ID] = equal
		return nil
	}
	id := uuid.Must(uuid.NewV7())
	name := a.freeName(one.Name)
	made, err := storeComponent(ctx, tx, a.app.ID, id, name)
	if err != nil {
		return err
	}
	if err := storeRevision(ctx, tx, id, made.Revision, content); err != nil {
		return err
	}
	detail := map[string]any{"name": name}
	if err := account.Record(ctx, tx, a.app.WorkspaceID, "component.create", id.String(), detail); err != nil {
		return err
	}
	link := bundle.Link{ID: id, Revision: made.Revision}
	a.links[one.ID], a.equals[hash] = link, link
	one.ID, one.Name = id, name
	a.there = append(a.there, currentComponent{one, made.Revision})
	return nil
}

// equal finds what is there by the hash of its content. All of it is read once, however much arrives: an app has up to
// 12 MiB of components.
func (a *arrivals) equal(hash [sha256.Size]byte) (bundle.Link, bool) {
	if a.equals == nil {
		a.equals = map[[sha256.Size]byte]bundle.Link{}
		for _, one := range a.there {
			content, err := contentOf(one.Component)
			if err != nil {
				continue // of an older manifest: it equals nothing
			}
			sum, err := content.hash()
			if _, taken := a.equals[sum]; err == nil && !taken {
				a.equals[sum] = bundle.Link{ID: one.ID, Revision: one.revision}
			}
		}
	}
	link, ok := a.equals[hash]
	return link, ok
}

// freeName returns a name that no component of the app has: "Card", "Card 2" and so on.
func (a *arrivals) freeName(wanted string) string {
	taken := map[string]bool{}
	for _, one := range a.there {
		taken[one.Name] = true
	}
	wanted = strings.TrimSpace(wanted)
	if !taken[wanted] {
		return wanted
	}
	runes := []rune(wanted)
	stem := string(runes[:min(len(runes), validate.MaxName-4)])
	for n := 2; ; n++ {
		if name := fmt.Sprintf("%s %d", stem, n); !taken[name] {
			return name
		}
	}
}

// hash tells contents apart. The tree of a checked one is canonical.
func (c *ComponentContent) hash() ([sha256.Size]byte, error) {
	rest, err := json.Marshal([]any{c.Slots, c.Overridable})
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("write the component: %w", err)
	}
	return sha256.Sum256(append(append([]byte{}, c.Tree...), rest...)), nil
}
