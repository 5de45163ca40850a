// Package demo makes up an app and people who use it. World makes the people
// and their events, the same ones for the same seed, and lets them go through the
// flows that they are served; Client plays them to the public REST interface of a
// running server; both know the wire format only, like any client. Seeder makes the
// app in a database, with flows, channels and a history of visits.
package demo

import "math/rand/v2"

// place is where a visitor lives; latitude and longitude are of the city.
type place struct {
	country, region, city string
	latitude, longitude   float64
	utcOffset             int // hours, for the daily rhythm
	locale                string
	weight                int
}

var places = []place{
	{"US", "US-CA", "San Francisco", 37.77, -122.42, -8, "en-US", 9},
	{"US", "US-NY", "New York", 40.71, -74.01, -5, "en-US", 11},
	{"US", "US-TX", "Austin", 30.27, -97.74, -6, "en-US", 6},
	{"US", "US-IL", "Chicago", 41.88, -87.63, -6, "en-US", 5},
	{"GB", "GB-ENG", "London", 51.51, -0.13, 0, "en-GB", 9},
	{"GB", "GB-SCT", "Edinburgh", 55.95, -3.19, 0, "en-GB", 2},
	{"DE", "DE-BE", "Berlin", 52.52, 13.41, 1, "de-DE", 8},
	{"DE", "DE-BY", "Munich", 48.14, 11.58, 1, "de-DE", 5},
	{"FR", "FR-IDF", "Paris", 48.86, 2.35, 1, "fr-FR", 6},
	{"ES", "ES-MD", "Madrid", 40.42, -3.70, 1, "es-ES", 4},
	{"NL", "NL-NH", "Amsterdam", 52.37, 4.90, 1, "nl-NL", 4},
	{"SE", "SE-AB", "Stockholm", 59.33, 18.07, 1, "sv-SE", 3},
	{"PL", "PL-14", "Warsaw", 52.23, 21.01, 1, "pl-PL", 3},
	{"IT", "IT-62", "Rome", 41.90, 12.50, 1, "it-IT", 3},
	{"TR", "TR-34", "Istanbul", 41.01, 28.98, 3, "tr-TR", 4},
	{"IN", "IN-KA", "Bengaluru", 12.97, 77.59, 5, "en-IN", 6},
	{"IN", "IN-MH", "Mumbai", 19.08, 72.88, 5, "en-IN", 4},
	{"JP", "JP-13", "Tokyo", 35.68, 139.69, 9, "ja-JP", 5},
	{"KR", "KR-11", "Seoul", 37.57, 126.98, 9, "ko-KR", 3},
	{"SG", "SG-01", "Singapore", 1.35, 103.82, 8, "en-SG", 2},
	{"AU", "AU-NSW", "Sydney", -33.87, 151.21, 10, "en-AU", 4},
	{"BR", "BR-SP", "São Paulo", -23.55, -46.63, -3, "pt-BR", 6},
	{"MX", "MX-CMX", "Mexico City", 19.43, -99.13, -6, "es-MX", 3},
	{"CA", "CA-ON", "Toronto", 43.65, -79.38, -5, "en-CA", 4},
	{"ZA", "ZA-WC", "Cape Town", -33.92, 18.42, 2, "en-ZA", 2},
	{"NG", "NG-LA", "Lagos", 6.52, 3.38, 1, "en-NG", 2},
}

// device is what a visitor holds.
type device struct {
	platform, device, os, browser string
	weight                        int
}

var devices = []device{
	{"web", "desktop", "macOS", "Chrome", 12},
	{"web", "desktop", "Windows", "Chrome", 12},
	{"web", "desktop", "Windows", "Edge", 5},
	{"web", "desktop", "macOS", "Safari", 6},
	{"web", "desktop", "Linux", "Firefox", 3},
	{"web", "mobile", "iOS", "Safari", 11},
	{"web", "mobile", "Android", "Chrome", 9},
	{"web", "tablet", "iPadOS", "Safari", 2},
	{"ios", "mobile", "iOS", "", 30},
	{"android", "mobile", "Android", "", 22},
}

// appVersions are the versions that people have; few update.
var appVersions = []weighted{{oldestVersion, 38}, {"2.3.1", 24}, {"2.4.0", 38}}

// pickProperties draws what the app knows of a person: its custom properties.
func pickProperties(rng *rand.Rand) map[string]any {
	known := map[string]any{
		"plan":    pickName(rng, []weighted{{"free", 70}, {"student", 19}, {"team", 11}}),
		"balcony": rng.IntN(3) == 0,
	}
	if referral := pickName(
		rng, []weighted{{"", 62}, {"friend", 21}, {"creator", 12}, {"shop", 5}},
	); referral != "" {
		known["referral"] = referral
	}
	return known
}

// arrival is how a visit came about, in the canonical keys of wire.md §10.
type arrival struct {
	attribution map[string]any
	web         bool
	weight      int
}

var arrivals = []arrival{
	{nil, true, 24},
	{map[string]any{"link.ext.referrer": "https://www.google.com/"}, true, 22},
	{map[string]any{"link.ext.referrer": "https://duckduckgo.com/"}, true, 3},
	{map[string]any{"link.ext.referrer": "https://news.ycombinator.com/"}, true, 4},
	{map[string]any{"link.ext.referrer": "https://www.reddit.com/r/houseplants"}, true, 6},
	{map[string]any{"link.ext.referrer": "https://chatgpt.com/"}, true, 4},
	{map[string]any{"link.ext.referrer": "https://www.gardenersworld.example/best-apps"}, true, 4},
	{
		map[string]any{
			"acquisition.source": "google", "acquisition.channel": "cpc", "acquisition.campaign": "spring-sale",
			"link.ext.utm_term": "plant care app",
		},
		true, 8,
	},
	{
		map[string]any{
			"acquisition.source": "instagram", "acquisition.channel": "paid_social", "acquisition.campaign": "green-thumbs",
			"acquisition.creative": "monstera-video",
		},
		true, 6,
	},
	{
		map[string]any{
			"acquisition.source": "newsletter", "acquisition.channel": "email", "acquisition.campaign": "weekly-42",
		},
		true, 5,
	},
	{
		map[string]any{
			"acquisition.source": "youtube", "acquisition.channel": "social", "link.ext.utm_content": "description",
		},
		true, 3,
	},
	{map[string]any{"attribution.provider": "appsflyer", "attribution.isOrganic": true}, false, 26},
	{
		map[string]any{
			"attribution.provider": "appsflyer", "attribution.isOrganic": false, "acquisition.source": "facebook",
			"acquisition.channel": "cpc", "acquisition.campaign": "install-eu", "acquisition.adset": "lookalike-2",
		},
		false, 12,
	},
	{
		map[string]any{
			"attribution.provider": "appsflyer", "attribution.isOrganic": false, "acquisition.source": "apple_search_ads",
			"acquisition.channel": "cpc", "acquisition.campaign": "brand",
		},
		false, 7,
	},
	{map[string]any{"attribution.provider": "appsflyer", "attribution.isOrganic": false}, false, 3},
}

// page is a stop on the web site or in the app; next names where people go on.
type page struct {
	name string
	next []step
}

type step struct {
	to     string // another page, or "" for leaving
	event  string // custom event on the way, if any
	weight int
}

var webPages = []page{
	{
		"/",
		[]step{
			{"/pricing", "", 18}, {"/plants", "", 22}, {"/blog/water-less", "", 8}, {"/signup", "cta_clicked", 14}, {"", "", 38},
		},
	},
	{"/pricing", []step{{"/signup", "plan_selected", 30}, {"/", "", 14}, {"/faq", "", 16}, {"", "", 40}}},
	{
		"/plants",
		[]step{
			{"/plants/monstera", "", 32}, {"/plants/calathea", "", 16}, {"/plants/ficus", "", 12}, {"/", "", 8}, {"", "", 32},
		},
	},
	{"/plants/monstera", []step{{"/plants", "", 18}, {"/signup", "cta_clicked", 16}, {"", "", 66}}},
	{"/plants/calathea", []step{{"/plants", "", 22}, {"/signup", "cta_clicked", 12}, {"", "", 66}}},
	{"/plants/ficus", []step{{"/plants", "", 24}, {"", "", 76}}},
	{"/blog/water-less", []step{{"/", "", 14}, {"/plants", "newsletter_joined", 12}, {"", "", 74}}},
	{"/faq", []step{{"/pricing", "", 30}, {"", "", 70}}},
	{"/signup", []step{{"/app", "signed_up", 44}, {"/pricing", "", 8}, {"", "", 48}}},
	{"/app", []step{{"/app/garden", "plant_added", 60}, {"", "", 40}}},
	{"/app/garden", []step{{"/app", "plant_watered", 30}, {"", "", 70}}},
}

var appScreens = []page{
	{"Home", []step{{"Garden", "", 40}, {"Discover", "", 22}, {"Scan", "", 14}, {"", "", 24}}},
	{"Garden", []step{{"Plant", "", 44}, {"Home", "plant_watered", 22}, {"", "", 34}}},
	{"Plant", []step{{"Garden", "plant_watered", 38}, {"Reminders", "", 16}, {"", "", 46}}},
	{"Discover", []step{{"Plant", "plant_added", 24}, {"Home", "", 22}, {"", "", 54}}},
	{"Scan", []step{{"Plant", "plant_scanned", 58}, {"", "", 42}}},
	{"Reminders", []step{{"Garden", "reminder_set", 46}, {"", "", 54}}},
}

var webEntries = []step{
	{to: "/", weight: 50}, {to: "/plants", weight: 12}, {to: "/plants/monstera", weight: 12},
	{to: "/blog/water-less", weight: 16}, {to: "/pricing", weight: 10},
}

func pick[T any](rng *rand.Rand, list []T, weight func(T) int) T {
	total := 0
	for _, item := range list {
		total += weight(item)
	}
	n := rng.IntN(total)
	for _, item := range list {
		if n -= weight(item); n < 0 {
			return item
		}
	}
	return list[len(list)-1]
}

func pickPlace(rng *rand.Rand) place { return pick(rng, places, func(p place) int { return p.weight }) }

func pickDevice(rng *rand.Rand) device {
	return pick(rng, devices, func(d device) int { return d.weight })
}

func pickArrival(rng *rand.Rand, web bool) arrival {
	return pick(rng, arrivals, func(a arrival) int {
		if a.web != web {
			return 0
		}
		return a.weight
	})
}

func pickStep(rng *rand.Rand, steps []step) step {
	return pick(rng, steps, func(s step) int { return s.weight })
}

func pageNamed(pages []page, name string) page {
	for _, p := range pages {
		if p.name == name {
			return p
		}
	}
	return pages[0]
}
