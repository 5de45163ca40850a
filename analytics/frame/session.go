// Package frame holds the sessions and the runs of flows of one environment in memory, column by column, so that a
// report over millions of them takes milliseconds.
//
// A frame is the rows of one home day, sessions or runs. They differ in their columns and in the builder that makes
// rows of them, and in nothing else. The package owns the encoding (dictionaries, visitor ordinals, hits in compressed
// rows) and the derivations that depend on one row alone (entry, exit, view count, referrer host, acquisition channel).
// It knows nothing of databases, ranges, filters or reports.
package frame

import (
	"time"

	"github.com/svc-dev/svc/analytics/session"
)

// EpochMillis is 2020-01-01T00:00:00Z in Unix milliseconds, the zero of a hit's time.
const EpochMillis int64 = 1577836800000

// NameBits is how many low bits of a packed hit hold the name id.
const NameBits = 22

// MaxHits is how many hits of one session a frame keeps; the earliest stay. Ingest stores fewer
// (10,000 by default, analytics.md §2), so this only bounds the 16-bit counters.
const MaxHits = 65535

const nameMask = 1<<NameBits - 1

// PackHit encodes a hit at unixMillis with the given name id.
func PackHit(unixMillis int64, name uint32) int64 {
	return (unixMillis-EpochMillis)<<NameBits | int64(name&nameMask)
}

// HitTime returns the hit's time in milliseconds since 2020-01-01T00:00Z.
func HitTime(hit int64) int64 { return hit >> NameBits }

// HitName returns the hit's name id.
func HitName(hit int64) uint32 { return uint32(hit & nameMask) }

// Millis turns an instant into milliseconds since 2020-01-01T00:00Z, rounding down.
func Millis(t time.Time) int64 { return t.UnixMilli() - EpochMillis }

// Time returns the instant of a count of milliseconds since 2020-01-01T00:00Z, in UTC.
func Time(ms int64) time.Time { return time.UnixMilli(ms + EpochMillis).UTC() }

// Day returns the number of a UTC day: days since 1970-01-01.
func Day(t time.Time) int32 {
	s := t.Unix()
	d := s / 86400
	if s%86400 < 0 {
		d--
	}
	return int32(d)
}

// Organic is the organic flag of a session's attribution snapshot.
type Organic uint8

// The flag is absent when the snapshot did not carry it.
const (
	OrganicAbsent Organic = iota
	OrganicTrue
	OrganicFalse
)

// Session is one session as the database holds it (analytics.md §2): the input of a frame.
// Its strings may alias a buffer that the caller reuses after the call.
type Session struct {
	Visitor string // app_user_id
	ID      string // session id

	Source, Medium, Campaign, Content, Term, Adset, Creative string

	Referrer string // URL or host, as stored
	Landing  string // URL

	Organic        Organic
	OrganicUnknown bool // imported history without the flag

	Country, Region, City string
	Lat, Lon              float64 // degrees; of the database's four bytes, the float32's value
	HasCoordinates        bool

	Platform, Device, Browser, OS string

	HomeDay int32   // UTC day of the session's first insert, see Day
	Hits    []int64 // packed, any order
}

// FirstTouch is a visitor's row of product_analytics_first_touch.
type FirstTouch struct {
	Visitor      string
	FirstSeen    int64 // Unix milliseconds
	CustomUserID string

	Source, Campaign, Country, Platform, Device string

	Medium, ReferrerHost    string
	Organic, OrganicUnknown bool // as the channel of an app's session reads them
}

// Provider is a billing provider.
type Provider uint8

// The three providers whose purchases the ledger knows.
const (
	RevenueCat Provider = iota
	Superwall
	Stripe
	Providers = 3
)

// String returns the provider's identifier on the wire.
func (p Provider) String() string {
	return [...]string{"revenuecat", "superwall", "stripe"}[p]
}

// PurchaseKind tells a first charge from the ledger rows that follow it.
type PurchaseKind uint8

// Only originating purchases count as revenue; the visitor list nets all kinds.
const (
	Originating PurchaseKind = iota
	Renewal
	Refund
)

// Purchase is one row of the revenue ledger.
type Purchase struct {
	ID           int64 // of the row; 0 when it never changes
	Visitor      string
	At           int64 // Unix milliseconds
	Provider     Provider
	Kind         PurchaseKind
	AmountMicros int64 // micro-USD; negative for refunds
	Product      string
}

// Key identifies a session within its visitor: the key of its id. Sessions that start together are
// ordered by it.
type Key = session.Key

// SessionKey returns the key of a session id.
func SessionKey(id string) Key { return session.KeyOf(id) }
