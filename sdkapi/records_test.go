package sdkapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/revenue"
)

const (
	attempts = "/v1/sdk/stripe/checkout-attempts"
	billing  = "/v1/sdk/billing-identities"
)

// template returns the path of the document that a request's path is one of.
func template(path string) string {
	rest, below := strings.CutPrefix(path, attempts+"/")
	switch {
	case !below:
		return path
	case strings.HasSuffix(rest, "/cancel"):
		return attempts + "/{attemptId}/cancel"
	}
	return attempts + "/{attemptId}"
}

// failingPayments is the real ledger, or one whose database fails.
type failingPayments struct {
	*revenue.Ledger
	fail atomic.Pointer[error]
}

func (f *failingPayments) set(err error) {
	if err == nil {
		f.fail.Store(nil)
		return
	}
	f.fail.Store(&err)
}

func (f *failingPayments) failure() error {
	if err := f.fail.Load(); err != nil {
		return *err
	}
	return nil
}

func (f *failingPayments) LinkIdentity(ctx context.Context, identity revenue.BillingIdentity) error {
	if err := f.failure(); err != nil {
		return err
	}
	return f.Ledger.LinkIdentity(ctx, identity)
}

func (f *failingPayments) CreateAttempt(ctx context.Context, attempt revenue.NewAttempt) (revenue.Attempt, error) {
	if err := f.failure(); err != nil {
		return revenue.Attempt{}, err
	}
	return f.Ledger.CreateAttempt(ctx, attempt)
}

func (f *failingPayments) Attempt(ctx context.Context, key revenue.AttemptKey) (revenue.Attempt, error) {
	if err := f.failure(); err != nil {
		return revenue.Attempt{}, err
	}
	return f.Ledger.Attempt(ctx, key)
}

func (f *failingPayments) CancelAttempt(ctx context.Context, key revenue.AttemptKey) (revenue.Attempt, error) {
	if err := f.failure(); err != nil {
		return revenue.Attempt{}, err
	}
	return f.Ledger.CancelAttempt(ctx, key)
}

// storeFailures are the codes of what a database may say to a record.
var storeFailures = map[error]string{
	errors.New("dial error"):                               "ingest_unavailable",
	context.DeadlineExceeded:                               "ingest_unavailable",
	fmt.Errorf("keep: %w", &pgconn.PgError{Code: "57P01"}): "ingest_unavailable",
	fmt.Errorf("keep: %w", &pgconn.PgError{Code: "42P01"}): "internal",
}

// erasure is the code of what a store says about an erased person.
var erasure = map[error]string{
	fmt.Errorf("keep: %w", fault.New(fault.PersonErased, "the person was erased")): "person_erased",
}

// attemptWith returns a body that opens an attempt, with some members replaced.
func attemptWith(members string) string {
	body := map[string]json.RawMessage{}
	for _, part := range []string{
		fmt.Sprintf(
			`"flowId":%q,"versionId":%q,"surfaceId":"surf_pay","appUserId":"dev-1","paymentLinkUrl":"https://buy.stripe.com/test_1"`,
			uuid.NewString(), uuid.NewString(),
		),
		members,
	} {
		if err := json.Unmarshal([]byte("{"+part+"}"), &body); err != nil {
			panic(err) // a scenario is misspelt
		}
	}
	text, _ := json.Marshal(body)
	return string(text)
}

// records sends every kind of request to the paths that keep one record.
func (c *contract) records(t *testing.T, w *world, servers servers) {
	const limit = 64 << 10
	refused := func(bodies ...string) (scenarios []scenario) {
		for _, body := range bodies {
			scenarios = append(
				scenarios, scenario{"body " + body[:min(len(body), 60)], w.server, body, 400, "invalid_request", nil},
			)
		}
		return scenarios
	}
	taken := func(bodies ...string) (scenarios []scenario) {
		for _, body := range bodies {
			scenarios = append(scenarios, scenario{"body " + body[:min(len(body), 60)], w.server, body, 200, "", nil})
		}
		return scenarios
	}
	long := func(n int) string { return strings.Repeat("é", n) }

	link := func() string { return `{"appUserId":"dev-1","provider":"revenuecat","externalId":"rc-1"}` }
	c.run(t, w, billing, servers.refusals(link, method("GET")))
	c.run(t, w, billing, servers.bodies(limit, link))
	c.run(t, w, billing, taken(
		`{"appUserId":"`+long(200)+`","provider":"superwall","externalId":"`+long(256)+`","more":[1]}`))
	c.run(t, w, billing, refused(
		`{}`, `[]`, `null`, `{"appUserId":"u","provider":"stripe","externalId":"x"}`, `{"appUserId":"u","externalId":"x"}`,
		`{"appUserId":"","provider":"superwall","externalId":"x"}`,
		`{"appUserId":"u","provider":"superwall","externalId":""}`,
		`{"appUserId":"u","provider":"superwall","externalId":7}`,
		`{"appUserId":"u\u0000","provider":"superwall","externalId":"x"}`,
		`{"appUserId":"`+long(201)+`","provider":"superwall","externalId":"x"}`, `{"appUserId":"u","provider":"superwall","externalId":"`+long(257)+`"}`))
	c.origins(t, w, billing, link)
	c.away(t, w, billing, w.payments.set, storeFailures, link)
	c.away(t, w, billing, w.payments.set, erasure, link)

	unknownChannel := []scenario{
		{"no channel", w.server, attemptWith(""), 400, "channel_required", []change{without("X-Svc-Channel")}},
		{
			"channel in the query", w.server, attemptWith(""), 400, "channel_required",
			[]change{without("X-Svc-Channel"), query("channel=" + w.pinned.PublicID)},
		},
		{
			"unknown channel", w.server, attemptWith(""), 404, "channel_not_found",
			[]change{header("X-Svc-Channel", "ch_live_nothing")},
		},
	}
	open := func() string { return attemptWith("") }
	c.run(t, w, attempts, append(servers.refusals(open, method("GET")), unknownChannel...))
	c.run(t, w, attempts, servers.bodies(limit, open))
	c.run(t, w, attempts, taken(
		attemptWith(`"channelId":"`+w.pinned.PublicID+`","experimentId":null,"variantId":null,"attribution":{}`),
		attemptWith(
			`"experimentId":"00000000-0000-0000-0000-000000000000","variantId":"`+long(128)+`","attribution":{"attribution.isOrganic":false,"acquisition.source":"x","n":1}`,
		),
		attemptWith(`"channelId":null,"attribution":null,"appUserId":"`+long(256)+`"`),
		attemptWith(`"paymentLinkUrl":"HTTPS://BUY.STRIPE.COM/x?prefilled_email=a%40b.c"`)))
	c.run(t, w, attempts, []scenario{{"archived channel", w.server, open(), 200, "", []change{channel(w.archived)}}})
	c.run(t, w, attempts, refused(
		`{}`, `[]`, `7`, attemptWith(`"flowId":"x"`), attemptWith(`"flowId":null`), attemptWith(`"versionId":""`),
		attemptWith(`"versionId":"0197aa0000007000800000000000abcd"`),
		attemptWith(`"experimentId":""`), attemptWith(`"experimentId":7`), attemptWith(`"variantId":"`+long(129)+`"`),
		attemptWith(`"surfaceId":""`),
		attemptWith(`"surfaceId":"`+long(129)+`"`), attemptWith(`"appUserId":""`), attemptWith(`"appUserId":"`+long(257)+`"`),
		attemptWith(`"appUserId":"\u0000"`),
		attemptWith(`"paymentLinkUrl":""`), attemptWith(`"paymentLinkUrl":"http://buy.stripe.com/x"`),
		attemptWith(`"paymentLinkUrl":"https://buy.stripe.com/`+strings.Repeat("x", 2048)+`"`),
		attemptWith(`"attribution":[]`), attemptWith(
			`"attribution":{"a":null}`,
		), attemptWith(`"attribution":{"a":{}}`), attemptWith(`"channelId":"`+long(129)+`"`)))
	c.origins(t, w, attempts, open)
	c.away(t, w, attempts, w.payments.set, storeFailures, open)

	none := func() string { return "" }
	one := attempts + "/" + w.openAttempt().ID
	get := method("GET")
	reading := append(servers.refusals(none, method("POST")), unknownChannel...)
	for i := range reading {
		reading[i].sent = ""
		if reading[i].status != 405 {
			reading[i].changes = append([]change{get}, reading[i].changes...)
		}
	}
	c.run(t, w, one, reading)
	c.origins(t, w, one, none, get)
	c.away(t, w, one, w.payments.set, storeFailures, none, get)

	// The body of a cancellation is not read: any is as good as none.
	cancel := one + "/cancel"
	c.run(t, w, cancel, append(servers.refusals(none, get), unknownChannel...))
	c.run(t, w, cancel, servers.headers(limit, none))
	c.run(t, w, cancel, taken(`{}`, `{"anything":1}`, `{`, strings.Repeat("x", limit)))
	c.origins(t, w, cancel, none)
	c.away(t, w, cancel, w.payments.set, storeFailures, none)

	for _, id := range []string{uuid.NewString(), "x", strings.ReplaceAll(uuid.NewString(), "-", ""), "%00", "cancel"} {
		c.run(t, w, attempts+"/"+id, []scenario{{"missing", w.server, "", 404, "attempt_not_found", []change{get}}})
		c.run(t, w, attempts+"/"+id+"/cancel", []scenario{{"missing", w.server, "", 404, "attempt_not_found", nil}})
	}
	// An attempt is found by the channel it was opened on only.
	c.run(
		t, w, one, []scenario{{"another channel", w.server, "", 404, "attempt_not_found", []change{get, channel(w.second)}}},
	)
	c.run(
		t, w, cancel, []scenario{{"another channel", w.server, "", 404, "attempt_not_found", []change{channel(w.second)}}},
	)
}

// What the document can't say is refused all the same, and named.
func TestAttemptsAreOnesOfTheChannel(t *testing.T) {
	w := newWorld(t)
	for pointer, body := range map[string]string{
		"/channelId":      attemptWith(`"channelId":"` + w.second.PublicID + `"`),
		"/paymentLinkUrl": attemptWith(`"paymentLinkUrl":"https://stripe.com.evil.example/x"`),
		"/attribution":    attemptWith(`"attribution":{"a":"` + strings.Repeat("x", 32768) + `"}`),
	} {
		x := w.send(attempts, body)
		require.Equal(t, "invalid_request", x.code(), pointer)
		require.Contains(t, string(x.body), `"pointer":"`+pointer+`"`)
	}
}
