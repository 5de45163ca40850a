package rebuild

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ingest"
)

// visitorSessions are the sessions that raw events make, by visitor and session id.
type visitorSessions map[string]map[string]session.Row

func (p visitorSessions) add(e session.Event) {
	sessions := p[e.Visitor]
	if sessions == nil {
		sessions = map[string]session.Row{}
		p[e.Visitor] = sessions
	}
	row := session.Of(e)
	if known, ok := sessions[e.SessionID]; ok {
		row = session.Merge(known, row)
	}
	sessions[e.SessionID] = row
}

// computeFirstTouch returns the first touch of a visitor with these sessions.
func computeFirstTouch(sessions map[string]session.Row) (t session.FirstTouch) {
	for _, row := range sessions {
		if own := session.FirstTouchOf(row); t.SessionID == "" {
			t = own
		} else {
			t = session.MergeFirstTouch(t, own)
		}
	}
	t.LastSeen = 0 // sessions hold it
	return t
}

const eventColumns = `app_user_id, session_id, event_key, occurred_at, name, name_id, custom_user_id,
	source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic, organic_unknown,
	country, region, city, latitude, longitude, platform, device, browser, os`

// readEvents runs a query for eventColumns.
func readEvents(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]session.Event, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	var e session.Event
	var at time.Time
	var name string
	var nameID int32
	var key pgtype.UUID
	var organic *bool
	var latitude, longitude *float32
	var events []session.Event
	a, p, d := &e.Attribution, &e.Place, &e.Device
	_, err = pgx.ForEachRow(rows, []any{&e.Visitor, &e.SessionID, &key, &at, &name, &nameID, &e.CustomUserID,
		&a.Source, &a.Medium, &a.Campaign, &a.Content, &a.Term, &a.Adset, &a.Creative, &a.Referrer, &a.Landing, &organic,
		&e.OrganicUnknown,
		&p.Country, &p.Region, &p.City, &latitude, &longitude, &d.Platform, &d.Device, &d.Browser, &d.OS}, func() error {
		e.Key, e.At, e.Start = key.Bytes, at.UnixMilli(), name == ingest.NameSessionStart
		e.Hit = frame.PackHit(e.At, uint32(nameID))
		a.Organic = session.OrganicOf(organic)
		p.Lat, p.Lon, p.HasCoordinates = coordinates(latitude, longitude)
		events = append(events, e)
		return nil
	})
	return events, err
}

func coordinates(latitude, longitude *float32) (float64, float64, bool) {
	if latitude == nil || longitude == nil {
		return 0, 0, false
	}
	return float64(*latitude), float64(*longitude), true
}

func originOf(at *time.Time, key pgtype.UUID) session.Origin {
	if at == nil {
		return session.Origin{}
	}
	return session.Origin{Set: true, At: at.UnixMilli(), Key: key.Bytes}
}

// storedSession is a row of product_session.
type storedSession struct {
	session.Row
	over int64 // hits beyond the limit
}

// readSessions returns the stored sessions of visitors.
func readSessions(ctx context.Context, tx pgx.Tx, environmentID int64, visitors []string) ([]storedSession, error) {
	rows, err := tx.Query(ctx, `
		select app_user_id, session_id, started_at, last_at, custom_user_id, custom_user_at, custom_user_key,
			coalesce(attribution_rank, $3), attribution_at, attribution_key,
			source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic, organic_unknown,
			place_at, place_key, country, region, city, latitude, longitude,
			device_at, device_key, platform, device, browser, os, hits, hits_over_limit
		from product_session where environment_id = $1 and app_user_id = any($2)`, environmentID, visitors, session.None)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s storedSession, err error) {
		var started, last time.Time
		var customAt, attributionAt, placeAt, deviceAt *time.Time
		var customKey, attributionKey, placeKey, deviceKey pgtype.UUID
		var organic *bool
		var latitude, longitude *float32
		a, p, d := &s.Attribution, &s.Place, &s.Device
		err = row.Scan(&s.Visitor, &s.SessionID, &started, &last, &s.CustomUserID, &customAt, &customKey,
			&s.Rank, &attributionAt, &attributionKey,
			&a.Source, &a.Medium, &a.Campaign, &a.Content, &a.Term, &a.Adset, &a.Creative, &a.Referrer, &a.Landing, &organic,
			&s.OrganicUnknown,
			&placeAt, &placeKey, &p.Country, &p.Region, &p.City, &latitude, &longitude,
			&deviceAt, &deviceKey, &d.Platform, &d.Device, &d.Browser, &d.OS, &s.Hits, &s.over)
		s.StartedAt, s.LastAt = started.UnixMilli(), last.UnixMilli()
		s.CustomUserOrigin, s.AttributionOrigin = originOf(customAt, customKey), originOf(attributionAt, attributionKey)
		s.PlaceOrigin, s.DeviceOrigin = originOf(placeAt, placeKey), originOf(deviceAt, deviceKey)
		a.Organic = session.OrganicOf(organic)
		p.Lat, p.Lon, p.HasCoordinates = coordinates(latitude, longitude)
		return s, err
	})
}

// readTouches returns the stored first touches of visitors.
func readTouches(
	ctx context.Context, tx pgx.Tx, environmentID int64, visitors []string,
) (map[string]session.FirstTouch, error) {
	rows, err := tx.Query(ctx, `
		select app_user_id, first_seen_at, custom_user_id, custom_user_at, custom_user_key,
			session_rank, session_started_at, session_id, source, campaign, country, platform, device,
			medium, referrer_host, organic, organic_unknown
		from product_analytics_first_touch where environment_id = $1 and app_user_id = any($2)`, environmentID, visitors)
	if err != nil {
		return nil, err
	}
	var t session.FirstTouch
	var firstSeen, started time.Time
	var customAt *time.Time
	var customKey pgtype.UUID
	touches := map[string]session.FirstTouch{}
	_, err = pgx.ForEachRow(rows, []any{&t.Visitor, &firstSeen, &t.CustomUserID, &customAt, &customKey,
		&t.Rank, &started, &t.SessionID, &t.Source, &t.Campaign, &t.Country, &t.Platform, &t.Device,
		&t.Medium, &t.ReferrerHost, &t.Organic, &t.OrganicUnknown}, func() error {
		t.FirstSeen, t.StartedAt = firstSeen.UnixMilli(), started.UnixMilli()
		t.CustomUserOrigin = originOf(customAt, customKey)
		touches[t.Visitor] = t
		return nil
	})
	return touches, err
}
