package ingest

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

//go:embed merge_sessions.sql
var mergeSessionsSQL string

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
}

func nullTime(s stamp) pgtype.Timestamptz { return pgtype.Timestamptz{Time: s.at, Valid: !s.none()} }
func nullKey(s stamp) pgtype.UUID         { return pgtype.UUID{Bytes: s.key, Valid: !s.none()} }

func (c *sessionColumns) add(s *session) {
	a, p := &s.attributed, &s.placed
	c.environment = append(c.environment, s.environment)
	c.user = append(c.user, s.appUserID)
	c.session = append(c.session, s.sessionID)
	c.started = append(c.started, s.startedAt)
	c.last = append(c.last, s.lastAt)
	c.custom = append(c.custom, s.customUserID)
	c.customAt = append(c.customAt, nullTime(s.custom))
	c.customKey = append(c.customKey, nullKey(s.custom))
	c.rank = append(c.rank, pgtype.Int2{Int16: int16(s.attribution.rank), Valid: !s.attribution.none()})
	c.attributionAt = append(c.attributionAt, nullTime(s.attribution))
	c.attributionKey = append(c.attributionKey, nullKey(s.attribution))
	c.source = append(c.source, a.Source)
	c.medium = append(c.medium, a.Medium)
	c.campaign = append(c.campaign, a.Campaign)
	c.content = append(c.content, a.Content)
	c.term = append(c.term, a.Term)
	c.adset = append(c.adset, a.Adset)
	c.creative = append(c.creative, a.Creative)
	c.referrer = append(c.referrer, a.Referrer)
	c.landing = append(c.landing, a.LandingURL)
	c.organic = append(c.organic, pgtype.Bool{Bool: a.Organic == OrganicTrue, Valid: a.Organic != OrganicAbsent})
	c.placeAt = append(c.placeAt, nullTime(s.place))
	c.placeKey = append(c.placeKey, nullKey(s.place))
	c.country = append(c.country, p.Country)
	c.region = append(c.region, p.Region)
	c.city = append(c.city, p.City)
	c.latitude = append(c.latitude, pgtype.Float4{Float32: p.Latitude, Valid: p.HasPosition})
	c.longitude = append(c.longitude, pgtype.Float4{Float32: p.Longitude, Valid: p.HasPosition})
	c.deviceAt = append(c.deviceAt, nullTime(s.device))
	c.deviceKey = append(c.deviceKey, nullKey(s.device))
	c.platform = append(c.platform, s.platform)
	c.device = append(c.device, s.deviceClass)
	c.browser = append(c.browser, s.browser)
	c.os = append(c.os, s.os)
	c.hits = append(c.hits, hitsLiteral(s.hits))
	c.over = append(c.over, s.hitsOverLimit)
}

func (c *sessionColumns) args(hitLimit int) []any {
	return []any{c.environment, c.user, c.session, c.started, c.last, c.custom, c.customAt, c.customKey,
		c.rank, c.attributionAt, c.attributionKey,
		c.source, c.medium, c.campaign, c.content, c.term, c.adset, c.creative, c.referrer, c.landing, c.organic,
		c.placeAt, c.placeKey, c.country, c.region, c.city, c.latitude, c.longitude,
		c.deviceAt, c.deviceKey, c.platform, c.device, c.browser, c.os, c.hits, c.over, hitLimit}
}

// hitsLiteral is the text of a bigint[]. An array of arrays of different
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
func mergeSessions(ctx context.Context, tx pgx.Tx, sessions []*session, hitLimit int) (map[int64]int64, error) {
	var columns sessionColumns
	hitsAdded := make(map[sessionKey]int64, len(sessions))
	var visitors []visitorKey
	for _, s := range sessions {
		columns.add(s)
		hitsAdded[s.sessionKey] = int64(len(s.hits)) + s.hitsOverLimit
		if v := (visitorKey{s.environment, s.appUserID}); len(visitors) == 0 || visitors[len(visitors)-1] != v {
			visitors = append(visitors, v)
		}
	}
	batch := &pgx.Batch{}
	batch.Queue(mergeSessionsSQL, columns.args(hitLimit)...)
	queueTouchLock(batch, visitors)
	results := tx.SendBatch(ctx, batch)
	merged, over, err := readMerged(results, hitsAdded, int64(hitLimit))
	if err != nil {
		_ = results.Close() // reports the same failure
		return nil, fmt.Errorf("merge sessions: %w", err)
	}
	touches, err := readTouches(results)
	if err != nil {
		_ = results.Close()
		return nil, fmt.Errorf("lock first touches: %w", err)
	}
	if err := results.Close(); err != nil {
		return nil, fmt.Errorf("merge sessions: %w", err)
	}
	return over, mergeTouches(ctx, tx, merged, touches)
}

// readMerged reads the merged rows as candidates for the first touch.
func readMerged(results pgx.BatchResults, hitsAdded map[sessionKey]int64, hitLimit int64) ([]*touchSession, map[int64]int64, error) {
	rows, err := results.Query()
	if err != nil {
		return nil, nil, err
	}
	merged := make([]*touchSession, 0, len(hitsAdded))
	over := map[int64]int64{}
	for rows.Next() {
		t := &touchSession{}
		var customAt pgtype.Timestamptz
		var customKey pgtype.UUID
		var kept, overLimit int64
		if err := rows.Scan(&t.environment, &t.appUserID, &t.sessionID, &t.startedAt, &t.source, &t.campaign, &t.country, &t.platform, &t.device,
			&t.customUserID, &customAt, &customKey, &kept, &overLimit); err != nil {
			rows.Close()
			return nil, nil, err
		}
		t.custom = readStamp(customAt, customKey)
		merged = append(merged, t)
		if overLimit > 0 {
			before := max(0, kept+overLimit-hitsAdded[sessionKey{t.environment, t.appUserID, t.sessionID}]-hitLimit)
			over[t.environment] += overLimit - before
		}
	}
	return merged, over, rows.Err()
}

func readStamp(at pgtype.Timestamptz, key pgtype.UUID) stamp {
	if !at.Valid {
		return stamp{}
	}
	return stamp{at: at.Time.UTC(), key: uuid.UUID(key.Bytes)}
}

// queueTouchLock locks the existing rows of the visitors, in key order.
func queueTouchLock(batch *pgx.Batch, visitors []visitorKey) {
	environments, users := make([]int64, len(visitors)), make([]string, len(visitors))
	for i, v := range visitors {
		environments[i], users[i] = v.environment, v.appUserID
	}
	batch.Queue(`
		select t.environment_id, t.app_user_id, t.first_seen_at, t.session_id, t.session_started_at,
		       t.source, t.campaign, t.country, t.platform, t.device, t.custom_user_id, t.custom_user_at, t.custom_user_key
		from unnest($1::bigint[], $2::text[]) with ordinality as v (environment_id, app_user_id, place)
		join product_analytics_first_touch t using (environment_id, app_user_id)
		order by v.place
		for no key update of t`, environments, users)
}

func readTouches(results pgx.BatchResults) (map[visitorKey]*firstTouch, error) {
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	touches := map[visitorKey]*firstTouch{}
	for rows.Next() {
		f := &firstTouch{}
		var customAt pgtype.Timestamptz
		var customKey pgtype.UUID
		if err := rows.Scan(&f.environment, &f.appUserID, &f.firstSeenAt, &f.sessionID, &f.startedAt,
			&f.source, &f.campaign, &f.country, &f.platform, &f.device, &f.customUserID, &customAt, &customKey); err != nil {
			rows.Close()
			return nil, err
		}
		f.custom = readStamp(customAt, customKey)
		touches[f.visitorKey] = f
	}
	return touches, rows.Err()
}

// mergeTouches brings the visitors' rows up to date with their merged sessions.
// touches holds the rows that exist; they are locked.
func mergeTouches(ctx context.Context, tx pgx.Tx, merged []*touchSession, touches map[visitorKey]*firstTouch) error {
	fresh := map[visitorKey]*firstTouch{}
	outcomes := map[visitorKey]touchOutcome{}
	for _, s := range merged {
		v := s.visitorKey
		if f := touches[v]; f != nil {
			outcomes[v] = max(outcomes[v], f.absorb(s))
		} else if f := fresh[v]; f != nil {
			f.absorb(s)
		} else {
			fresh[v] = newFirstTouch(s)
		}
	}
	changed := map[visitorKey]*firstTouch{}
	for v, outcome := range outcomes {
		if outcome == touchLookBack {
			if err := touches[v].lookBack(ctx, tx); err != nil {
				return err
			}
		}
		if outcome != touchUnchanged {
			changed[v] = touches[v]
		}
	}
	if err := writeTouches(ctx, tx, updateTouchesSQL, sortedTouches(changed)); err != nil {
		return err
	}
	return writeTouches(ctx, tx, insertTouchesSQL, sortedTouches(fresh))
}

func sortedTouches(byVisitor map[visitorKey]*firstTouch) []*firstTouch {
	list := slices.Collect(maps.Values(byVisitor))
	slices.SortFunc(list, func(a, b *firstTouch) int { return a.visitorKey.compare(b.visitorKey) })
	return list
}

// lookBack compares all sessions of the visitor anew. The row is locked, so no
// session that counted before is missed; sessions that have expired can't win
// any more against one that took events a moment ago, except for first_seen_at,
// which only ever moves earlier.
func (f *firstTouch) lookBack(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `
		select session_id, started_at, source, campaign, country, platform, device
		from product_session where environment_id = $1 and app_user_id = $2`, f.environment, f.appUserID)
	if err != nil {
		return fmt.Errorf("read a visitor's sessions: %w", err)
	}
	var best *touchSession
	for rows.Next() {
		t := &touchSession{visitorKey: f.visitorKey}
		if err := rows.Scan(&t.sessionID, &t.startedAt, &t.source, &t.campaign, &t.country, &t.platform, &t.device); err != nil {
			rows.Close()
			return fmt.Errorf("read a visitor's sessions: %w", err)
		}
		if best == nil || t.compareCandidate(best) < 0 {
			best = t
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read a visitor's sessions: %w", err)
	}
	if best != nil {
		best.custom, best.customUserID = f.custom, f.customUserID
		f.touchSession = *best
	}
	return nil
}

//go:embed insert_touches.sql
var insertTouchesSQL string

//go:embed update_touches.sql
var updateTouchesSQL string

// writeTouches writes rows, given in key order, by one of the two statements:
// rows that are locked are replaced; rows of new visitors are inserted.
func writeTouches(ctx context.Context, tx pgx.Tx, sql string, touches []*firstTouch) error {
	n := len(touches)
	if n == 0 {
		return nil
	}
	environments, ranks := make([]int64, n), make([]int16, n)
	users, customs, sessions := make([]string, n), make([]string, n), make([]string, n)
	sources, campaigns, countries, platforms, devices := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	firstSeen, started := make([]time.Time, n), make([]time.Time, n)
	customAt, customKey := make([]pgtype.Timestamptz, n), make([]pgtype.UUID, n)
	for i, f := range touches {
		environments[i], users[i], firstSeen[i] = f.environment, f.appUserID, f.firstSeenAt
		customs[i], customAt[i], customKey[i] = f.customUserID, nullTime(f.custom), nullKey(f.custom)
		ranks[i], started[i], sessions[i] = int16(f.rank()), f.startedAt, f.sessionID
		sources[i], campaigns[i], countries[i], platforms[i], devices[i] = f.source, f.campaign, f.country, f.platform, f.device
	}
	_, err := tx.Exec(ctx, sql, environments, users, firstSeen, customs, customAt, customKey,
		ranks, started, sessions, sources, campaigns, countries, platforms, devices)
	if err != nil {
		return fmt.Errorf("write first touches: %w", err)
	}
	return nil
}
