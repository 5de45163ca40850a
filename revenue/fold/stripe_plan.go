package fold

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// stripePlan is what a subscription pays for a period: the cost of the period's own lines after their discounts, before
// balances, exclusive taxes and all other lines. How much cash an invoice moved plays no part.
type stripePlan struct {
	product    string
	start, end int64            // seconds since 1970
	items      map[string]int64 // what each costs for the whole period, in the smallest units of the currency
	whole      int64            // seconds of the whole period, of which a plan that began in it has only the rest
	period     int              // place among the periods of the fold
}

func (p *stripePlan) amount() (sum int64) {
	for _, cost := range p.items {
		sum += cost
	}
	return sum
}

// plan returns what an invoice pays for, after the plan that the subscription had before. An invoice that nothing is
// paid for by cash or balance, such as one of a trial or with a coupon of 100 %, has none.
func (i *stripeInvoice) plan(before stripePlan) (plan stripePlan, is bool) {
	var whole, parts []*stripeInvoiceLine
	for n := range i.Lines.Data {
		switch l := &i.Lines.Data[n]; {
		case !l.isRecurring(), l.subscription() != "" && l.subscription() != i.subscription():
		case l.isProration():
			parts = append(parts, l)
		default:
			whole = append(whole, l)
		}
	}
	if len(whole) > 0 {
		plan = i.wholePlan(whole, before)
	} else if len(parts) > 0 {
		plan = i.changedPlan(parts, before)
	}
	return plan, plan.amount() > 0
}

// wholePlan returns the plan of lines of whole periods.
func (i *stripeInvoice) wholePlan(lines []*stripeInvoiceLine, before stripePlan) stripePlan {
	main := mainLine(lines)
	plan := stripePlan{
		product: main.product(), start: main.Period.Start, end: main.Period.End, items: map[string]int64{},
		whole: main.Period.End - main.Period.Start,
	}
	if plan.start == before.start && plan.end == before.end { // more of the same period, as usage beyond a threshold
		plan.product, plan.items = before.product, maps.Clone(before.items)
	}
	for _, l := range lines {
		if l.Period == main.Period {
			plan.items[l.item()] += i.cost(l)
		}
	}
	return plan
}

// changedPlan returns the plan that begins within a period. Stripe gives back what is left of an item that changes, in
// a negative line, and charges for the rest of the period by what it is from then on. For example, 16 of 31 days of a
// plan of $50 cost $25.81, and $5.16 of a plan of $10 are given back: the new plan is one of $50 a month. Items that
// no line gives back go on.
func (i *stripeInvoice) changedPlan(lines []*stripeInvoiceLine, before stripePlan) stripePlan {
	main := mainLine(slices.DeleteFunc(slices.Clone(lines), func(l *stripeInvoiceLine) bool { return l.Amount <= 0 }))
	if main == nil {
		main = mainLine(lines)
	}
	plan := stripePlan{start: main.Period.Start, end: main.Period.End, items: map[string]int64{}, whole: before.whole}
	if before.end == plan.end {
		maps.Copy(plan.items, before.items)
	} else { // nothing is known of the period that it began in
		plan.whole = main.wholePeriod(i.cost(main))
	}
	changes := slices.SortedStableFunc(slices.Values(lines), func(a, b *stripeInvoiceLine) int {
		return cmp.Or(cmp.Compare(a.Period.Start, b.Period.Start), cmp.Compare(a.Amount, b.Amount))
	})
	isKept := len(plan.items) > 0 // something of the plan before
	for _, l := range changes {
		_, known := plan.items[l.item()]
		switch {
		case l.Period.End != plan.end:
		case l.Amount > 0:
			plan.items[l.item()] += l.wholeCost(i.cost(l), plan.whole)
		case known:
			delete(plan.items, l.item())
			isKept = isKept && len(plan.items) > 0
		default: // the line does not say of what
			clear(plan.items)
			isKept = false
		}
	}
	if plan.product = main.product(); isKept {
		plan.product = before.product
	}
	return plan
}

// cost returns what a line costs after its discounts. Where lines don't say which discounts are theirs, those of the
// invoice are spread over what it charges.
func (i *stripeInvoice) cost(l *stripeInvoiceLine) int64 {
	spread, sum, charged := true, int64(0), int64(0)
	for n := range i.Lines.Data {
		other := &i.Lines.Data[n]
		spread = spread && other.Discounts == nil
		sum, charged = sum+other.Amount, charged+max(0, other.Amount)
	}
	discount := int64(0)
	switch {
	case !spread:
		return l.Amount - total(l.Discounts)
	case i.Discounts != nil:
		discount = total(i.Discounts)
	case i.Total != nil:
		discount = sum - *i.Total
	}
	if l.Amount <= 0 || discount <= 0 {
		return l.Amount
	}
	return l.Amount - portion(l.Amount, min(discount, charged), charged)
}

func total(discounts []stripeDiscount) (sum int64) {
	for _, d := range discounts {
		sum += d.Amount
	}
	return sum
}

// wholePeriod returns the seconds of the period of which a line that costs something is a part, as its price tells;
// its own when it does not say.
func (l *stripeInvoiceLine) wholePeriod(cost int64) int64 {
	const longest = 4 * 366 * 86_400 // Stripe bills at least every three years
	own := l.Period.End - l.Period.Start
	price := l.price()
	if cost <= 0 || price <= cost {
		return own
	}
	if whole := float64(own) * float64(price) / float64(cost); whole < longest {
		return int64(math.Round(whole))
	}
	return own
}

// wholeCost returns what a line that costs something for its part of a period costs for the whole. The cost was
// rounded, so several are possible: the price is taken when it is one of them, else the roundest.
func (l *stripeInvoiceLine) wholeCost(cost, whole int64) int64 {
	times := float64(whole) / float64(l.Period.End-l.Period.Start)
	least, most := math.Ceil((float64(cost)-0.5)*times), math.Floor((float64(cost)+0.5)*times)
	if price := l.price(); price > 0 && float64(price) >= least-1 && float64(price) <= most+1 {
		return price
	}
	for step := math.Pow10(int(math.Log10(max(1, most)))); step >= 1; step /= 10 {
		if round := math.Ceil(least/step) * step; round > 0 && round <= most {
			return int64(round)
		}
	}
	return int64(math.Round(float64(cost) * times))
}
