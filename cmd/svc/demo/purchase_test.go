package demo

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/revenue/fold"
)

// folded is what the deliveries of a purchase up to a time come to. All of them are understood.
func folded(t *testing.T, p Purchase, until time.Time) fold.Result {
	t.Helper()
	var events []fold.Event
	for _, d := range p.Deliveries(until) {
		envelope := fold.Open(d.Provider, d.Body)
		require.Equal(t, fold.Handled, envelope.Verdict.State, string(d.Body))
		require.Equal(t, d.ID, envelope.ID)
		require.Equal(t, p.Test, envelope.Test)
		events = append(events, fold.Event{ID: d.ID, Body: d.Body, Stores: []string{p.Store}})
	}
	result := fold.Fold(p.Provider, events)
	for id, verdict := range result.Verdicts {
		require.Equal(t, fold.Verdict{State: fold.Handled}, verdict, id)
	}
	return result
}

// What happens to a subscription is booked alike whichever provider tells it.
func TestProvidersTellOfPurchasesWhatHappened(t *testing.T) {
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	const month, year = "tendril-month", "tendril-year"
	for name, c := range map[string]struct {
		of     Purchase
		months int
		want   string
	}{
		"goes on":   {Purchase{ProductID: month, Payments: endless}, 2, "originating 6.99, renewal 6.99, renewal 6.99; renews"},
		"ends":      {Purchase{ProductID: month, Payments: 2}, 6, "originating 6.99, renewal 6.99; ended 2026-05-02"},
		"taken off": {Purchase{ProductID: month, Payments: 1}, 0, "originating 6.99; renews"},
		"of a year": {Purchase{ProductID: year, Payments: endless}, 11, "originating 34.99; renews"},
		"trial":     {Purchase{ProductID: year, Trial: true, Payments: endless}, 0, "trial 0.00; renews"},
		"converted": {Purchase{ProductID: year, Trial: true, Payments: endless}, 1, "trial 0.00, originating 34.99; renews"},
		"abandoned": {Purchase{ProductID: year, Trial: true}, 1, "trial 0.00; ended 2026-03-09"},
		"given back": {
			Purchase{ProductID: year, Payments: endless, RefundAfter: 36 * time.Hour}, 14,
			"originating 34.99, refund -34.99; ended 2026-03-03",
		},
	} {
		for provider, store := range map[fold.Provider]string{
			fold.Stripe: "stripe", fold.RevenueCat: "play_store", fold.Superwall: "paddle",
		} {
			p := c.of
			p.Provider, p.Store, p.ID, p.AppUserID, p.Country, p.At = provider, store, "0193-ab", "ana", "DE", at
			result := folded(t, p, at.AddDate(0, c.months, 0))
			var got []string
			for _, e := range result.Entries {
				got = append(got, fmt.Sprintf("%s %.2f", e.Kind, float64(*e.Micros)/1e6))
				require.Contains(t, e.PersonIDs, fold.PersonID(fold.ByAppUser, "ana"))
				require.Equal(t, p.ProductID, e.ProductID)
				require.Equal(t, store, e.Store)
			}
			last := result.Periods[len(result.Periods)-1]
			state := "renews"
			if !last.EndedAt.IsZero() {
				state = "ended " + last.EndedAt.Format(time.DateOnly)
			}
			require.Equal(t, last.EndedAt.IsZero(), last.AutoRenew)
			require.Equal(t, c.want, strings.Join(got, ", ")+"; "+state, "%s, %s", name, provider)
		}
	}
}

// The subscribers of before the history are the same ones for a seed, and enough for figures with a past.
func TestThereWereSubscribersBefore(t *testing.T) {
	before := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	list := NewWorld(1).Subscribers(before)
	require.Equal(t, list, NewWorld(1).Subscribers(before))
	ids := map[string]bool{}
	providers, kinds := map[fold.Provider]int{}, map[fold.Kind]int{}
	ended := 0
	for _, p := range list {
		require.True(t, p.At.Before(before))
		require.False(t, ids[p.ID])
		ids[p.ID] = true
		providers[p.Provider]++
		result := folded(t, p, before)
		for _, e := range result.Entries {
			kinds[e.Kind]++
		}
		if !result.Periods[len(result.Periods)-1].EndedAt.IsZero() {
			ended++
		}
	}
	for _, p := range []fold.Provider{fold.Stripe, fold.RevenueCat, fold.Superwall} {
		require.Greater(t, providers[p], 5, p)
	}
	for _, k := range []fold.Kind{fold.Trial, fold.Originating, fold.Renewal, fold.Refund} {
		require.NotZero(t, kinds[k], k)
	}
	require.Greater(t, ended, 10)
	require.Less(t, ended, len(list)/2)
}
