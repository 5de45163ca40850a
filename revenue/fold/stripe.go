package fold

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
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
func isNoTime(seconds int64) bool { return seconds < 946_684_800 || seconds > 7_258_118_400 }

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
	f.chargeInvoices()
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

// paidAt returns when an invoice was paid.
func paidAt(i toldInvoice) time.Time {
	if at := i.paidAt(); !isNoTime(at) {
		return time.Unix(at, 0).UTC()
	}
	return i.at
}

func (f *stripeFold) sortInvoices() {
	for id := range f.invoices {
		f.order = append(f.order, id)
	}
	slices.SortFunc(f.order, func(a, b string) int {
		return cmp.Or(paidAt(f.invoices[a]).Compare(paidAt(f.invoices[b])), cmp.Compare(a, b))
	})
}

// chargeInvoices books what was paid of invoices, and the periods that it was paid for.
func (f *stripeFold) chargeInvoices() {
	paidBefore := map[string]bool{} // subscriptions
	for _, id := range f.order {
		i := f.invoices[id]
		subscription := string(i.subscription())
		if i.AmountPaid == 0 {
			continue
		}
		kind := Originating
		switch i.BillingReason {
		case "subscription_cycle", "subscription":
			if paidBefore[subscription] {
				kind = Renewal
			}
		case "subscription_update", "subscription_threshold":
			kind = Renewal
		}
		paidBefore[subscription] = subscription != ""
		e := stripeEntry(kind, i.ID, i.event, i.AmountPaid, i.Currency)
		e.SubscriptionKey, e.OccurredAt, e.ChargedAt = subscription, paidAt(i), paidAt(i)
		e.TaxPPM = ppm(i.tax(), i.AmountPaid)
		if i.Address != nil {
			e.Country = strings.ToUpper(clip(i.Address.Country))
		}
		if l := i.mainLine(); l != nil {
			e.ProductID = clip(l.product())
			if subscription != "" && !isNoTime(l.Period.Start) && !isNoTime(l.Period.End) && l.Period.End > l.Period.Start {
				e.PeriodType = "normal"
				e.PeriodStart, e.PeriodEnd = time.Unix(l.Period.Start, 0).UTC(), time.Unix(l.Period.End, 0).UTC()
			}
		}
		own := func(s *stripeSession) bool {
			return string(s.Invoice) == i.ID || subscription != "" && string(s.Subscription) == subscription ||
				s.PaymentIntent != "" && f.invoiceOf[s.PaymentIntent] == i.ID
		}
		e.PersonIDs = f.personIDs(own, i.Customer, append(i.metadata(), f.subscriptionMetadata(subscription)...))
		f.Entries = append(f.Entries, e)
		if !e.PeriodEnd.IsZero() {
			f.Periods = append(f.Periods, Period{
				TransactionKey: e.TransactionKey, SubscriptionKey: subscription, EventID: e.EventID, PeriodType: "normal",
				StartsAt: e.PeriodStart, EndsAt: e.PeriodEnd, AutoRenew: true, ProductID: e.ProductID, Store: stripeStore,
				Country: e.Country, PersonIDs: e.PersonIDs,
			})
		}
	}
}

// chargeSessions books what was paid at once, without an invoice, and confirms the attempts that were paid.
func (f *stripeFold) chargeSessions() {
	charged := map[string]bool{}
	for _, s := range f.sessions {
		paid := s.PaymentStatus == "paid" || s.kind == "checkout.session.async_payment_succeeded"
		if s.kind == "checkout.session.async_payment_failed" {
			continue
		}
		attempt, err := uuid.Parse(s.ClientReferenceID)
		if err == nil && (paid || s.PaymentStatus == "no_payment_required") && !slices.Contains(f.Attempts, attempt) {
			f.Attempts = append(f.Attempts, attempt)
		}
		if s.Mode != "payment" || !paid || charged[s.ID] || f.isInvoiced(s.stripeSession) {
			continue
		}
		amount, currency := int64(0), s.Currency
		if s.AmountTotal != nil {
			amount = *s.AmountTotal
		}
		if c := s.Conversion; c != nil && c.Currency != "" {
			amount, currency = c.AmountTotal, c.Currency
		}
		if amount <= 0 || currency == "" {
			continue
		}
		charged[s.ID] = true
		e := stripeEntry(Originating, cmp.Or(string(s.PaymentIntent), s.ID), s.event, amount, currency)
		e.OccurredAt, e.ChargedAt = s.at, s.at
		if s.TotalDetails != nil {
			e.TaxPPM = ppm(s.TotalDetails.AmountTax, amount)
			if s.Conversion != nil && s.AmountTotal != nil { // the tax is in the buyer's currency as well
				e.TaxPPM = ppm(s.TotalDetails.AmountTax, *s.AmountTotal)
			}
		}
		if d := s.CustomerDetails; d != nil && d.Address != nil {
			e.Country = strings.ToUpper(clip(d.Address.Country))
		}
		own := func(other *stripeSession) bool { return other.ID == s.ID }
		e.PersonIDs = f.personIDs(own, s.Customer, []*stripeMetadata{s.Metadata})
		f.Entries = append(f.Entries, e)
	}
}

// isInvoiced tells whether the money of a session comes with an invoice.
func (f *stripeFold) isInvoiced(s *stripeSession) bool {
	if _, paid := f.invoices[string(s.Invoice)]; paid {
		return true
	}
	_, paid := f.invoices[f.invoiceOf[s.PaymentIntent]]
	return s.PaymentIntent != "" && paid
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
			})
			break // the first one that tells it
		}
	}
}

// takeBack books refunds and chargebacks. A refund counts once it has succeeded, and is reversed when it fails after
// that. Disputes are told with all of their money every time.
func (f *stripeFold) takeBack() {
	for _, id := range sortedKeys(f.refunds) {
		succeeded, failed := -1, -1
		for n, r := range f.refunds[id] {
			switch {
			case r.kind == "refund.failed", r.Status == "failed", r.Status == "canceled":
				failed = n
			case r.Status == "succeeded" && succeeded < 0:
				succeeded = n
			}
		}
		if succeeded < 0 {
			continue
		}
		r := f.refunds[id][succeeded]
		refund := stripeEntry(Refund, id, r.event, -r.Amount, r.Currency)
		refund.OccurredAt = r.at
		if !isNoTime(r.Created) {
			refund.OccurredAt = time.Unix(r.Created, 0).UTC()
		}
		f.refer(&refund, r.PaymentIntent, r.Charge)
		f.Entries = append(f.Entries, refund)
		if failed >= 0 {
			r := f.refunds[id][failed]
			reversal := stripeEntry(RefundReversal, id, r.event, r.Amount, r.Currency)
			reversal.OccurredAt = r.at
			f.refer(&reversal, r.PaymentIntent, r.Charge)
			f.Entries = append(f.Entries, reversal)
		}
	}
	booked := map[string]bool{}
	for _, d := range f.disputes {
		kind, sign := Chargeback, int64(-1)
		if d.kind == "charge.dispute.funds_reinstated" {
			kind, sign = ChargebackReversal, 1
		}
		if booked[string(kind)+d.ID] {
			continue
		}
		booked[string(kind)+d.ID] = true
		amount, currency := sign*d.Amount, d.Currency
		total := int64(0)
		for _, t := range d.Transactions {
			if t.Amount*sign > 0 && t.Currency == d.Transactions[0].Currency {
				total, currency = total+t.Amount, t.Currency
			}
		}
		if total != 0 {
			amount = total
		}
		e := stripeEntry(kind, d.ID, d.event, amount, currency)
		e.OccurredAt = d.at
		f.refer(&e, d.PaymentIntent, d.Charge)
		f.Entries = append(f.Entries, e)
	}
}

// refer makes an entry refer to the charge that a payment made.
func (f *stripeFold) refer(e *Entry, intent, charge stripeRef) {
	e.RefersTo = cmp.Or(
		f.invoiceOf[intent], f.invoiceOf[charge], string(intent), string(charge),
	)
	e.ChargedAt = e.OccurredAt
	for n := range f.Entries {
		c := &f.Entries[n]
		if !c.Kind.IsCharge() || c.TransactionKey != e.RefersTo {
			continue
		}
		e.ChargedAt, e.SubscriptionKey, e.ProductID, e.Country = c.ChargedAt, c.SubscriptionKey, c.ProductID, c.Country
		e.PersonIDs, e.PeriodType = c.PersonIDs, c.PeriodType
		e.PeriodStart, e.PeriodEnd = c.PeriodStart, c.PeriodEnd
		// What is given back of an amount has the same part of tax in it.
		e.TaxPPM = c.TaxPPM
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

// subscriptionMetadata is what the app wrote into the metadata of a subscription and of any of its invoices.
func (f *stripeFold) subscriptionMetadata(id string) (list []*stripeMetadata) {
	if id == "" {
		return nil
	}
	for _, s := range f.subscriptions[id] {
		list = append(list, s.Metadata)
	}
	for _, invoice := range f.order {
		if i := f.invoices[invoice]; string(i.subscription()) == id {
			list = append(list, i.metadata()...)
		}
	}
	return list
}

// personIDs returns the ids by which the person is looked for who paid: the attempts of the sessions of the payment
// itself, what the app wrote into metadata, then the other sessions of the customer.
func (f *stripeFold) personIDs(own func(*stripeSession) bool, customer stripeRef, metadata []*stripeMetadata) []string {
	var ids, others []string
	add := func(list *[]string, id string) {
		if !slices.Contains(ids, id) && !slices.Contains(*list, id) && len(*list) < 50 {
			*list = append(*list, id)
		}
	}
	ofSession := func(list *[]string, s *stripeSession) {
		switch attempt, err := uuid.Parse(s.ClientReferenceID); {
		case err == nil:
			add(list, PersonID(ByAttempt, attempt.String()))
		case s.ClientReferenceID != "" && len(s.ClientReferenceID) <= maxID:
			add(list, PersonID(ByCustomID, s.ClientReferenceID))
		}
	}
	for _, s := range f.sessions {
		if own(s.stripeSession) {
			ofSession(&ids, s.stripeSession)
			metadata = append(metadata, s.Metadata)
		}
	}
	for _, m := range metadata {
		if m != nil && m.AppUserID != "" && len(m.AppUserID) <= maxID {
			add(&ids, PersonID(ByAppUser, m.AppUserID))
		}
	}
	for _, s := range f.sessions {
		if customer != "" && s.Customer == customer && !own(s.stripeSession) {
			ofSession(&others, s.stripeSession)
			if m := s.Metadata; m != nil && m.AppUserID != "" && len(m.AppUserID) <= maxID {
				add(&others, PersonID(ByAppUser, m.AppUserID))
			}
		}
	}
	return append(ids, others...)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
