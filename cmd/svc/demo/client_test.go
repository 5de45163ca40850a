package demo

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A visitor sends what a run recorded, in its order, to the channel that served the flow, and what providers report is
// reported as of when it happens.
func TestVisitorsSendTheirRuns(t *testing.T) {
	answers := map[string][]byte{}
	type event struct {
		RunID     string    `json:"runId"`
		Seq       int       `json:"seq"`
		Timestamp time.Time `json:"timestamp"`
	}
	sent := map[string][]event{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A handler has a goroutine of its own, which may not end the test.
		channel := r.Header.Get("X-Svc-Channel")
		switch r.URL.Path {
		case "/v1/sdk/resolve":
			_, err := w.Write(answers[channel])
			assert.NoError(t, err)
			return
		case "/v1/sdk/events":
			var body struct {
				Events []event `json:"events"`
			}
			assert.NoError(t, json.NewDecoder(r.Body).Decode(&body))
			sent[channel] = append(sent[channel], body.Events...)
		}
		_, err := w.Write([]byte(`{"accepted":true}`))
		assert.NoError(t, err)
	}))
	defer server.Close()
	c := &Client{BaseURL: server.URL, Channels: map[string]string{}}
	for _, name := range []string{
		"Onboarding", "Paywall", "Reminders", "Survey", "Win-back", onboardingExperiment, paywallExperiment,
	} {
		c.Channels[name], answers["ch "+name] = "ch "+name, answerTo(t, Opening{Channel: name}, "control")
	}
	var bought []Purchase
	c.Report = func(_ context.Context, p Purchase) error {
		bought = append(bought, p)
		return nil
	}
	w, start := NewWorld(4), time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	later := start.Add(24 * time.Hour)
	for range 150 {
		v := w.Visit(start)
		for _, one := range c.script(context.Background(), w, v, slog.New(slog.DiscardHandler)) {
			require.NoError(t, one.send(context.Background(), later))
		}
	}
	require.Len(t, sent, len(c.Channels))
	place := map[string]int{}
	for channel, events := range sent {
		for _, e := range events {
			require.Equal(t, place[channel+e.RunID], e.Seq)
			place[channel+e.RunID]++
			require.Equal(t, later, e.Timestamp)
		}
	}
	require.NotEmpty(t, bought)
	for _, p := range bought {
		require.Equal(t, later, p.At)
	}
}
