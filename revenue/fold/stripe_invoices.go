package fold

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// paidAt returns when an invoice was paid.
func paidAt(i toldInvoice) time.Time {
	if at := i.paidAt(); !isNoTime(at) {
		return time.Unix(at, 0).UTC()
	}
	return i.at
}

// sortInvoices puts invoices in the order of their payment; of those that were paid at once, the one that was made
// first comes first.
func (f *stripeFold) sortInvoices() {
	for id := range f.invoices {
		f.order = append(f.order, id)
	}
	slices.SortFunc(f.order, func(a, b string) int {
		x, y := f.invoices[a], f.invoices[b]
		return cmp.Or(paidAt(x).Compare(paidAt(y)), cmp.Compare(x.Created, y.Created), cmp.Compare(a, b))
	})
}

// followInvoices books what was paid of invoices, and the periods that they are of. Whether a payment is the first one
// of a subscription is decided by what was paid for it before: the billing reason says why Stripe made the invoice, and
// not that.
func (f *stripeFold) followInvoices() {
	paid := map[string]bool{}        // subscriptions
	plans := map[string]stripePlan{} // by subscription
	for _, id := range f.order {
		i := f.invoices[id]
		subscription := string(i.subscription())
		e := f.invoiceEntry(i)
		if subscription != "" {
			if plan, is := i.plan(plans[subscription]); is {
				f.addPlan(&plan, plans[subscription], &e)
				plans[subscription] = plan
			}
		}
		if i.AmountPaid == 0 {
			continue
		}
		if paid[subscription] {
			e.Kind = Renewal
		}
		paid[subscription] = subscription != ""
		f.Entries = append(f.Entries, e)
	}
}

// invoiceEntry returns the entry of an invoice as that of a first payment, without a period.
func (f *stripeFold) invoiceEntry(i toldInvoice) Entry {
	e := stripeEntry(Originating, i.ID, i.event, i.AmountPaid, i.Currency)
	subscription := string(i.subscription())
	e.SubscriptionKey, e.OccurredAt, e.ChargedAt = subscription, paidAt(i), paidAt(i)
	e.TaxPPM = ppm(i.tax(), i.AmountPaid)
	if i.Address != nil {
		e.Country = strings.ToUpper(clip(i.Address.Country))
	}
	lines := make([]*stripeInvoiceLine, len(i.Lines.Data))
	for n := range lines {
		lines[n] = &i.Lines.Data[n]
	}
	if main := mainLine(lines); main != nil {
		e.ProductID = clip(main.product())
	}
	own := func(s *stripeSession) bool {
		return string(s.Invoice) == i.ID || subscription != "" && string(s.Subscription) == subscription ||
			s.PaymentIntent != "" && f.invoiceOf[s.PaymentIntent] == i.ID
	}
	e.PersonIDs = f.personIDs(own, i.Customer, append(i.metadata(), f.subscriptionMetadata(subscription)...))
	return e
}

// addPlan adds the period of a plan, which follows another one, and says of the entry of its invoice what it is for.
func (f *stripeFold) addPlan(plan *stripePlan, before stripePlan, e *Entry) {
	e.ProductID, e.PeriodType = clip(plan.product), "normal"
	// The period of the money is the whole one, also when only the rest of it was paid for.
	starts, ends := time.Unix(plan.start, 0).UTC(), time.Unix(plan.end, 0).UTC()
	e.PeriodStart, e.PeriodEnd = time.Unix(plan.end-plan.whole, 0).UTC(), ends
	amount := stripeEntry(e.Kind, "", "", plan.amount(), e.Currency)
	if plan.start == before.start && plan.end == before.end {
		plan.period = before.period
		p := &f.Periods[plan.period]
		p.Micros, p.Original = amount.Micros, amount.Original
		return
	}
	plan.period = len(f.Periods)
	p := Period{
		TransactionKey: e.TransactionKey, SubscriptionKey: e.SubscriptionKey, EventID: e.EventID, PeriodType: "normal",
		StartsAt: starts, EndsAt: ends, AutoRenew: true, ProductID: e.ProductID, Store: stripeStore,
		Country: e.Country, PersonIDs: e.PersonIDs,
		Micros: amount.Micros, Original: amount.Original, Currency: amount.Currency, Exponent: amount.Exponent,
		ChargedAt: e.ChargedAt,
	}
	if plan.whole != plan.end-plan.start {
		p.Whole = time.Duration(plan.whole) * time.Second
	}
	f.Periods = append(f.Periods, p)
}
