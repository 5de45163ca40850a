package ascode

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

var automationKind = &kind{
	name: "automations", environments: true, members: []string{"name", "definition", "published", "state"},
	required: []string{"name", "definition"}, served: []string{"published", "state"},
	fresh:  document{"state": "DRAFT", "published": false},
	refers: []string{"flows", "goals", "segments", "channels", "endpoints"},
	read:   readAutomations, create: createAutomation, update: updateAutomation, serve: serveAutomation,
	remove: func(ctx context.Context, p *push, o *object) error {
		return p.change(ctx, "archiveAutomation", map[string]any{"id": o.id}, nil)
	},
}

func readAutomations(ctx context.Context, r *reading) ([]*object, error) {
	var objects []*object
	err := r.eachEnvironment(func(environment string, variables map[string]any) error {
		var rows []struct {
			nameOf
			State string          `json:"state"`
			Draft json.RawMessage `json:"draft"`
		}
		if err := r.server.ReadAll(ctx, "automationFiles", variables, &rows, "app", "automations"); err != nil {
			return err
		}
		for _, row := range rows {
			draft, err := value(row.Draft)
			if err != nil {
				return err
			}
			published := false
			if row.State != "DRAFT" {
				if published, err = r.automationPublished(ctx, row.ID, draft); err != nil {
					return err
				}
			}
			objects = append(objects, &object{
				id: row.ID, name: row.Name, environment: environment, status: row.State,
				content: document{"name": row.Name, "definition": draft},
				serving: document{"state": row.State, "published": published},
			})
		}
		return nil
	})
	return objects, err
}

// automationPublished tells whether the newest version is the draft.
func (r *reading) automationPublished(ctx context.Context, id string, draft any) (bool, error) {
	var versions []struct{ Definition json.RawMessage }
	err := r.server.Read(
		ctx, "automationVersions", map[string]any{"id": id}, &versions, "automation", "versions",
	)
	if err != nil || len(versions) == 0 {
		return false, err
	}
	newest, err := value(versions[0].Definition)
	return hash(document{"v": newest}) == hash(document{"v": draft}), err
}

func createAutomation(ctx context.Context, p *push, c change) (string, error) {
	var made nameOf
	err := p.change(ctx, "createAutomation", map[string]any{
		"appId": c.app, "environment": strings.ToUpper(c.environment), "name": c.content["name"],
		"definition": c.content["definition"],
	}, &made)
	return made.ID, err
}

func updateAutomation(ctx context.Context, p *push, c change) error {
	return p.change(ctx, "saveAutomation", map[string]any{
		"id": c.object.id, "name": c.content["name"], "definition": c.content["definition"],
	}, nil)
}

func serveAutomation(ctx context.Context, p *push, c change) error {
	id := map[string]any{"id": c.object.id}
	if c.serving["published"] == true {
		if err := p.change(ctx, "publishAutomation", id, nil); err != nil {
			return err
		}
	}
	state := c.serving["state"]
	switch {
	case state == nil || state == c.object.status || state == "PUBLISHED":
		return nil
	case state == "ACTIVE":
		return p.change(ctx, "activateAutomation", id, nil)
	case state == "PAUSED":
		return p.change(ctx, "pauseAutomation", id, nil)
	}
	return fmt.Errorf("state: %v can't become %v", c.object.serving["state"], state)
}
