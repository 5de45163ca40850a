package sdkapi

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/codeunit"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/revenue"
)

func FuzzDecodeResolve(f *testing.F) {
	for _, seed := range []string{
		`{"identity":{"appUserId":"dev-1"}}`, `{"userId":"u"}`, `{"appUserId":"u","variantId":"b"}`, `{}`, `[]`, `null`,
		`{"identity":null}`,
		`{"identity":{"appUserId":"u","customUserId":"","sessionId":null},"context":{"platform":"web","customProperties":{"a/b~":[1],"c":1}}}`,
		`{"appUserId":"a","identity":{"appUserId":"b","sessionId":"s"},"userId":"c","variantId":"d","context":{"platform":"ios"}}`,
		`{"userId":"a","userId":"b"}`, `{"userId":"a","Userid":"b"}`, ` { "userId" : "a" , "platform":"web" } `,
		`{"userId":"a",}`, `{"userId":"a"}x`,
		`{"identity":{"appUserId":"\ud800"}}`, `{"userId":"` + "\x00" + `"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		request, refusal := decodeResolve(data)
		if plain, ok := decodePlain(data); ok {
			require.Nil(t, refusal, "plain, but refused")
			require.Equal(t, request, plain)
		}
		if refusal == nil {
			require.NotEmpty(t, request.AppUserID)
			require.LessOrEqual(t, codeunit.Count(request.AppUserID), maxUserID)
			require.True(t, json.Valid(data))
			return
		}
		checkRefusal(t, data, refusal)
		recorder := httptest.NewRecorder()
		writeError(recorder, refusal)
		var answer errorBody
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &answer))
		require.Equal(t, refusal.Code, answer.Error)
	})
}

// callWith returns a call whose body is data.
func callWith(data []byte) *call {
	return &call{body: payload{request: httptest.NewRequest("POST", "/", bytes.NewReader(data)), limit: int64(len(data))}}
}

// checkRefusal proves that a refusal of a body can be shown.
func checkRefusal(t *testing.T, data []byte, refusal *Error) {
	t.Helper()
	require.Equal(t, 400, refusal.Status)
	require.NotEmpty(t, refusal.Message)
	if refusal.Code == codeInvalidRequest {
		require.NotEmpty(t, refusal.Fields)
		require.True(t, json.Valid(data))
	}
}

func FuzzCheckoutAttempt(f *testing.F) {
	const id = "0197aa00-0000-7000-8000-000000000001"
	f.Add(
		[]byte(
			`{"flowId":"` + id + `","versionId":"` + id + `","surfaceId":"s","appUserId":"u","paymentLinkUrl":"https://buy.stripe.com/x","attribution":{"a":1,"b":"\ud800","c":true}}`,
		),
	)
	f.Add([]byte(`{"flowId":"x","experimentId":"","attribution":[],"channelId":"other"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := callWith(data)
		var body attemptBody
		refusal := c.decodeRecord(&body)
		if refusal == nil {
			var attempt revenue.NewAttempt
			if attempt, refusal = body.attempt("ch"); refusal == nil {
				require.NotEmpty(t, attempt.AppUserID)
				require.True(t, manifest.IsPaymentLink(attempt.PaymentLinkURL))
				require.NotContains(t, attempt.AppUserID+attempt.SurfaceID+attempt.VariantID, "\x00")
				if attempt.Attribution != nil {
					var flat map[string]any
					require.NoError(t, json.Unmarshal(attempt.Attribution, &flat))
				}
				return
			}
		}
		checkRefusal(t, data, refusal)
	})
}

func FuzzIdentify(f *testing.F) {
	f.Add(
		[]byte(
			`{"appUserId":"u","email":"a@b.de","marketingConsent":"granted","topicConsents":{"t":"denied"},"attributes":{"country":"de","x":1,"y":null,"z":"\ud83d\ude00"}}`,
		),
	)
	f.Add(
		[]byte(
			`{"appUserId":"u","firstName":" ","timezone":"Europe/Berlin","attributes":{"first_name":"x","timezone":"?","phone":7}}`,
		),
	)
	f.Add([]byte(`{"appUserId":"u","emailMarketingConsent":"granted","customUserId":"","attributes":{"a":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := callWith(data)
		var body identifyBody
		var change people.Change
		refusal := c.decodeRecord(&body)
		if refusal == nil {
			change, refusal = body.change()
		}
		if refusal != nil {
			checkRefusal(t, data, refusal)
			return
		}
		require.NotEmpty(t, change.AppUserID)
		require.LessOrEqual(t, codeunit.Count(change.CustomUserID), 200)
		if change.Email != "" {
			require.NotEmpty(t, change.MarketingConsent)
		}
		if change.MarketingConsent == people.Granted {
			require.NotEmpty(t, change.Email)
		}
		require.LessOrEqual(t, len(change.Attributes), people.MaxAttributes)
		for name, value := range change.Attributes {
			var scalar any
			require.NoError(t, json.Unmarshal(value, &scalar))
			require.NotContains(t, name+string(value), "\x00")
		}
		for _, text := range []*string{
			change.Profile.FirstName, change.Profile.Phone, change.Profile.Country, change.Profile.Timezone,
		} {
			if text != nil {
				require.NotContains(t, *text, "\x00")
			}
		}
	})
}

func FuzzBillingIdentity(f *testing.F) {
	f.Add([]byte(`{"appUserId":"u","provider":"revenuecat","externalId":"e"}`))
	f.Add([]byte(`{"appUserId":"","provider":7}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := callWith(data)
		var body billingBody
		refusal := c.decodeRecord(&body)
		if refusal == nil {
			refusal = checkTags(&body)
		}
		if refusal != nil {
			checkRefusal(t, data, refusal)
			return
		}
		require.Contains(t, []string{"revenuecat", "superwall"}, body.Provider)
		require.LessOrEqual(t, codeunit.Count(body.AppUserID), 200)
		require.LessOrEqual(t, codeunit.Count(body.ExternalID), 256)
	})
}

func TestFieldErrorsNameEveryField(t *testing.T) {
	_, refusal := decodeResolve(
		[]byte(
			`{"identity":{"sessionId":""},"platform":"x","context":{"customProperties":{"a/b~c":{}},"os":"` + string(
				bytes.Repeat([]byte("x"), 81),
			) + `"}}`,
		),
	)
	var pointers []string
	for _, field := range refusal.Fields {
		pointers = append(pointers, field.Pointer)
	}
	require.Equal(
		t,
		[]string{
			"/identity/appUserId", "/identity/sessionId", "/platform", "/context/os", "/context/customProperties/a~1b~0c",
		},
		pointers,
	)

	_, refusal = decodeResolve([]byte(`{"identity":{"appUserId":[]}}`))
	require.Equal(
		t, []FieldError{{Pointer: "/identity/appUserId", Code: "type", Message: "identity.appUserId can't be a JSON array"}},
		refusal.Fields,
	)
}

// What the SDKs send is plain; anything else is left to the other decoder.
func TestDecodePlain(t *testing.T) {
	for body, want := range map[string]string{
		`{"identity":{"appUserId":"dev-1"}}`:                                                                                             "dev-1",
		`{"identity":{"appUserId":"dev-1"},"context":{"locale":"de"}}`:                                                                   "dev-1",
		`{"identity":{"appUserId":"d"},"context":{"platform":"web","locale":"en-GB","appVersion":"1.4.0"}}`:                              "d",
		"{\n  \"userId\": \"u\",\n  \"locale\": \"en\"\n}":                                                                               "u",
		`{"userId":"u","appUserId":"a"}`:                                                                                                 "a",
		`{"userId":"u","identity":{"appUserId":"i","customUserId":"c","sessionId":"s"},"context":{"browser":"b","os":"o","device":"d"}}`: "i",
	} {
		request, plain := decodePlain([]byte(body))
		require.True(t, plain, body)
		require.Equal(t, want, request.AppUserID)
	}
	for _, body := range []string{
		``, `{}`, `{"userId":""}`, `{"userId":"a","userId":"b"}`, `{"userId":"\u0041"}`, `{"userId":"ü"}`, `{"userId":7}`,
		`{"userId":"a"`, `{"userId":"a`,
		`{"userId":"a","platform":"amiga"}`, `{"userId":"a","more":"x"}`, `{"userId":"a"}{}`, `{"userId":"a","context":{}}`,
		`{"locale":"de"}`,
		`{"userId":"` + string(bytes.Repeat([]byte("x"), 257)) + `"}`, `{"userId" "a"}`, `[]`,
		`{"identity":{"identity":{"appUserId":"a"}}}`,
	} {
		_, plain := decodePlain([]byte(body))
		require.False(t, plain, body)
	}
}
