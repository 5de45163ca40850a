package history

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireReadAlike reads text into a Row by both, which have the same value or the same error.
func requireReadAlike[Row any](t *testing.T, text string) {
	t.Helper()
	var want, got Row
	wantErr, err := json.Unmarshal([]byte(text), &want), readRow([]byte(text), &got)
	require.Equal(t, want, got, text)
	if wantErr == nil {
		require.NoError(t, err, text)
		return
	}
	require.EqualError(t, err, wantErr.Error(), text)
}

var unusualRows = []string{
	ga4Line, `{"EVENT_NAME":"a","eventname":"b","event-name":"c"}`, `{"event_name":"a","event_name":"b"}`,
	`{"event_name":null,"event_params":null,"device":null,"items":[null,{"a":1,"a":2}],"user_properties":[null]}`,
	"{\"event_name\":\"a\xff\"}", `{"event_name":"\ud800"}`, `{"event_name":1}`, `{"event_timestamp":{}}`, `[]`, `{`, ``, `{}x`,
	`{"event_params":[{"key":"a","value":{"double_value":"1.5","float_value":1e3}},{"value":{"double_value":"x"}}]}`,
	`{"event_params":[{"key":"a","value":{"double_value":null,"string_value":null,"int_value":null}}]}`,
	`{"uuid":"u","event":"a","properties":null}`, `{"uuid":"u","event":"a","properties":{"a":null,"$b":[1, 2]}}`,
	`{"uuid":"u","event":2}`, `{"a":null,"b":" \u00e9"}`, `{"a":null,"A":1,"a":2}`, `{"visit":{"idVisit":7,"userid":true},"action":null}`,
	`{"visit":{"idVisit":"7"},"action":{ "type" : "goal", "revenue": 1.50 }}`,
}

// A row is read as encoding/json reads it, whatever it is.
func TestRowsAreReadAsByEncodingJSON(t *testing.T) {
	for _, text := range unusualRows {
		requireReadAlike[ga4Row](t, text)
		requireReadAlike[postHogRow](t, text)
		requireReadAlike[postHogMap](t, text)
		requireReadAlike[matomoLine](t, text)
		requireReadAlike[matomoAction](t, text)
		requireReadAlike[map[string]string](t, text)
	}
}

func FuzzRows(f *testing.F) {
	for _, text := range unusualRows {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		requireReadAlike[ga4Row](t, text)
		requireReadAlike[postHogMap](t, text)
		requireReadAlike[matomoLine](t, text)
	})
}
