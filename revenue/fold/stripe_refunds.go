package fold

import (
	"cmp"
	"time"
)

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
