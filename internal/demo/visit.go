package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/google/uuid"
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
}

// Place is where a visit came from.
type Place struct {
	Country, Region, City string
	Latitude, Longitude   float64
}

// Served is what resolve answered for a visit: the ids that flow events carry
// and the way through the flow.
type Served struct {
	FlowID, VersionID       string
	AssignmentVersion       int
	ExperimentID, VariantID *string
	Entry                   string              // id of the first screen, decision or surface
	Next                    map[string][]string // what may follow a node by its id; "" is the end
}

// Purchase is a first charge that a provider reported.
type Purchase struct {
	Provider, EventID, AppUserID, ProductID string
	At                                      time.Time
	Micros                                  int64
}

// Visit is one session of one person.
type Visit struct {
	Place    Place
	Events   []Event
	Purchase *Purchase
	// RunsFlow says that the person opened the onboarding, at FlowAt.
	RunsFlow bool
	FlowAt   time.Time
}

// end returns the time of the visit's last event.
func (v Visit) end() time.Time { return v.Events[len(v.Events)-1].Timestamp }

type person struct {
	id, customID string
	place        place
	device       device
	visits       int
	customer     bool
}

// World is the people of one made-up app.
type World struct {
	seed   uint64
	rng    *rand.Rand
	people []*person
}

// NewWorld makes a world without people; equal seeds make equal worlds.
func NewWorld(seed uint64) *World {
	return &World{seed: seed, rng: rand.New(rand.NewPCG(seed, 0x5bd1e995))}
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
		Browser: p.device.browser, Attribution: map[string]any{},
	}
	if !web {
		context.AppVersion = []string{"2.3.0", "2.3.1", "2.4.0"}[w.rng.IntN(3)]
	}
	for key, value := range pickArrival(w.rng, web).attribution {
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
		v.RunsFlow, v.FlowAt = !web, now.Add(2*time.Second)
	}
	p.visits++
	for current != "" && len(v.Events) < 60 {
		record(view, current, nil)
		now = now.Add(time.Duration(2_000+w.rng.IntN(50_000)) * time.Millisecond)
		next := pickStep(w.rng, pageNamed(pages, current).next)
		if next.event != "" {
			if next.event == "signed_up" && p.customID == "" {
				p.customID = fmt.Sprintf("user-%06d", w.rng.IntN(1_000_000))
			}
			record(next.event, "", w.properties(next.event))
		}
		current = next.to
	}
	if !p.customer && w.rng.Float64() < 0.035 {
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
	provider := "stripe"
	if !web {
		provider = []string{"revenuecat", "superwall"}[w.rng.IntN(2)]
	}
	price := []struct {
		product string
		micros  int64
	}{{"monthly", 4_990_000}, {"yearly", 29_990_000}}[w.rng.IntN(2)]
	return &Purchase{
		Provider: provider, EventID: "demo_" + newID(w.rng, at), AppUserID: p.id, ProductID: price.product, At: at,
		Micros: price.micros,
	}
}

const (
	screenPrefix = "scr_"
	// maxRunScreens ends the runs of people who go in circles.
	maxRunScreens = 40
)

// Run makes the flow events of one run through what was served: most people
// finish, some leave on the way. What happens follows from the seed and the visit
// alone: how long a run is depends on what was served, and must not change what
// the next visitors do.
func (w *World) Run(v Visit, s Served) []FlowEvent {
	if len(v.Events) == 0 || s.Entry == "" {
		return nil
	}
	first, now := v.Events[0], v.FlowAt
	rng := rand.New(rand.NewPCG(w.seed, xxhash.Sum64String(first.Identity.SessionID)))
	var events []FlowEvent
	record := func(name, step string, properties map[string]any) {
		e := FlowEvent{
			EventID: newID(rng, now), Name: name, Timestamp: now, FlowID: s.FlowID, VersionID: s.VersionID,
			AssignmentVersion: s.AssignmentVersion, ExperimentID: s.ExperimentID, VariantID: s.VariantID,
			Identity: first.Identity,
			Context: Context{
				Platform: first.Context.Platform, AppVersion: first.Context.AppVersion, Locale: first.Context.Locale,
			},
			Properties: properties,
		}
		if step != "" {
			e.StepID = &step
		}
		events = append(events, e)
	}
	record("flow_started", "", nil)
	viewed, last := 0, ""
	for node := s.Entry; node != "" && viewed < maxRunScreens; {
		if strings.HasPrefix(node, screenPrefix) {
			if last != "" {
				record("step_completed", last, nil)
			}
			record("step_viewed", node, nil)
			viewed, last = viewed+1, node
			now = now.Add(time.Duration(1_500+rng.IntN(12_000)) * time.Millisecond)
			if rng.Float64() < 0.06 {
				record("flow_abandoned", node, nil)
				return events
			}
		}
		following := s.Next[node]
		if len(following) == 0 {
			break
		}
		node = following[rng.IntN(len(following))]
	}
	record("flow_completed", "", map[string]any{"responseCount": viewed})
	return events
}

// Arrivals returns the start times of the visits of the day that begins at
// midnight (UTC): about perDay of them, fewer at weekends and at night.
func (w *World) Arrivals(midnight time.Time, perDay int) []time.Time {
	n := float64(perDay) * (0.85 + 0.3*w.rng.Float64())
	if day := midnight.Weekday(); day == time.Saturday || day == time.Sunday {
		n *= 0.7
	}
	times := make([]time.Time, 0, int(n))
	for len(times) < int(n) {
		at := midnight.Add(time.Duration(w.rng.Int64N(int64(24 * time.Hour))))
		if busy := [24]float64{
			.3, .25, .2, .2, .25, .35, .5, .7, .85, .9, .9, .9, .95, .95, 1, 1, 1, 1, 1, .95, .9, .75, .55, .4,
		}[at.Hour()]; w.rng.Float64() < busy {
			times = append(times, at)
		}
	}
	return times
}
