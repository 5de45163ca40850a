package report

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// LiveWindow is how long after their latest hit a visitor counts as online; LiveMinutes is how
// many minutes the live chart shows.
const (
	LiveWindow  = 5 * time.Minute
	LiveMinutes = 30
)

// ClockSkew is how far ahead of the server a hit may be (analytics.md §1, timestamp).
const ClockSkew = 5 * time.Minute

// LivePlaces is how many places the live report lists at most: more than a map can show.
const LivePlaces = 10_000

// LivePages is how many pages the live report lists.
const LivePages = 10

// Person is a visitor online, standing at their latest hit. Page is the latest view of that
// session at or before the hit.
type Person struct {
	AppUserID  string    `json:"appUserId"`
	Page       string    `json:"page"`
	Country    string    `json:"country"`
	Region     string    `json:"region"`
	City       string    `json:"city"`
	Latitude   *float64  `json:"latitude"`
	Longitude  *float64  `json:"longitude"`
	Platform   string    `json:"platform"`
	Device     string    `json:"device"`
	LastSeenAt time.Time `json:"lastSeenAt"`
}

// LivePlace is how many visitors are online in a place.
type LivePlace struct {
	Country   string   `json:"country"`
	Region    string   `json:"region"`
	City      string   `json:"city"`
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
	Visitors  int64    `json:"visitors"`
}

// LiveMinute is one minute of the live chart.
type LiveMinute struct {
	Minute   time.Time `json:"minute"`
	Visitors int64     `json:"visitors"`
	Hits     int64     `json:"hits"`
}

// LivePage is how many visitors online stand at a page.
type LivePage struct {
	Page     string `json:"page"`
	Visitors int64  `json:"visitors"`
}

// Live is who is online. Places and the people's total always sum to Count.
type Live struct {
	Count   int           `json:"count"`
	People  Table[Person] `json:"people"`
	Places  []LivePlace   `json:"places"`
	Minutes []LiveMinute  `json:"minutes"`
	Pages   []LivePage    `json:"pages"`
}

// LiveScope returns the scope of Live: the sessions of the chart's minutes, to as far ahead of now as hits may be.
func LiveScope(platform string, segment *analytics.Segment, now time.Time) analytics.Scope {
	return analytics.Scope{
		Start:    now.Truncate(time.Minute).Add(-(LiveMinutes - 1) * time.Minute),
		End:      now.Add(ClockSkew + time.Millisecond),
		Platform: platform, Segment: segment,
	}
}

// Live computes the live report of a selection of LiveScope. It pages over people only, ordered by lastSeen.
func (s *Selection) Live(ctx context.Context, page Page) (*Live, error) {
	by, err := page.sorting(LastSeen, []Metric{LastSeen})
	if err != nil {
		return nil, err
	}
	t, known, err := sumPortions(ctx, s, func(p *Selection) online { return p.countOnline(by) },
		func(total, more online) online { return total.plus(more, by) })
	if err != nil {
		return nil, err
	}
	people, err := t.people.page(by)
	if err != nil {
		return nil, err
	}
	for i := range t.minutes {
		t.minutes[i].Minute = s.scope.Start.UTC().Add(time.Duration(i) * time.Minute)
	}
	return &Live{
		Count: t.count, People: *people, Minutes: t.minutes[:],
		Places: known.livePlaces(t.places), Pages: known.livePages(t.pages),
	}, nil
}

// online is the tally of the live report. It has a page of people only, whatever number is online.
type online struct {
	count   int
	people  listing[Person]
	places  map[uint32]int64 // visitors by code of their place
	pages   map[uint32]int64 // and of their page
	minutes [LiveMinutes]LiveMinute
}

func (s *Selection) countOnline(by sorting) online {
	t := online{places: map[uint32]int64{}, pages: map[uint32]int64{}}
	since := frame.Millis(s.now.Add(-LiveWindow))
	var people []latestHit
	for shard := range s.workers() {
		s.eachVisitor(shard, s.window.readVisitors(), func(_ uint32, sessions []ref) {
			if at := s.findLatestHit(sessions); at.time >= since {
				people = append(people, at)
				t.places[s.placeCode(at)]++
				t.pages[s.page(at)]++
			}
			s.countMinutes(sessions, t.minutes[:])
		})
	}
	t.count, t.people = len(people), s.livePeople(people).list(by)
	return t
}

func (t online) plus(more online, by sorting) online {
	t.count += more.count
	t.people = t.people.plus(more.people, by)
	for place, visitors := range more.places {
		t.places[place] += visitors
	}
	for page, visitors := range more.pages {
		t.pages[page] += visitors
	}
	for i, minute := range more.minutes {
		t.minutes[i].Visitors += minute.Visitors
		t.minutes[i].Hits += minute.Hits
	}
	return t
}

// latestHit is where a visitor stands: at the latest hit of the range in a session.
type latestHit struct {
	session ref
	time    int64
}

func (s *Selection) visitor(r ref) uint32 { return s.window.parts[r.part].Visitors()[r.row] }

// findLatestHit returns the latest in-range hit of a visitor's sessions; of two at one time the one of the
// session with the greater key. It reads no hits where the session's end tells.
func (s *Selection) findLatestHit(sessions []ref) latestHit {
	best := latestHit{time: math.MinInt64}
	for _, r := range sessions {
		at := s.window.parts[r.part].last(r.row)
		if at > best.time || at == best.time && s.keyAfter(r, best.session) {
			best = latestHit{session: r, time: at}
		}
	}
	return best
}

func (s *Selection) keyAfter(a, b ref) bool {
	x, y := &s.window.parts[a.part].Keys()[a.row], &s.window.parts[b.part].Keys()[b.row]
	return string(x[:]) > string(y[:])
}

// countMinutes adds one visitor's hits to the chart.
func (s *Selection) countMinutes(sessions []ref, minutes []LiveMinute) {
	var seen [LiveMinutes]bool
	for _, r := range sessions {
		p := &s.window.parts[r.part]
		for _, hit := range p.hitsIn(r.row) {
			minute := (frame.HitTime(hit) - s.window.start) / 60_000
			if minute >= LiveMinutes {
				break
			}
			minutes[minute].Hits++
			if !seen[minute] {
				seen[minute] = true
				minutes[minute].Visitors++
			}
		}
	}
}

// page returns the code of the latest view at or before the hit.
func (s *Selection) page(at latestHit) uint32 {
	p := &s.window.parts[at.session.part]
	_, end := p.bounds(at.session.row)
	for _, hit := range slices.Backward(p.Hits()[p.Offsets()[at.session.row]:end]) {
		if n := s.view.Name(frame.HitName(hit)); n.Kind.IsView() {
			return n.Page
		}
	}
	return 0
}

func (s *Selection) placeCode(at latestHit) uint32 {
	return s.window.parts[at.session.part].Column(frame.Place)[at.session.row]
}

func (s *Selection) place(at latestHit) *frame.PlaceInfo { return &s.view.Places[s.placeCode(at)] }

func coordinates(p *frame.PlaceInfo) (lat, lon *float64) {
	if math.IsNaN(p.Lat) {
		return nil, nil
	}
	lat, lon = new(float64), new(float64)
	*lat, *lon = p.Lat, p.Lon
	return lat, lon
}

func (s *Selection) livePeople(people []latestHit) tableOf[Person] {
	v := s.view
	id := func(i uint32) string { return v.Visitors.ID(s.visitor(people[i].session)) }
	ids := make([]uint32, len(people))
	for i := range ids {
		ids[i] = uint32(i)
	}
	return tableOf[Person]{
		ids: ids, order: LastSeen, metrics: []Metric{LastSeen},
		number: func(i uint32, _ Metric) number { return integer(people[i].time) },
		key:    id,
		search: func(i uint32) []string { return []string{id(i)} },
		row: func(i uint32) Person {
			at := people[i]
			place := s.place(at)
			tech := v.Techs[s.window.parts[at.session.part].Column(frame.Tech)[at.session.row]]
			person := Person{
				AppUserID: strings.Clone(id(i)), Page: v.Pages[s.page(at)],
				Country: v.Countries[place.Country], Region: v.Regions[place.Region], City: v.Cities[place.City],
				Platform: v.Platforms[tech.Platform], Device: v.Devices[tech.Device],
				LastSeenAt: frame.Time(at.time),
			}
			person.Latitude, person.Longitude = coordinates(place)
			return person
		},
	}
}

// livePlaces groups visitors, who are counted by place code, by city. Of a city's coordinates the smallest
// are shown, as in the location table.
func (s *Selection) livePlaces(visitors map[uint32]int64) []LivePlace {
	v := s.view
	byCity := map[uint32]*LivePlace{}
	for code, n := range visitors {
		info := &v.Places[code]
		place := byCity[info.CityPlace]
		if place == nil {
			place = &LivePlace{Country: v.Countries[info.Country], Region: v.Regions[info.Region], City: v.Cities[info.City]}
			byCity[info.CityPlace] = place
		}
		place.Visitors += n
		if math.IsNaN(info.Lat) {
			continue
		}
		if place.Latitude == nil || info.Lat < *place.Latitude || info.Lat == *place.Latitude && info.Lon < *place.Longitude {
			place.Latitude, place.Longitude = coordinates(info)
		}
	}
	out := make([]LivePlace, 0, len(byCity))
	for _, place := range byCity {
		out = append(out, *place)
	}
	slices.SortFunc(out, comparePlaces)
	return boundPlaces(out, LivePlaces)
}

func comparePlaces(a, b LivePlace) int {
	return cmp.Or(cmp.Compare(b.Visitors, a.Visitors), strings.Compare(a.Country, b.Country),
		strings.Compare(a.Region, b.Region), strings.Compare(a.City, b.City))
}

// boundPlaces keeps the places with most visitors and counts the visitors of all others at the unknown place, so that
// places always sum to the people online.
func boundPlaces(places []LivePlace, limit int) []LivePlace {
	if len(places) <= limit {
		return places
	}
	unknown := LivePlace{}
	kept := make([]LivePlace, 0, limit)
	for _, place := range places {
		nameless := place.Country == "" && place.Region == "" && place.City == ""
		if nameless || len(kept) == limit-1 {
			unknown.Visitors += place.Visitors
		} else {
			kept = append(kept, place)
		}
	}
	kept = append(kept, unknown)
	slices.SortFunc(kept, comparePlaces)
	return kept
}

// livePages returns the pages most people stand at; the empty page is that of people without a view.
func (s *Selection) livePages(byPage map[uint32]int64) []LivePage {
	out := make([]LivePage, 0, len(byPage))
	for page, visitors := range byPage {
		out = append(out, LivePage{Page: s.view.Pages[page], Visitors: visitors})
	}
	slices.SortFunc(out, func(a, b LivePage) int {
		return cmp.Or(cmp.Compare(b.Visitors, a.Visitors), strings.Compare(a.Page, b.Page))
	})
	return out[:min(len(out), LivePages)]
}
