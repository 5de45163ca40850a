package moneyoracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/revenue/fold"
)

func (w *World) tell(p fold.Provider, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	w.Deliveries = append(w.Deliveries, Delivery{p, text})
}

type object = map[string]any

// line tells something of RevenueCat or Superwall.
func (w *World) line(s *Sub, p *Span, revenueCat, superwall string, happened, expires time.Time, cents int64) {
	w.n++
	kind := "NORMAL"
	if p.trial {
		kind = "TRIAL"
	}
	paidBefore := slices.ContainsFunc(s.Spans, func(o *Span) bool { return !o.trial && o.start.Before(p.start) })
	converts := !p.trial && !paidBefore && s.Spans[0].trial
	price := float64(cents) / 100
	if s.Provider == fold.Superwall {
		d := object{"id": fmt.Sprint("e", w.n), "name": superwall, "price": price, "currencyCode": "USD", "periodType": kind,
			"isTrialConversion": converts, "productId": s.product, "transactionId": p.transaction, "originalTransactionId": s.id,
			"purchasedAt": p.start.UnixMilli(), "expirationAt": expires.UnixMilli(), "ts": happened.UnixMilli(),
			"store": s.store, "environment": "PRODUCTION", "countryCode": s.country, "taxPercentage": 0.1,
			"commissionPercentage": 0.15}
		if s.person != "" {
			d["userAttributes"] = object{"svc_app_user_id": s.person}
		}
		w.tell(s.Provider, object{"object": "event", "type": superwall, "data": d})
		return
	}
	e := object{"id": fmt.Sprint("e", w.n), "type": revenueCat, "price": price, "currency": "USD", "period_type": kind,
		"is_trial_conversion": converts, "product_id": s.product, "transaction_id": p.transaction,
		"original_transaction_id": s.id, "purchased_at_ms": p.start.UnixMilli(), "expiration_at_ms": expires.UnixMilli(),
		"event_timestamp_ms": happened.UnixMilli(), "store": s.store, "environment": "PRODUCTION", "country_code": s.country,
		"tax_percentage": 0.1, "commission_percentage": 0.15}
	switch {
	case !s.movesAt.IsZero():
		e["app_user_id"] = "first of " + s.id
	case s.person != "":
		e["subscriber_attributes"] = object{"svc_app_user_id": object{"value": s.person}}
	}
	w.tell(s.Provider, object{"api_version": "1.0", "event": e})
}

// stripe tells an event of Stripe.
func (w *World) stripe(kind string, happened time.Time, of object) {
	w.n++
	w.tell(fold.Stripe, object{"id": fmt.Sprint("evt_", w.n), "object": "event", "type": kind, "created": happened.Unix(),
		"livemode": true, "data": object{"object": of}})
}

func (s *Sub) metadata() object {
	if s.person == "" {
		return object{}
	}
	return object{"svc_app_user_id": s.person}
}

func (w *World) tellTrial(s *Sub, p *Span, cancelled bool) {
	cancelledAt := p.start.Add(50 * time.Hour)
	if s.Provider != fold.Stripe {
		w.line(s, p, "INITIAL_PURCHASE", "initial_purchase", p.start, p.end, 0)
		if cancelled {
			w.line(s, p, "CANCELLATION", "cancellation", cancelledAt, p.end, 0)
		}
		return
	}
	subscription := object{"id": s.id, "object": "subscription", "status": "trialing", "customer": "cus " + s.id,
		"trial_start": p.start.Unix(), "trial_end": p.end.Unix(), "metadata": s.metadata(),
		"items": object{"data": []object{{"price": object{"product": s.product}}}}}
	w.stripe("customer.subscription.created", p.start, subscription)
	if cancelled {
		subscription["cancel_at_period_end"] = true
		w.stripe("customer.subscription.updated", cancelledAt, subscription)
	}
}

func (w *World) tellCharge(s *Sub, p *Span) {
	if s.Provider != fold.Stripe {
		if len(s.Spans) == 1 {
			w.line(s, p, "INITIAL_PURCHASE", "initial_purchase", p.start, p.end, p.cents)
		} else {
			w.line(s, p, "RENEWAL", "renewal", p.start, p.end, p.cents)
		}
		return
	}
	w.invoice(s, p, p.plan, []object{{"amount": p.plan, "period": object{"start": p.start.Unix(), "end": p.end.Unix()},
		"pricing": object{"price_details": object{"product": s.product}},
		"parent":  object{"subscription_item_details": object{"subscription": s.id}}}})
}

// tellChange tells that a plan has begun within the period of another one, whose rest is given back.
func (w *World) tellChange(s *Sub, p *Span, rest, givenBack int64) {
	line := func(amount, price int64) object {
		pricing := object{"price_details": object{"product": s.product}}
		if w.Rand.IntN(2) == 0 {
			pricing["unit_amount_decimal"] = fmt.Sprint(price)
		}
		return object{"amount": amount, "period": object{"start": p.start.Unix(), "end": p.end.Unix()}, "pricing": pricing,
			"parent": object{"subscription_item_details": object{"subscription": s.id, "proration": true}}}
	}
	w.invoice(s, p, rest-givenBack, []object{line(-givenBack, 0), line(rest, p.plan)})
}

// invoice tells that an invoice was paid, for one of the reasons that Stripe has, which say nothing of what was paid
// before.
func (w *World) invoice(s *Sub, p *Span, total int64, lines []object) {
	reasons := []string{"subscription_create", "subscription_cycle", "subscription_update", "subscription_threshold",
		"subscription", "manual"}
	w.stripe("invoice.paid", p.start, object{"id": p.transaction, "object": "invoice", "customer": "cus " + s.id,
		"amount_paid": p.cents, "total": total, "currency": s.currency, "billing_reason": reasons[w.Rand.IntN(len(reasons))],
		"created": p.start.Unix(), "status_transitions": object{"paid_at": p.start.Unix()},
		"customer_address": object{"country": s.country}, "total_taxes": []object{{"amount": p.cents / 10}},
		"parent": object{"subscription_details": object{"subscription": s.id, "metadata": s.metadata()}},
		"lines":  object{"data": lines}})
	w.stripe("invoice_payment.paid", p.start.Add(time.Second), object{"id": "ip " + p.transaction,
		"object": "invoice_payment", "invoice": p.transaction, "payment": object{"payment_intent": "pi " + p.transaction}})
}

func (w *World) tellRefund(s *Sub, p *Span, at time.Time) {
	if s.Provider != fold.Stripe {
		w.line(s, p, "CANCELLATION", "cancellation", at, p.end, -p.cents)
		return
	}
	w.stripe("refund.created", at, object{"id": "re " + p.transaction, "object": "refund", "amount": p.cents,
		"currency": s.currency, "status": "succeeded", "created": at.Unix(), "payment_intent": "pi " + p.transaction})
}

func (w *World) tellRefundReversal(s *Sub, p *Span, at time.Time) {
	if s.Provider == fold.RevenueCat {
		w.line(s, p, "REFUND_REVERSED", "", at, p.end, p.cents)
		return
	}
	w.stripe("refund.failed", at, object{"id": "re " + p.transaction, "object": "refund", "amount": p.cents,
		"currency": s.currency, "status": "failed", "created": at.Unix(), "payment_intent": "pi " + p.transaction})
}

func (w *World) tellDispute(p *Span, currency, kind string, at time.Time) {
	w.stripe(kind, at, object{"id": "dp " + p.transaction, "object": "dispute", "amount": p.cents, "currency": currency,
		"payment_intent": "pi " + p.transaction})
}

// transfer tells that a subscription goes to another person.
func (w *World) transfer(s *Sub) {
	w.n++
	from, to := "first of "+s.id, "second of "+s.id
	w.identities[from], w.identities[to] = s.person, s.movesTo
	w.tell(s.Provider, object{"api_version": "1.0", "event": object{"id": fmt.Sprint("e", w.n), "type": "TRANSFER",
		"event_timestamp_ms": s.movesAt.UnixMilli(), "store": strings.ToUpper(s.store), "environment": "PRODUCTION",
		"transferred_from": []string{from}, "transferred_to": []string{to}}})
}
