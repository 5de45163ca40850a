package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/pagename"
)

var sessionTable = newTable(table{
	rows: frame.Sessions, name: "product_session", names: "event_name",
	// In the order of decodeSession.
	columns: `app_user_id, session_id, source, medium, campaign, content, term, adset, creative,
		referrer, landing_url, organic, organic_unknown, country, region, city, latitude, longitude,
		platform, device, browser, os, home_day, hits`,
	binary: []string{"organic", "organic_unknown", "latitude", "longitude", "home_day", "hits"}, heavy: []string{"hits"},
	first: "started_at", last: "last_at", hitCount: "cardinality(hits)", piece: 512,
	setNames: func(data *frame.Dataset, names []name) {
		rows := make([]frame.NameRow, len(names))
		for i, n := range names {
			// The table counts kinds from 1.
			rows[i] = frame.NameRow{ID: uint32(n.id), Kind: frame.Kind(n.kind - 1), Text: n.text}
			if rows[i].Kind.IsView() { // names that were stored before names became readable
				rows[i].Text = pagename.Readable(n.text, pagename.NoLimit)
			}
		}
		data.SetNames(rows)
	},
	newBuilder: func(data *frame.Dataset) builder { return &sessionBuilder{Builder: data.NewBuilder()} },
	upsert: func(data *frame.Dataset, rows []row) error {
		sessions := make([]frame.Session, len(rows))
		for i := range rows {
			sessions[i] = frame.Session(*rows[i].(*sessionRow))
		}
		data.Upsert(sessions)
		return nil
	},
})

// sessionBuilder makes frames of rows of product_session.
type sessionBuilder struct {
	*frame.Builder
	session frame.Session // of the latest row
	ids     []int32       // names that it lacks
}

func (b *sessionBuilder) decode(raw [][]byte) error { return decodeSession(raw, &b.session) }

func (b *sessionBuilder) missing() []int32 {
	b.ids = b.ids[:0]
	for _, id := range b.Missing(b.session.Hits) {
		b.ids = append(b.ids, int32(id))
	}
	return b.ids
}

func (b *sessionBuilder) add() { b.Add(&b.session) }

func (b *sessionBuilder) copy() row { return cloneSession(&b.session) }

func (b *sessionBuilder) addRow(r row) error {
	b.Add((*frame.Session)(r.(*sessionRow)))
	return nil
}

// sessionRow is a session in memory of its own.
type sessionRow frame.Session

func (s *sessionRow) homeDay() int32 { return s.HomeDay }

func (s *sessionRow) size() int64 {
	size := int64(unsafe.Sizeof(*s)) + 8*int64(cap(s.Hits))
	for _, field := range textsOf((*frame.Session)(s)) {
		size += int64(len(*field))
	}
	return size
}

// coordinate reads a real; the frame finds the number that was stored.
func coordinate(raw []byte) float64 {
	return float64(math.Float32frombits(binary.BigEndian.Uint32(raw)))
}

// decodeSession reads a row of sessionColumns into s, reusing its hits. The strings alias the row.
func decodeSession(raw [][]byte, s *frame.Session) error {
	s.Visitor, s.ID = text(raw[0]), text(raw[1])
	s.Source, s.Medium, s.Campaign, s.Content = text(raw[2]), text(raw[3]), text(raw[4]), text(raw[5])
	s.Term, s.Adset, s.Creative = text(raw[6]), text(raw[7]), text(raw[8])
	s.Referrer, s.Landing = text(raw[9]), text(raw[10])
	switch {
	case raw[11] == nil:
		s.Organic = frame.OrganicAbsent
	case raw[11][0] != 0:
		s.Organic = frame.OrganicTrue
	default:
		s.Organic = frame.OrganicFalse
	}
	s.OrganicUnknown = raw[12][0] != 0
	s.Country, s.Region, s.City = text(raw[13]), text(raw[14]), text(raw[15])
	s.HasCoordinates = raw[16] != nil && raw[17] != nil
	s.Lat, s.Lon = 0, 0
	if s.HasCoordinates {
		s.Lat, s.Lon = coordinate(raw[16]), coordinate(raw[17])
	}
	s.Platform, s.Device, s.Browser, s.OS = text(raw[18]), text(raw[19]), text(raw[20]), text(raw[21])
	s.HomeDay = decodeDay(raw[22])
	return decodeHits(raw[23], s)
}

// decodeHits reads a bigint[]: dimensions, null flag, element type, length, lower bound, elements.
func decodeHits(raw []byte, s *frame.Session) error {
	s.Hits = s.Hits[:0]
	if len(raw) < 12 {
		return fmt.Errorf("decoding the events of a session: %d bytes", len(raw))
	}
	if binary.BigEndian.Uint32(raw) == 0 {
		return nil
	}
	for at := 20; at+12 <= len(raw); at += 12 {
		s.Hits = append(s.Hits, int64(binary.BigEndian.Uint64(raw[at+4:])))
	}
	return nil
}

// textsOf returns the texts of a session.
func textsOf(s *frame.Session) [18]*string {
	return [...]*string{
		&s.Visitor, &s.ID, &s.Source, &s.Medium, &s.Campaign, &s.Content, &s.Term, &s.Adset, &s.Creative,
		&s.Referrer, &s.Landing, &s.Country, &s.Region, &s.City, &s.Platform, &s.Device, &s.Browser, &s.OS,
	}
}

// cloneSession copies what aliases the row.
func cloneSession(s *frame.Session) *sessionRow {
	c := *s
	for _, field := range textsOf(&c) {
		*field = strings.Clone(*field)
	}
	c.Hits = slices.Clone(s.Hits)
	return (*sessionRow)(&c)
}
