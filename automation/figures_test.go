package automation_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/people"
)

// tally counts, by what: "entered", "node good sent", and so on.
type tally map[string]int

// tallyOf flattens figures.
func tallyOf(f *automation.Figures) tally {
	t := tally{
		"entered": f.Entered, "running": f.Running, "completed": f.Completed, "exited": f.Exited, "failed": f.Failed,
		"converted": f.Converted,
	}
	for _, n := range f.Nodes {
		t[n.Node+" waiting"], t[n.Node+" delivered"] = n.Waiting, n.Delivered
		t[n.Node+" pending"], t[n.Node+" undelivered"] = n.Pending, n.Undelivered
		for _, s := range n.Steps {
			t[n.Node+" step "+s.Result+" "+s.Reason] += s.Count
		}
	}
	maps.DeleteFunc(t, func(_ string, n int) bool { return n == 0 })
	return t
}

// follower is a person of a scenario, with what happens to them after they enter.
type follower struct {
	id         string
	total      int
	consent    people.Consent
	stops, won bool
	due        bool // the wait of the person is over
}

// scenario is an automation with people: who has spent enough waits and gets two messages or one, to an endpoint that
// takes them, fails or is disabled.
type scenario struct {
	enters, good int // what a person has spent at least
	marketing    bool
	cap          int
	disabled     bool // the endpoint of node other; else it fails, for now or for good
	gone         bool
	people       []follower
}

func newScenario(random *rand.Rand, n int) scenario {
	coin := func() bool { return random.IntN(2) == 0 }
	s := scenario{
		enters: random.IntN(40), good: 30 + random.IntN(50), marketing: coin(), cap: random.IntN(2), disabled: coin(),
	}
	s.gone = !s.disabled && coin()
	consents := []people.Consent{people.Granted, people.Denied, people.Unknown}
	for i := range 30 {
		s.people = append(s.people, follower{
			id: fmt.Sprintf("s%d-p%d", n, i), total: random.IntN(100), consent: consents[random.IntN(3)],
			stops: random.IntN(4) == 0, won: random.IntN(4) == 0, due: random.IntN(5) > 0,
		})
	}
	return s
}

// expect counts what becomes of the people, as the documentation says it, one by one.
func (s *scenario) expect() tally {
	t := tally{}
	for _, p := range s.people {
		if p.total < s.enters {
			continue
		}
		t["entered"]++
		t["wait step waiting "]++
		if p.won {
			t["converted"]++
		}
		if p.stops {
			t["exited"]++
			t["wait step exited event stop"]++
			continue
		}
		if !p.due {
			t["running"]++
			t["wait waiting"]++
			continue
		}
		t["completed"]++
		t["wait step done "]++
		consents := !s.marketing || p.consent == people.Granted
		if p.total < s.good {
			t["rich step done else"]++
			switch {
			case !consents:
				t["other step skipped no_consent"]++
			case s.disabled:
				t["other step skipped endpoint_disabled"]++
			default:
				t["other step sent "]++
				t["other pending"]++
			}
			continue
		}
		t["rich step done then"]++
		t["end step done "]++
		switch {
		case !consents:
			t["first step skipped no_consent"]++
			t["second step skipped no_consent"]++
		case s.cap == 1:
			t["first step sent "]++
			t["first delivered"]++
			t["second step skipped frequency_cap"]++
		default:
			t["first step sent "]++
			t["first delivered"]++
			t["second step sent "]++
			t["second delivered"]++
		}
	}
	if s.gone { // the endpoint says so to a message: it is disabled, and what waits is given up
		t["other undelivered"] = t["other pending"]
		delete(t, "other pending")
	}
	maps.DeleteFunc(t, func(_ string, n int) bool { return n == 0 })
	return t
}

// Figures are what happened to each person, counted one by one by somebody who knows the scenario and no table.
func TestFiguresCountWhatHappenedToEachPerson(t *testing.T) {
	w := newWorld(t)
	records := people.New(w.db.Pool, people.Options{})
	for n := range 5 {
		random := rand.New(rand.NewPCG(20261123, uint64(n)))
		s := newScenario(random, n)
		failing := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
			answer.WriteHeader(map[bool]int{false: http.StatusInternalServerError, true: http.StatusGone}[s.gone])
		}))
		other, err := w.CreateEndpoint(w.owner, w.app, "live", "Other", failing.URL)
		require.NoError(t, err)
		if s.disabled {
			no := false
			_, err := w.UpdateEndpoint(w.owner, other.Endpoint.ID, automation.EndpointChange{Enabled: &no})
			require.NoError(t, err)
		}
		_, err = w.SetLimits(w.owner, w.app, "live", automation.Limits{Cap: s.cap, CapDays: 30}, "UTC")
		require.NoError(t, err)
		made := w.define(fmt.Sprintf(`{"trigger": {"type": "event", "event": "start",
				"where": {"of": "event", "property": "total", "op": "gte", "value": %d}},
			"exit": {"events": ["stop"]}, "goal": {"events": ["won"], "days": 7}, "marketing": %t,
			"nodes": [{"id": "wait", "type": "delay", "seconds": 3600, "next": "rich"},
				{"id": "rich", "type": "condition", "if": {"of": "event", "property": "total", "op": "gte", "value": %d},
					"then": "first", "else": "other"},
				{"id": "first", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "x", "next": "second"},
				{"id": "second", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "x", "next": "end"},
				{"id": "end", "type": "exit"},
				{"id": "other", "type": "webhook", "endpointId": %q, "messageType": "x"}]}`,
			s.enters, s.marketing, s.good, other.Endpoint.ID))
		settled := func(what string) {
			t.Helper()
			w.eventually(func() bool {
				return w.count(`select count(*) from automation_enrolment where due_at <= now()`) == 0 &&
					w.count(`select count(*) from webhook_delivery where state = 'pending' and (attempts = 0 or endpoint_id = $1
						or next_attempt_at <= now() or not exists (
							select from webhook_attempt a where a.environment_id = webhook_delivery.environment_id
								and a.delivery_id = webhook_delivery.id))`, w.endpoint) == 0
			}, what)
		}
		for _, p := range s.people {
			change := people.Change{EnvironmentID: w.environment, AppUserID: p.id, Email: p.id + "@example.com"}
			if p.consent != people.Unknown {
				change.MarketingConsent = p.consent
			}
			_, err := records.Identify(t.Context(), change)
			require.NoError(t, err)
			w.track(p.id, "start", map[string]any{"total": p.total})
		}
		settled("everybody waits")
		for _, p := range s.people {
			if p.won {
				w.track(p.id, "won", nil)
			}
			if p.stops {
				w.track(p.id, "stop", nil)
			}
		}
		settled("who stops has ended")
		var due []string
		for _, p := range s.people {
			if p.due {
				due = append(due, p.id)
			}
		}
		w.exec(`update automation_enrolment set due_at = now() where app_user_id = any ($1) and due_at is not null`, due)
		settled("what is due is done")
		figures, err := w.Figures(w.owner, made.ID)
		require.NoError(t, err)
		require.Equal(t, s.expect(), tallyOf(figures), "scenario %d: %+v", n, s)
		require.Equal(t, figures.Entered, figures.Running+figures.Completed+figures.Exited+figures.Failed)

		// Who goes on is ended with the automation.
		_, err = w.Archive(w.owner, made.ID)
		require.NoError(t, err)
		ended, err := w.Figures(w.owner, made.ID)
		require.NoError(t, err)
		require.Equal(t, figures.Exited+figures.Running, ended.Exited)
		require.Zero(t, ended.Running)
		failing.Close()
		w.exec(`update webhook_delivery set state = 'failed', next_attempt_at = null where state = 'pending'`)
	}
}
