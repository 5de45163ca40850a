package automation_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/internal/seal"
)

// ring encrypts with a key of the id a, b or c that comes first, and decrypts with all.
func ring(ids ...string) *seal.Ring {
	keys := make([]seal.Key, len(ids))
	for i, id := range ids {
		keys[i] = seal.Key{ID: id, Secret: bytes.Repeat([]byte(id), seal.KeySize)}
	}
	made, err := seal.NewRing(keys...)
	if err != nil {
		panic(err)
	}
	return made
}

// dump returns all rows of all tables, as text.
func (w *world) dump() string {
	w.t.Helper()
	connection, err := w.db.Pool.Acquire(w.t.Context())
	require.NoError(w.t, err)
	defer connection.Release()
	rows, err := connection.Query(w.t.Context(), `
		select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in ('public', 'river')`)
	require.NoError(w.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	require.Contains(w.t, tables, "public.webhook_endpoint_secret")
	var text strings.Builder
	for _, table := range tables {
		_, err := connection.Conn().PgConn().CopyTo(w.t.Context(), &text, `copy (select * from `+table+`) to stdout`)
		require.NoError(w.t, err, table)
	}
	return text.String()
}

func TestSecretsAreNowhereInTheDatabase(t *testing.T) {
	w := newWorld(t)
	rotated, err := w.RotateSecret(w.owner, w.endpoint)
	require.NoError(t, err)
	require.Equal(t, 2, rotated.Endpoint.Secrets)
	w.define(send)
	w.track("ana", "cart_abandoned", nil)
	w.wait(1)
	w.eventually(func() bool { return w.count(`select count(*) from webhook_attempt`) == 1 }, "recorded")
	dump := w.dump()
	require.Contains(t, dump, w.receiver.URL, "the dump has what is stored")
	for _, secret := range []string{w.secret.String(), rotated.Secret} {
		bare := strings.TrimPrefix(secret, "whsec_")
		raw, err := base64.StdEncoding.DecodeString(bare)
		require.NoError(t, err)
		for _, form := range []string{secret, bare, hex.EncodeToString([]byte(bare)), hex.EncodeToString(raw)} {
			require.NotContains(t, dump, form)
		}
	}
	require.NotContains(t, dump, "whsec_")
	require.NotContains(t, dump, hex.EncodeToString([]byte("whsec_")))
}

func TestSecretsAreEncryptedAnewWithTheKeyThatComesFirst(t *testing.T) {
	w := newWorld(t)
	old := webhook.NewSecret()
	// As migration 0023 leaves what was there before it.
	w.exec(`insert into webhook_endpoint_secret (id, endpoint_id, key_id, sealed) values ($1, $2, '', $3)`,
		uuid.MustParse("00000000-0000-7000-8000-000000000001"), w.endpoint, []byte(old.String()))
	keys := func() map[string]int {
		return w.grouped(`select key_id, count(*) from webhook_endpoint_secret group by 1`)
	}
	anew := func(keys *seal.Ring) {
		_, err := keys.Anew(t.Context(), w.db.Pool, "webhook_endpoint_secret")
		require.NoError(t, err)
	}
	anew(ring("b"))
	require.Equal(t, map[string]int{"a": 1, "b": 1}, keys(), "the key of one of them is missing: it may come back")
	anew(ring("c", "b", "a"))
	require.Equal(t, map[string]int{"c": 2}, keys())
	require.NotContains(t, w.dump(), hex.EncodeToString([]byte(old.String())))

	// A server without the key sends nothing, says why, and tries again.
	w.define(send)
	w.track("ana", "cart_abandoned", nil)
	w.eventually(func() bool {
		return w.count(`select count(*) from webhook_attempt where status = 0 and error like 'the server lacks the key%'`) == 1
	}, "the log says why")
	require.Empty(t, w.receiver.messages())
	other, err := automation.New(w.db, automation.Options{
		Sender: webhook.NewSender(webhook.Options{}), Ring: ring("a", "c"), Logger: quiet,
	})
	require.NoError(t, err)
	require.NoError(t, other.Start(t.Context()))
	require.NoError(t, other.Stop(context.Background()))
	require.Equal(t, map[string]int{"a": 2}, keys(), "a server that starts does so")
	w.exec(`update webhook_delivery set next_attempt_at = now()`)
	message := w.wait(1)[0]
	signatures := strings.Fields(message.Header.Get("Webhook-Signature"))
	require.Len(t, signatures, 2, "the newest secret comes first")
	at := w.timestamp(message)
	require.Equal(t, webhook.Sign(message.ID, at, message.Raw, w.secret), signatures[0])
	require.Equal(t, webhook.Sign(message.ID, at, message.Raw, old), signatures[1])

	_, err = w.RetireSecret(w.owner, w.endpoint)
	require.NoError(t, err)
	w.track("ben", "cart_abandoned", nil)
	message = w.wait(2)[1]
	require.Equal(t, webhook.Sign(message.ID, w.timestamp(message), message.Raw, w.secret),
		message.Header.Get("Webhook-Signature"))
	require.Equal(t, http.MethodPost, message.Method)
	require.WithinDuration(t, time.Now(), w.timestamp(message), time.Minute)
}
