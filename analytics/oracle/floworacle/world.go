package floworacle

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
)

// Worlds live around clock changes of the zones.
var (
	anchors = []string{
		"2026-03-08T07:00:00Z", "2026-11-01T05:00:00Z", "2026-04-04T15:00:00Z", "2026-07-01T00:00:00Z",
	}
	zones = []string{"UTC", "UTC", "America/New_York", "America/Havana", "Australia/Lord_Howe", "Asia/Kolkata"}
)

// The few ids of the worlds.
var (
	Flows      = []session.Key{{0: 0xf1, 15: 1}, {0: 0xf1, 15: 2}}
	Versions   = []session.Key{{0: 0xe1, 15: 1}, {0: 0xe1, 15: 2}, {0: 0xe1, 15: 3}}
	Experiment = session.Key{0: 0xd1}
	Steps      = []string{"welcome", "goal", "pay", "offer", "lost", "made up", "(other)", "zzz"}
	Pages      = []string{"/a", "/b/c"} // that product events view
	Providers  = []string{"stripe", "superwall", "made up"}
	locales    = []string{"", "en-GB", "en_US", "de", "DE-at", "he", "iw_IL"}
	platforms  = []string{"web", "ios", "android", ""}
	sources    = []string{"", "google", "newsletter"}
	customs    = []map[string]any{
		nil, {"plan": "gold"}, {"plan": "tin", "n": 3}, {"n": true, "": "x"}, {"plan": "", "deep": map[string]int{"a": 1}},
	}
)

// Clocks stand still, go on, and sometimes back: milliseconds.
var pauses = []int64{0, 0, 1, 1000, 45_000, 1_799_999, 1_800_001, 6_000_000, 86_400_000, -5_000}

// Graphs are those of the versions; of the third nobody knows one.
var Graphs = []flow.Graph{
	{Version: Versions[0], Steps: []flow.GraphStep{
		{ID: "welcome", Name: "Welcome", Kind: manifest.StepScreen}, {ID: "goal", Name: "Goal", Kind: manifest.StepScreen},
		{ID: "pay", Name: "Pay", Kind: manifest.StepSurface},
	}, Decisions: []flow.GraphDecision{{ID: "d1", Cases: []string{"c1"}}}},
	{Version: Versions[1], Steps: []flow.GraphStep{
		{ID: "goal", Name: "Your goal", Kind: manifest.StepScreen}, {ID: "offer", Name: "Offer", Kind: manifest.StepSurface},
		{ID: "welcome", Name: "Hello", Kind: manifest.StepScreen}, {ID: "nobody", Name: "Nobody", Kind: manifest.StepScreen},
	}},
}

// Scenario is a world and the time it is looked at.
type Scenario struct {
	World  World
	Anchor time.Time
	Now    time.Time
}

// Draw makes a world: few people with several runs each, and events that belong to none of the ways that clients take.
func Draw(t *rapid.T) Scenario {
	anchor, err := time.Parse(time.RFC3339, rapid.SampledFrom(anchors).Draw(t, "anchor"))
	if err != nil {
		t.Fatal(err)
	}
	s := Scenario{Anchor: anchor}
	s.Now = anchor.Add(time.Duration(rapid.IntRange(-2*48, 20*48).Draw(t, "now")) * 30 * time.Minute)
	s.World.Touches = map[string]frame.FirstTouch{}
	people := rapid.IntRange(1, 4).Draw(t, "people")
	for i := range people {
		if person := fmt.Sprintf("p%d", i+1); rapid.Bool().Draw(t, "seen by product events") {
			s.World.Touches[person] = frame.FirstTouch{
				Visitor: person, FirstSeen: s.instant(t), CustomUserID: rapid.SampledFrom([]string{"", "u1"}).Draw(t, "known as"),
				Source:   rapid.SampledFrom(sources).Draw(t, "source"),
				Campaign: rapid.SampledFrom([]string{"", "spring"}).Draw(t, "campaign"),
				Medium:   rapid.SampledFrom([]string{"", "cpc"}).Draw(t, "medium"),
				Platform: rapid.SampledFrom([]string{"web", "ios"}).Draw(t, "first platform"),
				Organic:  rapid.Bool().Draw(t, "organic"), OrganicUnknown: rapid.Bool().Draw(t, "organic unknown"),
				ReferrerHost: rapid.SampledFrom([]string{"", "google.com"}).Draw(t, "referrer host"),
			}
		}
	}
	for range rapid.IntRange(0, 9).Draw(t, "runs") {
		s.drawRun(t, fmt.Sprintf("p%d", rapid.IntRange(1, people).Draw(t, "person")))
	}
	// Any order, and some twice.
	s.World.Events = rapid.Permutation(s.World.Events).Draw(t, "order of arrival")
	for range rapid.IntRange(0, min(4, len(s.World.Events))).Draw(t, "sent again") {
		s.World.Events = append(s.World.Events, rapid.SampledFrom(s.World.Events).Draw(t, "again"))
	}
	for range rapid.IntRange(0, 6).Draw(t, "product events") {
		s.World.Hits = append(s.World.Hits, Hit{
			Person: fmt.Sprintf("p%d", rapid.IntRange(1, people).Draw(t, "of")), At: s.instant(t),
			Platform: rapid.SampledFrom(platforms).Draw(t, "platform of a hit"),
			Country:  rapid.SampledFrom([]string{"", "GB", "AU"}).Draw(t, "country of a hit"),
			Page:     rapid.SampledFrom(append([]string{""}, Pages...)).Draw(t, "page of a hit"),
		})
	}
	for range rapid.IntRange(0, 7).Draw(t, "ledger") {
		buyer := ""
		if n := rapid.IntRange(0, people+1).Draw(t, "buyer"); n > 0 {
			buyer = fmt.Sprintf("p%d", n)
		}
		p := frame.Purchase{
			Visitor: buyer, At: s.instant(t), Provider: frame.Provider(rapid.IntRange(0, 1).Draw(t, "provider")),
			Kind:         frame.PurchaseKind(rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "kind")),
			AmountMicros: rapid.Int64Range(0, 2).Draw(t, "amount") * 990_000,
			Product:      rapid.SampledFrom([]string{"", "year", "month"}).Draw(t, "product"),
		}
		if n := len(s.World.Events); n > 0 && rapid.Bool().Draw(t, "soon after an event") {
			e := s.World.Events[rapid.IntRange(0, n-1).Draw(t, "event")]
			p.Visitor, p.At = e.Person, e.At+rapid.SampledFrom([]int64{-1, 0, 1, 60_000, 86_399_999, 86_400_000, 259_200_000}).
				Draw(t, "after")
		}
		if p.Kind == frame.Refund {
			p.AmountMicros = -p.AmountMicros
		}
		s.World.Purchases = append(s.World.Purchases, p)
	}
	return s
}

// instant returns a moment of the world.
func (s *Scenario) instant(t *rapid.T) int64 {
	at := s.Anchor
	switch rapid.IntRange(0, 4).Draw(t, "when") {
	case 0: // near a midnight
		at = at.Truncate(24*time.Hour).AddDate(0, 0, rapid.IntRange(-3, 3).Draw(t, "day"))
		at = at.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "ms")) * time.Millisecond)
	case 1: // the same moments again and again
		at = at.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "s")) * time.Second)
	case 2: // a while ago
		at = s.Now.Add(-time.Duration(rapid.IntRange(0, 90).Draw(t, "minutes ago")) * time.Minute)
	default:
		at = at.Add(time.Duration(rapid.IntRange(-72*4, 72*8).Draw(t, "quarters")) * 15 * time.Minute)
	}
	return at.UnixMilli()
}

// drawRun adds the events of a pass through a flow.
func (s *Scenario) drawRun(t *rapid.T, person string) {
	e := Event{
		Person: person, Session: rapid.SampledFrom([]string{"", "s1", "s1", "s2"}).Draw(t, "session"),
		Flow: rapid.SampledFrom(Flows).Draw(t, "flow"), Seq: -1,
		Release: run.Release{
			Channel: int64(rapid.IntRange(1, 2).Draw(t, "channel")), Version: rapid.SampledFrom(Versions).Draw(t, "version"),
			AssignmentVersion: int64(rapid.IntRange(-1, 1).Draw(t, "assignment")),
		},
	}
	if rapid.Bool().Draw(t, "in the experiment") {
		e.Release.Experiment, e.Release.Variant = Experiment, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "variant")
	}
	if rapid.Bool().Draw(t, "has a run id") {
		e.RunID = session.Key{0: 0xc1, 14: byte(rapid.IntRange(0, 40).Draw(t, "run id")), 15: 1}
	}
	counted, says := rapid.Bool().Draw(t, "has seq"), rapid.Bool().Draw(t, "says from where")
	at, seq, from := s.instant(t), int64(0), ""
	send := func(e Event) {
		e.ID = fmt.Sprintf("e%d", len(s.World.Events))
		if len(s.World.Events)%2 == 0 {
			e.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte(e.ID)).String()
		}
		if counted && rapid.IntRange(0, 19).Draw(t, "loses seq") > 0 {
			e.Seq = seq
		}
		seq++
		e.At = at
		at += rapid.SampledFrom(pauses).Draw(t, "pause")
		if rapid.Bool().Draw(t, "says its client") {
			e.Client = run.Client{
				Platform: rapid.SampledFrom(platforms).Draw(t, "platform"), Locale: rapid.SampledFrom(locales).Draw(t, "locale"),
				AppVersion: rapid.SampledFrom([]string{"", "1.0", "2.0"}).Draw(t, "app version"),
			}
		}
		if rapid.Bool().Draw(t, "is placed") {
			e.Place = run.Place{
				Country: rapid.SampledFrom([]string{"", "GB", "AU"}).Draw(t, "country"),
				Region:  rapid.SampledFrom([]string{"", "ENG"}).Draw(t, "region"),
			}
		}
		if rapid.Bool().Draw(t, "is equipped") {
			e.Device = run.Device{
				Device:  rapid.SampledFrom([]string{"", "mobile"}).Draw(t, "device"),
				Browser: rapid.SampledFrom([]string{"", "Safari"}).Draw(t, "browser"),
				OS:      rapid.SampledFrom([]string{"", "iOS", "macOS"}).Draw(t, "os"),
			}
		}
		if custom := rapid.SampledFrom(customs).Draw(t, "custom"); custom != nil {
			raw, _ := json.Marshal(custom)
			e.CustomProperties, e.CustomValues = string(raw), map[string]string{}
			for key, value := range custom {
				text, isText := value.(string)
				if !isText {
					raw, _ := json.Marshal(value)
					text = string(raw)
				}
				e.CustomValues[key] = text
			}
		}
		s.World.Events = append(s.World.Events, e)
	}
	named := func(name, step, subject, value string) Event {
		e := e
		e.Name, e.Step, e.Subject, e.Value = name, step, subject, value
		if (name == "step_viewed" || name == "surface_presented") && says {
			came := from
			e.From = &came
		}
		return e
	}
	if rapid.IntRange(0, 4).Draw(t, "starts") > 0 {
		send(named("flow_started", "", "", ""))
	}
	for range rapid.IntRange(0, 6).Draw(t, "steps") {
		step := rapid.SampledFrom(Steps).Draw(t, "step")
		provider := rapid.SampledFrom(Providers).Draw(t, "provider")
		switch rapid.IntRange(0, 9).Draw(t, "what happens") {
		case 0:
			send(named("decision_evaluated", "", rapid.SampledFrom([]string{"d1", "d2", "d3"}).Draw(t, "decision"),
				rapid.SampledFrom([]string{"", "c1", "c2"}).Draw(t, "case")))
		case 1:
			send(named("step_viewed", "", "", "")) // as the original sends between steps
		case 2, 3, 4:
			send(named("surface_presented", step, provider, ""))
			from = step
			if rapid.Bool().Draw(t, "has an outcome") {
				send(named("surface_outcome", step, provider,
					rapid.SampledFrom([]string{
						"purchase_completed", "purchase_cancelled", "dismissed", "shrugged", "yawned", "failed", "(other)",
					}).Draw(t, "outcome")))
			}
			if rapid.IntRange(0, 3).Draw(t, "buys") == 0 {
				send(named("iap_purchase", step, provider, "year"))
			}
		default:
			if rapid.IntRange(0, 9).Draw(t, "is lost") > 0 {
				send(named("step_viewed", step, "", ""))
			}
			from = step
			switch rapid.IntRange(0, 3).Draw(t, "leaves") {
			case 0:
				send(named("step_completed", step, "", ""))
			case 1:
				send(named("step_skipped", step, "", ""))
			case 2:
				send(named("choice_selected", step, "field", "option"))
			}
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "abandons") == 0 {
		send(named("flow_abandoned", from, "", ""))
	}
	if rapid.IntRange(0, 1).Draw(t, "completes") == 0 {
		send(named("flow_completed", "", "", ""))
		if rapid.IntRange(0, 5).Draw(t, "again") == 0 {
			send(named("flow_completed", "", "", ""))
		}
	}
}

// Values are those that filters draw from.
var Values = map[analytics.Dimension][]string{
	flow.Locale: locales, flow.Language: {"", "en", "de", "he"}, analytics.Country: {"", "GB", "AU"},
	analytics.Region: {"", "ENG"}, flow.AppVersion: {"", "1.0"}, analytics.Device: {"", "mobile"},
	analytics.Browser: {"", "Safari"}, analytics.OS: {"", "iOS"}, analytics.Source: sources,
	analytics.Campaign: {"", "spring"}, analytics.Medium: {"", "cpc"},
	analytics.AcquisitionChannel: {"", "Direct", "Paid Search", "Organic Search", "Organic App Store"},
}

// DrawScope makes a scope that meets the world.
func (s Scenario) DrawScope(t *rapid.T) flow.Scope {
	loc, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	scope := flow.Scope{
		Location: loc, Flow: rapid.SampledFrom(append(Flows, session.Key{})).Draw(t, "scope flow"),
		Platform: rapid.SampledFrom([]string{"", "", "", "web", "mobile"}).Draw(t, "scope platform"),
	}
	day := 24 * time.Hour
	scope.Windows = flow.Windows{
		Completion: rapid.SampledFrom([]time.Duration{0, 3 * day}).Draw(t, "completion window"),
		Purchase:   rapid.SampledFrom([]time.Duration{0, day, 7 * day}).Draw(t, "purchase window"),
		Lapse:      rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "lapse"),
	}
	switch rapid.IntRange(0, 4).Draw(t, "range") {
	case 0: // default
	case 1: // edges at events
		if len(s.World.Events) > 0 {
			e := rapid.SampledFrom(s.World.Events).Draw(t, "edge")
			scope.Start = time.UnixMilli(e.At + int64(rapid.IntRange(-1, 1).Draw(t, "edge ms")))
			scope.End = scope.Start.Add(time.Duration(rapid.IntRange(0, 3*24*60).Draw(t, "minutes")) * time.Minute)
		}
	default:
		y, m, d := s.Anchor.In(loc).Date()
		scope.Start = analytics.StartOfDay(y, m, d-rapid.IntRange(0, 4).Draw(t, "days before"), loc)
		scope.End = analytics.StartOfDay(y, m, d+rapid.IntRange(1, 12).Draw(t, "days after"), loc)
	}
	if rapid.IntRange(0, 2).Draw(t, "unfiltered") == 0 {
		return scope
	}
	few := func(what string) bool { return rapid.IntRange(0, 5).Draw(t, what) == 0 }
	if few("versions") {
		scope.Versions = rapid.SliceOfN(rapid.SampledFrom(Versions), 1, 2).Draw(t, "of versions")
	}
	if few("channels") {
		scope.Channels = []int64{int64(rapid.IntRange(1, 3).Draw(t, "of channel"))}
	}
	if few("experiment") {
		scope.Experiment = Experiment
		if rapid.Bool().Draw(t, "arms") {
			scope.Variants = []string{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "arm")}
		}
	}
	if few("property") {
		scope.Property = &flow.Property{
			Key:    rapid.SampledFrom([]string{"plan", "n", "nobody"}).Draw(t, "property key"),
			Values: rapid.SliceOfN(rapid.SampledFrom([]string{"", "gold", "3", "true"}), 1, 2).Draw(t, "property values"),
		}
	}
	if few("segment") {
		scope.Segment = drawSegment(t)
	}
	for _, d := range flow.FilterDimensions {
		if values := Values[d]; values != nil && rapid.IntRange(0, 13).Draw(t, "filter") == 0 {
			scope.Filters = append(scope.Filters, analytics.Filter{
				Dimension: d,
				Operator:  rapid.SampledFrom([]analytics.Operator{"", analytics.Is, analytics.IsNot}).Draw(t, "operator"),
				Values:    rapid.SliceOfN(rapid.SampledFrom(append([]string{"unheard of"}, values...)), 1, 2).Draw(t, "values"),
			})
		}
	}
	return scope
}
