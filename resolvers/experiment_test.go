package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An experiment's whole life: draft, running, pending decision by itself, longer,
// promoted; who gets what changes at the start and at the end only.
func TestExperimentLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	editor, app := w.as("editor"), w.app("Shop")
	channel, control, other := w.channel(app), w.version(app), w.version(app)
	ends := time.Now().Add(time.Hour)
	arms := []vars{{"key": "control", "weight": 1, "versionId": control}, {"key": "b", "weight": 3, "versionId": other}}
	id := editor.text(`mutation($c: ChannelID!, $e: Time!, $a: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "Goal first", endsAt: $e, variants: $a}) { id } }`,
		vars{"c": channel, "e": ends, "a": arms}, "createExperiment", "id")
	assigned := func() (int64, string) {
		got := editor.must(
			`query($c: ChannelID!) { channel(id: $c) { assignment assignmentVersion experiment { status } } }`,
			vars{"c": channel},
		)
		version, err := got.at(t, "channel", "assignmentVersion").(json.Number).Int64()
		require.NoError(t, err)
		return version, got.at(t, "channel", "assignment").(string)
	}
	change := func(mutation string, extra ...vars) answer {
		variables := vars{"x": id}
		for _, more := range extra {
			for name, value := range more {
				variables[name] = value
			}
		}
		return editor.do(mutation, variables)
	}
	version, kind := assigned()
	require.Equal(t, "NONE", kind)

	require.Empty(t, change(`mutation($x: ID!) { startExperiment(input: {id: $x}) { status } }`).Errors)
	started, kind := assigned()
	require.Equal(t, "EXPERIMENT", kind)
	require.Equal(t, version+1, started)
	require.Equal(t, "conflict", change(`mutation($x: ID!) { startExperiment(input: {id: $x}) { status } }`).code())
	require.Equal(
		t, "conflict",
		change(
			`mutation($x: ID!, $a: [VariantInput!]) { updateExperiment(input: {id: $x, variants: $a}) { id } }`, vars{"a": arms},
		).code(),
		"weights are frozen",
	)
	require.Equal(t, "conflict", change(`mutation($x: ID!) { deleteExperiment(input: {id: $x}) }`).code())
	pin := editor.do(
		`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) { channel { id } } }`,
		vars{"c": channel, "v": control},
	)
	require.Equal(t, "conflict", pin.code())

	moved, err := w.studio.ExpireExperiments(context.Background())
	require.NoError(t, err)
	require.Zero(t, moved)
	w.now = ends.Add(time.Second)
	moved, err = w.studio.ExpireExperiments(context.Background())
	require.NoError(t, err)
	require.Equal(t, 1, moved)
	status := `query($x: ID!) { experiment(id: $x) { status variants { key weight version { id } } } }`
	require.Equal(t, "PENDING_DECISION", change(status).at(t, "experiment", "status"))
	require.Equal(t, "b", change(status).at(t, "experiment", "variants", 1, "key"))
	unchanged, _ := assigned()
	require.Equal(t, started, unchanged, "people keep their arms")

	require.Equal(
		t, "invalid_input",
		change(
			`mutation($x: ID!, $e: Time!) { extendExperiment(input: {id: $x, endsAt: $e}) { status } }`, vars{"e": ends},
		).code(),
	)
	extended := change(
		`mutation($x: ID!, $e: Time!) { extendExperiment(input: {id: $x, endsAt: $e}) { status } }`,
		vars{"e": w.now.Add(time.Hour)},
	)
	require.Equal(t, "RUNNING", extended.at(t, "extendExperiment", "status"))
	unchanged, _ = assigned()
	require.Equal(t, started, unchanged)

	require.Equal(t, "invalid_input", change(`mutation($x: ID!) { promoteExperiment(input: {id: $x}) { status } }`).code())
	promoted := change(
		`mutation($x: ID!, $v: ID!) { promoteExperiment(input: {id: $x, versionId: $v}) { status channel { assignment version { id } history(first: 1) { nodes { reason } } } } }`,
		vars{"v": other},
	)
	require.Equal(t, "STOPPED", promoted.at(t, "promoteExperiment", "status"))
	require.Equal(t, other, promoted.at(t, "promoteExperiment", "channel", "version", "id"))
	require.Equal(t, "experiment.promote", promoted.at(t, "promoteExperiment", "channel", "history", "nodes", 0, "reason"))
	final, _ := assigned()
	require.Equal(t, started+1, final)
	require.Equal(t, "conflict", change(`mutation($x: ID!) { stopExperiment(input: {id: $x}) { status } }`).code())
}

func TestStopGoesBackToTheControl(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, app := w.as("owner"), w.app("Shop")
	channel, control, other := w.channel(app), w.version(app), w.version(app)
	id := owner.text(`mutation($c: ChannelID!, $e: Time!, $a: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "X", endsAt: $e, variants: $a}) { id } }`,
		vars{
			"c": channel, "e": time.Now().Add(time.Hour),
			"a": []vars{{"key": "a", "weight": 1, "versionId": control}, {"key": "b", "weight": 1, "versionId": other}},
		},
		"createExperiment", "id")
	owner.must(`mutation($x: ID!) { startExperiment(input: {id: $x}) { status } }`, vars{"x": id})
	stopped := owner.must(
		`mutation($x: ID!) { stopExperiment(input: {id: $x}) { stoppedAt channel { version { id } } } }`, vars{"x": id},
	)
	require.Equal(t, control, stopped.at(t, "stopExperiment", "channel", "version", "id"))
}

// What a draft or a start refuses names the input.
func TestExperimentRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	editor, app := w.as("editor"), w.app("Shop")
	channel, version, foreign := w.channel(app), w.version(app), w.version(w.app("Other"))
	ends := time.Now().Add(time.Hour)
	create := func(arms []vars, ends any) answer {
		return editor.do(`mutation($c: ChannelID!, $e: Time, $a: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "X", endsAt: $e, variants: $a}) { id } }`,
			vars{"c": channel, "e": ends, "a": arms})
	}
	arm := func(key string, weight int, version any) vars {
		return vars{"key": key, "weight": weight, "versionId": version}
	}
	for _, step := range []struct {
		arms  []vars
		field string
	}{
		{[]vars{arm("A B", 1, version)}, "variants.0.key"},
		{[]vars{arm("a", 1, version), arm("a", 1, version)}, "variants.1.key"},
		{[]vars{arm("a", -1, version)}, "variants.0.weight"},
		{[]vars{arm("a", 1<<20, version), arm("b", 1, version)}, "variants"},
		{[]vars{arm("a", 1, foreign)}, "variants.0.versionId"},
	} {
		got := create(step.arms, ends)
		require.Equal(t, "invalid_input", got.code(), "%v", step)
		require.Equal(t, step.field, got.Errors[0].Extensions["field"])
	}
	for _, step := range []struct {
		arms  []vars
		ends  any
		field string
	}{
		{[]vars{arm("a", 1, version)}, ends, "variants"},
		{[]vars{arm("a", 1, version), arm("b", 1, nil)}, ends, "variants.1.versionId"},
		{[]vars{arm("a", 0, version), arm("b", 0, version)}, ends, "variants"},
		{[]vars{arm("a", 1, version), arm("b", 1, version)}, nil, "endsAt"},
	} {
		id := create(step.arms, step.ends).at(t, "createExperiment", "id")
		got := editor.do(`mutation($x: ID!) { startExperiment(input: {id: $x}) { id } }`, vars{"x": id})
		require.Equal(t, step.field, got.Errors[0].Extensions["field"], fmt.Sprint(step))
		require.Empty(t, editor.do(`mutation($x: ID!) { deleteExperiment(input: {id: $x}) }`, vars{"x": id}).Errors)
	}
}
