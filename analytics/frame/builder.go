package frame

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-dev/svc/analytics/channel"
)

// partBuilder collects the rows of a part.
type partBuilder struct {
	data     *Dataset
	visitors idBatch // of the latest rows, not numbered yet
	rows     *Part
}

func newPartBuilder(data *Dataset, t RowType) partBuilder {
	return partBuilder{data: data, rows: newPart(t)}
}

// addRow adds the visitor and the key of a row, whose columns and hits the caller appends.
func (b *partBuilder) addRow(visitor string, key Key) *Part {
	b.visitors.add(visitor)
	if b.visitors.full() {
		b.numberVisitors()
	}
	b.rows.key.values = append(b.rows.key.values, key)
	return b.rows
}

func (b *partBuilder) numberVisitors() {
	b.rows.visitor.values = b.data.visitors.number(b.visitors.take(), b.rows.visitor.values)
}

// discard empties the builder. It keeps its memory for the next part.
func (b *partBuilder) discard() {
	b.visitors.take()
	p := b.rows
	p.visitor.values, p.key.values = p.visitor.values[:0], p.key.values[:0]
	p.off.values, p.hits.values = p.off.values[:1], p.hits.values[:0]
	for c := range p.col {
		p.col[c].values = p.col[c].values[:0]
	}
}

// put appends a value to a column.
func (p *Part) put(c Column, value uint32) { p.col[c].values = append(p.col[c].values, value) }

// endRow ends the hits of a row.
func (p *Part) endRow() { p.off.values = append(p.off.values, uint32(len(p.hits.values))) }

// seal returns the rows that were added, and empties the builder.
func (b *partBuilder) seal() *Part {
	b.numberVisitors()
	part := b.rows.sorted()
	b.discard()
	return part
}

// Bytes returns the memory of the builder, and that of the part that Seal makes of it.
func (b *partBuilder) Bytes() int64 {
	p := b.rows
	columns := cap(p.visitor.values)*4 + cap(p.key.values)*16 + cap(p.off.values)*4 + cap(p.hits.values)*8
	for c := range p.col {
		columns += cap(p.col[c].values) * 4
	}
	return int64(columns) + b.PartBytes()
}

// PartBytes returns the memory of the part that Seal makes of what was added.
func (b *partBuilder) PartBytes() int64 { return b.rows.Bytes() }

// tuples finds the codes of places and devices for one goroutine.
type tuples struct {
	data *Dataset

	country, region, city         cached
	platform, device, browser, os cached

	places map[placeKey]uint32
	techs  map[TechInfo]uint32
}

func newTuples(d *Dataset) tuples {
	return tuples{
		data:    d,
		country: newCached(d.Countries), region: newCached(d.Regions), city: newCached(d.Cities),
		platform: newCached(d.Platforms), device: newCached(d.Devices),
		browser: newCached(d.Browsers), os: newCached(d.OSes),
		places: map[placeKey]uint32{}, techs: map[TechInfo]uint32{},
	}
}

// Builder encodes sessions of one home day into a part. It belongs to one goroutine; several
// builders may fill one dataset at once.
type Builder struct {
	partBuilder
	tuples tuples
	names  []Name
	pages  []string
	events []string

	attribution [Referrer]cached // Source … Creative
	referrer    cached
	hosts       map[string]string // host of a raw referrer
}

// NewBuilder makes a builder of sessions for the dataset.
func (d *Dataset) NewBuilder() *Builder {
	b := &Builder{partBuilder: newPartBuilder(d, Sessions), tuples: newTuples(d), hosts: map[string]string{}}
	for c, dict := range []*Dict{d.Sources, d.Mediums, d.Campaigns, d.Contents, d.Terms, d.Adsets, d.Creatives} {
		b.attribution[c] = newCached(dict)
	}
	b.referrer = newCached(d.Referrers)
	b.RefreshNames()
	return b
}

// Discard empties the builder. It keeps its memory for the next part.
func (b *Builder) Discard() {
	b.discard()
	b.RefreshNames()
}

// Add encodes one session. Names its hits use must have been announced with SetNames before the builder was
// made or last sealed; an unknown name counts as the custom event "(other)". A session without hits is ignored.
func (b *Builder) Add(s *Session) {
	if len(s.Hits) == 0 {
		return
	}
	p := b.addRow(s.Visitor, SessionKey(s.ID))
	for c, value := range [...]string{s.Source, s.Medium, s.Campaign, s.Content, s.Term, s.Adset, s.Creative} {
		p.put(Column(c), b.attribution[c].of(value))
	}
	host := b.referrerHost(s.Referrer)
	if host != "" && s.Landing != "" && host == channel.Host(s.Landing) {
		host = ""
	}
	p.put(Referrer, b.referrer.of(host))
	p.put(Channel, uint32(channelOf(s, host)))
	p.put(Place, b.tuples.placeOf(s))
	p.put(Tech, b.tuples.tech(s.Platform, s.Device, s.Browser, s.OS))

	from := len(p.hits.values)
	p.hits.values = append(p.hits.values, s.Hits...)
	hits := p.hits.values[from:]
	b.sortHits(hits)
	if len(hits) > MaxHits {
		hits = hits[:MaxHits]
		p.hits.values = p.hits.values[:from+MaxHits]
	}
	p.endRow()
	var views, events uint32
	var entry, exit uint32
	for _, hit := range hits {
		switch name := b.name(HitName(hit)); {
		case name.Kind.IsView():
			if views == 0 {
				entry = name.Page
			}
			exit = name.Page
			views++
		case name.Kind == Custom:
			events++
		}
	}
	p.put(Entry, entry)
	p.put(Exit, exit)
	p.put(Totals, views<<ViewsShift|events)
	start := HitTime(hits[0])
	p.put(Length, uint32(min(HitTime(hits[len(hits)-1])-start, LongSession)))
	p.put(Begin, uint32(start))
}

// Missing returns the name ids of hits that the builder does not know.
func (b *Builder) Missing(hits []int64) (ids []uint32) {
	for _, hit := range hits {
		id := HitName(hit)
		if (int(id) >= len(b.names) || !b.names[id].Known) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// RefreshNames makes the builder see names announced since it was made.
func (b *Builder) RefreshNames() {
	b.names = b.data.nameTable()
	b.pages, b.events = b.data.Pages.Values(), b.data.Events.Values()
}

// channelOf derives the acquisition channel of a session.
func channelOf(s *Session, referrerHost string) channel.Channel {
	in := channel.Input{
		ReferrerHost: referrerHost, Source: s.Source, Medium: s.Medium, Platform: s.Platform,
		OrganicUnknown: s.OrganicUnknown, Organic: s.Organic == OrganicTrue,
	}
	if s.Organic == OrganicAbsent {
		// analytics.md §2: an app session without the flag is organic when its group is empty.
		in.Organic = s.Source == "" && s.Medium == "" && s.Campaign == "" && s.Content == "" &&
			s.Term == "" && s.Adset == "" && s.Creative == "" && s.Referrer == ""
	}
	return channel.Of(in)
}

func (b *Builder) referrerHost(raw string) string {
	if raw == "" {
		return ""
	}
	host, ok := b.hosts[raw]
	if !ok {
		host = strings.Clone(channel.Host(raw)) // raw may be a row buffer
		// Referrer URLs can be unique; the memory of them must not outgrow the frame.
		if len(b.hosts) > 1<<14 {
			clear(b.hosts)
		}
		b.hosts[string([]byte(raw))] = host
	}
	return host
}

// placeOf returns the code of a session's place.
func (t *tuples) placeOf(s *Session) uint32 {
	key := t.placeKey(s.Country, s.Region, s.City)
	if s.HasCoordinates {
		key.lat, key.lon, key.at = s.Lat, s.Lon, true
	}
	return t.place(key)
}

// placeKey returns the key of a place without coordinates.
func (t *tuples) placeKey(country, region, city string) placeKey {
	return placeKey{country: t.country.of(country), region: t.region.of(region), city: t.city.of(city)}
}

func (t *tuples) place(key placeKey) uint32 {
	if code, ok := t.places[key]; ok {
		return code
	}
	code := t.data.placeCode(key)
	remember(t.places, key, code)
	return code
}

// placeCode returns the code of a place.
func (d *Dataset) placeCode(key placeKey) uint32 {
	return d.places.code(key, func() PlaceInfo {
		info := PlaceInfo{
			Country: key.country, Region: key.region, City: key.city, Lat: math.NaN(), Lon: math.NaN(),
			lat: key.lat, lon: key.lon,
		}
		if key.at {
			info.Lat, info.Lon = shortest(key.lat), shortest(key.lon)
		}
		info.RegionPlace = d.regionPlaces.code([2]uint32{info.Country, info.Region},
			func() [2]uint32 { return [2]uint32{info.Country, info.Region} })
		info.CityPlace = d.cityPlaces.code([3]uint32{info.Country, info.Region, info.City},
			func() [3]uint32 { return [3]uint32{info.Country, info.Region, info.City} })
		return info
	})
}

// shortest returns a coordinate that is stored in four bytes as the number that was written, not as its binary
// neighbour: a float32 has the value of its shortest decimal.
func shortest(coordinate float64) float64 {
	short := float32(coordinate)
	if float64(short) != coordinate {
		return coordinate
	}
	n, err := strconv.ParseFloat(strconv.FormatFloat(coordinate, 'g', -1, 32), 64)
	if err != nil {
		return coordinate
	}
	return n
}

func (t *tuples) tech(platform, device, browser, os string) uint32 {
	info := TechInfo{
		Platform: t.platform.of(platform), Device: t.device.of(device),
		Browser: t.browser.of(browser), OS: t.os.of(os),
	}
	code, ok := t.techs[info]
	if !ok {
		code = t.data.techs.code(info, func() TechInfo { return info })
		remember(t.techs, info, code)
	}
	return code
}

func (b *Builder) name(id uint32) Name {
	if int(id) < len(b.names) && b.names[id].Known {
		return b.names[id]
	}
	return Name{Kind: Custom, Event: b.data.otherEvent}
}

// sortHits orders hits by time and then as analytics.md §2 says. Packed hits of different times
// compare as integers, so only runs of one millisecond need the names.
func (b *Builder) sortHits(hits []int64) {
	slices.Sort(hits)
	for i := 1; i < len(hits); {
		if HitTime(hits[i]) != HitTime(hits[i-1]) {
			i++
			continue
		}
		from := i - 1
		for i < len(hits) && HitTime(hits[i]) == HitTime(hits[from]) {
			i++
		}
		slices.SortFunc(hits[from:i], func(x, y int64) int {
			a, c := b.name(HitName(x)), b.name(HitName(y))
			switch {
			case lessName(a, c, b.pages, b.events):
				return -1
			case lessName(c, a, b.pages, b.events):
				return 1
			}
			return cmp.Compare(x, y)
		})
	}
}

// Seal returns the sessions added since the last call as a part and empties the builder. Of
// several versions of one session the last added stays.
func (b *Builder) Seal() *Part {
	part := b.seal()
	b.RefreshNames()
	return part
}
