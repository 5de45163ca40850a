package floworacle

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/session"
)

// properties are those of the wire that carry subject and value, by name of the event.
var properties = map[string][2]string{
	"choice_selected":    {"field_key", "value"},
	"text_submitted":     {"field_key", "value"},
	"step_completed":     {"field_key"},
	"step_skipped":       {"field_key"},
	"decision_evaluated": {"decision_node_id", "matched_case_id"},
	"surface_presented":  {"provider"},
	"surface_outcome":    {"provider", "outcome"},
	"iap_purchase":       {"provider", "product_id"},
}

// Wire returns the event as a client sends it. The channel is not part of it: requests name it.
func (e *Event) Wire() map[string]any {
	line := map[string]any{
		"eventId": e.ID, "name": e.Name, "flowId": id(e.Flow), "versionId": id(e.Release.Version),
		"timestamp": time.UnixMilli(e.At).UTC().Format("2006-01-02T15:04:05.000Z"),
		"identity":  map[string]any{"appUserId": e.Person, "sessionId": e.Session},
	}
	context := map[string]any{}
	for member, value := range map[string]string{
		"platform": e.Client.Platform, "locale": e.Client.Locale, "appVersion": e.Client.AppVersion,
		"device": e.Device.Device, "browser": e.Device.Browser, "os": e.Device.OS,
	} {
		if value != "" {
			context[member] = value
		}
	}
	if e.CustomProperties != "" {
		context["customProperties"] = json.RawMessage(e.CustomProperties)
	}
	line["context"] = context
	said := map[string]any{}
	for i, value := range []string{e.Subject, e.Value} {
		if name := properties[e.Name][i]; name != "" && value != "" {
			said[name] = value
		}
	}
	if e.Name == "iap_purchase" {
		said["surface_node_id"] = e.Step
	}
	if len(said) > 0 {
		line["properties"] = said
	}
	if e.Release.Experiment != (session.Key{}) {
		line["experimentId"], line["variantId"] = id(e.Release.Experiment), e.Release.Variant
	}
	if e.Release.AssignmentVersion >= 0 {
		line["assignmentVersion"] = e.Release.AssignmentVersion
	}
	if e.Step != "" {
		line["stepId"] = e.Step
	}
	if e.RunID != (session.Key{}) {
		line["runId"] = uuid.UUID(e.RunID).String()
	}
	if e.Seq >= 0 {
		line["seq"] = e.Seq
	}
	if e.From != nil {
		line["fromStepId"] = *e.From
	}
	return line
}
