package demo

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/cmd/svc/demo/flows"
	"github.com/svc-dev/svc/manifest"
)

// Live visits are as many as those of the days before, by weekday and by hour.
func TestLiveVisitsGoOnAsTheDaysBefore(t *testing.T) {
	const weeks = 30
	monday := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	var seeded, live [7][24]float64
	w, rng := NewWorld(1), rand.New(rand.NewPCG(1, 1))
	for day := range 7 * weeks {
		for _, at := range w.Arrivals(monday.AddDate(0, 0, day), visitsPerDay) {
			seeded[at.Weekday()][at.Hour()]++
		}
	}
	end := monday.AddDate(0, 0, 7*weeks)
	for at := monday; at.Before(end); at = nextArrival(rng, at, visitsPerDay) {
		live[at.Weekday()][at.Hour()]++
	}
	for day := range 7 {
		for hour := range 24 {
			was, is := seeded[day][hour]/weeks, live[day][hour]/weeks
			require.InDelta(t, was, is, 0.25*was+1, "%s at %d", time.Weekday(day), hour)
		}
	}
}

// A live visitor takes the time of a visit: what the apps send is as far apart as what happens.
func TestLiveVisitorsTakeTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var sent []time.Duration
		var sends []sending
		for _, after := range []time.Duration{0, 4 * time.Second, 41 * time.Second, 50 * time.Minute} {
			sends = append(sends, sending{began.Add(after), func(_ context.Context, at time.Time) error {
				sent = append(sent, at.Sub(began))
				return nil
			}})
		}
		new(Client).play(t.Context(), sends, slog.New(slog.DiscardHandler))
		require.Equal(t, []time.Duration{0, 4 * time.Second, 41 * time.Second, 50 * time.Minute}, sent)
	})
}

// Who comes after the history is often somebody of it.
func TestLiveVisitorsComeBack(t *testing.T) {
	h := History{Days: 7, Seed: 1, Until: time.Date(2026, 3, 8, 15, 0, 0, 0, time.UTC)}
	known := map[string]bool{}
	w := h.world()
	for day := h.start(); !day.After(h.Until); day = day.AddDate(0, 0, 1) {
		for _, at := range w.Arrivals(day, visitsPerDay) {
			known[w.Visit(at).Events[0].Identity.AppUserID] = true
		}
	}
	back, live := 0, h.Continue()
	for range 300 {
		if known[live.Visit(h.Until.Add(time.Hour)).Events[0].Identity.AppUserID] {
			back++
		}
	}
	require.Greater(t, back, 45)
}

// The campaign brings people who complete and buy more often than others, and people of one country leave at the price.
func TestTheDemoTellsItsStory(t *testing.T) {
	h := History{Days: 14, Seed: 1, Until: time.Date(2026, 3, 15, 23, 0, 0, 0, time.UTC)}
	w := h.world()
	type tally struct{ runs, completed, offers, bought float64 }
	var campaign, others, dear, abroad tally
	for day := h.start(); !day.After(h.Until); day = day.AddDate(0, 0, 1) {
		for _, at := range w.Arrivals(day, 4*visitsPerDay) {
			v := w.Visit(at)
			group, place := &others, &abroad
			if v.Events[0].Context.Attribution["acquisition.campaign"] == storyCampaign {
				require.False(t, at.Before(w.campaign))
				group = &campaign
			}
			if v.Place.Country == StoryCountry {
				place = &dear
			}
			for _, o := range v.Openings {
				made := w.Run(v, o, serve(t, o, "control"))
				if len(made.Events) == 0 {
					continue
				}
				if o.Channel == "Paywall" || o.Channel == paywallExperiment {
					place.offers++
					place.bought += float64(len(made.Purchases))
				}
				group.runs++
				if made.Events[len(made.Events)-1].Name == "flow_completed" {
					group.completed++
				}
			}
		}
	}
	require.Greater(t, campaign.runs, 200.0)
	require.Greater(t, campaign.completed/campaign.runs, 1.1*others.completed/others.runs)
	require.Greater(t, dear.offers, 50.0)
	require.Less(t, dear.bought/dear.offers, 0.6*abroad.bought/abroad.offers)
}

// The second version of the onboarding asks two things fewer than the first, and more people complete it.
func TestTheSecondVersionLiftsCompletion(t *testing.T) {
	h := History{Days: 14, Seed: 1, Until: time.Date(2026, 3, 15, 23, 0, 0, 0, time.UTC)}
	require.Equal(t, time.Date(2026, 3, 12, 0, 0, 0, 0, time.UTC), h.shorter())
	one := History{Days: 1, Seed: 1, Until: h.Until}
	require.Equal(t, one.start().AddDate(0, 0, 1), one.shorter(), "a day alone has the first version")
	w := h.world()
	completed := map[string]float64{}
	runs := 0.0
	for day := h.start(); !day.After(h.Until); day = day.AddDate(0, 0, 1) {
		for _, at := range w.Arrivals(day, 4*visitsPerDay) {
			v := w.Visit(at)
			for _, o := range v.Openings {
				if o.Channel != channelNames["onboarding"] {
					continue
				}
				runs++
				for _, version := range []string{"long", "control"} {
					made := w.Run(v, o, serve(t, o, version))
					if events := made.Events; len(events) > 0 && events[len(events)-1].Name == "flow_completed" {
						completed[version]++
					}
				}
			}
		}
	}
	require.Greater(t, runs, 200.0)
	require.Greater(t, completed["control"]/runs, completed["long"]/runs+0.04)
}

// The first version of the onboarding is publishable as the second is: its texts are in three languages, its answers
// have names of their own.
func TestTheFirstVersionCanBePublished(t *testing.T) {
	raw, err := flows.Manifest("onboarding")
	require.NoError(t, err)
	problems := func(edit func(map[string]any) error) (codes []string) {
		var document map[string]any
		require.NoError(t, json.Unmarshal(raw, &document))
		require.NoError(t, edit(document))
		edited, err := json.Marshal(document)
		require.NoError(t, err)
		flow, found := manifest.Parse(edited)
		require.Empty(t, found)
		for _, problem := range manifest.CheckPublish(flow, manifest.PublishOptions{}) {
			codes = append(codes, problem.Code)
		}
		return codes
	}
	require.Equal(t, problems(func(map[string]any) error { return nil }), problems(askMore))
}
