package floworacle

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
)

// drawSegment makes a segment of imported ids, and of rules on sessions and runs.
func drawSegment(t *rapid.T) *analytics.Segment {
	segment := &analytics.Segment{
		AppUserIDs:    rapid.SliceOfN(rapid.SampledFrom([]string{"p1", "p2", "nobody"}), 0, 2).Draw(t, "members"),
		CustomUserIDs: rapid.SliceOfN(rapid.SampledFrom([]string{"u1", ""}), 0, 1).Draw(t, "known members"),
	}
	if rapid.Bool().Draw(t, "without rules") {
		return segment
	}
	rules := &analytics.SegmentRules{
		Days:     rapid.SampledFrom([]int{0, 1, 2, 7}).Draw(t, "segment days"),
		Platform: rapid.SampledFrom([]string{"", "", "web", "mobile"}).Draw(t, "segment platform"),
	}
	if rapid.IntRange(0, 3).Draw(t, "segment column") == 0 {
		rules.Columns.Country = new(string)
		*rules.Columns.Country = rapid.SampledFrom([]string{"", "GB"}).Draw(t, "segment country")
	}
	for _, by := range []struct {
		dimension analytics.Dimension
		values    []string
	}{
		{analytics.Country, []string{"", "GB", "AU"}}, {analytics.Flow, []string{id(Flows[0]), id(Flows[1])}},
		{analytics.FlowOutcome, analytics.FlowOutcomes}, {analytics.Variant, []string{"a", "b"}},
	} {
		if rapid.IntRange(0, 3).Draw(t, "segment filter") > 0 {
			continue
		}
		rules.Cross = append(rules.Cross, analytics.Filter{
			Dimension: by.dimension,
			Operator:  rapid.SampledFrom([]analytics.Operator{analytics.Is, analytics.IsNot}).Draw(t, "of a segment"),
			Values:    rapid.SliceOfN(rapid.SampledFrom(by.values), 1, 2).Draw(t, "values of a segment"),
		})
	}
	segment.Rules = rules
	return segment
}

// Members returns the people of a segment, nil of none.
func (s Scenario) Members(segment *analytics.Segment) map[string]bool {
	if segment == nil {
		return nil
	}
	members := map[string]bool{}
	for _, id := range segment.AppUserIDs {
		members[id] = true
	}
	for _, id := range segment.CustomUserIDs {
		for person, touch := range s.World.Touches {
			if id != "" && touch.CustomUserID == id {
				members[person] = true
			}
		}
	}
	if segment.Rules != nil {
		for _, h := range s.World.Hits {
			if s.passes(segment.Rules, h) {
				members[h.Person] = true
			}
		}
	}
	return members
}

// passes tells whether the session of a hit makes its person a member.
func (s Scenario) passes(rules *analytics.SegmentRules, h Hit) bool {
	start, end := rules.Window(s.Now)
	from, to := start.UnixMilli(), end.Add(5*time.Minute).UnixMilli() // clocks go ahead so far
	if h.At < from || h.At >= to {
		return false
	}
	switch rules.Platform {
	case "":
	case "mobile":
		if h.Platform != "ios" && h.Platform != "android" {
			return false
		}
	default:
		if h.Platform != rules.Platform {
			return false
		}
	}
	if country := rules.Columns.Country; country != nil && *country != h.Country {
		return false
	}
	ofRuns, wanted := false, false
	for _, f := range rules.Cross {
		if f.Dimension == analytics.Country {
			if slices.Contains(f.Values, h.Country) == (f.Operator == analytics.IsNot) {
				return false
			}
			continue
		}
		ofRuns, wanted = true, wanted || f.Operator == analytics.Is
	}
	if !ofRuns {
		return true
	}
	// All wanted values meet at one run, and no such run has a value that is not.
	met := false
	for _, r := range runsOf(s.World) {
		if r.person != h.Person || r.start < from || r.start >= to {
			continue
		}
		such, refused := true, false
		for _, f := range rules.Cross {
			if f.Dimension == analytics.Country {
				continue
			}
			has := slices.Contains(f.Values, map[analytics.Dimension]string{
				analytics.Flow: id(r.flow), analytics.Variant: r.release.Variant,
				analytics.FlowOutcome: r.state(s.Now, 30*time.Minute),
			}[f.Dimension])
			if f.Operator == analytics.IsNot {
				refused = refused || has
			} else {
				such = such && has
			}
		}
		if such && refused {
			return false
		}
		met = met || such
	}
	return met || !wanted
}
