package figures_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/fold"
)

// sequence is what a provider tells of something, and the figures by month that were computed of it by hand. The files
// of testdata/sequences have them; its README says how they are written.
type sequence struct {
	name   string
	events [][]byte
	months []string // rows
}

type object = map[string]any

// TestSequencesComeToWhatIsRight delivers every sequence in order, backwards and mixed with repetitions.
func TestSequencesComeToWhatIsRight(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	store := figures.NewLedgers(db.Pool, figures.Settings{})
	environment := int64(1000)
	for _, provider := range []fold.Provider{fold.Stripe, fold.RevenueCat, fold.Superwall} {
		for _, s := range readSequences(t, provider) {
			for order := range 4 {
				environment += 2
				for _, i := range arrival(order, len(s.events)) {
					_, err := revenue.New(db.Pool, revenue.Options{}).Receive(t.Context(), revenue.Delivery{
						Provider: provider, Live: environment, Test: environment + 1, Body: s.events[i],
					})
					require.NoError(t, err)
				}
				assert.Equal(t, s.months, monthsOf(t, store, environment, s.months), "%s: %s, order %d", provider, s.name, order)
			}
		}
	}
}

// arrival returns the order in which events arrive: as they happened, backwards, or mixed, some of them twice.
func arrival(order, n int) (list []int) {
	for i := range n {
		list = append(list, i)
		if order == 1 {
			list[i] = n - 1 - i
		}
	}
	if order < 2 {
		return list
	}
	random := rand.New(rand.NewPCG(uint64(order), uint64(n)))
	for range n {
		list = append(list, random.IntN(n))
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// monthsOf returns the figures of the months of rows, written as they are.
func monthsOf(t *testing.T, store *figures.Ledgers, environment int64, rows []string) (found []string) {
	t.Helper()
	first, _, _ := strings.Cut(rows[0], " ")
	start := day(t, first+"-01")
	scope, err := figures.Scope{
		EnvironmentID: environment, Start: start, End: start.AddDate(0, len(rows), 0), Location: time.UTC,
	}.Resolve(start.AddDate(5, 0, 0))
	require.NoError(t, err)
	of := store.Reader(scope, start.AddDate(5, 0, 0))
	money, err := of.Series(t.Context(), analytics.Month)
	require.NoError(t, err)
	states, err := of.SubscriptionSeries(t.Context(), analytics.Month)
	require.NoError(t, err)
	for i, p := range money {
		m, s := p.Totals, states[i]
		row := p.Bucket.Format("2006-01")
		for _, micros := range []int64{m.Gross, m.Net(), m.New} {
			row += " " + dollars(micros)
		}
		row += fmt.Sprintf(" | %d %d %s %d |", s.State.Active, s.State.Trials, dollars(s.State.MRR), s.Churned)
		v := s.Movement
		for _, micros := range []int64{v.New, v.Reactivation, v.Expansion, v.Contraction, v.Churn} {
			row += " " + dollars(micros)
		}
		found = append(found, row)
	}
	return found
}

func dollars(micros int64) string {
	return strconv.FormatFloat(math.Round(float64(micros)/1e4)/100, 'f', -1, 64)
}

func day(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, text)
	require.NoError(t, err)
	return at
}

func readSequences(t *testing.T, provider fold.Provider) (list []sequence) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "sequences", string(provider)+".test"))
	require.NoError(t, err)
	tell := teller{t: t}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "sequence":
			list = append(list, sequence{name: strings.Join(words[1:], " ")})
		case len(words[0]) == len("2026-01"):
			s := &list[len(list)-1]
			s.months = append(s.months, strings.Join(words, " "))
		default:
			s := &list[len(list)-1]
			for _, body := range tell.event(provider, words) {
				text, err := json.Marshal(body)
				require.NoError(t, err)
				s.events = append(s.events, text)
			}
		}
	}
	require.NotEmpty(t, list)
	return list
}

// teller writes what happens as providers do.
type teller struct {
	t *testing.T
	n int
}

func (w *teller) event(provider fold.Provider, words []string) []object {
	happened, more := day(w.t, words[0]).Add(time.Hour), map[string][]string{}
	for _, word := range words[4:] {
		name, value, _ := strings.Cut(word, "=")
		more[name] = append(more[name], value)
	}
	if provider == fold.Stripe {
		return w.stripe(happened, words[1], words[2], words[3], more)
	}
	return []object{w.line(provider, happened, words[1], words[2], words[3], more)}
}

func one(more map[string][]string, name, otherwise string) string {
	if list := more[name]; len(list) > 0 {
		return list[0]
	}
	return otherwise
}

func (w *teller) number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	require.NoError(w.t, err)
	return n
}

func (w *teller) cents(text string) int64 { return int64(math.Round(w.number(text) * 100)) }

// line tells something of a store: a type, the subscription and the transaction.
func (w *teller) line(
	provider fold.Provider, happened time.Time, kind, subscription, transaction string, more map[string][]string,
) object {
	w.n++
	purchased := happened
	if text := one(more, "purchased", ""); text != "" {
		purchased = day(w.t, text).Add(time.Hour)
	}
	e := map[bool]object{true: {
		"id": fmt.Sprint("e", w.n), "type": kind, "event_timestamp_ms": happened.UnixMilli(),
		"purchased_at_ms": purchased.UnixMilli(), "store": one(more, "store", "APP_STORE"), "environment": "PRODUCTION",
		"product_id": one(more, "product", "pro"), "price": w.number(one(more, "price", "0")), "currency": "USD",
		"period_type": one(more, "period", "NORMAL"), "original_transaction_id": subscription, "transaction_id": transaction,
		"is_family_share": more["family"] != nil, "is_trial_conversion": more["converts"] != nil,
	}, false: {
		"id": fmt.Sprint("e", w.n), "name": strings.ToLower(kind), "ts": happened.UnixMilli(),
		"purchasedAt": purchased.UnixMilli(), "store": one(more, "store", "PLAY_STORE"), "environment": "PRODUCTION",
		"productId": one(more, "product", "pro"), "price": w.number(one(more, "price", "0")), "currencyCode": "USD",
		"periodType": one(more, "period", "NORMAL"), "originalTransactionId": subscription, "transactionId": transaction,
		"isFamilyShare": more["family"] != nil, "isTrialConversion": more["converts"] != nil,
	}}[provider == fold.RevenueCat]
	expires, grace := "expiration_at_ms", "grace_period_expiration_at_ms"
	currency, amount := "currency", "price_in_purchased_currency"
	if provider == fold.Superwall {
		expires, currency, amount = "expirationAt", "currencyCode", "priceInPurchasedCurrency"
	}
	if text := one(more, "currency", ""); text != "" { // what was paid in it; the price is in dollars
		e[currency], e[amount] = text, w.number(one(more, "paid", "0"))
	}
	for _, name := range []string{"transferred_from", "transferred_to"} {
		if more[name] != nil {
			e[name] = more[name]
		}
	}
	if text := one(more, "expires", ""); text != "" {
		e[expires] = day(w.t, text).Add(time.Hour).UnixMilli()
	}
	if text := one(more, "grace", ""); text != "" {
		e[grace] = day(w.t, text).Add(time.Hour).UnixMilli()
	}
	if provider == fold.Superwall {
		return object{"object": "event", "type": strings.ToLower(kind), "data": e}
	}
	return object{"api_version": "1.0", "event": e}
}

// stripe tells something of an invoice and its subscription, a subscription ("-" and its id), or what takes a payment of
// an invoice back.
func (w *teller) stripe(happened time.Time, kind, id, of string, more map[string][]string) []object {
	event := func(kind string, of object) object {
		w.n++
		return object{"id": fmt.Sprint("evt_", w.n), "object": "event", "type": kind, "created": happened.Unix(),
			"livemode": true, "data": object{"object": of}}
	}
	amount := w.cents(one(more, "amount", "0"))
	switch kind {
	case "invoice":
		var lines []object
		for _, line := range more["line"] {
			lines = append(lines, w.stripeLine(of, line))
		}
		invoice := object{"id": id, "customer": "cus " + of, "amount_paid": w.cents(one(more, "paid", "0")),
			"currency": one(more, "currency", "usd"), "created": happened.Unix(), "lines": object{"data": lines},
			"billing_reason":     one(more, "reason", "subscription_cycle"),
			"status_transitions": object{"paid_at": happened.Unix()}}
		if of != "-" {
			invoice["parent"] = object{"subscription_details": object{"subscription": of}}
		}
		if text := one(more, "total", ""); text != "" {
			invoice["total"] = w.cents(text)
		}
		return []object{event("invoice.paid", invoice), event("invoice_payment.paid", object{"id": "ip " + id,
			"invoice": id, "payment": object{"payment_intent": "pi " + id}})}
	case "refund":
		return []object{event("refund.updated", object{"id": id, "amount": amount, "currency": "usd",
			"status": one(more, "status", "succeeded"), "created": happened.Unix(), "payment_intent": "pi " + of})}
	case "withdrawn", "reinstated":
		return []object{event("charge.dispute.funds_"+kind, object{"id": id, "amount": amount, "currency": "usd",
			"payment_intent": "pi " + of})}
	}
	s := object{"id": of, "customer": "cus " + of, "status": one(more, "status", "active")}
	if behavior := one(more, "paused", ""); behavior != "" {
		s["pause_collection"] = object{"behavior": behavior}
	}
	for _, name := range []string{"trial_start", "trial_end", "ended_at", "current_period_end"} {
		if text := one(more, name, ""); text != "" {
			s[name] = day(w.t, text).Add(time.Hour).Unix()
		}
	}
	return []object{event("customer.subscription."+kind, s)}
}

// stripeLine tells a line: product:amount:from..to, and further words.
func (w *teller) stripeLine(subscription, text string) object {
	words := strings.Split(text, ":")
	from, to, _ := strings.Cut(words[2], "..")
	price := object{"price_details": object{"product": words[0], "price": "price of " + words[0]}}
	details := object{"subscription": subscription}
	line := object{"amount": w.cents(words[1]), "pricing": price, "period": object{
		"start": day(w.t, from).Add(time.Hour).Unix(), "end": day(w.t, to).Add(time.Hour).Unix(),
	}, "parent": object{"type": "subscription_item_details", "subscription_item_details": details}}
	for _, word := range words[3:] {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "part":
			details["proration"] = true
		case "once":
			line["parent"] = object{"type": "invoice_item_details", "invoice_item_details": details}
		case "off":
			line["discount_amounts"] = []object{{"amount": w.cents(value)}}
		case "price":
			price["unit_amount_decimal"] = fmt.Sprint(w.cents(value))
		default:
			w.t.Fatalf("a line has no %q", word)
		}
	}
	return line
}
