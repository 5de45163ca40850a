package analytics_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
)

func TestPathQueriesAreCheckedAndFilledIn(t *testing.T) {
	anchor := analytics.PathAnchor{Kind: analytics.PathPage, Name: "/"}
	q, err := analytics.PathQuery{Anchor: anchor}.Resolve("input")
	require.NoError(t, err)
	require.Equal(t, analytics.PathQuery{
		Anchor: anchor, Direction: analytics.PathAfter, Steps: analytics.DefaultPathSteps, Kinds: analytics.PathKinds,
	}, q)
	kinds := func(n int) []analytics.PathKind { return make([]analytics.PathKind, n) }
	for field, q := range map[string]analytics.PathQuery{
		"input.anchor.name:": {Anchor: analytics.PathAnchor{Kind: analytics.PathPage}},
		"input.anchor.name: must have at most 256 bytes": {Anchor: analytics.PathAnchor{
			Kind: analytics.PathPage, Name: strings.Repeat("*a", 129),
		}},
		"input.anchor.kind: unknown":     {Anchor: analytics.PathAnchor{Kind: "FLOW", Name: "a"}},
		"input.anchor.kind: page_view n": {Anchor: analytics.PathAnchor{Kind: analytics.PathEvent, Name: "page_view"}},
		"input.direction:":               {Anchor: anchor, Direction: "UP"},
		"input.steps:":                   {Anchor: anchor, Steps: 1},
		"input.steps: must be between 2": {Anchor: anchor, Steps: analytics.MaxPathSteps + 1},
		"input.kinds: unknown":           {Anchor: anchor, Kinds: kinds(1)},
		"input.kinds: must have at most": {Anchor: anchor, Kinds: kinds(4)},
		"input.groups: must have at most 20": {
			Anchor: anchor, Groups: make([]string, analytics.MaxPathGroups+1),
		},
		"input.groups: must have at most 1024 bytes": {
			Anchor: anchor, Groups: []string{strings.Repeat("a*", 500), strings.Repeat("b*", 13)},
		},
		"input.groups[1]: must not be empty": {Anchor: anchor, Groups: []string{"/blog/**", ""}},
		"input.groups[0]: must be text":      {Anchor: anchor, Groups: []string{"\x00"}},
	} {
		_, err := q.Resolve("input")
		require.ErrorContains(t, err, field)
	}
}
