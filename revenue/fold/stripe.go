package fold

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// stripeStore is the store of everything that Stripe takes.
const stripeStore = "stripe"

// openStripeObject reads an event and its object; the object is nil for types that have no bearing on money.
func openStripeObject(body []byte) (b stripeBody, object stripeObject, err error) {
	if err := decode(body, &b); err != nil {
		return b, nil, err
	}
	if b.Object != "event" || b.ID == "" || b.Type == "" || b.Livemode == nil || isNoTime(b.Created) {
		return b, nil, errUnknownForm
	}
	read, known := stripeTypes[b.Type]
	if !known {
		return b, nil, nil
	}
	object = read()
	if err := decode(b.Data.Object, object); err != nil || !object.isComplete() {
		return b, nil, errUnknownForm
	}
	for _, id := range object.ids() {
		if len(id) > maxID {
			return b, nil, errUnknownForm
		}
	}
	return b, object, nil
}

// isNoTime tells whether seconds since 1970 are no time of a payment: before 2000 or after 2200.
func isNoTime(seconds int64) bool { return seconds < firstTime.Unix() || seconds > lastTime.Unix() }

func openStripe(body []byte) (Envelope, error) {
	b, object, err := openStripeObject(body)
	e := Envelope{ID: b.ID, Type: b.Type, Test: b.Livemode != nil && !*b.Livemode, Verdict: Verdict{State: Handled}}
	if err != nil {
		return e, err
	}
	e.OccurredAt = time.Unix(b.Created, 0).UTC()
	if object == nil {
		e.Verdict = Verdict{Ignored, "has no bearing on money"}
		return e, nil
	}
	for _, id := range object.ids() {
		if k := key("stripe", string(id)); id != "" && !slices.Contains(e.Keys, k) {
			e.Keys = append(e.Keys, k)
		}
	}
	return e, nil
}

func redactStripe(body []byte) ([]byte, error) {
	b, object, _ := openStripeObject(body)
	if object == nil || !object.isComplete() {
		return []byte("{}"), nil
	}
	object.redact()
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	b.Data.Object = text
	return json.Marshal(b)
}

// source is the event that told an object.
type source struct {
	event, kind string
	at          time.Time
}

type (
	toldSession struct {
		*stripeSession
		source
	}
	toldInvoice struct {
		*stripeInvoice
		source
	}
	toldRefund struct {
		*stripeRefund
		source
	}
	toldDispute struct {
		*stripeDispute
		source
	}
	toldSubscription struct {
		*stripeSubscription
		source
	}
)

// stripeFold is what the events of some customers say together.
type stripeFold struct {
	Result
	sessions      []toldSession
	invoices      map[string]toldInvoice // paid, as told first
	order         []string               // of invoices by payment
	refunds       map[string][]toldRefund
	disputes      []toldDispute
	subscriptions map[string][]toldSubscription
	invoiceOf     map[stripeRef]string // by payment intent or charge
}

func foldStripe(events []parsed) Result {
	f := stripeFold{
		Result: Result{Verdicts: map[string]Verdict{}}, invoices: map[string]toldInvoice{},
		refunds: map[string][]toldRefund{}, subscriptions: map[string][]toldSubscription{},
		invoiceOf: map[stripeRef]string{},
	}
	for _, e := range events {
		if e.Stores != nil && !slices.Contains(e.Stores, stripeStore) {
			f.Verdicts[e.ID] = Verdict{Ignored, "its connection does not report the store " + stripeStore}
			continue
		}
		b, object, err := openStripeObject(e.Body)
		if err != nil {
			f.Verdicts[e.ID] = Verdict{Unmapped, err.Error()}
			continue
		}
		f.take(b, object)
	}
	f.sortInvoices()
	f.followInvoices()
	f.chargeSessions()
	f.startTrials()
	f.takeBack()
	f.followSubscriptions()
	return f.Result
}

// take sorts an event's object in.
func (f *stripeFold) take(b stripeBody, object stripeObject) {
	from := source{b.ID, b.Type, time.Unix(b.Created, 0).UTC()}
	switch o := object.(type) {
	case *stripeSession:
		f.sessions = append(f.sessions, toldSession{o, from})
	case *stripeInvoice:
		if b.Type == "invoice.paid" {
			if _, known := f.invoices[o.ID]; !known {
				f.invoices[o.ID] = toldInvoice{o, from}
			}
		}
		f.link(o.ID, o.PaymentIntent, o.Charge)
	case *stripeInvoicePayment:
		f.link(string(o.Invoice), o.Payment.PaymentIntent, o.Payment.Charge)
	case *stripeRefund:
		f.refunds[o.ID] = append(f.refunds[o.ID], toldRefund{o, from})
	case *stripeDispute:
		f.disputes = append(f.disputes, toldDispute{o, from})
	case *stripeSubscription:
		f.subscriptions[o.ID] = append(f.subscriptions[o.ID], toldSubscription{o, from})
	}
}

func (f *stripeFold) link(invoice string, payments ...stripeRef) {
	for _, payment := range payments {
		if payment != "" {
			f.invoiceOf[payment] = invoice
		}
	}
}

// startTrials books the trials of subscriptions.
func (f *stripeFold) startTrials() {
	for _, id := range sortedKeys(f.subscriptions) {
		for _, s := range f.subscriptions[id] {
			if isNoTime(s.TrialStart) || isNoTime(s.TrialEnd) || s.TrialEnd <= s.TrialStart {
				continue
			}
			e := stripeEntry(Trial, s.ID, s.event, 0, "usd")
			e.SubscriptionKey, e.PeriodType = s.ID, "trial"
			e.PeriodStart, e.PeriodEnd = time.Unix(s.TrialStart, 0).UTC(), time.Unix(s.TrialEnd, 0).UTC()
			e.OccurredAt, e.ChargedAt = e.PeriodStart, e.PeriodStart
			for _, item := range s.Items.Data {
				if item.Price != nil && e.ProductID == "" {
					e.ProductID = clip(string(item.Price.Product))
				}
			}
			own := func(session *stripeSession) bool { return string(session.Subscription) == s.ID }
			e.PersonIDs = f.personIDs(own, s.Customer, f.subscriptionMetadata(s.ID))
			f.Entries = append(f.Entries, e)
			f.Periods = append(f.Periods, Period{
				TransactionKey: e.TransactionKey, SubscriptionKey: s.ID, EventID: s.event, PeriodType: "trial",
				StartsAt: e.PeriodStart, EndsAt: e.PeriodEnd, AutoRenew: true, ProductID: e.ProductID, Store: stripeStore,
				PersonIDs: e.PersonIDs,
				Micros:    e.Micros, Original: e.Original, Currency: e.Currency, Exponent: e.Exponent, ChargedAt: e.ChargedAt,
			})
			break // the first one that tells it
		}
	}
}

// followSubscriptions says of periods what became of their subscription.
func (f *stripeFold) followSubscriptions() {
	for id, versions := range f.subscriptions {
		last := versions[len(versions)-1]
		ended := last.EndedAt
		var deletedAt time.Time
		for _, v := range versions {
			if v.kind == "customer.subscription.deleted" {
				deletedAt, last = v.at, v // nothing comes after it
				ended = v.EndedAt
			}
		}
		var current *Period
		for n := range f.Periods {
			if p := &f.Periods[n]; p.SubscriptionKey == id && (current == nil || p.StartsAt.After(current.StartsAt)) {
				current = p
			}
		}
		if current == nil {
			continue
		}
		current.AutoRenew = !last.CancelAtPeriodEnd && last.CancelAt == 0 && last.Status != "canceled"
		switch {
		case !isNoTime(ended):
			current.EndedAt = time.Unix(ended, 0).UTC()
		case !deletedAt.IsZero():
			current.EndedAt = deletedAt
		case last.Status == "past_due":
			end := last.CurrentPeriodEnd
			for _, item := range last.Items.Data {
				end = max(end, item.CurrentPeriodEnd)
			}
			if !isNoTime(end) {
				current.GraceUntil = time.Unix(end, 0).UTC()
			}
		}
		if !current.EndedAt.IsZero() {
			current.AutoRenew = false
		}
	}
}

// stripeEntry returns an entry of an amount in the smallest units of a currency.
func stripeEntry(kind Kind, transaction, event string, amount int64, currency string) Entry {
	currency = strings.ToUpper(currency)
	e := Entry{
		TransactionKey: transaction, Kind: kind, EventID: event, Original: &amount, Currency: currency,
		Exponent: StripeExponent(currency), Store: stripeStore,
	}
	if currency == "USD" {
		micros := amount * 10_000
		e.Micros = &micros
	}
	return e
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
