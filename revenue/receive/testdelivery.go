package receive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/revenue/fold"
)

// TestDelivery is what became of a test delivery.
type TestDelivery struct {
	Status int           // of HTTP, as the provider would have got it
	Took   time.Duration // from the delivery's receipt to its answer
	// State and Reason are what became of it in the inbox; empty when it was not accepted.
	State  fold.State
	Reason string
}

// Accepted tells whether the delivery was proved and is kept.
func (r TestDelivery) Accepted() bool { return r.Status == http.StatusOK }

// TestDelivery delivers a purchase of one dollar in a sandbox to a connection, signed with its newest secret, as its
// provider does: it goes the way of every delivery, and is money of the test environment. What is archived, has no
// secret or none that the server's keys open refuses it. The error is the database's.
func (h *Handler) TestDelivery(ctx context.Context, id uuid.UUID) (TestDelivery, error) {
	c, err := h.connections.findNow(ctx, id)
	if err != nil {
		return TestDelivery{}, fmt.Errorf("read the connection: %w", err)
	}
	if c == nil {
		return TestDelivery{Status: http.StatusUnauthorized}, nil
	}
	delivery, body, err := purchaseInSandbox(c, h.Now())
	if err != nil {
		return TestDelivery{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, Path(c.provider, c.id), bytes.NewReader(body))
	if err != nil {
		return TestDelivery{}, err
	}
	request.SetPathValue("provider", string(c.provider))
	request.SetPathValue("connection", c.id.String())
	request.RemoteAddr = "127.0.0.1:0"
	var secret string
	if len(c.secrets) > 0 {
		secret = string(c.secrets[len(c.secrets)-1])
	}
	Sign(c.provider, secret, request.Header, delivery, body, h.Now())
	began := time.Now()
	response, err := httpserver.InProcess(h).RoundTrip(request)
	if err != nil {
		return TestDelivery{}, err
	}
	defer response.Body.Close()
	done := TestDelivery{Status: response.StatusCode, Took: time.Since(began)}
	if !done.Accepted() {
		return done, nil
	}
	if err := h.Pool.QueryRow(ctx, `
		select state, reason from provider_event where environment_id = $1 and provider = $2 and event_id = $3`,
		c.test, c.provider, delivery).Scan(&done.State, &done.Reason); err != nil {
		return done, fmt.Errorf("read what became of the test delivery: %w", err)
	}
	return done, nil
}

// purchaseInSandbox writes the delivery of a single purchase of one dollar, with the id that names it.
func purchaseInSandbox(c *connection, now time.Time) (id string, body []byte, err error) {
	const product = "svc_test"
	id = product + "_" + uuid.NewString()
	store := "app_store"
	if len(c.stores) > 0 {
		store = c.stores[0]
	}
	var delivery map[string]any
	switch c.provider {
	case fold.Stripe:
		delivery = map[string]any{
			"id": id, "object": "event", "type": "checkout.session.completed", "created": now.Unix(), "livemode": false,
			"data": map[string]any{"object": map[string]any{
				"id": "cs_" + id, "object": "checkout.session", "mode": "payment", "payment_status": "paid",
				"amount_total": 100, "currency": "usd", "payment_intent": "pi_" + id, "metadata": map[string]any{},
			}},
		}
	case fold.RevenueCat:
		delivery = map[string]any{"api_version": "1.0", "event": map[string]any{
			"id": id, "type": "NON_RENEWING_PURCHASE", "event_timestamp_ms": now.UnixMilli(),
			"purchased_at_ms": now.UnixMilli(), "environment": "SANDBOX", "store": store, "product_id": product,
			"period_type": "NORMAL", "price": 1, "currency": "USD", "price_in_purchased_currency": 1, "transaction_id": id,
			"original_transaction_id": id, "app_user_id": product, "original_app_user_id": product,
		}}
	case fold.Superwall:
		delivery = map[string]any{"object": "event", "type": "non_renewing_purchase", "data": map[string]any{
			"id": id, "name": "non_renewing_purchase", "ts": now.UnixMilli(), "purchasedAt": now.UnixMilli(),
			"environment": "SANDBOX", "store": store, "productId": product, "periodType": "NORMAL", "price": 1,
			"currencyCode": "USD", "priceInPurchasedCurrency": 1, "transactionId": id, "originalTransactionId": id,
		}}
	default:
		return "", nil, fmt.Errorf("no test delivery is known of %s", c.provider)
	}
	body, err = json.Marshal(delivery)
	return id, body, err
}
