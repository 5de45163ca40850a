package world

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle"
)

const (
	crowdDays    = 5   // up to now
	crowdDaily   = 70  // sessions a day
	crowdPeople  = 220 // who share them
	crowdOnline  = 30  // sessions that last until now, fewer than a page of people
	crowdPages   = 70  // more than a page of rows
	crowdCustoms = 30
)

// Crowd makes a world of many people: tables are longer than their pages, charts
// have more values than they show, and days have more sessions than the engine
// reads at once. Clients can send it until now, like one of DrawSent.
func Crowd(seed uint64, now time.Time) Scenario {
	c := crowd{rng: rand.New(rand.NewPCG(seed, 0)), now: now}
	c.scenario = Scenario{Anchor: now.AddDate(0, 0, -crowdDays/2), Now: now}
	first := now.AddDate(0, 0, -crowdDays)
	for range crowdDays * crowdDaily {
		c.session(
			first.Add(time.Duration(c.rng.Int64N(int64(now.Sub(first))-int64(time.Hour)))), pages[c.rng.IntN(len(pages))],
		)
	}
	for range crowdOnline {
		c.session(now.Add(-time.Duration(c.rng.Int64N(int64(4*time.Minute)))), pages[c.rng.IntN(len(pages))])
	}
	for range crowdDays * 12 {
		c.scenario.World.Purchases = append(c.scenario.World.Purchases, frame.Purchase{
			Visitor: c.person(), At: first.Add(time.Duration(c.rng.Int64N(int64(now.Sub(first))))).UnixMilli(),
			Provider: frame.Provider(c.rng.IntN(3)), Kind: frame.PurchaseKind(c.rng.IntN(3)),
			AmountMicros: c.rng.Int64N(9) * 990_000,
		})
	}
	return c.scenario
}

type crowd struct {
	rng      *rand.Rand
	now      time.Time
	scenario Scenario
}

func pickOf[T any](c *crowd, list []T) T { return list[c.rng.IntN(len(list))] }

// person returns one of the crowd; some come far more often than others.
func (c *crowd) person() string {
	return fmt.Sprintf("v%d", 1+min(c.rng.IntN(crowdPeople), c.rng.IntN(crowdPeople)))
}

// page returns one of many, the first ones far more often.
func (c *crowd) page() string {
	n := min(c.rng.IntN(crowdPages), c.rng.IntN(crowdPages))
	if n < len(pages) {
		return pages[n]
	}
	return fmt.Sprintf("/p/%d", n)
}

// session adds a visit that starts then and is over by now.
func (c *crowd) session(start time.Time, page string) {
	visitor, id := c.person(), uuid.NewSHA1(
		uuid.NameSpaceURL, fmt.Append(nil, "session", len(c.scenario.World.Hits)),
	).String()
	if c.rng.IntN(15) == 0 {
		id = pickOf(c, sessions) // that others have, too
	}
	place, at := pickOf(c, places), start
	base := oracle.Hit{
		Visitor: visitor, SessionID: id, Source: pickOf(c, sources), Medium: pickOf(c, mediums),
		Campaign: pickOf(c, campaigns),
		Referrer: pickOf(c, referrers), Landing: pickOf(c, landings), Organic: frame.Organic(c.rng.IntN(3)),
		Country: place[0], Region: place[1], City: place[2], Platform: pickOf(c, platforms), Device: pickOf(c, devices),
		Browser: pickOf(c, browsers), OS: pickOf(c, oses),
	}
	if c.rng.IntN(3) == 0 {
		base.Source = fmt.Sprintf("source %d", c.rng.IntN(20))
	}
	if c.rng.IntN(4) == 0 {
		base.CustomUserID = "user of " + visitor
	}
	online := c.now.Sub(start) < 5*time.Minute
	for i := range 1 + c.rng.IntN(7) {
		h := base
		h.EventID, h.At, h.Name, h.Page = eventID(1_000_000+len(c.scenario.World.Hits)), at.UnixMilli(), "page_view", page
		if base.Platform == "ios" || base.Platform == "android" {
			h.Name = "screen_view"
		}
		switch {
		case i == 0 && c.rng.IntN(2) == 0:
			h.Name, h.Page = "session_start", ""
		case c.rng.IntN(4) == 0:
			h.Name, h.Page = pickOf(c, append(customs, fmt.Sprintf("custom %d", c.rng.IntN(crowdCustoms)))), ""
		}
		c.scenario.World.Hits = append(c.scenario.World.Hits, h)
		if c.rng.IntN(12) == 0 {
			c.scenario.World.Hits = append(c.scenario.World.Hits, h)
		}
		if !online { // who is online stays where they are
			page = c.page()
		}
		if at = at.Add(time.Duration(c.rng.IntN(600)) * time.Second); at.After(c.now) {
			return
		}
	}
}
