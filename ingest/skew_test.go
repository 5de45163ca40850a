package ingest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// sentWith decodes an event of the time on each path, in an envelope that was sent at another; it is nil when the
// event was rejected.
func sentWith(t require.TestingT, sentAt, timestamp string) map[Path]*time.Time {
	times := map[Path]*time.Time{}
	envelope := func(event string) []byte { return fmt.Appendf(nil, `{"sentAt":%s,"events":[%s]}`, sentAt, event) }
	for path, decode := range map[Path]func([]byte, Rules) (ProductBatch, error){
		PathProduct: DecodeProduct, PathTrack: DecodeTrack,
	} {
		batch, err := decode(envelope(`{"eventId":"1","name":"a","appUserId":"u","timestamp":"`+timestamp+`"}`), rules)
		require.NoError(t, err)
		for _, e := range batch.Events {
			times[path] = &e.OccurredAt
		}
	}
	batch, err := DecodeFlow(envelope(`{"eventId":"0197aa00-0000-4000-8000-000000000001","timestamp":"`+timestamp+`","name":"flow_started",
		"flowId":"11111111-1111-4111-8111-111111111111","versionId":"22222222-2222-4222-8222-222222222222","identity":{"appUserId":"u"}}`), rules)
	require.NoError(t, err)
	for _, e := range batch.Events {
		times[PathFlow] = &e.OccurredAt
	}
	return times
}

func TestClockSkewIsCorrected(t *testing.T) {
	cut := received.Truncate(time.Millisecond)
	at := func(text string) *time.Time {
		parsed, err := time.Parse(time.RFC3339Nano, text)
		require.NoError(t, err)
		return &parsed
	}
	for _, c := range []struct {
		what, sentAt, timestamp string
		want                    *time.Time
	}{
		{"no sentAt", `null`, "2026-11-21T09:00:00Z", at("2026-11-21T09:00:00Z")},
		{
			"a minute behind is the request's time", `"2026-11-21T09:59:00.123456789Z"`, "2026-11-21T09:00:00Z",
			at("2026-11-21T09:00:00Z"),
		},
		{"a minute ahead", `"2026-11-21T10:01:00.123456789Z"`, "2026-11-21T09:00:00Z", at("2026-11-21T09:00:00Z")},
		{"more than a minute behind", `"2026-11-21T09:59:00.123456788Z"`, "2026-11-21T09:00:00Z", at("2026-11-21T09:01:00Z")},
		{
			"more than a minute ahead", `"2026-11-21T10:01:00.123456790Z"`, "2026-11-21T09:00:00Z",
			at("2026-11-21T08:58:59.999Z"),
		},
		{"a wrong year", `"1970-01-01T02:00:00Z"`, "1970-01-01T01:00:00Z", at("2026-11-21T09:00:00.123Z")},
		{"a year to come", `"2099-11-21T02:00:00Z"`, "2099-11-21T01:00:00Z", at("2026-11-21T09:00:00.123Z")},
		{"the Buddhist year", `"2569-11-21T10:00:00Z"`, "2569-11-21T09:30:00Z", at("2026-11-21T09:30:00.123Z")},
		{"the first year", `"0001-01-01T00:10:00Z"`, "0001-01-01T00:00:00Z", at("2026-11-21T09:50:00.123Z")},
		{"the last year", `"9999-12-31T23:59:59Z"`, "9999-12-31T22:59:59Z", at("2026-11-21T09:00:00.123Z")},
		{"an offset", `"2026-11-21T11:00:00.123456789+02:00"`, "2026-11-21T10:00:00+02:00", at("2026-11-21T09:00:00Z")},
		// What is absurd after the correction falls to the rules of age.
		{"a right event of a clock that says to be in the past", `"1970-01-01T00:00:00Z"`, "2026-11-21T09:00:00Z", &cut},
		{"a right event of a clock that says to be in the future", `"2126-11-21T10:00:00Z"`, "2026-11-21T09:00:00Z", nil},
		{"old after the correction", `"2026-11-29T10:00:00Z"`, "2026-11-21T09:00:00Z", nil},
		{"the future of a clock that is behind", `"2020-01-01T00:00:00Z"`, "2020-01-01T00:05:01Z", &cut},
	} {
		got := sentWith(t, c.sentAt, c.timestamp)
		for _, path := range Paths {
			if c.want == nil {
				require.Nil(t, got[path], "%s, %s", c.what, path)
				continue
			}
			require.NotNil(t, got[path], "%s, %s", c.what, path)
			require.Equal(t, c.want.UTC(), *got[path], "%s, %s", c.what, path)
		}
	}
}

// However wrong a clock is, an event keeps its distance to the moment of sending; and no clock makes a time that
// the rules of age don't allow.
func TestAnyClockIsCorrected(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		clock := time.Unix(
			rapid.Int64Range(-62135596800+8*86400, 253402300799-8*86400).Draw(r, "clock"),
			rapid.Int64Range(0, 999).Draw(r, "ms")*1_000_000,
		).UTC()
		before := time.Duration(rapid.Int64Range(0, rules.Window.Milliseconds()).Draw(r, "before")) * time.Millisecond
		form := func(at time.Time) string { return at.Format(time.RFC3339Nano) }
		for _, at := range sentWith(r, `"`+form(clock)+`"`, form(clock.Add(-before))) {
			require.NotNil(r, at)
			if want := received.Add(-before); received.Sub(clock).Abs() > skewTolerance {
				require.Equal(r, want.Truncate(time.Millisecond), *at)
			}
		}
		other := time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(r, "other"), 0).UTC()
		for _, at := range sentWith(r, `"`+form(clock)+`"`, form(other)) {
			require.LessOrEqual(r, at.Sub(received), futureTolerance)
			require.LessOrEqual(r, received.Truncate(time.Millisecond).Sub(*at), rules.Window)
		}
	})
}

func TestBatchOfAWrongClockSaysSo(t *testing.T) {
	for sentAt, want := range map[string]bool{
		`"2026-11-21T10:00:00Z"`: false, `"2026-11-21T08:00:00Z"`: true, `null`: false, `""`: false,
	} {
		body := fmt.Appendf(nil, `{"sentAt":%s,"eventId":"1","name":"a","appUserId":"u"}`, sentAt)
		batch, err := DecodeTrack(body, rules)
		require.NoError(t, err)
		require.Len(t, batch.Events, 1)
		require.Equal(t, want, batch.Skewed, sentAt)
		require.Equal(
			t, received.Truncate(time.Millisecond), batch.Events[0].OccurredAt, "an event without a time has nothing to correct",
		)
	}
}

func TestSentAtThatCanNotBeRead(t *testing.T) {
	for _, sentAt := range []any{"yesterday", "2026-13-01T00:00:00Z", 1795255200, true, []string{}} {
		encoded, err := json.Marshal(
			map[string]any{"sentAt": sentAt, "events": []any{map[string]any{"eventId": "1", "name": "a", "appUserId": "u"}}},
		)
		require.NoError(t, err)
		_, productErr := DecodeProduct(encoded, rules)
		_, trackErr := DecodeTrack(encoded, rules)
		_, flowErr := DecodeFlow(encoded, rules)
		for _, err := range []error{productErr, trackErr, flowErr} {
			requireEnvelope(t, err, CodeInvalidBatch)
			require.Contains(t, err.Error(), "sentAt")
		}
	}
}
