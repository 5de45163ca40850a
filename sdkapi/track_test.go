package sdkapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
)

// bareEvents returns single events by the code that refuses each.
func bareEvents() map[string]string {
	with := func(members string) string {
		event := map[string]json.RawMessage{}
		for _, part := range []string{`"eventId":"bare","name":"add_to_cart","identity":{"appUserId":"dev-1"}`, members} {
			if err := json.Unmarshal([]byte("{"+part+"}"), &event); err != nil {
				panic(err) // an event is misspelt
			}
		}
		text, _ := json.Marshal(event)
		return string(text)
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	identity := func(members string) string { return with(`"identity":{"appUserId":"dev-1",` + members + `}`) }
	return map[string]string{
		ingest.CodeEventInvalid:        with(`"identity":7`),
		ingest.CodeEventIDRequired:     with(`"eventId":""`),
		ingest.CodeEventIDTooLong:      with(`"eventId":"` + long(201) + `"`),
		ingest.CodeEventIDInvalid:      with(`"eventId":"\u0000"`),
		ingest.CodeNameRequired:        with(`"name":" "`),
		ingest.CodeNameTooLong:         with(`"name":"` + long(121) + `"`),
		ingest.CodeNameInvalid:         with(`"name":"a\u0000"`),
		ingest.CodeTimestampInvalid:    with(`"timestamp":"yesterday"`),
		ingest.CodeEventTooOld:         with(`"timestamp":"2020-01-01T00:00:00Z"`),
		ingest.CodeAppUserIDRequired:   with(`"identity":{}`),
		ingest.CodeAppUserIDTooLong:    with(`"identity":{"appUserId":"` + long(257) + `"}`),
		ingest.CodeAppUserIDInvalid:    with(`"identity":{"appUserId":"\u0000"}`),
		ingest.CodeCustomUserIDTooLong: identity(`"customUserId":"` + long(257) + `"`),
		ingest.CodeCustomUserIDInvalid: identity(`"customUserId":7`),
		ingest.CodeSessionIDTooLong:    identity(`"sessionId":"` + long(257) + `"`),
		ingest.CodeSessionIDInvalid:    identity(`"sessionId":"\u0000"`),
		ingest.CodeScreenNameRequired:  with(`"name":"page_view"`),
		ingest.CodeScreenNameTooLong:   with(`"screenName":"` + long(2049) + `"`),
		ingest.CodeScreenNameInvalid:   with(`"screenName":"\u0000"`),
		ingest.CodePropertiesInvalid:   with(`"properties":[]`),
		ingest.CodePropertiesTooLarge:  with(`"properties":{"a":"` + long(32768) + `"}`),
		ingest.CodePropertiesTooDeep:   with(`"properties":{"a":` + strings.Repeat("[", 9) + strings.Repeat("]", 9) + `}`),
		ingest.CodeContextInvalid:      with(`"context":{"platform":"amiga"}`),
		ingest.CodeEventRefused:        with(`"name":"refused by the store"`),
		ingest.CodePersonErased:        with(`"name":"of an erased person"`),
	}
}

// Who sends one event looks at the status only; who sends a batch reads what
// became of each.
func TestABareEventThatIsRefusedIs400(t *testing.T) {
	w := newWorld(t)
	x := w.send("/v1/sdk/track", `{"eventId":"e","identity":{"appUserId":"dev-1"}}`)
	require.Equal(t, http.StatusBadRequest, x.status)
	require.Equal(t, ingest.CodeNameRequired, x.code())
	require.Contains(t, string(x.body), `"message":"name is required"`)

	good := fmt.Sprintf(
		`{"eventId":"f","name":"n","timestamp":%q,"identity":{"appUserId":"dev-1"}}`, time.Now().Format(time.RFC3339),
	)
	x = w.send("/v1/sdk/track", `{"events":[{"eventId":"e","identity":{"appUserId":"dev-1"}},`+good+`]}`)
	require.Equal(t, http.StatusOK, x.status)
	require.JSONEq(t, `{"accepted":true,"stored":1,"duplicates":0,"rejected":[
		{"index":0,"eventId":"e","code":"name_required","message":"name is required"}]}`, string(x.body))
}
