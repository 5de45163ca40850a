package parquetfiles

import "time"

// session is a visit of the product. Its day is that of its first hit that arrived.
type session struct {
	AppUserID      string    `db:"app_user_id" parquet:"app_user_id"`
	CustomUserID   *string   `db:"custom_user_id" parquet:"custom_user_id,optional"`
	SessionID      string    `db:"session_id" parquet:"session_id"`
	StartedAt      time.Time `db:"started_at" parquet:"started_at,timestamp(microsecond)"`
	LastAt         time.Time `db:"last_at" parquet:"last_at,timestamp(microsecond)"`
	Source         *string   `db:"source" parquet:"source,optional,dict"`
	Medium         *string   `db:"medium" parquet:"medium,optional,dict"`
	Campaign       *string   `db:"campaign" parquet:"campaign,optional,dict"`
	Content        *string   `db:"content" parquet:"content,optional,dict"`
	Term           *string   `db:"term" parquet:"term,optional,dict"`
	Adset          *string   `db:"adset" parquet:"adset,optional,dict"`
	Creative       *string   `db:"creative" parquet:"creative,optional,dict"`
	Referrer       *string   `db:"referrer" parquet:"referrer,optional,dict"`
	LandingURL     *string   `db:"landing_url" parquet:"landing_url,optional,dict"`
	Organic        *bool     `db:"organic" parquet:"organic,optional"`
	OrganicUnknown bool      `db:"organic_unknown" parquet:"organic_unknown"`
	Country        *string   `db:"country" parquet:"country,optional,dict"`
	Region         *string   `db:"region" parquet:"region,optional,dict"`
	City           *string   `db:"city" parquet:"city,optional,dict"`
	Latitude       *float32  `db:"latitude" parquet:"latitude,optional"`
	Longitude      *float32  `db:"longitude" parquet:"longitude,optional"`
	Platform       *string   `db:"platform" parquet:"platform,optional,dict"`
	Device         *string   `db:"device" parquet:"device,optional,dict"`
	Browser        *string   `db:"browser" parquet:"browser,optional,dict"`
	OS             *string   `db:"os" parquet:"os,optional,dict"`
	Hits           int64     `db:"hits" parquet:"hits"`
	HitsOverLimit  int64     `db:"hits_over_limit" parquet:"hits_over_limit"` // that were not kept
}

// hit is what a session did at a moment. It is in the file of its session's day.
type hit struct {
	AppUserID string    `db:"app_user_id" parquet:"app_user_id,dict"`
	SessionID string    `db:"session_id" parquet:"session_id,dict"`
	StartedAt time.Time `db:"session_started_at" parquet:"session_started_at,timestamp(microsecond)"`
	At        time.Time `db:"at" parquet:"at,timestamp(microsecond)"`
	Kind      string    `db:"kind" parquet:"kind,dict"`
	Name      *string   `db:"name" parquet:"name,optional,dict"` // the page, the screen or the name of a custom event
}

const (
	sessionsWithin = ` where environment_id = @environment
		and home_day >= (@from::timestamptz at time zone 'utc')::date
		and home_day < (@until::timestamptz at time zone 'utc')::date`
	// Every change of a session is by another transaction.
	sessionsSummary = `select home_day, count(*),
			sum(hashtextextended(app_user_id || ' ' || session_id, changed_xid::text::bigint))::text
		from product_session` + sessionsWithin + ` group by 1 order by 1`
)

var sessions = tableOf[session]{
	name: "sessions", summary: sessionsSummary,
	selects: []string{`select app_user_id, session_id, started_at, last_at, organic, organic_unknown,
			latitude, longitude, ` +
		texts("custom_user_id, source, medium, campaign, content, term, adset, creative, referrer, landing_url") + `, ` +
		texts("country, region, city, platform, device, browser, os") + `, cardinality(hits)::bigint as hits, hits_over_limit
		from product_session` + sessionsWithin + ` order by started_at, app_user_id, session_id`},
}

var hits = tableOf[hit]{
	name: "hits", summary: sessionsSummary,
	selects: []string{`select s.app_user_id, s.session_id, s.started_at as session_started_at,
			timestamptz '2020-01-01 00:00:00+00' + (h >> 22) * interval '1 millisecond' as at,
			case n.kind when 1 then 'session_start' when 2 then 'first_visit' when 3 then 'first_open'
				when 4 then 'page_view' when 5 then 'screen_view' else 'custom' end as kind, nullif(n.text, '') as name
		from (select * from product_session` + sessionsWithin + `) s
		cross join unnest(s.hits) h
		join event_name n on n.environment_id = s.environment_id and n.id = h & 4194303
		order by s.started_at, s.app_user_id, s.session_id, h`},
}
