package frame

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// PlaceInfo is one distinct place of sessions. Lat and Lon are NaN without coordinates.
type PlaceInfo struct {
	Country, Region, City  uint32 // codes in Countries, Regions, Cities
	RegionPlace, CityPlace uint32 // codes of (country, region) and (country, region, city)
	Lat, Lon               float64
}

type placeKey struct {
	country, region, city uint32
	lat, lon              float64
	at                    bool
}

// TechInfo is one distinct combination of platform, device, browser and operating system.
type TechInfo struct{ Platform, Device, Browser, OS uint32 }

// CodedPurchase is a ledger row whose visitor is an ordinal.
type CodedPurchase struct {
	Visitor      uint32
	At           int64 // milliseconds since 2020-01-01T00:00Z
	Provider     Provider
	Kind         PurchaseKind
	AmountMicros int64
}

// Environment is the mutable cache of one environment: dictionaries, visitors, names, purchases
// and the frames loaded so far. Its methods may be called at once from several goroutines;
// readers work on a View.
type Environment struct {
	Sources, Mediums, Campaigns, Contents, Terms, Adsets, Creatives *Dict
	Referrers, Countries, Regions, Cities                           *Dict
	Platforms, Devices, Browsers, OSes                              *Dict
	Pages, Events, CustomIDs                                        *Dict

	// OpenFloor lets the open part of a small day grow to this many sessions before it is merged,
	// where the share of openLimit would merge at every change.
	OpenFloor int

	places       *table[placeKey, PlaceInfo]
	regionPlaces *table[[2]uint32, [2]uint32]
	cityPlaces   *table[[3]uint32, [3]uint32]
	techs        *table[TechInfo, TechInfo]
	visitors     *visitors
	otherEvent   uint32

	mu        sync.Mutex
	names     []Name
	frames    map[int32]*Frame
	purchases []CodedPurchase // by time
}

// NewEnvironment makes an empty environment.
func NewEnvironment() *Environment {
	e := &Environment{
		OpenFloor:    1024,
		places:       newTable[placeKey, PlaceInfo](),
		regionPlaces: newTable[[2]uint32, [2]uint32](),
		cityPlaces:   newTable[[3]uint32, [3]uint32](),
		techs:        newTable[TechInfo, TechInfo](),
		visitors:     newVisitors(),
		frames:       map[int32]*Frame{},
	}
	for _, d := range e.dicts() {
		*d = newDict()
	}
	e.otherEvent = e.Events.Code(Other)
	// Code 0 is the empty place and the empty device, as it is the empty value of a dictionary.
	e.NewBuilder().place(&Session{})
	e.NewBuilder().tech(&Session{})
	return e
}

// Portion makes an empty environment for some of the visitors of this one. They share the codes of
// all values but the custom user ids, of which a portion only knows its visitors'. Names announced to
// one are not known to the other.
func (e *Environment) Portion() *Environment {
	p := &Environment{
		OpenFloor: e.OpenFloor, places: e.places, regionPlaces: e.regionPlaces, cityPlaces: e.cityPlaces, techs: e.techs,
		visitors: newVisitors(), otherEvent: e.otherEvent, names: e.nameTable(), frames: map[int32]*Frame{},
	}
	shared := e.dicts()
	for i, d := range p.dicts() {
		*d = *shared[i]
	}
	p.CustomIDs = newDict()
	return p
}

func (e *Environment) dicts() []**Dict {
	return []**Dict{
		&e.Sources, &e.Mediums, &e.Campaigns, &e.Contents, &e.Terms, &e.Adsets, &e.Creatives,
		&e.Referrers, &e.Countries, &e.Regions, &e.Cities,
		&e.Platforms, &e.Devices, &e.Browsers, &e.OSes, &e.Pages, &e.Events, &e.CustomIDs,
	}
}

// NameRow announces what a name id stands for: the page of a view or the event's name of a custom
// event ("(other)" for the reserved names); the text of the other kinds is ignored.
type NameRow struct {
	ID   uint32
	Kind Kind
	Text string
}

// SetNames announces names. What an id stands for never changes.
func (e *Environment) SetNames(rows []NameRow) {
	if len(rows) == 0 {
		return
	}
	last := uint32(0)
	for _, row := range rows {
		last = max(last, row.ID)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// A view may hold the old slice.
	names := make([]Name, max(int(last)+1, len(e.names)))
	for i := copy(names, e.names); i < len(names); i++ {
		names[i] = Name{Kind: Custom, Event: e.otherEvent}
	}
	for _, row := range rows {
		n := Name{Kind: row.Kind, Known: true}
		if row.Kind.IsView() {
			n.Page = e.Pages.Code(row.Text)
		}
		if row.Kind == Custom {
			n.Event = e.Events.Code(row.Text)
		} else {
			n.Event = e.Events.Code(row.Kind.String())
		}
		names[row.ID] = n
	}
	e.names = names
}

func (e *Environment) nameTable() []Name {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.names[:len(e.names):len(e.names)]
}

// SetFirstTouch stores a visitor's first touch, replacing an earlier version.
func (e *Environment) SetFirstTouch(f *FirstTouch) {
	w := e.NewTouches()
	w.Set(f)
	w.Flush()
}

// Touches stores many first touches, some at a time: the builders of sessions want the visitors' lock too.
// It belongs to one goroutine; call Flush at the end.
type Touches struct {
	env                                         *Environment
	source, campaign, country, platform, device cached

	visitors idBatch
	waiting  []waitingTouch
	ordinals []uint32
}

type waitingTouch struct {
	firstSeen int64
	touch     Touch
}

// NewTouches makes a writer of first touches.
func (e *Environment) NewTouches() *Touches {
	return &Touches{
		env: e, source: newCached(e.Sources), campaign: newCached(e.Campaigns), country: newCached(e.Countries),
		platform: newCached(e.Platforms), device: newCached(e.Devices),
	}
}

// Set stores a visitor's first touch, replacing an earlier version.
func (w *Touches) Set(f *FirstTouch) {
	t := Touch{
		Source:   w.source.of(f.Source),
		Campaign: w.campaign.of(f.Campaign),
		Country:  w.country.of(f.Country),
		Platform: w.platform.of(f.Platform),
		Device:   w.device.of(f.Device),
	}
	if f.CustomUserID != "" {
		t.CustomID = w.env.CustomIDs.Code(f.CustomUserID)
	}
	w.visitors.add(f.Visitor)
	w.waiting = append(w.waiting, waitingTouch{f.FirstSeen - EpochMillis, t})
	if w.visitors.full() {
		w.Flush()
	}
}

// Flush stores what waits.
func (w *Touches) Flush() {
	v := w.env.visitors
	w.ordinals = v.number(w.visitors.take(), w.ordinals[:0])
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, x := range w.waiting {
		v.setTouch(w.ordinals[i], x.firstSeen, x.touch)
	}
	w.waiting = w.waiting[:0]
}

// FirstTouches is how many visitors have a first touch.
func (e *Environment) FirstTouches() int {
	e.visitors.mu.RLock()
	defer e.visitors.mu.RUnlock()
	return e.visitors.touched
}

// SetPurchases replaces the ledger.
func (e *Environment) SetPurchases(purchases []Purchase) {
	coded := e.code(purchases)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.purchases = coded
}

// AddPurchases appends ledger rows.
func (e *Environment) AddPurchases(purchases []Purchase) {
	coded := e.code(purchases)
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]CodedPurchase, 0, len(e.purchases)+len(coded))
	all = append(append(all, e.purchases...), coded...)
	slices.SortStableFunc(all, byTime)
	e.purchases = all
}

func (e *Environment) code(purchases []Purchase) []CodedPurchase {
	coded := make([]CodedPurchase, len(purchases))
	for i, p := range purchases {
		coded[i] = CodedPurchase{
			Visitor: e.visitors.ordinal(p.Visitor), At: p.At - EpochMillis,
			Provider: p.Provider, Kind: p.Kind, AmountMicros: p.AmountMicros,
		}
	}
	slices.SortStableFunc(coded, byTime)
	return coded
}

func byTime(a, b CodedPurchase) int { return cmp.Compare(a.At, b.At) }

// Put makes part the whole frame of a day.
func (e *Environment) Put(day int32, part *Part) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.frames[day] = newFrame(day, part)
}

// Drop forgets the frame of a day, because it was evicted or invalidated.
func (e *Environment) Drop(day int32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.frames, day)
}

// Has tells whether the day's frame is loaded.
func (e *Environment) Has(day int32) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.frames[day] != nil
}

// Upsert replaces or adds changed sessions in the frames that are loaded; sessions of other days
// are left for their load. It must not run at once with another Upsert, Put or Drop.
func (e *Environment) Upsert(sessions []Session) {
	byDay := map[int32][]int{}
	for i := range sessions {
		byDay[sessions[i].HomeDay] = append(byDay[sessions[i].HomeDay], i)
	}
	b := e.NewBuilder()
	for day, rows := range byDay {
		e.mu.Lock()
		f := e.frames[day]
		e.mu.Unlock()
		if f == nil {
			continue
		}
		for _, i := range rows {
			b.Add(&sessions[i])
		}
		f = f.upsert(b.Seal(), e.OpenFloor)
		e.mu.Lock()
		e.frames[day] = f
		e.mu.Unlock()
	}
}

// Ordinal is the ordinal of a visitor when it has one.
func (e *Environment) Ordinal(visitor string) (uint32, bool) { return e.visitors.lookup(visitor) }

// Bytes is the approximate memory of the environment: frames, visitors and dictionaries.
func (e *Environment) Bytes() int64 {
	total := e.visitors.memory()
	for _, d := range e.dicts() {
		total += (*d).Bytes()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.frames {
		total += f.Bytes()
	}
	return total + int64(len(e.purchases))*32 + int64(len(e.names))*12 +
		int64(len(e.places.all()))*112 + int64(len(e.cityPlaces.all()))*48
}

// DayBytes is the memory of one frame, 0 when it is not loaded.
func (e *Environment) DayBytes(day int32) int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.frames[day].Bytes()
}

var generation atomic.Uint64

// View is what the environment holds now, as an immutable value. The frames are those of the home
// days in [fromDay, toDay].
func (e *Environment) View(fromDay, toDay int32) *View {
	e.mu.Lock()
	v := &View{Generation: generation.Add(1), Names: e.names[:len(e.names):len(e.names)], Purchases: e.purchases, OtherEvent: e.otherEvent, env: e, memo: Memo{Size: memoSize}}
	for day, f := range e.frames {
		if day >= fromDay && day <= toDay {
			v.Frames = append(v.Frames, f)
		}
	}
	// Dictionaries and visitors grow before the frames that use their codes are put, so reading
	// them after the frames sees every code in use.
	e.mu.Unlock()
	slices.SortFunc(v.Frames, func(a, b *Frame) int { return cmp.Compare(a.Day, b.Day) })
	v.Visitors, v.touches = e.visitors.snapshot()
	v.Places, v.RegionPlaces = e.places.all(), e.regionPlaces.all()
	v.CityPlaces, v.Techs = e.cityPlaces.all(), e.techs.all()
	v.Sources, v.Mediums, v.Campaigns = e.Sources.Values(), e.Mediums.Values(), e.Campaigns.Values()
	v.Contents, v.Terms, v.Adsets = e.Contents.Values(), e.Terms.Values(), e.Adsets.Values()
	v.Creatives, v.Referrers = e.Creatives.Values(), e.Referrers.Values()
	v.Countries, v.Regions, v.Cities = e.Countries.Values(), e.Regions.Values(), e.Cities.Values()
	v.Platforms, v.Devices = e.Platforms.Values(), e.Devices.Values()
	v.Browsers, v.OSes = e.Browsers.Values(), e.OSes.Values()
	v.Pages, v.Events, v.CustomIDs = e.Pages.Values(), e.Events.Values(), e.CustomIDs.Values()
	return v
}

// View is one immutable reading of an environment: everything a report needs. All slices are
// read-only.
type View struct {
	Generation uint64 // differs between any two views
	Frames     []*Frame
	Names      []Name
	Visitors   []string // by ordinal
	Purchases  []CodedPurchase
	OtherEvent uint32

	Places       []PlaceInfo
	RegionPlaces [][2]uint32 // country, region
	CityPlaces   [][3]uint32 // country, region, city
	Techs        []TechInfo

	Sources, Mediums, Campaigns, Contents, Terms, Adsets, Creatives []string
	Referrers, Countries, Regions, Cities                           []string
	Platforms, Devices, Browsers, OSes, Pages, Events, CustomIDs    []string

	touches []*touches
	env     *Environment

	memo Memo
}

// Touch is the first touch of a visitor.
func (v *View) Touch(ordinal uint32) *Touch {
	return &v.touches[ordinal>>touchShift].rest[ordinal&(touchChunk-1)]
}

// FirstSeen is the time of a visitor's first touch in milliseconds since 2020-01-01T00:00Z, or
// NeverSeen.
func (v *View) FirstSeen(ordinal uint32) int64 {
	return v.touches[ordinal>>touchShift].firstSeen[ordinal&(touchChunk-1)]
}

// Name is what a name id stands for.
func (v *View) Name(id uint32) Name {
	if int(id) < len(v.Names) {
		return v.Names[id]
	}
	return Name{Kind: Custom, Event: v.OtherEvent}
}

// Ordinal is the ordinal of a visitor that the view knows.
func (v *View) Ordinal(visitor string) (uint32, bool) {
	ordinal, ok := v.env.Ordinal(visitor)
	return ordinal, ok && int(ordinal) < len(v.Visitors)
}

// Environment is the environment that the view reads, whose visitor ordinals it shares.
func (v *View) Environment() *Environment { return v.env }
