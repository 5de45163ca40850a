package receive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/receive"
)

func FuzzStripeDeliveries(f *testing.F)     { fuzzDeliveries(f, fold.Stripe) }
func FuzzRevenueCatDeliveries(f *testing.F) { fuzzDeliveries(f, fold.RevenueCat) }
func FuzzSuperwallDeliveries(f *testing.F)  { fuzzDeliveries(f, fold.Superwall) }

// mostKept is how many deliveries lie in the inbox at most while others are made up.
const mostKept = 50

// fuzzDeliveries delivers what a provider proves, whatever it is: it is kept once under an id, nothing fails to be
// booked, and amounts are within bounds.
func fuzzDeliveries(f *testing.F, provider fold.Provider) {
	files, err := filepath.Glob(filepath.Join("..", "fold", "testdata", string(provider), "*.json"))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	var first string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		var bodies []json.RawMessage
		require.NoError(f, json.Unmarshal(text, &bodies))
		for _, body := range bodies {
			var compact bytes.Buffer
			require.NoError(f, json.Compact(&compact, body))
			f.Add("msg_1", compact.Bytes())
			if first == "" {
				first = compact.String()
			}
		}
	}
	for _, hostile := range []string{
		``, `null`, `[]`, `{}`, `"text"`, "\xff\xfe", `{"id":1}`, strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 50_000),
		strings.Repeat(" ", receive.MaxBody+1), first + first, first[:len(first)/2],
		strings.Replace(first, `"id":"`, `"id":"\u0000`, 1), strings.ReplaceAll(first, `":"`, `":"\u0000`),
		strings.Replace(first, `"id":"`, `"id":"`+strings.Repeat("x", 300), 1),
		strings.Replace(first, `{`, `{"id":"twice","type":"other","object":"none","event":null,"data":null,`, 1),
		strings.ReplaceAll(first, `":1`, `":9223372036854775807`), strings.ReplaceAll(first, `":1`, `":-1e400`),
		strings.ReplaceAll(first, `":1`, `":1e999999999`), strings.ReplaceAll(first, `"usd"`, `"\u0001\u0002\u0003"`),
	} {
		f.Add("msg\x00\xff", []byte(hostile))
		f.Add("", []byte(hostile))
	}
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, id string, body []byte) {
		deliver := func() int {
			header := http.Header{}
			receive.Sign(provider, secrets[provider][0], header, id, body, time.Unix(w.now.Load(), 0))
			return w.post(receive.Path(provider, w.ids[provider]), header, body).Code
		}
		status := deliver()
		switch {
		case provider == fold.Superwall && id == "":
			require.Equal(t, http.StatusUnauthorized, status, "svix needs an id")
			return
		case len(body) > receive.MaxBody:
			require.Equal(t, http.StatusRequestEntityTooLarge, status)
			return
		}
		require.Equal(t, http.StatusOK, status, "%s", w.log.String())
		before := held(t, w.db)
		require.Equal(t, http.StatusOK, deliver())
		require.Equal(t, before, held(t, w.db), "again")
		require.Zero(t, before.Failed)
		require.LessOrEqual(t, before.Largest, int64(1_000_000_000_000_000))
		// Mutated deliveries speak of the same subscription, and all of one are folded together.
		if before.Deliveries >= mostKept {
			_, err := w.db.Pool.Exec(
				t.Context(), `truncate provider_event, provider_event_key, revenue_ledger, subscription_period`,
			)
			require.NoError(t, err)
		}
	})
}

// holdings is what the inbox and the ledger hold.
type holdings struct {
	Deliveries, Failed, Rows int
	Largest                  int64 // amount, in micro-USD
}

func held(t *testing.T, db *postgres.DB) (h holdings) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), `
		select (select count(*) from provider_event), (select count(*) from provider_event where state = 'failed'),
			count(*), coalesce(max(abs(amount_micros)), 0) from revenue_ledger`,
	).Scan(&h.Deliveries, &h.Failed, &h.Rows, &h.Largest))
	return h
}
