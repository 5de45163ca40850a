package ingest

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/svc-dev/svc/internal/codeunit"
)

// Locator finds the place of a request. It is asked once a request and keeps
// nothing: the address itself is never stored.
type Locator interface {
	Locate(addr netip.Addr, header http.Header) Place
}

// GeoFile looks addresses up in a MaxMind-format city database that the
// operator supplies. It is safe for concurrent use.
type GeoFile struct{ reader *maxminddb.Reader }

// OpenGeoFile opens a .mmdb file with the fields of GeoLite2 City.
func OpenGeoFile(path string) (*GeoFile, error) {
	reader, err := maxminddb.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open geo database: %w", err)
	}
	return &GeoFile{reader: reader}, nil
}

// Close releases the file. No lookup may follow.
func (g *GeoFile) Close() error { return g.reader.Close() }

// geoRecord is the part of a GeoLite2 City record that is read.
type geoRecord struct {
	Country struct {
		ISOCode string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	Subdivisions []struct {
		Names geoNames `maxminddb:"names"`
	} `maxminddb:"subdivisions"`
	City struct {
		Names geoNames `maxminddb:"names"`
	} `maxminddb:"city"`
	Location struct {
		Latitude  *float64 `maxminddb:"latitude"`
		Longitude *float64 `maxminddb:"longitude"`
	} `maxminddb:"location"`
}

type geoNames struct {
	English string `maxminddb:"en"`
}

// Locate looks the address up. An unknown address, like a record that can't be
// read, is an empty place: an event is never lost for its place.
func (g *GeoFile) Locate(addr netip.Addr, _ http.Header) Place {
	if !addr.IsValid() {
		return Place{}
	}
	var record geoRecord
	if err := g.reader.Lookup(addr.Unmap()).Decode(&record); err != nil {
		return Place{}
	}
	place := Place{Country: record.Country.ISOCode, City: record.City.Names.English}
	if len(record.Subdivisions) > 0 {
		place.Region = record.Subdivisions[0].Names.English
	}
	if record.Location.Latitude != nil && record.Location.Longitude != nil {
		place.Lat, place.Lon, place.HasCoordinates = *record.Location.Latitude, *record.Location.Longitude, true
	}
	return place
}

// GeoHeaders reads the place from headers that a trusted proxy sets, such as
// CF-IPCountry. Empty names are not read. Configure it only behind a proxy that
// overwrites these headers: anybody else can send them too.
type GeoHeaders struct {
	Country, Region, City, Latitude, Longitude string
}

// Locate reads the headers.
func (g GeoHeaders) Locate(_ netip.Addr, header http.Header) Place {
	place := Place{
		Country: countryCode(header.Get(g.Country)), Region: headerText(header, g.Region), City: headerText(header, g.City),
	}
	latitude, errLatitude := strconv.ParseFloat(header.Get(g.Latitude), 32)
	longitude, errLongitude := strconv.ParseFloat(header.Get(g.Longitude), 32)
	if errLatitude == nil && errLongitude == nil && latitude >= -90 && latitude <= 90 && longitude >= -180 &&
		longitude <= 180 {
		place.Lat, place.Lon, place.HasCoordinates = latitude, longitude, true
	}
	return place
}

// countryCode takes two letters. Proxies send XX for an unknown country, and T1
// for Tor.
func countryCode(s string) string {
	s = strings.ToUpper(strings.TrimSpace(s))
	if len(s) != 2 || s == "XX" || s[0] < 'A' || s[0] > 'Z' || s[1] < 'A' || s[1] > 'Z' {
		return ""
	}
	return s
}

// headerText reads a name from a header: some proxies send it percent-encoded.
func headerText(header http.Header, name string) string {
	s := header.Get(name)
	if decoded, err := url.PathUnescape(s); err == nil {
		s = decoded
	}
	return codeunit.Clip(dropNUL(strings.ToValidUTF8(strings.TrimSpace(s), "")), maxContextUnits)
}

// NoPlace is the Locator of a server without a database and without a trusted
// proxy.
type NoPlace struct{}

// Locate knows nothing.
func (NoPlace) Locate(netip.Addr, http.Header) Place { return Place{} }
