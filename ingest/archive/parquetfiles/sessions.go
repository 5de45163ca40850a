package parquetfiles

import "time"

// session is a visit of the product. Its day is that of its first hit that arrived.
type session struct {
	AppUserID      string    `parquet:"app_user_id"`
	CustomUserID   *string   `parquet:"custom_user_id,optional"`
	SessionID      string    `parquet:"session_id"`
	StartedAt      time.Time `parquet:"started_at,timestamp(microsecond)"`
	LastAt         time.Time `parquet:"last_at,timestamp(microsecond)"`
	Source         *string   `parquet:"source,optional,dict"`
	Medium         *string   `parquet:"medium,optional,dict"`
	Campaign       *string   `parquet:"campaign,optional,dict"`
	Content        *string   `parquet:"content,optional,dict"`
	Term           *string   `parquet:"term,optional,dict"`
	Adset          *string   `parquet:"adset,optional,dict"`
	Creative       *string   `parquet:"creative,optional,dict"`
	Referrer       *string   `parquet:"referrer,optional,dict"`
	LandingURL     *string   `parquet:"landing_url,optional,dict"`
	Organic        *bool     `parquet:"organic,optional"`
	OrganicUnknown bool      `parquet:"organic_unknown"`
	Country        *string   `parquet:"country,optional,dict"`
	Region         *string   `parquet:"region,optional,dict"`
	City           *string   `parquet:"city,optional,dict"`
	Latitude       *float32  `parquet:"latitude,optional"`
	Longitude      *float32  `parquet:"longitude,optional"`
	Platform       *string   `parquet:"platform,optional,dict"`
	Device         *string   `parquet:"device,optional,dict"`
	Browser        *string   `parquet:"browser,optional,dict"`
	OS             *string   `parquet:"os,optional,dict"`
	Hits           int64     `parquet:"hits"`
	HitsOverLimit  int64     `parquet:"hits_over_limit"` // that were not kept
}

// hit is what a session did at a moment. It is in the file of its session's day.
type hit struct {
	AppUserID string    `parquet:"app_user_id,dict"`
	SessionID string    `parquet:"session_id,dict"`
	StartedAt time.Time `parquet:"session_started_at,timestamp(microsecond)"`
	At        time.Time `parquet:"at,timestamp(microsecond)"`
	Kind      string    `parquet:"kind,dict"`
	Name      *string   `parquet:"name,optional,dict"` // the page, the screen or the name of a custom event
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
