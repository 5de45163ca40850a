package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
)

// sessionColumns are what a session is read from, in the order of decodeSession.
const sessionColumns = `app_user_id, session_id, source, medium, campaign, content, term, adset, creative,
	referrer, landing_url, organic, organic_unknown, country, region, city, latitude, longitude,
	platform, device, browser, os, home_day, hits`

var binarySessionColumns = []string{"organic", "organic_unknown", "latitude", "longitude", "home_day", "hits"}

var sessionFormats = formats(sessionColumns, binarySessionColumns...)

// changedSessionsSQL asks for sessions that a snapshot does not see; hits are null unless the session's
// day is among those of the fourth parameter.
var changedSessionsSQL = unseenSQL(
	strings.TrimSuffix(sessionColumns, "hits")+`case when home_day = any ($4::date[]) then hits end, started_at, last_at`,
	`product_session`, `changed_xid`)

var changedSessionFormats = formats(
	sessionColumns+`, started_at, last_at`, append(binarySessionColumns, "started_at", "last_at")...,
)

// Columns of changedSessionsSQL.
const (
	homeDayColumn = iota + 22
	hitsColumn
	startColumn
	endColumn
)

// formats asks for columns in the binary format but for those of type text, which have the same bytes in the
// text format and are written faster so: twenty million values are read in a few seconds because none is parsed.
func formats(columns string, binary ...string) (codes pgx.QueryResultFormats) {
	for column := range strings.SplitSeq(columns, ",") {
		code := int16(pgx.TextFormatCode)
		if slices.Contains(binary, strings.TrimSpace(column)) {
			code = pgx.BinaryFormatCode
		}
		codes = append(codes, code)
	}
	return codes
}

// text returns a text column's value without a copy; it is valid until the next row.
func text(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	return unsafe.String(&raw[0], len(raw))
}

// coordinate reads a real; the frame finds the number that was stored.
func coordinate(raw []byte) float64 {
	return float64(math.Float32frombits(binary.BigEndian.Uint32(raw)))
}

// dayOffset is the days from 1970-01-01 to 2000-01-01, the zero of a date in the binary format.
const dayOffset = 10957

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
	s.HomeDay = decodeDay(raw[homeDayColumn])
	return decodeHits(raw[hitsColumn], s)
}

// decodeHits reads a bigint[]: dimensions, null flag, element type, length, lower bound, elements.
func decodeHits(raw []byte, s *frame.Session) error {
	s.Hits = s.Hits[:0]
	if len(raw) < 12 {
		return fmt.Errorf("decoding the hits of a session: %d bytes", len(raw))
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

// clone copies what aliases the row.
func clone(s *frame.Session) frame.Session {
	c := *s
	for _, field := range textsOf(&c) {
		*field = strings.Clone(*field)
	}
	c.Hits = slices.Clone(s.Hits)
	return c
}

// cloneTouch copies what aliases the row.
func cloneTouch(t *frame.FirstTouch) frame.FirstTouch {
	c := *t
	for _, field := range []*string{
		&c.Visitor, &c.CustomUserID, &c.Source, &c.Campaign, &c.Country, &c.Platform, &c.Device,
	} {
		*field = strings.Clone(*field)
	}
	return c
}

// decodeDay reads a date as the number of the day.
func decodeDay(raw []byte) int32 { return int32(binary.BigEndian.Uint32(raw)) + dayOffset }

// decodeMillis reads a timestamptz, microseconds since 2000, as Unix milliseconds.
func decodeMillis(raw []byte) int64 {
	const shift = dayOffset * 86_400_000_000
	return (decodeInt(raw) + shift) / 1000
}

func decodeInt(raw []byte) int64 { return int64(binary.BigEndian.Uint64(raw)) }
