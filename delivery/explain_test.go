package delivery

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestAnExplanationAgreesWithResolve(t *testing.T) {
	here, other, gone := fixedID("a1"), fixedID("a2"), fixedID("a9")
	arms := func(weights []int, versions ...*uuid.UUID) []armRow {
		var rows []armRow
		for i, version := range versions {
			key := string(rune('a' + i))
			rows = append(rows, armRow{id: fixedID("b" + string(rune('1'+i))), key: key, weight: weights[i], versionID: version})
		}
		return rows
	}
	experiments := []experimentRow{
		{id: fixedID("e1"), salt: "s", status: "running", arms: arms([]int{30, 0, 70}, &here, &here, &other)},
		{id: fixedID("e2"), salt: "s", status: "running", arms: arms([]int{1, 1}, &gone, nil)},
		{id: fixedID("e3"), salt: "s", status: "running", arms: arms([]int{0, 0}, &here, &other)},
		{id: fixedID("e4"), salt: "s", status: "stopped", arms: arms([]int{1, 1}, &here, &other)},
		{id: fixedID("e5"), salt: "s", status: "running"},
	}
	content := Content{Manifest: json.RawMessage(`{}`)}
	compiler := fixedCompiler(t, Surroundings{}, map[uuid.UUID]Content{here: content, other: content}, experiments...)
	on := func(last string) channelRow {
		id := fixedID(last)
		return channelRow{assignment: "experiment", experimentID: &id}
	}
	for name, row := range map[string]channelRow{
		"archived":         {archived: true, assignment: "direct", versionID: &here},
		"unassigned":       {assignment: "none"},
		"pinned":           {assignment: "direct", versionID: &here},
		"pinned to a gone": {assignment: "direct", versionID: &gone},
		"running":          on("e1"), "arms that serve nothing": on("e2"), "weightless": on("e3"),
		"stopped": on("e4"), "without arms": on("e5"),
	} {
		channel, err := compiler.compileChannel(row)
		require.NoError(t, err)
		for _, person := range []string{"dev-1", "dev-2", "dev-3", "dev-4", "dev-5", "dev-6", "dev-7", "dev-8"} {
			explained := channel.explain(person)
			require.NotEmpty(t, explained.Reason, name)
			condition := ChannelArchived
			var answer *Answer
			if !channel.Archived {
				answer, condition = channel.Resolve(person, "")
			}
			if condition != "" {
				require.Equal(t, string(condition), *explained.Refusal, name)
				continue
			}
			require.Nil(t, explained.Refusal, name)
			require.Equal(t, ETag(0, *explained.Arm.VersionID), answer.ETag, name)
		}
		everybody, shares := channel.explain(""), 0.0
		require.Nil(t, everybody.Bucket, name)
		for _, arm := range everybody.Arms {
			shares += arm.Share
		}
		if len(everybody.Arms) > 0 {
			require.InDelta(t, 1, shares, 1e-12, name)
		}
	}

	channel, err := compiler.compileChannel(on("e1"))
	require.NoError(t, err)
	person := channel.explain("dev-1")
	require.Equal(t, 100, *person.TotalWeight)
	require.Equal(t, map[bool]*ExplainedArm{true: person.Arms[0], false: person.Arms[2]}[*person.Bucket < 30], person.Arm)
	require.Equal(t, []float64{0.3, 0, 0.7}, []float64{person.Arms[0].Share, person.Arms[1].Share, person.Arms[2].Share})
	require.Equal(t, fixedID("b1"), *person.Arms[0].VariantID)
	require.Equal(t, fixedID("e1"), *person.Arms[0].ExperimentID)
	require.Nil(t, channel.explain("").Arm, "it depends on the person")
}
