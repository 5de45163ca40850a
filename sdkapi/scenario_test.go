package sdkapi_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/sdkapi"
)

// scenario is one request and the refusal, if any, that it must meet.
type scenario struct {
	name    string
	server  *httptest.Server
	sent    string
	status  int
	code    string
	changes []change
}

// servers are servers over one world that refuse for different reasons.
type servers struct {
	world                                 *world
	closed, pastDue, busyKey, busyAddress *httptest.Server
	// slow waits a moment for a body, full has no memory left for one.
	slow, full *httptest.Server
	// elsewhere has no role of any path.
	elsewhere *httptest.Server
}

func newServers(w *world) servers {
	limited := func(limits sdkapi.Limits) *httptest.Server {
		server := w.serve(sdkapi.Config{Limits: limits})
		w.sendTo(server, "/v1/sdk/resolve", resolveBody)
		return server
	}
	late := &delivery.Tenant{Plan: plan.Plan{PastDueSince: time.Now().Add(-time.Hour)}}
	bodies := bodylimit.New(0)
	most := bodies.Hold("another client")
	require.NoError(w.t, most.Resize(bodylimit.Smallest))
	return servers{
		world:     w,
		slow:      w.serveSlow(),
		full:      w.serve(sdkapi.Config{Bodies: bodies}),
		elsewhere: w.serve(sdkapi.Config{Roles: role.Set{role.Reports}}),
		closed: w.serve(
			sdkapi.Config{Gate: refusing{&sdkapi.Error{Status: 402, Code: "plan_limit_reached", Message: "full"}}},
		),
		pastDue:     w.serve(sdkapi.Config{Gate: refusing{(sdkapi.PlanGate{}).Refusal(w.t.Context(), late)}}),
		busyKey:     limited(sdkapi.Limits{PerKey: 1}),
		busyAddress: limited(sdkapi.Limits{PerAddress: 1}),
	}
}

// refusals returns the scenarios that every endpoint has, whatever its body.
func (s servers) refusals(fresh func() string, wrong change) []scenario {
	w := s.world
	return []scenario{
		{"accepted", w.server, fresh(), 200, "", nil},
		{"wrong method", w.server, fresh(), 405, "method_not_allowed", []change{wrong}},
		{"wrong method PUT", w.server, fresh(), 405, "method_not_allowed", []change{method("PUT")}},
		{"OPTIONS that is no preflight", w.server, fresh(), 405, "method_not_allowed", []change{method("OPTIONS")}},
		{"no key", w.server, fresh(), 401, "invalid_key", []change{without("Authorization")}},
		{"other scheme", w.server, fresh(), 401, "invalid_key", []change{header("Authorization", "Basic "+w.app.Live.Key)}},
		{"bare key", w.server, fresh(), 401, "invalid_key", []change{header("Authorization", w.app.Live.Key)}},
		{
			"unknown key", w.server, fresh(), 401, "invalid_key", []change{header("Authorization", "Bearer ob_pk_live_nothing")},
		},
		{"revoked key", w.server, fresh(), 401, "invalid_key", []change{header("Authorization", "Bearer "+w.app.Test.Key)}},
		{"busy key", s.busyKey, fresh(), 429, "rate_limited", nil},
		{"busy address", s.busyAddress, fresh(), 429, "rate_limited", nil},
		{"role", s.elsewhere, fresh(), 421, "misdirected_request", nil},
		{"plan", s.closed, fresh(), 402, "plan_limit_reached", nil},
		{"past due", s.pastDue, fresh(), 402, "subscription_past_due", nil},
	}
}

// headers returns the scenarios of endpoints that take a body of at most limit
// bytes, whether or not they read it.
func (s servers) headers(limit int, fresh func() string) []scenario {
	w := s.world
	huge := strings.Repeat("x", limit+1)
	return []scenario{
		{"no media type", w.server, fresh(), 200, "", []change{without("Content-Type")}},
		{
			"media type with parameters", w.server, fresh(), 200, "",
			[]change{header("Content-Type", "application/json; charset=UTF-8")},
		},
		{"too large by header", w.server, huge, 413, "payload_too_large", nil},
		{
			"form", w.server, fresh(), 415, "unsupported_media_type",
			[]change{header("Content-Type", "application/x-www-form-urlencoded")},
		},
		{"no media type at all", w.server, fresh(), 415, "unsupported_media_type", []change{header("Content-Type", ";;")}},
		{"unknown encoding", w.server, fresh(), 415, "unsupported_media_type", []change{header("Content-Encoding", "br")}},
	}
}

// bodies returns the scenarios of endpoints that read a body of at most limit bytes.
func (s servers) bodies(limit int, fresh func() string) []scenario {
	w, zipped := s.world, fresh()
	huge := `{"pad":"` + strings.Repeat("x", limit) + `"}`
	return append(s.headers(limit, fresh), []scenario{
		{"accepted gzip", w.server, zipped, 200, "", []change{encoded("gzip", zipped)}},
		{"empty body", w.server, "", 400, "invalid_json", nil},
		{"half a body", w.server, `{"identity":`, 400, "invalid_json", nil},
		{"two bodies", w.server, fresh() + fresh(), 400, "invalid_json", nil},
		{"no gzip", w.server, "x", 400, "invalid_json", []change{header("Content-Encoding", "gzip")}},
		{"no zstd", w.server, "x", 400, "invalid_json", []change{header("Content-Encoding", "zstd")}},
		{"too large in chunks", w.server, fresh(), 413, "payload_too_large", []change{chunked(huge)}},
		{"too large when inflated", w.server, fresh(), 413, "payload_too_large", []change{encoded("gzip", huge)}},
		{"too large when inflated, zstd", w.server, fresh(), 413, "payload_too_large", []change{encoded("zstd", huge)}},
		{"a body that does not come", s.slow, fresh(), 408, "request_timeout", []change{announced(100)}},
		{"no memory", s.full, fresh(), 503, "ingest_unavailable", []change{chunked(fresh() + strings.Repeat(" ", 5000))}},
	}...)
}

// run sends scenarios to a path and holds every exchange to the document.
func (c *contract) run(t *testing.T, w *world, path string, scenarios []scenario) {
	for _, s := range scenarios {
		t.Run(path+"/"+s.name, func(t *testing.T) {
			x := w.sendTo(s.server, path, s.sent, s.changes...)
			require.Equal(t, s.status, x.status, "%s", x.body)
			require.Equal(t, s.code, x.code(), "%s", x.body)
			c.check(t, x)
		})
	}
}

// origins proves that a path obeys the app's list of browser origins.
func (c *contract) origins(t *testing.T, w *world, path string, fresh func() string, changes ...change) {
	t.Run(path+"/origin", func(t *testing.T) {
		from := func(origin string) *exchange {
			return w.send(path, fresh(), append([]change{header("Origin", origin)}, changes...)...)
		}
		w.app.Exec(`update apps set allowed_origins = '["https://a.example"]' where id = $1`, w.app.ID)
		w.refresh()
		x := from("https://b.example")
		require.Equal(t, "origin_not_allowed", x.code())
		c.check(t, x)
		c.check(t, from("https://a.example"))
		w.app.Exec(`update apps set allowed_origins = '[]' where id = $1`, w.app.ID)
		w.refresh()
	})
}

// away proves that a path answers for a store that fails.
func (c *contract) away(
	t *testing.T, w *world, path string, fail func(error), codes map[error]string, fresh func() string, changes ...change,
) {
	t.Run(path+"/store away", func(t *testing.T) {
		for err, code := range codes {
			fail(err)
			x := w.send(path, fresh(), changes...)
			fail(nil)
			require.Equal(t, code, x.code(), fmt.Sprint(err))
			c.check(t, x)
		}
	})
}
