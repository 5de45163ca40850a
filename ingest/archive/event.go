package archive

import (
	"encoding/json"
	"time"
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
	Platform    string       `json:"platform,omitempty"`
	AppVersion  string       `json:"appVersion,omitempty"`
	Locale      string       `json:"locale,omitempty"`
	Browser     string       `json:"browser,omitempty"`
	OS          string       `json:"os,omitempty"`
	Device      string       `json:"device,omitempty"`
	Attribution *attribution `json:"attribution,omitempty"`
}

// attribution has the canonical keys of analytics.md §1.
type attribution struct {
	Source     string `json:"acquisition.source,omitempty"`
	Medium     string `json:"acquisition.channel,omitempty"`
	Campaign   string `json:"acquisition.campaign,omitempty"`
	Content    string `json:"link.ext.utm_content,omitempty"`
	Term       string `json:"link.ext.utm_term,omitempty"`
	Adset      string `json:"acquisition.adset,omitempty"`
	Creative   string `json:"acquisition.creative,omitempty"`
	Referrer   string `json:"link.ext.referrer,omitempty"`
	LandingURL string `json:"link.ext.landing_url,omitempty"`
	Organic    *bool  `json:"attribution.isOrganic,omitempty"`
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

// productColumns are those of product_event in the order of productRow.targets.
const productColumns = `event_id, name, occurred_at, received_at, page, app_user_id, custom_user_id, session_id,
	platform, app_version, locale, browser, os, device,
	source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic,
	country, region, city, latitude, longitude, organic_unknown, properties::text`

// instants are the times of a stored event.
type instants struct{ occurredAt, receivedAt time.Time }

// texts are the times as a line has them.
func (i instants) texts() (timestamp, receivedAt string) {
	return i.occurredAt.UTC().Format(timeForm), i.receivedAt.UTC().Format(time.RFC3339Nano)
}

// raw is a JSON column; null is left out of a line.
func raw(text *string) json.RawMessage {
	if text == nil {
		return nil
	}
	return json.RawMessage(*text)
}

// productRow is one row of product_event.
type productRow struct {
	event       event
	at          instants
	attribution attribution
	place       place
	properties  *string
}

func (r *productRow) targets() []any {
	e, c, a := &r.event, &r.event.Context, &r.attribution
	return []any{&e.EventID, &e.Name, &r.at.occurredAt, &r.at.receivedAt, &e.ScreenName,
		&e.Identity.AppUserID, &e.Identity.CustomUserID, &e.Identity.SessionID,
		&c.Platform, &c.AppVersion, &c.Locale, &c.Browser, &c.OS, &c.Device,
		&a.Source, &a.Medium, &a.Campaign, &a.Content, &a.Term, &a.Adset, &a.Creative, &a.Referrer, &a.LandingURL, &a.Organic,
		&r.place.Country, &r.place.Region, &r.place.City, &r.place.Latitude, &r.place.Longitude, &e.OrganicUnknown, &r.properties}
}

func (r *productRow) line() any {
	e := &r.event
	e.Timestamp, e.ReceivedAt = r.at.texts()
	e.Context.Attribution, e.Place, e.Properties = nil, nil, raw(r.properties)
	if r.attribution != (attribution{}) {
		e.Context.Attribution = &r.attribution
	}
	if r.place != (place{}) {
		e.Place = &r.place
	}
	return e
}
