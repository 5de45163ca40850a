package demo

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/revenue/fold"
)

// Event is one product event as it goes over the wire (analytics.md §1).
type Event struct {
	EventID    string         `json:"eventId"`
	Name       string         `json:"name"`
	Timestamp  time.Time      `json:"timestamp"`
	ScreenName string         `json:"screenName,omitempty"`
	Identity   Identity       `json:"identity"`
	Context    Context        `json:"context"`
	Properties map[string]any `json:"properties,omitempty"`
}

// Identity names a visitor and the session.
type Identity struct {
	AppUserID    string `json:"appUserId"`
	CustomUserID string `json:"customUserId,omitempty"`
	SessionID    string `json:"sessionId"`
}

// Context is the device and the attribution snapshot of the session.
type Context struct {
	Platform    string         `json:"platform"`
	AppVersion  string         `json:"appVersion,omitempty"`
	Locale      string         `json:"locale,omitempty"`
	Browser     string         `json:"browser,omitempty"`
	OS          string         `json:"os,omitempty"`
	Device      string         `json:"device,omitempty"`
	Attribution map[string]any `json:"attribution,omitempty"`
	// CustomProperties are what the app knows of the person.
	CustomProperties map[string]any `json:"customProperties,omitempty"`
}

// FlowEvent is one flow event as it goes over the wire (wire.md §5.1).
type FlowEvent struct {
	EventID           string         `json:"eventId"`
	Name              string         `json:"name"`
	Timestamp         time.Time      `json:"timestamp"`
	FlowID            string         `json:"flowId"`
	VersionID         string         `json:"versionId"`
	AssignmentVersion int            `json:"assignmentVersion"`
	ExperimentID      *string        `json:"experimentId"`
	VariantID         *string        `json:"variantId"`
	StepID            *string        `json:"stepId"`
	Identity          Identity       `json:"identity"`
	Context           Context        `json:"context"`
	Properties        map[string]any `json:"properties,omitempty"`
	// FieldClassification is safe or sensitive, on text_submitted.
	FieldClassification string `json:"fieldClassification,omitempty"`
	RunID               string `json:"runId"`
	Seq                 int    `json:"seq"`
	FromStepID          *From  `json:"fromStepId,omitempty"`
}

// From is where a person came from to a step; StepID is nil at the first one of a run.
type From struct{ StepID *string }

// MarshalJSON writes the id, or null.
func (f From) MarshalJSON() ([]byte, error) { return json.Marshal(f.StepID) }

// Place is where a visit came from.
type Place struct {
	Country, Region, City string
	Latitude, Longitude   float64
}

// Visit is one session of one person.
type Visit struct {
	Place  Place
	Events []Event
	// Purchase was made beside all flows, such as in the settings of the store.
	Purchase *Purchase
	// Openings are the flows that the app opens, in their order.
	Openings []Opening
	// Profile is what the app says of somebody who signs up on the visit; nil for all others.
	Profile *Profile
}

// Opening is a place of the app that opens a flow.
type Opening struct {
	Channel string // its name
	At      time.Time
}

// end returns the time of the visit's last event.
func (v Visit) end() time.Time { return v.Events[len(v.Events)-1].Timestamp }

type person struct {
	id, customID string
	place        place
	device       device
	appVersion   string // empty on the web
	known        map[string]any
	visits       int
	customer     bool
}

// World is the people of one made-up app.
type World struct {
	seed   uint64
	rng    *rand.Rand
	people []*person
	// customers bought something in a flow, by app user id: no offer is opened for them any more.
	customers map[string]bool
	// campaign is when the campaign of the demo's story begins; zero for never.
	campaign time.Time
}

// NewWorld makes a world without people; equal seeds make equal worlds.
func NewWorld(seed uint64) *World {
	return &World{seed: seed, rng: rand.New(rand.NewPCG(seed, 0x5bd1e995)), customers: map[string]bool{}}
}

// newID makes an identifier in the form of a UUIDv7 of the given time whose
// random part comes from the seed.
func newID(rng *rand.Rand, at time.Time) string {
	var id uuid.UUID
	ms := uint64(at.UnixMilli())
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	a, b := rng.Uint64(), rng.Uint64()
	for i := range 8 {
		id[8+i] = byte(a >> (8 * i))
	}
	id[6], id[7] = 0x70|byte(b&0x0f), byte(b>>8)
	id[8] = 0x80 | id[8]&0x3f
	return id.String()
}

// someone returns a new person or one who comes back; recent people come back
// more often.
func (w *World) someone(at time.Time) *person {
	if len(w.people) > 0 && w.rng.Float64() < 0.42 {
		back := int(float64(len(w.people)) * w.rng.Float64() * w.rng.Float64())
		return w.people[len(w.people)-1-back]
	}
	p := &person{id: newID(w.rng, at), place: pickPlace(w.rng), device: pickDevice(w.rng)}
	p.known = pickProperties(w.rng)
	if p.device.platform != "web" {
		p.appVersion = pickName(w.rng, appVersions)
	}
	w.people = append(w.people, p)
	return p
}

// Visit lets somebody visit at the given time.
func (w *World) Visit(at time.Time) Visit {
	at = at.Truncate(time.Millisecond)
	p := w.someone(at)
	web := p.device.platform == "web"
	v := Visit{Place: Place{p.place.country, p.place.region, p.place.city, p.place.latitude, p.place.longitude}}
	session := newID(w.rng, at)
	context := Context{
		Platform: p.device.platform, Locale: p.place.locale, OS: p.device.os, Device: p.device.device,
		Browser: p.device.browser, Attribution: map[string]any{}, AppVersion: p.appVersion, CustomProperties: p.known,
	}
	for key, value := range w.arrival(p, at, web).attribution {
		context.Attribution[key] = value
	}
	pages, view, current := appScreens, "screen_view", "Home"
	if web {
		pages, view = webPages, "page_view"
		current = pickStep(w.rng, webEntries).to
		context.Attribution["link.ext.landing_url"] = "https://tendril.example" + current
	}
	now := at
	record := func(name, screen string, properties map[string]any) {
		v.Events = append(v.Events, Event{
			EventID: newID(w.rng, now), Name: name, Timestamp: now, ScreenName: screen, Context: context, Properties: properties,
			Identity: Identity{AppUserID: p.id, CustomUserID: p.customID, SessionID: session},
		})
	}
	record("session_start", "", nil)
	if p.visits == 0 {
		record(map[bool]string{true: "first_visit", false: "first_open"}[web], "", nil)
	}
	v.Openings = w.openings(p, now)
	if p.visits == 0 && !web && w.draw("account of "+p.id).Float64() < 0.25 { // an account of another device
		p.customID = fmt.Sprintf("user-%06d", w.draw("number of "+p.id).IntN(1_000_000))
		v.Profile = w.profile(p, now)
	}
	p.visits++
	for current != "" && len(v.Events) < 60 {
		record(view, current, nil)
		now = now.Add(time.Duration(2_000+w.rng.IntN(50_000)) * time.Millisecond)
		next := pickStep(w.rng, pageNamed(pages, current).next)
		if next.event != "" {
			signsUp := next.event == "signed_up" && p.customID == ""
			if signsUp {
				p.customID = fmt.Sprintf("user-%06d", w.rng.IntN(1_000_000))
			}
			record(next.event, "", w.properties(next.event))
			if signsUp {
				v.Profile = w.profile(p, now)
			}
		}
		current = next.to
	}
	if !p.customer && w.rng.Float64() < 0.008 {
		p.customer = true
		v.Purchase = w.purchase(p, now, web)
	}
	return v
}

func (w *World) properties(event string) map[string]any {
	switch event {
	case "plan_selected":
		return map[string]any{"plan": []string{"monthly", "yearly"}[w.rng.IntN(2)]}
	case "plant_added", "plant_watered", "plant_scanned":
		return map[string]any{"species": []string{"monstera", "calathea", "ficus", "pilea", "snake plant"}[w.rng.IntN(5)]}
	case "reminder_set":
		return map[string]any{"everyDays": 1 + w.rng.IntN(14)}
	}
	return nil
}

func (w *World) purchase(p *person, at time.Time, web bool) *Purchase {
	bought := Purchase{
		Provider: fold.RevenueCat, Store: storeOf(p.device.platform), ID: newID(w.rng, at), AppUserID: p.id,
		Country: p.place.country, At: at, Payments: endless,
		ProductID: []string{"tendril-month", "tendril-year"}[w.rng.IntN(2)],
	}
	if web {
		bought.Provider, bought.Store = fold.Stripe, "stripe"
		if w.rng.IntN(2) == 0 {
			bought.Provider, bought.Store = fold.Superwall, "paddle"
		}
	}
	return &bought
}

// storeOf returns the store that apps of a platform sell in.
func storeOf(platform string) string {
	if platform == "android" {
		return "play_store"
	}
	return "app_store"
}

// subscribers is how many people bought in the half year before a history.
const subscribers = 110

// Subscribers returns what people bought before a time who use the app ever since without being seen: most of it goes
// on, some has ended.
func (w *World) Subscribers(before time.Time) []Purchase {
	rng := w.draw("subscribers")
	list := make([]Purchase, subscribers)
	for i := range list {
		at := before.Add(-time.Duration(rng.Int64N(int64(183 * 24 * time.Hour)))).Truncate(time.Second)
		p := Purchase{
			ID: newID(rng, at), AppUserID: newID(rng, at), Country: pickPlace(rng).country, At: at,
			ProductID: pickName(rng, []weighted{{"tendril-month", 68}, {"tendril-year", 26}, {"tendril-family", 6}}),
			Payments:  endless,
		}
		p.Provider, p.Store = fold.RevenueCat, storeOf(pickName(rng, []weighted{{"ios", 60}, {"android", 40}}))
		switch way := rng.Float64(); {
		case way < 0.2:
			p.Provider, p.Store = fold.Stripe, "stripe"
		case way < 0.35:
			p.Provider, p.Store = fold.Superwall, "paddle"
		}
		p.Trial = p.ProductID == "tendril-year" && rng.Float64() < 0.5
		leaves, refunded := rng.ExpFloat64()*8, rng.Float64() < 0.05
		switch {
		case p.Trial && rng.Float64() < 0.4:
			p.Payments = 0
		case refunded:
			p.RefundAfter = time.Duration(2+rng.IntN(90)) * time.Hour
		case p.ProductID == "tendril-month":
			p.Payments = 1 + int(leaves)
		}
		list[i] = p
	}
	return list
}

// openings draws the flows that open on a visit: the onboarding for who is new to the app and often an offer after it,
// one of the others for who comes back.
func (w *World) openings(p *person, at time.Time) []Opening {
	// Drawn at each visit, so that what one opens does not change the next.
	first, offer, other := w.rng.Float64(), w.rng.Float64(), w.rng.Float64()
	later := time.Duration(4_000+w.rng.IntN(60_000)) * time.Millisecond
	web := p.device.platform == "web"
	paywall := "Paywall"
	if !web && offer < 0.85 {
		paywall = paywallExperiment
	}
	switch {
	case p.visits == 0 && web:
		if other < 0.15 {
			return []Opening{{paywall, at.Add(later)}}
		}
	case p.visits == 0:
		opened := []Opening{{onboardingExperiment, at.Add(2 * time.Second)}}
		if first >= 0.85 {
			opened[0].Channel = "Onboarding"
		}
		if other < 0.65 {
			opened = append(opened, Opening{paywall, at.Add(5*time.Minute + later)})
		}
		return opened
	case other < 0.30:
		return []Opening{{paywall, at.Add(later)}}
	case other < 0.45:
		return []Opening{{"Reminders", at.Add(later)}}
	case other < 0.55:
		return []Opening{{"Survey", at.Add(later)}}
	case other < 0.62:
		return []Opening{{"Win-back", at.Add(later)}}
	}
	return nil
}

// Opens tells whether the app of a visit opens a flow after all: it offers nothing to people who bought.
func (w *World) Opens(v Visit, o Opening) bool {
	return o.Channel != "Paywall" && o.Channel != paywallExperiment || !w.customers[v.Events[0].Identity.AppUserID]
}

// Arrivals returns the start times of the visits of the day that begins at
// midnight (UTC): about perDay of them, fewer at weekends and at night.
func (w *World) Arrivals(midnight time.Time, perDay int) []time.Time {
	n := float64(perDay) * (0.85 + 0.3*w.rng.Float64()) * crowd(midnight.Weekday())
	times := make([]time.Time, 0, int(n))
	for len(times) < int(n) {
		at := midnight.Add(time.Duration(w.rng.Int64N(int64(24 * time.Hour))))
		if w.rng.Float64() < busy[at.Hour()] {
			times = append(times, at)
		}
	}
	return times
}
