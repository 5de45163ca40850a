package report

import (
	"fmt"
	"math"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
)

// skip is the group of sessions that a grouping does not count.
const skip = math.MaxUint32

// grouping assigns sessions to groups by a column's code.
type grouping struct {
	name    string // tells groupings of a selection apart
	column  frame.Column
	mapping []uint32 // group by code; nil means the code is the group
	size    int
	empty   uint32 // the group of purchases without a session
	listed  bool   // leave out sessions that Channel and Referrer tables leave out
}

// ungrouped returns the grouping with a single group.
func ungrouped() grouping { return grouping{column: frame.Columns, size: 1} }

func (g *grouping) of(p *windowPart, row uint32) uint32 {
	if g.column == frame.Columns {
		return 0
	}
	if g.listed && p.Column(frame.Channel)[row] == uint32(channel.LeftOut) {
		return skip
	}
	code := p.Column(g.column)[row]
	if g.mapping != nil {
		return g.mapping[code]
	}
	return code
}

// columns returns those that it reads.
func (g *grouping) columns() (list []frame.Column) {
	if g.column != frame.Columns {
		list = append(list, g.column)
	}
	if g.listed {
		list = append(list, frame.Channel)
	}
	return list
}

// top keeps only the given groups, numbered in that order.
func (g grouping) top(groups []uint32) grouping {
	slot := make([]uint32, g.size)
	for i := range slot {
		slot[i] = skip
	}
	for i, group := range groups {
		slot[group] = uint32(i)
	}
	mapping := slot
	if g.mapping != nil {
		mapping = make([]uint32, len(g.mapping))
		for code, group := range g.mapping {
			mapping[code] = slot[group]
		}
	}
	g.mapping, g.empty, g.size = mapping, slot[g.empty], len(groups)
	g.name += fmt.Sprint(groups)
	return g
}

// groupingOf groups sessions by a dimension of theirs.
func (s *Selection) groupingOf(d analytics.Dimension) grouping {
	g := s.newGrouping(d)
	g.name = string(d)
	return g
}

func (s *Selection) newGrouping(d analytics.Dimension) grouping {
	v := s.view
	switch d {
	case analytics.Country, analytics.Region, analytics.City:
		g := grouping{column: frame.Place, mapping: make([]uint32, len(v.Places))}
		for code, p := range v.Places {
			switch d {
			case analytics.Country:
				g.mapping[code], g.size = p.Country, len(v.Countries)
			case analytics.Region:
				g.mapping[code], g.size = p.RegionPlace, len(v.RegionPlaces)
			default:
				g.mapping[code], g.size = p.CityPlace, len(v.CityPlaces)
			}
		}
		return g
	case analytics.Browser:
		return grouping{column: frame.Tech, mapping: techOf(v, d), size: len(v.Browsers)}
	case analytics.OS:
		return grouping{column: frame.Tech, mapping: techOf(v, d), size: len(v.OSes)}
	case analytics.Device:
		return grouping{column: frame.Tech, mapping: techOf(v, d), size: len(v.Devices)}
	}
	column, values := textColumn(v, d)
	return grouping{
		column: column, size: len(values),
		listed: d == analytics.AcquisitionChannel || d == analytics.Referrer,
	}
}
