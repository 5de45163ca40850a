package sdkapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/sdkapi"
)

// A request that is refused by its headers is answered before its body comes:
// here none does.
func TestHeadersAreCheckedBeforeTheBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.app.Exec(`update apps set allowed_origins = '["https://a.example"]' where id = $1`, w.app.ID)
	w.refresh()
	gated := w.serve(
		sdkapi.Config{Gate: refusing{&sdkapi.Error{Status: 402, Code: "plan_limit_reached", Message: "full"}}},
	)
	busy := w.serve(sdkapi.Config{Limits: sdkapi.Limits{PerKey: 1}})
	w.sendTo(busy, "/v1/sdk/resolve", resolveBody)
	for _, length := range []int64{1 << 20, -1} {
		for code, x := range map[string]*exchange{
			"invalid_key":        w.send("/v1/sdk/events", "", announced(length), without("Authorization")),
			"origin_not_allowed": w.send("/v1/sdk/events", "", announced(length), header("Origin", "https://b.example")),
			"rate_limited":       w.sendTo(busy, "/v1/sdk/events", "", announced(length)),
			"plan_limit_reached": w.sendTo(gated, "/v1/sdk/events", "", announced(length)),
			"channel_required":   w.send("/v1/sdk/events", "", announced(length), without("X-Svc-Channel")),
			"channel_not_found":  w.send("/v1/sdk/events", "", announced(length), header("X-Svc-Channel", "ch_live_nothing")),
		} {
			require.Equal(t, code, x.code(), "%s", x.body)
		}
	}
}

// Whoever is refused all the time is limited like everybody else.
func TestRefusedRequestsCountForTheAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.app.Exec(`update apps set allowed_origins = '["https://a.example"]' where id = $1`, w.app.ID)
	w.refresh()
	for name, refused := range map[string]change{
		"invalid_key":            header("Authorization", "Bearer ob_pk_live_nobody"),
		"origin_not_allowed":     header("Origin", "https://b.example"),
		"unsupported_media_type": header("Content-Type", "text/html"),
	} {
		server := w.serve(sdkapi.Config{Limits: sdkapi.Limits{PerAddress: 3}})
		for range 3 {
			require.Equal(t, name, w.sendTo(server, "/v1/sdk/resolve", resolveBody, refused).code())
		}
		require.Equal(t, "rate_limited", w.sendTo(server, "/v1/sdk/resolve", resolveBody).code())
		require.Equal(t, name, w.sendTo(server, "/v1/sdk/resolve", resolveBody, refused).code(), "its own reason comes first")
	}
}

func TestAnOriginThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(
		t, http.StatusOK,
		w.send("/v1/sdk/resolve", resolveBody, header("Origin", "https://"+strings.Repeat("a", 253)+".example:8443")).status,
	)
	x := w.send("/v1/sdk/resolve", resolveBody, header("Origin", "https://"+strings.Repeat("a", 3000)))
	require.Equal(t, http.StatusForbidden, x.status)
	require.Equal(t, "origin_not_allowed", x.code())
}

// What is wrong with a body is named up to a number of fields that somebody may
// read.
func TestARefusalNamesAFewFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var members []string
	for i := range 5000 {
		members = append(members, fmt.Sprintf(`"k%d":[]`, i))
	}
	x := w.send("/v1/sdk/resolve", `{"userId":"u","context":{"customProperties":{`+strings.Join(members, ",")+`}}}`)
	require.Equal(t, "invalid_request", x.code())
	require.Equal(t, 50, strings.Count(string(x.body), `"pointer"`))
}
