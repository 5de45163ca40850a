package figures_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/fold"
)

// world is what truly happened in a made-up app. It is told by the deliveries of providers, and figures are computed
// of it naively: neither knows of the other.
type world struct {
	rng       *rand.Rand
	now       time.Time
	firstSeen map[string]time.Time
	subs      []*sub
	told      []told
	n         int
}

type told struct {
	provider fold.Provider
	body     []byte
}

type sub struct {
	provider                            fold.Provider
	id, person, store, product, country string
	days                                int
	autoRenew                           bool
	periods                             []*span
}

type span struct {
	transaction        string
	start, end, access time.Time // access ends when the provider says so, else with the period
	trial              bool
	cents              int64
	refundedAt         time.Time
}

func (s *sub) customer() string {
	if s.person != "" {
		return s.person
	}
	return "nobody " + string(s.provider) + s.id
}

var monthlyParts = map[int][2]int64{7: {4, 1}, 30: {1, 1}, 91: {1, 3}, 365: {1, 12}}

var lengthNames = map[int]string{7: "P1W", 30: "P1M", 91: "P3M", 365: "P1Y"}

const storeTax, storeCommission = 100_000, 150_000 // ppm

func newWorld(seed uint64) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 1)), now: at(200), firstSeen: map[string]time.Time{}}
	people := []string{"", "ann", "bob", "cem", "dia", "eva"}
	for _, person := range people[1:] {
		if w.rng.IntN(4) > 0 {
			w.firstSeen[person] = at(1).Add(time.Duration(w.rng.IntN(150*24)) * time.Hour)
		}
	}
	for i := range 3 + w.rng.IntN(12) {
		s := &sub{
			provider: []fold.Provider{fold.RevenueCat, fold.Superwall, fold.Stripe}[w.rng.IntN(3)], id: fmt.Sprint("s", i),
			person: people[w.rng.IntN(len(people))], country: []string{"DE", "US", ""}[w.rng.IntN(3)],
			product: []string{"basic", "pro"}[w.rng.IntN(2)], days: []int{7, 30, 91, 365}[w.rng.IntN(4)],
			store: []string{"app_store", "play_store"}[w.rng.IntN(2)], autoRenew: true,
		}
		if s.provider == fold.Stripe {
			s.store = "stripe"
		}
		w.live(s)
		w.subs = append(w.subs, s)
	}
	w.rng.Shuffle(len(w.told), func(i, j int) { w.told[i], w.told[j] = w.told[j], w.told[i] })
	for _, again := range w.rng.Perm(len(w.told))[:len(w.told)/4] {
		w.told = append(w.told, w.told[again])
	}
	return w
}

// live makes the periods of a subscription and tells them.
func (w *world) live(s *sub) {
	start := at(1).Add(time.Duration(w.rng.IntN(180*24)) * time.Hour)
	cents := int64(100 + 10*w.rng.IntN(900))
	if w.rng.IntN(2) == 0 {
		p := &span{transaction: s.id + ".trial", start: start, end: start.AddDate(0, 0, 7), trial: true}
		p.access = p.end
		s.periods = append(s.periods, p)
		start = p.end
		cancelled := w.rng.IntN(3) == 0
		w.tellTrial(s, p, cancelled)
		if cancelled {
			s.autoRenew = false
			return
		}
	}
	for n := 0; start.Before(w.now) && n < 1+w.rng.IntN(8); n++ {
		p := &span{transaction: fmt.Sprint(s.id, ".", n), start: start, end: start.AddDate(0, 0, s.days), cents: cents}
		p.access = p.end
		s.periods = append(s.periods, p)
		w.tellCharge(s, p, n)
		if start = p.end; w.rng.IntN(5) == 0 {
			start = start.AddDate(0, 0, 1+w.rng.IntN(40)) // lapsed, and came back
		}
		if w.rng.IntN(4) == 0 {
			cents = int64(100 + 10*w.rng.IntN(900))
		}
		if w.rng.IntN(5) == 0 {
			p.refundedAt = p.start.Add(time.Duration(1+w.rng.IntN(24*9)) * time.Hour)
			w.tellRefund(s, p)
			if s.provider != fold.Stripe && w.rng.IntN(2) == 0 && p.refundedAt.Before(p.end) {
				p.access = p.refundedAt
				w.line(s, p, "EXPIRATION", "expiration", p.access, p.access, 0)
			}
		}
	}
}

func (w *world) tell(p fold.Provider, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	w.told = append(w.told, told{p, text})
}

type object = map[string]any

// line tells something of RevenueCat or Superwall.
func (w *world) line(s *sub, p *span, revenueCat, superwall string, happened, expires time.Time, cents int64) {
	w.n++
	kind := "NORMAL"
	if p.trial {
		kind = "TRIAL"
	}
	paidBefore := slices.ContainsFunc(s.periods, func(o *span) bool { return !o.trial && o.start.Before(p.start) })
	converts := !p.trial && !paidBefore && s.periods[0].trial
	price := float64(cents) / 100
	if s.provider == fold.Superwall {
		d := object{"id": fmt.Sprint("e", w.n), "name": superwall, "price": price, "currencyCode": "USD", "periodType": kind,
			"isTrialConversion": converts, "productId": s.product, "transactionId": p.transaction, "originalTransactionId": s.id,
			"purchasedAt": p.start.UnixMilli(), "expirationAt": expires.UnixMilli(), "ts": happened.UnixMilli(),
			"store": s.store, "environment": "PRODUCTION", "countryCode": s.country, "taxPercentage": 0.1,
			"commissionPercentage": 0.15}
		if s.person != "" {
			d["userAttributes"] = object{"svc_app_user_id": s.person}
		}
		w.tell(s.provider, object{"object": "event", "type": superwall, "data": d})
		return
	}
	e := object{"id": fmt.Sprint("e", w.n), "type": revenueCat, "price": price, "currency": "USD", "period_type": kind,
		"is_trial_conversion": converts, "product_id": s.product, "transaction_id": p.transaction,
		"original_transaction_id": s.id, "purchased_at_ms": p.start.UnixMilli(), "expiration_at_ms": expires.UnixMilli(),
		"event_timestamp_ms": happened.UnixMilli(), "store": s.store, "environment": "PRODUCTION", "country_code": s.country,
		"tax_percentage": 0.1, "commission_percentage": 0.15}
	if s.person != "" {
		e["subscriber_attributes"] = object{"svc_app_user_id": object{"value": s.person}}
	}
	w.tell(s.provider, object{"api_version": "1.0", "event": e})
}

// stripe tells an event of Stripe.
func (w *world) stripe(kind string, happened time.Time, of object) {
	w.n++
	w.tell(fold.Stripe, object{"id": fmt.Sprint("evt_", w.n), "object": "event", "type": kind, "created": happened.Unix(),
		"livemode": true, "data": object{"object": of}})
}

func (s *sub) metadata() object {
	if s.person == "" {
		return object{}
	}
	return object{"svc_app_user_id": s.person}
}

func (w *world) tellTrial(s *sub, p *span, cancelled bool) {
	cancelledAt := p.start.Add(50 * time.Hour)
	if s.provider != fold.Stripe {
		w.line(s, p, "INITIAL_PURCHASE", "initial_purchase", p.start, p.end, 0)
		if cancelled {
			w.line(s, p, "CANCELLATION", "cancellation", cancelledAt, p.end, 0)
		}
		return
	}
	subscription := object{"id": s.id, "object": "subscription", "status": "trialing", "customer": "cus " + s.id,
		"trial_start": p.start.Unix(), "trial_end": p.end.Unix(), "metadata": s.metadata(),
		"items": object{"data": []object{{"price": object{"product": s.product}}}}}
	w.stripe("customer.subscription.created", p.start, subscription)
	if cancelled {
		subscription["cancel_at_period_end"] = true
		w.stripe("customer.subscription.updated", cancelledAt, subscription)
	}
}

func (w *world) tellCharge(s *sub, p *span, n int) {
	if s.provider != fold.Stripe {
		if len(s.periods) == 1 {
			w.line(s, p, "INITIAL_PURCHASE", "initial_purchase", p.start, p.end, p.cents)
		} else {
			w.line(s, p, "RENEWAL", "renewal", p.start, p.end, p.cents)
		}
		return
	}
	reason := "subscription_cycle"
	if len(s.periods) == 1 {
		reason = "subscription_create"
	}
	w.stripe("invoice.paid", p.start, object{"id": p.transaction, "object": "invoice", "customer": "cus " + s.id,
		"amount_paid": p.cents, "currency": "usd", "billing_reason": reason, "created": p.start.Unix(),
		"status_transitions": object{"paid_at": p.start.Unix()}, "customer_address": object{"country": s.country},
		"total_taxes": []object{{"amount": p.cents / 10}},
		"parent":      object{"subscription_details": object{"subscription": s.id, "metadata": s.metadata()}},
		"lines": object{"data": []object{{"amount": p.cents, "period": object{"start": p.start.Unix(), "end": p.end.Unix()},
			"pricing": object{"price_details": object{"product": s.product}},
			"parent":  object{"subscription_item_details": object{"subscription": s.id}}}}}})
	w.stripe("invoice_payment.paid", p.start.Add(time.Second), object{"id": "ip " + p.transaction,
		"object": "invoice_payment", "invoice": p.transaction, "payment": object{"payment_intent": "pi " + p.transaction}})
}

func (w *world) tellRefund(s *sub, p *span) {
	if s.provider != fold.Stripe {
		w.line(s, p, "CANCELLATION", "cancellation", p.refundedAt, p.end, -p.cents)
		return
	}
	w.stripe("refund.created", p.refundedAt, object{"id": "re " + p.transaction, "object": "refund", "amount": p.cents,
		"currency": "usd", "status": "succeeded", "created": p.refundedAt.Unix(), "payment_intent": "pi " + p.transaction})
}

// The naive figures.

type choice func(s *sub, p *span) bool

func within(t, from, to time.Time) bool { return !t.Before(from) && t.Before(to) }

func (w *world) totals(scope figures.Scope, chosen choice) (t figures.Totals) {
	customers := map[string]bool{}
	first := map[string]time.Time{}
	for _, s := range w.subs {
		for _, p := range s.periods {
			if known, is := first[s.customer()]; !p.trial && (!is || p.start.Before(known)) {
				first[s.customer()] = p.start
			}
		}
	}
	for _, s := range w.subs {
		for _, p := range s.periods {
			if p.trial || !chosen(s, p) {
				continue
			}
			row := func(micros int64) {
				t.Tax += micros * storeTax / 1e6
				if s.provider == fold.Stripe {
					t.CommissionUnknown++
				} else {
					t.Commission += micros * storeCommission / 1e6
				}
				if s.person == "" {
					t.WithoutPersonRows++
					t.WithoutPerson += micros
				}
			}
			micros := p.cents * 10_000
			if within(p.start, scope.Start, scope.End) {
				row(micros)
				t.Gross += micros
				t.Transactions++
				customers[s.customer()] = true
				if p.start.Equal(first[s.customer()]) {
					t.New += micros
				}
				if !p.refundedAt.IsZero() {
					t.Refunded++
				}
			}
			counts := p.refundedAt
			if scope.Basis == figures.ByCharge {
				counts = p.start
			}
			if !p.refundedAt.IsZero() && within(counts, scope.Start, scope.End) {
				row(-micros)
				t.Refunds += micros
			}
		}
	}
	t.Customers = int64(len(customers))
	return t
}

// access is when a subscription has access by its n-th period.
func (s *sub) access(n int) (from, to time.Time) {
	p := s.periods[n]
	to = p.access
	if n+1 < len(s.periods) && s.periods[n+1].start.Before(to) {
		to = s.periods[n+1].start
	}
	return p.start, to
}

// activeAt returns the period by which a subscription has access just before a time; nil for none.
func (s *sub) activeAt(t time.Time) *span {
	for n := range s.periods {
		if from, to := s.access(n); from.Before(t) && !to.Before(t) {
			return s.periods[n]
		}
	}
	return nil
}

func (s *sub) monthly(p *span) int64 {
	part := monthlyParts[s.days]
	return (2*p.cents*10_000*part[0] + part[1]) / (2 * part[1])
}

func (w *world) state(t time.Time, chosen choice) (state figures.State) {
	for _, s := range w.subs {
		p := s.activeAt(t)
		switch {
		case p == nil || !chosen(s, p):
		case p.trial:
			state.Trials++
		default:
			state.Active++
			state.MRR += s.monthly(p)
		}
	}
	return state
}

func (w *world) point(from, to time.Time, chosen choice) (out figures.SubscriptionPoint) {
	out.State, out.ActiveAtStart = w.state(to, chosen), w.state(from, chosen).Active
	type customer struct {
		before, after int64
		first         time.Time
	}
	customers := map[string]*customer{}
	for _, s := range w.subs {
		c := customers[s.customer()]
		if c == nil {
			c = &customer{}
			customers[s.customer()] = c
		}
		expired := false
		for n, p := range s.periods {
			if p.trial || !chosen(s, p) {
				continue
			}
			start, end := s.access(n)
			expired = expired || within(end, from, to)
			if start.Before(end) && (c.first.IsZero() || start.Before(c.first)) {
				c.first = start
			}
		}
		if p := s.activeAt(from); p != nil && !p.trial && chosen(s, p) {
			c.before += s.monthly(p)
		}
		p := s.activeAt(to)
		if p != nil && !p.trial && chosen(s, p) {
			c.after += s.monthly(p)
		} else if expired {
			out.Churned++
		}
	}
	for _, c := range customers {
		switch change := c.after - c.before; {
		case c.before == 0 && change > 0 && !c.first.Before(from):
			out.Movement.New += change
		case c.before == 0 && change > 0:
			out.Movement.Reactivation += change
		case change > 0:
			out.Movement.Expansion += change
		case change < 0 && c.after > 0:
			out.Movement.Contraction -= change
		case change < 0:
			out.Movement.Churn -= change
		}
	}
	return out
}

func (w *world) trials(scope figures.Scope, chosen choice) (t figures.Trials) {
	for _, s := range w.subs {
		if p := s.periods[0]; p.trial && within(p.start, scope.Start, scope.End) && chosen(s, p) {
			t.Started++
			switch {
			case len(s.periods) > 1:
				t.Converted++
			case s.autoRenew && p.end.After(w.now):
				t.Pending++
			}
		}
	}
	return t
}

func (w *world) lifetime(scope figures.Scope, last int, chosen choice) []figures.LifetimeValue {
	values := make([]figures.LifetimeValue, last+1)
	for day := range values {
		v := &values[day]
		v.Day = day
		for person, seen := range w.firstSeen {
			end := seen.Add(time.Duration(day+1) * 24 * time.Hour)
			if !within(seen, scope.Start, scope.End) || end.After(w.now) {
				continue
			}
			v.Customers++
			paid := false
			for _, s := range w.subs {
				for _, p := range s.periods {
					if s.person != person || p.trial || !chosen(s, p) {
						continue
					}
					refunded := p.refundedAt
					if scope.Basis == figures.ByCharge {
						refunded = p.start
					}
					if p.start.Before(end) {
						v.Net, paid = v.Net+p.cents*10_000, true
					}
					if !p.refundedAt.IsZero() && refunded.Before(end) {
						v.Net -= p.cents * 10_000
					}
				}
			}
			if paid {
				v.Paying++
			}
		}
	}
	return values
}

func (w *world) retention(scope figures.Scope) []figures.SubscriptionRetention {
	found := []figures.SubscriptionRetention{}
	for _, days := range []int{7, 30, 91, 365} {
		var list []figures.RetainedPeriod
		for _, s := range w.subs {
			paid := slices.DeleteFunc(slices.Clone(s.periods), func(p *span) bool { return p.trial })
			if s.days != days || len(paid) == 0 || !within(paid[0].start, scope.Start, scope.End) {
				continue
			}
			due := paid[len(paid)-1].end
			for period := 0; period < len(paid) || !due.After(w.now); period++ {
				if period == len(list) {
					list = append(list, figures.RetainedPeriod{Period: period})
				}
				list[period].Due++
				if period < len(paid) {
					list[period].Paid++
				} else {
					due = due.AddDate(0, 0, days)
				}
			}
		}
		if list != nil {
			found = append(found, figures.SubscriptionRetention{PeriodLength: lengthNames[days], Periods: list})
		}
	}
	return found
}

var naiveValues = map[figures.Dimension]func(s *sub, p *span) string{
	figures.Provider: func(s *sub, _ *span) string { return string(s.provider) },
	figures.Store:    func(s *sub, _ *span) string { return s.store },
	figures.Product:  func(s *sub, _ *span) string { return s.product },
	figures.Country: func(s *sub, p *span) string {
		if p.trial && s.provider == fold.Stripe {
			return "" // Stripe's subscriptions name none
		}
		return s.country
	},
	figures.PeriodLength: func(s *sub, p *span) string {
		if p.trial {
			return "P1W"
		}
		return lengthNames[s.days]
	},
}

func everything(*sub, *span) bool { return true }

// Whatever providers tell, in whatever order and however often, the figures are those of what happened.
func TestFiguresAreThoseOfWhatHappened(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	store := figures.NewLedgers(db.Pool, figures.Settings{})
	for seed := range uint64(12) {
		w := newWorld(seed)
		id := int64(100 + 2*seed)
		for _, d := range w.told {
			receipt, err := revenue.New(db.Pool, revenue.Options{}).Receive(context.Background(), revenue.Delivery{
				Provider: d.provider, Live: id, Test: id + 1, Body: d.body,
			})
			require.NoError(t, err)
			require.Equal(t, fold.Handled, receipt.Verdict.State, "%s: %s", receipt.Verdict.Reason, d.body)
		}
		for person, seen := range w.firstSeen {
			_, err := db.Pool.Exec(t.Context(), `
				insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
					session_started_at, session_id) values ($1, $2, $3, 1, $3, 's')`, id, person, seen)
			require.NoError(t, err)
		}
		for range 6 {
			w.compare(t, store.Reader(w.scope(id), w.now), seed)
		}
	}
}

func (w *world) scope(environment int64) figures.Scope {
	start := at(1).AddDate(0, 0, w.rng.IntN(150))
	scope := figures.Scope{
		EnvironmentID: environment, Start: start, End: start.AddDate(0, 0, 1+w.rng.IntN(120)), Location: time.UTC,
		Basis: []figures.Basis{figures.ByEvent, figures.ByCharge}[w.rng.IntN(2)],
	}
	if scope.End.After(w.now) {
		scope.End = w.now
	}
	if w.rng.IntN(2) == 0 {
		scope.Filters = []figures.Filter{[]figures.Filter{
			{Dimension: figures.Provider, Values: []string{"stripe", "superwall"}},
			{Dimension: figures.Product, Values: []string{"pro"}},
			{Dimension: figures.PeriodLength, Values: []string{"P1M", "P1W"}},
			{Dimension: figures.Country, Values: []string{"DE", ""}},
		}[w.rng.IntN(4)]}
	}
	return scope
}

func (w *world) compare(t *testing.T, of *figures.Reader, seed uint64) {
	t.Helper()
	ctx, scope := t.Context(), of.Scope()
	chosen := choice(everything)
	if len(scope.Filters) > 0 {
		f := scope.Filters[0]
		chosen = func(s *sub, p *span) bool { return slices.Contains(f.Values, naiveValues[f.Dimension](s, p)) }
	}
	where := fmt.Sprintf("seed %d, %+v", seed, scope)
	totals, err := of.Totals(ctx)
	require.NoError(t, err)
	require.Equal(t, w.totals(scope, chosen), *totals, where)

	grain := []analytics.Grain{analytics.Day, analytics.Week, analytics.Month}[w.rng.IntN(3)]
	series, err := of.Series(ctx, grain)
	require.NoError(t, err)
	bounds, err := analytics.Buckets(grain, scope.Start, scope.End, time.UTC)
	require.NoError(t, err)
	points, err := of.SubscriptionSeries(ctx, grain)
	require.NoError(t, err)
	require.Len(t, points, len(bounds)-1)
	require.Len(t, series, len(bounds)-1)
	for i := range series {
		part := scope
		if part.Start = bounds[i]; part.Start.Before(scope.Start) {
			part.Start = scope.Start
		}
		if part.End = bounds[i+1]; part.End.After(scope.End) {
			part.End = scope.End
		}
		require.Equal(t, figures.Point{Bucket: bounds[i], Totals: w.totals(part, chosen)}, series[i], where)
		want := w.point(part.Start, part.End, chosen)
		want.Bucket = bounds[i]
		require.Equal(t, want, points[i], where)
	}
	found, err := of.Subscriptions(ctx)
	require.NoError(t, err)
	want := w.point(scope.Start, scope.End, chosen)
	want.Bucket = scope.Start
	require.Equal(t, figures.Subscriptions{SubscriptionPoint: want, Trials: w.trials(scope, chosen)}, *found, where)
	m, before := want.Movement, w.state(scope.Start, chosen).MRR
	require.Equal(t, want.State.MRR, before+m.New+m.Reactivation+m.Expansion-m.Contraction-m.Churn, where)

	for by, valueOf := range naiveValues {
		rows, err := of.Breakdown(ctx, by)
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, row := range rows {
			seen[row.Value] = true
			mine := func(s *sub, p *span) bool { return chosen(s, p) && valueOf(s, p) == row.Value }
			require.Equal(t, figures.Row{
				Value: row.Value, Totals: w.totals(scope, mine), Subscriptions: w.state(scope.End, mine),
				Trials: w.trials(scope, mine),
			}, row, "%s by %s", where, by)
		}
		for _, s := range w.subs {
			for _, p := range s.periods {
				if !p.trial && chosen(s, p) && within(p.start, scope.Start, scope.End) {
					require.True(t, seen[valueOf(s, p)], "%s by %s", where, by)
				}
			}
		}
	}
	values, err := of.LifetimeValue(ctx, 40)
	require.NoError(t, err)
	require.Equal(t, w.lifetime(scope, 40, chosen), values, where)
	if len(scope.Filters) == 0 {
		retention, err := of.Retention(ctx)
		require.NoError(t, err)
		require.Equal(t, w.retention(scope), retention, where)
	}
}
