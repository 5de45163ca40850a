package oracle_test

import (
	"fmt"
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/internal/oracle"
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
	}
	zones = []string{
		"UTC", "UTC", "America/New_York", "America/Havana", "Australia/Lord_Howe", "Pacific/Chatham",
		"Africa/Cairo", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati",
	}
	sources   = []string{"", "", "google", "newsletter", "facebook", "Partner"}
	mediums   = []string{"", "", "cpc", "organic", "email"}
	campaigns = []string{"", "spring", "Spring sale", "50%_off"}
	referrers = []string{"", "", "https://www.google.com/search?q=x", "https://App.example/start", "https://blog.example/a", "chatgpt.com"}
	landings  = []string{"", "https://app.example/", "https://www.app.example/p?x=1"}
	places    = [][3]string{{"", "", ""}, {"GB", "ENG", "London"}, {"GB", "SCT", "Perth"}, {"AU", "WA", "Perth"}, {"AU", "", ""}, {"", "", "Perth"}}
	platforms = []string{"web", "web", "ios", "android", ""}
	devices   = []string{"", "mobile", "desktop"}
	browsers  = []string{"", "Safari", "Chrome"}
	oses      = []string{"", "iOS", "macOS"}
	pages     = []string{"/", "/a", "/ab", "/b_", "/%", "Home"}
	customs   = []string{"buy", "Buy", "sign_up", "a%b"}
	sessions  = []string{"s1", "s2", "s3", "0197aa00-0000-7000-8000-000000000001", "0197aa00-0000-7000-8000-000000000002"}
)

// scenario is a world and the time it is looked at.
type scenario struct {
	world  oracle.World
	anchor time.Time
	now    time.Time
}

func drawScenario(t *rapid.T) scenario {
	anchor, err := time.Parse(time.RFC3339, rapid.SampledFrom(anchors).Draw(t, "anchor"))
	if err != nil {
		t.Fatal(err)
	}
	s := scenario{anchor: anchor}
	s.now = anchor.Add(time.Duration(rapid.IntRange(-24, 24*40).Draw(t, "now hours")) * time.Hour)
	instant := rapid.Custom(func(t *rapid.T) int64 {
		at := anchor
		switch rapid.IntRange(0, 5).Draw(t, "when") {
		case 0: // near a midnight
			at = at.Truncate(24*time.Hour).AddDate(0, 0, rapid.IntRange(-3, 3).Draw(t, "day"))
			at = at.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "ms")) * time.Millisecond)
		case 1: // the same moments again and again
			at = at.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "s")) * time.Second)
		case 2: // online
			at = s.now.Add(-time.Duration(rapid.IntRange(-4, 40).Draw(t, "minutes ago")) * time.Minute)
		case 3:
			at = at.AddDate(0, 0, rapid.IntRange(-8, 35).Draw(t, "days"))
		default:
			at = at.Add(time.Duration(rapid.IntRange(-72*4, 72*4).Draw(t, "quarters")) * 15 * time.Minute)
		}
		return at.UnixMilli()
	})
	people := rapid.IntRange(1, 5).Draw(t, "people")
	n := rapid.IntRange(0, 28).Draw(t, "hits")
	for i := range n {
		h := oracle.Hit{
			EventID: fmt.Sprintf("e%d", i), Visitor: fmt.Sprintf("v%d", rapid.IntRange(1, people).Draw(t, "visitor")),
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
			h.Referrer, h.Landing = rapid.SampledFrom(referrers).Draw(t, "referrer"), rapid.SampledFrom(landings).Draw(t, "landing")
			h.Organic = frame.Organic(rapid.IntRange(0, 2).Draw(t, "organic"))
			if rapid.IntRange(0, 3).Draw(t, "details") == 0 {
				h.Content, h.Term, h.Adset, h.Creative = h.Campaign, h.Source, h.Medium, h.Campaign
			}
		}
		h.OrganicUnknown = rapid.IntRange(0, 5).Draw(t, "unknown") == 0
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
		s.world.Hits = append(s.world.Hits, h)
		if rapid.IntRange(0, 9).Draw(t, "again") == 0 {
			s.world.Hits = append(s.world.Hits, h)
		}
	}
	for range rapid.IntRange(0, 5).Draw(t, "purchases") {
		s.world.Purchases = append(s.world.Purchases, frame.Purchase{
			// The last visitor may never have been seen.
			Visitor: fmt.Sprintf("v%d", rapid.IntRange(1, people+1).Draw(t, "buyer")), At: instant.Draw(t, "bought"),
			Provider:     frame.Provider(rapid.IntRange(0, 2).Draw(t, "provider")),
			Kind:         frame.PurchaseKind(rapid.IntRange(0, 2).Draw(t, "kind")),
			AmountMicros: rapid.Int64Range(-2, 9).Draw(t, "amount") * 990_000,
		})
	}
	return s
}

// load folds the world in random batches into an environment: some at first, the rest as changes.
func (s scenario) load(t *rapid.T) *frame.View {
	var store oracle.Store
	env := frame.NewEnvironment()
	env.OpenFloor = rapid.IntRange(0, 3).Draw(t, "open floor")
	for rest := s.world.Hits; len(rest) > 0; {
		n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
		store.Fill(env, store.Ingest(rest[:n]))
		rest = rest[n:]
		if rapid.Bool().Draw(t, "look") {
			env.View(math.MinInt32, math.MaxInt32)
		}
	}
	if half := len(s.world.Purchases) / 2; rapid.Bool().Draw(t, "purchases at once") {
		env.SetPurchases(s.world.Purchases)
	} else {
		env.SetPurchases(s.world.Purchases[:half])
		env.AddPurchases(s.world.Purchases[half:])
	}
	return env.View(math.MinInt32, math.MaxInt32)
}

// dimensionValues are the values that filters draw from.
var dimensionValues = map[analytics.Dimension][]string{
	analytics.AcquisitionChannel: {"", "Direct", "Organic Search", "Email", "Organic App Store", "Paid App Install"},
	analytics.Referrer:           {"", "google.com", "app.example", "chatgpt.com"},
	analytics.Source:             sources, analytics.Medium: mediums, analytics.Campaign: campaigns,
	analytics.Content: campaigns, analytics.Term: sources, analytics.Adset: mediums, analytics.Creative: campaigns,
	analytics.Country: {"", "GB", "AU"}, analytics.Region: {"", "ENG", "WA"}, analytics.City: {"", "Perth", "London"},
	analytics.Browser: browsers, analytics.OS: oses, analytics.Device: devices, analytics.Platform: platforms,
	analytics.Page: append([]string{""}, pages...), analytics.Entry: append([]string{""}, pages...), analytics.Exit: append([]string{""}, pages...),
	analytics.Event: append([]string{"", "page_view", "session_start"}, customs...),
}

var substrings = []string{"a", "/", "%", "_", "b", "buy", "view", "S", "nothing"}

func drawFilter(t *rapid.T, d analytics.Dimension) analytics.Filter {
	ops := []analytics.Operator{"", analytics.Is, analytics.IsNot}
	if d.HasText() {
		ops = append(ops, analytics.Contains, analytics.DoesNotContain)
	}
	f := analytics.Filter{Dimension: d, Operator: rapid.SampledFrom(ops).Draw(t, "operator")}
	values := dimensionValues[d]
	if f.Operator == analytics.Contains || f.Operator == analytics.DoesNotContain {
		values = substrings
	}
	f.Values = rapid.SliceOfN(rapid.SampledFrom(append([]string{"unheard of"}, values...)), 1, 3).Draw(t, "values")
	return f
}

func drawFilters(t *rapid.T) (columns analytics.Columns, cross []analytics.Filter) {
	if rapid.IntRange(0, 2).Draw(t, "unfiltered") == 0 {
		return columns, nil
	}
	for _, c := range []struct {
		d analytics.Dimension
		v **string
	}{
		{analytics.Source, &columns.Source}, {analytics.Medium, &columns.Medium}, {analytics.Campaign, &columns.Campaign},
		{analytics.Content, &columns.Content}, {analytics.Term, &columns.Term}, {analytics.Adset, &columns.Adset},
		{analytics.Creative, &columns.Creative}, {analytics.Browser, &columns.Browsers}, {analytics.OS, &columns.OperatingSystems},
		{analytics.Device, &columns.Devices}, {analytics.Country, &columns.Country}, {analytics.Region, &columns.Region},
		{analytics.City, &columns.City}, {analytics.Page, &columns.Page}, {analytics.Entry, &columns.Entry}, {analytics.Exit, &columns.Exit},
	} {
		if rapid.IntRange(0, 15).Draw(t, "column filter") == 0 {
			v := rapid.SampledFrom(dimensionValues[c.d]).Draw(t, "column value")
			*c.v = &v
		}
	}
	n := rapid.SampledFrom([]int{0, 1, 1, 1, 2, 3}).Draw(t, "cross filters")
	for _, d := range rapid.Permutation(analytics.CrossDimensions).Draw(t, "dimensions")[:n] {
		cross = append(cross, drawFilter(t, d))
	}
	return columns, cross
}

func (s scenario) drawScope(t *rapid.T) analytics.Scope {
	loc, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	scope := analytics.Scope{
		Location: loc, Platform: rapid.SampledFrom([]string{"", "", "", "web", "ios", "android", "mobile"}).Draw(t, "scope platform"),
		RevenueProvider: rapid.SampledFrom([]string{"", "", "stripe", "revenuecat", "superwall"}).Draw(t, "scope provider"),
	}
	switch rapid.IntRange(0, 4).Draw(t, "range") {
	case 0: // default
	case 1: // edges at hits
		if len(s.world.Hits) > 0 {
			h := rapid.SampledFrom(s.world.Hits).Draw(t, "edge")
			scope.Start = time.UnixMilli(h.At + int64(rapid.IntRange(-1, 1).Draw(t, "edge ms")))
			scope.End = scope.Start.Add(time.Duration(rapid.IntRange(0, 3*24*60).Draw(t, "minutes")) * time.Minute)
		}
	case 2: // local days
		y, m, d := s.anchor.In(loc).Date()
		scope.Start = analytics.StartOfDay(y, m, d-rapid.IntRange(0, 3).Draw(t, "days before"), loc)
		scope.End = analytics.StartOfDay(y, m, d+rapid.IntRange(1, 9).Draw(t, "days after"), loc)
	default:
		scope.Start = s.anchor.Add(-time.Duration(rapid.IntRange(0, 5*24*4).Draw(t, "before")) * 15 * time.Minute)
		scope.End = s.anchor.Add(time.Duration(rapid.IntRange(0, 16*24*4).Draw(t, "after")) * 15 * time.Minute)
	}
	scope.Columns, scope.Cross = drawFilters(t)
	if rapid.IntRange(0, 4).Draw(t, "segmented") == 0 {
		scope.Segment = &analytics.Segment{
			AppUserIDs:    rapid.SliceOfN(rapid.SampledFrom([]string{"v1", "v2", "nobody"}), 0, 2).Draw(t, "members"),
			CustomUserIDs: rapid.SliceOfN(rapid.SampledFrom([]string{"u1", "u2", ""}), 0, 2).Draw(t, "known members"),
		}
		if rapid.Bool().Draw(t, "rules") {
			columns, cross := drawFilters(t)
			scope.Segment.Rules = &analytics.SegmentRules{
				Days: rapid.SampledFrom([]int{0, 1, 7, 30}).Draw(t, "segment days"), Columns: columns, Cross: cross,
				Platform: rapid.SampledFrom([]string{"", "", "web", "mobile"}).Draw(t, "segment platform"),
			}
		}
	}
	return scope
}
