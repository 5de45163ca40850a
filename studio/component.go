package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/component"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

const (
	// maxComponents bounds those of an app.
	maxComponents = 200
	// maxRevisions is how many revisions of a component are kept.
	maxRevisions = 50
	// maxRevisionBytes is what all kept revisions of a component take as the database stores them, which compresses them:
	// the components of an app take 100 MiB at most.
	maxRevisionBytes = 512 << 10
)

// ComponentRevision is what a component is, or was at a revision.
type ComponentRevision struct {
	Revision  int
	CreatedAt time.Time
	ComponentContent
}

// ComponentChange names what to change of a component; nil leaves a part as it is.
type ComponentChange struct {
	Name    *string
	Content *ComponentContent
	// Revision is the one that the content was made from; nil is any.
	Revision *int
}

// check checks a change; an empty name is one that is not changed.
func (c *ComponentChange) check() (name string, err error) {
	if c.Name != nil {
		if name, err = validate.Name("name", *c.Name); err != nil {
			return "", err
		}
	}
	if c.Content != nil {
		err = c.Content.check()
	}
	return name, err
}

// CreateComponent makes a component of an app under a name that no other one has.
func (s *Studio) CreateComponent(ctx context.Context, app uuid.UUID, change ComponentChange) (*ent.Component, error) {
	a, err := s.findApp(ctx, app, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	name, err := change.check()
	if err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	entry := record{a.WorkspaceID, "component.create", id.String(), map[string]any{"name": name}}
	var made *ent.Component
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := lockApp(ctx, tx, app, &a); err != nil { // of two who save at once the second is counted after the first
			return err
		}
		if made, err = storeComponent(ctx, tx, app, id, name); err != nil {
			return err
		}
		return storeRevision(ctx, tx, id, 1, change.Content)
	})
	return made, err
}

// storeComponent stores a component without what it is. The app is locked.
func storeComponent(ctx context.Context, tx *ent.Tx, app, id uuid.UUID, name string) (*ent.Component, error) {
	count, err := tx.Component.Query().Where(component.AppID(app)).Count(ctx)
	if err := components.checkRoom("appId", count, err); err != nil {
		return nil, err
	}
	made, err := tx.Component.Create().SetID(id).SetAppID(app).SetName(name).SetRevision(1).Save(ctx)
	return made, components.explain(err)
}

// storeRevision stores what a component is at a revision, and forgets the oldest.
func storeRevision(ctx context.Context, tx *ent.Tx, id uuid.UUID, revision int, content *ComponentContent) error {
	slots, err := json.Marshal(content.Slots)
	if err != nil {
		return fmt.Errorf("write the slots: %w", err)
	}
	var overridable any
	if content.Overridable != nil {
		text, err := json.Marshal(content.Overridable)
		if err != nil {
			return fmt.Errorf("write the properties: %w", err)
		}
		overridable = string(text)
	}
	_, err = tx.ExecContext(ctx, `
		insert into component_revision (component_id, revision, tree, slots, overridable) values ($1, $2, $3, $4, $5)`,
		id, revision, string(content.Tree), string(slots), overridable)
	if err != nil {
		return fmt.Errorf("store the revision: %w", err)
	}
	_, err = tx.ExecContext(ctx, `
		delete from component_revision d using (
			select revision, sum(pg_column_size(tree) + pg_column_size(slots) + coalesce(pg_column_size(overridable), 0))
				over (order by revision desc) as bytes
			from component_revision where component_id = $1
		) r
		where d.component_id = $1 and d.revision = r.revision and r.revision < $2
			and (r.revision <= $2 - $3 or r.bytes > $4)`, id, revision, maxRevisions, maxRevisionBytes)
	if err != nil {
		return fmt.Errorf("forget the oldest revisions: %w", err)
	}
	return nil
}

// findComponent finds a component for those who may change it.
func (s *Studio) findComponent(ctx context.Context, id uuid.UUID) (*ent.App, *ent.Component, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, nil, err
	}
	app, err := s.client.App.Query().Where(entapp.HasComponentsWith(component.ID(id))).Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "component")
	}
	if err := account.AuthorizeAppChange(ctx, ownerOf(app), "component", account.FlowEdit); err != nil {
		return nil, nil, err
	}
	found, err := s.client.Component.Get(ctx, id)
	if err != nil {
		return nil, nil, readError(err, "component")
	}
	return app, found, nil
}

// UpdateComponent renames a component, or makes its next revision. Drafts are not touched.
func (s *Studio) UpdateComponent(ctx context.Context, id uuid.UUID, change ComponentChange) (*ent.Component, error) {
	app, changed, err := s.findComponent(ctx, id)
	if err != nil {
		return nil, err
	}
	name, err := change.check()
	if err != nil {
		return nil, err
	}
	detail := map[string]any{}
	if name != "" {
		detail["name"] = name
	}
	if change.Content != nil {
		detail["content"] = true
	}
	err = s.transact(ctx, record{app.WorkspaceID, "component.update", id.String(), detail}, func(tx *ent.Tx) error {
		now, err := tx.Component.Query().Where(component.ID(id)).ForUpdate().Only(ctx)
		if err != nil {
			return readError(err, "component")
		}
		if change.Revision != nil && *change.Revision != now.Revision {
			return staleRevision(now.Revision, "the component was changed meanwhile: it is at revision %d, %d was changed",
				now.Revision, *change.Revision)
		}
		update := tx.Component.UpdateOneID(id)
		if name != "" {
			update.SetName(name)
		}
		if change.Content != nil {
			update.SetRevision(now.Revision + 1)
		}
		if changed, err = update.Save(ctx); err != nil {
			return components.explain(err)
		}
		if change.Content == nil {
			return nil
		}
		return storeRevision(ctx, tx, id, changed.Revision, change.Content)
	})
	return changed, err
}

// DeleteComponent removes a component. One that drafts have instances of is kept, code conflict, unless they are to be
// detached: then their layers stay as plain ones.
func (s *Studio) DeleteComponent(ctx context.Context, id uuid.UUID, detach bool) error {
	app, found, err := s.findComponent(ctx, id)
	if err != nil {
		return err
	}
	if !detach {
		uses, err := s.ComponentUses(ctx, found)
		if err != nil {
			return err
		}
		if len(uses) > 0 {
			return usedIn(uses)
		}
	}
	entry := record{app.WorkspaceID, "component.delete", id.String(), map[string]any{"name": found.Name}}
	return s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := tx.Component.DeleteOneID(id).Exec(ctx); err != nil {
			return readError(err, "component")
		}
		return nil
	})
}

// usedIn returns the conflict that the deletion of a component is while drafts have instances of it.
func usedIn(uses []*ComponentUse) error {
	names := make([]string, 0, 5)
	for _, use := range uses[:min(len(uses), 5)] {
		names = append(names, "“"+use.Name+"”")
	}
	more := ""
	if len(uses) > 5 {
		more = fmt.Sprintf(" and %d more", len(uses)-5)
	}
	return fault.New(fault.Conflict, "the component is used in %s%s: detach its instances, or say that they may be",
		strings.Join(names, ", "), more)
}
