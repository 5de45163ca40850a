package alerting_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/automation/alerting"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/automation/slack"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/mail"
)

// channel stands for Slack: it keeps what it was posted, once it does not fail any more.
type channel struct {
	mu     sync.Mutex
	fails  webhook.Answer // what it answers while its status is not 0
	posted []string
	urls   []string
}

func (c *channel) Post(_ context.Context, url string, body []byte) webhook.Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails.Status != 0 {
		return c.fails
	}
	c.posted, c.urls = append(c.posted, string(body)), append(c.urls, url)
	return webhook.Answer{Status: 200, Body: "ok"}
}

func (c *channel) answers(a webhook.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fails = a
}

func (c *channel) messages() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.posted...)
}

// toSlack lets an alert post to a webhook, encrypted with a key of the ring.
func (w *world) toSlack(id uuid.UUID, ring *seal.Ring, url string) {
	w.t.Helper()
	secret, err := slack.Seal(ring, id, url)
	require.NoError(w.t, err)
	w.app.Exec(`update alerts set slack_url = $2, key_id = $3, sealed = $4 where id = $1`,
		id, secret.Shown, secret.KeyID, secret.Sealed)
}

// outbox starts servers that send what the outbox has.
func (w *world) outbox(servers int) {
	w.t.Helper()
	for range servers {
		o := mail.NewOutbox(w.db.Pool, mail.Options{
			Carriers: w.Carriers(), Every: 5 * time.Millisecond, Logger: quiet,
		}, nil)
		require.NoError(w.t, o.Start(context.Background()))
		w.t.Cleanup(func() { require.NoError(w.t, o.Stop(context.Background())) })
	}
}

func (w *world) delivery(id uuid.UUID) *scheduledreport.Delivery {
	w.t.Helper()
	found, err := alerting.Deliveries(w.t.Context(), w.db.Pool, []uuid.UUID{id, uuid.New()})
	require.NoError(w.t, err)
	return found[id]
}

func ringOf(t *testing.T, ids ...string) *seal.Ring {
	t.Helper()
	var keys []seal.Key
	for _, id := range ids {
		keys = append(keys, seal.Key{ID: id, Secret: []byte(strings.Repeat(id[:1], seal.KeySize))})
	}
	ring, err := seal.NewRing(keys...)
	require.NoError(t, err)
	return ring
}

const hook = "https://hooks.slack.com/services/T0/B0/secret"

// Slack is told once when an alert fires and once when it resolved, by however many servers, after it failed for a
// while, and with a key that was replaced meanwhile.
func TestSlackIsToldOnce(t *testing.T) {
	w := newWorld(t, hour(0))
	c := &channel{fails: webhook.Answer{Status: 503, Error: "answered 503"}}
	w.Poster, w.Ring, w.BaseURL = c, ringOf(t, "old"), "https://svc.example.com"
	w.visit(hour(0).Add(time.Minute), 3, "/a")
	id := w.alert("<!channel> *Many*", hour(0), alert.Rule{Condition: alert.Condition{Above: pointer(2.0)}})
	w.toSlack(id, w.Ring, hook)
	w.alert("Inbox only", hour(0), alert.Rule{Condition: alert.Condition{Above: pointer(2.0)}})
	w.look(hour(1).Add(3 * time.Minute))
	require.Len(t, w.told(), 2)
	require.Equal(t, scheduledreport.DeliveryPending, w.delivery(id).State)

	w.Ring = ringOf(t, "new", "old")
	require.NoError(t, w.Start(t.Context()))
	w.Ring = ringOf(t, "new") // the old key may go
	w.outbox(3)
	reason := func() string { return w.delivery(id).Reason }
	require.Eventually(t, func() bool { return reason() == "Slack answered 503" }, 10*time.Second, 5*time.Millisecond)
	c.answers(webhook.Answer{})
	w.app.Exec(`update mail_outbox set next_attempt_at = now()`)
	require.Eventually(t, func() bool { return len(c.messages()) == 1 }, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, hook, c.urls[0])

	var message struct {
		Text   string           `json:"text"`
		Blocks []map[string]any `json:"blocks"`
	}
	require.NoError(t, json.Unmarshal([]byte(c.messages()[0]), &message))
	require.Contains(t, message.Text, "fires: 3 visitors, expected at most 2")
	require.NotContains(t, c.messages()[0], "<!channel>")
	require.Equal(t, "header", message.Blocks[0]["type"])
	require.Contains(t, c.messages()[0], "https://svc.example.com/apps/"+w.app.ID.String()+"/live/alerts?alert="+id.String())
	require.Contains(t, c.messages()[0], "https://svc.example.com/apps/"+w.app.ID.String()+"/live/home?grain=hour")

	w.look(hour(4).Add(3 * time.Minute))
	require.Eventually(t, func() bool { return len(c.messages()) == 2 }, 10*time.Second, 5*time.Millisecond)
	require.Contains(t, c.messages()[1], "resolved")
	require.Eventually(t, func() bool { return w.delivery(id).State == scheduledreport.DeliverySent },
		10*time.Second, 5*time.Millisecond)
	w.look(hour(5).Add(3 * time.Minute))
	w.app.Exec(`update mail_outbox set next_attempt_at = now()`)
	time.Sleep(50 * time.Millisecond) // several looks of three servers
	require.Len(t, c.messages(), 2)
}

// A webhook that was removed is not asked again, and one that an alert has no more is told nothing.
func TestSlackThatIsGoneIsLeftAlone(t *testing.T) {
	w := newWorld(t, hour(0))
	c := &channel{fails: webhook.Answer{Status: 404, Body: "no_service", Error: "answered 404"}}
	w.Poster, w.Ring = c, ringOf(t, "k")
	w.visit(hour(0).Add(time.Minute), 3, "/a")
	many := alert.Rule{Condition: alert.Condition{Above: pointer(2.0)}}
	removed, ended := w.alert("Removed", hour(0), many), w.alert("Ended", hour(0), many)
	for _, id := range []uuid.UUID{removed, ended} {
		w.toSlack(id, w.Ring, hook)
	}
	w.look(hour(1).Add(3 * time.Minute))
	w.app.Exec(`update alerts set slack_url = '', key_id = null, sealed = null where id = $1`, ended)
	w.outbox(1)
	require.Eventually(t, func() bool { return w.delivery(removed).State == scheduledreport.DeliveryFailed },
		10*time.Second, 5*time.Millisecond)
	require.Contains(t, w.delivery(removed).Reason, "the webhook was removed")
	require.Eventually(t, func() bool { return w.delivery(ended).State == scheduledreport.DeliveryDropped },
		10*time.Second, 5*time.Millisecond)
	require.Empty(t, c.messages())
}

// The link of a message leads to the report of the metric, with what limits it.
func TestLinksLeadToTheReport(t *testing.T) {
	w := newWorld(t, hour(0))
	c := &channel{}
	w.Poster, w.Ring, w.BaseURL = c, ringOf(t, "k"), "https://svc.example.com"
	goal := analytics.Goal{ID: uuid.New(), Condition: analytics.GoalCondition{Page: &analytics.GoalView{Op: "IS", Name: "/a"}}}
	w.Studio = studio{goals: []analytics.Goal{goal}}
	w.visit(hour(0).Add(time.Minute), 3, "/a")
	above := alert.Condition{Above: pointer(-1.0)}
	for page, rule := range map[string]alert.Rule{
		"goals?goal=" + goal.ID.String() + "&grain=hour&zone=UTC": {
			Metric: alert.Conversions, GoalID: &goal.ID, Condition: above,
		},
		"revenue?grain=hour&zone=UTC": {Metric: alert.Revenue, Condition: above},
		"home?" + url.Values{
			"f": {"contains_not,page,a\\cb", "is,channel,Direct"}, "grain": {"hour"}, "platform": {"web"}, "zone": {"UTC"},
		}.Encode(): {Platform: "WEB", Condition: above, Cross: map[string]analytics.StoredFilter{
			"page":               {Op: "DOES_NOT_CONTAIN", Values: []string{"a,b"}},
			"acquisitionChannel": {Op: "IS", Values: []string{"Direct"}},
		}},
	} {
		w.toSlack(w.alert(page, hour(0), rule), w.Ring, hook+page)
	}
	w.look(hour(1).Add(3 * time.Minute))
	w.outbox(1)
	require.Eventually(t, func() bool { return len(c.messages()) == 3 }, 10*time.Second, 5*time.Millisecond)
	for i, message := range c.messages() {
		var text strings.Builder
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(true)
		require.NoError(t, encoder.Encode(strings.TrimPrefix(c.urls[i], hook)))
		require.Contains(t, message, "/live/"+strings.Trim(strings.TrimSpace(text.String()), `"`))
	}
}
