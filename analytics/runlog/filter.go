package runlog

import (
	"encoding/json"
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/internal/locale"
)

// Filter decides which runs a scope takes.
type Filter struct {
	scope flow.Scope
	// person tells whether somebody passes what the scope says of people: segment and first touch.
	person func(appUserID string) bool
}

// NewFilter makes the filter of a resolved scope. Person tells whether a person passes what the scope says of people,
// its segment and its filters by first touch; nil lets everybody pass.
func NewFilter(scope flow.Scope, person func(appUserID string) bool) *Filter {
	return &Filter{scope, person}
}

// Takes tells whether a run belongs to the scope: it starts in the range and passes every filter.
func (f *Filter) Takes(r *run.Run) bool {
	s := &f.scope
	if r.StartedAt < s.Start.UnixMilli() || r.StartedAt >= s.End.UnixMilli() {
		return false
	}
	if len(s.Versions) > 0 && !slices.Contains(s.Versions, r.Release.Version) ||
		len(s.Channels) > 0 && !slices.Contains(s.Channels, r.Release.Channel) {
		return false
	}
	if s.Experiment != ([16]byte{}) && r.Release.Experiment != s.Experiment ||
		len(s.Variants) > 0 && !slices.Contains(s.Variants, r.Release.Variant) {
		return false
	}
	if !onPlatform(r.Client.Platform, s.Platform) || s.Property != nil && !hasProperty(r.CustomProperties, s.Property) {
		return false
	}
	for _, filter := range s.Filters {
		if slices.Contains(flow.OfFirstTouch, filter.Dimension) {
			continue // left to f.person
		}
		if slices.Contains(filter.Values, attribute(r, filter.Dimension)) == (filter.Operator == analytics.IsNot) {
			return false
		}
	}
	return f.person == nil || f.person(r.Person)
}

func onPlatform(platform, wanted string) bool {
	switch wanted {
	case "":
		return true
	case analytics.Mobile:
		return platform == analytics.IOS || platform == analytics.Android
	}
	return platform == wanted
}

// attribute returns what a run says of a dimension.
func attribute(r *run.Run, d analytics.Dimension) string {
	switch d {
	case flow.Locale:
		return r.Client.Locale
	case flow.Language:
		return locale.Language(r.Client.Locale)
	case flow.AppVersion:
		return r.Client.AppVersion
	case analytics.Country:
		return r.Place.Country
	case analytics.Region:
		return r.Place.Region
	case analytics.Device:
		return r.Device.Device
	case analytics.Browser:
		return r.Device.Browser
	case analytics.OS:
		return r.Device.OS
	}
	return ""
}

// hasProperty tells whether a JSON object has one of the values. A run that does not say the property has "".
func hasProperty(properties string, p *flow.Property) bool {
	said := ""
	var object map[string]json.RawMessage
	if properties != "" && json.Unmarshal([]byte(properties), &object) == nil {
		if value, ok := object[p.Key]; ok {
			said = frame.CustomText(value)
		}
	}
	return slices.Contains(p.Values, said)
}
