package fold_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/revenue/fold"
)

// revenueCatEvent is an event of the transaction t of the subscription s, at a minute of the first of August 2026.
func revenueCatEvent(id, kind string, minute int, price float64, more string) fold.Event {
	at := 1_785_542_400_000 + int64(minute)*60_000
	return fold.Event{ID: id, Body: []byte(fmt.Sprintf(`{"event": {"id": %q, "type": %q, "event_timestamp_ms": %d,
		"purchased_at_ms": 1785542400000, "store": "APP_STORE", "product_id": "pro", "price": %v, "currency": "USD",
		"transaction_id": "t", "original_transaction_id": "s"%s}}`, id, kind, at, price, more))}
}

// What brings no money since it was booked before is shown as ignored, with the reason, and not dropped without a word.
func TestWhatIsToldAgainIsShownAsIgnored(t *testing.T) {
	r := fold.Fold(fold.RevenueCat, []fold.Event{
		revenueCatEvent("reversal of nothing", "REFUND_REVERSED", 1, 30, ""),
		revenueCatEvent("second refund", "CANCELLATION", 4, -5, ""),
		revenueCatEvent("refund", "CANCELLATION", 3, -10, ""),
		revenueCatEvent("purchase again", "RENEWAL", 2, 30, ""),
		revenueCatEvent("purchase", "INITIAL_PURCHASE", 0, 30, `, "expiration_at_ms": 1788220800000`),
	})
	require.Len(t, r.Entries, 2)
	require.EqualValues(t, 30e6, *r.Entries[0].Micros)
	require.EqualValues(t, -10e6, *r.Entries[1].Micros)
	for _, id := range []string{"reversal of nothing", "second refund", "purchase again"} {
		require.Equal(t, fold.Ignored, r.Verdicts[id].State, id)
		require.NotEmpty(t, r.Verdicts[id].Reason, id)
	}
	for _, id := range []string{"refund", "purchase"} {
		require.Equal(t, fold.Verdict{State: fold.Handled}, r.Verdicts[id], id)
	}
}

// An expiry centuries away means that there is no end: the money is booked, and there is no period.
func TestExpiryCenturiesAwayMeansNoEnd(t *testing.T) {
	for _, expires := range []int64{8_096_544_000_000, 253_402_214_400_000} { // 2226 and 9999
		r := fold.Fold(fold.RevenueCat, []fold.Event{
			revenueCatEvent("e", "INITIAL_PURCHASE", 0, 99, fmt.Sprintf(`, "expiration_at_ms": %d`, expires)),
		})
		require.Equal(t, fold.Verdict{State: fold.Handled}, r.Verdicts["e"])
		require.Len(t, r.Entries, 1)
		require.EqualValues(t, 99e6, *r.Entries[0].Micros)
		require.True(t, r.Entries[0].PeriodEnd.IsZero())
		require.Empty(t, r.Periods)
	}
}

// First or later is decided by what was charged before: over every reason of Stripe for each of three invoices, one of
// which moves no money, in every order, the first one that was paid is originating and the others are renewals.
func TestFirstMoneyIsOriginatingWhateverTheReason(t *testing.T) {
	reasons := []string{"", "manual", "quote_accept", "subscription", "subscription_create", "subscription_cycle",
		"subscription_threshold", "subscription_update"}
	invoice := func(n, paid int, reason string) fold.Event {
		at := 1_785_542_400 + n*2_678_400
		return fold.Event{ID: fmt.Sprint("evt_", n), Body: []byte(fmt.Sprintf(`{"id": "evt_%d", "object": "event",
			"type": "invoice.paid", "livemode": true, "created": %d, "data": {"object": {"id": "in_%[1]d",
			"amount_paid": %[3]d, "total": 1000, "currency": "usd", "billing_reason": %[4]q, "subscription": "sub_1",
			"lines": {"data": [{"amount": 1000, "period": {"start": %[2]d, "end": %[5]d}}]}}}}`,
			n, at, paid, reason, at+2_678_400))}
	}
	for _, a := range reasons {
		for _, b := range reasons {
			for _, c := range reasons {
				events := []fold.Event{invoice(0, 0, a), invoice(1, 1000, b), invoice(2, 1000, c)}
				for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
					r := fold.Fold(fold.Stripe, []fold.Event{events[order[0]], events[order[1]], events[order[2]]})
					require.Len(t, r.Periods, 3)
					require.Len(t, r.Entries, 2)
					require.Equal(t, fold.Originating, r.Entries[0].Kind, "%s %s %s", a, b, c)
					require.Equal(t, fold.Renewal, r.Entries[1].Kind, "%s %s %s", a, b, c)
				}
			}
		}
	}
}
