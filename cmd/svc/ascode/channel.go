package ascode

import (
	"context"
	"fmt"
	"strings"
)

var channelKind = &kind{
	name: "channels", environments: true, members: []string{"name", "automaticReturn", "serves"},
	required: []string{"name"}, served: []string{"serves"}, fresh: document{"serves": nil},
	refers: []string{"flows", "experiments"},
	read:   readChannels, create: createChannel, update: updateChannel, serve: serveChannel,
	remove: func(ctx context.Context, p *push, o *object) error {
		return p.change(ctx, "archiveChannel", map[string]any{"id": o.id, "confirmName": o.name}, nil)
	},
}

func readChannels(ctx context.Context, r *reading) ([]*object, error) {
	var objects []*object
	err := r.eachEnvironment(func(environment string, variables map[string]any) error {
		var rows []struct {
			nameOf
			AutomaticReturn bool           `json:"automaticReturn"`
			Version         *servedVersion `json:"version"`
			Experiment      *nameOf        `json:"experiment"`
		}
		err := r.server.ReadAll(ctx, "channelFiles", variables, &rows, "app", "environment", "channels")
		for _, row := range rows {
			var serves any
			versions := []any{}
			switch {
			case row.Experiment != nil:
				serves = document{"experiment": row.Experiment.ID}
			case row.Version != nil:
				serves, versions = r.servedVersion(row.Version, document{}), []any{row.Version.ID}
			}
			objects = append(objects, &object{
				id: row.ID, name: row.Name, environment: environment,
				content: document{"name": row.Name, "automaticReturn": row.AutomaticReturn},
				serving: document{"serves": serves}, versions: versions,
			})
		}
		return err
	})
	return objects, err
}

func createChannel(ctx context.Context, p *push, c change) (string, error) {
	var made nameOf
	err := p.change(ctx, "createChannel", map[string]any{
		"appId": c.app, "environment": strings.ToUpper(c.environment), "name": c.content["name"],
	}, &made)
	if err != nil || c.content["automaticReturn"] != true {
		return made.ID, err
	}
	return made.ID, p.change(ctx, "setAutomaticReturn", map[string]any{"id": made.ID, "automaticReturn": true}, nil)
}

func updateChannel(ctx context.Context, p *push, c change) error {
	if c.content["name"] != c.object.name {
		err := p.change(ctx, "renameChannel", map[string]any{"id": c.object.id, "name": c.content["name"]}, nil)
		if err != nil {
			return err
		}
	}
	wanted := c.content["automaticReturn"] == true
	if wanted == (c.object.content["automaticReturn"] == true) {
		return nil
	}
	return p.change(ctx, "setAutomaticReturn", map[string]any{"id": c.object.id, "automaticReturn": wanted}, nil)
}

func serveChannel(ctx context.Context, p *push, c change) error {
	if c.serving["serves"] == nil {
		return p.change(ctx, "unassignChannel", map[string]any{"id": c.object.id}, nil)
	}
	serves, isObject := c.serving["serves"].(document)
	switch {
	case !isObject:
		return fmt.Errorf("serves must be an object or null")
	case serves["experiment"] != nil:
		return nil // the start of the experiment does it
	}
	id, err := p.versionOf(ctx, serves)
	if err != nil {
		return fmt.Errorf("serves: %w", err)
	}
	return p.change(ctx, "pinChannel", map[string]any{"id": c.object.id, "versionId": id}, nil)
}
