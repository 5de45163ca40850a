package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/svc-dev/svc/revenue/fold"
)

// Delivery is what a provider sends of something that happened.
type Delivery struct {
	Provider fold.Provider
	ID       string
	Body     []byte
}

// Deliveries returns what the provider of a purchase has sent of it up to a time.
func (p Purchase) Deliveries(until time.Time) (list []Delivery) {
	write := map[fold.Provider]func(moment) []Delivery{
		fold.Stripe: p.stripe, fold.RevenueCat: p.revenueCat, fold.Superwall: p.superwall,
	}[p.Provider]
	for _, m := range p.moments(until) {
		list = append(list, write(m)...)
	}
	return list
}

func (p Purchase) delivery(id string, body map[string]any) Delivery {
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("a made-up delivery can't be encoded: %v", err)) // it has strings and numbers alone
	}
	return Delivery{p.Provider, id, encoded}
}

// transaction is the provider's id of a payment; that of a trial is the subscription's.
func (p Purchase) transaction(payment int) string {
	if payment <= 0 && (payment < 0 || !p.Trial) {
		return "demo-" + p.ID
	}
	return fmt.Sprintf("demo-%s-%d", p.ID, payment)
}

// taxes are the parts of prices that are tax, by country.
var taxes = map[string]float64{
	"GB": 0.1667, "DE": 0.1597, "FR": 0.1667, "ES": 0.1736, "NL": 0.1736, "SE": 0.2, "PL": 0.187, "IT": 0.1803,
	"TR": 0.1667, "IN": 0.1525, "JP": 0.0909, "KR": 0.0909, "AU": 0.0909,
}

// appStoreCommission is what app stores keep of small businesses, webCommission what a merchant of record does.
const (
	appStoreCommission = 0.15
	webCommission      = 0.05
)

// isConversion tells whether a payment is the first one after a trial.
func (p Purchase) isConversion(m moment) bool { return m.kind == isPaid && m.payment == 0 && p.Trial }

func (p Purchase) revenueCat(m moment) []Delivery {
	kind, price, period := "", float64(m.micros)/1e6, "NORMAL"
	event := map[string]any{"cancel_reason": nil, "expiration_reason": nil}
	switch m.kind {
	case trialBegins:
		kind, period = "INITIAL_PURCHASE", "TRIAL"
	case isPaid:
		kind = "RENEWAL"
		if m.payment == 0 && !p.Trial {
			kind = "INITIAL_PURCHASE"
		}
		event["is_trial_conversion"] = p.isConversion(m)
	case isRefunded:
		kind, price = "CANCELLATION", -price
		event["cancel_reason"] = "CUSTOMER_SUPPORT"
	case isCancelled:
		kind = "CANCELLATION"
		event["cancel_reason"] = "UNSUBSCRIBE"
	case isOver:
		kind, price = "EXPIRATION", 0
		event["expiration_reason"] = "UNSUBSCRIBE"
		m.end = m.at
	}
	if m.payment < 0 {
		period = "TRIAL"
	}
	id := fmt.Sprintf("demo-%s-%d-%d", p.ID, m.payment+1, m.kind)
	anonymous := "$RCAnonymousID:" + p.token()
	for name, value := range map[string]any{
		"id": id, "type": kind, "app_id": "demo", "event_timestamp_ms": m.at.UnixMilli(),
		"app_user_id": anonymous, "original_app_user_id": anonymous, "aliases": []string{anonymous},
		"subscriber_attributes": map[string]any{"svc_app_user_id": map[string]any{
			"value": p.AppUserID, "updated_at_ms": p.At.UnixMilli(),
		}},
		"product_id": p.ProductID, "entitlement_ids": []string{"plus"}, "period_type": period,
		"purchased_at_ms": m.start.UnixMilli(), "expiration_at_ms": m.end.UnixMilli(),
		"store": strings.ToUpper(p.Store), "environment": environmentName(p.Test), "currency": "USD", "price": price,
		"price_in_purchased_currency": price, "tax_percentage": taxes[p.Country],
		"commission_percentage": appStoreCommission, "is_family_share": false, "country_code": p.Country,
		"transaction_id": p.transaction(m.payment), "original_transaction_id": p.transaction(-1),
	} {
		event[name] = value
	}
	return []Delivery{p.delivery(id, map[string]any{"api_version": "1.0", "event": event})}
}

func environmentName(test bool) string {
	if test {
		return "SANDBOX"
	}
	return "PRODUCTION"
}

func (p Purchase) superwall(m moment) []Delivery {
	name, price, period := "", float64(m.micros)/1e6, "NORMAL"
	data := map[string]any{"cancelReason": nil, "expirationReason": nil}
	switch m.kind {
	case trialBegins:
		name = "initial_purchase"
	case isPaid:
		name = "renewal"
		if m.payment == 0 && !p.Trial {
			name = "initial_purchase"
		}
	case isRefunded:
		name, price = "cancellation", -price
		data["cancelReason"] = "CUSTOMER_SUPPORT"
	case isCancelled:
		name = "cancellation"
		data["cancelReason"] = "UNSUBSCRIBE"
	case isOver:
		name, price = "expiration", 0
		data["expirationReason"] = "UNSUBSCRIBE"
		m.end = m.at
	}
	if m.payment < 0 {
		period = "TRIAL"
	}
	id := fmt.Sprintf("demo-%s-%d-%d:%s", p.ID, m.payment+1, m.kind, name)
	for key, value := range map[string]any{
		"id": id, "name": name, "price": price, "proceeds": price * (1 - webCommission),
		"priceInPurchasedCurrency": price, "currencyCode": "USD", "exchangeRate": 1,
		"taxPercentage": taxes[p.Country], "commissionPercentage": webCommission, "periodType": period,
		"isTrialConversion": p.isConversion(m), "productId": p.ProductID, "newProductId": nil,
		"transactionId": p.transaction(m.payment), "originalTransactionId": p.transaction(-1),
		"originalAppUserId": "$SuperwallAlias:" + p.ID, "purchasedAt": m.start.UnixMilli(),
		"expirationAt": m.end.UnixMilli(), "store": strings.ToUpper(p.Store), "environment": environmentName(p.Test),
		"isFamilyShare": false, "isSmallBusiness": true, "countryCode": p.Country, "bundleId": "example.tendril",
		"userAttributes": map[string]any{"svc_app_user_id": p.AppUserID}, "ts": m.at.UnixMilli(),
	} {
		data[key] = value
	}
	return []Delivery{p.delivery(id, map[string]any{
		"object": "event", "type": name, "projectId": 1, "applicationId": 1, "timestamp": m.at.UnixMilli(), "data": data,
	})}
}

// stripeVersion is the version of the interface whose shapes the deliveries have.
const stripeVersion = "2025-09-30.clover"

// stripe returns the events of a moment in the order in which Stripe usually sends them: the session of a checkout
// comes after its invoice.
func (p Purchase) stripe(m moment) []Delivery {
	var list []Delivery
	send := func(kind string, object map[string]any) {
		id := fmt.Sprintf("evt_%s_%d_%d_%d", p.token(), m.payment+1, m.kind, len(list))
		list = append(list, p.delivery(id, map[string]any{
			"id": id, "object": "event", "api_version": stripeVersion, "created": m.at.Unix(), "livemode": !p.Test,
			"pending_webhooks": 1, "type": kind, "data": map[string]any{"object": object},
		}))
	}
	switch m.kind {
	case trialBegins:
		send("customer.subscription.created", p.stripeSubscription(m, "trialing"))
		send("checkout.session.completed", p.stripeSession("no_payment_required", 0))
	case isPaid:
		if m.payment == 0 && !p.Trial {
			send("customer.subscription.created", p.stripeSubscription(m, "active"))
		}
		send("invoice.paid", p.stripeInvoice(m))
		send("invoice_payment.paid", map[string]any{
			"id": p.stripeID("inpay", m), "object": "invoice_payment", "invoice": p.stripeID("in", m),
			"amount_paid": m.micros / 10_000, "currency": "usd", "status": "paid",
			"payment": map[string]any{"type": "payment_intent", "payment_intent": p.stripeID("pi", m)},
		})
		if m.payment == 0 && !p.Trial {
			send("checkout.session.completed", p.stripeSession("paid", m.micros))
		}
	case isRefunded:
		send("refund.created", map[string]any{
			"id": p.stripeID("re", m), "object": "refund", "amount": m.micros / 10_000, "currency": "usd",
			"status": "succeeded", "created": m.at.Unix(), "payment_intent": p.stripeID("pi", m),
			"reason": "requested_by_customer",
		})
	case isCancelled:
		s := p.stripeSubscription(m, "active")
		if m.payment < 0 {
			s["status"] = "trialing"
		}
		s["cancel_at_period_end"] = true
		send("customer.subscription.updated", s)
	case isOver:
		s := p.stripeSubscription(m, "canceled")
		s["ended_at"] = m.at.Unix()
		send("customer.subscription.deleted", s)
	}
	return list
}

func (p Purchase) stripeID(prefix string, m moment) string {
	return fmt.Sprintf("%s_%s_%d", prefix, p.token(), m.payment+1)
}

// stripeMetadata is what the app wrote into the metadata of what it sells.
func (p Purchase) stripeMetadata() map[string]any {
	if p.AppUserID == "" {
		return map[string]any{}
	}
	return map[string]any{"svc_app_user_id": p.AppUserID}
}

func (p Purchase) stripeSubscription(m moment, status string) map[string]any {
	s := map[string]any{
		"id": "sub_" + p.token(), "object": "subscription", "customer": "cus_" + p.token(), "status": status,
		"created": p.At.Unix(), "cancel_at_period_end": false, "cancel_at": nil, "ended_at": nil,
		"trial_start": nil, "trial_end": nil, "latest_invoice": p.stripeID("in", m), "metadata": p.stripeMetadata(),
		"items": map[string]any{"object": "list", "data": []any{map[string]any{
			"id": "si_" + p.token(), "current_period_start": m.start.Unix(), "current_period_end": m.end.Unix(),
			"price": map[string]any{"id": "price_" + p.ProductID, "product": p.ProductID},
		}}},
	}
	if p.Trial {
		s["trial_start"], s["trial_end"] = p.At.Unix(), p.At.Add(freeWeek).Unix()
	}
	return s
}

func (p Purchase) stripeSession(status string, micros int64) map[string]any {
	return map[string]any{
		"id": "cs_" + p.token(), "object": "checkout.session", "mode": "subscription", "payment_status": status,
		"client_reference_id": textOrNil(p.Attempt), "customer": "cus_" + p.token(),
		"subscription": "sub_" + p.token(), "payment_intent": nil, "amount_total": micros / 10_000, "currency": "usd",
		"metadata": p.stripeMetadata(), "customer_details": map[string]any{"address": map[string]any{"country": p.Country}},
	}
}

func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (p Purchase) stripeInvoice(m moment) map[string]any {
	reason := "subscription_cycle"
	if m.payment == 0 && !p.Trial {
		reason = "subscription_create"
	}
	cents := m.micros / 10_000
	return map[string]any{
		"id": p.stripeID("in", m), "object": "invoice", "customer": "cus_" + p.token(), "amount_paid": cents,
		"amount_due": cents, "currency": "usd", "billing_reason": reason, "created": m.at.Unix(), "status": "paid",
		"status_transitions": map[string]any{"paid_at": m.at.Unix()}, "metadata": map[string]any{},
		"customer_address": map[string]any{"country": p.Country},
		"parent": map[string]any{
			"type": "subscription_details",
			"subscription_details": map[string]any{
				"subscription": "sub_" + p.token(), "metadata": p.stripeMetadata(),
			},
		},
		"total_taxes": []any{map[string]any{
			"amount": int64(float64(cents) * taxes[p.Country]), "tax_behavior": "inclusive",
		}},
		"lines": map[string]any{"object": "list", "data": []any{map[string]any{
			"id": p.stripeID("il", m), "object": "line_item", "amount": cents, "currency": "usd",
			"period": map[string]any{"start": m.start.Unix(), "end": m.end.Unix()},
			"parent": map[string]any{
				"type": "subscription_item_details",
				"subscription_item_details": map[string]any{
					"subscription": "sub_" + p.token(), "proration": false,
				},
			},
			"pricing": map[string]any{
				"type":          "price_details",
				"price_details": map[string]any{"price": "price_" + p.ProductID, "product": p.ProductID},
			},
		}}},
	}
}
