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

	"github.com/cespare/xxhash/v2"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/ent"
	entchannel "github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/publishablekey"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/transaction"
	"github.com/svc-dev/svc/revenue"
)

const (
	visitsPerDay = 400
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
func (s *Seeder) writeHistory(ctx context.Context, app uuid.UUID, history History) error {
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
	purchases, err := s.writeVisits(ctx, writer, env, history)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := errors.Join(err, writer.Stop(stopping)); err != nil {
		return err
	}
	return s.recordPurchases(ctx, env.ID, purchases)
}

// writeVisits writes the events of all visits of the history and returns what
// people bought on them.
func (s *Seeder) writeVisits(
	ctx context.Context, writer *ingest.Writer, env *ent.Environment, history History,
) ([]Purchase, error) {
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(senders)
	world := NewWorld(history.Seed)
	var purchases []Purchase
	last := history.Until.UTC().Truncate(24 * time.Hour)
	for day := history.start(); !day.After(last) && sending.Err() == nil; day = day.AddDate(0, 0, 1) {
		for _, at := range world.Arrivals(day, visitsPerDay) {
			visit := world.Visit(at)
			if visit.end().After(history.Until) {
				continue
			}
			runs, bought, err := s.runFlows(world, visit, env, history.Until)
			if err != nil {
				return nil, errors.Join(err, group.Wait())
			}
			if visit.Purchase != nil {
				bought = append(bought, *visit.Purchase)
			}
			for _, purchase := range bought {
				if !purchase.At.After(history.Until) {
					purchases = append(purchases, purchase)
				}
			}
			group.Go(func() error { return writeVisit(sending, writer, env.ID, visit, runs) })
		}
	}
	return purchases, group.Wait()
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
// history, and bought.
func (s *Seeder) runFlows(
	world *World, visit Visit, env *ent.Environment, until time.Time,
) (runs []run, purchases []Purchase, err error) {
	for _, opening := range visit.Openings {
		at := slices.IndexFunc(env.Edges.Channels, func(c *ent.Channel) bool { return c.Name == opening.Channel })
		if at < 0 || !world.Opens(visit, opening) {
			continue
		}
		channel := env.Edges.Channels[at]
		person := visit.Events[0].Identity.AppUserID
		served, err := s.resolve(env.Edges.PublishableKeys[0].Key, channel.PublicID, person)
		if err != nil {
			return nil, nil, fmt.Errorf("resolve channel %s: %w", channel.PublicID, err)
		}
		made := world.Run(visit, opening, served)
		purchases = append(purchases, made.Purchases...)
		events := slices.DeleteFunc(made.Events, func(e FlowEvent) bool { return e.Timestamp.After(until) })
		if len(events) > 0 {
			runs = append(runs, run{channel.ID, events})
		}
	}
	return runs, purchases, nil
}

// resolve returns what the channel serves to a person.
func (s *Seeder) resolve(key, channel, appUserID string) (*Served, error) {
	snapshot := s.Catalogue.Snapshot()
	delivered, condition := snapshot.Channel(snapshot.Tenant(key), channel)
	if condition != "" {
		return nil, errors.New(string(condition))
	}
	answer, condition := delivered.Resolve(appUserID, "")
	if condition != "" {
		return nil, errors.New(string(condition))
	}
	var content bytes.Buffer
	if err := answer.Body.Write(&content, false); err != nil {
		return nil, err
	}
	// Manifests are long and few, visits many.
	sum := xxhash.Sum64(content.Bytes())
	if served, ok := s.served[sum]; ok {
		return served, nil
	}
	served, err := ParseServed(content.Bytes())
	if err == nil {
		if s.served == nil {
			s.served = map[uint64]*Served{}
		}
		s.served[sum] = served
	}
	return served, err
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

// recordPurchases puts what providers report into the ledger of revenue.
func (s *Seeder) recordPurchases(ctx context.Context, environmentID int64, purchases []Purchase) error {
	return transaction.Run(ctx, s.DB.Ent(), func(tx *ent.Tx) error {
		for _, p := range purchases {
			_, err := revenue.RecordPurchase(ctx, tx, revenue.Purchase{
				EnvironmentID: environmentID, Provider: p.Provider, ProviderEventID: p.EventID,
				Kind: p.Kind, AppUserID: p.AppUserID, OccurredAt: p.At,
				AmountMicros: p.Micros, ProductID: p.ProductID,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
