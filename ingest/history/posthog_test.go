package history

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A line of each kind becomes the line beside it; an empty one is left out.
func TestLinesOfPostHogBecomeEvents(t *testing.T) {
	head := func(event, at, distinct string) string {
		return `{"uuid":"018F0000-0000-7000-8000-000000000001","event":"` + event + `","timestamp":"` + at +
			`","distinct_id":"` + distinct + `","team_id":3,"person_properties":{},"properties":`
	}
	const id = `{"eventId":"posthog:018f0000-0000-7000-8000-000000000001",`
	for name, c := range map[string]struct{ line, want string }{
		"a page view with everything": {
			head("$pageview", "2026-02-03T04:05:06.789000+00:00", "dev") + `{"$device_id":"dev","$session_id":"s1","$lib":"web",
				"$current_url":"https://shop.example/a?utm_source=x","$pathname":"/a","$host":"shop.example",
				"$referrer":"https://news.example/","$browser":"Mobile Safari","$os":"Mac OS X","$device_type":"Desktop",
				"$browser_language":"de-DE","$geoip_country_code":"DE","$geoip_subdivision_1_name":"Bavaria",
				"$geoip_city_name":"Ulm","$geoip_latitude":48.4,"$geoip_longitude":10,"utm_source":"x","utm_medium":"cpc",
				"gclid":null,"plan":"pro","token":"phc_x","distinct_id":"dev","$time":1}}`,
			id + `"name":"page_view","timestamp":"2026-02-03T04:05:06.789Z","screenName":"/a","appUserId":"dev","sessionId":"s1",
				"context":{"platform":"web","locale":"de-DE","browser":"Safari","os":"macOS","device":"desktop","attribution":{
				"source":"x","medium":"cpc","referrer":"https://news.example/","landingUrl":"https://shop.example/a?utm_source=x"}},
				"place":{"country":"DE","region":"Bavaria","city":"Ulm","latitude":48.4,"longitude":10},
				"properties":{"plan":"pro"}}`,
		},
		"the session's beginning wins, and a page of one's own is no referrer": {
			head("paid", "2026-02-03 04:05:06.5", "me") + `{"$device_id":"dev","$lib":"web","utm_source":"later",
				"$session_entry_url":"https://shop.example/","$session_entry_utm_source":"first",
				"$session_entry_referrer":"https://shop.example/old","$referrer":"https://news.example/","total":7.5}}`,
			id + `"name":"paid","timestamp":"2026-02-03T04:05:06.5Z","appUserId":"dev","customUserId":"me",
				"context":{"platform":"web","attribution":{"source":"first","landingUrl":"https://shop.example/"}},
				"properties":{"total":7.5}}`,
		},
		"a screen of an app, properties in a text, another zone": {
			head("$screen", "2026-02-03T01:30:00+05:30", "dev") +
				`"{\"$lib\":\"posthog-react-native\",\"$os\":\"iPadOS\",\"$screen_name\":\"Home\",\"$app_version\":\"2.1\",\"$device_type\":\"Tablet\",\"$user_id\":\"me\"}"}`,
			id + `"name":"screen_view","timestamp":"2026-02-02T20:00:00Z","screenName":"Home","appUserId":"dev","customUserId":"me",
				"context":{"platform":"ios","appVersion":"2.1","os":"iOS","device":"tablet"},"organicUnknown":true}`,
		},
		"a server's event without properties": {
			head("invoice paid", "2026-02-03T04:05:06Z", "me") + `null}`,
			id + `"name":"invoice paid","timestamp":"2026-02-03T04:05:06Z","appUserId":"me","context":{}}`,
		},
		"a page without a path, direct": {
			head("$pageview", "2026-02-03T04:05:06Z", "dev") +
				`{"$lib":"web","$current_url":"https://shop.example","$referrer":"$direct","$device_id":"$posthog_cookieless"}}`,
			id + `"name":"page_view","timestamp":"2026-02-03T04:05:06Z","screenName":"/","appUserId":"dev",
				"context":{"platform":"web","attribution":{"landingUrl":"https://shop.example"}}}`,
		},
		"half a position is none": {
			head("x", "2026-02-03T04:05:06Z", "dev") + `{"$geoip_country_code":"de","$geoip_latitude":1}}`,
			id + `"name":"x","timestamp":"2026-02-03T04:05:06Z","appUserId":"dev","context":{},"place":{"country":"DE"}}`,
		},
		"an answer of a feature flag": {head("$feature_flag_called", "2026-02-03T04:05:06Z", "dev") + `{}}`, ""},
	} {
		line, reject := PostHog.Convert([]byte(c.line), Reading{Started: began})
		require.Nil(t, reject, name)
		if c.want == "" {
			require.Nil(t, line, name)
			continue
		}
		require.JSONEq(t, c.want, lineOf(t, line), name)
	}
}

// What can't be converted names its field.
func TestBrokenLinesOfPostHogNameTheField(t *testing.T) {
	good := map[string]any{
		"uuid": "u1", "event": "x", "distinct_id": "d", "timestamp": "2026-02-03T04:05:06Z", "properties": map[string]any{},
	}
	for _, c := range []struct {
		field   string
		value   any
		code    string
		message string
	}{
		{"uuid", nil, "event_id_required", "uuid is required"},
		{"event", "", "name_required", "event is required"},
		{"distinct_id", nil, "app_user_id_required", "distinct_id is required"},
		{"timestamp", nil, "timestamp_required", "timestamp is required"},
		{"timestamp", 17, "event_invalid", "timestamp has the wrong type: number"},
		{"timestamp", "yesterday", "timestamp_invalid", "timestamp is not a date-time"},
		{"timestamp", "2026-03-01T12:00:00.001Z", "timestamp_invalid", "timestamp is in the future"},
		{"timestamp", "1999-12-31 23:59:59", "timestamp_invalid", "timestamp is before 2000"},
		{"properties", []int{1}, "properties_invalid", "properties is not a JSON object"},
		{"properties", "{", "properties_invalid", "properties is not a JSON object"},
	} {
		line := map[string]any{}
		for key, value := range good {
			line[key] = value
		}
		line[c.field] = c.value
		text, err := json.Marshal(line)
		require.NoError(t, err)
		converted, reject := PostHog.Convert(text, Reading{Started: began})
		require.Nil(t, converted, c.message)
		require.NotNil(t, reject, c.message)
		require.Equal(t, c.code, reject.Code)
		require.True(t, strings.HasPrefix(reject.Message, c.message), reject.Message)
	}
	for text, code := range map[string]string{`{"uuid`: "invalid_json", `[]`: "event_invalid", `"x"`: "event_invalid"} {
		_, reject := PostHog.Convert([]byte(text), Reading{Started: began})
		require.NotNil(t, reject, text)
		require.Equal(t, code, reject.Code, text)
	}
}

// Whatever a line is, it becomes JSON, a reject, or nothing.
func FuzzPostHogLine(f *testing.F) {
	f.Add(`{"uuid":"u","event":"$pageview","distinct_id":"d","timestamp":"2026-02-03T04:05:06Z","properties":{"$geoip_latitude":null}}`)
	f.Add(`{"uuid":"u","event":"x","distinct_id":"d","timestamp":"2026-02-03T04:05:06Z","properties":"{\"a\":1}"}`)
	f.Add(`{"properties":""}`)
	f.Fuzz(func(t *testing.T, line string) {
		converted, reject := PostHog.Convert([]byte(line), Reading{Started: began})
		require.False(t, converted != nil && reject != nil)
		require.True(t, converted == nil || json.Valid([]byte(lineOf(t, converted))))
	})
}
