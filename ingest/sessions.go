package ingest

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/session"
)

//go:embed merge_sessions.sql
var mergeSessionsText string

// mergeSessionsSQL is the statement for a limit of hits.
func mergeSessionsSQL(hitLimit int) string {
	return strings.ReplaceAll(mergeSessionsText, "/*limit*/", strconv.Itoa(hitLimit))
}

// sessionColumns are the sessions of a batch as one array a column, in the
// order of the parameters of merge_sessions.sql.
type sessionColumns struct {
	environment                                                                 []int64
	user, session, custom                                                       []string
	started, last                                                               []time.Time
	customAt, attributionAt, placeAt, deviceAt                                  []pgtype.Timestamptz
	customKey, attributionKey, placeKey, deviceKey                              []pgtype.UUID
	rank                                                                        []pgtype.Int2
	source, medium, campaign, content, term, adset, creative, referrer, landing []string
	organic                                                                     []pgtype.Bool
	country, region, city, platform, device, browser, os, hits                  []string
	latitude, longitude                                                         []pgtype.Float4
	over                                                                        []int64
	organicUnknown                                                              []bool
}

func nullTime(o session.Origin) pgtype.Timestamptz {
	return pgtype.Timestamptz{Time: millis(o.At), Valid: o.Set}
}

func nullKey(o session.Origin) pgtype.UUID { return pgtype.UUID{Bytes: o.Key, Valid: o.Set} }

// add appends one session, of which at most hitLimit hits are kept.
func (c *sessionColumns) add(s *foldedSession, hitLimit int) {
	a, p, d := &s.Attribution, &s.Place, &s.Device
	hits := s.Hits[:min(len(s.Hits), hitLimit)]
	c.environment = append(c.environment, s.environment)
	c.user = append(c.user, s.Visitor)
	c.session = append(c.session, s.SessionID)
	c.started = append(c.started, millis(s.StartedAt))
	c.last = append(c.last, millis(s.LastAt))
	c.custom = append(c.custom, s.CustomUserID)
	c.customAt = append(c.customAt, nullTime(s.CustomUserOrigin))
	c.customKey = append(c.customKey, nullKey(s.CustomUserOrigin))
	c.rank = append(c.rank, pgtype.Int2{Int16: int16(s.Rank), Valid: s.Rank != session.None})
	c.attributionAt = append(c.attributionAt, nullTime(s.AttributionOrigin))
	c.attributionKey = append(c.attributionKey, nullKey(s.AttributionOrigin))
	c.source = append(c.source, a.Source)
	c.medium = append(c.medium, a.Medium)
	c.campaign = append(c.campaign, a.Campaign)
	c.content = append(c.content, a.Content)
	c.term = append(c.term, a.Term)
	c.adset = append(c.adset, a.Adset)
	c.creative = append(c.creative, a.Creative)
	c.referrer = append(c.referrer, a.Referrer)
	c.landing = append(c.landing, a.Landing)
	c.organic = append(
		c.organic, pgtype.Bool{Bool: a.Organic == session.OrganicTrue, Valid: a.Organic != session.OrganicAbsent},
	)
	c.placeAt = append(c.placeAt, nullTime(s.PlaceOrigin))
	c.placeKey = append(c.placeKey, nullKey(s.PlaceOrigin))
	c.country = append(c.country, p.Country)
	c.region = append(c.region, p.Region)
	c.city = append(c.city, p.City)
	c.latitude = append(c.latitude, pgtype.Float4{Float32: float32(p.Lat), Valid: p.HasCoordinates})
	c.longitude = append(c.longitude, pgtype.Float4{Float32: float32(p.Lon), Valid: p.HasCoordinates})
	c.deviceAt = append(c.deviceAt, nullTime(s.DeviceOrigin))
	c.deviceKey = append(c.deviceKey, nullKey(s.DeviceOrigin))
	c.platform = append(c.platform, d.Platform)
	c.device = append(c.device, d.Device)
	c.browser = append(c.browser, d.Browser)
	c.os = append(c.os, d.OS)
	c.hits = append(c.hits, hitsLiteral(hits))
	c.over = append(c.over, int64(len(s.Hits)-len(hits)))
	c.organicUnknown = append(c.organicUnknown, s.OrganicUnknown)
}

func (c *sessionColumns) args() []any {
	return []any{c.environment, c.user, c.session, c.started, c.last, c.custom, c.customAt, c.customKey,
		c.rank, c.attributionAt, c.attributionKey,
		c.source, c.medium, c.campaign, c.content, c.term, c.adset, c.creative, c.referrer, c.landing, c.organic,
		c.placeAt, c.placeKey, c.country, c.region, c.city, c.latitude, c.longitude,
		c.deviceAt, c.deviceKey, c.platform, c.device, c.browser, c.os, c.hits, c.over, c.organicUnknown}
}

// hitsLiteral returns the text of a bigint[]. An array of arrays of different
// lengths has no binary form in PostgreSQL.
func hitsLiteral(hits []int64) string {
	b := make([]byte, 0, 2+20*len(hits))
	b = append(b, '{')
	for i, h := range hits {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, h, 10)
	}
	return string(append(b, '}'))
}

// mergeSessions merges sorted sessions into product_session and keeps the first
// touch of their visitors. It returns, by environment, how many hits went over
// the limit of their session.
//
// Locks are taken in one global order: session rows by key, then visitor rows
// by key. A visitor's row is locked before it is compared, so of two servers
// that merge sessions of one visitor the later one sees what the earlier did.
func mergeSessions(ctx context.Context, tx pgx.Tx, sessions []foldedSession, hitLimit int) (map[int64]int64, error) {
	var columns sessionColumns
	hitsAdded := make(map[sessionKey]int64, len(sessions))
	var visitors []visitorKey
	for i := range sessions {
		s := &sessions[i]
		columns.add(s, hitLimit)
		hitsAdded[s.sessionKey] = int64(len(s.Hits))
		if len(visitors) == 0 || visitors[len(visitors)-1] != s.visitorKey {
			visitors = append(visitors, s.visitorKey)
		}
	}
	batch := &pgx.Batch{}
	batch.Queue(mergeSessionsSQL(hitLimit), columns.args()...)
	environments := queueTouchLocks(batch, visitors)
	results := tx.SendBatch(ctx, batch)
	merged, over, err := readMerged(results, hitsAdded, int64(hitLimit))
	if err != nil {
		_ = results.Close() // reports the same failure
		return nil, fmt.Errorf("merge sessions: %w", err)
	}
	touches := map[visitorKey]*session.FirstTouch{}
	for _, environment := range environments {
		if err := readTouches(results, environment, touches); err != nil {
			_ = results.Close()
			return nil, fmt.Errorf("lock first touches: %w", err)
		}
	}
	if err := results.Close(); err != nil {
		return nil, fmt.Errorf("merge sessions: %w", err)
	}
	return over, mergeTouches(ctx, tx, merged, touches)
}

// candidate is a session as it stands after its merge, as a candidate for its
// visitor's first touch.
type candidate struct {
	visitorKey
	session.FirstTouch
}

// newFirstTouch returns the first touch of a visitor whose only session is r. The last hit
// is not kept: sessions hold it.
func newFirstTouch(r session.Row) session.FirstTouch {
	t := session.FirstTouchOf(r)
	t.LastSeen = 0
	return t
}

// readMerged reads the merged rows.
func readMerged(
	results pgx.BatchResults, hitsAdded map[sessionKey]int64, hitLimit int64,
) ([]candidate, map[int64]int64, error) {
	rows, err := results.Query()
	if err != nil {
		return nil, nil, err
	}
	merged := make([]candidate, 0, len(hitsAdded))
	over := map[int64]int64{}
	for rows.Next() {
		var r session.Row
		var key sessionKey
		var started time.Time
		var customAt pgtype.Timestamptz
		var customKey pgtype.UUID
		var kept, overLimit int64
		var organic *bool
		a := &r.Attribution
		if err := rows.Scan(&key.environment, &key.appUserID, &key.sessionID, &started,
			&a.Source, &a.Campaign, &r.Place.Country, &r.Device.Platform, &r.Device.Device,
			&a.Medium, &a.Content, &a.Term, &a.Adset, &a.Creative, &a.Referrer, &a.Landing, &organic, &r.OrganicUnknown,
			&r.CustomUserID, &customAt, &customKey, &kept, &overLimit); err != nil {
			rows.Close()
			return nil, nil, err
		}
		a.Organic = session.OrganicOf(organic)
		r.Visitor, r.SessionID = key.appUserID, key.sessionID
		r.StartedAt, r.CustomUserOrigin = started.UnixMilli(), readOrigin(customAt, customKey)
		merged = append(merged, candidate{key.visitorKey, newFirstTouch(r)})
		if overLimit > 0 {
			over[key.environment] += overLimit - max(0, kept+overLimit-hitsAdded[key]-hitLimit)
		}
	}
	return merged, over, rows.Err()
}

func readOrigin(at pgtype.Timestamptz, key pgtype.UUID) session.Origin {
	if !at.Valid {
		return session.Origin{}
	}
	return session.Origin{Set: true, At: at.Time.UnixMilli(), Key: key.Bytes}
}

// Each row is looked up and locked by itself, in the order of the list: joined, a plan that was made while the table
// was empty would read all visitors of the environment.
const lockTouchesSQL = `
	select t.* from unnest($2::text[]) as v (app_user_id) cross join lateral (
		select app_user_id, first_seen_at, session_rank, session_id, session_started_at,
			source, campaign, country, platform, device, medium, referrer_host, organic, organic_unknown,
			custom_user_id, custom_user_at, custom_user_key
		from product_analytics_first_touch where environment_id = $1 and app_user_id = v.app_user_id
		for no key update
	) as t`

// queueTouchLocks locks the existing rows of the visitors, in key order, and returns the environments that are asked
// for, one query each: a distributed database locks rows of one environment at a time.
func queueTouchLocks(batch *pgx.Batch, visitors []visitorKey) (environments []int64) {
	for first := 0; first < len(visitors); {
		environment := visitors[first].environment
		var users []string
		for ; first < len(visitors) && visitors[first].environment == environment; first++ {
			users = append(users, visitors[first].appUserID)
		}
		batch.Queue(lockTouchesSQL, environment, users)
		environments = append(environments, environment)
	}
	return environments
}

// readTouches adds the first touches of an environment.
func readTouches(results pgx.BatchResults, environment int64, touches map[visitorKey]*session.FirstTouch) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	for rows.Next() {
		t := &session.FirstTouch{}
		key := visitorKey{environment: environment}
		var firstSeen, started time.Time
		var customAt pgtype.Timestamptz
		var customKey pgtype.UUID
		if err := rows.Scan(&key.appUserID, &firstSeen, &t.Rank, &t.SessionID, &started,
			&t.Source, &t.Campaign, &t.Country, &t.Platform, &t.Device, &t.Medium, &t.ReferrerHost, &t.Organic,
			&t.OrganicUnknown, &t.CustomUserID, &customAt, &customKey); err != nil {
			rows.Close()
			return err
		}
		t.Visitor, t.FirstSeen = key.appUserID, firstSeen.UnixMilli()
		t.StartedAt, t.CustomUserOrigin = started.UnixMilli(), readOrigin(customAt, customKey)
		touches[key] = t
	}
	return rows.Err()
}

// mergeTouches brings the visitors' rows up to date with their merged sessions.
// touches holds the rows that exist; they are locked.
func mergeTouches(
	ctx context.Context, tx pgx.Tx, merged []candidate, touches map[visitorKey]*session.FirstTouch,
) error {
	fresh := map[visitorKey]*session.FirstTouch{}
	outcomes := map[visitorKey]touchOutcome{}
	for _, s := range merged {
		v := s.visitorKey
		if t := touches[v]; t != nil {
			outcomes[v] = max(outcomes[v], updateTouch(t, s.FirstTouch))
		} else if t := fresh[v]; t != nil {
			*t = session.MergeFirstTouch(*t, s.FirstTouch)
		} else {
			fresh[v] = &s.FirstTouch
		}
	}
	changed := map[visitorKey]*session.FirstTouch{}
	for v, outcome := range outcomes {
		if outcome == touchLookBack {
			if err := compareAllSessions(ctx, tx, v, touches[v]); err != nil {
				return err
			}
		}
		if outcome != touchUnchanged {
			changed[v] = touches[v]
		}
	}
	if err := writeTouches(ctx, tx, updateTouchesSQL, changed); err != nil {
		return err
	}
	return writeTouches(ctx, tx, insertTouchesSQL, fresh)
}

// The order is that of the primary key, for the planner: a plan made while the table is empty takes another index
// of environments otherwise.
const sessionsOfVisitorSQL = `
	select session_id, started_at, source, campaign, country, platform, device,
	       medium, content, term, adset, creative, referrer, landing_url, organic, organic_unknown
	from product_session where environment_id = $1 and app_user_id = $2
	order by session_id`

// compareAllSessions compares all sessions of the visitor anew. The row is locked, so no
// session that counted before is missed. A session that has expired is not
// compared any more: only one that took events within the window can fall
// behind, and first_seen_at, which never moves later, is kept apart from it.
func compareAllSessions(ctx context.Context, tx pgx.Tx, v visitorKey, touch *session.FirstTouch) error {
	rows, err := tx.Query(ctx, sessionsOfVisitorSQL, v.environment, v.appUserID)
	if err != nil {
		return fmt.Errorf("read a visitor's sessions: %w", err)
	}
	var best session.FirstTouch
	var started time.Time
	var organic *bool
	r := session.Row{Visitor: v.appUserID}
	a := &r.Attribution
	_, err = pgx.ForEachRow(rows, []any{
		&r.SessionID, &started, &a.Source, &a.Campaign, &r.Place.Country, &r.Device.Platform, &r.Device.Device,
		&a.Medium, &a.Content, &a.Term, &a.Adset, &a.Creative, &a.Referrer, &a.Landing, &organic, &r.OrganicUnknown,
	}, func() error {
		r.StartedAt, a.Organic = started.UnixMilli(), session.OrganicOf(organic)
		if t := newFirstTouch(r); best.SessionID == "" {
			best = t
		} else {
			best = session.MergeFirstTouch(best, t)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read a visitor's sessions: %w", err)
	}
	*touch = withFacts(best, *touch)
	return nil
}

//go:embed insert_touches.sql
var insertTouchesSQL string

//go:embed update_touches.sql
var updateTouchesSQL string

// writeTouches writes rows in key order by one of the two statements: rows that
// are locked are replaced; rows of new visitors are inserted.
func writeTouches(ctx context.Context, tx pgx.Tx, sql string, touches map[visitorKey]*session.FirstTouch) error {
	n := len(touches)
	if n == 0 {
		return nil
	}
	visitors := slices.SortedFunc(maps.Keys(touches), visitorKey.compare)
	environments, ranks := make([]int64, n), make([]int16, n)
	users, customs, sessions := make([]string, n), make([]string, n), make([]string, n)
	sources, campaigns, countries := make([]string, n), make([]string, n), make([]string, n)
	platforms, devices := make([]string, n), make([]string, n)
	mediums, hosts := make([]string, n), make([]string, n)
	organic, unknown := make([]bool, n), make([]bool, n)
	firstSeen, started := make([]time.Time, n), make([]time.Time, n)
	customAt, customKey := make([]pgtype.Timestamptz, n), make([]pgtype.UUID, n)
	for i, v := range visitors {
		t := touches[v]
		environments[i], users[i], firstSeen[i] = v.environment, v.appUserID, millis(t.FirstSeen)
		customs[i], customAt[i], customKey[i] = t.CustomUserID, nullTime(t.CustomUserOrigin), nullKey(t.CustomUserOrigin)
		ranks[i], started[i], sessions[i] = int16(t.Rank), millis(t.StartedAt), t.SessionID
		sources[i], campaigns[i], countries[i] = t.Source, t.Campaign, t.Country
		platforms[i], devices[i] = t.Platform, t.Device
		mediums[i], hosts[i], organic[i], unknown[i] = t.Medium, t.ReferrerHost, t.Organic, t.OrganicUnknown
	}
	_, err := tx.Exec(ctx, sql, environments, users, firstSeen, customs, customAt, customKey,
		ranks, started, sessions, sources, campaigns, countries, platforms, devices, mediums, hosts, organic, unknown)
	if err != nil {
		return fmt.Errorf("write first touches: %w", err)
	}
	return nil
}
