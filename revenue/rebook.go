package revenue

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/revenue/fold"
)

// outdated asks for deliveries that were booked by rules before [fold.Version]; the version stands in the query so that
// it is that of the index.
var outdated = fmt.Sprintf(` from provider_event where fold_version < %d`, fold.Version)

// Rebook books some of the deliveries again, with all that belong to them, that were booked by rules of an earlier
// version of the server, and reports whether there were any. So the ledger is right after an upgrade without anybody's
// doing; what arrives meanwhile waits for one transaction at most. Nobody is told: history is not news.
func (l *Ledger) Rebook(ctx context.Context) (did bool, err error) {
	var at place
	err = l.pool.QueryRow(ctx, `select environment_id, provider`+outdated+` limit 1`).Scan(&at.environment, &at.provider)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err == nil {
		err = pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
			b := l.book(tx, at.environment, at.provider)
			b.follower = nil
			if err := b.lock(ctx); err != nil {
				return err
			}
			return b.rebook(ctx)
		})
	}
	if err != nil {
		return false, fmt.Errorf("book deliveries again: %w", err)
	}
	return true, nil
}

// rebook reads some outdated deliveries anew and books them.
func (b *book) rebook(ctx context.Context) error {
	rows, err := b.tx.Query(ctx, `select event_id, body`+outdated+` and environment_id = $1 and provider = $2
		order by event_id limit $3`, b.environment, b.provider, maxTogether)
	if err != nil {
		return err
	}
	var known []opened
	verdicts := map[string]fold.Verdict{}
	var id string
	var body []byte
	var ids, keyed []string
	var keys []uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&id, &body}, func() error {
		envelope := fold.Open(b.provider, body)
		ids, verdicts[id] = append(ids, id), envelope.Verdict
		if envelope.Verdict.State == fold.Handled {
			known = append(known, opened{id: id, envelope: envelope})
			for _, key := range envelope.Keys {
				keys, keyed = append(keys, key), append(keyed, id)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if _, err := b.tx.Exec(ctx, `
		delete from provider_event_key where environment_id = $1 and provider = $2 and event_id = any ($3)`,
		b.environment, b.provider, ids); err != nil {
		return err
	}
	if err := b.putKeys(ctx, keys, keyed); err != nil {
		return err
	}
	if err := b.setVerdicts(ctx, verdicts); err != nil {
		return err
	}
	_, err = b.bookAll(ctx, known)
	return err
}

// putKeys says which deliveries have which keys, by their places.
func (b *book) putKeys(ctx context.Context, keys []uuid.UUID, eventIDs []string) error {
	_, err := b.tx.Exec(ctx, `
		insert into provider_event_key (environment_id, provider, key, event_id)
		select $1, $2, key, event_id from unnest($3::uuid[], $4::text[]) as k (key, event_id)`,
		b.environment, b.provider, keys, eventIDs)
	return err
}
