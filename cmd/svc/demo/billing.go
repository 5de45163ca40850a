package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/base62"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/receive"
	"github.com/svc-dev/svc/studio"
)

// Billing stands in for the billing providers of an app: it signs what they deliver with the secrets of the app's
// connections, and sends it to the endpoints that providers are given.
type Billing struct {
	Pool    *pgxpool.Pool
	Ring    *seal.Ring
	BaseURL string       // of the server
	HTTP    *http.Client // nil means one with a 10 s time-out

	mu      sync.Mutex
	sources map[sourceKey]source
}

type sourceKey struct {
	environmentID int64
	provider      fold.Provider
}

// source is where a provider delivers to, and what it signs with.
type source struct {
	path   string
	secret string
}

// errNoSource says that the app has no connection of a provider that a delivery could be signed for.
var errNoSource = errors.New("demo: the app has no connection of the provider")

const (
	deliveryAttempts = 5
	// deliveryPause is as long as a server takes to know of a connection or a secret that was just made.
	deliveryPause = 1100 * time.Millisecond
)

// Report delivers what the provider of a purchase has sent of it up to a time, each until it is accepted, as providers
// do.
func (b *Billing) Report(ctx context.Context, environmentID int64, p Purchase, until time.Time) error {
	for _, d := range p.Deliveries(until) {
		if err := b.deliver(ctx, sourceKey{environmentID, d.Provider}, d); err != nil {
			return fmt.Errorf("deliver %s of %s: %w", d.ID, d.Provider, err)
		}
	}
	return nil
}

func (b *Billing) deliver(ctx context.Context, to sourceKey, d Delivery) error {
	for attempt := 1; ; attempt++ {
		status, err := b.post(ctx, to, d)
		if err == nil && status == http.StatusOK {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("answered %d", status)
		}
		if attempt == deliveryAttempts || ctx.Err() != nil || errors.Is(err, errNoSource) {
			return err
		}
		b.forget(to) // its secret may have been replaced
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(deliveryPause):
		}
	}
}

func (b *Billing) post(ctx context.Context, to sourceKey, d Delivery) (status int, err error) {
	s, err := b.source(ctx, to)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.BaseURL+s.path, bytes.NewReader(d.Body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	receive.Sign(d.Provider, s.secret, request.Header, d.ID, d.Body, time.Now())
	client := b.HTTP
	if client == nil {
		client = defaultHTTP
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, err
}

func (b *Billing) forget(to sourceKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.sources, to)
}

// source returns the connection of a provider with its newest secret.
func (b *Billing) source(ctx context.Context, of sourceKey) (source, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s, known := b.sources[of]; known {
		return s, nil
	}
	var connection, secretID uuid.UUID
	var keyID string
	var sealed []byte
	err := b.Pool.QueryRow(ctx, `
		select c.id, s.id, s.key_id, s.sealed from revenue_connection c
		join revenue_connection_secret s on s.connection_id = c.id join environments e on e.app_id = c.app_id
		where e.id = $1 and c.provider = $2 and c.archived_at is null order by s.created_at desc, s.id desc limit 1`,
		of.environmentID, of.provider).Scan(&connection, &secretID, &keyID, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return source{}, errNoSource
	}
	if err != nil {
		return source{}, fmt.Errorf("read the connection: %w", err)
	}
	secret, err := b.Ring.Open(keyID, sealed, secretID.String())
	if err != nil {
		return source{}, fmt.Errorf("read the secret of the connection: %w", err)
	}
	s := source{receive.Path(of.provider, connection), string(secret)}
	if b.sources == nil {
		b.sources = map[sourceKey]source{}
	}
	b.sources[of] = s
	return s, nil
}

// connections are what the demo app is given. Each store has one source.
var connections = []struct {
	provider fold.Provider
	name     string
	stores   []string
}{
	{fold.RevenueCat, "App stores", []string{"app_store", "play_store"}},
	{fold.Superwall, "Web checkout", []string{"paddle"}},
	{fold.Stripe, "Payment links", []string{"stripe"}},
}

// connectProviders gives an app a connection of each billing provider that it never had one of.
func (s *Seeder) connectProviders(ctx context.Context, app uuid.UUID) error {
	existing, err := s.Studio.Connections(ctx, app)
	if err != nil {
		return err
	}
	had := map[fold.Provider]bool{}
	taken := map[string]bool{}
	for _, c := range existing {
		had[c.Provider] = true
		for _, store := range c.Stores {
			taken[store] = taken[store] || c.ArchivedAt == nil
		}
	}
	for _, c := range connections {
		if had[c.provider] || taken[c.stores[0]] {
			continue
		}
		made, _, err := s.Studio.CreateConnection(ctx, studio.ConnectionDraft{
			AppID: app, Provider: c.provider, Name: c.name, Stores: c.stores,
		})
		if err == nil && c.provider != fold.RevenueCat { // which takes a secret of ours
			_, _, err = s.Studio.AddConnectionSecret(ctx, made.ID, newSigningSecret(c.provider))
		}
		if err != nil {
			return fmt.Errorf("connect %s: %w", c.provider, err)
		}
	}
	return nil
}

// newSigningSecret makes a secret as a provider does.
func newSigningSecret(p fold.Provider) string {
	if p == fold.Stripe {
		return "whsec_" + base62.Random(32)
	}
	key := make([]byte, 24)
	_, _ = rand.Read(key) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}
