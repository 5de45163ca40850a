package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/demo"
	"github.com/svc-dev/svc/internal/transaction"
	"github.com/svc-dev/svc/revenue"
)

// demoSenders is how many made-up visits are written at the same time; ingest
// coalesces them.
const demoSenders = 64

// writeHistory lets made-up people visit the live environment of the app on
// each of the last days, up to options.until. What they do goes through ingest,
// so sessions, first touches and names come about as they do for real events.
// Equal options make equal events.
func (s *service) writeHistory(ctx context.Context, app uuid.UUID, options demoOptions) error {
	env, err := s.liveEnvironment(ctx, app)
	if err != nil {
		return err
	}
	writer, err := ingest.New(s.db, ingest.Settings{
		Writers: s.settings.IngestWriters, Window: time.Duration(options.days+2) * 24 * time.Hour,
	}, ingest.Deps{Logger: s.logger, Locator: ingest.GeoHeaders{
		Country: demo.CountryHeader, Region: demo.RegionHeader, City: demo.CityHeader,
		Latitude: demo.LatitudeHeader, Longitude: demo.LongitudeHeader,
	}})
	if err != nil {
		return err
	}
	if err := writer.Start(ctx); err != nil {
		return err
	}
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(demoSenders)
	world := demo.NewWorld(options.seed)
	var purchases []*demo.Purchase
	today := options.until.UTC().Truncate(24 * time.Hour)
	for day := today.AddDate(0, 0, 1-options.days); !day.After(today) && sending.Err() == nil; day = day.AddDate(0, 0, 1) {
		for _, at := range world.Arrivals(day, demoVisitsPerDay) {
			visit := world.Visit(at)
			channel, run, err := s.demoRun(world, visit, env)
			if err != nil {
				return errors.Join(err, group.Wait())
			}
			if last := visit.Events[len(visit.Events)-1].Timestamp; last.After(options.until) {
				continue // still to come
			}
			if visit.Purchase != nil {
				purchases = append(purchases, visit.Purchase)
			}
			group.Go(func() error { return sendVisit(sending, writer, env, visit, channel, run) })
		}
	}
	err = group.Wait()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseStopTimeout)
	defer cancel()
	if stopErr := writer.Stop(stopping); err == nil {
		err = stopErr
	}
	if err != nil {
		return fmt.Errorf("write the demo's history: %w", err)
	}
	return s.writePurchases(ctx, env.ID, purchases)
}

// demoRun makes the flow events of people who open the app for the first time.
func (s *service) demoRun(world *demo.World, visit demo.Visit, env *ent.Environment) (*ent.Channel, []demo.FlowEvent, error) {
	channels := env.Edges.Channels
	if !visit.RunsFlow || len(channels) == 0 {
		return nil, nil, nil
	}
	person := visit.Events[0].Identity.AppUserID
	channel := channels[int(person[len(person)-1])%len(channels)]
	served, err := s.served(env.Edges.PublishableKeys[0].Key, channel, person)
	if err != nil {
		return nil, nil, err
	}
	return channel, world.Run(visit, served), nil
}

func sendVisit(ctx context.Context, writer *ingest.Writer, env *ent.Environment, visit demo.Visit, channel *ent.Channel, run []demo.FlowEvent) error {
	header := http.Header{}
	visit.Place.SetHeaders(header)
	origin := ingest.Origin{
		EnvironmentID: env.ID, UserAgent: demo.UserAgent, Header: header,
		ReceivedAt: visit.Events[len(visit.Events)-1].Timestamp.Add(time.Second),
	}
	if err := sendBatch(ctx, writer.Product, visit.Events, origin); err != nil || len(run) == 0 {
		return err
	}
	origin.ChannelID = channel.ID
	origin.ReceivedAt = run[len(run)-1].Timestamp.Add(time.Second)
	return sendBatch(ctx, writer.Flow, run, origin)
}

// take is one of the writer's three ways in.
type take func(context.Context, []byte, ingest.Origin) (ingest.Answer, error)

func sendBatch(ctx context.Context, take take, events any, origin ingest.Origin) error {
	body, err := json.Marshal(map[string]any{"events": events})
	if err != nil {
		return err
	}
	answer, err := take(ctx, body, origin)
	if err != nil {
		return err
	}
	if len(answer.Rejected) > 0 {
		return fmt.Errorf("a made-up event was rejected: %s: %s", answer.Rejected[0].Code, answer.Rejected[0].Message)
	}
	return nil
}

// writePurchases puts first charges into the ledger.
func (s *service) writePurchases(ctx context.Context, environment int64, purchases []*demo.Purchase) error {
	return transaction.Run(ctx, s.db.Ent(), func(tx *ent.Tx) error {
		for _, p := range purchases {
			_, err := revenue.RecordPurchase(ctx, tx, revenue.Purchase{
				EnvironmentID: environment, Provider: p.Provider, ProviderEventID: p.EventID, Kind: revenue.Originating,
				AppUserID: p.AppUserID, OccurredAt: p.At, AmountMicros: p.Micros, ProductID: p.ProductID,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
