package frame

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/svc-dev/svc/analytics/run"
)

var generation atomic.Uint64

// View returns what the dataset holds now, as an immutable value. The frames of all rows are those of the home
// days in [fromDay, toDay].
func (d *Dataset) View(fromDay, toDay int32) *View {
	d.mu.Lock()
	v := &View{
		Generation: generation.Add(1), Names: d.names[:len(d.names):len(d.names)], Purchases: d.purchases,
		FlowNames: d.flowNames[:len(d.flowNames):len(d.flowNames)], OtherEvent: d.otherEvent, data: d,
		memo: Memo[any, any]{Size: memoSize},
	}
	v.Frames, v.Runs = d.framesOf(Sessions, fromDay, toDay), d.framesOf(Runs, fromDay, toDay)
	// Dictionaries and visitors grow before the frames that use their codes are put, so reading
	// them after the frames sees every code in use.
	d.mu.Unlock()
	v.Visitors, v.touches = d.visitors.snapshot()
	v.Places, v.RegionPlaces = d.places.all(), d.regionPlaces.all()
	v.CityPlaces, v.Techs = d.cityPlaces.all(), d.techs.all()
	v.Sources, v.Mediums, v.Campaigns = d.Sources.Values(), d.Mediums.Values(), d.Campaigns.Values()
	v.Contents, v.Terms, v.Adsets = d.Contents.Values(), d.Terms.Values(), d.Adsets.Values()
	v.Creatives, v.Referrers = d.Creatives.Values(), d.Referrers.Values()
	v.Countries, v.Regions, v.Cities = d.Countries.Values(), d.Regions.Values(), d.Cities.Values()
	v.Platforms, v.Devices = d.Platforms.Values(), d.Devices.Values()
	v.Browsers, v.OSes = d.Browsers.Values(), d.OSes.Values()
	v.Pages, v.Events = d.Pages.Values(), d.Events.Values()
	v.CustomIDs = d.customIDs.all()
	v.Products = d.Products.Values()
	v.Happenings, v.Releases, v.Clients = d.happenings.all(), d.releases.all(), d.clients.all()
	v.Locales, v.AppVersions = d.Locales.Values(), d.AppVersions.Values()
	v.Paths = d.paths.all()
	v.CustomSets, v.CustomKeys, v.CustomValues = d.customSets.all(), d.CustomKeys.Values(), d.CustomValues.Values()
	return v
}

// framesOf returns the frames of the days in [fromDay, toDay], in their order. The caller holds mu.
func (d *Dataset) framesOf(t RowType, fromDay, toDay int32) (frames []*Frame) {
	for day, f := range d.frames[t] {
		if day >= fromDay && day <= toDay {
			frames = append(frames, f)
		}
	}
	slices.SortFunc(frames, func(a, b *Frame) int { return cmp.Compare(a.Day, b.Day) })
	return frames
}

// View is one immutable reading of a dataset: everything a report needs. All slices are
// read-only.
type View struct {
	Generation uint64   // differs between any two views
	Frames     []*Frame // of sessions
	Runs       []*Frame
	Names      []Name
	FlowNames  []FlowName // by id
	Visitors   IDs        // by ordinal
	CustomIDs  IDs        // by code; 0 is none
	Purchases  []CodedPurchase
	OtherEvent uint32

	Places       []PlaceInfo
	RegionPlaces [][2]uint32 // country, region
	CityPlaces   [][3]uint32 // country, region, city
	Techs        []TechInfo

	Sources, Mediums, Campaigns, Contents, Terms, Adsets, Creatives []string
	Referrers, Countries, Regions, Cities                           []string
	Platforms, Devices, Browsers, OSes, Pages, Events               []string
	Products                                                        []string

	Happenings []Happening
	Releases   []ReleaseInfo
	Clients    []ClientInfo
	CustomSets [][]CustomValue // code 0 is the set of no properties
	Paths      [][]uint32      // code 0 is none: read the hits

	Locales, AppVersions, CustomKeys, CustomValues []string

	touches []chunk
	data    *Dataset

	memo Memo[any, any]
}

// Touch returns the first touch of a visitor.
func (v *View) Touch(ordinal uint32) *CodedTouch {
	return &v.touches[ordinal>>touchShift].rest()[ordinal&(touchChunk-1)]
}

// FirstSeen returns the time of a visitor's first touch in milliseconds since 2020-01-01T00:00Z, or
// NeverSeen.
func (v *View) FirstSeen(ordinal uint32) int64 {
	return v.touches[ordinal>>touchShift].firstSeen()[ordinal&(touchChunk-1)]
}

// FirstSeenFrom returns the times of the first touches of a visitor and of some who follow, at least of one.
func (v *View) FirstSeenFrom(ordinal uint32) []int64 {
	return v.touches[ordinal>>touchShift].firstSeen()[ordinal&(touchChunk-1):]
}

// SeenShift is by how many bits the ordinals of visitors are shifted whose first touches are in one file.
const SeenShift = touchShift + 8

// The pieces of a file of first touches.
const (
	seenPiece = iota
	touchPiece
)

// SeenAhead brings the time of a visitor's first touch into memory, with those that follow, because they are read next.
func (v *View) SeenAhead(ordinal uint32) { v.bringTouches(ordinal, seenPiece) }

// TouchesAhead does so for all else of a first touch.
func (v *View) TouchesAhead(ordinal uint32) { v.bringTouches(ordinal, touchPiece) }

// TouchesBehind tells the system that they were read, with those of the same file.
func (v *View) TouchesBehind(ordinal uint32) {
	if c := v.touchGroup(int(ordinal >> SeenShift))[0]; c.of != nil {
		c.of.behind(touchPiece, c.of.piece(touchPiece))
	}
}

// bringTouches brings a piece of the file of a visitor's first touch into memory, and asks for that of the next.
func (v *View) bringTouches(ordinal uint32, piece int) {
	first := int(ordinal >> SeenShift)
	for group := first; group <= first+1 && group < v.TouchGroups(); group++ {
		if c := v.touchGroup(group)[0]; c.of != nil {
			c.of.ahead(piece)
		}
	}
	if c := v.touchGroup(first)[0]; c.of != nil {
		c.of.use(piece)
	}
}

// Name returns what a name id stands for.
func (v *View) Name(id uint32) Name {
	if int(id) < len(v.Names) {
		return v.Names[id]
	}
	return Name{Kind: Custom, Event: v.OtherEvent}
}

// FlowName returns what an id of flow_name stands for; kind 0 when that was never announced.
func (v *View) FlowName(id int32) (run.NameKind, string) {
	if id <= 0 || int(id) >= len(v.FlowNames) {
		return 0, ""
	}
	return v.FlowNames[id].Kind, v.FlowNames[id].Text
}

// Ordinal returns the ordinal of a visitor that the view knows.
func (v *View) Ordinal(visitor string) (uint32, bool) {
	ordinal, ok := v.data.Ordinal(visitor)
	return ordinal, ok && int(ordinal) < v.Visitors.Len()
}

// Dataset returns what the view reads, whose visitor ordinals it shares.
func (v *View) Dataset() *Dataset { return v.data }
