package frame

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics/channel"
)

// Builder encodes sessions of one home day into a part. It belongs to one goroutine; several
// builders may fill one environment at once.
type Builder struct {
	env    *Environment
	names  []Name
	pages  []string
	events []string

	attribution [Referrer]cached // Source … Creative
	referrer    cached
	country     cached
	region      cached
	city        cached
	platform    cached
	device      cached
	browser     cached
	os          cached
	hosts       map[string]string // host of a raw referrer
	places      map[placeKey]uint32
	techs       map[TechInfo]uint32

	rows *Part
}

// NewBuilder makes a builder for the environment.
func (e *Environment) NewBuilder() *Builder {
	b := &Builder{env: e, hosts: map[string]string{}, places: map[placeKey]uint32{}, techs: map[TechInfo]uint32{}}
	for c, d := range []*Dict{e.Sources, e.Mediums, e.Campaigns, e.Contents, e.Terms, e.Adsets, e.Creatives} {
		b.attribution[c] = newCached(d)
	}
	b.referrer = newCached(e.Referrers)
	b.country, b.region, b.city = newCached(e.Countries), newCached(e.Regions), newCached(e.Cities)
	b.platform, b.device = newCached(e.Platforms), newCached(e.Devices)
	b.browser, b.os = newCached(e.Browsers), newCached(e.OSes)
	b.reset()
	return b
}

// Discard empties the builder.
func (b *Builder) Discard() { b.reset() }

func (b *Builder) reset() {
	b.rows = &Part{Off: []uint32{0}, MinHit: math.MaxInt64, MaxHit: math.MinInt64}
	b.RefreshNames()
}

// Add encodes one session. Names its hits use must have been announced with SetNames before the builder was made or last
// sealed; an unknown
// name counts as the custom event "(other)". A session without hits is ignored.
func (b *Builder) Add(s *Session) {
	if len(s.Hits) == 0 {
		return
	}
	p := b.rows
	p.Visitor = append(p.Visitor, b.env.visitors.ordinal(s.Visitor))
	p.Key = append(p.Key, SessionKey(s.ID))
	for c, value := range [...]string{s.Source, s.Medium, s.Campaign, s.Content, s.Term, s.Adset, s.Creative} {
		p.Col[c] = append(p.Col[c], b.attribution[c].of(value))
	}
	host := b.referrerHost(s.Referrer)
	if host != "" && s.Landing != "" && host == channel.Host(s.Landing) {
		host = ""
	}
	p.Col[Referrer] = append(p.Col[Referrer], b.referrer.of(host))
	p.Col[Channel] = append(p.Col[Channel], uint32(channelOf(s, host)))
	p.Col[Place] = append(p.Col[Place], b.place(s))
	p.Col[Tech] = append(p.Col[Tech], b.tech(s))

	from := len(p.Hits)
	p.Hits = append(p.Hits, s.Hits...)
	hits := p.Hits[from:]
	b.sortHits(hits)
	if len(hits) > MaxHits {
		p.Hits = p.Hits[:from+MaxHits]
		hits = p.Hits[from:]
	}
	p.Off = append(p.Off, uint32(len(p.Hits)))
	var views, events uint16
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
	p.Col[Entry], p.Col[Exit] = append(p.Col[Entry], entry), append(p.Col[Exit], exit)
	p.Views, p.Events = append(p.Views, views), append(p.Events, events)
	length := HitTime(hits[len(hits)-1]) - HitTime(hits[0])
	p.Millis = append(p.Millis, uint32(min(length, LongSession)))
}

// Len is the number of sessions added since the last Seal.
func (b *Builder) Len() int { return b.rows.Len() }

// Bytes is the memory of what was added since the last Seal, and as much again for the part that Seal
// makes of it.
func (b *Builder) Bytes() int64 {
	p := b.rows
	columns := cap(p.Visitor)*4 + cap(p.Key)*16 + cap(p.Views)*2 + cap(p.Events)*2 + cap(p.Millis)*4 + cap(p.Off)*4 + cap(p.Hits)*8
	for c := range p.Col {
		columns += cap(p.Col[c]) * 4
	}
	return int64(columns) + p.Bytes()
}

// Missing are the name ids of hits that the builder does not know.
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
	b.names = b.env.nameTable()
	b.pages, b.events = b.env.Pages.Values(), b.env.Events.Values()
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

func (b *Builder) place(s *Session) uint32 {
	info := PlaceInfo{
		Country: b.country.of(s.Country), Region: b.region.of(s.Region), City: b.city.of(s.City),
		Lat: math.NaN(), Lon: math.NaN(),
	}
	key := placeKey{country: info.Country, region: info.Region, city: info.City}
	if s.HasCoordinates {
		info.Lat, info.Lon = s.Lat, s.Lon
		key.lat, key.lon, key.at = s.Lat, s.Lon, true
	}
	if code, ok := b.places[key]; ok {
		return code
	}
	code := b.env.places.code(key, func() PlaceInfo {
		info.RegionPlace = b.env.regionPlaces.code([2]uint32{info.Country, info.Region},
			func() [2]uint32 { return [2]uint32{info.Country, info.Region} })
		info.CityPlace = b.env.cityPlaces.code([3]uint32{info.Country, info.Region, info.City},
			func() [3]uint32 { return [3]uint32{info.Country, info.Region, info.City} })
		return info
	})
	b.places[key] = code
	return code
}

func (b *Builder) tech(s *Session) uint32 {
	info := TechInfo{
		Platform: b.platform.of(s.Platform), Device: b.device.of(s.Device),
		Browser: b.browser.of(s.Browser), OS: b.os.of(s.OS),
	}
	code, ok := b.techs[info]
	if !ok {
		code = b.env.techs.code(info, func() TechInfo { return info })
		b.techs[info] = code
	}
	return code
}

func (b *Builder) name(id uint32) Name {
	if int(id) < len(b.names) && b.names[id].Known {
		return b.names[id]
	}
	return Name{Kind: Custom, Event: b.env.otherEvent}
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
	added := b.rows
	order := make([]uint32, added.Len())
	for i := range order {
		order[i] = uint32(i)
	}
	// Versions of a session may differ in start, so find them by visitor and key first.
	slices.SortFunc(order, func(i, j uint32) int {
		if c := cmp.Compare(added.Visitor[i], added.Visitor[j]); c != 0 {
			return c
		}
		if c := slices.Compare(added.Key[i][:], added.Key[j][:]); c != 0 {
			return c
		}
		return cmp.Compare(j, i)
	})
	order = slices.CompactFunc(order, func(i, j uint32) bool {
		return added.Visitor[i] == added.Visitor[j] && added.Key[i] == added.Key[j]
	})
	slices.SortFunc(order, func(i, j uint32) int {
		if before(added, i, added, j) {
			return -1
		}
		return 1
	})
	hits := 0
	for _, row := range order {
		hits += int(added.Off[row+1] - added.Off[row])
	}
	out := allocate(len(order), hits)
	for to, row := range order {
		out.copyRow(to, added, row)
	}
	b.reset()
	return out
}
