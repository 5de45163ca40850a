package floworacle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/session"
)

// Oracle answers reports on a world.
type Oracle struct {
	world World
	runs  []*flowRun // by person, start and key
	now   time.Time

	unknown int // names that no version has, of each list
}

// New folds the world's events into runs.
func New(w World, now time.Time) *Oracle { return &Oracle{w, runsOf(w), now, 50} }

// Selection is the runs of a resolved scope.
type Selection struct {
	*Oracle
	scope flow.Scope
	runs  []*flowRun
	money map[*flowRun][]charge
}

// Select returns the runs of a scope; members are the people of its segment, nil without one.
func (o *Oracle) Select(scope flow.Scope, members map[string]bool) *Selection {
	s := &Selection{Oracle: o, scope: scope, money: o.charges(scope.Windows.Purchase)}
	for _, r := range o.runs {
		if o.qualifies(r, scope, members) {
			s.runs = append(s.runs, r)
		}
	}
	return s
}

func (o *Oracle) qualifies(r *flowRun, scope flow.Scope, members map[string]bool) bool {
	at := time.UnixMilli(r.start)
	if at.Before(scope.Start) || !at.Before(scope.End) {
		return false
	}
	if scope.Flow != (session.Key{}) && r.flow != scope.Flow ||
		len(scope.Versions) > 0 && !slices.Contains(scope.Versions, r.release.Version) ||
		len(scope.Channels) > 0 && !slices.Contains(scope.Channels, r.release.Channel) ||
		scope.Experiment != (session.Key{}) && r.release.Experiment != scope.Experiment ||
		len(scope.Variants) > 0 && !slices.Contains(scope.Variants, r.release.Variant) {
		return false
	}
	switch scope.Platform {
	case "":
	case "mobile":
		if r.client.Platform != "ios" && r.client.Platform != "android" {
			return false
		}
	default:
		if r.client.Platform != scope.Platform {
			return false
		}
	}
	if members != nil && !members[r.person] {
		return false
	}
	for _, f := range scope.Filters {
		equal := slices.Contains(f.Values, o.value(r, f.Dimension, ""))
		if equal == (f.Operator == analytics.IsNot) {
			return false
		}
	}
	return scope.Property == nil || slices.Contains(scope.Property.Values, r.custom[scope.Property.Key])
}

// Keys writes the selected runs, each with its person.
func (s *Selection) Keys() (keys []string) {
	for _, r := range s.runs {
		keys = append(keys, fmt.Sprintf("%q %x", r.person, r.key))
	}
	slices.Sort(keys)
	return keys
}

// PassesPerson tells whether somebody passes what a scope says of people: their segment and their first touch.
func (o *Oracle) PassesPerson(person string, scope flow.Scope, members map[string]bool) bool {
	if members != nil && !members[person] {
		return false
	}
	for _, f := range scope.Filters {
		if !slices.Contains(flow.OfFirstTouch, f.Dimension) {
			continue
		}
		equal := slices.Contains(f.Values, o.value(&flowRun{person: person}, f.Dimension, ""))
		if equal == (f.Operator == analytics.IsNot) {
			return false
		}
	}
	return true
}

func id(key session.Key) string {
	if key == (session.Key{}) {
		return ""
	}
	return uuid.UUID(key).String()
}

// value returns a run's value of a dimension.
func (o *Oracle) value(r *flowRun, d analytics.Dimension, key string) string {
	switch d {
	case analytics.Platform:
		return r.client.Platform
	case flow.Locale:
		return r.client.Locale
	case flow.Language:
		first, _, _ := strings.Cut(strings.ReplaceAll(r.client.Locale, "_", "-"), "-")
		if first == "iw" {
			return "he" // the code that replaced it
		}
		return strings.ToLower(first)
	case flow.AppVersion:
		return r.client.AppVersion
	case analytics.Country:
		return r.place.Country
	case analytics.Region:
		return r.place.Region
	case analytics.Device:
		return r.device.Device
	case analytics.Browser:
		return r.device.Browser
	case analytics.OS:
		return r.device.OS
	case flow.Version:
		return id(r.release.Version)
	case flow.Channel:
		return strconv.FormatInt(r.release.Channel, 10)
	case flow.Variant:
		return r.release.Variant
	case analytics.Source:
		return o.world.Touches[r.person].Source
	case analytics.AcquisitionChannel:
		touch, seen := o.world.Touches[r.person]
		if !seen {
			return ""
		}
		return channel.Of(channel.Input{
			ReferrerHost: touch.ReferrerHost, Source: touch.Source, Medium: touch.Medium, Platform: touch.Platform,
			Organic: touch.Organic, OrganicUnknown: touch.OrganicUnknown,
		}).String()
	case analytics.Medium:
		return o.world.Touches[r.person].Medium
	case analytics.Campaign:
		return o.world.Touches[r.person].Campaign
	case flow.CustomProperty:
		return r.custom[key]
	case "flow":
		return id(r.flow)
	}
	panic("no such dimension: " + d)
}
