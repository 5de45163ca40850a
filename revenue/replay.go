package revenue

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/revenue/fold"
)

// Replayed is what a replay has read.
type Replayed struct {
	Deliveries int `json:"deliveries"`
	Ledger     int `json:"ledger"`  // rows that come from deliveries
	Periods    int `json:"periods"` // of subscriptions
}

// Replay folds all deliveries of an environment anew, in one transaction: a corrected rule corrects history. What was
// recorded by hand stays. Rows that come out as they were are not written. Nobody is told: history is not news.
func (l *Ledger) Replay(ctx context.Context, environmentID int64) (done Replayed, err error) {
	err = pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		for _, provider := range []fold.Provider{fold.RevenueCat, fold.Superwall, fold.Stripe} {
			b := l.book(tx, environmentID, provider)
			b.follower = nil
			if err := b.lock(ctx); err != nil {
				return err
			}
			deliveries, err := b.replay(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", provider, err)
			}
			done.Deliveries += deliveries
		}
		return tx.QueryRow(ctx, `
			select (select count(*) from revenue_ledger where environment_id = $1 and source = 'webhook'),
				(select count(*) from subscription_period where environment_id = $1)`, environmentID,
		).Scan(&done.Ledger, &done.Periods)
	})
	if err != nil {
		return done, fmt.Errorf("replay the deliveries of environment %d: %w", environmentID, err)
	}
	return done, nil
}

// replayPage is how many deliveries are read at a time.
const replayPage = 500

// replay reads what every delivery says of itself anew, and folds those together that belong together.
func (b *book) replay(ctx context.Context) (deliveries int, err error) {
	parent := map[string]string{} // of deliveries that are folded, by id
	first := map[uuid.UUID]string{}
	find := func(id string) string {
		for parent[id] != id {
			parent[id] = parent[parent[id]]
			id = parent[id]
		}
		return id
	}
	if _, err := b.tx.Exec(ctx, `
		delete from provider_event_key where environment_id = $1 and provider = $2`, b.environment, b.provider); err != nil {
		return 0, err
	}
	for after := ""; ; {
		ids, envelopes, err := b.open(ctx, after)
		if err != nil {
			return 0, err
		}
		if len(ids) == 0 {
			break
		}
		after = ids[len(ids)-1]
		deliveries += len(ids)
		var keys []uuid.UUID
		var events []string
		for i, id := range ids {
			parent[id] = id
			if envelopes[i].Verdict.State != fold.Handled {
				continue
			}
			for _, key := range envelopes[i].Keys {
				keys, events = append(keys, key), append(events, id)
				if other, known := first[key]; known {
					parent[find(id)] = find(other)
				} else {
					first[key] = id
				}
			}
		}
		if err := b.putKeys(ctx, keys, events); err != nil {
			return 0, err
		}
	}
	components := map[string][]string{}
	for id := range parent {
		root := find(id)
		components[root] = append(components[root], id)
	}
	for _, ids := range components {
		if _, err := b.write(ctx, ids); err != nil {
			return 0, err
		}
	}
	return deliveries, nil
}

// open reads a page of deliveries after one.
func (b *book) open(ctx context.Context, after string) (ids []string, envelopes []fold.Envelope, err error) {
	rows, err := b.tx.Query(ctx, `
		select event_id, body from provider_event where environment_id = $1 and provider = $2 and event_id > $3
		order by event_id limit $4`, b.environment, b.provider, after, replayPage)
	if err != nil {
		return nil, nil, err
	}
	var id string
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &body}, func() error {
		ids, envelopes = append(ids, id), append(envelopes, fold.Open(b.provider, body))
		return nil
	})
	return ids, envelopes, err
}
