package archive

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
)

// trackEvent is one line of a track event.
type trackEvent struct {
	Kind       string          `json:"kind"`
	EventID    string          `json:"eventId"`
	Name       string          `json:"name"`
	Timestamp  string          `json:"timestamp"`
	ReceivedAt string          `json:"receivedAt"`
	ScreenName string          `json:"screenName,omitempty"`
	Identity   identity        `json:"identity"`
	Context    details         `json:"context"`
	Place      *place          `json:"place,omitempty"`
	Properties json.RawMessage `json:"properties,omitempty"`
}

// trackColumns are those of track_events in the order of trackRow.targets.
const trackColumns = `event_id, name, occurred_at, received_at, page, app_user_id, custom_user_id, session_id,
	platform, app_version, locale, browser, os, device, country, region, city,
		attribution::text, custom_properties::text, properties::text`

// trackRow is one row of track_events.
type trackRow struct {
	event trackEvent
	at    eventTimes
	place place
	kept  jsonColumns
}

func (r *trackRow) targets() []any {
	e, c := &r.event, &r.event.Context
	return append([]any{&e.EventID, &e.Name, &r.at.occurredAt, &r.at.receivedAt, &e.ScreenName,
		&e.Identity.AppUserID, &e.Identity.CustomUserID, &e.Identity.SessionID,
		&c.Platform, &c.AppVersion, &c.Locale, &c.Browser, &c.OS, &c.Device,
		&r.place.Country, &r.place.Region, &r.place.City}, r.kept.targets()...)
}

func (r *trackRow) line() any {
	e := &r.event
	e.Kind = Track.String()
	e.Timestamp, e.ReceivedAt = r.at.texts()
	e.Context.Attribution, e.Context.CustomProperties = raw(r.kept.attribution), raw(r.kept.customProperties)
	e.Properties, e.Place = raw(r.kept.properties), nil
	if r.place != (place{}) {
		e.Place = &r.place
	}
	return e
}

// flowEvent is one line of a flow event (wire.md §5.1).
type flowEvent struct {
	Kind                string          `json:"kind"`
	EventID             string          `json:"eventId"`
	Name                string          `json:"name"`
	Timestamp           string          `json:"timestamp"`
	ReceivedAt          string          `json:"receivedAt"`
	ChannelID           string          `json:"channelId,omitempty"`
	FlowID              string          `json:"flowId"`
	VersionID           string          `json:"versionId"`
	AssignmentVersion   *int32          `json:"assignmentVersion,omitempty"`
	ExperimentID        string          `json:"experimentId,omitempty"`
	VariantID           string          `json:"variantId,omitempty"`
	StepID              string          `json:"stepId,omitempty"`
	RunID               string          `json:"runId,omitempty"`
	Seq                 *int32          `json:"seq,omitempty"`
	FromStepID          any             `json:"fromStepId,omitempty"`
	Identity            flowIdentity    `json:"identity"`
	Context             details         `json:"context"`
	Place               *place          `json:"place,omitempty"`
	FieldClassification string          `json:"fieldClassification,omitempty"`
	Properties          json.RawMessage `json:"properties,omitempty"`
}

// flowIdentity may lack a session: runs of flows are not folded into sessions.
type flowIdentity struct {
	AppUserID    string `json:"appUserId"`
	CustomUserID string `json:"customUserId,omitempty"`
	SessionID    string `json:"sessionId,omitempty"`
}

// channels are the public ids of an environment's channels by their numbers. They are read by themselves, because
// events may be on another node of a cluster. One that is gone has none.
type channels map[int64]string

func readChannels(ctx context.Context, tx pgx.Tx, environmentID int64) (channels, error) {
	rows, err := tx.Query(ctx, `select id, public_id from channels where environment_id = $1`, environmentID)
	if err != nil {
		return nil, err
	}
	named, number, name := channels{}, int64(0), ""
	_, err = pgx.ForEachRow(rows, []any{&number, &name}, func() error {
		named[number] = name
		return nil
	})
	return named, err
}

// flowColumns are those of flow_events in the order of flowRow.targets.
const flowColumns = `event_id, name, occurred_at, received_at,
	channel_id, flow_id::text, version_id::text, assignment_version, coalesce(experiment_id::text, ''), variant_id,
	step_id,
	coalesce(run_id::text, ''), seq, from_step_id,
	app_user_id, custom_user_id, session_id, platform, app_version, locale, browser, os, device,
	country, region, city, field_classification, attribution::text, custom_properties::text, properties::text`

// flowRow is one row of flow_events.
type flowRow struct {
	channels   channels
	event      flowEvent
	channel    int64
	at         eventTimes
	fromStepID *string
	place      place
	kept       jsonColumns
}

func (r *flowRow) targets() []any {
	e, i, c := &r.event, &r.event.Identity, &r.event.Context
	return append([]any{&e.EventID, &e.Name, &r.at.occurredAt, &r.at.receivedAt, &r.channel,
		&e.FlowID, &e.VersionID, &e.AssignmentVersion, &e.ExperimentID, &e.VariantID, &e.StepID,
		&e.RunID, &e.Seq, &r.fromStepID,
		&i.AppUserID, &i.CustomUserID, &i.SessionID, &c.Platform, &c.AppVersion, &c.Locale, &c.Browser, &c.OS, &c.Device,
		&r.place.Country, &r.place.Region, &r.place.City, &e.FieldClassification}, r.kept.targets()...)
}

func (r *flowRow) line() any {
	e := &r.event
	e.Kind = Flow.String()
	e.ChannelID = r.channels[r.channel]
	e.Timestamp, e.ReceivedAt = r.at.texts()
	e.FromStepID = sourceStep(r.fromStepID)
	e.Context.Attribution, e.Context.CustomProperties = raw(r.kept.attribution), raw(r.kept.customProperties)
	e.Properties, e.Place = raw(r.kept.properties), nil
	if r.place != (place{}) {
		e.Place = &r.place
	}
	return e
}

// sourceStep returns where a person came from as a line has it: null at the start of a
// run, left out when the client did not say.
func sourceStep(stored *string) any {
	switch {
	case stored == nil:
		return nil
	case *stored == "":
		return (*string)(nil)
	}
	return *stored
}
