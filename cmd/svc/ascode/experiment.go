package ascode

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

var experimentKind = &kind{
	name: "experiments", environments: true,
	members:  []string{"name", "channel", "splitBy", "endsAt", "planner", "variants", "goals", "status"},
	required: []string{"name", "channel", "variants"}, served: []string{"status"}, fresh: document{"status": "DRAFT"},
	refers: []string{"flows", "goals", "channels"},
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
			Goals []struct {
				Goal    nameOf `json:"goal"`
				Primary bool   `json:"primary"`
			} `json:"goals"`
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
			goals := []any{}
			for _, g := range row.Goals {
				goal := document{"goal": g.Goal.ID}
				if g.Primary {
					goal["primary"] = true
				}
				goals = append(goals, goal)
			}
			if len(goals) > 0 {
				content["goals"] = goals
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
	goals, err := goalsInput(c)
	if err != nil {
		return nil, err
	}
	input["goals"] = goals
	list, err := listOf(c, "variants")
	if err != nil {
		return nil, err
	}
	variants := []map[string]any{}
	for i, v := range list {
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

// goalsInput is what an experiment measures; a file without goals says none.
func goalsInput(c change) ([]map[string]any, error) {
	list, err := listOf(c, "goals")
	goals := []map[string]any{}
	for _, g := range list {
		goals = append(goals, map[string]any{"goalId": g["goal"], "primary": orDefault(g["primary"], false)})
	}
	return goals, err
}

// listOf returns the objects of a member that is a list; one that was left out has none.
func listOf(c change, name string) ([]document, error) {
	list, isList := orDefault(c.content[name], []any{}).([]any)
	if !isList {
		return nil, fmt.Errorf("%s must be a list", name)
	}
	var objects []document
	for i, entry := range list {
		object, isObject := entry.(document)
		if !isObject {
			return nil, fmt.Errorf("%s.%d must be an object", name, i)
		}
		objects = append(objects, object)
	}
	return objects, nil
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
	if c.object.status != "DRAFT" {
		return updateStarted(ctx, p, c)
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

// updateStarted changes what is not frozen of an experiment that was started: its end, and its goals, of which the
// server keeps the one that decides.
func updateStarted(ctx context.Context, p *push, c change) error {
	was := change{content: p.resolve(c.object.content)}
	for _, name := range []string{"name", "channel", "splitBy", "planner", "variants"} {
		if said := c.content[name]; said != nil && !agrees(said, was.content[name]) {
			return fmt.Errorf("%s can't be changed: the experiment was started", name)
		}
	}
	goals, err := goalsInput(c)
	if err != nil {
		return err
	}
	if before, _ := goalsInput(was); !reflect.DeepEqual(goals, before) {
		err := p.change(ctx, "updateExperiment", map[string]any{"id": c.object.id, "goals": goals}, nil)
		if err != nil {
			return err
		}
	}
	if !runsOn(c.content, c.object.content) {
		return nil
	}
	return p.change(ctx, "extendExperiment", map[string]any{"id": c.object.id, "endsAt": c.content["endsAt"]}, nil)
}

// runsOn tells whether a file moves the end of an experiment.
func runsOn(said, has document) bool { return said["endsAt"] != nil && said["endsAt"] != has["endsAt"] }

// agrees tells whether a member of a file is what the server has. Members of variants that one of the two leaves out
// are not compared: names, and versions that say what the draft does.
func agrees(said, has any) bool {
	list, isList := said.([]any)
	others, areList := has.([]any)
	if !isList || !areList {
		return hash(document{"v": said}) == hash(document{"v": has})
	}
	return slices.EqualFunc(list, others, func(said, has any) bool {
		a, isObject := said.(document)
		b, areObject := has.(document)
		common := maps.Clone(a)
		maps.DeleteFunc(common, func(name string, _ any) bool { _, given := b[name]; return !given })
		return isObject && areObject && sameMembers(common, b)
	})
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
