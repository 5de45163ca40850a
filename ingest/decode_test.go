package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/session"
)

var (
	received = time.Date(2026, 11, 21, 10, 0, 0, 123_456_789, time.UTC)
	rules    = Rules{ReceivedAt: received, Window: 7 * 24 * time.Hour}
)

func decodeOne(t *testing.T, event string) (ProductEvent, *Reject) {
	t.Helper()
	batch, err := DecodeProduct([]byte(`{"events":[`+event+`]}`), rules)
	require.NoError(t, err)
	require.Equal(t, 1, len(batch.Events)+len(batch.Rejected))
	if len(batch.Rejected) == 1 {
		return ProductEvent{}, &batch.Rejected[0]
	}
	return batch.Events[0], nil
}

func TestDecodeProductFull(t *testing.T) {
	e, reject := decodeOne(t, `{ "eventId": "0197AA00-0000-7000-8000-000000000001", "name": "  page_view ", "timestamp": "2026-11-21T09:59:59.1239Z",
      "screenName": " /pricing ", "unknown": {"x": 1},
      "identity": { "appUserId": "dev-1", "customUserId": "user-9", "sessionId": "s-1" },
      "context": { "platform": "web", "appVersion": "1.4.0", "locale": "en-GB", "browser": "Safari", "os": "macOS", "device": "desktop",
                   "attribution": { "acquisition.source": "google", "attribution.isOrganic": false } },
      "properties": { "plan" : "pro", "n": [1, {"a": null}] } }`)
	require.Nil(t, reject)
	require.Equal(t, ProductEvent{
		EventID: "0197AA00-0000-7000-8000-000000000001",
		Key:     Key{0x01, 0x97, 0xaa, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1},
		Name:    "page_view", OccurredAt: time.Date(2026, 11, 21, 9, 59, 59, 123_000_000, time.UTC), Page: "/pricing",
		AppUserID: "dev-1", CustomUserID: "user-9", SessionID: "s-1",
		Platform: "web", AppVersion: "1.4.0", Locale: "en-GB", Browser: "Safari", OS: "macOS", Device: "desktop",
		Attribution: Attribution{Source: "google", Organic: session.OrganicFalse},
		Properties:  []byte(`{"plan":"pro","n":[1,{"a":null}]}`),
	}, e)
}

func TestDecodeProductDefaultsAndAliases(t *testing.T) {
	batch, err := DecodeProduct([]byte(`{
		"identity": {"appUserId": "shared", "sessionId": "ss", "customUserId": "sc"},
		"context": {"platform": "ios", "os": "iOS", "attribution": {"source": "envelope"}},
		"events": [
			{"eventId": "1", "name": "a"},
			{"eventId": "2", "name": "b", "appUserId": "flat", "sessionId": "fs", "customUserId": "fc", "occurredAt": "2026-11-21T08:00:00Z", "page": "/flat"},
			{"eventId": "3", "name": "c", "appUserId": "flat", "identity": {"appUserId": "nested"}, "context": {"platform": "web", "attribution": {"medium": "own"}}}
		]}`), rules)
	require.NoError(t, err)
	require.Empty(t, batch.Rejected)
	a, b, c := batch.Events[0], batch.Events[1], batch.Events[2]
	require.Equal(
		t, []string{"shared", "ss", "sc", "ios", "iOS", "envelope"},
		[]string{a.AppUserID, a.SessionID, a.CustomUserID, a.Platform, a.OS, a.Attribution.Source},
	)
	require.Equal(t, received.Truncate(time.Millisecond), a.OccurredAt, "no timestamp means the receive time")
	require.Equal(t, []string{"flat", "fs", "fc", "/flat"}, []string{b.AppUserID, b.SessionID, b.CustomUserID, b.Page})
	require.Equal(t, time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC), b.OccurredAt)
	require.Equal(t, []string{"nested", "web", "iOS"}, []string{c.AppUserID, c.Platform, c.OS})
	require.Equal(t, Attribution{Medium: "own"}, c.Attribution, "a snapshot is taken whole")
}

func TestDecodeProductWithoutSession(t *testing.T) {
	e, _ := decodeOne(t, `{"eventId":"1","name":"a","appUserId":"u","timestamp":"2026-11-20T23:30:00-02:00"}`)
	require.Equal(t, "day:2026-11-21", e.SessionID)
}

func TestDecodeTrackBareAndEnvelope(t *testing.T) {
	bare := `{"eventId":"1","name":"signup","identity":{"appUserId":"u"}}`
	for _, body := range []string{bare, `{"events":[` + bare + `]}`} {
		batch, err := DecodeTrack([]byte(body), rules)
		require.NoError(t, err)
		require.Len(t, batch.Events, 1)
		require.Equal(t, "u", batch.Events[0].AppUserID)
	}
	batch, err := DecodeTrack([]byte(`{"eventId":"1","name":7,"identity":{"appUserId":"u"}}`), rules)
	require.NoError(t, err)
	require.Equal(
		t, []Reject{{EventID: "1", Code: "name_invalid", Message: "name can't be a JSON number"}}, batch.Rejected,
	)
	_, err = DecodeProduct([]byte(bare), rules)
	requireEnvelope(t, err, CodeInvalidBatch)
}

func TestBodiesDoNotSeeEachOther(t *testing.T) {
	_, err := DecodeProduct([]byte(`{"identity":{"appUserId":"u","customUserId":"c"},"context":{"platform":"ios","attribution":{"source":"s"}},"events":[
		{"eventId":"a","name":"x","page":"/p","sessionId":"s","properties":{"secret":1}},{"eventId":"b","name":"y"}]}`), rules)
	require.NoError(t, err)
	for range 3 { // whatever list the pool gives
		batch, err := DecodeProduct([]byte(`{"events":[{"eventId":"d","name":"z","appUserId":"v"}]}`), rules)
		require.NoError(t, err)
		want := ProductEvent{
			EventID: "d", Key: keyOf("d"), Name: "z", AppUserID: "v", SessionID: "day:2026-11-21",
			OccurredAt: received.Truncate(time.Millisecond),
		}
		require.Equal(t, []ProductEvent{want}, batch.Events)
		batch, err = DecodeTrack([]byte(`{"eventId":"d","name":"z","appUserId":"v"}`), rules)
		require.NoError(t, err)
		require.Equal(t, []ProductEvent{want}, batch.Events)
		_, err = DecodeTrack([]byte(`{"events":[]}`), rules)
		requireEnvelope(t, err, CodeInvalidBatch)
	}
}

func requireEnvelope(t *testing.T, err error, code string) {
	t.Helper()
	var envelope *EnvelopeError
	require.True(t, errors.As(err, &envelope), "%v", err)
	require.Equal(t, code, envelope.Code, err)
	require.NotEmpty(t, envelope.Message)
}

func TestBadEnvelopes(t *testing.T) {
	one := `{"eventId":"1","name":"a","appUserId":"u"}`
	for body, code := range map[string]string{
		``:                                     CodeInvalidJSON,
		`{`:                                    CodeInvalidJSON,
		`{"events":[` + one + `]} x`:           CodeInvalidJSON,
		`{"events":[{"eventId":"1",}]}`:        CodeInvalidJSON,
		`null`:                                 CodeInvalidBatch,
		`[` + one + `]`:                        CodeInvalidBatch,
		`"x"`:                                  CodeInvalidBatch,
		`7`:                                    CodeInvalidBatch,
		`{}`:                                   CodeInvalidBatch,
		`{"events":null}`:                      CodeInvalidBatch,
		`{"events":[]}`:                        CodeInvalidBatch,
		`{"events":{}}`:                        CodeInvalidBatch,
		`{"events":"no"}`:                      CodeInvalidBatch,
		`{"context":7,"events":[` + one + `]}`: CodeInvalidBatch,
		`{"events":[` + strings.Repeat(one+",", 500) + one + `]}`:   CodeInvalidBatch,
		`{"events":[` + strings.Repeat(`{},`, 500) + `{"name":1}]}`: CodeInvalidBatch,
	} {
		_, err := DecodeProduct([]byte(body), rules)
		requireEnvelope(t, err, code)
		_, err = DecodeFlow([]byte(body), rules)
		if !strings.HasPrefix(body, `{"context"`) { // flow envelopes have no shared part
			requireEnvelope(t, err, code)
		}
	}
	batch, err := DecodeProduct([]byte(`{"events":[`+strings.Repeat(one+",", 499)+one+`]}`), rules)
	require.NoError(t, err)
	require.Len(t, batch.Events, 500)
}

func TestProductRejects(t *testing.T) {
	units := func(n int) string { return strings.Repeat("x", n) }
	properties := func(n int) string { return `{"a":"` + units(n-8) + `"}` }
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	tests := []struct{ name, event, code string }{
		{"not an object", `7`, "event_invalid"},
		{"a list", `[]`, "event_invalid"},
		{"no id", `{"name":"a","appUserId":"u"}`, "event_id_required"},
		{"id of wrong type", `{"eventId":5,"name":"a","appUserId":"u"}`, "event_id_invalid"},
		{"id with NUL", `{"eventId":"a\u0000","name":"a","appUserId":"u"}`, "event_id_invalid"},
		{"id of 200", `{"eventId":"` + units(200) + `","name":"a","appUserId":"u"}`, ""},
		{"id of 201", `{"eventId":"` + units(201) + `","name":"a","appUserId":"u"}`, "event_id_too_long"},
		{"no name", `{"eventId":"1","appUserId":"u"}`, "name_required"},
		{"blank name", `{"eventId":"1","name":" \t\ufeff","appUserId":"u"}`, "name_required"},
		{"name of 120", `{"eventId":"1","name":" ` + units(120) + ` ","appUserId":"u"}`, ""},
		{"name of 121", `{"eventId":"1","name":"` + units(121) + `","appUserId":"u"}`, "name_too_long"},
		{"60 emoji are 120 units", `{"eventId":"1","name":"` + strings.Repeat("😀", 60) + `","appUserId":"u"}`, ""},
		{
			"61 emoji are 122 units", `{"eventId":"1","name":"` + strings.Repeat("😀", 61) + `","appUserId":"u"}`,
			"name_too_long",
		},
		{"120 two-byte letters", `{"eventId":"1","name":"` + strings.Repeat("é", 120) + `","appUserId":"u"}`, ""},
		{"control character", `{"eventId":"1","name":"a\u0007b","appUserId":"u"}`, "name_invalid"},
		{"C1 control character", `{"eventId":"1","name":"a\u0085b","appUserId":"u"}`, "name_invalid"},
		{"no user", `{"eventId":"1","name":"a"}`, "app_user_id_required"},
		{"user of 256", `{"eventId":"1","name":"a","appUserId":"` + units(256) + `"}`, ""},
		{"user of 257", `{"eventId":"1","name":"a","appUserId":"` + units(257) + `"}`, "app_user_id_too_long"},
		{"user with NUL", `{"eventId":"1","name":"a","identity":{"appUserId":"u\u0000"}}`, "app_user_id_invalid"},
		{"user of wrong type", `{"eventId":"1","name":"a","identity":{"appUserId":true}}`, "app_user_id_invalid"},
		{
			"session of 257", `{"eventId":"1","name":"a","appUserId":"u","sessionId":"` + units(257) + `"}`,
			"session_id_too_long",
		},
		{"session of wrong type", `{"eventId":"1","name":"a","appUserId":"u","sessionId":{}}`, "session_id_invalid"},
		{
			"custom user of 257", `{"eventId":"1","name":"a","appUserId":"u","customUserId":"` + units(257) + `"}`,
			"custom_user_id_too_long",
		},
		{"view without page", `{"eventId":"1","name":"page_view","appUserId":"u"}`, "screen_name_required"},
		{
			"screen without name", `{"eventId":"1","name":"screen_view","appUserId":"u","screenName":"  "}`,
			"screen_name_required",
		},
		{"page of 2048", `{"eventId":"1","name":"page_view","appUserId":"u","page":"` + units(2048) + `"}`, ""},
		{
			"page of 2049", `{"eventId":"1","name":"page_view","appUserId":"u","page":"` + units(2049) + `"}`,
			"screen_name_too_long",
		},
		{"page with NUL", `{"eventId":"1","name":"page_view","appUserId":"u","page":"/\u0000"}`, "screen_name_invalid"},
		{"page of wrong type", `{"eventId":"1","name":"page_view","appUserId":"u","page":[]}`, "screen_name_invalid"},
		{"timestamp of wrong type", `{"eventId":"1","name":"a","appUserId":"u","timestamp":1795255200}`, "timestamp_invalid"},
		{"timestamp that is none", `{"eventId":"1","name":"a","appUserId":"u","timestamp":"yesterday"}`, "timestamp_invalid"},
		{"date only", `{"eventId":"1","name":"a","appUserId":"u","timestamp":"2026-11-21"}`, "timestamp_invalid"},
		{"exactly the window", `{"eventId":"1","name":"a","appUserId":"u","timestamp":"2026-11-14T10:00:00.123456789Z"}`, ""},
		{
			"a nanosecond older", `{"eventId":"1","name":"a","appUserId":"u","timestamp":"2026-11-14T10:00:00.123456788Z"}`,
			"event_too_old",
		},
		{"properties not an object", `{"eventId":"1","name":"a","appUserId":"u","properties":[1]}`, "properties_invalid"},
		{"properties null", `{"eventId":"1","name":"a","appUserId":"u","properties":null}`, ""},
		{"properties at the limit", `{"eventId":"1","name":"a","appUserId":"u","properties":` + properties(32768) + `}`, ""},
		{
			"properties over it", `{"eventId":"1","name":"a","appUserId":"u","properties":` + properties(32769) + `}`,
			"properties_too_large",
		},
		{
			"white space does not count",
			`{"eventId":"1","name":"a","appUserId":"u","properties":  {  "a" : 1 ` + strings.Repeat(" ", 40000) + `}}`, "",
		},
		{"depth 8", `{"eventId":"1","name":"a","appUserId":"u","properties":` + deep(8) + `}`, ""},
		{"depth 9", `{"eventId":"1","name":"a","appUserId":"u","properties":` + deep(9) + `}`, "properties_too_deep"},
		{"NUL in properties", `{"eventId":"1","name":"a","appUserId":"u","properties":{"a":"\u0000"}}`, "properties_invalid"},
		{
			"number out of range", `{"eventId":"1","name":"a","appUserId":"u","properties":{"a":1e400000}}`,
			"properties_invalid",
		},
		{
			"number too small", `{"eventId":"1","name":"a","appUserId":"u","properties":{"a":-1.5E-400000}}`,
			"properties_invalid",
		},
		{"zero with an exponent", `{"eventId":"1","name":"a","appUserId":"u","properties":{"a":0.0e-9}}`, ""},
		{
			"number of 2000 characters",
			`{"eventId":"1","name":"a","appUserId":"u","properties":{"a":0.` + strings.Repeat("3", 1998) + `}}`, "",
		},
		{
			"number of 2001 characters",
			`{"eventId":"1","name":"a","appUserId":"u","properties":{"a":0.` + strings.Repeat("3", 1999) + `}}`,
			"properties_invalid",
		},
		{"platform", `{"eventId":"1","name":"a","appUserId":"u","context":{"platform":"symbian"}}`, "context_invalid"},
		{
			"browser of 81", `{"eventId":"1","name":"a","appUserId":"u","context":{"browser":"` + units(81) + `"}}`,
			"context_invalid",
		},
		{"context of wrong type", `{"eventId":"1","name":"a","appUserId":"u","context":"web"}`, "context_invalid"},
		{
			"attribution value of wrong type",
			`{"eventId":"1","name":"a","appUserId":"u","context":{"attribution":{"source":["x"]}}}`, "context_invalid",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, reject := decodeOne(t, tt.event)
			if tt.code == "" {
				require.Nil(t, reject)
				return
			}
			require.NotNil(t, reject)
			require.Equal(t, tt.code, reject.Code, reject.Message)
			require.NotEmpty(t, reject.Message)
		})
	}
}

func TestBadEventsDoNotSinkTheBatch(t *testing.T) {
	batch, err := DecodeProduct([]byte(`{"identity":{"appUserId":"u"},"events":[
		{"eventId":"a","name":"x"}, 5, {"eventId":"c","name":{}}, {"eventId":"d"}, {"eventId":"e","name":"y"}]}`), rules)
	require.NoError(t, err)
	require.Equal(t, []int{0, 4}, []int{batch.Events[0].Index, batch.Events[1].Index})
	require.Equal(t, []Reject{
		{Index: 1, Code: "event_invalid", Message: "the event is not a JSON object"},
		{Index: 2, EventID: "c", Code: "name_invalid", Message: "name can't be a JSON object"},
		{Index: 3, EventID: "d", Code: "name_required", Message: "name is required"},
	}, batch.Rejected)
}

func TestEnvelopeFieldsThatAreNotSharedAreIgnored(t *testing.T) {
	batch, err := DecodeProduct(
		[]byte(`{"name":5,"eventId":[],"events":[{"eventId":"a","name":"x","appUserId":"u"}]}`), rules,
	)
	require.NoError(t, err)
	require.Len(t, batch.Events, 1)
	_, err = DecodeProduct(
		[]byte(`{"identity":{"appUserId":5},"events":[{"eventId":"a","name":"x","appUserId":"u"}]}`), rules,
	)
	requireEnvelope(t, err, CodeInvalidBatch)
	require.Contains(t, err.Error(), "identity.appUserId can't be a JSON number")
}

func TestTimestamps(t *testing.T) {
	cut := received.Truncate(time.Millisecond)
	for text, want := range map[string]time.Time{
		// exactly five minutes ahead
		"2026-11-21T10:05:00.123456789Z":      time.Date(2026, 11, 21, 10, 5, 0, 123_000_000, time.UTC),
		"2026-11-21T10:05:00.123456790Z":      cut,
		"2099-01-01T00:00:00Z":                cut,
		"2026-11-21T11:30:00.9999+01:30":      time.Date(2026, 11, 21, 10, 0, 0, 999_000_000, time.UTC),
		"2026-11-21t09:00:00z":                time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
		"2026-11-21T09:00:00.123456789012Z":   time.Date(2026, 11, 21, 9, 0, 0, 123_000_000, time.UTC),
		"2026-11-15T00:00:00.000000000-12:00": time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC),
	} {
		at, reject := rules.occurredAt(text)
		require.Nil(t, reject, text)
		require.Equal(t, want, at, text)
	}
}

func TestAttributionVectors(t *testing.T) {
	raw, err := os.ReadFile("../sdk/vectors/attribution-keys.json")
	require.NoError(t, err)
	var vectors []struct {
		Name        string
		Attribution json.RawMessage
		Columns     map[string]any
	}
	require.NoError(t, json.Unmarshal(raw, &vectors))
	require.NotEmpty(t, vectors)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			e, reject := decodeOne(
				t, fmt.Sprintf(`{"eventId":"1","name":"a","appUserId":"u","context":{"attribution":%s}}`, v.Attribution),
			)
			require.Nil(t, reject)
			require.Equal(t, v.Columns, attributionColumns(e.Attribution))
		})
	}
}

func TestAttributionIsClipped(t *testing.T) {
	e, reject := decodeOne(
		t,
		`{"eventId":"1","name":"a","appUserId":"u","context":{"appVersion":"`+strings.Repeat("v", 300)+`","attribution":{"source":"`+strings.Repeat("é", 3000)+`","medium":"c\u0000pc"}}}`,
	)
	require.Nil(t, reject)
	require.Equal(t, strings.Repeat("é", 2048), e.Attribution.Source)
	require.Equal(t, "cpc", e.Attribution.Medium)
	require.Len(t, e.AppVersion, 256)
}

func TestKeyOf(t *testing.T) {
	require.Equal(t, keyOf("0197aa00-0000-7000-8000-0000000000ff"), keyOf("0197AA00-0000-7000-8000-0000000000FF"))
	require.Equal(t, "00000000-0000-0000-0000-000000000000", keyOf("00000000-0000-0000-0000-000000000000").String())
	// Other spellings of a UUID are other ids.
	require.NotEqual(t, keyOf("0197aa00-0000-7000-8000-0000000000ff"), keyOf("{0197aa00-0000-7000-8000-0000000000ff}"))
	require.Equal(t, "ba7816bf-8f01-cfea-4141-40de5dae2223", keyOf("abc").String()) // SHA-256 of "abc", cut
}

// Names of pages are readable, whoever sends them: one page has one name.
func TestPageNamesAreReadable(t *testing.T) {
	for sent, want := range map[string]string{
		"/caf%C3%A9": "/café", "/caf%c3%a9": "/café", "/a%2fb": "/a%2Fb", "/%zz": "/%zz", "100%25": "100%25",
		"/%00": "/%00", "/" + strings.Repeat("%D0%B0", 400): "/" + strings.Repeat("а", 400),
	} {
		e, reject := decodeOne(t, fmt.Sprintf(`{"eventId":"1","name":"page_view","appUserId":"u","page":%q,
			"context":{"attribution":{"landingUrl":%q}}}`, sent, "https://a.example"+sent))
		require.Nil(t, reject, sent)
		require.Equal(t, want, e.Page)
		if strings.HasPrefix(sent, "/") {
			require.Equal(t, "https://a.example"+want, e.Attribution.Landing)
		}
	}
}
