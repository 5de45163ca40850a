package report

import (
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/pagename"
)

// filter is the filters of a scope as sets of dictionary codes: a value is compared once per
// dictionary entry, never once per session.
type filter struct {
	segment *Members // nil without one
	members *Members // of the segment, if any, with runs that pass; nil is everybody
	columns []columnFilter

	// Page and event filters: bits of the filters that a name matches, by name id.
	names              []uint32
	positive, negative uint32

	// The rows that page and event tables list; nil means all.
	pages, events []bool

	active bool // whether any session filter is set
}

// columnFilter passes the sessions whose code has a one.
type columnFilter struct {
	column frame.Column
	pass   []uint8
	exempt bool // sessions left out of Channel and Referrer pass anyway
}

// compile makes a filter of those of sessions. People are the visitors who pass those of runs, nil without any.
func compile(view *frame.View, platform string, filters []analytics.Filter, segment, people *Members) *filter {
	f := &filter{segment: segment, members: segment.and(people)}
	f.active = f.members != nil || platform != "" || len(filters) > 0
	c := filterCompiler{view: view, filter: f, columns: map[frame.Column][]bool{}}
	if platform != "" {
		wanted := []string{platform}
		if platform == analytics.Mobile {
			wanted = []string{analytics.IOS, analytics.Android}
		}
		c.tuple(frame.Tech, matches(view.Platforms, analytics.Is, wanted), techOf(view, analytics.Platform))
	}
	for _, x := range filters {
		c.add(x)
	}
	for column, pass := range c.columns {
		f.columns = append(f.columns, columnFilter{column: column, pass: ones(pass)})
	}
	// Fewest passing codes first is a good guess at what rejects most sessions.
	slices.SortFunc(f.columns, func(a, b columnFilter) int { return int(a.column) - int(b.column) })
	f.columns = append(f.columns, c.exempt...)
	return f
}

type filterCompiler struct {
	view    *frame.View
	filter  *filter
	columns map[frame.Column][]bool
	exempt  []columnFilter
	bits    uint32
}

// matches tells for every value whether it passes, negative operators negated.
func matches(values []string, op analytics.Operator, wanted []string) []bool {
	pass := make([]bool, len(values))
	for code, value := range values {
		pass[code] = op.Match(value, wanted) == op.Positive()
	}
	return pass
}

func (c *filterCompiler) add(x analytics.Filter) {
	v := c.view
	switch x.Dimension {
	case analytics.Page, analytics.Entry, analytics.Exit:
		x.Values = pagename.Spellings(x.Values)
	}
	switch x.Dimension {
	case analytics.Page:
		pass := matches(v.Pages, x.Operator, x.Values)
		c.hits(x.Operator, func(n frame.Name) bool { return n.Kind.IsView() && pass[n.Page] == x.Operator.Positive() })
		if x.Operator.Positive() {
			c.filter.pages = both(c.filter.pages, pass)
		}
	case analytics.Event:
		pass := matches(v.Events, x.Operator, x.Values)
		c.hits(x.Operator, func(n frame.Name) bool { return pass[n.Event] == x.Operator.Positive() })
		if x.Operator.Positive() {
			c.filter.events = both(c.filter.events, pass)
		}
	case analytics.Country, analytics.Region, analytics.City:
		values, of := placeOf(v, x.Dimension)
		c.tuple(frame.Place, matches(values, x.Operator, x.Values), of)
	case analytics.Browser, analytics.OS, analytics.Device, analytics.Platform:
		values := map[analytics.Dimension][]string{
			analytics.Browser: v.Browsers, analytics.OS: v.OSes, analytics.Device: v.Devices, analytics.Platform: v.Platforms,
		}[x.Dimension]
		c.tuple(frame.Tech, matches(values, x.Operator, x.Values), techOf(v, x.Dimension))
	case analytics.AcquisitionChannel:
		pass := matches(channel.Names(), x.Operator, x.Values)
		pass[channel.LeftOut] = !x.Operator.Positive()
		c.column(frame.Channel, pass)
	case analytics.Referrer:
		pass := matches(v.Referrers, x.Operator, x.Values)
		if x.Operator.Positive() {
			c.column(frame.Referrer, pass)
			listed := make([]bool, len(channel.Names()))
			for code := range listed {
				listed[code] = code != int(channel.LeftOut)
			}
			c.column(frame.Channel, listed)
		} else {
			c.exempt = append(c.exempt, columnFilter{column: frame.Referrer, pass: ones(pass), exempt: true})
		}
	default:
		column, values := textColumn(v, x.Dimension)
		c.column(column, matches(values, x.Operator, x.Values))
	}
}

func (c *filterCompiler) column(column frame.Column, pass []bool) {
	c.columns[column] = both(c.columns[column], pass)
}

// tuple filters on one member of a tuple column.
func (c *filterCompiler) tuple(column frame.Column, pass []bool, of []uint32) {
	tuples := make([]bool, len(of))
	for code, member := range of {
		tuples[code] = pass[member]
	}
	c.column(column, tuples)
}

// hits adds a page or event filter; match tells whether a name is one that the operator's values
// describe.
func (c *filterCompiler) hits(op analytics.Operator, match func(frame.Name) bool) {
	bit := uint32(1) << c.bits
	c.bits++
	if op.Positive() {
		c.filter.positive |= bit
	} else {
		c.filter.negative |= bit
	}
	if c.filter.names == nil {
		// The last entry stands for every id that the view does not know.
		c.filter.names = make([]uint32, len(c.view.Names)+1)
	}
	for id := range c.filter.names {
		if match(c.view.Name(uint32(id))) {
			c.filter.names[id] |= bit
		}
	}
}

// ones returns a set of codes as numbers, which are added without a branch.
func ones(set []bool) []uint8 {
	out := make([]uint8, len(set))
	for code, in := range set {
		if in {
			out[code] = 1
		}
	}
	return out
}

// both returns the intersection of two sets of codes; nil is everything.
func both(a, b []bool) []bool {
	if a == nil {
		return b
	}
	out := make([]bool, len(a))
	for i := range a {
		out[i] = a[i] && b[i]
	}
	return out
}

// reader returns what tells the page and event filters that the in-range hits of a row match.
func (f *filter) reader(p *windowPart) func(row uint32) uint32 {
	if f.names == nil || !p.whole() || !p.HasTrails() {
		return func(row uint32) uint32 { return f.namesOf(p.hitsIn(row)) }
	}
	t, last := p.Trails(), uint32(len(f.names)-1)
	var cursor frame.TrailCursor
	var names []uint32
	return func(row uint32) (seen uint32) {
		names = t.Append(names[:0], &cursor, row)
		for _, name := range names {
			seen |= f.names[min(name, last)]
		}
		return seen
	}
}

// namesOf returns the page and event filters that the names of hits match.
func (f *filter) namesOf(hits []int64) (seen uint32) {
	last := uint32(len(f.names) - 1)
	for _, hit := range hits {
		seen |= f.names[min(frame.HitName(hit), last)]
	}
	return seen
}

// passesNames tells whether a session passes whose in-range hits match the filters seen.
func (f *filter) passesNames(seen uint32) bool {
	return seen&(f.positive|f.negative) == f.positive
}

// textColumn returns the column and the dictionary of a plain attribute.
func textColumn(v *frame.View, d analytics.Dimension) (frame.Column, []string) {
	switch d {
	case analytics.Source:
		return frame.Source, v.Sources
	case analytics.Medium:
		return frame.Medium, v.Mediums
	case analytics.Campaign:
		return frame.Campaign, v.Campaigns
	case analytics.Content:
		return frame.Content, v.Contents
	case analytics.Term:
		return frame.Term, v.Terms
	case analytics.Adset:
		return frame.Adset, v.Adsets
	case analytics.Creative:
		return frame.Creative, v.Creatives
	case analytics.Referrer:
		return frame.Referrer, v.Referrers
	case analytics.AcquisitionChannel:
		return frame.Channel, channel.Names()
	case analytics.Entry:
		return frame.Entry, v.Pages
	case analytics.Exit:
		return frame.Exit, v.Pages
	}
	panic("report: no column for dimension " + string(d))
}

// placeOf returns the dictionary of a member of places and its code by place.
func placeOf(v *frame.View, d analytics.Dimension) (values []string, of []uint32) {
	of = make([]uint32, len(v.Places))
	for code, p := range v.Places {
		switch d {
		case analytics.Country:
			values, of[code] = v.Countries, p.Country
		case analytics.Region:
			values, of[code] = v.Regions, p.Region
		default:
			values, of[code] = v.Cities, p.City
		}
	}
	return values, of
}

// techOf returns the code of a member by tech.
func techOf(v *frame.View, d analytics.Dimension) []uint32 {
	of := make([]uint32, len(v.Techs))
	for code, t := range v.Techs {
		switch d {
		case analytics.Platform:
			of[code] = t.Platform
		case analytics.Browser:
			of[code] = t.Browser
		case analytics.OS:
			of[code] = t.OS
		default:
			of[code] = t.Device
		}
	}
	return of
}
