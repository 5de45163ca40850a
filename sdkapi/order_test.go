package sdkapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/sdkapi"
)

// Each rung is one thing wrong with a request. A request that has this and every
// later thing wrong is refused for this one (wire.md §11).
func TestOrderOfChecks(t *testing.T) {
	w := newWorld(t)
	w.app.Exec(`update apps set allowed_origins = '["https://a.example"]' where id = $1`, w.app.ID)
	w.refresh()
	open := w.server
	// One server is out of requests and has its gate shut, one its gate only.
	shut := refusing{&sdkapi.Error{Status: 402, Code: "plan_limit_reached", Message: "full"}}
	gated := w.serve(sdkapi.Config{Gate: shut})
	busy := w.serve(sdkapi.Config{Gate: shut, Limits: sdkapi.Limits{PerAddress: 1}})
	w.sendTo(busy, "/v1/sdk/resolve", resolveBody)

	type rung struct {
		code  string
		paths string
		wrong change
	}
	all := "/v1/sdk/resolve /v1/sdk/resolve-all /v1/sdk/events /v1/sdk/analytics/events " +
		"/v1/sdk/track " + identify + " " + billing + " " + attempts
	channels := "/v1/sdk/resolve /v1/sdk/events " + attempts
	rungs := []rung{
		{"method_not_allowed", all, method("DELETE")},
		{"payload_too_large", all, announced(20<<20 + 1)},
		{"unsupported_media_type", all, header("Content-Type", "text/html")},
		{"invalid_key", all, header("Authorization", "Bearer unknown")},
		{"origin_not_allowed", all, header("Origin", "https://b.example")},
		{"rate_limited", all, nil},
		{"plan_limit_reached", all, nil},
		{"channel_required", channels, without("X-Svc-Channel")},
		{"channel_not_found", channels, header("X-Svc-Channel", "ch_live_nothing")},
		{"channel_archived", "/v1/sdk/resolve", channel(w.archived)},
		{"payload_too_large", all, chunked(strings.Repeat(" ", 20<<20) + "!")},
		{"invalid_json", all, body("{")},
		{"channel_unassigned", "/v1/sdk/resolve", channel(w.unassigned)},
	}
	for _, path := range strings.Fields(all) {
		for i, first := range rungs {
			if !strings.Contains(first.paths+" ", path+" ") {
				continue
			}
			server := open
			switch {
			case first.code == "plan_limit_reached":
				server = gated
			case i <= 5:
				server = busy
			}
			var changes []change
			for j := len(rungs) - 1; j >= i; j-- { // the first rung has the last word
				// A text body of the right type must be sent for 413 to be seen alone.
				if rungs[j].wrong == nil || rungs[j].code == "unsupported_media_type" && first.code == "payload_too_large" {
					continue
				}
				changes = append(changes, rungs[j].wrong)
			}
			t.Run(path+"/"+first.code, func(t *testing.T) {
				sent := oneEvent(path)
				if strings.HasPrefix(path, "/v1/sdk/resolve") {
					sent = resolveBody
				}
				x := w.sendTo(server, path, sent, changes...)
				require.Equal(t, first.code, x.code(), "%s", x.body)
			})
		}
	}
}
