package ingest

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/session"
)

// detail is a group of values that many events have in common: where, on what, or
// through which campaign. One of the groups is filled. Events of several people
// that say the same share one row of event_detail, and have its id in the place
// of the values.
type detail struct {
	place              Place
	device             session.Device
	appVersion, locale string
	attribution        Attribution
}

// group is one of the groups; event_detail.kind is one more.
type group int16

const (
	placeGroup group = iota
	deviceGroup
	attributionGroup
	groupCount
)

// detail returns one of the groups of an event. The tables of flow and track events
// have no columns for attribution.
func (it *item) detail(g group) detail {
	switch {
	case it.flow != nil && g == placeGroup:
		return detail{place: it.flow.Place}
	case it.flow != nil && g == deviceGroup:
		e := it.flow
		return detail{
			device:     session.Device{Platform: e.Platform, Device: e.Device, Browser: e.Browser, OS: e.OS},
			appVersion: e.AppVersion, locale: e.Locale,
		}
	case it.flow != nil:
		return detail{}
	case g == placeGroup:
		return detail{place: it.product.Place}
	case g == deviceGroup:
		e := it.product
		return detail{
			device:     session.Device{Platform: e.Platform, Device: e.Device, Browser: e.Browser, OS: e.OS},
			appVersion: e.AppVersion, locale: e.Locale,
		}
	case it.path == PathProduct:
		return detail{attribution: it.product.Attribution}
	}
	return detail{}
}

// texts returns all texts of a detail, in the order of event_detail's columns.
func (d *detail) texts() [textCount]string {
	a := &d.attribution
	return [textCount]string{
		d.place.Country, d.place.Region, d.place.City,
		d.device.Platform, d.device.Device, d.device.Browser, d.device.OS, d.appVersion, d.locale,
		a.Source, a.Medium, a.Campaign, a.Content, a.Term, a.Adset, a.Creative, a.Referrer, a.Landing,
	}
}

const textCount = 18

// Shorter values take no more room in the event than an id; longer ones are
// seldom the same twice, and bound what one row may take.
const (
	minDetailBytes = 8
	maxDetailBytes = 512
)

// worthSharing tells whether it pays to store a detail once.
func (d *detail) worthSharing() bool {
	bytes := 0
	for _, text := range d.texts() {
		bytes += len(text)
	}
	return bytes > minDetailBytes && bytes <= maxDetailBytes
}

// hash returns the first 128 bits of the SHA-256 of all values: texts end with a NUL,
// which none of them holds.
func (d *detail) hash() uuid.UUID {
	b := make([]byte, 0, maxDetailBytes+textCount+10)
	for _, text := range d.texts() {
		b = append(append(b, text...), 0)
	}
	b = append(b, byte(d.attribution.Organic))
	if d.place.HasCoordinates {
		b = append(b, 1)
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(d.place.Lat)))
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(d.place.Lon)))
	}
	sum := sha256.Sum256(b)
	return uuid.UUID(sum[:16])
}
