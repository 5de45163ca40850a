package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/examples"
)

func stepIDs(m *manifest.Manifest) (ids []string) {
	for _, step := range m.Steps() {
		ids = append(ids, step.ID)
	}
	return ids
}

func TestStepsAreDepthFirstFromTheEntry(t *testing.T) {
	raw, err := examples.Files.ReadFile("branching-onboarding.json")
	require.NoError(t, err)
	m, problems := manifest.Parse(raw)
	require.NotNil(t, m, problems)
	// The default way first, with the cases of its decision; choices of the entry lead to scr_symptoms and, by way of a
	// decision, to scr_birth.
	require.Equal(t, []string{
		"scr_goal", "scr_rooms", "scr_size", "scr_season", "scr_remind", "scr_contact", "scr_ship", "scr_email",
		"scr_summary", "scr_symptoms", "scr_birth",
	}, stepIDs(m))
}

func TestStepsHaveSurfacesAndWhatNobodyReaches(t *testing.T) {
	raw, err := examples.Files.ReadFile("paywall-flow.json")
	require.NoError(t, err)
	m, problems := manifest.Parse(raw)
	require.NotNil(t, m, problems)
	kinds := map[manifest.StepKind]int{}
	for _, step := range m.Steps() {
		kinds[step.Kind]++
		require.NotEmpty(t, step.Name)
	}
	require.Equal(t, map[manifest.StepKind]int{
		manifest.StepScreen: len(m.Screens), manifest.StepSurface: len(m.Surfaces),
	}, kinds)

	unreachable := *m
	unreachable.EntryID = m.Screens[len(m.Screens)-1].ID
	require.Len(t, unreachable.Steps(), len(m.Steps()))
	require.Equal(t, unreachable.EntryID, unreachable.Steps()[0].ID)
}
