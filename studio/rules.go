package studio

import (
	"fmt"
	"strings"

	"github.com/svc-dev/svc/analytics"
)

// SegmentRules choose people by their sessions and by what else is known of them, in the shape that GraphQL takes and
// gives: names of columns and dimensions as there, enums in upper case.
type SegmentRules struct {
	Platform string                `json:"platform,omitempty"`
	Columns  map[string]string     `json:"columns,omitempty"`
	Cross    map[string]RuleFilter `json:"cross,omitempty"`
	Where    *analytics.Condition  `json:"where,omitempty"`
}

// RuleFilter is one cross filter of a segment.
type RuleFilter = analytics.StoredFilter

// analytics turns stored rules into those that the report engine evaluates.
func (r *SegmentRules) analytics(days int) (*analytics.SegmentRules, error) {
	rules := &analytics.SegmentRules{Days: days, Platform: strings.ToLower(r.Platform), Where: r.Where}
	for name, value := range r.Columns {
		dimension := analytics.Dimension(name)
		if former, ok := formerNames[name]; ok {
			dimension = former
		}
		column := rules.Columns.Column(dimension)
		if column == nil {
			return nil, fmt.Errorf("the stored rules have an unknown column %q", name)
		}
		*column = &value
	}
	rules.Cross = analytics.CrossOf(r.Cross)
	return rules, nil
}

// formerNames are the columns of rules that were stored before the first release.
var formerNames = map[string]analytics.Dimension{
	"browsers": analytics.Browser, "operatingSystems": analytics.OS, "devices": analytics.Device,
}
