package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// newExperimentCreate makes the command that plans an experiment, whose variants name flows and not ids of versions.
func newExperimentCreate(t terminal) *cobra.Command {
	var texts []string
	var until string
	var goals goalFlags
	var scope scopeFlags
	cmd := clientCommand{
		use: "create", short: "Make a draft of an experiment on a channel; no user gets it before it is started",
		long: "A variant is KEY=FLOW, served in its newest version, or KEY=FLOW@4 in this one; :3 at the end is its\n" +
			"weight, 1 unless given. The first is the control.",
		arguments: []string{"channelId", "name"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"channelId": args[0], "name": args[1]}
		splitBy, err := scope.chosen("split-by", splits)
		if err != nil {
			return err
		}
		input["splitBy"] = splitBy
		if until != "" {
			if input["endsAt"], err = ending(until, time.Now()); err != nil {
				return err
			}
		}
		var variants []map[string]any
		for _, text := range texts {
			v, err := readVariant(text)
			if err != nil {
				return err
			}
			_, version, err := findVersion(ctx, server, v.flow, v.version)
			if err != nil {
				return err
			}
			variants = append(variants, map[string]any{"key": v.key, "name": v.key, "weight": v.weight, "versionId": version.ID})
		}
		input["variants"] = variants
		if list := goals.list(); len(list) > 0 {
			input["goals"] = list
		}
		return server.change(ctx, t, "createExperiment", input, out)
	})
	scope.set = cmd.Flags()
	cmd.Flags().StringArrayVar(&texts, "variant", nil, "KEY=FLOW[@VERSION][:WEIGHT]; repeat it, the control first")
	cmd.Flags().StringVar(&until, "until", "", "when it ends: "+endings)
	choice(cmd, "split-by", "device", "who gets one variant", splits)
	goals.bind(cmd)
	return cmd
}

// goalFlags name the goals that results of an experiment measure.
type goalFlags struct {
	primary string
	others  []string
}

func (f *goalFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.primary, "primary-goal", "", "id of the goal that decides, in place of completion")
	cmd.Flags().StringArrayVar(&f.others, "goal", nil, "id of a goal to measure besides; repeat it")
}

func (f *goalFlags) list() []map[string]any {
	list := []map[string]any{}
	if f.primary != "" {
		list = append(list, map[string]any{"goalId": f.primary, "primary": true})
	}
	for _, id := range f.others {
		list = append(list, map[string]any{"goalId": id, "primary": false})
	}
	return list
}

func newExperimentGoals(t terminal) *cobra.Command {
	var goals goalFlags
	cmd := clientCommand{
		use: "goals", short: "Replace the goals that the results of an experiment measure",
		arguments: []string{"experimentId"},
		long: "Without flags no goal is measured. Once the experiment was started, the primary goal must stay: name it\n" +
			"again.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"id": args[0], "goals": goals.list()}
		data, err := server.query(ctx, "setExperimentGoals", map[string]any{"input": input}, "updateExperiment")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	goals.bind(cmd)
	return cmd
}

var splits = []string{"device", "custom_user_id"}

// variant is what --variant says.
type variant struct {
	key, flow       string
	version, weight int // version 0 is the newest
}

// readVariant reads KEY=FLOW[@VERSION][:WEIGHT].
func readVariant(text string) (variant, error) {
	v := variant{weight: 1}
	wrong := usageError("--variant must be KEY=FLOW[@VERSION][:WEIGHT], not %q", text)
	key, rest, found := strings.Cut(text, "=")
	if !found || key == "" {
		return v, wrong
	}
	v.key = key
	var err error
	rest, weight, weighted := strings.Cut(rest, ":")
	if weighted {
		if v.weight, err = strconv.Atoi(weight); err != nil || v.weight < 0 {
			return v, wrong
		}
	}
	flow, version, pinned := strings.Cut(rest, "@")
	if pinned {
		if v.version, err = strconv.Atoi(version); err != nil || v.version < 1 {
			return v, wrong
		}
	}
	if v.flow = flow; flow == "" {
		return v, wrong
	}
	return v, nil
}

func newExperimentExtend(t terminal) *cobra.Command {
	var until string
	cmd := clientCommand{
		use: "extend", short: "Move the end of an experiment; one that waits for a decision runs again",
		arguments: []string{"experimentId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		end, err := ending(until, time.Now())
		if err != nil {
			return err
		}
		return server.change(ctx, t, "extendExperiment", map[string]any{"id": args[0], "endsAt": end}, out)
	})
	cmd.Flags().StringVar(&until, "until", "", endings)
	_ = cmd.MarkFlagRequired("until") // the flag exists
	return cmd
}

func newExperimentPromote(t terminal) *cobra.Command {
	return clientCommand{
		use: "promote", short: "Close an experiment; its channel serves a variant's version from then on",
		long: "The variant is given by its key. Another version than a variant's is served with svc channel pin, after a\n" +
			"stop.",
		arguments: []string{"experimentId", "variant"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		var found *struct {
			Variants []struct {
				ID  string `json:"id"`
				Key string `json:"key"`
			} `json:"variants"`
		}
		if err := server.read(ctx, "experiment", map[string]any{"id": args[0]}, &found, "experiment"); err != nil {
			return err
		}
		if found == nil {
			return missing("experiment", args[0])
		}
		var keys []string
		for _, v := range found.Variants {
			if v.Key == args[1] {
				return server.change(ctx, t, "promoteExperiment", map[string]any{"id": args[0], "variantId": v.ID}, out)
			}
			keys = append(keys, v.Key)
		}
		return &failure{
			exit: exitError, code: "not_found",
			message: fmt.Sprintf("the experiment has no variant %q, but %s", args[1], strings.Join(keys, ", ")),
		}
	})
}

// endings are the forms of --until.
const endings = "a date (its start in UTC), an RFC 3339 instant, or days from now, such as 14d"

// ending returns when an experiment ends, as RFC 3339.
func ending(text string, now time.Time) (string, error) {
	if days, is := strings.CutSuffix(text, "d"); is {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n < 10_000 {
			return now.AddDate(0, 0, n).UTC().Format(time.RFC3339), nil
		}
	}
	return instant("until", text, time.UTC)
}
