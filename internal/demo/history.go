package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
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
	visitsPerDay = 160
	// senders is how many visits are written at the same time; ingest stores
	// the events of several in one transaction.
	senders = 64
	// stopTimeout is how long what was accepted may take to be stored.
	stopTimeout = 30 * time.Second
)

// History says which visits to make up. Equal ones make equal people, product
// events and purchases.
type History struct {
	Days  int // how many, the day of Until included
	Seed  uint64
	Until time.Time // visits that end later are left out
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
) ([]*Purchase, error) {
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(senders)
	world := NewWorld(history.Seed)
	var purchases []*Purchase
	last := history.Until.UTC().Truncate(24 * time.Hour)
	for day := last.AddDate(0, 0, 1-history.Days); !day.After(last) && sending.Err() == nil; day = day.AddDate(0, 0, 1) {
		for _, at := range world.Arrivals(day, visitsPerDay) {
			visit := world.Visit(at)
			channel, run, err := s.runFlow(world, visit, env)
			if err != nil {
				return nil, errors.Join(err, group.Wait())
			}
			if visit.end().After(history.Until) {
				continue
			}
			if visit.Purchase != nil {
				purchases = append(purchases, visit.Purchase)
			}
			group.Go(func() error { return writeVisit(sending, writer, env.ID, visit, channel, run) })
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

// runFlow makes the flow events of people who open the app for the first time,
// and tells in which channel.
func (s *Seeder) runFlow(world *World, visit Visit, env *ent.Environment) (*ent.Channel, []FlowEvent, error) {
	channels := env.Edges.Channels
	if !visit.RunsFlow || len(channels) == 0 {
		return nil, nil, nil
	}
	person := visit.Events[0].Identity.AppUserID
	channel := channels[int(person[len(person)-1])%len(channels)]
	served, err := s.resolve(env.Edges.PublishableKeys[0].Key, channel.PublicID, person)
	if err != nil {
		return nil, nil, fmt.Errorf("resolve channel %s: %w", channel.PublicID, err)
	}
	return channel, world.Run(visit, served), nil
}

// resolve returns what the channel serves to a person.
func (s *Seeder) resolve(key, channel, appUserID string) (Served, error) {
	snapshot := s.Catalogue.Snapshot()
	delivered, condition := snapshot.Channel(snapshot.Tenant(key), channel)
	if condition != "" {
		return Served{}, errors.New(string(condition))
	}
	answer, condition := delivered.Resolve(appUserID, "")
	if condition != "" {
		return Served{}, errors.New(string(condition))
	}
	var content bytes.Buffer
	if err := answer.Body.Write(&content, false); err != nil {
		return Served{}, err
	}
	// Manifests are long and few, visits many.
	sum := xxhash.Sum64(content.Bytes())
	if served, ok := s.served[sum]; ok {
		return served, nil
	}
	served, err := ParseServed(content.Bytes())
	if err == nil {
		if s.served == nil {
			s.served = map[uint64]Served{}
		}
		s.served[sum] = served
	}
	return served, err
}

func writeVisit(
	ctx context.Context, writer *ingest.Writer, environmentID int64, visit Visit, channel *ent.Channel, run []FlowEvent,
) error {
	header := http.Header{}
	visit.Place.SetHeaders(header)
	origin := ingest.Request{
		EnvironmentID: environmentID, UserAgent: UserAgent, Header: header,
		ReceivedAt: visit.end().Add(time.Second),
	}
	if err := writeBatch(ctx, writer.Product, visit.Events, origin); err != nil || len(run) == 0 {
		return err
	}
	origin.ChannelID = channel.ID
	origin.ReceivedAt = run[len(run)-1].Timestamp.Add(time.Second)
	return writeBatch(ctx, writer.Flow, run, origin)
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

// recordPurchases puts first charges into the ledger of revenue.
func (s *Seeder) recordPurchases(ctx context.Context, environmentID int64, purchases []*Purchase) error {
	return transaction.Run(ctx, s.DB.Ent(), func(tx *ent.Tx) error {
		for _, p := range purchases {
			_, err := revenue.RecordPurchase(ctx, tx, revenue.Purchase{
				EnvironmentID: environmentID, Provider: p.Provider, ProviderEventID: p.EventID,
				Kind: revenue.Originating, AppUserID: p.AppUserID, OccurredAt: p.At,
				AmountMicros: p.Micros, ProductID: p.ProductID,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
