package report

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
)

// SeriesValues is how many values a series by dimension shows: the top by the chosen metric over
// the range, without an "other".
const SeriesValues = 10

// Row is one value of a dimension of sessions. Country and Region are the place that a region or
// city belongs to; the coordinates are a city's.
type Row struct {
	Value     string   `json:"value"`
	Country   string   `json:"country,omitempty"`
	Region    string   `json:"region,omitempty"`
	Latitude  *float64 `json:"latitude,omitempty"`
	Longitude *float64 `json:"longitude,omitempty"`
	Metrics
}

// ValueSeries is the points of one value. Country and Region are as in Row.
type ValueSeries struct {
	Value   string       `json:"value"`
	Country string       `json:"country,omitempty"`
	Region  string       `json:"region,omitempty"`
	Points  []ValuePoint `json:"points"`
}

// ValuePoint is the chosen metric in one bucket. Revenue is in micro-USD.
type ValuePoint struct {
	Bucket time.Time `json:"bucket"`
	Value  *float64  `json:"value"` // nil for a ratio without denominator
	Whole  int64     `json:"-"`     // the exact value of counts and revenue
}

func valuePoint(bucket time.Time, n number) ValuePoint {
	if n.null {
		return ValuePoint{Bucket: bucket}
	}
	return ValuePoint{Bucket: bucket, Value: &n.float, Whole: n.whole}
}

// Attribution returns the acquisition table of one of the attribution dimensions.
func (s *Selection) Attribution(ctx context.Context, d analytics.Dimension, page Page) (*Table[Row], error) {
	return s.breakdown(ctx, d, analytics.AttributionDimensions, page)
}

// AttributionSeries returns the acquisition chart: the top values by metric.
func (s *Selection) AttributionSeries(
	ctx context.Context, d analytics.Dimension, metric Metric, grain analytics.Grain,
) ([]ValueSeries, error) {
	return s.breakdownSeries(ctx, d, analytics.AttributionDimensions, metric, grain)
}

// Demographic returns the location table by country, region or city.
func (s *Selection) Demographic(ctx context.Context, d analytics.Dimension, page Page) (*Table[Row], error) {
	return s.breakdown(ctx, d, analytics.LocationDimensions, page)
}

// DemographicSeries returns the location chart: the top values by metric.
func (s *Selection) DemographicSeries(
	ctx context.Context, d analytics.Dimension, metric Metric, grain analytics.Grain,
) ([]ValueSeries, error) {
	return s.breakdownSeries(ctx, d, analytics.LocationDimensions, metric, grain)
}

// Technology returns the technology table by browser, operating system or device.
func (s *Selection) Technology(ctx context.Context, d analytics.Dimension, page Page) (*Table[Row], error) {
	return s.breakdown(ctx, d, analytics.TechnologyDimensions, page)
}

// TechnologySeries returns the technology chart: the top values by metric.
func (s *Selection) TechnologySeries(
	ctx context.Context, d analytics.Dimension, metric Metric, grain analytics.Grain,
) ([]ValueSeries, error) {
	return s.breakdownSeries(ctx, d, analytics.TechnologyDimensions, metric, grain)
}

func (s *Selection) breakdown(
	ctx context.Context, d analytics.Dimension, allowed []analytics.Dimension, page Page,
) (*Table[Row], error) {
	if !slices.Contains(allowed, d) {
		return nil, analytics.Invalid("dimension", "unknown dimension %q for this report", d)
	}
	t, known, err := sumPortions(ctx, s, func(p *Selection) places { return p.placesBy(d) }, places.plus)
	if err != nil {
		return nil, err
	}
	return known.tableOfRows(d, t.tally, t.coordinates).page(page)
}

// coordinateBytes is about the memory of a city's coordinates in a map.
const coordinateBytes = 48

// places is a tally by a dimension of sessions, with the coordinates of cities.
type places struct {
	*tally
	coordinates map[uint32][2]float64
}

func (s *Selection) placesBy(d analytics.Dimension) places {
	t := places{tally: s.tally(s.groupingOf(d), nil)}
	if d == analytics.City {
		t.coordinates = remembered(
			s, countKey{what: "coordinates"}, len(s.view.CityPlaces), coordinateBytes, s.cityCoordinates,
		)
	}
	return t
}

func (t places) plus(more places) places {
	out := places{tally: t.tally.plus(more.tally), coordinates: maps.Clone(t.coordinates)}
	for city, at := range more.coordinates {
		if old, ok := out.coordinates[city]; !ok || southWest(at, old) {
			out.coordinates[city] = at
		}
	}
	return out
}

// tableOfRows returns the table of a tally by a dimension of sessions.
func (s *Selection) tableOfRows(d analytics.Dimension, t *tally, coordinates map[uint32][2]float64) tableOf[Row] {
	label := s.labels(d)
	var ids []uint32
	for id := range uint32(len(t.cells)) {
		if t.exists(id) {
			ids = append(ids, id)
		}
	}
	return tableOf[Row]{
		ids: ids, order: Visitors, metrics: SessionMetrics,
		number: func(id uint32, metric Metric) number {
			m := t.metrics(id)
			n, _ := m.number(metric)
			return n
		},
		key:    func(id uint32) string { return label(id).key() },
		search: func(id uint32) []string { return []string{label(id).value} },
		row: func(id uint32) Row {
			l := label(id)
			row := Row{Value: l.value, Country: l.country, Region: l.region, Metrics: t.metrics(id)}
			if at, ok := coordinates[id]; ok {
				row.Latitude, row.Longitude = &at[0], &at[1]
			}
			return row
		},
	}
}

func (s *Selection) breakdownSeries(
	ctx context.Context, d analytics.Dimension, allowed []analytics.Dimension, metric Metric, grain analytics.Grain,
) ([]ValueSeries, error) {
	if !slices.Contains(allowed, d) {
		return nil, analytics.Invalid("dimension", "unknown dimension %q for this report", d)
	}
	if metric == "" {
		metric = Visitors
	}
	if !slices.Contains(SessionMetrics, metric) {
		return nil, analytics.Invalid("metric", "unknown metric %q", metric)
	}
	cal, err := s.chartCalendar(grain)
	if err != nil || cal.len() == 0 {
		return []ValueSeries{}, err
	}
	c, known, err := s.breakdownChart(ctx, d, metric, cal)
	if err != nil {
		return nil, err
	}
	out := make([]ValueSeries, len(c.groups))
	label := known.labels(d)
	for i, group := range c.groups {
		l := label(group)
		out[i] = ValueSeries{Value: l.value, Country: l.country, Region: l.region, Points: make([]ValuePoint, cal.len())}
		for b, bucket := range cal.labels {
			m := c.points.metrics(uint32(c.first[i] + b))
			n, err := m.number(metric)
			if err != nil {
				return nil, err
			}
			out[i].Points[b] = valuePoint(bucket, n)
		}
	}
	return out, nil
}

// breakdownChart is the groups that a chart shows, and their tally by bucket.
type breakdownChart struct {
	groups []uint32
	first  []int // of each group's points
	points *tally
}

// breakdownChart counts a chart in one pass when its cells are few enough to stay in the processor's
// cache, else its top values first.
func (s *Selection) breakdownChart(
	ctx context.Context, d analytics.Dimension, metric Metric, cal *calendar,
) (*breakdownChart, *Selection, error) {
	most := s.engine.tuning.FusedCells
	if s.stream == nil && !s.window.kept {
		most = s.engine.tuning.SweptCells
	}
	if s.groupingOf(d).size*stride(cal) <= most {
		type both struct{ whole, points *tally }
		t, known, err := sumPortions(ctx, s, func(p *Selection) both {
			whole, points := p.chartTally(p.groupingOf(d), cal)
			return both{whole, points}
		}, func(total, more both) both {
			return both{total.whole.plus(more.whole), total.points.plus(more.points)}
		})
		if err != nil {
			return nil, nil, err
		}
		groups := known.tableOfRows(d, t.whole, nil).top(metric, SeriesValues)
		return &breakdownChart{groups, startsOf(groups, cal.len()), t.points}, known, nil
	}
	totals, known, err := sumPortions(ctx, s, func(p *Selection) *tally {
		return p.tally(p.groupingOf(d), nil)
	}, (*tally).plus)
	if err != nil {
		return nil, nil, err
	}
	groups := known.tableOfRows(d, totals, nil).top(metric, SeriesValues)
	points, known, err := sumPortions(ctx, s, func(p *Selection) *tally {
		return p.tally(p.groupingOf(d).top(groups), cal)
	}, (*tally).plus)
	return &breakdownChart{groups, startsInOrder(groups, cal.len()), points}, known, err
}

// top returns the first n ids in descending order of a metric.
func (t tableOf[R]) top(metric Metric, n int) []uint32 {
	best := bounded[rankedRow]{limit: n, compare: func(a, b rankedRow) int {
		if c := compareNumbers(a.number, b.number, false); c != 0 {
			return c
		}
		if t.key(a.id) < t.key(b.id) {
			return -1
		}
		return 1
	}}
	for _, id := range t.ids {
		best.add(rankedRow{t.number(id, metric), id})
	}
	var ids []uint32
	for _, it := range best.sorted() {
		ids = append(ids, it.id)
	}
	return ids
}

// label is what a group is called.
type label struct{ value, country, region string }

// key orders labels by value, then by the place they belong to; no field holds a zero byte.
func (l label) key() string {
	if l.country == "" && l.region == "" {
		return l.value
	}
	return l.value + "\x00" + l.country + "\x00" + l.region
}

// labels names the groups of groupingOf.
func (s *Selection) labels(d analytics.Dimension) func(group uint32) label {
	v := s.view
	var values []string
	switch d {
	case analytics.Country:
		values = v.Countries
	case analytics.Region:
		return func(g uint32) label {
			place := v.RegionPlaces[g]
			return label{value: v.Regions[place[1]], country: v.Countries[place[0]]}
		}
	case analytics.City:
		return func(g uint32) label {
			place := v.CityPlaces[g]
			return label{value: v.Cities[place[2]], country: v.Countries[place[0]], region: v.Regions[place[1]]}
		}
	case analytics.Browser:
		values = v.Browsers
	case analytics.OS:
		values = v.OSes
	case analytics.Device:
		values = v.Devices
	case analytics.AcquisitionChannel:
		values = channel.Names()
	default:
		_, values = textColumn(v, d)
	}
	return func(g uint32) label { return label{value: values[g]} }
}

// cityCoordinates returns the coordinates of the cities of the selection: of several, those with the
// smallest latitude, then longitude, so that the answer does not depend on the order of loading.
func (s *Selection) cityCoordinates() map[uint32][2]float64 {
	seen, columns := make([][]bool, s.workers()), []frame.Column{frame.Place}
	places := make([][]uint32, len(s.window.parts))
	r := s.window.read(columns, columns, func(i int, p *windowPart) { places[i] = p.Column(frame.Place) })
	frame.Parallel(s.workers(), func(i int) {
		seen[i] = make([]bool, len(s.view.Places))
		s.each(i, r, func(order []ref) {
			for _, r := range order {
				seen[i][places[r.part][r.row]] = true
			}
		})
	})
	out := map[uint32][2]float64{}
	for code, p := range s.view.Places {
		if math.IsNaN(p.Lat) || !slices.ContainsFunc(seen, func(shard []bool) bool { return shard[code] }) {
			continue
		}
		at := [2]float64{p.Lat, p.Lon}
		if old, ok := out[p.CityPlace]; !ok || southWest(at, old) {
			out[p.CityPlace] = at
		}
	}
	return out
}

// southWest orders coordinates by latitude, then longitude.
func southWest(a, b [2]float64) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }
