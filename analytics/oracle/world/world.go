// Package world makes up worlds that tests send through the product and compare with the oracle:
// few people, few values and few moments, so that every rule meets its borders often.
package world

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle"
)

// Worlds live around clock changes of the zones.
var (
	anchors = []string{
		"2026-03-08T07:00:00Z", // New York, forward
		"2026-11-01T05:00:00Z", // Havana, back to midnight
		"2026-04-04T15:00:00Z", // Lord Howe, back by half an hour
		"2026-09-26T14:00:00Z", // Chatham, forward at 02:45
		"2026-04-23T22:00:00Z", // Cairo, forward at midnight
		"2026-07-01T00:00:00Z", // no change
		"2026-12-31T12:00:00Z", // end of the year
		"2011-12-30T10:00:00Z", // Apia, without 30 December; before 2020, where the engine's times begin
	}
	zones = []string{
		"UTC", "UTC", "America/New_York", "America/Havana", "Australia/Lord_Howe", "Pacific/Chatham",
		"Africa/Cairo", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati", "Pacific/Apia",
	}
	sources   = []string{"", "", "google", "newsletter", "facebook", "Partner"}
	mediums   = []string{"", "", "cpc", "organic", "email"}
	campaigns = []string{"", "spring", "Spring sale", "50%_off"}
	referrers = []string{
		"", "", "https://www.google.com/search?q=x", "https://App.example/start", "https://blog.example/a", "chatgpt.com",
	}
	landings = []string{"", "https://app.example/", "https://www.app.example/p?x=1"}
	places   = [][3]string{
		{"", "", ""}, {"GB", "ENG", "London"}, {"GB", "SCT", "Perth"}, {"AU", "WA", "Perth"}, {"AU", "", ""},
		{"", "", "Perth"},
	}
	platforms = []string{"web", "web", "ios", "android", ""}
	devices   = []string{"", "mobile", "desktop"}
	browsers  = []string{"", "Safari", "Chrome"}
	oses      = []string{"", "iOS", "macOS"}
	pages     = []string{"/", "/a", "/ab", "/b_", "/%", `/\`, `/"b'`, "Home"}
	customs   = []string{"buy", "Buy", "sign_up", "a%b"}
	flows     = []string{"11111111-1111-4111-8111-111111111111", "11111111-1111-4111-8111-111111111112"}
	versions  = []string{"22222222-2222-4222-8222-222222222221", "22222222-2222-4222-8222-222222222222"}
	variants  = []string{"", "a", "b"}
	products  = []string{"", "pro.month", "pro.year"}
	sessions  = []string{"s1", "s2", "s3", "0197aa00-0000-7000-8000-000000000001", "0197aa00-0000-7000-8000-000000000002"}
)

// Scenario is a world and the time it is looked at.
type Scenario struct {
	World  oracle.World
	Anchor time.Time
	Now    time.Time
}

// Draw makes a world around one of the clock changes, some of it imported history.
func Draw(t *rapid.T) Scenario {
	anchor, err := time.Parse(time.RFC3339, rapid.SampledFrom(anchors).Draw(t, "anchor"))
	if err != nil {
		t.Fatal(err)
	}
	s := Scenario{Anchor: anchor}
	s.Now = anchor.Add(time.Duration(rapid.IntRange(-24, 24*40).Draw(t, "now hours")) * time.Hour)
	s.fill(t, true)
	return s
}

// DrawSent makes a world that clients can send until now: nothing is imported, and no clock is more
// than five minutes ahead. It lies around the zones' latest clock changes or around now.
func DrawSent(t *rapid.T, now time.Time) Scenario {
	s := Scenario{Anchor: rapid.SampledFrom(recentClockChanges(now)).Draw(t, "anchor"), Now: now}
	s.fill(t, false)
	return s
}

// recentClockChanges returns the times of the zones' latest clock changes that are over with all that follows them,
// and recent days.
func recentClockChanges(now time.Time) []time.Time {
	out := []time.Time{now, now, now.AddDate(0, 0, -3)}
	for _, zone := range zones {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			panic(err) // the list is ours
		}
		if change, _ := now.Add(-after).In(loc).ZoneBounds(); change.After(now.AddDate(-1, 0, 0)) {
			out = append(out, change.UTC())
		}
	}
	return out
}

// after is how long after its anchor a world may last.
const after = 36 * 24 * time.Hour

// ahead is how far a client's clock may be ahead, a little less than what ingest takes.
const ahead = 4 * time.Minute

// eventID returns an id that clients send: most are UUIDs, some are of their own making.
func eventID(i int) string {
	id := fmt.Sprintf("e%d", i)
	if i%3 == 0 {
		return id
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(id)).String()
}

// fill draws the hits and purchases of a world.
func (s *Scenario) fill(t *rapid.T, imported bool) {
	latest := s.Anchor.Add(2 * after) // never reached
	if !imported {
		latest = s.Now.Add(ahead)
	}
	instant := rapid.Custom(func(t *rapid.T) int64 {
		at := s.Anchor
		switch rapid.IntRange(0, 5).Draw(t, "when") {
		case 0: // near a midnight
			at = at.Truncate(24*time.Hour).AddDate(0, 0, rapid.IntRange(-3, 3).Draw(t, "day"))
			at = at.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "ms")) * time.Millisecond)
		case 1: // the same moments again and again
			at = at.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "s")) * time.Second)
		case 2: // online
			at = s.Now.Add(-time.Duration(rapid.IntRange(-4, 40).Draw(t, "minutes ago")) * time.Minute)
		case 3:
			at = at.AddDate(0, 0, rapid.IntRange(-8, 35).Draw(t, "days"))
		default:
			at = at.Add(time.Duration(rapid.IntRange(-72*4, 72*4).Draw(t, "quarters")) * 15 * time.Minute)
		}
		if at.After(latest) {
			at = latest.Add(latest.Sub(at)) // as long before
		}
		return at.UnixMilli()
	})
	people := rapid.IntRange(1, 5).Draw(t, "people")
	n := rapid.IntRange(0, 28).Draw(t, "hits")
	for i := range n {
		h := oracle.Hit{
			EventID: eventID(i), Visitor: fmt.Sprintf("v%d", rapid.IntRange(1, people).Draw(t, "visitor")),
			SessionID: rapid.SampledFrom(sessions).Draw(t, "session"), At: instant.Draw(t, "at"),
		}
		switch rapid.IntRange(0, 9).Draw(t, "name") {
		case 0:
			h.Name = "session_start"
		case 1:
			h.Name = rapid.SampledFrom([]string{"first_visit", "first_open"}).Draw(t, "first")
		case 2, 3:
			h.Name = rapid.SampledFrom(customs).Draw(t, "custom")
		default:
			h.Name = rapid.SampledFrom([]string{"page_view", "page_view", "screen_view"}).Draw(t, "view")
			h.Page = rapid.SampledFrom(pages).Draw(t, "page")
		}
		if rapid.Bool().Draw(t, "attributed") {
			h.Source, h.Medium = rapid.SampledFrom(sources).Draw(t, "source"), rapid.SampledFrom(mediums).Draw(t, "medium")
			h.Campaign = rapid.SampledFrom(campaigns).Draw(t, "campaign")
			h.Referrer = rapid.SampledFrom(referrers).Draw(t, "referrer")
			h.Landing = rapid.SampledFrom(landings).Draw(t, "landing")
			h.Organic = frame.Organic(rapid.IntRange(0, 2).Draw(t, "organic"))
			if rapid.IntRange(0, 3).Draw(t, "details") == 0 {
				h.Content, h.Term, h.Adset, h.Creative = h.Campaign, h.Source, h.Medium, h.Campaign
			}
		}
		h.OrganicUnknown = imported && rapid.IntRange(0, 5).Draw(t, "unknown") == 0
		if rapid.Bool().Draw(t, "placed") {
			p := rapid.SampledFrom(places).Draw(t, "place")
			h.Country, h.Region, h.City = p[0], p[1], p[2]
			if rapid.Bool().Draw(t, "located") {
				h.HasCoordinates = true
				h.Lat, h.Lon = float64(rapid.IntRange(-1, 1).Draw(t, "lat")), float64(rapid.IntRange(-1, 1).Draw(t, "lon"))
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "equipped") > 0 {
			h.Platform, h.Device = rapid.SampledFrom(platforms).Draw(t, "platform"), rapid.SampledFrom(devices).Draw(t, "device")
			h.Browser, h.OS = rapid.SampledFrom(browsers).Draw(t, "browser"), rapid.SampledFrom(oses).Draw(t, "os")
		}
		if rapid.IntRange(0, 5).Draw(t, "identified") == 0 {
			h.CustomUserID = rapid.SampledFrom([]string{"u1", "u2"}).Draw(t, "user")
		}
		s.World.Hits = append(s.World.Hits, h)
		if rapid.IntRange(0, 9).Draw(t, "again") == 0 {
			s.World.Hits = append(s.World.Hits, h)
		}
	}
	if imported { // clients send runs to channels, of which a sent world has none
		s.fillRuns(t, people, instant)
	}
	for range rapid.IntRange(0, 5).Draw(t, "purchases") {
		// The last visitor may never have been seen, and a purchase may be joined to nobody.
		buyer := ""
		if n := rapid.IntRange(0, people+1).Draw(t, "buyer"); n > 0 {
			buyer = fmt.Sprintf("v%d", n)
		}
		s.World.Purchases = append(s.World.Purchases, frame.Purchase{
			Visitor: buyer, At: instant.Draw(t, "bought"),
			Provider:     frame.Provider(rapid.IntRange(0, 2).Draw(t, "provider")),
			Kind:         frame.PurchaseKind(rapid.IntRange(0, 2).Draw(t, "kind")),
			AmountMicros: rapid.Int64Range(-2, 9).Draw(t, "amount") * 990_000,
			Product:      rapid.SampledFrom(products).Draw(t, "product"),
		})
	}
}

// fillRuns draws runs of the people of a world, and of somebody without sessions.
func (s *Scenario) fillRuns(t *rapid.T, people int, instant *rapid.Generator[int64]) {
	for range rapid.IntRange(0, 8).Draw(t, "runs") {
		r := oracle.Run{
			Visitor: fmt.Sprintf("v%d", rapid.IntRange(1, people+1).Draw(t, "runner")),
			Flow:    rapid.SampledFrom(flows).Draw(t, "flow"), Version: rapid.SampledFrom(versions).Draw(t, "version"),
			Variant: rapid.SampledFrom(variants).Draw(t, "variant"), StartedAt: instant.Draw(t, "started"),
			Completed: rapid.IntRange(0, 2).Draw(t, "completed") == 0,
			Abandoned: rapid.IntRange(0, 2).Draw(t, "abandoned") == 0,
		}
		r.LastAt = r.StartedAt + rapid.Int64Range(0, 120_000).Draw(t, "took")
		after := rapid.SampledFrom([]time.Duration{5 * time.Minute, 30 * time.Minute, 24 * time.Hour}).Draw(t, "lapse")
		if lapse := s.Now.Add(-after).UnixMilli(); rapid.Bool().Draw(t, "just lapsing") && lapse > r.StartedAt {
			r.LastAt = lapse + rapid.Int64Range(-1, 1).Draw(t, "lapse ms")
		}
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			r.Steps = append(r.Steps, oracle.RunStep{
				Step: rapid.SampledFrom(oracle.StepNames).Draw(t, "step"),
				At:   r.StartedAt + rapid.Int64Range(0, max(0, r.LastAt-r.StartedAt)).Draw(t, "shown"),
			})
		}
		s.World.Runs = append(s.World.Runs, r)
	}
}
