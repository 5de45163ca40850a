package history

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ga4Line has the columns of the table that are of no use as well, as BigQuery writes them: whole numbers are texts.
const ga4Line = `{"event_date":"20260203","event_timestamp":"1770091506789012","event_name":"page_view","event_params":[
{"key":"page_location","value":{"string_value":"https://shop.example/a?utm_source=x"}},
{"key":"page_title","value":{"string_value":"Shop"}},{"key":"page_referrer","value":{"string_value":"https://news.example/"}},
{"key":"ga_session_id","value":{"int_value":"1770091500"}},{"key":"ga_session_number","value":{"int_value":"2"}},
{"key":"engagement_time_msec","value":{"int_value":"100"}},{"key":"price","value":{"double_value":9.5}},
{"key":"none","value":{}}],"event_bundle_sequence_id":"77","event_server_timestamp_offset":"1","user_id":"me",
"user_pseudo_id":"1026454.4271112504","privacy_info":{"analytics_storage":"Yes"},
"user_properties":[{"key":"plan","value":{"string_value":"pro","set_timestamp_micros":"1770091506789012"}}],
"user_first_touch_timestamp":"1770000000000000","device":{"category":"desktop","operating_system":"Macintosh",
"language":"de-de","web_info":{"browser":"Chrome","browser_version":"143.0","hostname":"shop.example"}},
"geo":{"continent":"Asia","country":"Türkiye","region":"(not set)","city":"Izmir"},
"traffic_source":{"name":"(direct)","medium":"(none)","source":"(direct)"},"stream_id":"2345","platform":"WEB",
"collected_traffic_source":{"manual_source":"x","manual_medium":"cpc","manual_campaign_name":"(not set)"},
"is_active_user":true,"batch_event_index":"1","batch_page_id":"1770091506000","batch_ordering_id":"1","items":[]}`

// Rows become events.
func TestRowsOfGA4BecomeEvents(t *testing.T) {
	converted, reject := GA4.Convert([]byte(ga4Line), Reading{Started: began})
	require.Nil(t, reject)
	require.JSONEq(t, `{"eventId":"ga4:b677882afe8e08741f673d9713e77436","name":"page_view",
		"timestamp":"2026-02-03T04:05:06.789012Z","screenName":"/a","appUserId":"1026454.4271112504","customUserId":"me",
		"sessionId":"1770091500","context":{"platform":"web","locale":"de-de","browser":"Chrome","os":"macOS",
		"device":"desktop","attribution":{"source":"x","medium":"cpc","referrer":"https://news.example/",
		"landingUrl":"https://shop.example/a?utm_source=x"},"customProperties":{"plan":"pro"}},
		"place":{"country":"TR","city":"Izmir"},"properties":{"page_title":"Shop","price":9.5}}`, lineOf(t, converted))
	for name, c := range map[string]struct{ line, want string }{
		"a screen of an app, with numbers as numbers": {
			`{"event_timestamp":1770091506000000,"event_name":"screen_view","user_pseudo_id":"a","platform":"ANDROID",
			"device":{"category":"mobile","operating_system":"ANDROID"},"app_info":{"version":"2.1"},"geo":{"country":"Atlantis"},
			"event_params":[{"key":"firebase_screen","value":{"string_value":"Home"}},{"key":"n","value":{"int_value":3}}]}`,
			`"name":"screen_view","timestamp":"2026-02-03T04:05:06Z","screenName":"Home","appUserId":"a",
			"context":{"platform":"android","appVersion":"2.1","os":"Android","device":"mobile"},"organicUnknown":true,
			"properties":{"n":3}}`,
		},
		"a click on a link to another site, of whom only the app knows": {
			`{"event_timestamp":"1770091506000000","event_name":"click","user_pseudo_id":null,"user_id":"me","event_params":[
			{"key":"outbound","value":{"string_value":"true"}},
			{"key":"link_url","value":{"string_value":"https://other.example/p?mail=a@b"}}]}`,
			`"name":"outbound_link","timestamp":"2026-02-03T04:05:06Z","appUserId":"me","customUserId":"me","context":{},
			"properties":{"outbound":"true","url":"https://other.example/p"}}`,
		},
		"a purchase": {
			`{"event_timestamp":"1770091506000000","event_name":"purchase","user_pseudo_id":"a","items":[{"item_id":"7"}]}`,
			`"name":"purchase","timestamp":"2026-02-03T04:05:06Z","appUserId":"a","context":{},
			"properties":{"items":[{"item_id":"7"}]}}`,
		},
	} {
		converted, reject := GA4.Convert([]byte(c.line), Reading{Started: began})
		require.Nil(t, reject, name)
		_, rest, _ := strings.Cut(lineOf(t, converted), ",")
		require.JSONEq(t, "{"+c.want, "{"+rest, name)
	}
}

// What says nothing of an act, or of nobody, is left out; what can't be read names its column.
func TestRowsOfGA4ThatAreNoEvents(t *testing.T) {
	for _, line := range []string{
		`{"event_name":"session_start","user_pseudo_id":"a"}`, `{"event_name":"page_view","event_timestamp":"1"}`,
	} {
		converted, reject := GA4.Convert([]byte(line), Reading{Started: began})
		require.Nil(t, converted)
		require.Nil(t, reject)
	}
	for line, want := range map[string]string{
		`{`: "invalid_json the line is not JSON", `7`: "event_invalid the line is not a JSON object",
		`{"event_name":1}`:                        "event_invalid event_name has the wrong type: number",
		`{"event_name":"x","event_timestamp":{}}`: "event_invalid event_timestamp has the wrong type: object or array",
		`{"user_pseudo_id":"a"}`:                  "name_required event_name is required",
		`{"event_name":"x","user_pseudo_id":"a"}`: "timestamp_required event_timestamp is required",
		`{"event_name":"x","user_pseudo_id":"a","event_timestamp":"soon"}`: "timestamp_invalid " +
			"event_timestamp is not a number of microseconds",
		`{"event_name":"x","user_pseudo_id":"a","event_timestamp":"1"}`: "timestamp_invalid event_timestamp is before 2000",
		`{"event_name":"x","user_pseudo_id":"a","event_timestamp":1890000000000000}`: "timestamp_invalid " +
			"event_timestamp is in the future",
	} {
		_, reject := GA4.Convert([]byte(line), Reading{Started: began})
		require.NotNil(t, reject, line)
		require.Equal(t, want, reject.Code+" "+reject.Message, line)
	}
}

// Rows that differ in anything that tells events apart have different ids, and the same row always the same.
func TestIDsOfGA4Rows(t *testing.T) {
	id := func(line string) string {
		converted, reject := GA4.Convert([]byte(line), Reading{Started: began})
		require.Nil(t, reject)
		id, _, _ := strings.Cut(lineOf(t, converted), ",")
		return id
	}
	require.Equal(t, id(ga4Line), id(strings.ReplaceAll(ga4Line, `"event_bundle_sequence_id":"77"`, `"event_bundle_sequence_id":77`)))
	seen := map[string]string{id(ga4Line): ""}
	for _, change := range [][2]string{
		{"4271112504", "4271112505"}, {"789012\",\"event_n", "789013\",\"event_n"}, {`"77"`, `"78"`}, {"9.5", "9.25"},
		{`"batch_event_index":"1"`, `"batch_event_index":"2"`}, {`"batch_page_id":"1`, `"batch_page_id":"2`},
		{`"event_name":"page_view"`, `"event_name":"view"`}, {`"user_id":"me"`, `"user_id":null`}, {`"Shop"`, `"Shops"`},
	} {
		require.Contains(t, ga4Line, change[0])
		changed := id(strings.Replace(ga4Line, change[0], change[1], 1))
		require.NotContains(t, seen, changed, change)
		seen[changed] = ""
	}
}

func TestCountriesHaveCodes(t *testing.T) {
	for name, want := range map[string]string{
		"Germany": "DE", "Turkey": "TR", "Hong Kong": "HK", "Bosnia & Herzegovina": "BA", "United States": "US", "": "",
	} {
		require.Equal(t, want, countryCodes()[name])
	}
	for name, code := range countryCodes() {
		require.Regexp(t, `^[A-Z]{2}$`, code)
		require.NotEmpty(t, name)
	}
}
