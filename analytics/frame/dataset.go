package frame

import (
	"math"
	"sync"
)

// PlaceInfo is one distinct place of sessions and runs. Lat and Lon are NaN without coordinates.
type PlaceInfo struct {
	Country, Region, City  uint32 // codes in Countries, Regions, Cities
	RegionPlace, CityPlace uint32 // codes of (country, region) and (country, region, city)
	Lat, Lon               float64

	lat, lon float64 // as the database has them
}

type placeKey struct {
	country, region, city uint32
	lat, lon              float64
	at                    bool
}

// TechInfo is one distinct combination of platform, device, browser and operating system.
type TechInfo struct{ Platform, Device, Browser, OS uint32 }

// Dataset is the mutable content of one environment: dictionaries, visitors, names, purchases
// and the frames loaded so far. Its methods may be called at once from several goroutines;
// readers work on a View.
type Dataset struct {
	Sources, Mediums, Campaigns, Contents, Terms, Adsets, Creatives *Dict
	Referrers, Countries, Regions, Cities                           *Dict
	Platforms, Devices, Browsers, OSes                              *Dict
	Pages, Events, Products                                         *Dict

	// Values of runs that clients make up. What finds no room is "(other)".
	Locales, AppVersions, CustomKeys, CustomValues *Dict

	// OpenFloor lets the open part of a small day grow to this many rows before it is merged,
	// where the share of openLimit would merge at every change.
	OpenFloor int

	places       *table[placeKey, PlaceInfo]
	regionPlaces *table[[2]uint32, [2]uint32]
	cityPlaces   *table[[3]uint32, [3]uint32]
	techs        *table[TechInfo, TechInfo]
	happenings   *boundedTable[Happening]
	releases     *boundedTable[ReleaseInfo]
	clients      *boundedTable[ClientInfo]
	customSets   *customSets
	paths        *paths
	madeUp       *allowance // of the bytes of all values that are bounded
	visitors     *visitors
	customIDs    *ids // 0 is none
	otherEvent   uint32

	mu        sync.Mutex
	names     []Name
	flowNames []FlowName

	flowNameBytes int64 // of their texts

	frames    [RowTypes]map[int32]*Frame
	purchases []CodedPurchase // by time
}

// ValueBytes is how many bytes of a dataset the values may take that clients make up: what happens in runs, what was
// served in them, and their custom properties.
const ValueBytes = 128 << 20

// NewDataset makes an empty dataset.
func NewDataset() *Dataset { return NewDatasetWithin(ValueBytes) }

// NewDatasetWithin makes an empty dataset whose made-up values may take so many bytes.
func NewDatasetWithin(valueBytes int64) *Dataset {
	within := &allowance{limit: valueBytes}
	d := &Dataset{
		OpenFloor:    1024,
		places:       newTable[placeKey, PlaceInfo](),
		regionPlaces: newTable[[2]uint32, [2]uint32](),
		cityPlaces:   newTable[[3]uint32, [3]uint32](),
		techs:        newTable[TechInfo, TechInfo](),
		happenings:   newBoundedTable[Happening](within, maxHappenings),
		releases:     newBoundedTable[ReleaseInfo](within, math.MaxInt32),
		clients:      newBoundedTable[ClientInfo](within, math.MaxInt32),
		paths:        newPaths(valueBytes),
		madeUp:       within,
		visitors:     newVisitors(),
		customIDs:    newCustomIDs(),
		frames:       newFrames(),
	}
	for _, dict := range d.dicts() {
		*dict = newDict()
	}
	for _, dict := range d.boundedDicts() {
		*dict = newBoundedDict(within)
	}
	d.customSets = newCustomSets(within, CustomValue{d.CustomKeys.Code(Other), d.CustomValues.Code(Other)})
	d.otherEvent = d.Events.Code(Other)
	// Code 0 is the empty place and the empty device, as it is the empty value of a dictionary.
	empty := newTuples(d)
	empty.placeOf(&Session{})
	empty.tech("", "", "", "")
	return d
}

func newFrames() (frames [RowTypes]map[int32]*Frame) {
	for t := range frames {
		frames[t] = map[int32]*Frame{}
	}
	return frames
}

// Portion makes an empty dataset for some of the visitors of this one. They share the codes of
// all values but the custom user ids, of which a portion only knows its visitors'. Names announced to
// one are not known to the other.
func (d *Dataset) Portion() *Dataset {
	p := &Dataset{
		OpenFloor: d.OpenFloor, places: d.places, regionPlaces: d.regionPlaces, cityPlaces: d.cityPlaces, techs: d.techs,
		happenings: d.happenings, releases: d.releases, clients: d.clients, customSets: d.customSets, paths: d.paths,
		madeUp:   d.madeUp,
		visitors: newVisitors(), customIDs: newCustomIDs(), otherEvent: d.otherEvent,
		names: d.nameTable(), flowNames: d.flowNameTable(),
		frames: newFrames(),
	}
	shared := append(d.dicts(), d.boundedDicts()...)
	for i, dict := range append(p.dicts(), p.boundedDicts()...) {
		*dict = *shared[i]
	}
	return p
}

func (d *Dataset) dicts() []**Dict {
	return []**Dict{
		&d.Sources, &d.Mediums, &d.Campaigns, &d.Contents, &d.Terms, &d.Adsets, &d.Creatives,
		&d.Referrers, &d.Countries, &d.Regions, &d.Cities,
		&d.Platforms, &d.Devices, &d.Browsers, &d.OSes, &d.Pages, &d.Events, &d.Products,
	}
}

func (d *Dataset) boundedDicts() []**Dict {
	return []**Dict{&d.Locales, &d.AppVersions, &d.CustomKeys, &d.CustomValues}
}

// NameRow announces what a name id stands for: the page of a view or the event's name of a custom
// event ("(other)" for the reserved names); the text of the other kinds is ignored.
type NameRow struct {
	ID   uint32
	Kind Kind
	Text string
}

// SetNames announces names. What an id stands for never changes.
func (d *Dataset) SetNames(rows []NameRow) {
	if len(rows) == 0 {
		return
	}
	last := uint32(0)
	for _, row := range rows {
		last = max(last, row.ID)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// A view may hold the old slice.
	names := make([]Name, max(int(last)+1, len(d.names)))
	for i := copy(names, d.names); i < len(names); i++ {
		names[i] = Name{Kind: Custom, Event: d.otherEvent}
	}
	for _, row := range rows {
		n := Name{Kind: row.Kind, Known: true}
		if row.Kind.IsView() {
			n.Page = d.Pages.Code(row.Text)
		}
		if row.Kind == Custom {
			n.Event = d.Events.Code(row.Text)
		} else {
			n.Event = d.Events.Code(row.Kind.String())
		}
		names[row.ID] = n
	}
	d.names = names
}

func (d *Dataset) nameTable() []Name {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[:len(d.names):len(d.names)]
}

// SetFirstTouch stores a visitor's first touch, replacing an earlier version.
func (d *Dataset) SetFirstTouch(f *FirstTouch) {
	w := d.NewTouches()
	w.Set(f)
	w.Flush()
}

// FirstTouches returns how many visitors have a first touch.
func (d *Dataset) FirstTouches() int {
	return d.visitors.firstTouches()
}

// Put makes part the whole frame of a day.
func (d *Dataset) Put(t RowType, day int32, part *Part) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frames[t][day] = newFrame(day, part)
}

// Drop forgets the frame of a day, because it was evicted or invalidated.
func (d *Dataset) Drop(t RowType, day int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.frames[t], day)
}

// Has tells whether the day's frame is loaded.
func (d *Dataset) Has(t RowType, day int32) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.frames[t][day] != nil
}

// Upsert replaces or adds changed sessions in the frames that are loaded; sessions of other days
// are left for their load, and a frame that is dropped meanwhile stays dropped. It must not run at once
// with another Upsert or Put.
func (d *Dataset) Upsert(sessions []Session) {
	upsert(d, Sessions, sessions, func(s *Session) int32 { return s.HomeDay }, d.NewBuilder())
}

// rowBuilder makes parts of rows of type R.
type rowBuilder[R any] interface {
	Add(row *R)
	Seal() *Part
}

func upsert[R any](d *Dataset, t RowType, rows []R, homeDay func(*R) int32, b rowBuilder[R]) {
	byDay := map[int32][]int{}
	for i := range rows {
		day := homeDay(&rows[i])
		byDay[day] = append(byDay[day], i)
	}
	frames := d.frames[t]
	for day, changed := range byDay {
		d.mu.Lock()
		f := frames[day]
		d.mu.Unlock()
		if f == nil {
			continue
		}
		for _, i := range changed {
			b.Add(&rows[i])
		}
		merged := f.upsert(b.Seal(), d.OpenFloor)
		d.mu.Lock()
		if frames[day] == f {
			frames[day] = merged
		}
		d.mu.Unlock()
	}
}

// FindVisitors returns the ordinals of the visitors whose ids a function accepts, in ascending order.
func (d *Dataset) FindVisitors(accepts func(id string) bool) (ordinals []uint32) {
	for ordinal, id := range d.visitors.all().All() {
		if accepts(id) {
			ordinals = append(ordinals, ordinal)
		}
	}
	return ordinals
}

// RemoveVisitors takes the first touches of visitors and their rows of all days out; their purchases stay. Views that
// were made before keep them. It must not run at once with Upsert or Put.
func (d *Dataset) RemoveVisitors(ordinals []uint32) {
	d.visitors.removeTouches(ordinals)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, frames := range d.frames {
		for day, f := range frames {
			frames[day] = f.without(ordinals)
		}
	}
}

// Ordinal returns the ordinal of a visitor when it has one.
func (d *Dataset) Ordinal(visitor string) (uint32, bool) { return d.visitors.lookup(visitor) }

// Bytes returns the approximate memory of the dataset: frames, visitors and dictionaries.
func (d *Dataset) Bytes() int64 {
	total := d.visitors.memory() + d.customIDs.memory() + d.madeUp.spent.Load() + d.paths.Bytes()
	for _, dict := range d.dicts() {
		total += (*dict).Bytes()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, frames := range d.frames {
		for _, f := range frames {
			total += f.Bytes()
		}
	}
	return total + int64(len(d.purchases))*purchaseBytes + int64(len(d.names))*12 +
		int64(len(d.flowNames))*24 + d.flowNameBytes +
		int64(len(d.places.all()))*112 + int64(len(d.cityPlaces.all()))*48
}

// DayBytes returns the memory of one frame, 0 when it is not loaded.
func (d *Dataset) DayBytes(t RowType, day int32) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.frames[t][day].Bytes()
}

// newCustomIDs makes numbers of custom user ids, whose first is that of visitors without one.
func newCustomIDs() *ids {
	custom := newIDs()
	custom.code("")
	return custom
}
