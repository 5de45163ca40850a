package parquetfiles

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/parquet-go/parquet-go"

	"github.com/svc-dev/svc/postgres"
)

// event is a product, flow or track event, as the views of the database have it. JSON is text: with the tag
// json parquet-go 0.32.0 loses values of columns that may be null, or panics.
type event struct {
	Kind                string    `parquet:"kind,dict"`
	EventID             string    `parquet:"event_id"`
	Name                string    `parquet:"name,dict"`
	OccurredAt          time.Time `parquet:"occurred_at,timestamp(microsecond),delta"`
	ReceivedAt          time.Time `parquet:"received_at,timestamp(microsecond),delta"`
	AppUserID           string    `parquet:"app_user_id,dict"`
	CustomUserID        *string   `parquet:"custom_user_id,optional,dict"`
	SessionID           *string   `parquet:"session_id,optional,dict"`
	Page                *string   `parquet:"page,optional,dict"`
	Source              *string   `parquet:"source,optional,dict"`
	Medium              *string   `parquet:"medium,optional,dict"`
	Campaign            *string   `parquet:"campaign,optional,dict"`
	Content             *string   `parquet:"content,optional,dict"`
	Term                *string   `parquet:"term,optional,dict"`
	Adset               *string   `parquet:"adset,optional,dict"`
	Creative            *string   `parquet:"creative,optional,dict"`
	Referrer            *string   `parquet:"referrer,optional,dict"`
	LandingURL          *string   `parquet:"landing_url,optional,dict"`
	Organic             *bool     `parquet:"organic,optional"`
	OrganicUnknown      *bool     `parquet:"organic_unknown,optional"`
	Country             *string   `parquet:"country,optional,dict"`
	Region              *string   `parquet:"region,optional,dict"`
	City                *string   `parquet:"city,optional,dict"`
	Latitude            *float32  `parquet:"latitude,optional"`
	Longitude           *float32  `parquet:"longitude,optional"`
	Platform            *string   `parquet:"platform,optional,dict"`
	Device              *string   `parquet:"device,optional,dict"`
	Browser             *string   `parquet:"browser,optional,dict"`
	OS                  *string   `parquet:"os,optional,dict"`
	AppVersion          *string   `parquet:"app_version,optional,dict"`
	Locale              *string   `parquet:"locale,optional,dict"`
	ChannelID           *string   `parquet:"channel_id,optional,dict"` // null when the channel is gone
	FlowID              *string   `parquet:"flow_id,optional,dict"`
	VersionID           *string   `parquet:"version_id,optional,dict"`
	AssignmentVersion   *int32    `parquet:"assignment_version,optional"`
	ExperimentID        *string   `parquet:"experiment_id,optional,dict"`
	VariantID           *string   `parquet:"variant_id,optional,dict"`
	RunID               *string   `parquet:"run_id,optional,dict"`
	Seq                 *int32    `parquet:"seq,optional"`
	StepID              *string   `parquet:"step_id,optional,dict"`
	FromStepID          *string   `parquet:"from_step_id,optional,dict"` // '' at the start of a run
	FieldClassification *string   `parquet:"field_classification,optional,dict"`
	Attribution         *string   `parquet:"attribution,optional"` // keys without a column
	CustomProperties    *string   `parquet:"custom_properties,optional"`
	Properties          *string   `parquet:"properties,optional"`
}

var eventSchema = parquet.SchemaOf(new(event))

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
	app_version, locale, name_id, attribution_id, place_id, device_id, custom_user_id,
	session_id, session_uuid as session_id,
	coalesce(event_id, '') as event_id, case when event_id is null or event_id = '' then event_key end as event_id,
	name, occurred_at, received_at, app_user_id, attribution, custom_properties, properties
	from product_event` + timedWithin

// prepareEvents has the details of product events joined in memory, where they are few enough.
func prepareEvents(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs) (*selection, error) {
	details, err := readDetails(ctx, tx, scope, mostDetails)
	if err != nil || details == nil {
		return nil, err
	}
	return &selection{storedProducts, true, details.complete}, nil
}

// events are of one kind after another, as the database comes upon them: by time it read the pages of imported ones
// many times, which took a third of its time. They never change, so which they are says it all.
var events = tableOf[event]{
	name: "events", prepare: prepareEvents, besides: storedBesides,
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
