package parquetfiles

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/postgres"
)

// event is a product, flow or track event, as the views of the database have it. JSON is text: with the tag
// json parquet-go 0.32.0 loses values of columns that may be null, or panics.
type event struct {
	Kind                string    `db:"kind" parquet:"kind,dict"`
	EventID             string    `db:"event_id" parquet:"event_id"`
	Name                string    `db:"name" parquet:"name,dict"`
	OccurredAt          time.Time `db:"occurred_at" parquet:"occurred_at,timestamp(microsecond),delta"`
	ReceivedAt          time.Time `db:"received_at" parquet:"received_at,timestamp(microsecond),delta"`
	AppUserID           string    `db:"app_user_id" parquet:"app_user_id,dict"`
	CustomUserID        *string   `db:"custom_user_id" parquet:"custom_user_id,optional,dict"`
	SessionID           *string   `db:"session_id" parquet:"session_id,optional,dict"`
	Page                *string   `db:"page" parquet:"page,optional,dict"`
	Source              *string   `db:"source" parquet:"source,optional,dict"`
	Medium              *string   `db:"medium" parquet:"medium,optional,dict"`
	Campaign            *string   `db:"campaign" parquet:"campaign,optional,dict"`
	Content             *string   `db:"content" parquet:"content,optional,dict"`
	Term                *string   `db:"term" parquet:"term,optional,dict"`
	Adset               *string   `db:"adset" parquet:"adset,optional,dict"`
	Creative            *string   `db:"creative" parquet:"creative,optional,dict"`
	Referrer            *string   `db:"referrer" parquet:"referrer,optional,dict"`
	LandingURL          *string   `db:"landing_url" parquet:"landing_url,optional,dict"`
	Organic             *bool     `db:"organic" parquet:"organic,optional"`
	OrganicUnknown      *bool     `db:"organic_unknown" parquet:"organic_unknown,optional"`
	Country             *string   `db:"country" parquet:"country,optional,dict"`
	Region              *string   `db:"region" parquet:"region,optional,dict"`
	City                *string   `db:"city" parquet:"city,optional,dict"`
	Latitude            *float32  `db:"latitude" parquet:"latitude,optional"`
	Longitude           *float32  `db:"longitude" parquet:"longitude,optional"`
	Platform            *string   `db:"platform" parquet:"platform,optional,dict"`
	Device              *string   `db:"device" parquet:"device,optional,dict"`
	Browser             *string   `db:"browser" parquet:"browser,optional,dict"`
	OS                  *string   `db:"os" parquet:"os,optional,dict"`
	AppVersion          *string   `db:"app_version" parquet:"app_version,optional,dict"`
	Locale              *string   `db:"locale" parquet:"locale,optional,dict"`
	ChannelID           *string   `db:"channel_id" parquet:"channel_id,optional,dict"` // null when the channel is gone
	FlowID              *string   `db:"flow_id" parquet:"flow_id,optional,dict"`
	VersionID           *string   `db:"version_id" parquet:"version_id,optional,dict"`
	AssignmentVersion   *int32    `db:"assignment_version" parquet:"assignment_version,optional"`
	ExperimentID        *string   `db:"experiment_id" parquet:"experiment_id,optional,dict"`
	VariantID           *string   `db:"variant_id" parquet:"variant_id,optional,dict"`
	RunID               *string   `db:"run_id" parquet:"run_id,optional,dict"`
	Seq                 *int32    `db:"seq" parquet:"seq,optional"`
	StepID              *string   `db:"step_id" parquet:"step_id,optional,dict"`
	FromStepID          *string   `db:"from_step_id" parquet:"from_step_id,optional,dict"` // '' at the start of a run
	FieldClassification *string   `db:"field_classification" parquet:"field_classification,optional,dict"`
	Attribution         *string   `db:"attribution" parquet:"attribution,optional"` // keys without a column
	CustomProperties    *string   `db:"custom_properties" parquet:"custom_properties,optional"`
	Properties          *string   `db:"properties" parquet:"properties,optional"`

	// Ids of what details hold, in rows of storedProducts.
	NameID        pgtype.Int4 `db:"name_id" parquet:"-"`
	AttributionID pgtype.Int4 `db:"attribution_id" parquet:"-"`
	PlaceID       pgtype.Int4 `db:"place_id" parquet:"-"`
	DeviceID      pgtype.Int4 `db:"device_id" parquet:"-"`
}

var eventColumns = texts("custom_user_id, session_id, country, region, city") + `, ` +
	texts("platform, device, browser, os, app_version, locale") +
	`, event_id, name, occurred_at, received_at, app_user_id,
		attribution::text as attribution, custom_properties::text as custom_properties, properties::text as properties`

const (
	eventsWithin = ` where environment_id = @environment and occurred_at >= @from and occurred_at < @until`
	// Putting the events of one moment in order took a sixth of the database's time.
	eventsOrder = ` order by occurred_at`
)

// timedWithin finds product and track events by an index of their time.
var timedWithin = eventsWithin + ` and ` + postgres.WithinTime(`@from`, `@until`)

// storedProducts selects product events as they are stored, which details complete.
var storedProducts = `select 'product' as kind, organic, coalesce(organic_unknown, false) as organic_unknown,
	latitude, longitude, page, source, medium,
	campaign, content, term, adset, creative, referrer, landing_url, country, region, city, platform, device, browser, os,
	app_version, locale, name_id, attribution_id, place_id, device_id, nullif(custom_user_id, '') as custom_user_id,
	coalesce(session_uuid::text, session_id) as session_id,
	coalesce(nullif(event_id, ''), event_key::text) as event_id, name, occurred_at, received_at, app_user_id,
	attribution::text as attribution, custom_properties::text as custom_properties, properties::text as properties
	from product_event` + timedWithin

// prepareEvents has the details of product events joined in memory, where they are few enough.
func prepareEvents(
	ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs, selects []string,
) ([]string, func(*event), error) {
	details, err := readDetails(ctx, tx, scope, mostDetails)
	if err != nil || details == nil {
		return selects, nil, err
	}
	return append([]string{storedProducts}, selects[1:]...), details.complete, nil
}

// events are of one kind after another, as the database comes upon them: by time it read the pages of imported ones
// many times, which took a third of its time. They never change, so which they are says it all.
var events = tableOf[event]{
	name: "events", prepare: prepareEvents,
	summary: `select (occurred_at at time zone 'utc')::date, count(*), sum(uuid_hash_extended(event_key, 0))::text from (
			select occurred_at, event_key from product_event` + timedWithin + ` union all
			select occurred_at, event_key from flow_event` + eventsWithin + ` union all
			select occurred_at, event_key from track_event` + timedWithin + `
		) e group by 1 order by 1`,
	selects: []string{
		`select 'product' as kind, organic, organic_unknown, latitude, longitude, ` +
			texts("page, source, medium, campaign, content, term, adset, creative, referrer, landing_url") +
			`, ` + eventColumns +
			` from product_events` + timedWithin,
		// Channels may be on another node of a cluster, so their ids come along.
		`select 'flow' as kind, (@channel_ids::text[])[array_position(@channel_numbers::bigint[], channel_id)] as channel_id,
			flow_id::text as flow_id, version_id::text as version_id, assignment_version, experiment_id::text as experiment_id,
			run_id::text as run_id, seq, from_step_id, ` + texts("variant_id, step_id, field_classification") +
			`, ` + eventColumns +
			` from flow_events` + eventsWithin,
		`select 'track' as kind, ` + texts("page") + `, ` + eventColumns + ` from track_events` + timedWithin,
	},
}
