package receive_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/receive"
)

// world is a handler with a connection of each provider.
type world struct {
	t       testing.TB
	db      *postgres.DB
	ring    *seal.Ring
	handler http.Handler
	// receiver is what the handler passes deliveries to.
	receiver *receive.Handler
	ids      map[fold.Provider]uuid.UUID
	log      bytes.Buffer
	now      atomic.Int64
}

var secrets = map[fold.Provider][]string{
	fold.Stripe:     {"whsec_stripe_secret_old", "whsec_stripe_secret_new"},
	fold.RevenueCat: {"Bearer svc_rc_old_secret", "Bearer svc_rc_new_secret"},
	fold.Superwall:  {"whsec_" + "c3VwZXJ3YWxsLW9sZC1zZWNyZXQ=", "whsec_" + "c3VwZXJ3YWxsLW5ldy1zZWNyZXQ="},
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, db: pgtest.New(t), ids: map[fold.Provider]uuid.UUID{}}
	w.now.Store(time.Now().Unix())
	var err error
	w.ring, err = seal.NewRing(seal.Key{ID: "k", Secret: bytes.Repeat([]byte{1}, seal.KeySize)})
	require.NoError(t, err)
	workspace, app := uuid.New(), uuid.New()
	w.exec(`insert into workspaces (id, name) values ($1, 'W')`, workspace)
	w.exec(`insert into apps (id, workspace_id, name, allowed_origins, integrations, canvas_gates)
		values ($1, $2, 'A', '[]', '{}', '{}')`, app, workspace)
	w.exec(`insert into environments (app_id, kind) values ($1, 'live'), ($1, 'test')`, app)
	for provider, list := range secrets {
		id := uuid.New()
		w.ids[provider] = id
		w.exec(`insert into revenue_connection (id, app_id, provider, name, stores)
			values ($1, $2, $3, 'C', '{stripe,app_store}')`, id, app, provider)
		for _, secret := range list {
			secretID := uuid.New()
			keyID, sealed, err := w.ring.Seal([]byte(secret), secretID.String())
			require.NoError(t, err)
			w.exec(`insert into revenue_connection_secret (id, connection_id, key_id, sealed, last_four)
				values ($1, $2, $3, $4, 'last')`, secretID, id, keyID, sealed)
		}
	}
	mux := http.NewServeMux()
	w.receiver = receive.New(receive.Deps{
		Pool: w.db.Pool, Ledger: revenue.New(w.db.Pool, revenue.Options{}), Ring: w.ring, Bodies: bodylimit.New(0),
		Logger: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now:    func() time.Time { return time.Unix(w.now.Load(), 0) },
	})
	w.receiver.Register(mux)
	w.handler = mux
	return w
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.db.Pool.Exec(context.Background(), sql, args...)
	require.NoError(w.t, err)
}

func (w *world) count(sql string) (n int) {
	w.t.Helper()
	require.NoError(w.t, w.db.Pool.QueryRow(context.Background(), sql).Scan(&n))
	return n
}

func (w *world) post(path string, header http.Header, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	r.Header = header
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

// deliver sends a body as a provider does.
func (w *world) deliver(p fold.Provider, secret string, body []byte) *httptest.ResponseRecorder {
	header := http.Header{}
	receive.Sign(p, secret, header, "msg_1", body, time.Unix(w.now.Load(), 0))
	return w.post(receive.Path(p, w.ids[p]), header, body)
}

func body(p fold.Provider, id string) []byte {
	switch p {
	case fold.Stripe:
		return fmt.Appendf(nil, `{"id":%q,"object":"event","type":"product.created","created":1767225600,"livemode":true}`, id)
	case fold.RevenueCat:
		return fmt.Appendf(nil, `{"event":{"id":%q,"type":"TEST","event_timestamp_ms":1767225600000}}`, id)
	}
	return fmt.Appendf(nil, `{"id":%q,"of":"another generation"}`, id)
}

func TestProvedDeliveriesAreKeptOnce(t *testing.T) {
	w := newWorld(t)
	for provider, list := range secrets {
		for i, secret := range list {
			for range 2 {
				answer := w.deliver(provider, secret, body(provider, fmt.Sprint("e", i)))
				require.Equal(t, http.StatusOK, answer.Code, "%s: %s", provider, answer.Body)
			}
		}
	}
	require.Equal(t, 5, w.count(`select count(*) from provider_event`), "svix ids name what has none")
	require.Equal(t, 3, w.count(`select count(*) from revenue_connection where last_delivery_at is not null`))
	require.NotContains(t, w.log.String(), "secret")
}

func TestWhatIsNotProvedChangesNothing(t *testing.T) {
	w := newWorld(t)
	now := time.Unix(w.now.Load(), 0)
	for provider, list := range secrets {
		good := body(provider, "e1")
		sign := func(secret string, at time.Time) http.Header {
			header := http.Header{}
			receive.Sign(provider, secret, header, "msg_1", good, at)
			return header
		}
		path := receive.Path(provider, w.ids[provider])
		headers := map[string]http.Header{
			"none": {}, "another secret": sign(list[0]+"x", now), "an empty secret": sign("", now),
		}
		if provider != fold.RevenueCat {
			headers["too old"] = sign(list[0], now.Add(-301*time.Second))
			headers["of the future"] = sign(list[0], now.Add(301*time.Second))
		}
		for name, header := range headers {
			answer := w.post(path, header, good)
			require.Equal(t, http.StatusUnauthorized, answer.Code, "%s, %s", provider, name)
			require.NotContains(t, answer.Body.String(), "signature")
		}
		right := sign(list[0], now)
		if provider != fold.RevenueCat {
			require.Equal(t, 401, w.post(path, right, append([]byte(" "), good...)).Code, "another body")
		}
		require.Equal(t, 401, w.post(receive.Path(provider, uuid.New()), right, good).Code, "no such connection")
		require.Equal(t, 401, w.post(strings.Replace(path, string(provider), "paypal", 1), right, good).Code)
		require.Equal(t, 401, w.post("/v1/webhooks/"+string(provider)+"/x", right, good).Code)
		for other := range secrets {
			if other != provider {
				require.Equal(t, 401, w.post(receive.Path(other, w.ids[provider]), right, good).Code)
			}
		}
	}
	require.Zero(t, w.count(`select count(*) from provider_event`))
	require.Equal(t, 3, w.count(`select count(*) from revenue_connection where last_error <> ''`))
	require.NotContains(t, w.log.String(), "secret")
}

func TestDeliveriesAreBounded(t *testing.T) {
	w := newWorld(t)
	long := append(body(fold.Stripe, "e1"), bytes.Repeat([]byte(" "), receive.MaxBody)...)
	require.Equal(t, http.StatusRequestEntityTooLarge, w.deliver(fold.Stripe, secrets[fold.Stripe][0], long).Code)
	require.Equal(t, http.StatusOK, w.deliver(fold.Stripe, secrets[fold.Stripe][0], long[:receive.MaxBody]).Code)
	header := http.Header{}
	receive.Sign(fold.Stripe, secrets[fold.Stripe][0], header, "", long, time.Unix(w.now.Load(), 0))
	path := receive.Path(fold.Stripe, w.ids[fold.Stripe])
	r := httptest.NewRequest(http.MethodPost, path, io.MultiReader(bytes.NewReader(long)))
	r.Header, r.ContentLength = header, -1
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	require.Equal(t, http.StatusRequestEntityTooLarge, answer.Code)
}

// An address that forges much has its long deliveries wait. Short ones, those of other addresses and what headers prove
// are taken meanwhile.
func TestWhoeverForgesMuchWaitsWithLongDeliveries(t *testing.T) {
	w := newWorld(t)
	deliver := func(p fold.Provider, secret, address string, body []byte) int {
		r := httptest.NewRequest(http.MethodPost, receive.Path(p, w.ids[p]), bytes.NewReader(body))
		receive.Sign(p, secret, r.Header, "msg_1", body, time.Unix(w.now.Load(), 0))
		r.RemoteAddr = address
		answer := httptest.NewRecorder()
		w.handler.ServeHTTP(answer, r)
		require.Equal(t, answer.Code == http.StatusTooManyRequests, answer.Header().Get("Retry-After") != "")
		return answer.Code
	}
	const loud, calm = "198.51.100.7:1", "203.0.113.9:1"
	fill := func(p fold.Provider, id string, size int) []byte {
		text := body(p, id)
		return append(text, bytes.Repeat([]byte(" "), size-len(text))...)
	}
	for _, p := range []fold.Provider{fold.Stripe, fold.Superwall} {
		secret := secrets[p][0]
		for range 4 {
			require.Equal(t, 401, deliver(p, secret+"x", loud, fill(p, "forged", receive.MaxBody)))
		}
		long := fill(p, "long", 32<<10+1)
		require.Equal(t, 429, deliver(p, secret+"x", loud, long))
		require.Equal(t, 429, deliver(p, secret, loud, long))
		require.Equal(t, 200, deliver(p, secret, loud, fill(p, "short", 32<<10)))
		require.Equal(t, 401, deliver(p, secret+"x", loud, fill(p, "short", 32<<10)))
		require.Equal(t, 200, deliver(p, secret, calm, fill(p, "calm", receive.MaxBody)))
		require.Equal(t, 200, deliver(fold.RevenueCat, secrets[fold.RevenueCat][0], loud,
			fill(fold.RevenueCat, "long"+string(p), receive.MaxBody)))
		w.now.Add(1)
		require.Equal(t, 200, deliver(p, secret, loud, long), "it is sent again")
	}
	require.Equal(t, 6, w.count(`select count(*) from provider_event`), "all that svix delivers here has one id")
}

// A secret is taken within a second of being added, and refused within one of being removed; so is a connection.
func TestSecretsRotate(t *testing.T) {
	w := newWorld(t)
	old, next := secrets[fold.Stripe][0], secrets[fold.Stripe][1]
	require.Equal(t, 200, w.deliver(fold.Stripe, old, body(fold.Stripe, "e1")).Code)
	w.exec(`delete from revenue_connection_secret where id in (
		select id from revenue_connection_secret where connection_id = $1 order by created_at limit 1)`, w.ids[fold.Stripe])
	w.now.Add(1)
	require.Equal(t, 401, w.deliver(fold.Stripe, old, body(fold.Stripe, "e2")).Code)
	require.Equal(t, 200, w.deliver(fold.Stripe, next, body(fold.Stripe, "e2")).Code)
	other, err := seal.NewRing(
		seal.Key{ID: "k2", Secret: bytes.Repeat([]byte{2}, seal.KeySize)}, seal.Key{ID: "k", Secret: bytes.Repeat([]byte{1}, 32)},
	)
	require.NoError(t, err)
	ledger := revenue.New(w.db.Pool, revenue.Options{})
	anew, err := ledger.SealAnew(t.Context(), other)
	require.NoError(t, err)
	require.Equal(t, 5, anew)
	mux := http.NewServeMux()
	only, err := seal.NewRing(seal.Key{ID: "k2", Secret: bytes.Repeat([]byte{2}, seal.KeySize)})
	require.NoError(t, err)
	receive.New(receive.Deps{Pool: w.db.Pool, Ledger: ledger, Ring: only}).Register(mux)
	w.handler = mux
	w.now.Store(time.Now().Unix())
	require.Equal(t, 200, w.deliver(fold.Stripe, next, body(fold.Stripe, "e3")).Code, "under the new key alone")
	w.exec(`update revenue_connection set archived_at = now()`)
	require.Eventually(t, func() bool {
		return w.deliver(fold.Stripe, next, body(fold.Stripe, "e4")).Code == 401
	}, 5*time.Second, 50*time.Millisecond)
}

// A delivery that could not be stored is one that the provider must send again.
func TestTheProviderIsToldToSendAgain(t *testing.T) {
	w := newWorld(t)
	w.exec(`alter table provider_event rename to away`)
	answer := w.deliver(fold.Stripe, secrets[fold.Stripe][0], body(fold.Stripe, "e1"))
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
	require.NotEmpty(t, answer.Header().Get("Retry-After"))
	w.exec(`alter table away rename to provider_event`)
	require.Equal(t, 200, w.deliver(fold.Stripe, secrets[fold.Stripe][0], body(fold.Stripe, "e1")).Code)
	require.Equal(t, 1, w.count(`select count(*) from provider_event`))
}

// Whatever a stranger sends is refused, and nothing is kept of it.
func FuzzForgedDeliveries(f *testing.F) {
	f.Add("stripe", "t=1767225600,v1=00", "", "", "", []byte(`{}`))
	f.Add("revenuecat", "", "Bearer x", "", "", []byte(`{}`))
	f.Add("superwall", "", "", "1767225600", "v1,AAAA", []byte(`{}`))
	connections := map[string]uuid.UUID{}
	var handler http.Handler
	var db *postgres.DB
	f.Fuzz(func(t *testing.T, provider, signature, authorization, at, svix string, text []byte) {
		if handler == nil {
			w := newWorld(t)
			handler, db = w.handler, w.db
			for p, id := range w.ids {
				connections[string(p)] = id
			}
			t.Cleanup(func() { handler = nil })
		}
		id, known := connections[provider]
		if !known {
			t.Skip("no provider: the path does not exist")
		}
		r := httptest.NewRequest(http.MethodPost, receive.Path(fold.Provider(provider), id), bytes.NewReader(text))
		r.Header = http.Header{
			"Stripe-Signature": {signature}, "Authorization": {authorization}, "Svix-Id": {"msg"}, "Svix-Timestamp": {at},
			"Svix-Signature": {svix},
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		require.Equal(t, http.StatusUnauthorized, answer.Code)
		var kept int
		require.NoError(t, db.Pool.QueryRow(context.Background(), `select count(*) from provider_event`).Scan(&kept))
		require.Zero(t, kept)
	})
}
