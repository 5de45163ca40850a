// Package moneyoracle makes worlds of people who pay, tells them as billing providers do, and computes figures of
// revenue naively of what happened: it knows neither the ledger nor how figures are computed of it.
package moneyoracle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/fold"
)

// World is what truly happened in a made-up app.
type World struct {
	Rand       *rand.Rand
	Start, Now time.Time
	Deliveries []Delivery           // in no order, some twice
	FirstSeen  map[string]time.Time // of people with a first touch
	Subs       []*Sub
	acquired   map[string]acquisition // the same people
	runs       []*servedRun
	identities map[string]string // people by the id by which RevenueCat knows them
	n          int
}

// Delivery is what a provider tells.
type Delivery struct {
	Provider fold.Provider
	Body     []byte
}

// Sub is a subscription.
type Sub struct {
	Provider                            fold.Provider
	id, person, store, product, country string
	currency                            string // of Stripe; only dollars are converted
	days                                int
	autoRenew                           bool
	movesAt                             time.Time // when it is transferred to another person; zero when it is not
	movesTo                             string
	Spans                               []*Span
	version, arm                        string // of the run that sold it
}

// acquisition is where somebody came from, and what reports name that.
type acquisition struct{ source, medium, channel string }

var acquisitions = []acquisition{
	{"google", "cpc", "Paid Search"}, {"news", "email", "Email"}, {"google", "organic", "Organic Search"},
	{"", "", "Direct"},
}

// Span is a period of a subscription.
type Span struct {
	person             string
	channel            string // by which the person came; empty without a first touch
	transaction        string
	start, end, access time.Time // access ends when the provider says so, else with the period
	trial              bool
	plan               int64 // cents that a whole period costs
	cents              int64 // that were paid; 0 when nothing was, or a balance paid
	changes            bool  // the plan within the period of the one before
	isUnconverted      bool
	moves              []move
	isRefunded         bool
}

// move is money that was taken back, or given back after that.
type move struct {
	at         time.Time
	cents      int64 // negative is taken back
	chargeback bool
}

// servedRun is a run of a flow.
type servedRun struct {
	person                        string
	start                         time.Time
	flow, id, version, experiment uuid.UUID
	variant                       string
	surface                       bool
}

// Ids of what runs are served.
var (
	Versions = []uuid.UUID{
		uuid.MustParse("11111111-1111-4111-8111-111111111111"), uuid.MustParse("22222222-2222-4222-8222-222222222222"),
	}
	Experiment = uuid.MustParse("33333333-3333-4333-8333-333333333333")
	flowID     = uuid.MustParse("44444444-4444-4444-8444-444444444444")
)

// Stores are what each provider reports.
var Stores = map[fold.Provider][]string{
	fold.RevenueCat: {"app_store", "mac_app_store"}, fold.Superwall: {"play_store", "paddle"}, fold.Stripe: {"stripe"},
}

// purchaseWindow is that of an app that did not set it.
const purchaseWindow = 3 * 24 * time.Hour

func (s *Sub) customer(p *Span) string {
	if p.person != "" {
		return p.person
	}
	return "nobody " + string(s.Provider) + s.id
}

func (s *Sub) personAt(t time.Time) string {
	if !s.movesAt.IsZero() && !t.Before(s.movesAt) {
		return s.movesTo
	}
	return s.person
}

const days = 200 // of a world

// New makes a world that goes on until now.
func New(seed uint64, now time.Time) *World {
	w := &World{
		Rand: rand.New(rand.NewPCG(seed, 1)), Start: now.AddDate(0, 0, -days), Now: now, FirstSeen: map[string]time.Time{},
		identities: map[string]string{}, acquired: map[string]acquisition{},
	}
	people := []string{"", "ann", "bob", "cem", "dia", "eva"}
	for _, person := range people[1:] {
		if w.Rand.IntN(4) > 0 {
			w.FirstSeen[person] = w.Start.Add(time.Duration(w.Rand.IntN(150*24)) * time.Hour)
			w.acquired[person] = acquisitions[w.Rand.IntN(len(acquisitions))]
		}
	}
	for i := range 3 + w.Rand.IntN(12) {
		s := &Sub{
			Provider: []fold.Provider{fold.RevenueCat, fold.Superwall, fold.Stripe}[w.Rand.IntN(3)], id: fmt.Sprint("s", i),
			person: people[w.Rand.IntN(len(people))], country: []string{"DE", "US", ""}[w.Rand.IntN(3)],
			product: []string{"basic", "pro"}[w.Rand.IntN(2)], days: []int{7, 30, 91, 365}[w.Rand.IntN(4)],
			autoRenew: true, currency: "usd",
		}
		s.store = Stores[s.Provider][w.Rand.IntN(len(Stores[s.Provider]))]
		if s.Provider == fold.Stripe {
			if w.Rand.IntN(4) == 0 {
				s.currency = "eur"
			}
		}
		w.live(s)
		w.sell(s)
		w.Subs = append(w.Subs, s)
	}
	w.Rand.Shuffle(len(w.Deliveries), func(i, j int) {
		w.Deliveries[i], w.Deliveries[j] = w.Deliveries[j], w.Deliveries[i]
	})
	for _, again := range w.Rand.Perm(len(w.Deliveries))[:len(w.Deliveries)/4] {
		w.Deliveries = append(w.Deliveries, w.Deliveries[again])
	}
	for _, s := range w.Subs { // whatever runs others led to take part
		first := s.firstPaid()
		if s.Spans[0].trial {
			first = s.Spans[0]
		}
		if first != nil {
			s.version, s.arm = w.soldBy(first)
		}
		for _, p := range s.Spans {
			p.channel = w.acquired[p.person].channel
		}
	}
	return w
}

func (w *World) hours(most int) time.Duration { return time.Duration(w.Rand.IntN(most)) * time.Hour }

// sell makes runs around the begin of a subscription.
func (w *World) sell(s *Sub) {
	first := s.Spans[0]
	for range w.Rand.IntN(4) {
		r := &servedRun{
			person: first.person,
			start:  first.start.Add(24*time.Hour - w.hours(6*24) - time.Duration(len(w.runs)+1)*time.Second),
			flow:   flowID, id: uuid.New(), version: Versions[w.Rand.IntN(len(Versions))], surface: w.Rand.IntN(2) == 0,
		}
		if w.Rand.IntN(2) == 0 {
			r.experiment, r.variant = Experiment, []string{"control", "b"}[w.Rand.IntN(2)]
		}
		if r.person != "" {
			w.runs = append(w.runs, r)
		}
	}
}

// soldBy returns the version and the arm of the run that a first period belongs to.
func (w *World) soldBy(p *Span) (version, arm string) {
	var found *servedRun
	for _, r := range w.runs {
		if r.person != p.person || r.start.After(p.start) || !p.start.Before(r.start.Add(purchaseWindow)) {
			continue
		}
		if found == nil || r.surface && !found.surface || r.surface == found.surface && r.start.After(found.start) {
			found = r
		}
	}
	if found == nil {
		return "", ""
	}
	if found.experiment != uuid.Nil {
		arm = found.experiment.String() + "/" + found.variant
	}
	return found.version.String(), arm
}

// live makes the periods of a subscription and tells them.
func (w *World) live(s *Sub) {
	start := w.Start.Add(w.hours(180 * 24))
	if s.Provider == fold.RevenueCat && s.person != "" && w.Rand.IntN(2) == 0 {
		s.movesAt, s.movesTo = start.Add(w.hours(90*24)+30*time.Minute), []string{"ann", "bob", "fay"}[w.Rand.IntN(3)]
		w.transfer(s)
	}
	cents := int64(100 + 10*w.Rand.IntN(900))
	if w.Rand.IntN(2) == 0 {
		p := &Span{
			transaction: s.id + ".trial", start: start, end: start.AddDate(0, 0, 7), trial: true, person: s.personAt(start),
		}
		p.access = p.end
		s.Spans = append(s.Spans, p)
		start = p.end
		cancelled := w.Rand.IntN(3) == 0
		w.tellTrial(s, p, cancelled)
		if cancelled {
			s.autoRenew = false
			return
		}
	}
	for n := 0; (start.Before(w.Now) || n == 0 && len(s.Spans) == 0) && n < 1+w.Rand.IntN(8); n++ {
		p := &Span{
			transaction: fmt.Sprint(s.id, ".", n), start: start, end: start.AddDate(0, 0, s.days), plan: cents, cents: cents,
			person: s.personAt(start), isUnconverted: s.currency != "usd",
		}
		if s.Provider == fold.Stripe && w.Rand.IntN(5) == 0 { // a balance pays some or all of it
			p.cents = []int64{0, cents / 20 * 10}[w.Rand.IntN(2)]
		}
		p.access = p.end
		s.Spans = append(s.Spans, p)
		w.tellCharge(s, p)
		if start = p.end; w.Rand.IntN(5) == 0 {
			start = start.AddDate(0, 0, 1+w.Rand.IntN(40)) // lapsed, and came back
		}
		if s.Provider == fold.Stripe && w.Rand.IntN(5) == 0 {
			cents = w.change(s, p)
		}
		if w.Rand.IntN(4) == 0 {
			cents = int64(100 + 10*w.Rand.IntN(900))
		}
		switch {
		case p.cents == 0:
		case w.Rand.IntN(4) == 0:
			w.refund(s, p)
		case s.Provider == fold.Stripe && w.Rand.IntN(5) == 0:
			w.dispute(p, s.currency)
		}
	}
}

// change changes the plan within a period, and returns the new price in cents. What was not used of the old plan is
// given back: as part of what the new one costs, and to the balance beyond that. Cash is in tens of cents, of which a
// tenth is tax.
func (w *World) change(s *Sub, old *Span) (cents int64) {
	cents = int64(100 + 10*w.Rand.IntN(900))
	hours := s.days * 24
	used := 1 + w.Rand.IntN(hours*3/4)
	part := func(price int64) int64 { return (2*price*int64(hours-used) + int64(hours)) / int64(2*hours) }
	p := &Span{
		transaction: old.transaction + "c", start: old.start.Add(time.Duration(used) * time.Hour), end: old.end,
		plan: cents, cents: max(0, part(cents)-part(old.plan)) / 10 * 10, access: old.end, changes: true,
		isUnconverted: s.currency != "usd",
	}
	p.person = s.personAt(p.start)
	s.Spans = append(s.Spans, p)
	w.tellChange(s, p, part(cents), part(old.plan))
	return cents
}

// refund takes a charge back, and sometimes gives it again.
func (w *World) refund(s *Sub, p *Span) {
	at := p.start.Add(time.Hour + w.hours(24*9))
	p.moves, p.isRefunded = append(p.moves, move{at: at, cents: -p.cents}), true
	w.tellRefund(s, p, at)
	switch {
	case s.Provider != fold.Superwall && w.Rand.IntN(3) == 0:
		again := at.Add(time.Hour + w.hours(24*20))
		p.moves, p.isRefunded = append(p.moves, move{at: again, cents: p.cents}), false
		w.tellRefundReversal(s, p, again)
	case s.Provider != fold.Stripe && w.Rand.IntN(2) == 0 && at.Before(p.end):
		p.access = at
		w.line(s, p, "EXPIRATION", "expiration", p.access, p.access, 0)
	}
}

// dispute takes a charge back by the bank, and sometimes gives it again.
func (w *World) dispute(p *Span, currency string) {
	at := p.start.Add(time.Hour + w.hours(24*30))
	p.moves = append(p.moves, move{at: at, cents: -p.cents, chargeback: true})
	w.tellDispute(p, currency, "charge.dispute.funds_withdrawn", at)
	if w.Rand.IntN(2) == 0 {
		at = at.Add(time.Hour + w.hours(24*30))
		p.moves = append(p.moves, move{at: at, cents: p.cents, chargeback: true})
		w.tellDispute(p, currency, "charge.dispute.funds_reinstated", at)
	}
}

// Scope makes up a scope without an environment.
func (w *World) Scope() figures.Scope {
	zones := []string{"UTC", "America/New_York", "Asia/Kolkata"}
	zone, err := time.LoadLocation(zones[w.Rand.IntN(len(zones))])
	if err != nil {
		panic(err)
	}
	start := w.Start.AddDate(0, 0, w.Rand.IntN(150))
	scope := figures.Scope{
		Start: start, End: start.AddDate(0, 0, 1+w.Rand.IntN(120)), Location: zone,
		Basis: []figures.Basis{figures.ByEvent, figures.ByCharge}[w.Rand.IntN(2)],
	}
	if scope.End.After(w.Now) {
		scope.End = w.Now
	}
	if w.Rand.IntN(3) > 0 {
		filters := []figures.Filter{
			{Dimension: figures.Provider, Values: []string{"stripe", "superwall"}},
			{Dimension: figures.Product, Values: []string{"pro"}},
			{Dimension: figures.Store, Values: []string{"stripe", "app_store"}},
			{Dimension: figures.PeriodLength, Values: []string{"P1M", "P1W"}},
			{Dimension: figures.Country, Values: []string{"DE", ""}},
			{Dimension: figures.FlowVersion, Values: []string{Versions[0].String()}},
			{Dimension: figures.ExperimentArm, Values: []string{Experiment.String() + "/b", ""}},
		}
		w.Rand.Shuffle(len(filters), func(i, j int) { filters[i], filters[j] = filters[j], filters[i] })
		scope.Filters = filters[:1+w.Rand.IntN(2)]
	}
	return scope
}

// Store writes what no provider tells: visits, and whom ids of RevenueCat stand for.
func (w *World) Store(ctx context.Context, db *pgxpool.Pool, environment int64) error {
	for external, person := range w.identities {
		if _, err := db.Exec(ctx, `
			insert into billing_identity (environment_id, provider, external_id, app_user_id, linked_at, first_linked_at)
			values ($1, 'revenuecat', $2, $3, $4, $4)`, environment, external, person, w.Start); err != nil {
			return err
		}
	}
	return w.StoreVisits(ctx, db, environment)
}

// StoreVisits writes first touches and runs of flows.
func (w *World) StoreVisits(ctx context.Context, db *pgxpool.Pool, environment int64) error {
	for person, seen := range w.FirstSeen {
		if _, err := db.Exec(ctx, `
			insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
				session_started_at, session_id, source, medium, changed_xid)
			values ($1, $2, $3, 1, $3, 's', $4, $5, pg_current_xact_id())`,
			environment, person, seen, w.acquired[person].source, w.acquired[person].medium); err != nil {
			return err
		}
	}
	for _, r := range w.runs {
		row := r.row()
		if _, err := db.Exec(ctx, `
			insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day,
				hits, contexts, changed_xid)
			values ($1, $2, $3, $4, false, true, $5::timestamptz, $6, ($5::timestamptz at time zone 'UTC')::date, $7, $8,
				pg_current_xact_id())`,
			environment, r.person, r.flow, r.id, r.start, time.UnixMilli(row.LastAt), row.Hits, row.Contexts); err != nil {
			return err
		}
	}
	return nil
}

// row returns a run as it is stored.
func (r *servedRun) row() run.Row {
	event := func(name run.Name, at time.Time, seq int64) run.Row {
		return run.Of(&run.Event{
			Person: r.person, Flow: session.Key(r.flow), RunID: session.Key(r.id),
			Hit: run.Hit{Key: session.Key(uuid.New()), At: at.UnixMilli(), Seq: seq, Name: name},
			Context: run.Context{Release: run.Release{
				Channel: 1, Version: session.Key(r.version), AssignmentVersion: -1, Experiment: session.Key(r.experiment),
				Variant: r.variant,
			}},
		})
	}
	row := event(run.FlowStarted, r.start, 0)
	if r.surface {
		row = run.Merge(row, event(run.SurfacePresented, r.start.Add(time.Second), 1))
	}
	return row
}

// Choice says which periods the filters of a scope keep.
type Choice func(s *Sub, p *Span) bool

// Chosen returns what the filters of a scope keep.
func Chosen(scope figures.Scope) Choice {
	return func(s *Sub, p *Span) bool {
		return !slices.ContainsFunc(scope.Filters, func(f figures.Filter) bool {
			return !slices.Contains(f.Values, Values[f.Dimension](s, p))
		})
	}
}
