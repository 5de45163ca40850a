package delivery

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery/bucketing"
)

func TestChannelConditions(t *testing.T) {
	here, other, gone := fixedID("a1"), fixedID("a2"), fixedID("a9")
	arms := func(versions ...*uuid.UUID) []armRow {
		var rows []armRow
		for i, version := range versions {
			rows = append(
				rows, armRow{id: fixedID("b" + string(rune('1'+i))), key: string(rune('a' + i)), weight: 1, versionID: version},
			)
		}
		return rows
	}
	experiment := func(last, status string, rows []armRow) experimentRow {
		return experimentRow{id: fixedID(last), salt: "s", status: status, arms: rows}
	}
	experiments := []experimentRow{
		experiment("e1", "draft", arms(&here, &other)),
		experiment("e2", "running", arms(&here, &other)),
		experiment("e3", "pending_decision", arms(&here, &other)),
		experiment("e4", "stopped", arms(&here, &other)),
		experiment("e5", "running", arms(nil, nil)),
		experiment("e6", "running", arms(&gone, &gone)),
		experiment("e7", "running", nil),
	}
	manifest := Content{Manifest: json.RawMessage(`{}`)}
	compiler := fixedCompiler(t, Surroundings{}, map[uuid.UUID]Content{here: manifest, other: manifest}, experiments...)
	on := func(last string) channelRow {
		id := fixedID(last)
		return channelRow{assignment: "experiment", experimentID: &id}
	}
	for _, c := range []struct {
		name    string
		row     channelRow
		variant string
		want    Condition
	}{
		{"nothing assigned", channelRow{assignment: "none"}, "", ChannelUnassigned},
		{"pinned", channelRow{assignment: "direct", versionID: &here}, "", ""},
		{"pinned version gone", channelRow{assignment: "direct", versionID: &gone}, "", VersionMissing},
		{"pinned to nothing", channelRow{assignment: "direct"}, "", VersionMissing},
		{"variant of a pinned channel", channelRow{assignment: "direct", versionID: &here}, "a", VariantPinInvalid},
		{"draft", on("e1"), "", ExperimentNotRunning},
		{"running", on("e2"), "", ""},
		{"pending decision keeps serving", on("e3"), "", ""},
		{"stopped", on("e4"), "", ExperimentNotRunning},
		{"stopped comes before a wrong variant", on("e4"), "z", ExperimentNotRunning},
		{"arm without a version", on("e5"), "", VariantPinInvalid},
		{"arm whose version is gone", on("e6"), "", VersionMissing},
		{"no arms", on("e7"), "", ExperimentNotRunning},
		{"experiment gone", on("e9"), "", ExperimentNotRunning},
		{"experiment unset", channelRow{assignment: "experiment"}, "", ExperimentNotRunning},
		{"forced by key", on("e2"), "b", ""},
		{"forced by id", on("e2"), fixedID("b2").String(), ""},
		{"forced unknown", on("e2"), "z", VariantPinInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			channel, err := compiler.compileChannel(c.row)
			require.NoError(t, err)
			answer, condition := channel.Resolve("dev-1", c.variant)
			require.Equal(t, c.want, condition)
			require.Equal(t, c.want == "", answer != nil)
			if answer != nil && c.variant != "" {
				require.Contains(t, string(plainText(t, answer.Body)), `"variantKey":"b"`)
			}
		})
	}

	archived, err := compiler.compileChannel(channelRow{archived: true, assignment: "direct", versionID: &here})
	require.NoError(t, err)
	require.True(t, archived.Archived)
}

// Both arms are reached, and each person always gets the same one.
func TestChannelBuckets(t *testing.T) {
	a, b := fixedID("a1"), fixedID("a2")
	experiment := experimentRow{id: fixedID("e1"), salt: "s", status: "running", arms: []armRow{
		{id: fixedID("b1"), key: "a", weight: 1, versionID: &a}, {id: fixedID("b2"), key: "b", weight: 1, versionID: &b},
	}}
	manifest := Content{Manifest: json.RawMessage(`{}`)}
	channel, err := fixedCompiler(t, Surroundings{}, map[uuid.UUID]Content{a: manifest, b: manifest}, experiment).
		compileChannel(channelRow{assignment: "experiment", assignmentVersion: 2, experimentID: &experiment.id})
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, user := range []string{"u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8"} {
		first, condition := channel.Resolve(user, "")
		require.Empty(t, condition)
		again, _ := channel.Resolve(user, "")
		require.Same(t, first, again)
		want := []uuid.UUID{a, b}[bucketing.ChooseArm(experiment.id.String(), "s", user, []int{1, 1})]
		require.Equal(t, ETag(2, want), first.ETag)
		require.True(t, first.NotModified([]string{first.ETag}))
		require.False(t, first.NotModified([]string{`"*"`}))
		require.False(t, first.NotModified(nil))
		seen[first.ETag] = true
	}
	require.Len(t, seen, 2)
}

// Two arms on one version make one tag stand for two documents.
func TestSharedVersionIsNeverUnmodified(t *testing.T) {
	a, b := fixedID("a1"), fixedID("a2")
	experiment := experimentRow{id: fixedID("e1"), salt: "s", status: "pending_decision", arms: []armRow{
		{id: fixedID("b1"), key: "a", weight: 1, versionID: &a},
		{id: fixedID("b2"), key: "b", weight: 1, versionID: &b},
		{id: fixedID("b3"), key: "c", weight: 1, versionID: &a},
	}}
	manifest := Content{Manifest: json.RawMessage(`{}`)}
	channel, err := fixedCompiler(t, Surroundings{}, map[uuid.UUID]Content{a: manifest, b: manifest}, experiment).
		compileChannel(channelRow{assignment: "experiment", experimentID: &experiment.id})
	require.NoError(t, err)
	for _, variant := range []string{"a", "b", "c"} {
		answer, condition := channel.Resolve("dev-1", variant)
		require.Empty(t, condition)
		require.False(t, answer.NotModified([]string{answer.ETag}), variant)
	}
}
