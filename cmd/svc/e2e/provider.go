package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Provider is a billing provider that delivers to an app.
type Provider struct {
	Name   string // STRIPE, REVENUECAT or SUPERWALL
	Source string // its connection
	Path   string
	Secret string
}

// Providers are the names of the billing providers.
var Providers = []string{"STRIPE", "REVENUECAT", "SUPERWALL"}

// Connect makes a connection of a billing provider with a secret.
func (s *Studio) Connect(app, provider string) Provider {
	s.t.Helper()
	var made struct {
		CreateRevenueSource struct {
			Secret string
			Source struct{ ID, Path string }
		}
	}
	stores := map[string][]string{"STRIPE": {"stripe"}, "REVENUECAT": {"app_store"}, "SUPERWALL": {"play_store"}}
	s.Query(`mutation($i: CreateRevenueSourceInput!) { createRevenueSource(input: $i) { secret source { id path } } }`,
		map[string]any{"i": map[string]any{
			"appId": app, "provider": provider, "name": provider, "stores": stores[provider],
		}}, &made)
	p := Provider{
		Name: provider, Source: made.CreateRevenueSource.Source.ID, Path: made.CreateRevenueSource.Source.Path,
		Secret: made.CreateRevenueSource.Secret,
	}
	if p.Secret == "" {
		p.Secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("e2e of "+provider+" "+app[:8]))
		s.AddSecret(p.Source, p.Secret)
	}
	return p
}

// AddSecret adds a secret to a connection and returns it, a new one of the server's where secret is empty.
func (s *Studio) AddSecret(source, secret string) string {
	s.t.Helper()
	input := map[string]any{"id": source}
	if secret != "" {
		input["secret"] = secret
	}
	var added struct{ AddRevenueSecret struct{ Secret string } }
	s.Query(`mutation($i: AddRevenueSecretInput!) { addRevenueSecret(input: $i) { secret } }`,
		map[string]any{"i": input}, &added)
	return added.AddRevenueSecret.Secret
}

// ProviderEvent is something that a provider delivers.
type ProviderEvent struct {
	Provider string
	ID       string
	Body     string
}

// Deliver sends an event to a server as its provider does.
func (p Provider) Deliver(client *http.Client, address string, e ProviderEvent) (Answer, error) {
	return Do(client, http.MethodPost, address+p.Path, e.Body, p.headers(e, time.Now())...)
}

// headers prove an event, by the schemes that the providers document.
func (p Provider) headers(e ProviderEvent, at time.Time) []string {
	seconds := fmt.Sprint(at.Unix())
	sum := func(key []byte, text string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	switch p.Name {
	case "STRIPE":
		return []string{
			"Stripe-Signature", "t=" + seconds + ",v1=" + hex.EncodeToString(sum([]byte(p.Secret), seconds+"."+e.Body)),
		}
	case "SUPERWALL":
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Secret, "whsec_"))
		if err != nil {
			key = []byte(p.Secret)
		}
		return []string{
			"Svix-Id", e.ID, "Svix-Timestamp", seconds, "Svix-Signature",
			"v1," + base64.StdEncoding.EncodeToString(sum(key, e.ID+"."+seconds+"."+e.Body)),
		}
	}
	return []string{"Authorization", p.Secret}
}

// SubscriptionEvents are what a provider delivers of a subscription of ten dollars that begins, is paid again and given
// back, by somebody whose app user id it knows.
func SubscriptionEvents(provider, customer string) (events []ProviderEvent) {
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	again, over := begin.AddDate(0, 1, 0), begin.AddDate(0, 2, 0)
	add := func(id, format string, args ...any) {
		events = append(events, ProviderEvent{provider, id, fmt.Sprintf(format, args...)})
	}
	switch provider {
	case "STRIPE":
		event := func(n int, kind string, at time.Time, format string, args ...any) {
			id := fmt.Sprintf("evt_%s_%d", customer, n)
			add(id, `{"id":%q,"object":"event","type":%q,"created":%d,"livemode":true,"data":{"object":%s}}`,
				id, kind, at.Unix(), fmt.Sprintf(format, args...))
		}
		subscription := func(n int, kind, status string, at time.Time, ended string) {
			event(n, kind, at, `{"id":"sub_%[1]s","object":"subscription","customer":"cus_%[1]s","status":%[2]q,
				"ended_at":%[3]s,"metadata":{"svc_app_user_id":%[1]q},"items":{"data":[]}}`, customer, status, ended)
		}
		subscription(0, "customer.subscription.created", "active", begin, "null")
		for i, at := range []time.Time{begin, again} {
			event(1+2*i, "invoice.paid", at, `{"id":"in_%[1]s_%[2]d","object":"invoice","customer":"cus_%[1]s",
				"amount_paid":1000,"currency":"usd","billing_reason":%[3]q,"status_transitions":{"paid_at":%[4]d},
				"parent":{"subscription_details":{"subscription":"sub_%[1]s"}},"lines":{"data":[{"amount":1000,
				"period":{"start":%[4]d,"end":%[5]d},"pricing":{"price_details":{"product":"plus"}}}]}}`,
				customer, i, []string{"subscription_create", "subscription_cycle"}[i], at.Unix(), at.AddDate(0, 1, 0).Unix())
			event(2+2*i, "invoice_payment.paid", at, `{"id":"inpay_%[1]s_%[2]d","object":"invoice_payment",
				"invoice":"in_%[1]s_%[2]d","payment":{"type":"payment_intent","payment_intent":"pi_%[1]s_%[2]d"}}`, customer, i)
		}
		event(5, "refund.created", again, `{"id":"re_%[1]s","object":"refund","amount":1000,"currency":"usd",
			"status":"succeeded","created":%[2]d,"payment_intent":"pi_%[1]s_1"}`, customer, again.Add(time.Hour).Unix())
		subscription(6, "customer.subscription.deleted", "canceled", over, fmt.Sprint(over.Unix()))
	case "REVENUECAT":
		for i, e := range []struct {
			kind, period, price string
			at                  time.Time
		}{
			{"INITIAL_PURCHASE", "TRIAL", "0", begin}, {"RENEWAL", "NORMAL", "10", again},
			{"CANCELLATION", "NORMAL", "-10", again.Add(time.Hour)}, {"EXPIRATION", "NORMAL", "0", over},
		} {
			id, transaction := fmt.Sprintf("rc-%s-%d", customer, i), customer+"-0"
			if i > 0 {
				transaction = customer + "-1"
			}
			start := begin
			if i > 0 {
				start = again
			}
			add(id, `{"event":{"id":%q,"type":%q,"event_timestamp_ms":%d,"app_user_id":%[4]q,"original_app_user_id":%[4]q,
				"product_id":"plus","period_type":%[5]q,"purchased_at_ms":%[6]d,"expiration_at_ms":%[7]d,"store":"APP_STORE",
				"environment":"PRODUCTION","is_trial_conversion":%[8]t,"price":%[9]s,"currency":"USD",
				"cancel_reason":"CUSTOMER_SUPPORT","transaction_id":%[10]q,"original_transaction_id":%[11]q,
				"subscriber_attributes":{"svc_app_user_id":{"value":%[4]q}}}}`,
				id, e.kind, e.at.UnixMilli(), customer, e.period, start.UnixMilli(), start.AddDate(0, 1, 0).UnixMilli(), i == 1,
				e.price, transaction, customer+"-0")
		}
	case "SUPERWALL":
		for i, e := range []struct {
			name, price string
			at          time.Time
		}{
			{"initial_purchase", "10", begin}, {"renewal", "10", again}, {"cancellation", "-10", again.Add(time.Hour)},
			{"expiration", "0", over},
		} {
			start, id := begin.AddDate(0, min(i, 1), 0), fmt.Sprintf("sw-%s-%d:%s", customer, i, e.name)
			add(id, `{"object":"event","type":%[1]q,"data":{"id":%[2]q,"name":%[1]q,"price":%[3]s,"ts":%[4]d,
				"purchasedAt":%[5]d,"expirationAt":%[6]d,"transactionId":"%[7]s-%[8]d","originalTransactionId":"%[7]s-0",
				"store":"PLAY_STORE","environment":"PRODUCTION","productId":"plus","currencyCode":"USD",
				"userAttributes":{"svc_app_user_id":%[7]q}}}`,
				e.name, id, e.price, e.at.UnixMilli(), start.UnixMilli(), start.AddDate(0, 1, 0).UnixMilli(), customer, min(i, 1))
		}
	}
	return events
}

// ConnectAll makes a connection of every billing provider, by name.
func (s *Studio) ConnectAll(t testing.TB, app string) map[string]Provider {
	t.Helper()
	all := map[string]Provider{}
	for _, name := range Providers {
		all[name] = s.Connect(app, name)
	}
	return all
}
