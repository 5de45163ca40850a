package demo

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/ent"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/revenue/fold"
)

// The names of the demo's automation and of where its webhooks go.
const (
	reminderName = "Left the paywall"
	receiverName = "Demo receiver"
)

// reminded is how many people of the history enter the automation when it is made, so that there is something to see.
const reminded = 60

// reminder is the automation: who leaves the paywall and buys nothing for a minute gets a message, but for one of five,
// with whom the others can be compared. FLOW and ENDPOINT stand for ids.
const reminder = `{
	"trigger": {"type": "flow", "outcome": "abandoned", "flowId": "FLOW", "reentry": "days", "days": 1},
	"exit": {"purchase": true},
	"goal": {"purchase": true, "days": 7},
	"nodes": [
		{"id": "minute", "type": "delay", "seconds": 60, "next": "holdout"},
		{"id": "holdout", "type": "split", "arms": [{"weight": 4, "next": "remind"}, {"weight": 1, "next": "nothing"}]},
		{"id": "remind", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "paywall.abandoned",
			"data": {"appUserId": "{{person.appUserId}}", "country": "{{person.country}}", "text": "Your plants miss you"}},
		{"id": "nothing", "type": "exit"}
	]
}`

// Reminder makes the demo's automation.
type Reminder struct {
	DB          *postgres.DB
	Automations *automation.Automations
}

// Prepare makes the automation of an app that has the demo flows, and the endpoint of its webhooks, or sees that they
// go to the URL, which another start may have changed. It returns the secret that the endpoint signs with: that of an
// earlier start, or a new one where secret is empty. The context's principal is the author.
func (r *Reminder) Prepare(ctx context.Context, app *ent.App, url, secret string) (string, error) {
	endpoint, secret, err := r.prepareEndpoint(ctx, app.ID, url, secret)
	if err != nil {
		return "", fmt.Errorf("make the endpoint of the demo's automation: %w", err)
	}
	filter := automation.Filter{App: app.ID, Environment: "live", Archived: true}
	known, err := r.Automations.Count(ctx, filter)
	if err != nil || known > 0 {
		return secret, err // one that its owner archived is not made again
	}
	if err := r.make(ctx, app.ID, endpoint); err != nil {
		return "", fmt.Errorf("make the demo's automation: %w", err)
	}
	return secret, nil
}

func (r *Reminder) prepareEndpoint(
	ctx context.Context, app uuid.UUID, url, secret string,
) (id uuid.UUID, signing string, err error) {
	endpoints, err := r.Automations.Endpoints(ctx, app, "live")
	if err != nil {
		return id, "", err
	}
	at := slices.IndexFunc(endpoints, func(e *automation.Endpoint) bool { return e.Name == receiverName })
	if at < 0 {
		made, err := r.Automations.CreateEndpoint(ctx, app, "live", receiverName, url)
		if err != nil {
			return id, "", err
		}
		return made.Endpoint.ID, made.Secret, nil
	}
	id = endpoints[at].ID
	if endpoints[at].URL != url {
		if _, err := r.Automations.UpdateEndpoint(ctx, id, automation.EndpointChange{URL: &url}); err != nil {
			return id, "", err
		}
	}
	if secret == "" { // it was lost
		rotated, err := r.Automations.RotateSecret(ctx, id)
		if err != nil {
			return id, "", err
		}
		secret = rotated.Secret
	}
	return id, secret, nil
}

func (r *Reminder) make(ctx context.Context, app, endpoint uuid.UUID) error {
	flow, err := r.DB.Ent().Flow.Query().Where(entflow.AppID(app), entflow.Name(flowNames["paywall"])).First(ctx)
	if ent.IsNotFound(err) {
		return nil // somebody renamed or removed it
	}
	if err != nil {
		return err
	}
	definition := strings.NewReplacer("FLOW", flow.ID.String(), "ENDPOINT", endpoint.String()).Replace(reminder)
	made, err := r.Automations.Create(ctx, app, "live", reminderName, json.RawMessage(definition))
	if err != nil {
		return err
	}
	if _, err := r.Automations.Publish(ctx, made.ID); err != nil {
		return err
	}
	if _, err := r.Automations.Activate(ctx, made.ID); err != nil {
		return err
	}
	var people []string
	if err := r.DB.Pool.QueryRow(ctx, `
		select coalesce(array_agg(app_user_id), '{}') from (
			select app_user_id from flow_events where environment_id = $1 and flow_id = $2 and name = 'flow_abandoned'
			group by 1 order by max(occurred_at) desc, 1 limit $3) p`, made.EnvironmentID, flow.ID, reminded,
	).Scan(&people); err != nil {
		return err
	}
	if len(people) > 0 {
		_, err = r.Automations.Enrol(ctx, made.ID, people)
	}
	return err
}

// convincedShare is how many of those who got the reminder buy within minutes.
const convincedShare = 0.2

// Convince lets some of those buy who got the reminder of an app lately and have bought nothing, until the context
// ends: report has a provider deliver what they buy.
func (r *Reminder) Convince(
	ctx context.Context, app uuid.UUID, report func(context.Context, Purchase) error, logger *slog.Logger,
) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(15 * time.Second):
		}
		bought, err := r.convinced(ctx, app)
		for _, p := range bought {
			if err == nil {
				err = report(ctx, p)
			}
		}
		if err != nil && ctx.Err() == nil {
			logger.Warn("demo people who were reminded could not buy", "error", err)
		}
	}
}

// convinced returns what those buy now who have been thinking for long enough.
func (r *Reminder) convinced(ctx context.Context, app uuid.UUID) (bought []Purchase, err error) {
	rows, err := r.DB.Pool.Query(ctx, `
		select d.app_user_id, coalesce(t.country, ''), coalesce(t.platform, ''), now() - d.finished_at
		from webhook_delivery d
		join automation a on a.id = d.automation_id
		join environments e on e.id = d.environment_id
		left join product_analytics_first_touch t on t.environment_id = d.environment_id and t.app_user_id = d.app_user_id
		where e.app_id = $1 and a.name = $2 and d.state = 'delivered' and d.finished_at > now() - interval '1 hour'
			and not exists (select from revenue_ledger l
				where l.environment_id = d.environment_id and l.app_user_id = d.app_user_id)`, app, reminderName)
	if err != nil {
		return nil, fmt.Errorf("look for who was reminded: %w", err)
	}
	var person, country, platform string
	var thinking time.Duration
	_, err = pgx.ForEachRow(rows, []any{&person, &country, &platform, &thinking}, func() error {
		mind := share("convinced " + person)
		if mind >= convincedShare || thinking < time.Duration(mind/convincedShare*float64(5*time.Minute)) {
			return nil
		}
		p := Purchase{
			Provider: fold.RevenueCat, Store: storeOf(platform), AppUserID: person, ProductID: "tendril-year", Country: country,
			At: time.Now().UTC().Truncate(time.Millisecond), Payments: endless,
			ID: uuid.NewSHA1(uuid.NameSpaceOID, []byte("reminded "+person)).String(),
		}
		if platform == "web" {
			p.Provider, p.Store = fold.Superwall, "paddle"
		}
		bought = append(bought, p)
		return nil
	})
	return bought, err
}

// Receiver takes the demo's webhooks as the server of an app's owner would: it believes what is signed. Of ten messages
// it has no time for one at first, so that there are second attempts to look at.
type Receiver struct {
	secret atomic.Pointer[webhook.Secret]
}

// Believe makes the receiver take messages that a secret signs.
func (r *Receiver) Believe(text string) error {
	secret, err := webhook.ParseSecret(text)
	if err == nil {
		r.secret.Store(&secret)
	}
	return err
}

// busyFor is how long after it was made a message finds no time, less than the wait before a second attempt.
const busyFor = 4 * time.Second

// ServeHTTP answers 401 to what is not signed, 503 when it is busy, and 200.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, webhook.MaxBody))
	if err != nil || !r.isSigned(request.Header, body) {
		http.Error(w, "The signature is wrong.", http.StatusUnauthorized)
		return
	}
	var message struct{ Timestamp time.Time }
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, request.Header.Get("Webhook-Id")) // a hash takes everything
	if json.Unmarshal(body, &message) == nil && hash.Sum32()%10 == 0 && time.Since(message.Timestamp) < busyFor {
		const busy = "Busy on purpose: the demo takes one message of ten at the second attempt."
		http.Error(w, busy, http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "Thank you.\n") // who hung up reads nothing
}

// maxAge is how old a message may be (Standard Webhooks: five minutes), so that nobody sends one again later.
const maxAge = 5 * time.Minute

// isSigned tells whether one of the signatures of a message is the secret's.
func (r *Receiver) isSigned(header http.Header, body []byte) bool {
	secret := r.secret.Load()
	seconds, err := strconv.ParseInt(header.Get("Webhook-Timestamp"), 10, 64)
	at := time.Unix(seconds, 0)
	if secret == nil || err != nil || time.Since(at).Abs() > maxAge {
		return false
	}
	want := []byte(webhook.Sign(header.Get("Webhook-Id"), at, body, *secret))
	return slices.ContainsFunc(strings.Fields(header.Get("Webhook-Signature")), func(signature string) bool {
		return hmac.Equal([]byte(signature), want)
	})
}
