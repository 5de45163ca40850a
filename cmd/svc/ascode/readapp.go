package ascode

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// reading is an app while it is read.
type reading struct {
	server Server
	app    string
	flows  map[string]*flowState
}

// readObjects reads the objects of the given kinds, with references in their documents.
func readObjects(
	ctx context.Context, server Server, app string, chosen []*kind, lock map[string]entry,
) (map[string]*object, error) {
	r := &reading{server: server, app: app, flows: map[string]*flowState{}}
	all, err := r.readKinds(ctx, withReferred(chosen))
	if err != nil {
		return nil, err
	}
	assignPaths(all, lock)
	paths := map[string]string{}
	for _, o := range all {
		if !o.kind.single {
			paths[o.id] = o.path
		}
	}
	found := map[string]*object{}
	for _, o := range all {
		if !o.kind.onlyReferred {
			o.content = normal(named(o.content, paths)).(document)
			o.serving = normal(named(o.serving, paths)).(document)
		}
		found[o.path] = o
	}
	return found, nil
}

// maxRequests is how many lists are read at once.
const maxRequests = 4

// readKinds reads the kinds at the same time, but those that name versions of flows after the flows.
func (r *reading) readKinds(ctx context.Context, wanted []*kind) ([]*object, error) {
	lists := make([][]*object, len(wanted))
	for _, afterFlows := range []bool{false, true} {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(maxRequests)
		for i, k := range wanted {
			if (k == channelKind || k == experimentKind) != afterFlows {
				continue
			}
			group.Go(func() (err error) {
				if lists[i], err = k.read(ctx, r); err != nil {
					err = fmt.Errorf("read %s: %w", k.name, err)
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
	}
	for i, k := range wanted {
		for _, o := range lists[i] {
			o.kind = k
		}
	}
	return slices.Concat(lists...), nil
}

// eachEnvironment reads a list of both environments.
func (r *reading) eachEnvironment(read func(environment string, variables map[string]any) error) error {
	for _, environment := range environments {
		variables := map[string]any{"app": r.app, "environment": strings.ToUpper(environment), "archived": false}
		if err := read(environment, variables); err != nil {
			return err
		}
	}
	return nil
}

// nameOf is what every row has.
type nameOf struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// value decodes a JSON value of an answer.
func value(raw json.RawMessage) (any, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	d, err := decode([]byte(`{"v":` + string(raw) + `}`))
	return d["v"], err
}
