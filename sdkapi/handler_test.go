package sdkapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/sdkapi"
)

func TestUnknownPath(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{
		"/v1/sdk/nothing", "/v1/sdk/", "/v1/sdk/resolve/", "/v1/sdk/Resolve", "/v1/" + strings.Repeat("x", 4000),
	} {
		x := w.send(path, resolveBody)
		require.Equal(t, http.StatusNotFound, x.status)
		require.Equal(t, "not_found", x.code())
		requestIDOf(t, x.body)
		require.Less(t, len(x.body), 500)
	}
}

func TestResolveAnswer(t *testing.T) {
	w := newWorld(t)
	plain := w.send("/v1/sdk/resolve", resolveBody)
	require.Equal(t, http.StatusOK, plain.status)
	require.Equal(t, fmt.Sprintf(`"1-%s"`, w.versions[0].ID), plain.header.Get("ETag"))
	require.Empty(t, plain.header.Get("Content-Encoding"))
	var d delivery.Document
	require.NoError(t, json.Unmarshal(plain.body, &d))
	require.Equal(t, w.versions[0].ID, d.VersionID)
	require.Equal(t, w.pinned.PublicID, d.ChannelID)

	for accept, compressed := range map[string]bool{
		"gzip": true, "br, gzip;q=0.5": true, "*": true, "GZIP": true, "x-gzip": true, "gzip; q=1": true,
		"": false, "br": false, "gzip;q=0": false, "gzip;q=0.000, *": false, "*;q=0": false, "identity": false,
	} {
		x := w.send("/v1/sdk/resolve", resolveBody, header("Accept-Encoding", accept))
		require.Equal(t, plain.header.Get("ETag"), x.header.Get("ETag"), "compression leaves the tag alone")
		require.Equal(t, "Accept-Encoding", x.header.Get("Vary"))
		if !compressed {
			require.Equal(t, plain.body, x.body, accept)
			continue
		}
		require.Equal(t, "gzip", x.header.Get("Content-Encoding"), accept)
		require.Less(t, len(x.body), len(plain.body))
		reader, err := gzip.NewReader(bytes.NewReader(x.body))
		require.NoError(t, err)
		text, err := io.ReadAll(reader)
		require.NoError(t, err)
		require.Equal(t, plain.body, text)
	}

	unmodified := w.send("/v1/sdk/resolve", resolveBody, header("If-None-Match", plain.header.Get("ETag")))
	require.Equal(t, http.StatusNotModified, unmodified.status)
	require.Empty(t, unmodified.body)
	require.Equal(t, plain.header.Get("ETag"), unmodified.header.Get("ETag"))
}

// Each person gets the arm of the golden rule, and only that arm's tag is 304.
func TestResolveExperiment(t *testing.T) {
	w := newWorld(t)
	tags := map[string]string{}
	for i := range 30 {
		user := fmt.Sprintf("user-%d", i)
		sent := fmt.Sprintf(`{"identity":{"appUserId":%q},"userId":"somebody-else"}`, user)
		x := w.send("/v1/sdk/resolve", sent, channel(w.running))
		var d delivery.Document
		require.NoError(t, json.Unmarshal(x.body, &d))
		want := w.experiment.Expected(user)
		require.Equal(t, want.Key, d.Experiment.VariantKey)
		tags[want.Key] = x.header.Get("ETag")
		for key, tag := range tags {
			again := w.send("/v1/sdk/resolve", sent, channel(w.running), header("If-None-Match", tag))
			require.Equal(t, key == want.Key, again.status == http.StatusNotModified)
		}
		twin := w.send("/v1/sdk/resolve", sent, channel(w.twins))
		again := w.send("/v1/sdk/resolve", sent, channel(w.twins), header("If-None-Match", twin.header.Get("ETag")))
		require.Equal(t, http.StatusOK, again.status, "two arms on one version")
	}
	require.Len(t, tags, 2)
}

// An experiment is split by device: those of one signed-in person may be in different arms, and a device keeps its own
// when the person becomes known, whoever that is.
func TestASignedInPersonKeepsTheArmOfEachDevice(t *testing.T) {
	w, seen := newWorld(t), map[string]int{}
	for i := range 8 {
		device := fmt.Sprintf("device-%d", i)
		want := w.experiment.Expected(device).Key
		seen[want]++
		for _, identity := range []string{
			`{"appUserId":%q}`, `{"appUserId":%q,"customUserId":"ada"}`, `{"appUserId":%q,"customUserId":"grace"}`,
		} {
			x := w.send("/v1/sdk/resolve", `{"identity":`+fmt.Sprintf(identity, device)+`}`, channel(w.running))
			var d delivery.Document
			require.NoError(t, json.Unmarshal(x.body, &d))
			require.Equal(t, want, d.Experiment.VariantKey, "%s as %s", device, identity)
		}
	}
	require.Len(t, seen, 2, "both arms")
}

// resolve-all has what resolve would answer for each channel, and leaves out
// what it would refuse.
func TestResolveAll(t *testing.T) {
	w := newWorld(t)
	var list struct{ Channels []json.RawMessage }
	x := w.send("/v1/sdk/resolve-all", resolveBody)
	require.NoError(t, json.Unmarshal(x.body, &list))
	require.Empty(t, x.header.Get("ETag"))
	var want []string
	for _, c := range []deliverytest.Channel{w.pinned, w.second, w.running, w.twins} {
		want = append(want, string(w.send("/v1/sdk/resolve", resolveBody, channel(c)).body))
	}
	var got []string
	for _, entry := range list.Channels {
		got = append(got, string(entry))
		var d delivery.Document
		require.NoError(t, json.Unmarshal(entry, &d))
	}
	require.Equal(t, want, got)

	compressed := w.send("/v1/sdk/resolve-all", resolveBody, header("Accept-Encoding", "gzip"))
	reader, err := gzip.NewReader(bytes.NewReader(compressed.body))
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, x.body, text)

	empty := w.send("/v1/sdk/resolve-all", resolveBody, header("Authorization", "Bearer "+w.app.Test.Key))
	require.Equal(t, `{"channels":[]}`, string(empty.body))
}

// served records who was noted, as "person arm".
type served struct{ people []string }

func (s *served) Note(arm *delivery.Arm, appUserID string) {
	s.people = append(s.people, fmt.Sprint(appUserID, " ", arm.ExperimentID, " ", arm.Position))
}

// Whoever is given an arm by bucketing is noted, by a 304 too; an arm that was forced, a pinned version and a refusal
// note nobody.
func TestResolveNotesWhoIsGivenAnArm(t *testing.T) {
	w, noted := newWorld(t), &served{}
	stores := w.stores()
	stores.Served = noted
	server := httptest.NewServer(sdkapi.New(w.catalogue, stores, sdkapi.Config{}).Handler())
	w.keep(server)
	w.server = server
	expected := fmt.Sprint("ada ", w.experiment.ID, " ", slices.IndexFunc(w.experiment.Arms, func(arm deliverytest.Arm) bool {
		return arm.ID == w.experiment.Expected("ada").ID
	}))
	body := `{"userId":"ada"}`
	answer := w.send("/v1/sdk/resolve", body, channel(w.running))
	require.Equal(t, []string{expected}, noted.people)
	again := w.send("/v1/sdk/resolve", body, channel(w.running), header("If-None-Match", answer.header.Get("ETag")))
	require.Equal(t, http.StatusNotModified, again.status)
	require.Equal(t, []string{expected, expected}, noted.people)

	noted.people = nil
	forced := w.send("/v1/sdk/resolve", `{"userId":"ada","variantId":"a"}`, channel(w.running))
	require.Equal(t, http.StatusOK, forced.status)
	for _, c := range []deliverytest.Channel{w.pinned, w.archived, w.unassigned, w.draft, w.versionless} {
		w.send("/v1/sdk/resolve", body, channel(c))
	}
	require.Empty(t, noted.people)
	w.send("/v1/sdk/resolve-all", body)
	require.Len(t, noted.people, 2, "of the channels that serve an experiment")
	require.Contains(t, noted.people, expected)
	w.experiment.Status("pending_decision")
	w.refresh()
	noted.people = nil
	w.send("/v1/sdk/resolve", body, channel(w.running))
	require.Equal(t, []string{expected}, noted.people, "traffic goes on until somebody decides")
}

// Resolving and prefetching hand nothing to the event store.
func TestPrefetchLeavesNoTrace(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.send("/v1/sdk/resolve-all", resolveBody)
		w.send("/v1/sdk/resolve", resolveBody, channel(w.running))
	}
	require.Nil(t, w.events.last.Load())
}

func TestCrossOrigin(t *testing.T) {
	w := newWorld(t)
	w.app.Exec(`update apps set allowed_origins = '["https://a.example"]' where id = $1`, w.app.ID)
	w.refresh()
	for _, path := range []string{
		"/v1/sdk/resolve", "/v1/sdk/resolve-all", "/v1/sdk/events", "/v1/sdk/track", "/v1/sdk/analytics/events",
	} {
		preflight := w.send(path, "", method(http.MethodOptions), header("Origin", "https://b.example"), header(
			"Access-Control-Request-Method", "POST",
		),
			header(
				"Access-Control-Request-Headers", "authorization,content-encoding,content-type,if-none-match,x-svc-channel",
			), without("Authorization"))
		require.Equal(t, http.StatusNoContent, preflight.status)
		require.Equal(t, "*", preflight.header.Get("Access-Control-Allow-Origin"), "a preflight can't see the key")
		require.Equal(t, "7200", preflight.header.Get("Access-Control-Max-Age"))
		require.Equal(
			t, "authorization,content-encoding,content-type,if-none-match,x-svc-channel",
			preflight.header.Get("Access-Control-Allow-Headers"),
		)
		require.Empty(t, preflight.header.Get("Access-Control-Allow-Credentials"))

		refused := w.send(path, resolveBody, header("Origin", "https://b.example"))
		require.Equal(t, "origin_not_allowed", refused.code())
		require.Equal(t, "*", refused.header.Get("Access-Control-Allow-Origin"), "the refusal is readable")
		for _, origin := range []string{"null", "https://a.example:8443", "http://a.example", "https://A.example"} {
			require.Equal(t, "origin_not_allowed", w.send(path, resolveBody, header("Origin", origin)).code())
		}
		require.NotEqual(t, "origin_not_allowed", w.send(path, resolveBody, header("Origin", "https://a.example")).code())
		require.NotEqual(t, "origin_not_allowed", w.send(path, resolveBody).code(), "apps send no origin")
	}
	exposed := w.send(
		"/v1/sdk/resolve", resolveBody, header("Origin", "https://a.example"),
	).header.Get("Access-Control-Expose-Headers")
	for _, name := range []string{"Etag", "Retry-After", "X-Request-Id"} {
		require.Contains(t, exposed, name)
	}
}

// An outer handler's request id is the one that clients read.
func TestRequestIDOfOuterHandler(t *testing.T) {
	w := newWorld(t)
	handler := sdkapi.New(w.catalogue, w.stores(), sdkapi.Config{}).Handler()
	recorder := httptest.NewRecorder()
	recorder.Header().Set("X-Request-Id", "outer-request-id")
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/v1/sdk/resolve", nil))
	require.Equal(t, "outer-request-id", requestIDOf(t, recorder.Body.Bytes()))
}

func TestUnexpectedErrorIsLoggedWithItsRequest(t *testing.T) {
	w := newWorld(t)
	var log bytes.Buffer
	server := w.serve(sdkapi.Config{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	err := fmt.Errorf("the disk is %s", "odd")
	w.events.fail.Store(&err)
	x := w.sendTo(server, "/v1/sdk/track", oneEvent("/v1/sdk/track"))
	require.Equal(t, http.StatusInternalServerError, x.status)
	require.NotContains(t, string(x.body), "odd")
	require.Contains(t, log.String(), "odd")
	require.Contains(t, log.String(), requestIDOf(t, x.body))
	require.NotContains(t, log.String(), w.app.Live.Key)
}

// What the request says of its sender reaches the event store; what anybody
// could claim does not.
func TestOrigin(t *testing.T) {
	w := newWorld(t)
	ask := func(server *httptest.Server, changes ...change) {
		changes = append(changes, header("User-Agent", "UA/1"), header("Cf-Ipcountry", "DE"))
		x := w.sendTo(server, "/v1/sdk/events", oneEvent("/v1/sdk/events"), changes...)
		require.Equal(t, http.StatusOK, x.status, "%s", x.body)
	}
	ask(w.server, header("X-Forwarded-For", "203.0.113.9"))
	origin := w.events.last.Load()
	require.Equal(t, w.app.Live.ID, origin.EnvironmentID)
	require.Equal(t, w.pinned.ID, origin.ChannelID)
	require.Equal(t, "UA/1", origin.UserAgent)
	require.Equal(t, "127.0.0.1", origin.ClientAddr.String(), "no proxy is trusted")
	require.Nil(t, origin.Header)
	require.False(t, origin.Test)
	require.False(t, origin.KeepCrawlers)
	require.False(t, origin.ReceivedAt.IsZero())

	w.app.Exec("update apps set ignore_bots = false where id = $1", w.app.ID)
	w.refresh()
	trusting := w.serve(
		sdkapi.Config{
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")},
		},
	)
	for forwarded, want := range map[string]string{
		"203.0.113.9":                    "203.0.113.9",
		"198.51.100.1, 203.0.113.9":      "203.0.113.9",
		"203.0.113.9, 10.1.2.3":          "203.0.113.9",
		"203.0.113.9:4711, 10.1.2.3":     "203.0.113.9",
		"[2001:db8::1]:443":              "2001:db8::1",
		"2001:db8::1":                    "2001:db8::1",
		"::ffff:203.0.113.9":             "203.0.113.9",
		"203.0.113.9, unknown, 10.1.2.3": "10.1.2.3",
		"10.0.0.1, 10.0.0.2":             "10.0.0.1",
		"":                               "127.0.0.1",
		"garbage":                        "127.0.0.1",
	} {
		ask(trusting, header("X-Forwarded-For", forwarded), header("Authorization", "Bearer "+w.app.Live.Key))
		origin := w.events.last.Load()
		require.Equal(t, want, origin.ClientAddr.String(), forwarded)
		require.Equal(t, "DE", origin.Header.Get("Cf-Ipcountry"), "a trusted proxy's headers are handed on")
		require.True(t, origin.KeepCrawlers)
	}
	testing := w.app.Test.Channel()
	w.refresh()
	ask(w.server, header("Authorization", "Bearer "+w.app.Test.Key), channel(testing))
	require.True(t, w.events.last.Load().Test)
}

func TestRateLimitPerSubject(t *testing.T) {
	w := newWorld(t)
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	perAddress := w.serve(sdkapi.Config{Limits: sdkapi.Limits{PerAddress: 2}, TrustedProxies: proxies})
	from := func(address string) *exchange {
		return w.sendTo(perAddress, "/v1/sdk/resolve", resolveBody, header("X-Forwarded-For", address))
	}
	for range 2 {
		require.Equal(t, http.StatusOK, from("203.0.113.1").status)
		require.Equal(t, http.StatusOK, from("2001:db8:0:1::1").status)
	}
	refused := from("203.0.113.1")
	require.Equal(t, "rate_limited", refused.code())
	require.Equal(t, "10", refused.header.Get("Retry-After"))
	require.Equal(t, "rate_limited", from("2001:db8:0:1:ffff::2").code(), "a /64 is one client")
	require.Equal(t, http.StatusOK, from("2001:db8:0:2::1").status)
	require.Equal(t, http.StatusOK, from("203.0.113.2").status)

	perKey := w.serve(sdkapi.Config{Limits: sdkapi.Limits{PerKey: 2}})
	for range 2 {
		require.Equal(t, http.StatusOK, w.sendTo(perKey, "/v1/sdk/resolve", resolveBody).status)
	}
	require.Equal(
		t, "rate_limited", w.sendTo(perKey, "/v1/sdk/resolve-all", resolveBody).code(), "all paths count together",
	)
	other := header("Authorization", "Bearer "+w.app.Test.Key)
	require.Equal(t, http.StatusOK, w.sendTo(perKey, "/v1/sdk/resolve-all", resolveBody, other).status)
}

// A body arrives at the event store as it was before it was compressed.
func TestCompressedBodies(t *testing.T) {
	w := newWorld(t)
	for _, coding := range []string{"gzip", "x-gzip", "zstd", "identity", "GZIP"} {
		sent := oneEvent("/v1/sdk/analytics/events")
		changes := []change{header("Content-Encoding", coding)}
		if coding != "identity" {
			packing := strings.TrimPrefix(strings.ToLower(coding), "x-")
			changes = []change{encoded(packing, sent), header("Content-Encoding", coding)}
		}
		x := w.send("/v1/sdk/analytics/events", sent, changes...)
		require.Equal(t, http.StatusOK, x.status, "%s %s", coding, x.body)
		require.Equal(t, sent, string(*w.events.body.Load()))
	}
}

// A retry with the same ids is acknowledged as such.
func TestEventAnswer(t *testing.T) {
	w := newWorld(t)
	sent := oneEvent("/v1/sdk/track")
	require.JSONEq(
		t, `{"accepted":true,"stored":1,"duplicates":0,"rejected":[]}`, string(w.send("/v1/sdk/track", sent).body),
	)
	require.JSONEq(
		t, `{"accepted":true,"stored":0,"duplicates":1,"rejected":[]}`, string(w.send("/v1/sdk/track", sent).body),
	)
}

// Traffic of either environment pauses when a payment is late for longer than
// the grace, and goes on once it is there.
func TestPlanGateOfLatePayments(t *testing.T) {
	w := newWorld(t)
	w.app.Exec(`insert into plans (key, name, features, limits) values ('small', 'Small', '[]', '{"live_mau": 400}')`)
	w.app.Exec(
		"insert into subscriptions (id, plan_id, workspace_id) values (gen_random_uuid(), 'small', $1)", w.app.WorkspaceID,
	)
	w.refresh()
	strict := w.serve(sdkapi.Config{Gate: sdkapi.PlanGate{}})
	patient := w.serve(sdkapi.Config{Gate: sdkapi.PlanGate{Grace: time.Hour}})
	status := func(server *httptest.Server, changes ...change) int {
		return w.sendTo(server, "/v1/sdk/resolve-all", resolveBody, changes...).status
	}
	require.Equal(t, http.StatusOK, status(strict))
	w.app.Exec(
		"update subscriptions set status = 'past_due', past_due_since = now() - interval '1 minute' where workspace_id = $1",
		w.app.WorkspaceID,
	)
	w.refresh()
	require.Equal(t, http.StatusPaymentRequired, status(strict))
	require.Equal(t, http.StatusPaymentRequired, status(strict, header("Authorization", "Bearer "+w.app.Test.Key)))
	require.Equal(t, http.StatusOK, status(patient), "within the grace period")
	w.app.Exec("update subscriptions set status = 'active' where workspace_id = $1", w.app.WorkspaceID)
	w.refresh()
	require.Equal(t, http.StatusOK, status(strict))
}
