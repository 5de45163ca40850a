package parquetfiles

import "time"

// flowStep is an event of a flow. Its day is that on which it happened.
type flowStep struct {
	AppUserID    string    `parquet:"app_user_id,dict"`
	FlowID       string    `parquet:"flow_id,dict"`
	VersionID    string    `parquet:"version_id,dict"`
	ChannelID    *string   `parquet:"channel_id,optional,dict"` // null when the channel is gone
	RunID        *string   `parquet:"run_id,optional,dict"`
	SessionID    *string   `parquet:"session_id,optional,dict"`
	Seq          *int32    `parquet:"seq,optional"`
	At           time.Time `parquet:"at,timestamp(microsecond),delta"`
	Name         string    `parquet:"name,dict"`
	StepID       *string   `parquet:"step_id,optional,dict"`
	FromStepID   *string   `parquet:"from_step_id,optional,dict"`
	ExperimentID *string   `parquet:"experiment_id,optional,dict"`
	VariantID    *string   `parquet:"variant_id,optional,dict"`
}

var flowSteps = tableOf[flowStep]{
	name: "flow_steps",
	summary: `select (occurred_at at time zone 'utc')::date, count(*), sum(uuid_hash_extended(event_key, 0))::text
		from flow_event` + eventsWithin + ` group by 1 order by 1`,
	selects: []string{`select app_user_id, flow_id::text as flow_id, version_id::text as version_id,
			(@channel_ids::text[])[array_position(@channel_numbers::bigint[], channel_id)] as channel_id,
			run_id::text as run_id, seq, occurred_at as at, name, experiment_id::text as experiment_id, ` +
		texts("session_id, step_id, from_step_id, variant_id") + `
		from flow_events` + eventsWithin + eventsOrder},
}
