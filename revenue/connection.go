package revenue

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/revenue/fold"
)

// Connection is where an app's provider delivers to.
type Connection struct {
	ID             uuid.UUID
	AppID          uuid.UUID
	Provider       fold.Provider
	Name           string
	Stores         []string
	CreatedAt      time.Time
	ArchivedAt     *time.Time
	LastDeliveryAt *time.Time // the last one that was proved
	LastError      string
	LastErrorAt    *time.Time
	Secrets        []Secret // the oldest first
}

// Secret is one of a connection, as it is shown.
type Secret struct {
	ID        uuid.UUID
	LastFour  string
	CreatedAt time.Time
}

// Connections lists an app's connections, the oldest first.
func (l *Ledger) Connections(ctx context.Context, app uuid.UUID) ([]Connection, error) {
	return l.connections(ctx, `app_id = $1`, app)
}

// Connection reads a connection. The error is a fault when there is none.
func (l *Ledger) Connection(ctx context.Context, id uuid.UUID) (Connection, error) {
	list, err := l.connections(ctx, `id = $1`, id)
	if err == nil && len(list) == 0 {
		err = fault.Missing("connection")
	}
	if err != nil {
		return Connection{}, err
	}
	return list[0], nil
}

func (l *Ledger) connections(ctx context.Context, condition string, arg any) ([]Connection, error) {
	rows, err := l.pool.Query(ctx, `
		select id, app_id, provider, name, stores, created_at, archived_at, last_delivery_at, last_error, last_error_at
		from revenue_connection where `+condition+` order by created_at, id`, arg)
	if err != nil {
		return nil, fmt.Errorf("read connections: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c Connection, err error) {
		return c, row.Scan(&c.ID, &c.AppID, &c.Provider, &c.Name, &c.Stores, &c.CreatedAt, &c.ArchivedAt,
			&c.LastDeliveryAt, &c.LastError, &c.LastErrorAt)
	})
	if err != nil {
		return nil, fmt.Errorf("read connections: %w", err)
	}
	ids := make([]uuid.UUID, len(list))
	at := map[uuid.UUID]int{}
	for i, c := range list {
		ids[i], at[c.ID] = c.ID, i
	}
	if rows, err = l.pool.Query(ctx, `
		select connection_id, id, last_four, created_at from revenue_connection_secret
		where connection_id = any ($1) order by created_at, id`, ids); err != nil {
		return nil, fmt.Errorf("read secrets of connections: %w", err)
	}
	var of uuid.UUID
	var s Secret
	if _, err := pgx.ForEachRow(rows, []any{&of, &s.ID, &s.LastFour, &s.CreatedAt}, func() error {
		list[at[of]].Secrets = append(list[at[of]].Secrets, s)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read secrets of connections: %w", err)
	}
	return list, nil
}

// SealAnew encrypts the secrets of connections with the current key that are encrypted with another one, and returns
// how many it did. Afterwards the other keys may be removed.
func (l *Ledger) SealAnew(ctx context.Context, ring *seal.Ring) (done int, err error) {
	return ring.Anew(ctx, l.pool, "revenue_connection_secret")
}

// DatabaseKey returns the key that servers of one database share, and makes it when there is none: what a server
// encrypts with whose operator has set no key. It keeps secrets out of exports and logs, not from those who have the
// database.
func (l *Ledger) DatabaseKey(ctx context.Context) (seal.Key, error) {
	fresh, err := uuid.NewRandom()
	if err != nil {
		return seal.Key{}, err
	}
	more := uuid.New()
	secret := append(fresh[:], more[:]...)
	// Of two servers that start at once the second takes what the first has stored.
	if _, err := l.pool.Exec(ctx, `
		insert into signing_keys (purpose, secret) values ('connections', $1) on conflict do nothing`, secret); err != nil {
		return seal.Key{}, fmt.Errorf("make the key of the database: %w", err)
	}
	if err := l.pool.QueryRow(
		ctx, `select secret from signing_keys where purpose = 'connections'`,
	).Scan(&secret); err != nil {
		return seal.Key{}, fmt.Errorf("read the key of the database: %w", err)
	}
	return seal.Key{ID: "database", Secret: secret}, nil
}

// Unmapped is money without a person: what a subscription, or a single charge, comes to.
type Unmapped struct {
	Provider     fold.Provider
	Subject      string // what [Ledger.Map] is told
	ProductID    string
	Store        string
	Rows         int64
	AmountMicros int64 // net; what is not converted is not in it
	Unconverted  int64 // rows
	LastAt       time.Time
	PersonIDs    []string // by which a person is looked for
}

// UnmappedPage is a page of it, the newest first. After is what the next page is asked with; empty at the end.
type UnmappedPage struct {
	List  []Unmapped
	After string
}

// Unmapped returns a page of the money of an environment that has no person and that providers reported.
func (l *Ledger) Unmapped(ctx context.Context, environmentID int64, after string, limit int) (UnmappedPage, error) {
	offset := 0
	if after != "" {
		var err error
		if offset, err = strconv.Atoi(after); err != nil || offset < 0 {
			return UnmappedPage{}, fault.Invalid("after", "is not what a page ended with")
		}
	}
	rows, err := l.pool.Query(ctx, `
		select provider, coalesce(nullif(subscription_key, ''), nullif(refers_to, ''), transaction_key) as subject,
			max(product_id), max(store), count(*), coalesce(sum(amount_micros), 0)::bigint,
			count(*) filter (where amount_micros is null), max(occurred_at),
			(array_agg(to_jsonb(person_ids) order by occurred_at desc))[1]
		from revenue_ledger where environment_id = $1 and app_user_id = '' and source = 'webhook'
		group by 1, 2 order by 8 desc, 1, 2 offset $2 limit $3`, environmentID, offset, limit+1)
	if err != nil {
		return UnmappedPage{}, fmt.Errorf("read unmatched revenue: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (u Unmapped, err error) {
		return u, row.Scan(&u.Provider, &u.Subject, &u.ProductID, &u.Store, &u.Rows, &u.AmountMicros, &u.Unconverted,
			&u.LastAt, &u.PersonIDs)
	})
	if err != nil {
		return UnmappedPage{}, fmt.Errorf("read unmatched revenue: %w", err)
	}
	page := UnmappedPage{List: list}
	if len(list) > limit {
		page.List, page.After = list[:limit], strconv.Itoa(offset+limit)
	}
	return page, nil
}

// MapByHand is [Ledger.Map] in a transaction of its own, which record writes down what was said in.
func (l *Ledger) MapByHand(
	ctx context.Context, environmentID int64, p fold.Provider, subject, appUserID string, record func(tx pgx.Tx) error,
) error {
	return pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		if err := l.Map(ctx, tx, environmentID, p, subject, appUserID); err != nil {
			return err
		}
		return record(tx)
	})
}
