package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle/floworacle"
	flowrun "github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// flowRuns makes the events of people who walk through a flow: some with run ids, some without, with lost starts.
func flowRuns(rng *rand.Rand, flowID, version uuid.UUID, at time.Time) (events []floworacle.Event) {
	steps := []string{"scr_goal", "scr_symptoms", "scr_rooms", "scr_size", "scr_email"}
	for person := range 12 {
		several, runs := person < 2, 1+rng.IntN(2)
		if several { // in one session, without run ids
			runs = 3
		}
		for range runs {
			var runID session.Key
			if !several && rng.IntN(3) > 0 {
				runID = session.Key(uuid.New())
			}
			now, seq := at.Add(time.Duration(rng.IntN(7200))*time.Second), int64(0)
			client := flowrun.Client{Platform: []string{"ios", "web"}[person%2], Locale: []string{"de-DE", "en", "fr"}[person%3]}
			from := ""
			add := func(name, step string, seconds int, said ...string) {
				now = now.Add(time.Duration(seconds) * time.Second)
				e := floworacle.Event{
					ID: uuid.NewString(), Name: name, At: now.UnixMilli(), Person: fmt.Sprintf("p%d", person),
					Session: fmt.Sprintf("s%d", person), Flow: session.Key(flowID), RunID: runID, Seq: -1, Step: step,
					Release: flowrun.Release{Channel: 1, Version: session.Key(version)}, Client: client,
				}
				said = append(said, "", "")
				e.Subject, e.Value = said[0], said[1]
				if runID != (session.Key{}) {
					e.Seq = seq
					if name == "step_viewed" || name == "surface_presented" {
						before := from
						e.From, from = &before, step
					}
				}
				seq++
				events = append(events, e)
			}
			if rng.IntN(5) > 0 {
				add("flow_started", "", 1)
			}
			end := 1 + rng.IntN(len(steps))
			for _, step := range steps[:end] {
				add("step_viewed", step, 1)
				if rng.IntN(4) == 0 {
					add("step_skipped", step, 1+rng.IntN(40))
					continue
				}
				answer(rng, step, add)
				add("step_completed", step, 1+rng.IntN(40))
			}
			if rng.IntN(2) == 0 {
				add("surface_presented", "srf_offer", 1, "stripe")
				switch rng.IntN(3) {
				case 0:
					add("surface_outcome", "srf_offer", 2, "stripe", "purchase_completed")
					add("iap_purchase", "srf_offer", 1, "stripe", "year")
				case 1:
					add("surface_outcome", "srf_offer", 2, "stripe", "dismissed")
				}
			}
			if end == len(steps) {
				add("flow_completed", "", 1)
			} else if rng.IntN(2) == 0 {
				add("flow_abandoned", "", 1)
			}
		}
	}
	return events
}

// answer adds what somebody answers on a screen: single and multiple choices, numbers and texts.
func answer(rng *rand.Rand, step string, add func(name, step string, seconds int, said ...string)) {
	switch step {
	case "scr_goal":
		for range 1 + rng.IntN(2) { // the second corrects nothing: the person chose twice
			add("choice_selected", step, 1, "goal", []string{"rescue", "grow"}[rng.IntN(2)])
		}
	case "scr_symptoms":
		for range rng.IntN(3) {
			add("choice_selected", step, 1, "symptoms", []string{"yellow", "dry", "spots"}[rng.IntN(3)])
		}
	case "scr_rooms":
		add("text_submitted", step, 2, "brightness", []string{"1", "4", "7"}[rng.IntN(3)])
	case "scr_email":
		add("text_submitted", step, 2, "email", []string{"a@example.com", "b@example.com"}[rng.IntN(2)])
	}
}

// flowPurchases makes what the ledger says of people of runs: after one of their events, or long after all.
func flowPurchases(rng *rand.Rand, events []floworacle.Event) (list []frame.Purchase) {
	for range 14 {
		e := events[rng.IntN(len(events))]
		p := frame.Purchase{
			Visitor: e.Person, At: e.At + int64(rng.IntN(90))*60_000, Provider: frame.Provider(rng.IntN(2)),
			Kind: frame.PurchaseKind(rng.IntN(2)), AmountMicros: int64(1+rng.IntN(3)) * 4_990_000,
			Product: []string{"year", "month"}[rng.IntN(2)],
		}
		list = append(list, p)
		if rng.IntN(3) == 0 {
			p.Kind, p.At, p.AmountMicros = frame.Refund, p.At+60_000, -p.AmountMicros
			list = append(list, p)
		}
	}
	return list
}

// recordFlowPurchases writes purchases into the ledger by one of the servers each.
func (s *servers) recordFlowPurchases(t *testing.T, rng *rand.Rand, purchases []frame.Purchase) {
	t.Helper()
	for i, p := range purchases {
		s.query(t, rng.IntN(2), `mutation($i: RecordPurchaseInput!) { recordPurchase(input: $i) { duplicate } }`,
			map[string]any{"i": map[string]any{
				"appId": s.dev.Apps[0].ID, "environment": "LIVE", "provider": strings.ToUpper(p.Provider.String()),
				"providerEventId": fmt.Sprintf("p%d", i), "appUserId": p.Visitor, "productId": p.Product,
				"kind": [...]string{
					frame.Originating: "ORIGINATING", frame.Renewal: "RENEWAL", frame.Refund: "REFUND",
				}[p.Kind],
				"occurredAt": time.UnixMilli(p.At).UTC().Format(time.RFC3339Nano),
				"amount":     float64(max(p.AmountMicros, -p.AmountMicros)) / 1e6,
			}}, nil)
	}
}
