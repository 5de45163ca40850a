package world

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
)

// DrawPaths asks for paths that sessions of worlds may take.
func DrawPaths(t *rapid.T) (q analytics.PathQuery) {
	q.Anchor.Kind = rapid.SampledFrom(analytics.PathKinds).Draw(t, "kind of anchor")
	names := append(slices.Clone(pages), "*", "**", "/a*", "*b*")
	if q.Anchor.Kind == analytics.PathEvent {
		names = append(slices.Clone(customs), "session_start", "first_open", "b*", "**", "nothing")
	}
	q.Anchor.Name = rapid.SampledFrom(slices.DeleteFunc(names, func(name string) bool { return name == "" })).
		Draw(t, "anchor")
	q.Direction = rapid.SampledFrom([]analytics.PathDirection{"", analytics.PathAfter, analytics.PathBefore}).
		Draw(t, "direction")
	q.Steps = rapid.SampledFrom([]int{0, 2, 3, 8}).Draw(t, "steps of paths")
	q.Kinds = rapid.SliceOfN(rapid.SampledFrom(analytics.PathKinds), 0, 2).Draw(t, "kinds of nodes")
	if rapid.Bool().Draw(t, "grouped") {
		patterns := append(slices.Clone(customs), "/", "/*", "/**", "*", "**", "/p/1*", "*b*", "/a", "custom*", "H**")
		q.Groups = rapid.SliceOfN(rapid.SampledFrom(patterns), 1, 4).Draw(t, "groups")
	}
	return q
}
