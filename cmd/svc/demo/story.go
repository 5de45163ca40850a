package demo

import (
	"math/rand/v2"
	"time"
)

// The demo tells a story, so that each report shows something worth finding: a campaign that began a few days ago
// brings people who complete and buy, people of one country leave at the price, and an experiment that ends soon has a
// winner.
const (
	storyCampaign = "repotting-week"
	storyDays     = 5 // of the history that the campaign has
	dearLocale    = "pt-BR"
	// StoryCountry is where people leave at the price.
	StoryCountry = "BR"
)

var storyArrival = arrival{attribution: map[string]any{
	"acquisition.source": "instagram", "acquisition.channel": "paid_social", "acquisition.campaign": storyCampaign,
	"acquisition.creative": "repotting-video",
}}

// arrival draws how somebody came about. While the campaign runs it brings some of those who are new.
func (w *World) arrival(p *person, at time.Time, web bool) arrival {
	came := pickArrival(w.rng, web)
	if !w.campaign.IsZero() && !at.Before(w.campaign) && p.visits == 0 && w.draw("campaign of "+p.id).Float64() < 0.22 {
		return storyArrival
	}
	return came
}

// world returns the people of a history before its first visit.
func (h History) world() *World {
	w := NewWorld(h.Seed)
	w.campaign = h.Until.UTC().Truncate(24*time.Hour).AddDate(0, 0, -storyDays)
	return w
}

// Continue returns the people of a history after its last visit. They go on in other ways each time.
func (h History) Continue() *World {
	w := h.world()
	for day := h.start(); !day.After(h.Until); day = day.AddDate(0, 0, 1) {
		for _, at := range w.Arrivals(day, visitsPerDay) {
			if at.Before(h.Until) {
				w.Visit(at)
			}
		}
	}
	now := uint64(time.Now().UnixNano())
	w.rng = rand.New(rand.NewPCG(now, now))
	return w
}
