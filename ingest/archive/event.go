package archive

import (
	"encoding/json"
	"time"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ingest"
)

// event is one line of a product event. The field order is that of the wire's
// documentation.
type event struct {
	EventID        string          `json:"eventId"`
	Name           string          `json:"name"`
	Timestamp      string          `json:"timestamp"`
	ReceivedAt     string          `json:"receivedAt"`
	ScreenName     string          `json:"screenName,omitempty"`
	Identity       identity        `json:"identity"`
	Context        details         `json:"context"`
	Place          *place          `json:"place,omitempty"`
	OrganicUnknown bool            `json:"organicUnknown,omitempty"`
	Properties     json.RawMessage `json:"properties,omitempty"`
}

type identity struct {
	AppUserID    string `json:"appUserId"`
	CustomUserID string `json:"customUserId,omitempty"`
	SessionID    string `json:"sessionId"`
}

type details struct {
	Platform         string          `json:"platform,omitempty"`
	AppVersion       string          `json:"appVersion,omitempty"`
	Locale           string          `json:"locale,omitempty"`
	Browser          string          `json:"browser,omitempty"`
	OS               string          `json:"os,omitempty"`
	Device           string          `json:"device,omitempty"`
	Attribution      json.RawMessage `json:"attribution,omitempty"` // under the canonical keys of analytics.md §1
	CustomProperties json.RawMessage `json:"customProperties,omitempty"`
}

type place struct {
	Country   string   `json:"country,omitempty"`
	Region    string   `json:"region,omitempty"`
	City      string   `json:"city,omitempty"`
	Latitude  *float32 `json:"latitude,omitempty"`
	Longitude *float32 `json:"longitude,omitempty"`
}

// timeForm writes milliseconds, the wire's precision of occurred at; receive
// times keep their microseconds.
const timeForm = "2006-01-02T15:04:05.000Z07:00"

// productColumns are those of product_events in the order of productRow.targets.
const productColumns = `event_id, name, occurred_at, received_at, page, app_user_id, custom_user_id, session_id,
	platform, app_version, locale, browser, os, device,
	source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic,
	country, region, city, latitude, longitude, organic_unknown, attribution::text,
		custom_properties::text, properties::text`

// eventTimes are the times of a stored event.
type eventTimes struct{ occurredAt, receivedAt time.Time }

// texts returns the times as a line has them.
func (i eventTimes) texts() (timestamp, receivedAt string) {
	return i.occurredAt.UTC().Format(timeForm), i.receivedAt.UTC().Format(time.RFC3339Nano)
}

// raw returns a JSON column; null is left out of a line.
func raw(text *string) json.RawMessage {
	if text == nil {
		return nil
	}
	return json.RawMessage(*text)
}

// jsonColumns are the JSON columns that every kind of event has.
type jsonColumns struct{ attribution, customProperties, properties *string }

func (k *jsonColumns) targets() []any {
	return []any{&k.attribution, &k.customProperties, &k.properties}
}

// productRow is one row of product_events.
type productRow struct {
	event       event
	at          eventTimes
	attribution ingest.Attribution
	organic     *bool
	place       place
	kept        jsonColumns
}

func (r *productRow) targets() []any {
	e, c, a := &r.event, &r.event.Context, &r.attribution
	return append([]any{&e.EventID, &e.Name, &r.at.occurredAt, &r.at.receivedAt, &e.ScreenName,
		&e.Identity.AppUserID, &e.Identity.CustomUserID, &e.Identity.SessionID,
		&c.Platform, &c.AppVersion, &c.Locale, &c.Browser, &c.OS, &c.Device,
		&a.Source, &a.Medium, &a.Campaign, &a.Content, &a.Term, &a.Adset, &a.Creative, &a.Referrer, &a.Landing, &r.organic,
		&r.place.Country, &r.place.Region, &r.place.City, &r.place.Latitude, &r.place.Longitude,
		&e.OrganicUnknown}, r.kept.targets()...)
}

func (r *productRow) line() any {
	e := &r.event
	e.Timestamp, e.ReceivedAt = r.at.texts()
	r.attribution.Organic = session.OrganicOf(r.organic)
	e.Context.Attribution = ingest.AttributionJSON(r.attribution, raw(r.kept.attribution))
	e.Context.CustomProperties, e.Properties, e.Place = raw(r.kept.customProperties), raw(r.kept.properties), nil
	if r.place != (place{}) {
		e.Place = &r.place
	}
	return e
}
