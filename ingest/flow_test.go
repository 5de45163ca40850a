package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/run"
)

const flowHead = `"eventId":"0197aa00-0000-4000-8000-000000000001","timestamp":"2026-11-21T09:00:00Z","flowId":"11111111-1111-4111-8111-111111111111","versionId":"22222222-2222-4222-8222-222222222222","identity":{"appUserId":"u","sessionId":"s"}`

func decodeFlowOne(t *testing.T, event string) (FlowEvent, *Reject) {
	t.Helper()
	batch, err := DecodeFlow([]byte(`{"events":[`+event+`]}`), rules)
	require.NoError(t, err)
	if len(batch.Rejected) == 1 {
		return FlowEvent{}, &batch.Rejected[0]
	}
	require.Len(t, batch.Events, 1)
	return batch.Events[0], nil
}

func TestDecodeFlow(t *testing.T) {
	e, reject := decodeFlowOne(t, `{`+flowHead+`,"name":"choice_selected","experimentId":"33333333-3333-4333-8333-333333333333","variantId":"b","stepId":"s1","assignmentVersion":7,
		"context":{"platform":"ios","appVersion":"2","locale":"de","customProperties":{"tier":"gold","n":1}},"properties":{"field_key":"goal","value":"opt_a","tags":["a","{b[1]}"],"none":null}}`)
	require.Nil(t, reject)
	require.Equal(t, "11111111-1111-4111-8111-111111111111", e.FlowID.String())
	require.Equal(t, "22222222-2222-4222-8222-222222222222", e.VersionID.String())
	require.Equal(t, "33333333-3333-4333-8333-333333333333", e.ExperimentID.String())
	require.Equal(
		t, []string{"b", "s1", "ios", "2", "de", "u", "s"},
		[]string{e.VariantID, e.StepID, e.Platform, e.AppVersion, e.Locale, e.AppUserID, e.SessionID},
	)
	require.EqualValues(t, 7, e.AssignmentVersion)
	require.Equal(t, `{"tier":"gold","n":1}`, string(e.CustomProperties))
	require.Equal(t, `{"field_key":"goal","value":"opt_a","tags":["a","{b[1]}"],"none":null}`, string(e.Properties))

	e, reject = decodeFlowOne(t, `{`+flowHead+`,"name":"flow_started","experimentId":null,"variantId":null,"stepId":null}`)
	require.Nil(t, reject)
	require.Zero(t, e.ExperimentID)
	require.EqualValues(t, -1, e.AssignmentVersion)
	require.Nil(t, e.Properties)
}

func TestFlowCatalogue(t *testing.T) {
	for _, name := range run.Names() {
		if name != NamePurchase {
			_, reject := decodeFlowOne(t, `{`+flowHead+`,"name":"`+name+`"}`)
			require.Nil(t, reject, name)
		}
	}
}

func TestSensitiveValuesAreRedacted(t *testing.T) {
	for _, value := range []string{
		`"secret"`, `"se\u0063ret"`, `12345`, `["secret"]`, `{"line1":"secret"}`, `null`, `true`,
	} {
		for _, name := range []string{"text_submitted", "choice_selected"} {
			e, reject := decodeFlowOne(
				t,
				fmt.Sprintf(
					`{%s,"name":%q,"fieldClassification":"sensitive","properties":{"value":"secret","field_key":"mail","value":%s}}`,
					flowHead, name, value,
				),
			)
			require.Nil(t, reject)
			require.Equal(t, `{"field_key":"mail","value":"__redacted__"}`, string(e.Properties))
		}
	}
	e, _ := decodeFlowOne(
		t, `{`+flowHead+`,"name":"text_submitted","fieldClassification":"sensitive","properties":{"field_key":"mail"}}`,
	)
	require.Equal(t, `{"field_key":"mail"}`, string(e.Properties), "nothing is added")
	e, _ = decodeFlowOne(
		t, `{`+flowHead+`,"name":"text_submitted","fieldClassification":"safe","properties":{"value":"kept"}}`,
	)
	require.Equal(t, `{"value":"kept"}`, string(e.Properties))
	_, reject := decodeFlowOne(
		t, `{`+flowHead+`,"name":"text_submitted","fieldClassification":"sensitive","properties":"secret"}`,
	)
	require.Equal(t, CodePropertiesInvalid, reject.Code)
	require.NotContains(t, reject.Message, "secret")
}

func TestFlowRejects(t *testing.T) {
	id := "0197aa00-0000-4000-8000-000000000001"
	replace := func(old, new string) string {
		return `{` + strings.Replace(flowHead, old, new, 1) + `,"name":"flow_started"}`
	}
	tests := []struct{ name, event, code string }{
		{"id not a UUID", replace(id, "event-1"), "event_id_invalid"},
		{"id absent", replace(`"eventId"`, `"x"`), "event_id_required"},
		{"name unknown", `{` + flowHead + `,"name":"flow_launched"}`, "name_invalid"},
		{"name absent", `{` + flowHead + `}`, "name_required"},
		{"flow absent", replace(`"flowId"`, `"x"`), "flow_id_invalid"},
		{"version not a UUID", replace("22222222", "2222222"), "version_id_invalid"},
		{"time absent", replace(`"timestamp"`, `"x"`), "timestamp_required"},
		{"time too old", replace("2026-11-21T09", "2026-11-01T09"), "event_too_old"},
		{"user absent", replace(`"appUserId"`, `"x"`), "app_user_id_required"},
		{"experiment", `{` + flowHead + `,"name":"flow_started","experimentId":"e"}`, "experiment_id_invalid"},
		{
			"variant too long", `{` + flowHead + `,"name":"flow_started","variantId":"` + strings.Repeat("x", 257) + `"}`,
			"variant_id_invalid",
		},
		{"step of wrong type", `{` + flowHead + `,"name":"flow_started","stepId":7}`, "step_id_invalid"},
		{
			"classification", `{` + flowHead + `,"name":"text_submitted","fieldClassification":"secret"}`,
			"field_classification_invalid",
		},
		{
			"negative assignment", `{` + flowHead + `,"name":"flow_started","assignmentVersion":-1}`,
			"assignment_version_invalid",
		},
		{
			"assignment of wrong type", `{` + flowHead + `,"name":"flow_started","assignmentVersion":"1"}`,
			"assignment_version_invalid",
		},
		{"nested properties", `{` + flowHead + `,"name":"flow_started","properties":{"a":{"b":1}}}`, "properties_invalid"},
		{"list of numbers", `{` + flowHead + `,"name":"flow_started","properties":{"a":[1]}}`, "properties_invalid"},
		{"list in a list", `{` + flowHead + `,"name":"flow_started","properties":{"a":[["x"]]}}`, "properties_invalid"},
		{
			"custom properties", `{` + flowHead + `,"name":"flow_started","context":{"customProperties":{"a":{"b":1}}}}`,
			"context_invalid",
		},
		{
			"custom properties of wrong type", `{` + flowHead + `,"name":"flow_started","context":{"customProperties":7}}`,
			"context_invalid",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, reject := decodeFlowOne(t, tt.event)
			require.NotNil(t, reject)
			require.Equal(t, tt.code, reject.Code, reject.Message)
		})
	}
}

func TestPurchase(t *testing.T) {
	purchase := func(properties string) (string, *Reject) {
		e, reject := decodeFlowOne(t, `{`+flowHead+`,"name":"iap_purchase","properties":`+properties+`}`)
		return string(e.Properties), reject
	}
	base := `"provider":"stripe","surface_node_id":"n","product_id":"p"`
	for in, want := range map[string]string{
		`{` + base + `}`: `{"product_id":"p","provider":"stripe","surface_node_id":"n"}`,
		`{` + base + `,"price":9.99,"currency":"usd","price_usd":0.01,"fx_unavailable":true}`: `{"currency":"USD","fx_unavailable":false,"price":9.99,"price_usd":9.99,"product_id":"p","provider":"stripe","surface_node_id":"n"}`,
		`{` + base + `,"price":5,"currency":"Eur"}`:                                           `{"currency":"EUR","fx_unavailable":true,"price":5,"price_usd":null,"product_id":"p","provider":"stripe","surface_node_id":"n"}`,
		`{` + base + `,"price_usd":5}`:                                                        `{"product_id":"p","provider":"stripe","surface_node_id":"n"}`,
		`{` + base + `,"period_type":"trial","offering_id":null}`:                             `{"offering_id":null,"period_type":"trial","product_id":"p","provider":"stripe","surface_node_id":"n"}`,
	} {
		got, reject := purchase(in)
		require.Nil(t, reject, in)
		require.Equal(t, want, got)
	}
	for _, in := range []string{
		`{}`, `null`,
		`{"provider":"paypal","surface_node_id":"n","product_id":"p"}`,
		`{"provider":"stripe","surface_node_id":"","product_id":"p"}`,
		`{"provider":"stripe","surface_node_id":"n","product_id":"` + strings.Repeat("x", 257) + `"}`,
		`{` + base + `,"offering_id":5}`,
		`{` + base + `,"price":5}`,
		`{` + base + `,"currency":"USD"}`,
		`{` + base + `,"price":-1,"currency":"USD"}`,
		`{` + base + `,"price":"5","currency":"USD"}`,
		`{` + base + `,"price":5,"currency":"US1"}`,
		`{` + base + `,"price":5,"currency":"EURO"}`,
		`{` + base + `,"period_type":"weekly"}`,
	} {
		_, reject := purchase(in)
		require.NotNil(t, reject, in)
		require.Equal(t, CodePurchaseInvalid, reject.Code, in)
	}
}
