package studio

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/base62"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/postgres/transaction"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/receive"
)

// Books reads connections of billing providers and says whose money is whose.
type Books interface {
	Connections(ctx context.Context, app uuid.UUID) ([]revenue.Connection, error)
	Connection(ctx context.Context, id uuid.UUID) (revenue.Connection, error)
	Unmapped(ctx context.Context, environmentID int64, after string, limit int) (revenue.UnmappedPage, error)
	// MapByHand commits a mapping with what record writes down of it.
	MapByHand(
		ctx context.Context, environmentID int64, p fold.Provider, subject, appUserID string, record func(tx pgx.Tx) error,
	) error
}

// Webhooks answers what billing providers deliver.
type Webhooks interface {
	// TestDelivery delivers a purchase in a sandbox to a connection, as its provider does.
	TestDelivery(ctx context.Context, connection uuid.UUID) (receive.TestDelivery, error)
}

var errNoBooks = fault.New(fault.Unavailable, "this server takes no webhooks of billing providers")

// books returns what keeps money, or an error where there is none.
func (s *Studio) moneyBooks() (Books, *seal.Ring, error) {
	if s.books == nil || s.ring == nil {
		return nil, nil, errNoBooks
	}
	return s.books, s.ring, nil
}

// ConnectionDraft is a connection to be.
type ConnectionDraft struct {
	AppID    uuid.UUID
	Provider fold.Provider
	Name     string
	// Stores are those whose money the connection reports; empty takes all that the provider reports and no other
	// connection of the app does.
	Stores []string
}

// providerStores are the stores that providers report, in lower case.
var providerStores = map[fold.Provider][]string{
	fold.Stripe: {"stripe"},
	fold.RevenueCat: {
		"app_store", "mac_app_store", "play_store", "amazon", "roku", "rc_billing", "paddle", "stripe", "promotional",
		"test_store",
	},
	fold.Superwall: {"app_store", "play_store", "stripe", "paddle"},
}

const (
	maxConnections = 20 // of an app that are not archived
	maxSecrets     = 4  // of a connection
)

// CreateConnection makes a connection to a billing provider. Each store of an app has one source. RevenueCat proves its
// deliveries with a secret of ours, which is returned and never shown again; the other providers give theirs, see
// [Studio.AddConnectionSecret].
func (s *Studio) CreateConnection(ctx context.Context, draft ConnectionDraft) (revenue.Connection, string, error) {
	app, err := s.findApp(ctx, draft.AppID, account.AppSettings)
	if err != nil {
		return revenue.Connection{}, "", err
	}
	if err := s.requireFeature(ctx, app.WorkspaceID, plan.Integrations, "provider"); err != nil {
		return revenue.Connection{}, "", err
	}
	books, _, err := s.moneyBooks()
	if err != nil {
		return revenue.Connection{}, "", err
	}
	if draft.Name, err = validate.Name("name", draft.Name); err != nil {
		return revenue.Connection{}, "", err
	}
	for i, store := range draft.Stores {
		draft.Stores[i] = strings.ToLower(store)
		if !slices.Contains(providerStores[draft.Provider], draft.Stores[i]) {
			return revenue.Connection{}, "", fault.Invalid(
				fmt.Sprintf("stores.%d", i), "%s reports %s", draft.Provider, strings.Join(providerStores[draft.Provider], ", "),
			)
		}
	}
	id, secret := uuid.Must(uuid.NewV7()), ""
	entry := record{app.WorkspaceID, "revenue_connection.create", id.String(), map[string]any{"provider": draft.Provider}}
	var made revenue.Connection
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := lockApp(ctx, tx, draft.AppID, &app); err != nil {
			return err
		}
		others, err := books.Connections(ctx, draft.AppID)
		if err != nil {
			return err
		}
		if draft.Stores, err = freeStores(draft, others); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			insert into revenue_connection (id, app_id, provider, name, stores, created_at)
			values ($1, $2, $3, $4, string_to_array($5, ','), $6)`,
			id, draft.AppID, string(draft.Provider), draft.Name, strings.Join(draft.Stores, ","), s.now()); err != nil {
			return fmt.Errorf("store the connection: %w", err)
		}
		made = revenue.Connection{
			ID: id, AppID: draft.AppID, Provider: draft.Provider, Name: draft.Name, Stores: draft.Stores, CreatedAt: s.now(),
		}
		if draft.Provider != fold.RevenueCat {
			return nil
		}
		var added revenue.Secret
		added, secret, err = s.addSecret(ctx, tx, made, "")
		made.Secrets = append(made.Secrets, added)
		return err
	})
	if err != nil {
		return revenue.Connection{}, "", err
	}
	return made, secret, nil
}

// freeStores returns the stores of a connection to be, none of which another connection of the app has.
func freeStores(draft ConnectionDraft, others []revenue.Connection) ([]string, error) {
	taken := map[string]string{}
	live := 0
	for _, c := range others {
		if c.ArchivedAt != nil {
			continue
		}
		live++
		for _, store := range c.Stores {
			taken[store] = c.Name
		}
	}
	if live >= maxConnections {
		return nil, fault.Invalid("appId", "has %d connections already", maxConnections)
	}
	if len(draft.Stores) == 0 {
		for _, store := range providerStores[draft.Provider] {
			if taken[store] == "" {
				draft.Stores = append(draft.Stores, store)
			}
		}
		if len(draft.Stores) == 0 {
			return nil, fault.Invalid("stores", "every store that %s reports has a source already", draft.Provider)
		}
	}
	for i, store := range draft.Stores {
		if name, is := taken[store]; is {
			return nil, fault.Invalid(
				fmt.Sprintf("stores.%d", i), "%s is reported by the connection %s: a store has one source", store, name,
			)
		}
		taken[store] = draft.Name
	}
	return draft.Stores, nil
}

// addSecret keeps a secret of a connection, a new one of ours when it is empty, and returns it.
func (s *Studio) addSecret(
	ctx context.Context, tx *ent.Tx, c revenue.Connection, secret string,
) (added revenue.Secret, shown string, err error) {
	switch {
	case c.Provider == fold.RevenueCat && secret == "":
		secret = "Bearer svc_rc_" + base62.Random(32)
		shown = secret
	case len(secret) < 16 || len(secret) > 256:
		return added, "", fault.Invalid("secret", "must have 16 to 256 characters")
	case c.Provider == fold.Superwall:
		if _, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")); err != nil {
			return added, "", fault.Invalid("secret", "must be the signing secret that Superwall shows, whsec_…")
		}
	}
	added = revenue.Secret{ID: uuid.Must(uuid.NewV7()), LastFour: secret[len(secret)-4:], CreatedAt: s.now()}
	keyID, sealed, err := s.ring.Seal([]byte(secret), added.ID.String())
	if err != nil {
		return added, "", err
	}
	if _, err := tx.ExecContext(ctx, `
		insert into revenue_connection_secret (id, connection_id, key_id, sealed, last_four, created_at)
		values ($1, $2, $3, $4, $5, $6)`, added.ID, c.ID, keyID, sealed, added.LastFour, added.CreatedAt); err != nil {
		return added, "", fmt.Errorf("store the secret: %w", err)
	}
	return added, shown, nil
}

// findConnection reads a connection for somebody who may change its app.
func (s *Studio) findConnection(ctx context.Context, id uuid.UUID) (revenue.Connection, *ent.App, error) {
	if _, err := account.From(ctx); err != nil {
		return revenue.Connection{}, nil, err
	}
	books, _, err := s.moneyBooks()
	if err != nil {
		return revenue.Connection{}, nil, err
	}
	c, err := books.Connection(ctx, id)
	if err != nil {
		return c, nil, err
	}
	app, err := s.findApp(ctx, c.AppID, account.AppSettings)
	if fault.Is(err, fault.NotFound) {
		err = fault.Missing("connection")
	}
	return c, app, err
}

// AddConnectionSecret adds a secret to a connection, beside the ones that it has: deliveries are taken that any of them
// proves. Without one, which RevenueCat alone allows, a new one of ours is made and returned, and never shown again.
func (s *Studio) AddConnectionSecret(
	ctx context.Context, id uuid.UUID, secret string,
) (c revenue.Connection, shown string, err error) {
	c, app, err := s.findConnection(ctx, id)
	if err != nil {
		return c, "", err
	}
	if len(c.Secrets) >= maxSecrets {
		return c, "", fault.Invalid("id", "has %d secrets: remove one first", maxSecrets)
	}
	entry := record{app.WorkspaceID, "revenue_connection.add_secret", id.String(), nil}
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		var added revenue.Secret
		added, shown, err = s.addSecret(ctx, tx, c, secret)
		c.Secrets = append(c.Secrets, added)
		return err
	})
	return c, shown, err
}

// RemoveConnectionSecret removes a secret: what it alone proves is refused from then on.
func (s *Studio) RemoveConnectionSecret(ctx context.Context, id, secret uuid.UUID) (revenue.Connection, error) {
	c, app, err := s.findConnection(ctx, id)
	if err != nil {
		return c, err
	}
	at := slices.IndexFunc(c.Secrets, func(known revenue.Secret) bool { return known.ID == secret })
	if at < 0 {
		return c, fault.Missing("secret")
	}
	entry := record{app.WorkspaceID, "revenue_connection.remove_secret", id.String(), nil}
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		_, err := tx.ExecContext(ctx, `delete from revenue_connection_secret where id = $1`, secret)
		return err
	})
	c.Secrets = slices.Delete(slices.Clone(c.Secrets), at, at+1)
	return c, err
}

// ArchiveConnection ends a connection: deliveries are refused, and its stores are free for another source. What it has
// reported stays.
func (s *Studio) ArchiveConnection(ctx context.Context, id uuid.UUID) (revenue.Connection, error) {
	c, app, err := s.findConnection(ctx, id)
	if err != nil || c.ArchivedAt != nil {
		return c, err
	}
	now := s.now()
	entry := record{app.WorkspaceID, "revenue_connection.archive", id.String(), nil}
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		_, err := tx.ExecContext(ctx, `update revenue_connection set archived_at = $2 where id = $1`, id, now)
		return err
	})
	c.ArchivedAt = &now
	return c, err
}

// TestConnection delivers a purchase of one dollar in a sandbox to a connection, as its provider does, and returns what
// became of it: money of the test environment. It leaves an audit entry.
func (s *Studio) TestConnection(ctx context.Context, id uuid.UUID) (receive.TestDelivery, error) {
	c, app, err := s.findConnection(ctx, id)
	switch {
	case err != nil:
		return receive.TestDelivery{}, err
	case s.webhooks == nil:
		return receive.TestDelivery{}, errNoBooks
	case c.ArchivedAt != nil:
		return receive.TestDelivery{}, fault.Invalid("id", "is archived: its deliveries are refused")
	case len(c.Secrets) == 0:
		return receive.TestDelivery{}, fault.Invalid("id", "has no secret yet: add the one that the provider shows")
	}
	done, err := s.webhooks.TestDelivery(ctx, id)
	if err != nil {
		return done, err
	}
	entry := record{app.WorkspaceID, "revenue_connection.test", id.String(), map[string]any{"status": done.Status}}
	return done, s.transact(ctx, entry, func(*ent.Tx) error { return nil })
}

// Connections lists an app's connections, archived ones included.
func (s *Studio) Connections(ctx context.Context, app uuid.UUID) ([]revenue.Connection, error) {
	if _, err := s.readApp(ctx, app, account.AppSettings); err != nil {
		return nil, err
	}
	books, _, err := s.moneyBooks()
	if err != nil {
		return nil, err
	}
	return books.Connections(ctx, app)
}

// UnmappedRevenue lists the money of an environment that has no person, newest first.
func (s *Studio) UnmappedRevenue(
	ctx context.Context, app uuid.UUID, kind Kind, after string, limit int,
) (revenue.UnmappedPage, error) {
	_, env, err := s.readEnvironment(ctx, app, kind, account.RevenueRecord)
	if err != nil {
		return revenue.UnmappedPage{}, err
	}
	books, _, err := s.moneyBooks()
	if err != nil {
		return revenue.UnmappedPage{}, err
	}
	return books.Unmapped(ctx, env.ID, after, limit)
}

// MapRevenue says by hand whose money a subscription or a single charge is. An empty app user id takes that back. The
// audit entry names the subject, not the person.
func (s *Studio) MapRevenue(
	ctx context.Context, app uuid.UUID, kind Kind, p fold.Provider, subject, appUserID string,
) error {
	a, env, err := s.findEnvironment(ctx, app, kind, account.RevenueRecord)
	if err != nil {
		return err
	}
	books, _, err := s.moneyBooks()
	if err != nil {
		return err
	}
	if err := validate.Input(struct {
		Subject   string `json:"subject" validate:"name=256"`
		AppUserID string `json:"appUserId" validate:"utf16max=256"`
	}{subject, appUserID}); err != nil {
		return err
	}
	detail := map[string]any{"environment": kind, "provider": p, "mapped": appUserID != ""}
	if transaction.IsDryRun(ctx) {
		return nil
	}
	return books.MapByHand(ctx, env.ID, p, subject, appUserID, func(tx pgx.Tx) error {
		return account.RecordIn(ctx, tx, a.WorkspaceID, "revenue.map", subject, detail)
	})
}

// UnmappedLimit is how many rows a page of money without a person has at most.
const UnmappedLimit = 200
