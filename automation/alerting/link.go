package alerting

import (
	"net/url"
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics/alert"
)

// dashboardNames are dimensions and operators of stored filters as addresses of the dashboard have them, where they
// differ from the names in lower case.
var dashboardNames = map[string]string{
	"acquisitionChannel": "channel", "DOES_NOT_CONTAIN": "contains_not",
}

func dashboardName(stored string) string {
	if name, ok := dashboardNames[stored]; ok {
		return name
	}
	return strings.ToLower(stored)
}

// inFilter keeps the commas of a value from being those between values.
var inFilter = strings.NewReplacer(`\`, `\b`, `,`, `\c`)

// reportOf returns the path and query, below those of an environment, of the page that shows the metric of a rule with
// its filters.
func reportOf(r *alert.Rule) string {
	page, query := "/home", url.Values{"zone": {r.TimeZone}}
	switch {
	case r.GoalID != nil:
		page = "/goals"
		query.Set("goal", r.GoalID.String())
	case r.Condition.Silent != nil:
		page = "/events"
	case r.Metric == alert.Revenue:
		page = "/revenue"
	}
	if r.Grain == "HOUR" {
		query.Set("grain", "hour")
	}
	if r.Platform != "" {
		query.Set("platform", strings.ToLower(r.Platform))
	}
	if r.SegmentID != nil {
		query.Set("segment", r.SegmentID.String())
	}
	for dimension, f := range r.Cross {
		parts := []string{dashboardName(f.Op), dashboardName(dimension)}
		for _, value := range f.Values {
			parts = append(parts, inFilter.Replace(value))
		}
		query.Add("f", strings.Join(parts, ","))
	}
	slices.Sort(query["f"])
	return page + "?" + query.Encode()
}
