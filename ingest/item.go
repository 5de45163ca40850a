package ingest

import (
	"time"

	"github.com/google/uuid"
)

// Path says which of the three event paths an event came by. Deduplication is
// by environment and path.
type Path int16

const (
	PathProduct Path = 1
	PathFlow    Path = 2
	PathTrack   Path = 3
)

func (p Path) String() string {
	switch p {
	case PathProduct:
		return "product"
	case PathFlow:
		return "flow"
	case PathTrack:
		return "track"
	}
	return "unknown"
}

// ParsePath reads what Path.String writes: product, flow or track.
func ParsePath(text string) (Path, bool) {
	for _, p := range Paths {
		if p.String() == text {
			return p, true
		}
	}
	return 0, false
}

// Paths are all of them.
var Paths = []Path{PathProduct, PathFlow, PathTrack}

// outcome is what became of one event.
type outcome int8

const (
	outcomePending outcome = iota
	outcomeStored
	outcomeDuplicate
	outcomeRefused
)

// item is one event on its way to the database: a product event on the product
// and track paths, a flow event on the flow path.
type item struct {
	environment int64
	path        Path
	key         Key
	product     *ProductEvent
	flow        *FlowEvent
	channel     int64
	nameID      int32
	receivedAt  time.Time
	history     bool // imported: compared with the stored events, because the ledger forgets
	outcome     outcome
	place       int // among the items of its transaction, in the order of arrival
}

// ledgerKey is the identity of an event in the deduplication ledger.
type ledgerKey struct {
	environment int64
	path        Path
	key         Key
}

func (it *item) ledgerKey() ledgerKey { return ledgerKey{it.environment, it.path, it.key} }

func (it *item) occurredAt() time.Time {
	if it.flow != nil {
		return it.flow.OccurredAt
	}
	return it.product.OccurredAt
}

const (
	copyProduct = `copy product_event (environment_id, occurred_at, event_id, event_key, received_at, name, name_id, app_user_id, custom_user_id, session_id, page,
 source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic, organic_unknown, country, region, city, latitude, longitude,
 platform, device, browser, os, app_version, locale, properties) from stdin (format binary)`
	copyProductColumns = 34

	copyTrack = `copy track_event (environment_id, occurred_at, event_id, event_key, received_at, name, app_user_id, custom_user_id, session_id, page,
 country, region, city, platform, device, browser, os, app_version, locale, properties) from stdin (format binary)`
	copyTrackColumns = 20

	copyFlow = `copy flow_event (environment_id, occurred_at, event_id, event_key, received_at, name, app_user_id, custom_user_id, session_id,
 channel_id, flow_id, version_id, assignment_version, experiment_id, variant_id, step_id,
 country, region, city, platform, device, browser, os, app_version, locale, custom_properties, properties, field_classification) from stdin (format binary)`
	copyFlowColumns = 28
)

// appendTo writes the event's row in the column order of its path's COPY.
func (it *item) appendTo(c *copyBuffer) {
	switch it.path {
	case PathProduct:
		it.appendProduct(c)
	case PathTrack:
		it.appendTrack(c)
	case PathFlow:
		it.appendFlow(c)
	}
}

// appendHead writes the columns that every event table begins with.
func (it *item) appendHead(c *copyBuffer, columns int, eventID, name string) {
	c.row(columns)
	c.int8(it.environment)
	c.time(it.occurredAt())
	c.text(eventID)
	c.uuid(it.key)
	c.time(it.receivedAt)
	c.text(name)
}

func (it *item) appendProduct(c *copyBuffer) {
	e := it.product
	it.appendHead(c, copyProductColumns, e.EventID, e.Name)
	c.int4(it.nameID)
	a := &e.Attribution
	c.texts(e.AppUserID, e.CustomUserID, e.SessionID, e.Page,
		a.Source, a.Medium, a.Campaign, a.Content, a.Term, a.Adset, a.Creative, a.Referrer, a.Landing)
	c.organic(a.Organic)
	c.bool(e.OrganicUnknown)
	c.texts(e.Place.Country, e.Place.Region, e.Place.City)
	c.position(e.Place)
	c.texts(e.Platform, e.Device, e.Browser, e.OS, e.AppVersion, e.Locale)
	c.json(e.Properties)
}

func (it *item) appendTrack(c *copyBuffer) {
	e := it.product
	it.appendHead(c, copyTrackColumns, e.EventID, e.Name)
	c.texts(e.AppUserID, e.CustomUserID, e.SessionID, e.Page,
		e.Place.Country, e.Place.Region, e.Place.City, e.Platform, e.Device, e.Browser, e.OS, e.AppVersion, e.Locale)
	c.json(e.Properties)
}

func (it *item) appendFlow(c *copyBuffer) {
	e := it.flow
	it.appendHead(c, copyFlowColumns, e.EventID, e.Name)
	c.texts(e.AppUserID, e.CustomUserID, e.SessionID)
	c.int8(it.channel)
	c.uuid(e.FlowID)
	c.uuid(e.VersionID)
	if e.AssignmentVersion < 0 {
		c.null()
	} else {
		c.int4(int32(e.AssignmentVersion))
	}
	if e.ExperimentID == uuid.Nil {
		c.null()
	} else {
		c.uuid(e.ExperimentID)
	}
	c.texts(e.VariantID, e.StepID, e.Place.Country, e.Place.Region, e.Place.City, e.Platform, e.Device, e.Browser, e.OS, e.AppVersion, e.Locale)
	c.json(e.CustomProperties)
	c.json(e.Properties)
	c.text(e.Classification)
}
