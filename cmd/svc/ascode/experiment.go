package ascode

import (
	"context"
	"encoding/json"
	"fmt"
)

var experimentKind = &kind{
	name: "experiments", environments: true,
	members:  []string{"name", "channel", "splitBy", "endsAt", "planner", "variants", "status"},
	required: []string{"name", "channel", "variants"}, served: []string{"status"}, fresh: document{"status": "DRAFT"},
	refers: []string{"flows", "channels"},
	read:   readExperiments, create: createExperiment, update: updateExperiment, serve: serveExperiment,
	remove: func(ctx context.Context, p *push, o *object) error {
		return p.change(ctx, "deleteExperiment", map[string]any{"id": o.id}, nil)
	},
}

// readExperiments leaves out those that ended: they are history, which no file makes again.
func readExperiments(ctx context.Context, r *reading) ([]*object, error) {
	var objects []*object
	err := r.eachEnvironment(func(environment string, variables map[string]any) error {
		var rows []struct {
			nameOf
			Status   string          `json:"status"`
			SplitBy  string          `json:"splitBy"`
			EndsAt   *string         `json:"endsAt"`
			Planner  json.RawMessage `json:"planner"`
			Variants []struct {
				Key     string         `json:"key"`
				Name    string         `json:"name"`
				Weight  int            `json:"weight"`
				Version *servedVersion `json:"version"`
			} `json:"variants"`
			Channel struct {
				ID         string  `json:"id"`
				ArchivedAt *string `json:"archivedAt"`
			} `json:"channel"`
		}
		err := r.server.ReadAll(ctx, "experimentFiles", variables, &rows, "app", "experiments")
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Status == "STOPPED" || row.Channel.ArchivedAt != nil {
				continue
			}
			variants, versions := []any{}, []any{}
			for _, v := range row.Variants {
				if v.Version != nil {
					versions = append(versions, v.Version.ID)
				}
				variants = append(variants, r.servedVersion(v.Version, document{
					"key": v.Key, "name": v.Name, "weight": json.Number(fmt.Sprint(v.Weight)),
				}))
			}
			content := document{
				"name": row.Name, "channel": row.Channel.ID, "splitBy": row.SplitBy, "variants": variants,
			}
			if row.EndsAt != nil {
				content["endsAt"] = *row.EndsAt
			}
			planner, err := value(row.Planner)
			if err != nil {
				return err
			}
			if planner != nil {
				content["planner"] = planner
			}
			status := row.Status
			if status == "PENDING_DECISION" { // users keep their variants
				status = "RUNNING"
			}
			objects = append(objects, &object{
				id: row.ID, name: row.Name, environment: environment, content: content,
				serving: document{"status": status}, status: row.Status, versions: versions,
			})
		}
		return nil
	})
	return objects, err
}

// experimentInput is what creating and updating have in common. It publishes the flows of variants without a version.
func (p *push) experimentInput(ctx context.Context, c change) (map[string]any, error) {
	input := map[string]any{"name": c.content["name"], "splitBy": orDefault(c.content["splitBy"], "DEVICE")}
	for _, name := range []string{"endsAt", "planner"} {
		if c.content[name] != nil {
			input[name] = c.content[name]
		}
	}
	list, isList := c.content["variants"].([]any)
	if !isList {
		return nil, fmt.Errorf("variants must be a list")
	}
	variants := []map[string]any{}
	for i, entry := range list {
		v, isObject := entry.(document)
		if !isObject {
			return nil, fmt.Errorf("variants.%d must be an object", i)
		}
		variant := map[string]any{"key": v["key"], "name": orDefault(v["name"], ""), "weight": v["weight"]}
		if v["flow"] != nil {
			id, err := p.versionOf(ctx, v)
			if err != nil {
				return nil, fmt.Errorf("variants.%d: %w", i, err)
			}
			variant["versionId"] = id
		}
		variants = append(variants, variant)
	}
	input["variants"] = variants
	return input, nil
}

func orDefault(v, fallback any) any {
	if v == nil {
		return fallback
	}
	return v
}

func createExperiment(ctx context.Context, p *push, c change) (string, error) {
	input, err := p.experimentInput(ctx, c)
	if err != nil {
		return "", err
	}
	input["channelId"] = c.content["channel"]
	var made nameOf
	err = p.change(ctx, "createExperiment", input, &made)
	return made.ID, err
}

func updateExperiment(ctx context.Context, p *push, c change) error {
	if c.object.status != "DRAFT" { // all but the end is frozen, and said so by the server
		return p.change(ctx, "extendExperiment", map[string]any{"id": c.object.id, "endsAt": c.content["endsAt"]}, nil)
	}
	if c.content["channel"] != p.resolve(document{"c": c.object.content["channel"]})["c"] {
		return fmt.Errorf("channel can't be changed: make another experiment")
	}
	input, err := p.experimentInput(ctx, c)
	if err != nil {
		return err
	}
	input["id"] = c.object.id
	return p.change(ctx, "updateExperiment", input, nil)
}

func serveExperiment(ctx context.Context, p *push, c change) error {
	switch status := c.serving["status"]; {
	case status == "RUNNING" && c.object.status == "DRAFT":
		return p.change(ctx, "startExperiment", map[string]any{"id": c.object.id}, nil)
	case status == "STOPPED" && c.object.status != "DRAFT":
		return p.change(ctx, "stopExperiment", map[string]any{"id": c.object.id}, nil)
	default:
		return fmt.Errorf("status: %v can't become %v", c.object.serving["status"], status)
	}
}
