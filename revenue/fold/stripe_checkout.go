package fold

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

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
