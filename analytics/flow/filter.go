package flow

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/internal/locale"
)

// filter is a scope compiled to the codes of a view: a run passes when every mask has its code. A nil mask has all.
type filter struct {
	start, end int64
	columns    [frame.RunColumns][]uint8 // masks by column: 1 of codes that pass, else 0
	people     bool                      // whether it looks at visitors
	touches    []touchMask
	members    *report.Members
	only       []uint64 // bits of visitors; nil has all
	view       *frame.View
}

type touchMask struct {
	of  func(*frame.CodedTouch) uint32
	has []bool
}

func compile(view *frame.View, scope Scope, members *report.Members) *filter {
	f := &filter{start: frame.Millis(scope.Start), end: frame.Millis(scope.End), view: view, members: members}
	f.limit(frame.RunRelease, mask(view.Releases, func(r frame.ReleaseInfo) bool {
		return (scope.Flow == noKey || r.Flow == scope.Flow) &&
			(len(scope.Versions) == 0 || slices.Contains(scope.Versions, r.Version)) &&
			(len(scope.Channels) == 0 || slices.Contains(scope.Channels, r.Channel)) &&
			(scope.Experiment == noKey || r.Experiment == scope.Experiment) &&
			(len(scope.Variants) == 0 || slices.Contains(scope.Variants, r.Variant))
	}))
	if scope.Platform != "" {
		f.limit(frame.RunClient, mask(view.Clients, func(c frame.ClientInfo) bool {
			platform := view.Platforms[c.Platform]
			return platform == scope.Platform ||
				scope.Platform == analytics.Mobile && (platform == analytics.IOS || platform == analytics.Android)
		}))
	}
	for _, one := range scope.Filters {
		f.add(one)
	}
	f.people = len(f.touches) > 0 || members != nil
	if p := scope.Property; p != nil {
		values := valuesOf(view, CustomProperty, p.Key)
		f.limit(values.column, mask(values.code, func(code uint32) bool {
			return slices.Contains(p.Values, values.texts[code])
		}))
	}
	return f
}

// mask returns for each value whether it has the property.
func mask[T any](values []T, has func(T) bool) []bool {
	out := make([]bool, len(values))
	for i, v := range values {
		out[i] = has(v)
	}
	return out
}

// limit adds a mask, unless it has everything.
func (f *filter) limit(column frame.Column, has []bool) {
	if !slices.Contains(has, false) {
		return
	}
	if f.columns[column] == nil {
		f.columns[column] = bytes.Repeat([]byte{1}, len(has))
	}
	for i, passes := range has {
		if !passes {
			f.columns[column][i] = 0
		}
	}
}

func (f *filter) add(one analytics.Filter) {
	positive := one.Operator.Positive()
	passes := func(value string) bool { return one.Operator.Match(value, one.Values) == positive }
	values := valuesOf(f.view, one.Dimension, "")
	if values.touch != nil {
		f.touches = append(f.touches, touchMask{values.touch, mask(values.texts, passes)})
		return
	}
	f.limit(values.column, mask(values.code, func(code uint32) bool { return passes(values.texts[code]) }))
}

// passes tells whether runs of a visitor may be in the selection.
func (f *filter) passes(visitor uint32) bool {
	if f.only != nil && f.only[visitor>>6]&(1<<(visitor&63)) == 0 {
		return false
	}
	if f.members != nil && !f.members.HasAnybody(visitor) {
		return false
	}
	for k := range f.touches {
		if !f.touches[k].has[f.touches[k].of(f.view.Touch(visitor))] {
			return false
		}
	}
	return true
}

// values are those of a dimension of runs: by the code of a column, or by a code of the person's first touch.
type values struct {
	column frame.Column
	code   []uint32 // of the value, by code of the column
	touch  func(*frame.CodedTouch) uint32
	texts  []string // by code
}

// valuesOf returns the values of a dimension; key names a custom property. Codes of values mean the same in every view
// of the same data, and later ones have more.
func valuesOf(view *frame.View, d analytics.Dimension, key string) *values {
	switch d {
	case analytics.Source:
		return &values{touch: func(t *frame.CodedTouch) uint32 { return t.Source }, texts: view.Sources}
	case analytics.AcquisitionChannel:
		return &values{touch: func(t *frame.CodedTouch) uint32 { return t.Channel }, texts: channel.Names()}
	case analytics.Medium:
		return &values{touch: func(t *frame.CodedTouch) uint32 { return t.Medium }, texts: view.Mediums}
	case analytics.Campaign:
		return &values{touch: func(t *frame.CodedTouch) uint32 { return t.Campaign }, texts: view.Campaigns}
	case analytics.Platform:
		return member(frame.RunClient, view.Platforms, view.Clients, func(c frame.ClientInfo) uint32 { return c.Platform })
	case Locale:
		return member(frame.RunClient, view.Locales, view.Clients, func(c frame.ClientInfo) uint32 { return c.Locale })
	case AppVersion:
		return member(frame.RunClient, view.AppVersions, view.Clients, func(c frame.ClientInfo) uint32 {
			return c.AppVersion
		})
	case analytics.Country:
		return member(frame.RunPlace, view.Countries, view.Places, func(p frame.PlaceInfo) uint32 { return p.Country })
	case analytics.Region:
		return member(frame.RunPlace, view.Regions, view.Places, func(p frame.PlaceInfo) uint32 { return p.Region })
	case analytics.Device:
		return member(frame.RunTech, view.Devices, view.Techs, func(t frame.TechInfo) uint32 { return t.Device })
	case analytics.Browser:
		return member(frame.RunTech, view.Browsers, view.Techs, func(t frame.TechInfo) uint32 { return t.Browser })
	case analytics.OS:
		return member(frame.RunTech, view.OSes, view.Techs, func(t frame.TechInfo) uint32 { return t.OS })
	case Language:
		return derived(frame.RunClient, view.Clients, func(c frame.ClientInfo) string {
			return locale.Language(view.Locales[c.Locale])
		})
	case Version:
		return derived(frame.RunRelease, view.Releases, func(r frame.ReleaseInfo) string { return idText(r.Version) })
	case Channel:
		return derived(frame.RunRelease, view.Releases, func(r frame.ReleaseInfo) string {
			return strconv.FormatInt(r.Channel, 10)
		})
	case Variant:
		return derived(frame.RunRelease, view.Releases, func(r frame.ReleaseInfo) string { return r.Variant })
	case flowDimension:
		return derived(frame.RunRelease, view.Releases, func(r frame.ReleaseInfo) string { return idText(r.Flow) })
	}
	return propertyValues(view, key)
}

// OfFirstTouch are the dimensions that are read from a person's first touch, not from their runs.
var OfFirstTouch = []analytics.Dimension{
	analytics.AcquisitionChannel, analytics.Source, analytics.Medium, analytics.Campaign,
}

// FirstTouchValue returns the value of one of OfFirstTouch; empty of somebody whom no product event showed.
func FirstTouchValue(view *frame.View, d analytics.Dimension, appUserID string) string {
	ordinal, known := view.Ordinal(appUserID)
	if !known {
		return ""
	}
	of := valuesOf(view, d, "")
	return of.texts[of.touch(view.Touch(ordinal))]
}

// propertyValues returns the values of a custom property; of runs that don't have it the value is empty.
func propertyValues(view *frame.View, key string) *values {
	code := slices.Index(view.CustomKeys, key)
	v := &values{column: frame.RunCustom, texts: view.CustomValues, code: make([]uint32, len(view.CustomSets))}
	for i, set := range view.CustomSets {
		if at := slices.IndexFunc(set, func(one frame.CustomValue) bool { return int(one.Key) == code }); at >= 0 {
			v.code[i] = set[at].Value
		}
	}
	return v
}

// flowDimension groups runs by their flow.
const flowDimension analytics.Dimension = "flow"

// member returns the values of a member of tuples.
func member[T any](column frame.Column, texts []string, tuples []T, of func(T) uint32) *values {
	v := &values{column: column, texts: texts, code: make([]uint32, len(tuples))}
	for i, t := range tuples {
		v.code[i] = of(t)
	}
	return v
}

// derived returns the values that are computed from tuples, numbered in the order of these.
func derived[T any](column frame.Column, tuples []T, of func(T) string) *values {
	v := &values{column: column, code: make([]uint32, len(tuples))}
	numbers := map[string]uint32{}
	for i, t := range tuples {
		v.code[i] = number(numbers, &v.texts, of(t))
	}
	return v
}

// idText returns a key as the UUID that it is, empty for none.
func idText(key session.Key) string {
	if key == noKey {
		return ""
	}
	return uuid.UUID(key).String()
}
