package ingest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/codeunit"
)

func bodySeeds(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `[]`, `null`, `{"events":[]}`, `{"events":[1,null,{}]}`,
		`{"events":[{"eventId":"1","name":"page_view","appUserId":"u","page":"/p","properties":{"a":[1,"\ud83d\ude00",{"b":null}]}}]}`,
		`{"identity":{"appUserId":"u"},"context":{"platform":"web","attribution":{"source":1,"organic":true}},"events":[{"eventId":"x","name":"n","timestamp":"2026-11-21T09:00:00Z"}]}`,
		`{"eventId":"1","name":"signup","identity":{"appUserId":"u"}}`,
		`{"events":[{` + flowHead + `,"name":"text_submitted","fieldClassification":"sensitive","properties":{"value":"secret"}}]}`,
		`{"events":[{` + flowHead + `,"name":"iap_purchase","properties":{"provider":"stripe","surface_node_id":"n","product_id":"p","price":1,"currency":"usd"}}]}`,
		`{"events":[{"eventId":7,"name":[],"appUserId":{}}]}`,
	} {
		f.Add([]byte(s))
	}
}

// checkProduct holds what is promised of every accepted event.
func checkProduct(t *testing.T, batch ProductBatch) {
	last := -1
	for _, e := range batch.Events {
		require.Greater(t, e.Index, last)
		last = e.Index
		require.NotEmpty(t, e.EventID)
		require.NotEmpty(t, e.Name)
		require.NotEmpty(t, e.AppUserID)
		require.NotEmpty(t, e.SessionID)
		require.LessOrEqual(t, codeunit.Count(e.Name), 120)
		require.LessOrEqual(t, codeunit.Count(e.Page), 2048)
		require.Zero(t, e.OccurredAt.Nanosecond()%1_000_000)
		require.LessOrEqual(t, rules.ReceivedAt.Sub(e.OccurredAt).Milliseconds(), rules.Window.Milliseconds())
		for _, text := range []string{
			e.EventID, e.Name, e.AppUserID, e.CustomUserID, e.SessionID, e.Page, e.Browser, e.OS, e.Device, e.AppVersion,
			e.Locale, e.Attribution.Source,
		} {
			require.True(t, utf8.ValidString(text) && !strings.Contains(text, "\x00"), "%q can't be stored", text)
		}
		checkCompact(t, e.Properties)
	}
	for _, r := range batch.Rejected {
		require.NotEmpty(t, r.Code)
		require.NotEmpty(t, r.Message)
	}
}

func checkCompact(t *testing.T, compact []byte) {
	if compact == nil {
		return
	}
	require.True(t, json.Valid(compact), "%q", compact)
	require.True(t, utf8.Valid(compact))
	require.LessOrEqual(t, codeunit.Count(string(compact)), maxPropertiesUnits)
	require.NotContains(t, string(compact), `\u0000`)
}

func FuzzDecodeProduct(f *testing.F) {
	bodySeeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		batch, err := DecodeProduct(body, rules)
		require.False(t, err == nil && !json.Valid(body), "a body that is not JSON was taken")
		checkProduct(t, batch)
	})
}

func FuzzDecodeTrack(f *testing.F) {
	bodySeeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		batch, err := DecodeTrack(body, rules)
		require.False(t, err == nil && !json.Valid(body), "a body that is not JSON was taken")
		checkProduct(t, batch)
	})
}

func FuzzDecodeFlow(f *testing.F) {
	bodySeeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		batch, err := DecodeFlow(body, rules)
		require.False(t, err == nil && !json.Valid(body), "a body that is not JSON was taken")
		for _, e := range batch.Events {
			checkCompact(t, e.Properties)
			checkCompact(t, e.CustomProperties)
			if e.Classification == "sensitive" && e.Properties != nil {
				var properties map[string]any
				require.NoError(t, json.Unmarshal(e.Properties, &properties))
				if value, ok := properties["value"]; ok {
					require.Equal(t, "__redacted__", value)
				}
			}
		}
	})
}

// FuzzCompactObject compares the compactor with the standard library.
func FuzzCompactObject(f *testing.F) {
	for _, s := range []string{
		`{}`, `{ "a" : [ 1 , -2.50e+3 , true , null ] }`, `{"\u00e9\ud83d\ude00\ud800":"\/\b\f\n\r\t\u001f\"\\"}`,
		"{\"\xff\":\"\xed\xa0\x80\"}", `{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}}}`, `{"a":1e999}`, `{"a":"\u0000"}`,
		`[]`, `"x"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return // the decoder has refused it before
		}
		compact, reject := compactObject("properties", raw)
		if reject != nil {
			require.NotEmpty(t, reject.Code)
			return
		}
		checkCompact(t, compact)
		var want, got any
		require.NoError(t, decodeExact(raw, &want))
		require.NoError(t, decodeExact(compact, &got))
		require.Equal(t, want, got)
		again, reject := compactObject("properties", compact)
		require.Nil(t, reject)
		require.Equal(t, string(compact), string(again))
	})
}

func decodeExact(raw []byte, into *any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
}
