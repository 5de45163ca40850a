package demo

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/receive"
)

func TestCheckoutBooksAnAttemptOnce(t *testing.T) {
	db := pgtest.New(t)
	ring, err := seal.NewRing(seal.Key{ID: "k", Secret: bytes.Repeat([]byte{1}, seal.KeySize)})
	require.NoError(t, err)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := db.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	workspace, app, connection, secret := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	exec(`insert into workspaces (id, name) values ($1, 'W')`, workspace)
	exec(`insert into apps (id, workspace_id, name, allowed_origins, integrations, canvas_gates)
		values ($1, $2, 'A', '[]', '{}', '{}')`, app, workspace)
	exec(`insert into environments (app_id, kind) values ($1, 'live'), ($1, 'test')`, app)
	var environment int64
	require.NoError(t, db.Pool.QueryRow(
		t.Context(), `select id from environments where app_id = $1 and kind = 'test'`, app,
	).Scan(&environment))
	ledger := revenue.New(db.Pool, revenue.Options{})
	endpoint := http.NewServeMux()
	receive.New(receive.Deps{Pool: db.Pool, Ledger: ledger, Ring: ring}).Register(endpoint)
	attempt := func(link string) revenue.Attempt {
		opened, err := ledger.CreateAttempt(t.Context(), revenue.NewAttempt{
			EnvironmentID: environment, ChannelID: 3, AppUserID: "ana", FlowID: uuid.New(), VersionID: uuid.New(),
			SurfaceID: "surf_year", PaymentLinkURL: link,
		})
		require.NoError(t, err)
		return opened
	}
	mux := http.NewServeMux()
	(&Checkout{DB: db, Logger: slog.New(slog.DiscardHandler), Billing: &Billing{
		Pool: db.Pool, Ring: ring, HTTP: &http.Client{Transport: httpserver.InProcess(endpoint)},
	}}).Register(mux, "/example/checkout")
	ask := func(method string, id uuid.UUID, back, locale string) *httptest.ResponseRecorder {
		query := url.Values{"client_reference_id": {id.String()}, "return": {back}, "locale": {locale}}
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, httptest.NewRequest(method, "/example/checkout?"+query.Encode(), nil))
		return recorder
	}
	booked := func() (rows int, micros int64) {
		require.NoError(t, db.Pool.QueryRow(t.Context(), `
			select count(*), coalesce(sum(amount_micros), 0) from revenue_ledger where environment_id = $1
				and app_user_id = 'ana' and product_id = 'tendril-year' and kind = 'originating' and source = 'webhook'`,
			environment).Scan(&rows, &micros))
		return rows, micros
	}
	const back = "http://127.0.0.1:4000/example/flows/ch_test_1?tab=2"
	opened := attempt("https://buy.stripe.com/tendril-year")

	for locale, price := range map[string]string{"en": "$34.99", "de": "34,99 $", "ar": "٣٤٫٩٩ $", "xx": "$34.99"} {
		page := ask(http.MethodGet, opened.ID, back, locale)
		require.Equal(t, http.StatusOK, page.Code)
		require.Contains(t, page.Body.String(), price)
		require.Contains(t, page.Body.String(), "svc_stripe_status=cancel")
	}
	rows, _ := booked()
	require.Zero(t, rows, "looking is not paying")
	require.Equal(t, http.StatusInternalServerError, ask(http.MethodPost, opened.ID, back, "en").Code, "no connection")

	exec(`insert into revenue_connection (id, app_id, provider, name, stores) values ($1, $2, 'stripe', 'C', '{stripe}')`,
		connection, app)
	keyID, sealed, err := ring.Seal([]byte(newSigningSecret(fold.Stripe)), secret.String())
	require.NoError(t, err)
	exec(`insert into revenue_connection_secret (id, connection_id, key_id, sealed, last_four)
		values ($1, $2, $3, $4, 'last')`, secret, connection, keyID, sealed)
	for range 2 {
		paid := ask(http.MethodPost, opened.ID, back, "en")
		require.Equal(t, http.StatusSeeOther, paid.Code)
		require.Equal(t, "http://127.0.0.1:4000/example/flows/ch_test_1?svc_stripe_resume="+opened.ID.String()+
			"&svc_stripe_status=success&tab=2", paid.Header().Get("Location"))
		rows, micros := booked()
		require.Equal(t, 1, rows)
		require.EqualValues(t, 34_990_000, micros)
	}
	after, err := ledger.Attempt(t.Context(), revenue.AttemptKey{EnvironmentID: environment, ChannelID: 3, ID: opened.ID})
	require.NoError(t, err)
	require.Equal(t, revenue.Confirmed, after.Status)

	for name, refused := range map[string]*httptest.ResponseRecorder{
		"no attempt":        ask(http.MethodPost, uuid.New(), back, "en"),
		"another's product": ask(http.MethodPost, attempt("https://buy.stripe.com/other").ID, back, "en"),
		"a page elsewhere":  ask(http.MethodPost, opened.ID, "https://evil.example/", "en"),
		"a script":          ask(http.MethodGet, opened.ID, "javascript:alert(1)", "en"),
	} {
		require.Equal(t, http.StatusNotFound, refused.Code, name)
	}
}
