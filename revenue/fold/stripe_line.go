package fold

import "cmp"

// details are what a line says of the subscription it is of, in the shape since 2025-03-31; empty in that before.
func (l *stripeInvoiceLine) details() stripeLineDetails {
	if l.Parent != nil {
		for _, d := range []*stripeLineDetails{l.Parent.SubscriptionItemDetails, l.Parent.InvoiceItemDetails} {
			if d != nil {
				return *d
			}
		}
	}
	return stripeLineDetails{}
}

// subscription returns the subscription that a line is of; empty for none.
func (l *stripeInvoiceLine) subscription() stripeRef {
	return cmp.Or(l.details().Subscription, l.Subscription)
}

// isProration reports whether a line is of a part of a period: unused time of a plan, or what is left of the period
// when a plan begins in it.
func (l *stripeInvoiceLine) isProration() bool { return l.Proration || l.details().Proration }

// isRecurring reports whether a line is of a plan that is paid period by period, and says for when. Setup fees and
// other items of an invoice are not, whatever period they name.
func (l *stripeInvoiceLine) isRecurring() bool {
	p := l.Period
	switch {
	case isNoTime(p.Start), isNoTime(p.End), p.End <= p.Start:
		return false
	case l.isProration():
		return true
	case l.Parent != nil:
		return l.Parent.Type != "invoice_item_details" && l.Parent.InvoiceItemDetails == nil
	case l.Price != nil && l.Price.Type == "one_time":
		return false
	}
	return l.Type != "invoiceitem"
}

// product returns the product of a line, in any shape; empty when it names none.
func (l *stripeInvoiceLine) product() string {
	switch {
	case l.Pricing != nil && l.Pricing.PriceDetails != nil && l.Pricing.PriceDetails.Product != "":
		return string(l.Pricing.PriceDetails.Product)
	case l.Price != nil && l.Price.Product != "":
		return string(l.Price.Product)
	case l.Plan != nil:
		return string(l.Plan.Product)
	}
	return ""
}

// item returns what tells a line's item from others of its subscription: its price, else its product.
func (l *stripeInvoiceLine) item() string {
	id := stripeRef("")
	switch {
	case l.Pricing != nil && l.Pricing.PriceDetails != nil:
		id = l.Pricing.PriceDetails.Price
	case l.Price != nil:
		id = l.Price.ID
	case l.Plan != nil:
		id = l.Plan.ID
	}
	return string(cmp.Or(id, stripeRef(l.product())))
}

// price returns what a whole period of the line's plan costs before discounts, in the smallest units of the currency; 0
// when the line does not say.
func (l *stripeInvoiceLine) price() int64 {
	unit := int64(0)
	switch {
	case l.Pricing != nil && l.Pricing.UnitAmount != "":
		unit, _ = scale(l.Pricing.UnitAmount, 0)
	case l.Price != nil && l.Price.UnitAmount != nil:
		unit = *l.Price.UnitAmount
	case l.Plan != nil && l.Plan.Amount != nil:
		unit = *l.Plan.Amount
	}
	quantity := int64(1)
	if l.Quantity != nil {
		quantity = *l.Quantity
	}
	const most = maxAmount / 10_000
	if unit <= 0 || quantity <= 0 || unit > most/quantity {
		return 0
	}
	return unit * quantity
}

// mainLine returns the line that says what was bought for when: the largest of those that end last; nil for none.
func mainLine(lines []*stripeInvoiceLine) (main *stripeInvoiceLine) {
	for _, l := range lines {
		if main == nil || cmp.Or(
			cmp.Compare(l.Period.End, main.Period.End), cmp.Compare(l.Period.Start, main.Period.Start),
			cmp.Compare(l.Amount, main.Amount),
		) > 0 {
			main = l
		}
	}
	return main
}
