package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/ent"
	entchannel "github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/publishablekey"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
)

const (
	visitsPerDay = 320
	// senders is how many visits are written at the same time; ingest stores
	// the events of several in one transaction.
	senders = 64
	// stopTimeout is how long what was accepted may take to be stored.
	stopTimeout = 30 * time.Second
)

// History says which visits to make up. Equal ones make equal people, product
// events and purchases, whatever arms the experiments give.
type History struct {
	Days  int // how many, the day of Until included
	Seed  uint64
	Until time.Time // visits that end later are left out
}

// start returns when the first day of the history begins.
func (h History) start() time.Time {
	return h.Until.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-h.Days)
}

// writeHistory lets made-up people visit the live environment of the app. What
// they do goes through ingest, so sessions, first touches and names come about as
// they do for real events.
func (s *Seeder) writeHistory(
	ctx context.Context, app uuid.UUID, history History, versions map[string]uuid.UUID,
) error {
	env, err := s.readLiveEnvironment(ctx, app)
	if err != nil {
		return err
	}
	writer, err := ingest.New(s.DB, ingest.Settings{
		Writers: s.Writers, Window: time.Duration(history.Days+2) * 24 * time.Hour,
		QueueWait: math.MaxInt64, // nobody waits for an answer: a slow disk makes it slow, not fail
	}, ingest.Deps{Logger: s.Logger, Locator: ingest.GeoHeaders{
		Country: CountryHeader, Region: RegionHeader, City: CityHeader,
		Latitude: LatitudeHeader, Longitude: LongitudeHeader,
	}})
	if err != nil {
		return err
	}
	if err := writer.Start(ctx); err != nil {
		return err
	}
	r := &replay{
		Seeder: s, env: env, world: history.world(), until: history.Until, now: history.start(), writer: writer,
		parsed: map[*delivery.Answer]*Served{}, shorter: history.shorter(), second: versions["onboarding"],
	}
	r.served = served.New(s.DB.Pool, served.Options{Now: func() time.Time { return r.now }, Logger: s.Logger})
	err = r.writeVisits(ctx)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := errors.Join(err, writer.Stop(stopping)); err != nil {
		return err
	}
	return s.reportPurchases(ctx, env, append(r.world.Subscribers(history.start()), r.purchases...), history.Until)
}

// replay is a history that is being written.
type replay struct {
	*Seeder
	env    *ent.Environment // with keys and channels
	world  *World
	now    time.Time // of the history
	until  time.Time
	writer *ingest.Writer
	served *served.Counter // of whom experiments were served to

	shorter time.Time // when the channel of the onboarding gets the second version
	second  uuid.UUID

	parsed    map[*delivery.Answer]*Served
	purchases []Purchase
}

// writeVisits writes the events of all visits of the history and notes what people bought and were served.
func (r *replay) writeVisits(ctx context.Context) error {
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(senders)
	for day := r.now; !day.After(r.until) && sending.Err() == nil; day = day.AddDate(0, 0, 1) {
		r.now = day
		if day.Equal(r.shorter) {
			if err := r.pinAt(ctx, r.onboarding(), r.second, day); err != nil {
				return errors.Join(fmt.Errorf("pin the second version of the onboarding: %w", err), group.Wait())
			}
		}
		for _, at := range r.world.Arrivals(day, visitsPerDay) {
			visit := r.world.Visit(at)
			if visit.end().After(r.until) {
				continue
			}
			runs, err := r.runFlows(visit)
			if err != nil {
				return errors.Join(err, group.Wait())
			}
			group.Go(func() error {
				if err := writeVisit(sending, r.writer, r.env.ID, visit, runs); err != nil || visit.Profile == nil {
					return err
				}
				return r.identify(sending, visit.Profile)
			})
		}
		// People are noted on the day that it is when they are written.
		if err := r.served.Write(ctx); err != nil {
			return errors.Join(err, group.Wait())
		}
	}
	return group.Wait()
}

// onboarding returns the channel that opens the onboarding.
func (r *replay) onboarding() *ent.Channel {
	at := slices.IndexFunc(r.env.Edges.Channels, func(c *ent.Channel) bool { return c.Name == channelNames["onboarding"] })
	return r.env.Edges.Channels[at]
}

// identify has the app say who somebody is, at the time of the visit.
func (r *replay) identify(ctx context.Context, p *Profile) error {
	store := people.New(r.DB.Pool, people.Options{Now: func() time.Time { return p.at }})
	change := people.Change{
		EnvironmentID: r.env.ID, AppUserID: p.AppUserID, CustomUserID: p.CustomUserID, Email: p.Email,
		MarketingConsent: people.Consent(p.MarketingConsent), Attributes: map[string]json.RawMessage{},
		Profile: people.Profile{
			FirstName: &p.FirstName, LastName: &p.LastName, Locale: &p.Locale, Country: &p.Country,
		},
	}
	for name, value := range p.Attributes {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		change.Attributes[name] = text
	}
	_, err := store.Identify(ctx, change)
	return err
}

// readLiveEnvironment returns the live environment with its publishable keys and
// the channels whose flows people can run.
func (s *Seeder) readLiveEnvironment(ctx context.Context, app uuid.UUID) (*ent.Environment, error) {
	env, err := s.DB.Ent().Environment.Query().
		Where(environment.AppID(app), environment.KindEQ(environment.KindLive)).
		WithChannels(func(q *ent.ChannelQuery) {
			q.Where(entchannel.ArchivedAtIsNil(), entchannel.AssignmentNEQ(entchannel.AssignmentNone)).
				Order(entchannel.ByID())
		}).
		WithPublishableKeys(func(q *ent.PublishableKeyQuery) { q.Where(publishablekey.RevokedAtIsNil()) }).
		Only(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the live environment: %w", err)
	}
	if len(env.Edges.PublishableKeys) == 0 {
		return nil, errors.New("the live environment has no publishable key")
	}
	return env, nil
}

// run is a pass through a flow of a channel.
type run struct {
	channel int64
	events  []FlowEvent
}

// runFlows lets the person of a visit through the flows that open, and returns what they did until the end of the
// history.
func (r *replay) runFlows(visit Visit) (runs []run, err error) {
	if visit.Purchase != nil {
		r.note([]Purchase{*visit.Purchase})
	}
	for _, opening := range visit.Openings {
		at := slices.IndexFunc(r.env.Edges.Channels, func(c *ent.Channel) bool { return c.Name == opening.Channel })
		if at < 0 || opening.At.After(r.until) || !r.world.Opens(visit, opening) {
			continue
		}
		channel := r.env.Edges.Channels[at]
		flow, err := r.resolve(channel.PublicID, visit.Events[0].Identity.AppUserID)
		if err != nil {
			return nil, fmt.Errorf("resolve channel %s: %w", channel.PublicID, err)
		}
		made := r.world.Run(visit, opening, flow)
		r.note(made.Purchases)
		events := slices.DeleteFunc(made.Events, func(e FlowEvent) bool { return e.Timestamp.After(r.until) })
		if len(events) > 0 {
			runs = append(runs, run{channel.ID, events})
		}
	}
	return runs, nil
}

// note keeps the purchases that were made until the end of the history.
func (r *replay) note(purchases []Purchase) {
	for _, purchase := range purchases {
		if !purchase.At.After(r.until) {
			r.purchases = append(r.purchases, purchase)
		}
	}
}

// resolve returns what a channel serves to a person, and notes that it was served.
func (r *replay) resolve(channel, appUserID string) (*Served, error) {
	snapshot := r.Catalogue.Snapshot()
	delivered, condition := snapshot.Channel(snapshot.Tenant(r.env.Edges.PublishableKeys[0].Key), channel)
	if condition != "" {
		return nil, errors.New(string(condition))
	}
	answer, condition := delivered.Resolve(appUserID, "")
	if condition != "" {
		return nil, errors.New(string(condition))
	}
	if answer.Arm != nil {
		r.served.Note(answer.Arm, appUserID)
	}
	// Manifests are long and few, visits many.
	if flow := r.parsed[answer]; flow != nil {
		return flow, nil
	}
	var content bytes.Buffer
	if err := answer.Body.Write(&content, false); err != nil {
		return nil, err
	}
	flow, err := ParseServed(content.Bytes())
	r.parsed[answer] = flow
	return flow, err
}

func writeVisit(
	ctx context.Context, writer *ingest.Writer, environmentID int64, visit Visit, runs []run,
) error {
	header := http.Header{}
	visit.Place.SetHeaders(header)
	origin := ingest.Request{
		EnvironmentID: environmentID, UserAgent: UserAgent, Header: header,
		ReceivedAt: visit.end().Add(time.Second),
	}
	if err := writeBatch(ctx, writer.Product, visit.Events, origin); err != nil {
		return err
	}
	for _, run := range runs {
		origin.ChannelID = run.channel
		origin.ReceivedAt = run.events[len(run.events)-1].Timestamp.Add(time.Second)
		if err := writeBatch(ctx, writer.Flow, run.events, origin); err != nil {
			return err
		}
	}
	return nil
}

// writeBatch hands events to one of the methods of a writer.
func writeBatch(
	ctx context.Context, write func(context.Context, []byte, ingest.Request) (ingest.Answer, error),
	events any, origin ingest.Request,
) error {
	body, err := json.Marshal(map[string]any{"events": events})
	if err != nil {
		return err
	}
	answer, err := write(ctx, body, origin)
	if err != nil {
		return err
	}
	if len(answer.Rejected) > 0 {
		return fmt.Errorf("a made-up event was rejected: %s: %s", answer.Rejected[0].Code, answer.Rejected[0].Message)
	}
	return nil
}

// reportPurchases books what providers have sent of purchases up to a time, from the deliveries that they sent.
func (s *Seeder) reportPurchases(ctx context.Context, env *ent.Environment, bought []Purchase, until time.Time) error {
	list, err := s.Studio.Connections(ctx, env.AppID)
	if err != nil {
		return err
	}
	connections := map[fold.Provider]uuid.UUID{}
	for _, c := range list {
		connections[c.Provider] = c.ID
	}
	var deliveries []revenue.Delivery
	for _, p := range bought {
		for _, d := range p.Deliveries(until) {
			deliveries = append(deliveries, revenue.Delivery{
				ConnectionID: connections[d.Provider], Provider: d.Provider, Live: env.ID, ID: d.ID, Body: d.Body,
			})
		}
	}
	return s.Ledger.ReceiveHistory(ctx, deliveries)
}

// Reporter returns what has providers deliver purchases of the app's live environment to a server.
func (s *Seeder) Reporter(
	ctx context.Context, app uuid.UUID, baseURL string,
) (func(context.Context, Purchase) error, error) {
	env, err := s.readLiveEnvironment(ctx, app)
	if err != nil {
		return nil, err
	}
	billing := &Billing{Pool: s.DB.Pool, Ring: s.Ring, BaseURL: baseURL}
	return func(ctx context.Context, p Purchase) error { return billing.Report(ctx, env.ID, p, p.At) }, nil
}
