package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/postgres/pgtest"
)

// TestWhatValidationTakesTheDatabaseTakes sends strange but valid JSON: an event
// that is accepted must not be refused later, since that costs a bisection.
func TestWhatValidationTakesTheDatabaseTakes(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	var serial atomic.Int64
	runes := []rune{
		'a', ' ', 'é', '漢', '😀', '\u0001', '\u007f', '\u0085', '\u2028', '\ufeff', '\ufffe', '\uffff', '\U0010ffff', '"',
		'\\', '\'',
	}
	escapes := []string{
		`\ud800`, `\udc00\ud800`, `\ud83d\ude00`, `\u0001`, `\u001f`, `\/`, `\n`, `\uffff`, "\xff", "\xed\xa0\x80",
	}
	numbers := []string{
		"0", "-0", "1e308", "1e-300", "1E+10", "0.1e-5", strings.Repeat("9", 400), "-1." + strings.Repeat("3", 600),
		"1e-16000", "1e-400000", "1e400", "5e-324", "123456789012345678901234567890e-40",
		"0." + strings.Repeat("0", 20_000) + "1",
	}
	text := func(t *rapid.T, label string) string {
		raw, err := json.Marshal(rapid.StringOfN(rapid.SampledFrom(runes), 1, 12, -1).Draw(t, label))
		require.NoError(t, err)
		return string(raw[:len(raw)-1]) + rapid.SampledFrom(append(escapes, "")).Draw(t, label+" escape") + `x"`
	}
	rapid.Check(t, func(t *rapid.T) {
		id := serial.Add(1)
		event := fmt.Sprintf(`{"eventId":%s,"name":%s,"appUserId":%s,"sessionId":%s,"customUserId":%s,"page":%s,
			"context":{"browser":%s,"os":%s,"device":%s,"appVersion":%s,"locale":%s,"attribution":{"source":%s,"campaign":%s,"landingUrl":%s,"organic":true}},
			"properties":{%s:[%s,{%s:%s}],"n":%s}}`,
			strings.Replace(text(t, "id"), `"`, fmt.Sprintf(`"%d`, id), 1), text(t, "name"), text(t, "user"), text(t, "session"),
			text(t, "custom"), text(t, "page"),
			text(t, "browser"), text(t, "os"), text(t, "device"), text(t, "version"), text(t, "locale"), text(t, "source"),
			text(t, "campaign"), text(t, "landing"),
			text(t, "key"), text(t, "value"), text(t, "inner key"), rapid.SampledFrom(numbers).Draw(t, "number"), rapid.SampledFrom(numbers).Draw(t, "other number"))
		answer, err := w.Product(context.Background(), body(event), testOrigin())
		require.NoError(t, err)
		for _, r := range answer.Rejected {
			require.NotEqual(t, CodeEventRefused, r.Code, event)
		}
		require.Equal(t, 1, answer.Stored+len(answer.Rejected))
	})
}
