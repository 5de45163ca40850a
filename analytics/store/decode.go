package store

import (
	"encoding/binary"
	"slices"
	"strings"
	"unsafe"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
)

// formats asks for columns in the binary format but for those of type text, which have the same bytes in the
// text format and are written faster so: twenty million values are read in a few seconds because none is parsed.
func formats(columns []string, binary ...string) (codes pgx.QueryResultFormats) {
	for _, column := range columns {
		code := int16(pgx.TextFormatCode)
		if slices.Contains(binary, column) {
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

// dayOffset is the days from 1970-01-01 to 2000-01-01, the zero of a date in the binary format.
const dayOffset = 10957

// cloneTouch copies what aliases the row.
func cloneTouch(t *frame.FirstTouch) frame.FirstTouch {
	c := *t
	for _, field := range []*string{
		&c.Visitor, &c.CustomUserID, &c.Source, &c.Campaign, &c.Country, &c.Platform, &c.Device,
		&c.Medium, &c.ReferrerHost,
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
