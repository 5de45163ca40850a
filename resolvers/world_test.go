package resolvers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/store"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive/exports"
	"github.com/svc-dev/svc/ingest/history/uploads"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/resolvers"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/receive"
	"github.com/svc-dev/svc/studio"
	"github.com/svc-dev/svc/studio/media"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/svc-dev/svc/automation/webhook"
)

const password = "correct horse"

// world is a server on a fresh database with a workspace and somebody of every
// role in it.
type world struct {
	t         *testing.T
	db        *postgres.DB
	accounts  *account.Accounts
	studio    *studio.Studio
	catalogue *delivery.Catalogue
	writer    *ingest.Writer
	streams   service.Loops
	server    *httptest.Server
	log       *logBuffer
	reads     *atomic.Int64 // of the store of reports
	now       time.Time     // the studio's clock, when it is set
	mails     *bymail.Mails
	scheduled *scheduledreport.Reports
	exports   *exports.Exports
	logger    *slog.Logger

	workspace string
	people    map[string]*client
}

// operatorKey is the secret of who runs the server.
const operatorKey = "0123456789abcdef0123456789abcdef"

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, db: pgtest.New(t), log: &logBuffer{}, reads: &atomic.Int64{}, people: map[string]*client{}}
	ctx := context.Background()
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	ring, err := seal.NewRing(seal.Key{ID: "test", Secret: make([]byte, seal.KeySize)})
	require.NoError(t, err)
	w.catalogue = delivery.New(w.db.Pool, delivery.Options{MediaBase: "http://svc.test", Ring: ring, Logger: logger})
	require.NoError(t, w.catalogue.RefreshAll(ctx))
	files, err := media.NewDirectory(t.TempDir())
	require.NoError(t, err)
	w.accounts = account.New(w.db.Ent(), w.db.Pool, account.Options{OperatorKey: operatorKey, Logger: logger})
	ledger := revenue.New(w.db.Pool, revenue.Options{})
	w.studio = studio.New(w.db.Ent(), studio.Options{
		Delivery: w.catalogue, Media: files, Privacy: privacy.New(w.db), Logger: logger, Now: w.clock,
		Books: ledger, Ring: ring, Notifications: w.db.Pool,
		Webhooks: receive.New(receive.Deps{Pool: w.db.Pool, Ledger: ledger, Ring: ring}),
	})
	w.writer, err = ingest.New(w.db, ingest.Settings{StatsEvery: 50 * time.Millisecond}, ingest.Deps{Logger: logger})
	require.NoError(t, err)
	require.NoError(t, w.writer.Start(ctx))
	t.Cleanup(func() { require.NoError(t, w.writer.Stop(ctx)) })
	reports := store.New(w.db.Pool, store.Settings{MaxAge: time.Nanosecond, MembersFor: time.Nanosecond, Logger: logger})
	require.NoError(t, reports.Start(context.Background()))
	t.Cleanup(func() { require.NoError(t, reports.Stop(context.Background())) })
	automations, err := automation.New(w.db, automation.Options{
		Sender: webhook.NewSender(webhook.Options{}), Ring: ring, Logger: logger,
	})
	require.NoError(t, err)
	links, err := bymail.NewLinks(ctx, w.db.Pool, "http://svc.test")
	require.NoError(t, err)
	w.mails, w.logger = &bymail.Mails{Pool: w.db.Pool, Accounts: w.accounts, Links: links}, logger
	w.scheduled = &scheduledreport.Reports{
		Pool: w.db.Pool, Accounts: w.accounts, Mails: w.mails, Ring: ring, BaseURL: "http://svc.test", Now: w.clock,
		Poster: webhook.NewSender(webhook.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
	}
	w.exports = &exports.Exports{
		Pool: w.db.Pool, Ring: ring, Logger: logger,
		Transport: webhook.NewTransport([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}),
	}
	at := w.db.Pool.Config().ConnConfig
	graphql := resolvers.NewHandler(
		resolvers.Deps{
			Automations: automations, Mails: w.mails, ScheduledReports: w.scheduled,
			Imports: &uploads.Uploads{DB: w.db, HitLimit: 100, Logger: logger},
			Exports: w.exports,
			DB:      w.db, Accounts: w.accounts, Studio: w.studio, Reports: countedReports{reports, w.reads},
			Streams:      &w.streams,
			SQLHost:      net.JoinHostPort(at.Host, strconv.Itoa(int(at.Port))),
			PastDueGrace: 14 * 24 * time.Hour,
			Logger:       logger, Now: w.clock,
		},
	)
	mux := http.NewServeMux()
	mux.Handle("/graphql", graphql)
	mux.Handle("/media/", media.Handler(files, logger))
	w.server = httptest.NewServer(
		httpserver.Observe(mux, slog.New(slog.DiscardHandler), httpserver.NewMetrics(prometheus.NewRegistry())),
	)
	t.Cleanup(w.server.Close)

	_, err = w.accounts.Bootstrap(ctx, "owner@example.com", password, "Acme")
	require.NoError(t, err)
	w.people["anonymous"] = w.client()
	owner := w.client()
	owner.signIn("owner@example.com")
	w.people["owner"] = owner
	w.workspace = owner.text(
		`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, "viewer", "workspaces", "nodes", 0, "workspace",
		"id",
	)
	return w
}

// countedReports counts how often the store of reports is read: by a scope's
// reports together, or by the live report.
type countedReports struct {
	resolvers.Reports
	reads *atomic.Int64
}

func (c countedReports) Select(
	ctx context.Context, environmentID int64, scope analytics.Scope, withPrevious, withRuns bool, now time.Time,
) (*report.Selection, error) {
	c.reads.Add(1)
	return c.Reports.Select(ctx, environmentID, scope, withPrevious, withRuns, now)
}

func (c countedReports) Live(
	ctx context.Context, environmentID int64, platform string, segment *analytics.Segment, page report.Page, now time.Time,
) (*report.Live, error) {
	c.reads.Add(1)
	return c.Reports.Live(ctx, environmentID, platform, segment, page, now)
}

func (c countedReports) SegmentView(
	ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time,
) (*frame.View, *report.Members, error) {
	c.reads.Add(1)
	return c.Reports.SegmentView(ctx, environmentID, segment, now)
}

// logBuffer keeps the server's log, which several requests write at once.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// clock returns the server's clock; tests move it by hand.
func (w *world) clock() time.Time {
	if w.now.IsZero() {
		return time.Now()
	}
	return w.now
}

// as returns somebody by role: owner, admin, editor, viewer, anonymous, or stranger,
// an admin of another workspace. They are made when a test needs them, because
// every password costs its hash.
func (w *world) as(role string) *client {
	w.t.Helper()
	if who, there := w.people[role]; there {
		return who
	}
	if role != "stranger" {
		w.people[role] = w.invite(role+"@example.com", role)
		return w.people[role]
	}
	ctx := context.Background()
	host, err := w.accounts.PrincipalOf(ctx, "owner@example.com")
	require.NoError(w.t, err)
	elsewhere, err := w.accounts.CreateWorkspace(account.With(ctx, host), "Elsewhere")
	require.NoError(w.t, err)
	host, err = w.accounts.PrincipalOf(ctx, "owner@example.com")
	require.NoError(w.t, err)
	invitation, err := w.accounts.Invite(account.With(ctx, host), elsewhere.ID, "stranger@example.com", account.Admin)
	require.NoError(w.t, err)
	w.people[role] = w.client()
	w.people[role].setUp(invitation.SetupToken)
	return w.people[role]
}

// invite makes a member over the API, with the set-up link.
func (w *world) invite(email, role string) *client {
	w.t.Helper()
	token := w.as("owner").text(
		`mutation($w: ID!, $e: String!, $r: Role!) { inviteMember(input: {workspaceId: $w, email: $e, role: $r}) { setupToken } }`,
		vars{"w": w.workspace, "e": email, "r": upper(role)}, "inviteMember", "setupToken")
	c := w.client()
	c.setUp(token)
	return c
}

func upper(s string) string { return string(bytes.ToUpper([]byte(s))) }

type vars map[string]any

// client is one browser, or one program with a key.
type client struct {
	w    *world
	http *http.Client
	key  string
}

func (w *world) client() *client {
	jar, err := cookiejar.New(nil)
	require.NoError(w.t, err)
	return &client{w: w, http: &http.Client{Jar: jar}}
}

// keyed returns a program with a new API key of the given owner.
func (w *world) keyed(maker string, scopes ...string) *client {
	w.t.Helper()
	secret := w.as(maker).text(
		`mutation($w: ID!, $s: [Capability!]!) { createApiKey(input: {workspaceId: $w, name: "test", scopes: $s}) { secret } }`,
		vars{"w": w.workspace, "s": enumNames(scopes)}, "createApiKey", "secret")
	return &client{w: w, http: &http.Client{}, key: secret}
}

// enumNames turns capabilities as the documentation writes them into values of the enum: analytics:read is
// ANALYTICS_READ.
func enumNames(capabilities []string) (names []string) {
	for _, capability := range capabilities {
		names = append(names, strings.ToUpper(strings.ReplaceAll(capability, ":", "_")))
	}
	return names
}

func (c *client) signIn(email string) {
	c.w.t.Helper()
	c.must(
		`mutation($e: String!, $p: String!) { signIn(input: {email: $e, password: $p}) { email } }`,
		vars{"e": email, "p": password},
	)
}

func (c *client) setUp(token string) {
	c.w.t.Helper()
	c.must(
		`mutation($t: String!, $p: String!) { completeSetup(input: {token: $t, password: $p}) { email } }`,
		vars{"t": token, "p": password},
	)
}

// graphqlError is an error as clients see it.
type graphqlError struct {
	Message    string
	Path       []any
	Extensions map[string]any
}

func (e graphqlError) code() string { return fmt.Sprint(e.Extensions["code"]) }

// answer is what a request got.
type answer struct {
	status int
	header http.Header
	Data   map[string]any
	Errors []graphqlError
}

// code returns the code of the only error, or "" without errors.
func (a answer) code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	return a.Errors[0].code()
}

// at follows keys and indexes into the data.
func (a answer) at(t *testing.T, path ...any) any {
	t.Helper()
	var value any = a.Data
	for _, step := range path {
		switch s := step.(type) {
		case string:
			object, ok := value.(map[string]any)
			require.True(t, ok, "%v in %v", path, a.Data)
			value = object[s]
		case int:
			list, ok := value.([]any)
			require.True(t, ok && s < len(list), "%v in %v", path, a.Data)
			value = list[s]
		}
	}
	return value
}

func (c *client) do(query string, variables vars) answer {
	c.w.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	require.NoError(c.w.t, err)
	return c.send(http.MethodPost, "/graphql", bytes.NewReader(body), http.Header{"Content-Type": {"application/json"}})
}

func (c *client) send(method, path string, body io.Reader, header http.Header) answer {
	c.w.t.Helper()
	request, err := http.NewRequest(method, c.w.server.URL+path, body)
	require.NoError(c.w.t, err)
	for name, values := range header {
		request.Header[name] = values
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := c.http.Do(request)
	require.NoError(c.w.t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(c.w.t, err)
	got := answer{status: response.StatusCode, header: response.Header}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	require.NoError(c.w.t, decoder.Decode(&got), "%s", raw)
	return got
}

// must fails the test on any error.
func (c *client) must(query string, variables vars) answer {
	c.w.t.Helper()
	got := c.do(query, variables)
	require.Empty(c.w.t, got.Errors, "log: %s", c.w.log)
	return got
}

// text returns one string of the data.
func (c *client) text(query string, variables vars, path ...any) string {
	c.w.t.Helper()
	got := c.must(query, variables)
	text, ok := got.at(c.w.t, path...).(string)
	require.True(c.w.t, ok, "%v in %v", path, got.Data)
	return text
}

// app makes an app and returns its id.
func (w *world) app(name string) string {
	w.t.Helper()
	return w.as("owner").text(`mutation($w: ID!, $n: String!) { createApp(input: {workspaceId: $w, name: $n}) { id } }`,
		vars{"w": w.workspace, "n": name}, "createApp", "id")
}

// publishable is a manifest that passes the gates.
const publishable = `{"flowId":"00000000-0000-0000-0000-000000000000","schemaVersion":7,"version":1,"defaultLocale":"en","locales":["en"],
	"entryScreenId":"scr_a","screens":[{"id":"scr_a","name":"A","regions":{"body":{"id":"lyr_a","kind":"stack","direction":"vertical","children":[
		{"id":"lyr_b","kind":"button","variant":"primary","action":{"kind":"continue"},"children":[]}]}},"next":{"default":null}}]}`

// version publishes a new flow and returns the version's id.
func (w *world) version(app string) string {
	w.t.Helper()
	flow := w.as("owner").text(`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "Flow", manifest: $m}) { id } }`,
		vars{"a": app, "m": json.RawMessage(publishable)}, "createFlow", "id")
	return w.publish(flow)
}

func (w *world) publish(flow string) string {
	w.t.Helper()
	return w.as("owner").text(
		`mutation($f: ID!) { publishFlow(input: {id: $f}) { version { id } } }`, vars{"f": flow}, "publishFlow", "version",
		"id",
	)
}

// environment returns the tenant key of the live half of an app.
func (w *world) environment(app string) int64 {
	w.t.Helper()
	id, err := w.db.Ent().Environment.Query().
		Where(environment.AppID(uuid.MustParse(app)), environment.KindEQ(environment.KindLive)).OnlyID(context.Background())
	require.NoError(w.t, err)
	return id
}

// event is a hit as a client sends it.
type event struct {
	visitor, session, name, page string
	at                           time.Time
	platform, source, customUser string
}

// ingest sends hits through the writer and waits for their commit.
func (w *world) ingest(app string, events ...event) {
	w.t.Helper()
	list := []map[string]any{}
	for _, e := range events {
		context := map[string]any{"platform": e.platform, "attribution": map[string]any{"source": e.source}}
		if e.platform == "" {
			context["platform"] = "web"
		}
		identity := map[string]any{"appUserId": e.visitor, "sessionId": e.session}
		if e.customUser != "" {
			identity["customUserId"] = e.customUser
		}
		sent := map[string]any{
			"eventId": uuid.NewString(), "name": e.name, "timestamp": e.at.UTC().Format(time.RFC3339Nano),
			"identity": identity, "context": context, "properties": map[string]any{"plan": "pro"},
		}
		if e.page != "" {
			sent["screenName"] = e.page
		}
		list = append(list, sent)
	}
	body, err := json.Marshal(map[string]any{"events": list})
	require.NoError(w.t, err)
	answer, err := w.writer.Product(
		context.Background(), body, ingest.Request{EnvironmentID: w.environment(app), ReceivedAt: time.Now()},
	)
	require.NoError(w.t, err)
	require.Empty(w.t, answer.Rejected)
	require.Equal(w.t, len(events), answer.Stored)
}

// channel makes a channel and returns its public id.
func (w *world) channel(app string) string {
	w.t.Helper()
	return w.as("owner").text(`mutation($a: ID!) { createChannel(input: {appId: $a, environment: LIVE, name: "Main"}) { id } }`,
		vars{"a": app}, "createChannel", "id")
}
