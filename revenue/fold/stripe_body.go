package fold

import (
	"encoding/json"
	"slices"
)

// The objects of Stripe as far as they are read, in the shapes of all versions of its API: the customer's endpoint
// chooses the version, not we.

type stripeBody struct {
	ID       string     `json:"id"`
	Object   string     `json:"object"`
	Type     string     `json:"type"`
	Created  int64      `json:"created"` // seconds
	Livemode *bool      `json:"livemode"`
	Data     stripeData `json:"data"`
}

type stripeData struct {
	Object json.RawMessage `json:"object"`
}

// stripeRef is an id, or an object that has one where the reference was expanded.
type stripeRef string

// UnmarshalJSON reads a string, an object with an id, or null.
func (r *stripeRef) UnmarshalJSON(text []byte) error {
	var id string
	if json.Unmarshal(text, &id) == nil {
		*r = stripeRef(id)
		return nil
	}
	var object struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	*r = stripeRef(object.ID)
	return nil
}

type stripeMetadata struct {
	AppUserID string `json:"svc_app_user_id,omitempty"`
}

type stripeAddress struct {
	Country string `json:"country,omitempty"`
}

type stripeSession struct {
	ID                string          `json:"id"`
	Mode              string          `json:"mode"`
	PaymentStatus     string          `json:"payment_status"`
	ClientReferenceID string          `json:"client_reference_id,omitempty"`
	Customer          stripeRef       `json:"customer,omitempty"`
	Subscription      stripeRef       `json:"subscription,omitempty"`
	PaymentIntent     stripeRef       `json:"payment_intent,omitempty"`
	Invoice           stripeRef       `json:"invoice,omitempty"`
	AmountTotal       *int64          `json:"amount_total,omitempty"`
	Currency          string          `json:"currency,omitempty"`
	Metadata          *stripeMetadata `json:"metadata,omitempty"`
	// Conversion has the seller's amount where Currency is the buyer's: before 2025-03-31.
	Conversion *struct {
		AmountTotal int64  `json:"amount_total"`
		Currency    string `json:"source_currency"`
	} `json:"currency_conversion,omitempty"`
	TotalDetails *struct {
		AmountTax int64 `json:"amount_tax"`
	} `json:"total_details,omitempty"`
	CustomerDetails *struct {
		Address *stripeAddress `json:"address,omitempty"`
	} `json:"customer_details,omitempty"`
}

type stripeSubscriptionDetails struct {
	Subscription stripeRef       `json:"subscription,omitempty"`
	Metadata     *stripeMetadata `json:"metadata,omitempty"`
}

type stripeInvoice struct {
	ID          string           `json:"id"`
	Customer    stripeRef        `json:"customer,omitempty"`
	AmountPaid  int64            `json:"amount_paid"` // in cash: what a balance paid is no part of it
	Total       *int64           `json:"total,omitempty"`
	Discounts   []stripeDiscount `json:"total_discount_amounts,omitzero"`
	Currency    string           `json:"currency"`
	Created     int64            `json:"created,omitempty"`
	Transitions *struct {
		PaidAt int64 `json:"paid_at"`
	} `json:"status_transitions,omitempty"`
	Metadata *stripeMetadata `json:"metadata,omitempty"`
	Address  *stripeAddress  `json:"customer_address,omitempty"`
	Parent   *struct {
		SubscriptionDetails *stripeSubscriptionDetails `json:"subscription_details,omitempty"`
	} `json:"parent,omitempty"`
	TotalTaxes []stripeTax `json:"total_taxes,omitzero"`
	Lines      struct {
		Data []stripeInvoiceLine `json:"data"`
	} `json:"lines"`

	// Before 2025-03-31.
	Subscription        stripeRef `json:"subscription,omitempty"`
	SubscriptionDetails *struct {
		Metadata *stripeMetadata `json:"metadata,omitempty"`
	} `json:"subscription_details,omitempty"`
	PaymentIntent   stripeRef   `json:"payment_intent,omitempty"`
	Charge          stripeRef   `json:"charge,omitempty"`
	Tax             *int64      `json:"tax,omitempty"`
	TotalTaxAmounts []stripeTax `json:"total_tax_amounts,omitzero"`
}

type stripeTax struct {
	Amount int64 `json:"amount"`
}

type stripeDiscount struct {
	Amount int64 `json:"amount"`
}

type stripeInvoiceLine struct {
	Amount    int64            `json:"amount"` // before discounts and exclusive taxes; negative for unused time
	Discounts []stripeDiscount `json:"discount_amounts,omitzero"`
	Quantity  *int64           `json:"quantity,omitempty"`
	Period    struct {
		Start int64 `json:"start"`
		End   int64 `json:"end"`
	} `json:"period"`
	Pricing *struct {
		PriceDetails *struct {
			Price   stripeRef `json:"price,omitempty"`
			Product stripeRef `json:"product"`
		} `json:"price_details,omitempty"`
		UnitAmount string `json:"unit_amount_decimal,omitempty"`
	} `json:"pricing,omitempty"`
	Parent *struct {
		Type                    string             `json:"type,omitempty"`
		SubscriptionItemDetails *stripeLineDetails `json:"subscription_item_details,omitempty"`
		InvoiceItemDetails      *stripeLineDetails `json:"invoice_item_details,omitempty"`
	} `json:"parent,omitempty"`

	// Before 2025-03-31.
	Type         string    `json:"type,omitempty"`
	Subscription stripeRef `json:"subscription,omitempty"`
	Proration    bool      `json:"proration,omitempty"`
	Price        *struct {
		ID         stripeRef `json:"id,omitempty"`
		Product    stripeRef `json:"product"`
		Type       string    `json:"type,omitempty"`
		UnitAmount *int64    `json:"unit_amount,omitempty"`
	} `json:"price,omitempty"`
	Plan *struct {
		ID      stripeRef `json:"id,omitempty"`
		Product stripeRef `json:"product"`
		Amount  *int64    `json:"amount,omitempty"`
	} `json:"plan,omitempty"`
}

type stripeLineDetails struct {
	Subscription stripeRef `json:"subscription,omitempty"`
	Proration    bool      `json:"proration,omitempty"`
}

type stripeInvoicePayment struct {
	ID      string    `json:"id"`
	Invoice stripeRef `json:"invoice"`
	Payment struct {
		PaymentIntent stripeRef `json:"payment_intent,omitempty"`
		Charge        stripeRef `json:"charge,omitempty"`
	} `json:"payment"`
}

type stripeRefund struct {
	ID            string    `json:"id"`
	Amount        int64     `json:"amount"`
	Currency      string    `json:"currency"`
	Status        string    `json:"status"`
	Created       int64     `json:"created"`
	Charge        stripeRef `json:"charge,omitempty"`
	PaymentIntent stripeRef `json:"payment_intent,omitempty"`
}

type stripeDispute struct {
	ID            string          `json:"id"`
	Amount        int64           `json:"amount"`
	Currency      string          `json:"currency"`
	Charge        stripeRef       `json:"charge,omitempty"`
	PaymentIntent stripeRef       `json:"payment_intent,omitempty"`
	Transactions  []stripeBalance `json:"balance_transactions,omitempty"`
}

type stripeBalance struct {
	Amount   int64  `json:"amount"` // negative is withdrawn
	Currency string `json:"currency"`
}

type stripeSubscription struct {
	ID                string          `json:"id"`
	Customer          stripeRef       `json:"customer,omitempty"`
	Status            string          `json:"status"`
	LatestInvoice     stripeRef       `json:"latest_invoice,omitempty"`
	CancelAtPeriodEnd bool            `json:"cancel_at_period_end,omitempty"`
	CancelAt          int64           `json:"cancel_at,omitempty"`
	EndedAt           int64           `json:"ended_at,omitempty"`
	TrialStart        int64           `json:"trial_start,omitempty"`
	TrialEnd          int64           `json:"trial_end,omitempty"`
	Metadata          *stripeMetadata `json:"metadata,omitempty"`
	Items             struct {
		Data []struct {
			CurrentPeriodEnd int64 `json:"current_period_end,omitempty"`
			Price            *struct {
				Product stripeRef `json:"product"`
			} `json:"price,omitempty"`
		} `json:"data"`
	} `json:"items"`
	CurrentPeriodEnd int64 `json:"current_period_end,omitempty"` // before 2025-03-31
}

// stripeTypes are the types that have a bearing on money or periods, and what their object is read into.
var stripeTypes = map[string]func() stripeObject{
	"checkout.session.completed":               newStripe[stripeSession],
	"checkout.session.async_payment_succeeded": newStripe[stripeSession],
	"checkout.session.async_payment_failed":    newStripe[stripeSession],
	"invoice.paid":                             newStripe[stripeInvoice],
	"invoice.payment_failed":                   newStripe[stripeInvoice],
	"invoice_payment.paid":                     newStripe[stripeInvoicePayment],
	"refund.created":                           newStripe[stripeRefund],
	"refund.updated":                           newStripe[stripeRefund],
	"refund.failed":                            newStripe[stripeRefund],
	"charge.dispute.funds_withdrawn":           newStripe[stripeDispute],
	"charge.dispute.funds_reinstated":          newStripe[stripeDispute],
	"customer.subscription.created":            newStripe[stripeSubscription],
	"customer.subscription.updated":            newStripe[stripeSubscription],
	"customer.subscription.deleted":            newStripe[stripeSubscription],
	"customer.subscription.paused":             newStripe[stripeSubscription],
	"customer.subscription.resumed":            newStripe[stripeSubscription],
	"customer.subscription.trial_will_end":     newStripe[stripeSubscription],
}

// stripeObject is what an event is about.
type stripeObject interface {
	// ids are those of the object and of what it belongs to.
	ids() []stripeRef
	// isComplete tells whether the object has what makes it one.
	isComplete() bool
	// redact removes what tells who paid.
	redact()
}

// isAmount tells whether an amount in the smallest units of a currency is one that sums stay within 64 bits with.
func isAmount(amount int64, currency string) bool {
	code, err := currencyCode(currency)
	return err == nil && code != "" && amount >= 0 && amount <= maxAmount/10_000
}

func newStripe[T any, P interface {
	*T
	stripeObject
}]() stripeObject {
	return P(new(T))
}

func (s *stripeSession) ids() []stripeRef {
	return []stripeRef{stripeRef(s.ID), s.Customer, s.Subscription, s.PaymentIntent, s.Invoice}
}
func (s *stripeSession) isComplete() bool {
	if s.AmountTotal != nil && !isAmount(*s.AmountTotal, s.Currency) ||
		s.Conversion != nil && !isAmount(s.Conversion.AmountTotal, s.Conversion.Currency) {
		return false
	}
	return s.ID != "" && s.Mode != "" && s.PaymentStatus != ""
}
func (s *stripeSession) redact() { s.ClientReferenceID, s.Metadata = "", nil }

func (i *stripeInvoice) ids() []stripeRef {
	return []stripeRef{stripeRef(i.ID), i.Customer, i.subscription(), i.PaymentIntent, i.Charge}
}
func (i *stripeInvoice) isComplete() bool {
	odd := func(l stripeInvoiceLine) bool { return !isAmount(max(l.Amount, -l.Amount), i.Currency) }
	if i.Total != nil && !isAmount(max(*i.Total, -*i.Total), i.Currency) {
		return false
	}
	return i.ID != "" && isAmount(i.AmountPaid, i.Currency) && !slices.ContainsFunc(i.Lines.Data, odd)
}
func (i *stripeInvoice) redact() {
	i.Metadata = nil
	if i.Parent != nil && i.Parent.SubscriptionDetails != nil {
		i.Parent.SubscriptionDetails.Metadata = nil
	}
	if i.SubscriptionDetails != nil {
		i.SubscriptionDetails.Metadata = nil
	}
}

func (p *stripeInvoicePayment) ids() []stripeRef {
	return []stripeRef{p.Invoice, p.Payment.PaymentIntent, p.Payment.Charge}
}
func (p *stripeInvoicePayment) isComplete() bool { return p.Invoice != "" }
func (p *stripeInvoicePayment) redact()          {}

func (r *stripeRefund) ids() []stripeRef {
	return []stripeRef{stripeRef(r.ID), r.PaymentIntent, r.Charge}
}
func (r *stripeRefund) isComplete() bool {
	return r.ID != "" && r.Status != "" && isAmount(r.Amount, r.Currency)
}
func (r *stripeRefund) redact() {}

func (d *stripeDispute) ids() []stripeRef {
	return []stripeRef{stripeRef(d.ID), d.PaymentIntent, d.Charge}
}
func (d *stripeDispute) isComplete() bool {
	odd := func(t stripeBalance) bool { return !isAmount(max(t.Amount, -t.Amount), t.Currency) }
	return d.ID != "" && isAmount(d.Amount, d.Currency) && !slices.ContainsFunc(d.Transactions, odd)
}
func (d *stripeDispute) redact() {}

func (s *stripeSubscription) ids() []stripeRef {
	return []stripeRef{stripeRef(s.ID), s.Customer, s.LatestInvoice}
}
func (s *stripeSubscription) isComplete() bool { return s.ID != "" && s.Status != "" }
func (s *stripeSubscription) redact()          { s.Metadata = nil }

// subscription returns the subscription that an invoice is of, in any shape; empty for none.
func (i *stripeInvoice) subscription() stripeRef {
	if i.Parent != nil && i.Parent.SubscriptionDetails != nil && i.Parent.SubscriptionDetails.Subscription != "" {
		return i.Parent.SubscriptionDetails.Subscription
	}
	if i.Subscription != "" {
		return i.Subscription
	}
	for n := range i.Lines.Data {
		if id := i.Lines.Data[n].subscription(); id != "" {
			return id
		}
	}
	return ""
}

// paidAt returns when an invoice was paid, in seconds; 0 when it does not say.
func (i *stripeInvoice) paidAt() int64 {
	if i.Transitions != nil {
		return i.Transitions.PaidAt
	}
	return 0
}

// tax returns the tax within what was invoiced, in any shape; -1 is unknown.
func (i *stripeInvoice) tax() int64 {
	if i.Tax != nil {
		return *i.Tax
	}
	taxes := i.TotalTaxes
	if taxes == nil {
		taxes = i.TotalTaxAmounts
	}
	if taxes == nil {
		return -1
	}
	total := int64(0)
	for _, t := range taxes {
		total += t.Amount
	}
	return total
}

// metadata is what the app wrote into the metadata of an invoice or its subscription.
func (i *stripeInvoice) metadata() []*stripeMetadata {
	list := []*stripeMetadata{i.Metadata}
	if i.Parent != nil && i.Parent.SubscriptionDetails != nil {
		list = append(list, i.Parent.SubscriptionDetails.Metadata)
	}
	if i.SubscriptionDetails != nil {
		list = append(list, i.SubscriptionDetails.Metadata)
	}
	return list
}
