package ingest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An event of history is read as the line that it is as JSON, rejects included.
func TestAnEventOfHistoryIsReadAsItsLine(t *testing.T) {
	at := time.Date(2024, 2, 1, 10, 0, 0, 123_456_789, time.FixedZone("", 3600))
	latitude, longitude, beyond := 48.5, 10.25, 91.0
	object := func(members ...string) map[string]json.RawMessage {
		object := map[string]json.RawMessage{}
		for i := 0; i < len(members); i += 2 {
			object[members[i]] = json.RawMessage(members[i+1])
		}
		return object
	}
	of := func(change func(e *HistoryEvent)) *HistoryEvent {
		e := &HistoryEvent{EventID: "tool:1", Name: "x", Timestamp: at, AppUserID: "u"}
		change(e)
		return e
	}
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	for name, event := range map[string]*HistoryEvent{
		"nothing but what is needed": of(func(*HistoryEvent) {}),
		"everything": {
			EventID: "tool:2", Name: " page_view ", Timestamp: at, ScreenName: "/a%20b", AppUserID: "u", CustomUserID: "c",
			SessionID: "s", OrganicUnknown: true,
			Context: HistoryContext{
				Platform: "web", AppVersion: "1", Locale: "de-DE", Browser: "Chrome", OS: "macOS", Device: "desktop",
				Attribution: map[string]string{
					"source": "x", "acquisition.channel": "cpc", "organic": "true", "landingUrl": "https://a.example/?q=<&>", "own": "y",
					"b\"c": "z\x00", "campaign": strings.Repeat("é", 3000),
				},
				CustomProperties: object("plan", `"pro"`, "n", "1.50"),
			},
			Place:      &HistoryPlace{"DE", "Bavaria", "Ulm", &latitude, &longitude},
			Properties: object("b", ` { "z" : [1, 2.0, 1e3], "a" : "<\u00e9>" } `, "a", "null"),
		},
		"bytes that are not text": of(func(e *HistoryEvent) {
			e.Name, e.AppUserID, e.Context.Browser = "a\xff\xfeb", "u\xff", "\xc3"
			e.Context.Attribution = map[string]string{"source": "\xe9t\xe9"}
			e.Place = &HistoryPlace{Country: "DE", City: "M\xfcnchen"}
		}),
		"a page without a name":       of(func(e *HistoryEvent) { e.Name = NamePageView }),
		"no id":                       of(func(e *HistoryEvent) { e.EventID = "" }),
		"NUL in an id":                of(func(e *HistoryEvent) { e.CustomUserID = "a\x00" }),
		"no such platform":            of(func(e *HistoryEvent) { e.Context.Platform = "tv" }),
		"no such country":             of(func(e *HistoryEvent) { e.Place = &HistoryPlace{Country: "Germany"} }),
		"half a position":             of(func(e *HistoryEvent) { e.Place = &HistoryPlace{Country: "DE", Latitude: &latitude} }),
		"beyond the pole":             of(func(e *HistoryEvent) { e.Place = &HistoryPlace{"DE", "", "", &beyond, &longitude} }),
		"before 2000":                 of(func(e *HistoryEvent) { e.Timestamp = at.AddDate(-30, 0, 0) }),
		"after the import":            of(func(e *HistoryEvent) { e.Timestamp = at.AddDate(1, 0, 0) }),
		"properties too deep":         of(func(e *HistoryEvent) { e.Properties = object("a", deep) }),
		"properties too long":         of(func(e *HistoryEvent) { e.Properties = object("a", `"`+strings.Repeat("x", 40_000)+`"`) }),
		"NUL in a property":           of(func(e *HistoryEvent) { e.Properties = object("a", `"\u0000"`) }),
		"nested custom properties":    of(func(e *HistoryEvent) { e.Context.CustomProperties = object("a", `{"b":1}`) }),
		"empty maps say nothing":      of(func(e *HistoryEvent) { e.Properties, e.Context.Attribution = object(), map[string]string{} }),
		"an attribution that is long": of(func(e *HistoryEvent) { e.Context.Attribution = map[string]string{"own": strings.Repeat("x", 9000)} }),
	} {
		line, err := json.Marshal(event)
		require.NoError(t, err, name)
		for _, history := range []History{
			{EnvironmentID: 5, ReceivedAt: at.AddDate(0, 1, 0)},
			{EnvironmentID: 5, ReceivedAt: at.AddDate(0, 1, 0), Path: PathTrack, OrganicUnknown: true},
		} {
			want, wantID, wantReject := decodeHistory(line, history)
			got, id, reject := event.decode(history)
			require.Equal(t, wantReject, reject, name)
			require.Equal(t, wantID, id, name)
			require.Equal(t, want, got, name)
		}
	}
	_, id, reject := of(func(e *HistoryEvent) { e.Properties = object("a", "{") }).decode(History{ReceivedAt: at})
	require.Equal(t, "tool:1", id)
	require.Equal(t, CodeEventInvalid, reject.Code, "what is no JSON makes no line")
}
