package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"
)

// TestRevenueOfSources sends sessions with sources and the money of their users as each provider delivers it, and asks
// GraphQL and the command line for acquisition and for revenue: each source has the first money of its users, and
// together they have what is new.
func TestRevenueOfSources(t *testing.T) {
	t.Parallel()
	d := StartDev(t, []string{"SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none")
	app, studio := d.Apps[0].ID, d.SignIn(t, d.BaseURL)
	began := time.Now().UTC().Truncate(time.Second).Add(-3 * time.Hour)
	key := d.Apps[0].Environments["live"].PublishableKey
	want := map[string]float64{"src-web": 0}
	visit := func(user, source string) {
		t.Helper()
		view := newEvent(user, "of "+user)
		view["timestamp"] = began.Format(time.RFC3339)
		view["context"] = map[string]any{"platform": "web", "attribution": map[string]any{"acquisition.source": source}}
		if answer, body := send(t, d.BaseURL, key, []event{view}); body.Stored != 1 {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
	}
	connected := studio.ConnectAll(t, app)
	visit("nobody", "src-web")
	for _, provider := range Providers {
		user, source := "user of "+provider, "src-"+provider
		visit(user, source)
		want[source] = 10
		for _, event := range firstMoney(provider, user, began.Add(time.Hour)) {
			answer, err := connected[provider].Deliver(http.DefaultClient, d.BaseURL, event)
			if err != nil || answer.Status != http.StatusOK {
				t.Fatalf("%s: %v %d %s", event.ID, err, answer.Status, answer.Body)
			}
		}
	}
	var by struct {
		Nodes []struct {
			Value    string
			Visitors int
			Revenue  float64
		}
	}
	var money struct{ Totals struct{ New, Gross float64 } }
	command := func(into any, args ...string) {
		t.Helper()
		env := []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey}
		exit, stdout, stderr := Run(t, env, append(args, "-o", "json")...)
		if exit != 0 {
			t.Fatalf("svc %v: exit %d: %s", args, exit, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), into); err != nil {
			t.Fatal(err)
		}
	}
	Until(t, time.Minute, "reports have the money", func() error {
		command(&by, "analytics", "product", "attribution", app, "--dimension", "source", "--order-by", "revenue")
		command(&money, "analytics", "revenue", app)
		have := map[string]float64{}
		for _, row := range by.Nodes {
			have[row.Value] = row.Revenue
			if row.Visitors != 1 {
				return fmt.Errorf("%q has %d visitors", row.Value, row.Visitors)
			}
		}
		first, gross := money.Totals.New, money.Totals.Gross
		if !reflect.DeepEqual(have, want) || first != 30 || gross != 40 {
			return fmt.Errorf("sources have %v, want %v; new is %v of %v, want 30 of 40", have, want, first, gross)
		}
		return nil
	})
	var asked struct {
		App struct {
			ProductAnalytics struct {
				Attribution struct {
					Nodes []struct {
						Value   string
						Revenue float64
					}
				}
				Summary struct{ Revenue float64 }
			}
		}
	}
	studio.Query(`query($app: ID!) { app(id: $app) { productAnalytics(scope: {}) {
		attribution(dimension: SOURCE) { nodes { value revenue } } summary { revenue }
	} } }`, map[string]any{"app": app}, &asked)
	of := asked.App.ProductAnalytics
	for _, row := range of.Attribution.Nodes {
		if row.Revenue != want[row.Value] {
			t.Errorf("GraphQL says %v of %q, want %v", row.Revenue, row.Value, want[row.Value])
		}
	}
	if of.Summary.Revenue != money.Totals.New {
		t.Errorf("acquisition has %v altogether, the revenue report %v new", of.Summary.Revenue, money.Totals.New)
	}
}

// firstMoney is what a provider delivers of somebody who pays ten dollars for the first time: to Stripe as an upgrade
// of a plan that was free, and to RevenueCat twice, so that the second is a renewal.
func firstMoney(provider, user string, at time.Time) []ProviderEvent {
	end := at.AddDate(0, 1, 0)
	switch provider {
	case "STRIPE":
		event := func(n int, kind, object string) ProviderEvent {
			id := fmt.Sprint("evt_", n)
			return ProviderEvent{provider, id, fmt.Sprintf(
				`{"id":%q,"object":"event","type":%q,"created":%d,"livemode":true,"data":{"object":%s}}`, id, kind, at.Unix(), object,
			)}
		}
		invoice := func(n, cents int, reason string) string {
			return fmt.Sprintf(`{"id":"in_%d","object":"invoice","customer":"cus","amount_paid":%[2]d,"total":%[2]d,
				"currency":"usd","billing_reason":%[3]q,"status_transitions":{"paid_at":%[4]d},
				"parent":{"subscription_details":{"subscription":"sub","metadata":{"svc_app_user_id":%[6]q}}},
				"lines":{"data":[{"amount":%[2]d,"period":{"start":%[4]d,"end":%[5]d},
				"pricing":{"price_details":{"product":"plus"}}}]}}`, n, cents, reason, at.Unix(), end.Unix(), user)
		}
		return []ProviderEvent{
			event(0, "customer.subscription.created", fmt.Sprintf(`{"id":"sub","object":"subscription","customer":"cus",
				"status":"active","metadata":{"svc_app_user_id":%q},"items":{"data":[]}}`, user)),
			event(1, "invoice.paid", invoice(0, 0, "subscription_create")),
			event(2, "invoice.paid", invoice(1, 1000, "subscription_update")),
		}
	case "REVENUECAT":
		event := func(n int, kind string, at time.Time) ProviderEvent {
			id := fmt.Sprint("rc-", n)
			return ProviderEvent{provider, id, fmt.Sprintf(`{"event":{"id":%q,"type":%q,"event_timestamp_ms":%d,
				"app_user_id":%[4]q,"original_app_user_id":%[4]q,"product_id":"plus","period_type":"NORMAL",
				"purchased_at_ms":%[3]d,"expiration_at_ms":%[5]d,"store":"APP_STORE","environment":"PRODUCTION","price":10,
				"currency":"USD","transaction_id":"rc-t%[6]d","original_transaction_id":"rc-t0",
				"subscriber_attributes":{"svc_app_user_id":{"value":%[4]q}}}}`,
				id, kind, at.UnixMilli(), user, at.Add(time.Hour).UnixMilli(), n)}
		}
		return []ProviderEvent{event(1, "RENEWAL", at.Add(time.Hour)), event(0, "INITIAL_PURCHASE", at)}
	}
	return []ProviderEvent{{provider, "sw-1", fmt.Sprintf(`{"object":"event","type":"initial_purchase","data":{"id":"sw-1",
		"name":"initial_purchase","price":10,"ts":%[1]d,"purchasedAt":%[1]d,"expirationAt":%[2]d,"transactionId":"sw-t",
		"originalTransactionId":"sw-t","store":"PLAY_STORE","environment":"PRODUCTION","productId":"plus",
		"currencyCode":"USD","userAttributes":{"svc_app_user_id":%[3]q}}}`, at.UnixMilli(), end.UnixMilli(), user)}}
}
