package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/cmd/svc/demo"
	"github.com/svc-dev/svc/cmd/svc/e2e"
	"github.com/svc-dev/svc/ingest"
)

// sendingClients is how many clients share the hits of a world.
const sendingClients = 4

// batch is one request: hits of one place, which is a matter of the address.
type batch struct {
	hits   []oracle.Hit
	server int
	flat   bool // in the form of people who write their own client
}

// send sends a quarter: new hits and retries of old ones, while reports are read.
func (w *sentWorld) send(t *testing.T, quarter int) {
	t.Helper()
	part := w.parts[quarter]
	var lists [sendingClients][]oracle.Hit
	for _, h := range part.Hits {
		i := w.rng.IntN(sendingClients)
		lists[i] = append(lists[i], h)
	}
	for _, h := range w.sent.Hits {
		if w.rng.IntN(6) == 0 {
			i := w.rng.IntN(sendingClients)
			lists[i] = append(lists[i], h)
		}
	}
	fresh := distinct(append(slices.Clone(w.sent.Hits), part.Hits...)) - distinct(w.sent.Hits)

	var stored atomic.Int64
	var wait sync.WaitGroup
	defer wait.Wait() // also when a report is wrong meanwhile
	for _, list := range lists {
		batches := batchesOf(w.rng, list)
		wait.Go(func() {
			for _, b := range batches {
				n, err := w.post(b)
				if err != nil {
					t.Error(err)
					return
				}
				stored.Add(int64(n))
			}
		})
	}
	w.recordPurchases(t, part.Purchases)
	for server := range 2 {
		w.readMeanwhile(t, server)
	}
	wait.Wait()
	w.sent.Hits = append(w.sent.Hits, part.Hits...)
	w.sent.Purchases = append(w.sent.Purchases, part.Purchases...)
	if t.Failed() {
		t.FailNow()
	}
	if int(stored.Load()) != fresh {
		t.Fatalf("quarter %d: %d events were new, %d were stored", quarter, fresh, stored.Load())
	}
}

func distinct(hits []oracle.Hit) int {
	ids := map[string]bool{}
	for _, h := range hits {
		ids[h.EventID] = true
	}
	return len(ids)
}

// batchesOf splits hits into small batches of one place each; some are sent again to the other server.
func batchesOf(rng *rand.Rand, hits []oracle.Hit) []batch {
	var out []batch
	for len(hits) > 0 {
		b := batch{server: rng.IntN(2), flat: rng.IntN(3) == 0}
		size := 1 + rng.IntN(6)
		var rest []oracle.Hit
		for _, h := range hits {
			if len(b.hits) < size && (len(b.hits) == 0 || samePlace(h, b.hits[0])) {
				b.hits = append(b.hits, h)
			} else {
				rest = append(rest, h)
			}
		}
		hits = rest
		out = append(out, b)
		if rng.IntN(4) == 0 {
			out = append(out, batch{b.hits, 1 - b.server, !b.flat})
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func samePlace(a, b oracle.Hit) bool {
	return a.Country == b.Country && a.Region == b.Region && a.City == b.City &&
		a.HasCoordinates == b.HasCoordinates && a.Lat == b.Lat && a.Lon == b.Lon
}

// post sends a batch until a server takes it and returns how many events were stored.
func (w *sentWorld) post(b batch) (stored int, err error) {
	headers := []string{"Authorization", "Bearer " + w.key, "User-Agent", "Worlds/1.0"}
	if h := b.hits[0]; h.Country != "" {
		headers = append(headers, demo.CountryHeader, h.Country)
	}
	if h := b.hits[0]; h.Region != "" {
		headers = append(headers, demo.RegionHeader, url.PathEscape(h.Region))
	}
	if h := b.hits[0]; h.City != "" {
		headers = append(headers, demo.CityHeader, url.PathEscape(h.City))
	}
	if h := b.hits[0]; h.HasCoordinates {
		headers = append(
			headers, demo.LatitudeHeader, strconv.FormatFloat(h.Lat, 'f', -1, 64), demo.LongitudeHeader,
			strconv.FormatFloat(h.Lon, 'f', -1, 64),
		)
	}
	events := make([]map[string]any, len(b.hits))
	for i, h := range b.hits {
		events[i] = wireEvent(h)
		if b.flat {
			events[i] = otherForm(wireEvent(h))
		}
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		answer, err := e2e.Do(
			http.DefaultClient, http.MethodPost, w.servers.urls[b.server]+"/v1/sdk/analytics/events",
			map[string]any{"events": events}, headers...,
		)
		if err != nil {
			return 0, err
		}
		if answer.Status == http.StatusServiceUnavailable && time.Now().Before(deadline) {
			continue // the same ids again
		}
		var body struct {
			Stored, Duplicates int
			Rejected           []any
		}
		if err := json.Unmarshal(answer.Body, &body); err != nil || answer.Status != http.StatusOK {
			return 0, fmt.Errorf("answered %d %s", answer.Status, answer.Body)
		}
		if body.Stored+body.Duplicates != len(events) || len(body.Rejected) > 0 {
			return 0, fmt.Errorf("of %d events: %s", len(events), answer.Body)
		}
		return body.Stored, nil
	}
}

// daySession returns the session of events without one.
func daySession(ms int64) string { return "day:" + time.UnixMilli(ms).UTC().Format(time.DateOnly) }

// wireEvent returns a hit in the wire format.
func wireEvent(h oracle.Hit) map[string]any {
	if h.SessionID == daySession(h.At) {
		h.SessionID = "" // the server says so too
	}
	context := full(map[string]any{"platform": h.Platform, "device": h.Device, "browser": h.Browser, "os": h.OS})
	context["attribution"] = wireAttribution(h)
	context["customProperties"] = map[string]any{"of": h.EventID}
	return full(map[string]any{
		"eventId": h.EventID, "name": h.Name, "screenName": h.Page,
		"timestamp":  time.UnixMilli(h.At).UTC().Format(time.RFC3339Nano),
		"identity":   full(map[string]any{"appUserId": h.Visitor, "customUserId": h.CustomUserID, "sessionId": h.SessionID}),
		"context":    context,
		"properties": map[string]any{"of": h.EventID},
	})
}

// full leaves out what is empty.
func full(fields map[string]any) map[string]any {
	for key, value := range fields {
		if value == "" {
			delete(fields, key)
		}
	}
	return fields
}

// wireAttribution returns a hit's attribution, with a key that no report has a column for.
func wireAttribution(h oracle.Hit) map[string]any {
	attribution := full(map[string]any{
		"acquisition.source": h.Source, "acquisition.channel": h.Medium, "acquisition.campaign": h.Campaign,
		"link.ext.utm_content": h.Content, "link.ext.utm_term": h.Term, "acquisition.adset": h.Adset,
		"acquisition.creative": h.Creative,
		"link.ext.referrer":    h.Referrer, "link.ext.landing_url": h.Landing, "link.entry": "entry of " + h.EventID,
	})
	if h.Organic != frame.OrganicAbsent {
		attribution["attribution.isOrganic"] = h.Organic == frame.OrganicTrue
	}
	return attribution
}

// otherForm writes an event with the other names of its fields (analytics.md §1).
func otherForm(e map[string]any) map[string]any {
	for name, value := range e["identity"].(map[string]any) {
		e[name] = value
	}
	delete(e, "identity")
	for name, other := range map[string]string{"timestamp": "occurredAt", "screenName": "page"} {
		if value, ok := e[name]; ok {
			e[other] = value
			delete(e, name)
		}
	}
	attribution := e["context"].(map[string]any)["attribution"].(map[string]any)
	for _, k := range ingest.AttributionKeys {
		if value, ok := attribution[k.Key]; ok {
			attribution[k.Alias] = value
			delete(attribution, k.Key)
		}
	}
	return e
}

// recorded returns a purchase as the ledger takes it: amounts are positive, refunds are subtracted.
func recorded(p frame.Purchase) frame.Purchase {
	p.AmountMicros = max(p.AmountMicros, -p.AmountMicros) + 10_000
	if p.Kind == frame.Refund {
		p.AmountMicros = -p.AmountMicros
	}
	return p
}

// recordPurchases writes purchases into the ledger, each on both servers: the second is a retry.
func (w *sentWorld) recordPurchases(t *testing.T, purchases []frame.Purchase) {
	t.Helper()
	for _, p := range purchases {
		input := map[string]any{
			"appId": w.app, "environment": "LIVE", "provider": strings.ToUpper(p.Provider.String()),
			"providerEventId": fmt.Sprintf("p%d", w.rng.Uint64()),
			"kind": [...]string{
				frame.Originating: "ORIGINATING", frame.Renewal: "RENEWAL", frame.Refund: "REFUND",
			}[p.Kind],
			"occurredAt": time.UnixMilli(p.At).UTC().Format(time.RFC3339Nano),
			"amount":     float64(max(p.AmountMicros, -p.AmountMicros)) / 1e6,
		}
		if p.Visitor != "" {
			input["appUserId"] = p.Visitor
		}
		for _, again := range []bool{false, true} {
			var data struct{ RecordPurchase struct{ Duplicate bool } }
			w.servers.query(t, w.rng.IntN(2), `mutation($i: RecordPurchaseInput!) { recordPurchase(input: $i) { duplicate } }`,
				map[string]any{"i": input}, &data)
			if data.RecordPurchase.Duplicate != again {
				t.Fatalf("recording %v answered %v", input, data.RecordPurchase)
			}
		}
	}
}

// readMeanwhile reads reports while events arrive: their figures are of no known moment, but they
// must agree with themselves.
func (w *sentWorld) readMeanwhile(t *testing.T, server int) {
	t.Helper()
	w.checkLive(t, server, nil)
	w.servers.commandLine(
		t, server, false,
		[]string{
			"overview", w.app, "--start", w.scenario.Anchor.AddDate(0, 0, -9).Format(time.RFC3339), "--end",
			w.scenario.Anchor.AddDate(0, 0, 36).Format(time.RFC3339),
		},
	)
}
