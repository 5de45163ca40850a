package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/analytics"
)

// pathKinds are the kinds of nodes as flags name them.
var pathKinds = []string{"page", "screen", "event"}

// bindPaths adds the flags of paths.
func bindPaths(cmd *cobra.Command) {
	cmd.Flags().String("anchor", "", "what paths have in common, required: page:/pricing, screen:Home or event:sign_up; "+
		"* stands for any text without a slash and ** for any text")
	cmd.Flags().Bool("before", false, "how sessions got to the anchor, not where they went from it")
	cmd.Flags().Int("steps", analytics.DefaultPathSteps, "2 to 8 steps, with that of the anchor")
	cmd.Flags().StringSlice("kinds", nil, "kinds of the other nodes, all unless given: "+strings.Join(pathKinds, ", "))
	cmd.Flags().StringArray("group", nil, "pattern whose names become one node, such as /blog/**; may be repeated")
}

func (r productReport) readPaths(f scopeFlags, variables map[string]any) error {
	if !r.flags.paths {
		return nil
	}
	kind, name, _ := strings.Cut(f.text("anchor"), ":")
	if !slices.Contains(pathKinds, kind) || name == "" {
		return usageError("--anchor is required: page:NAME, screen:NAME or event:NAME")
	}
	input := map[string]any{"anchor": map[string]any{"kind": enumName(kind), "name": name}, "direction": "AFTER"}
	before, err := f.set.GetBool("before")
	if err != nil {
		return err
	}
	if before {
		input["direction"] = "BEFORE"
	}
	if input["steps"], err = f.set.GetInt("steps"); err != nil {
		return err
	}
	kinds, err := f.set.GetStringSlice("kinds")
	if err != nil {
		return err
	}
	for i, kind := range kinds {
		if !slices.Contains(pathKinds, kind) {
			return usageError("--kinds: unknown kind %q: use %s", kind, strings.Join(pathKinds, ", "))
		}
		kinds[i] = enumName(kind)
	}
	if len(kinds) > 0 {
		input["kinds"] = kinds
	}
	groups, err := f.set.GetStringArray("group")
	if len(groups) > 0 {
		input["groups"] = groups
	}
	variables["paths"] = input
	return err
}
