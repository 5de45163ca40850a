package main

import "strings"

// question is one report as GraphQL and as SQL.
type question struct {
	name  string
	field string // under productAnalytics, or below app when whole
	whole bool
	limit float64 // milliseconds at the 95th percentile, warm, 30 days
	sql   string  // see inSQL; "" where a report has no like in SQL
}

// A field names the goal that has #goal in it, and gets another number for #turn each time: what a server has counted
// once it remembers until new data arrives.
const (
	theGoal = "#goal"
	theTurn = "#turn"
)

const (
	usualLimit = 50.0
	largeLimit = 150.0
	firstLimit = 500.0 // of a count that nobody asked for before
)

const (
	breakdownFields = `value visitors sessions views bounceRate averageSessionSeconds newVisitors revenue`
	tableEnd        = ` totalCount pageInfo { hasNextPage endCursor }`
	seriesFields    = `{ value points { bucket value } }`
	funnelAgain     = `input: {windowMinutes: 10080, ` + funnelSteps
	funnelAnew      = `input: {windowMinutes: #turn, ` + funnelSteps
	funnelSteps     = `steps: [{condition: {page: {name: "/products/**"}}}, {condition: {event: {name: "action_1"}}},
		{condition: {page: {name: "/help/**"}}}, {condition: {event: {name: "action_2"}}},
		{condition: {page: {name: "/products/**"}}}, {condition: {event: {name: "action_3"}}}]}`
	funnelFields = ` { entered converted open rate medianSeconds p90Seconds
		steps { name entered fromPrevious fromFirst medianSeconds p90Seconds dropped open next { kind name count }
		nothingNext } }`
)

// questions are all reports with their costliest usual arguments.
var questions = []question{
	{name: "summary", field: `summary { visitors sessions views events newVisitors bounceRate averageSessionSeconds
		viewsPerSession revenue previous { visitors sessions } }`, sql: `
		select count(distinct app_user_id), count(*), sum(views), sum(events), avg((views <= 1
		and events = 0)::int), avg(extract(epoch from last_at - started_at)) from p`},
	{name: "series", field: `series(grain: DAY) { bucket visitors sessions views events newVisitors bounceRate
		averageSessionSeconds viewsPerSession revenue }`, sql: `
		select date_trunc('day', occurred_at), count(distinct app_user_id), count(distinct session_id),
		count(*) filter (where name in ('page_view', 'screen_view')) from h group by 1`},
	{
		name:  "attribution source",
		field: `attribution(dimension: SOURCE, first: 50) { nodes { ` + breakdownFields + ` }` + tableEnd + ` }`,
		sql:   bySession("source"),
	},
	{
		name:  "attribution channel",
		field: `attribution(dimension: ACQUISITION_CHANNEL, first: 50) { nodes { ` + breakdownFields + ` }` + tableEnd + ` }`,
		sql:   bySession("source || medium || referrer"),
	},
	{
		name: "attribution series", field: `attributionSeries(dimension: SOURCE, metric: VISITORS) ` + seriesFields,
		sql: seriesBySession("source"),
	},
	{name: "engagement page", field: `engagement(dimension: PAGE, first: 50) { nodes { value visitors sessions views
		averageSecondsOnPage entries exits exitRate }` + tableEnd + ` }`, sql: `
		select page, count(distinct app_user_id), count(distinct session_id), count(*), avg(extract(epoch
		from coalesce(next, last_at) - occurred_at)),
			count(*) filter (where first = occurred_at), count(*) filter (where next is null)
		from (select h.page, h.app_user_id, h.session_id, h.occurred_at, q.last_at,
				lead(h.occurred_at) over w as next, min(h.occurred_at) over w as first
			from h join q using (app_user_id, session_id) where h.name in ('page_view', 'screen_view')
			window w as (partition by h.app_user_id, h.session_id order by h.occurred_at)) v
		group by 1 order by 2 desc limit 50`},
	{
		name: "engagement entry",
		field: `engagement(dimension: ENTRY, first: 50) { nodes { value sessions visitors bounceRate averageSessionSeconds
			revenue }` + tableEnd + ` }`,
		sql: edge(""),
	},
	{
		name:  "engagement exit",
		field: `engagement(dimension: EXIT, first: 50) { nodes { value sessions visitors exitRate }` + tableEnd + ` }`,
		sql:   edge("desc"),
	},
	{
		name: "engagement series", field: `engagementSeries(dimension: PAGE, metric: VISITORS) ` + seriesFields,
		sql: seriesByHit("page", `h.name in ('page_view', 'screen_view')`),
	},
	{name: "screens", field: `screens(first: 50) { nodes { value kind views visitors }` + tableEnd + ` }`, sql: `
		select name, page, count(*), count(distinct app_user_id) from h where name in ('page_view', 'screen_view')
		group by 1, 2 order by 4 desc limit 50`},
	{name: "events", field: `events(first: 50) { nodes { name count visitors sessions lastSeen
		builtIn }` + tableEnd + ` }`, sql: `
		select name, count(*), count(distinct app_user_id), count(distinct session_id), max(occurred_at) from h group by 1
		order by 2 desc limit 50`},
	{name: "events series", field: `eventsSeries(metric: COUNT) ` + seriesFields, sql: seriesByHit("name", "true")},
	{
		name: "retention",
		field: `retention { visitors days { offset returned eligible rate } } source: retentionBreakdown(dimension: SOURCE,
			first: 50) { nodes { value visitors days { returned rate } } }`,
		sql: returned("1, 2", "source, day - first"),
	},
	{name: "retention series", field: `retentionSeries { bucket new returning }`, sql: `
		select date_trunc('day', occurred_at), count(distinct app_user_id),
		count(distinct app_user_id) filter (where f.first_seen_at < date_trunc('day', occurred_at))
		from h join product_analytics_first_touch f using (environment_id, app_user_id) group by 1`},
	{
		name:  "retention cohorts",
		field: `retentionCohorts(grain: DAY) { bucket size offsets { offset returned eligible rate } }`,
		sql:   returned("1, 2", "first, day - first"),
	},
	{
		name: "retention curve", field: `retentionCurve(days: 29) { offset returned eligible rate }`,
		sql: returned("1", "day - first"),
	},
	{
		name:  "goals",
		field: `goals(first: 50) { nodes { goalId name conversions converters rate revenue }` + tableEnd + ` }`,
		sql:   `select count(*), count(distinct app_user_id) from h where ` + goalInSQL,
	},
	{
		name: "goal series", field: `goalSeries(goalId: "#goal") { bucket visitors conversions converters rate }`,
		sql: `select date_trunc('day', occurred_at), count(distinct app_user_id), count(*) filter (where ` + goalInSQL + `),
			count(distinct app_user_id) filter (where ` + goalInSQL + `) from h group by 1`,
	},
	{
		name: "goal breakdown",
		field: `goalBreakdown(goalId: "#goal", dimension: SOURCE, first: 50) { nodes { value visitors conversions converters
			rate }` + tableEnd + ` }`,
		sql: `select source, count(distinct h.app_user_id), count(*) filter (where ` + goalInSQL + `),
			count(distinct h.app_user_id) filter (where ` + goalInSQL + `) from h join q using (app_user_id, session_id)
			group by 1 order by 4 desc limit 50`,
	},
	{name: "funnel", field: `funnel(` + funnelAgain + `)` + funnelFields},
	{name: "funnel anew", limit: firstLimit, field: `funnel(` + funnelAnew + `)` + funnelFields},
	{
		name: "funnel series anew", limit: firstLimit,
		field: `funnelSeries(` + funnelAnew + `) { bucket entered converted open rate }`,
	},
	{
		name: "funnel breakdown anew", limit: firstLimit,
		field: `funnelBreakdown(dimension: SOURCE, ` + funnelAnew + `) { rows { value entered converted open rate steps }
			other { entered converted open rate steps } }`,
	},
	{
		name: "funnel visitors anew", limit: firstLimit,
		field: `funnelVisitors(step: 1, first: 50, ` + funnelAnew + `) { nodes { appUserId lastSeen }` + tableEnd + ` }`,
	},
	{name: "paths", field: `paths(input: {anchor: {kind: PAGE, name: "/products/**"}, steps: 5}) { sessions
		nodes { node step kind name sessions ended } links { from to sessions } }`},
	{
		name: "demographic city",
		field: `demographic(dimension: CITY, first: 50) { nodes { value country region latitude longitude visitors sessions
			views revenue }` + tableEnd + ` }`,
		sql: bySession("country || region || city"),
	},
	{
		name: "demographic series", field: `demographicSeries(dimension: COUNTRY, metric: VISITORS) ` + seriesFields,
		sql: seriesBySession("country"),
	},
	{
		name:  "technology browser",
		field: `technology(dimension: BROWSER, first: 50) { nodes { ` + breakdownFields + ` }` + tableEnd + ` }`,
		sql:   bySession("browser"),
	},
	{
		name: "technology series", field: `technologySeries(dimension: BROWSER, metric: VISITORS) ` + seriesFields,
		sql: seriesBySession("browser"),
	},
	{name: "visitors", limit: largeLimit, field: `visitors(first: 50) { nodes { appUserId customUserId firstSeen lastSeen
		sessions views events country city platform device browser os source channel revenueUsd }` + tableEnd + ` }`, sql: `
		select app_user_id, max(last_at) as seen, count(*), sum(views), sum(events) from p group by 1 order by seen desc
		limit 50`},
	{name: "overview", limit: largeLimit, field: `overview { channel { ` + breakdownFields + ` }
		referrer { ` + breakdownFields + ` } source { ` + breakdownFields + ` } campaign { ` + breakdownFields + ` }
		page { value visitors sessions views averageSecondsOnPage entries exits exitRate } entry { value visitors sessions
		bounceRate averageSessionSeconds revenue } exit { value visitors sessions exitRate }
		country { ` + breakdownFields + ` } device { ` + breakdownFields + ` } browser { ` + breakdownFields + ` }
			os { ` + breakdownFields + ` } event { name count visitors sessions lastSeen builtIn } }`},
	{
		name: "live", whole: true,
		field: `live(first: 50) { count people { nodes { appUserId } totalCount } places { country city visitors } minutes {
			minute visitors hits } pages { page visitors } }`,
	},
	{name: "recent", whole: true, field: `recentEvents(name: "action_1", range: {start: $start, end: $end}, first: 50) {
		nodes { eventId occurredAt appUserId page country } }`, sql: `
		select * from product_events where environment_id = $1 and name = 'action_1' and occurred_at >= $2
		and occurred_at < $3 order by occurred_at desc limit 50`},
}

// inSQL completes a question's SQL with what it reads: q the qualifying sessions,
// h their hits in the range, p the sessions with their numbers of views and custom
// events. $1 is the environment, $2 and $3 the range.
func inSQL(sql string, filtered bool) string {
	where, join := "", ""
	if filtered {
		// The three filters of crossFilters.
		where = ` and s.source <> 'google' and s.country = any ('{AA,AB,AC,AD,AE,AF,AG,AH}') and exists (
			select from product_events e where e.environment_id = $1 and e.app_user_id = s.app_user_id
			and e.session_id = s.session_id
			  and e.occurred_at >= $2 and e.occurred_at < $3 and e.name in ('page_view', 'screen_view')
			and position('/products/1' in e.page) > 0)`
		join = ` join q using (environment_id, app_user_id, session_id)`
	}
	return strings.NewReplacer("#where", where, "#join", join).Replace(`
		with q as (select * from product_session s
		where s.environment_id = $1 and s.last_at >= $2 and s.started_at < $3#where),
		h as (select e.environment_id, e.app_user_id, e.session_id, e.occurred_at, e.name, e.page from product_events e#join
			where e.environment_id = $1 and e.occurred_at >= $2 and e.occurred_at < $3),
		p as (select q.*, n.views, n.events from q join (
			select app_user_id, session_id, count(*) filter (where name in ('page_view', 'screen_view')) as views,
				count(*) filter (where name not in ('page_view', 'screen_view', 'session_start', 'first_visit', 'first_open'))
				as events
			from h group by 1, 2) n using (app_user_id, session_id))` + sql)
}

// crossFilters are an exact list, its opposite, and a text that no index helps
// with.
var crossFilters = map[string]any{
	"source":  map[string]any{"op": "IS_NOT", "values": []string{"google"}},
	"country": map[string]any{"op": "IS", "values": []string{"AA", "AB", "AC", "AD", "AE", "AF", "AG", "AH"}},
	"page":    map[string]any{"op": "CONTAINS", "values": []string{"/products/1"}},
}

// goalInSQL is the condition of the goal.
const goalInSQL = `name = 'action_1'`

func bySession(group string) string {
	return `select ` + group + `, count(distinct app_user_id), count(*), sum(views), avg((views <= 1 and events =
		0)::int), avg(extract(epoch from last_at - started_at))
		from p group by 1 order by 2 desc limit 50`
}

func seriesBySession(group string) string {
	return `, top as (select ` + group + ` as value from q group by 1 order by count(distinct app_user_id) desc limit 10)
		select ` + group + `, date_trunc('day', h.occurred_at), count(distinct h.app_user_id) from h join q
			using (app_user_id, session_id)
		where ` + group + ` in (select value from top) group by 1, 2`
}

func seriesByHit(group, kind string) string {
	return `, top as (select ` + group + ` as value from h where ` + kind + ` group by 1 order by count(*) desc limit 10)
		select ` + group + `, date_trunc('day', occurred_at), count(distinct app_user_id) from h where
			` + kind + ` and ` + group + ` in (select value from top) group by 1, 2`
}

func edge(order string) string {
	return `select page, count(distinct v.app_user_id), count(*), avg((views <= 1
		and events = 0)::int), avg(extract(epoch from last_at - started_at))
		from (select distinct on (app_user_id, session_id) app_user_id, session_id, page from h
		where name in ('page_view', 'screen_view')
			order by app_user_id, session_id,
			occurred_at ` + order + `) v join p using (app_user_id, session_id) group by 1 order by 2 desc limit 50`
}

func returned(groups, columns string) string {
	return `select ` + columns + `, count(*) from (
			select distinct h.app_user_id, f.source, f.first_seen_at::date as first, h.occurred_at::date as day
			from h join product_analytics_first_touch f using (environment_id, app_user_id) where f.first_seen_at >= $2 and
			f.first_seen_at < $3) d
		group by ` + groups
}
