package ascode

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
)

// What is stored as it is written, and what is only referred to.

var goalKind = &kind{
	name: "goals", members: []string{"name", "condition"}, required: []string{"name", "condition"},
	refers: []string{"flows"},
	read: func(ctx context.Context, r *reading) ([]*object, error) {
		var rows []struct {
			nameOf
			Condition json.RawMessage `json:"condition"`
		}
		err := r.server.ReadAll(ctx, "goalList", map[string]any{"app": r.app}, &rows, "app", "goals")
		var objects []*object
		for _, row := range rows {
			condition, wrong := value(row.Condition)
			err = errors.Join(err, wrong)
			objects = append(objects, &object{
				id: row.ID, name: row.Name, content: document{"name": row.Name, "condition": condition},
			})
		}
		return objects, err
	},
	create: creating("createGoal"), update: updating("updateGoal"), remove: removing("deleteGoal"),
}

var segmentKind = &kind{
	name: "segments", members: []string{"name", "rules", "windowDays"}, required: []string{"name"},
	refers: []string{"flows"},
	read: func(ctx context.Context, r *reading) ([]*object, error) {
		var rows []struct {
			nameOf
			Rules      json.RawMessage `json:"rules"`
			WindowDays json.Number     `json:"windowDays"`
		}
		err := r.server.ReadAll(ctx, "segments", map[string]any{"app": r.app}, &rows, "app", "segments")
		var objects []*object
		for _, row := range rows {
			rules, wrong := value(row.Rules)
			err = errors.Join(err, wrong)
			content := document{"name": row.Name, "windowDays": row.WindowDays}
			if rules != nil { // else its ids were imported, which are no configuration
				content["rules"] = rules
			}
			objects = append(objects, &object{id: row.ID, name: row.Name, content: content})
		}
		return objects, err
	},
	create: creating("createSegment"), update: updating("updateSegment"), remove: removing("deleteSegment"),
}

var brandingMembers = []string{"appIcon", "colorPresets", "gradientPresets", "fontFamilies"}

var brandingKind = &kind{
	name: "branding", single: true, members: brandingMembers,
	read: func(ctx context.Context, r *reading) ([]*object, error) {
		var raw json.RawMessage
		if err := r.server.Read(ctx, "branding", map[string]any{"app": r.app}, &raw, "app", "branding"); err != nil {
			return nil, err
		}
		branding, err := decode(raw)
		if err != nil || !anyOf(branding) {
			return nil, err
		}
		return []*object{{id: r.app, name: "branding", content: branding}}, nil
	},
	create: func(ctx context.Context, p *push, c change) (string, error) {
		return c.app, p.change(ctx, "updateBranding", map[string]any{"appId": c.app, "branding": c.content}, nil)
	},
	update: func(ctx context.Context, p *push, c change) error {
		return p.change(ctx, "updateBranding", map[string]any{"appId": c.app, "branding": c.content}, nil)
	},
	remove: func(ctx context.Context, p *push, o *object) error {
		return p.change(ctx, "updateBranding", map[string]any{"appId": o.id, "branding": document{}}, nil)
	},
}

// anyOf tells whether a branding says anything.
func anyOf(branding document) bool {
	for _, member := range branding {
		if list, isList := member.([]any); member != nil && (!isList || len(list) > 0) {
			return true
		}
	}
	return false
}

var planKind = &kind{
	name: "plans", members: []string{"name", "features", "activeApps", "liveUsers"}, required: []string{"name"},
	read: func(ctx context.Context, r *reading) ([]*object, error) {
		var rows []document
		if err := r.server.Read(ctx, "plans", nil, &rows, "plans"); err != nil {
			return nil, err
		}
		var objects []*object
		for _, row := range rows {
			key, _ := row["key"].(string)
			name, _ := row["name"].(string)
			delete(row, "key")
			maps.DeleteFunc(row, func(_ string, v any) bool { return v == nil })
			objects = append(objects, &object{id: key, name: name, givenSlug: key, content: row})
		}
		return objects, nil
	},
	create: func(ctx context.Context, p *push, c change) (string, error) {
		key := strings.TrimPrefix(c.path, "plans/")
		return key, p.savePlan(ctx, key, c)
	},
	update: func(ctx context.Context, p *push, c change) error { return p.savePlan(ctx, c.object.id, c) },
	remove: func(context.Context, *push, *object) error {
		return errors.New("a plan can't be removed: workspaces may be on it")
	},
}

func (p *push) savePlan(ctx context.Context, key string, c change) error {
	input := map[string]any{"key": key, "features": []any{}}
	maps.Copy(input, c.content)
	return p.change(ctx, "savePlan", input, nil)
}

var componentKind = &kind{
	name: "components", onlyReferred: true,
	read: func(ctx context.Context, r *reading) ([]*object, error) {
		var rows []nameOf
		err := r.server.ReadAll(ctx, "components", map[string]any{"app": r.app}, &rows, "app", "components")
		return rowsNamed(rows, ""), err
	},
}

var endpointKind = &kind{
	name: "endpoints", onlyReferred: true, environments: true,
	read: func(ctx context.Context, r *reading) ([]*object, error) {
		var objects []*object
		err := r.eachEnvironment(func(environment string, variables map[string]any) error {
			var rows []nameOf
			delete(variables, "archived")
			err := r.server.Read(ctx, "webhookEndpoints", variables, &rows, "app", "webhookEndpoints")
			objects = append(objects, rowsNamed(rows, environment)...)
			return err
		})
		return objects, err
	},
}

func rowsNamed(rows []nameOf, environment string) []*object {
	var objects []*object
	for _, row := range rows {
		objects = append(objects, &object{id: row.ID, name: row.Name, environment: environment})
	}
	return objects
}

// creating makes an object of an app by a mutation that takes the members of its file.
func creating(mutation string) func(context.Context, *push, change) (string, error) {
	return func(ctx context.Context, p *push, c change) (string, error) {
		var made nameOf
		input := map[string]any{"appId": c.app}
		maps.Copy(input, c.content)
		err := p.change(ctx, mutation, input, &made)
		return made.ID, err
	}
}

func updating(mutation string) func(context.Context, *push, change) error {
	return func(ctx context.Context, p *push, c change) error {
		input := map[string]any{"id": c.object.id}
		maps.Copy(input, c.content)
		return p.change(ctx, mutation, input, nil)
	}
}

func removing(mutation string) func(context.Context, *push, *object) error {
	return func(ctx context.Context, p *push, o *object) error {
		return p.change(ctx, mutation, map[string]any{"id": o.id}, nil)
	}
}
