package analytics

import (
	"errors"
	"fmt"
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
)

// Bounds on what paths are asked for.
const (
	MinPathSteps     = 2
	MaxPathSteps     = 8
	DefaultPathSteps = 5
	MaxPathGroups    = 20

	maxPathGroups = 1024 // bytes of all groups: what it costs to match a name grows with them
)

// PathKind is what a node of paths stands for; its texts are those of GraphQL.
type PathKind string

// The kinds of nodes.
const (
	PathPage   PathKind = "PAGE"
	PathScreen PathKind = "SCREEN"
	PathEvent  PathKind = "EVENT"
)

// PathKinds are all kinds, in the order of nodes that are otherwise equal.
var PathKinds = []PathKind{PathPage, PathScreen, PathEvent}

// PathDirection tells on which side of the anchor paths lie.
type PathDirection string

// The directions.
const (
	PathAfter  PathDirection = "AFTER"
	PathBefore PathDirection = "BEFORE"
)

// PathAnchor is the node that all paths have in common. In names, * stands for any text within a segment of a path and
// ** across segments: all that match are one node.
type PathAnchor struct {
	Kind PathKind `json:"kind"`
	Name string   `json:"name"`
}

// PathQuery says which paths of sessions are counted. A session counts once, from the first time that it shows the
// anchor.
type PathQuery struct {
	Anchor    PathAnchor    `json:"anchor"`
	Direction PathDirection `json:"direction"` // empty is after
	Steps     int           `json:"steps"`     // with the anchor's; 0 is DefaultPathSteps
	Kinds     []PathKind    `json:"kinds"`     // of the other nodes; none is all
	// Groups are patterns, as in the name of an anchor: names that match become one node of their kind. The first that
	// matches counts.
	Groups []string `json:"groups"`
}

// Resolve checks the query and fills in its defaults; field is the path that errors name.
func (q PathQuery) Resolve(field string) (PathQuery, error) {
	var errs []error
	if q.Direction == "" {
		q.Direction = PathAfter
	}
	if q.Direction != PathAfter && q.Direction != PathBefore {
		errs = append(errs, Invalid(field+".direction", "unknown direction %q: use AFTER or BEFORE", q.Direction))
	}
	if q.Steps == 0 {
		q.Steps = DefaultPathSteps
	}
	if q.Steps < MinPathSteps || q.Steps > MaxPathSteps {
		errs = append(errs, Invalid(field+".steps", "must be between %d and %d", MinPathSteps, MaxPathSteps))
	}
	if len(q.Kinds) == 0 {
		q.Kinds = PathKinds
	}
	for _, kind := range q.Kinds {
		errs = append(errs, validatePathKind(field+".kinds", kind))
	}
	if len(q.Kinds) > len(PathKinds) {
		errs = append(errs, Invalid(field+".kinds", "must have at most %d entries", len(PathKinds)))
	}
	errs = append(errs, q.Anchor.validate(field+".anchor"))
	errs = append(errs, validatePathGroups(field+".groups", q.Groups))
	return q, errors.Join(errs...)
}

func validatePathGroups(field string, groups []string) error {
	if len(groups) > MaxPathGroups {
		return Invalid(field, "must have at most %d entries", MaxPathGroups)
	}
	var errs []error
	bytes := 0
	for i, pattern := range groups {
		bytes += len(pattern)
		errs = append(errs, goalText(fmt.Sprintf("%s[%d]", field, i), pattern))
	}
	if bytes > maxPathGroups {
		return Invalid(field, "must have at most %d bytes together", maxPathGroups)
	}
	return errors.Join(errs...)
}

func (a *PathAnchor) validate(field string) error {
	if err := validatePathKind(field+".kind", a.Kind); err != nil {
		return err
	}
	if kind := frame.KindOf(a.Name); a.Kind == PathEvent && kind.IsView() {
		return Invalid(field+".kind", "%s names views: use PAGE or SCREEN with the name of one", a.Name)
	}
	return (&GoalView{Op: GoalIs, Name: a.Name}).validate(field)
}

func validatePathKind(field string, kind PathKind) error {
	if slices.Contains(PathKinds, kind) {
		return nil
	}
	return Invalid(field, "unknown kind %q: use PAGE, SCREEN or EVENT", kind)
}
