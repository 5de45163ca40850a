package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// dueEach is how often subscriptions are looked through for those that are due.
const dueEach = time.Minute

// Renew has providers go on, until the context ends, with the subscriptions of the app's live environment that fall
// due: most are paid again, the others end.
func (s *Seeder) Renew(ctx context.Context, app uuid.UUID, baseURL string) {
	env, err := s.readLiveEnvironment(ctx, app)
	if err != nil {
		s.Logger.Error("demo subscriptions can't be renewed", "error", err)
		return
	}
	billing := &Billing{Pool: s.DB.Pool, Ring: s.Ring, BaseURL: baseURL}
	for {
		if err := billing.renew(ctx, env.ID, time.Now()); err != nil && ctx.Err() == nil {
			s.Logger.Warn("demo subscriptions were not renewed; tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(dueEach):
		}
	}
}

// renew delivers what has become of the subscriptions by a time that were due before.
func (b *Billing) renew(ctx context.Context, environmentID int64, now time.Time) error {
	list, err := b.due(ctx, environmentID, now)
	if err != nil {
		return fmt.Errorf("look for subscriptions that are due: %w", err)
	}
	for _, d := range list {
		known := len(d.Deliveries(d.lastStart))
		d.Payments = d.paymentsBy(now, d.paid)
		for _, news := range d.Deliveries(now)[known:] {
			err := b.deliver(ctx, sourceKey{environmentID, news.Provider}, news)
			if errors.Is(err, errNoSource) {
				break // somebody has ended the connection
			}
			if err != nil {
				return fmt.Errorf("deliver %s of %s: %w", news.ID, news.Provider, err)
			}
		}
	}
	return nil
}

// dueSubscription is a purchase whose last period is over without a word of its end.
type dueSubscription struct {
	Purchase
	paid      int       // payments so far
	lastStart time.Time // of the last period
}

// due reads what the demo's providers sold before and is due by a time. Whatever was not made up is left alone.
func (b *Billing) due(ctx context.Context, environmentID int64, now time.Time) (list []dueSubscription, err error) {
	rows, err := b.Pool.Query(ctx, `
		select provider, subscription_key, max(app_user_id), max(store), max(product_id), max(country), min(starts_at),
			bool_or(period_type = 'trial'), count(*) filter (where period_type <> 'trial'), max(starts_at)
		from subscription_period where environment_id = $1 group by provider, subscription_key
		having max(ends_at) <= $2 and (array_agg(auto_renew and ended_at is null order by starts_at desc))[1]
		order by max(ends_at)`, environmentID, now)
	if err != nil {
		return nil, err
	}
	d, key := dueSubscription{}, ""
	_, err = pgx.ForEachRow(rows, []any{
		&d.Provider, &key, &d.AppUserID, &d.Store, &d.ProductID, &d.Country, &d.At, &d.Trial, &d.paid, &d.lastStart,
	}, func() error {
		id, err := uuid.Parse(strings.TrimPrefix(strings.TrimPrefix(key, "demo-"), "sub_"))
		if _, sold := prices[d.ProductID]; err == nil && sold {
			d.ID, d.Payments = id.String(), endless
			list = append(list, d)
		}
		return nil
	})
	return list, err
}

// Shares of subscriptions that are paid again when they are due, and of trials that are paid for.
const (
	renewed   = 0.9
	converted = 0.6
)

// paymentsBy returns how many payments a subscription has, of which some were made, as far as a time decides that.
func (p Purchase) paymentsBy(now time.Time, paid int) int {
	start := p.At
	if p.Trial {
		start = start.Add(freeWeek)
	}
	for ; !p.renewal(start, paid).After(now); paid++ {
		goesOn := renewed
		if paid == 0 {
			goesOn = converted
		}
		if share(fmt.Sprintf("%s is paid again after %d", p.ID, paid)) >= goesOn {
			return paid
		}
	}
	return endless
}
