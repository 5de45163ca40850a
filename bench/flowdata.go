package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
)

// The data of flows at scale 1: a month of a flow of twelve screens and a paywall, about ten events a run.
const (
	flowRuns     = 1_000_000
	flowPeople   = 700_000
	flowScreens  = 12
	flowPaywall  = 6   // screens before it
	flowChannels = 10  // of which the last has another version than the first
	flowSenders  = 512 // each has one run under way: what waits together is stored together
)

// flowSet says what a built directory holds; it is written last.
type flowSet struct {
	Runs, Events, Purchases int
	Flow                    string
	Versions                [2]string
	Start, End              time.Time
	Took                    time.Duration
}

const flowSetFile = "bench-flows.json"

// builtFlows returns the data of dir, made when it is not there or half made.
func builtFlows(ctx context.Context, dir string) (*flowSet, error) {
	content, err := os.ReadFile(filepath.Join(dir, flowSetFile))
	if err == nil {
		set := &flowSet{}
		return set, json.Unmarshal(content, set)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, err
	}
	s, _, err := startServer(ctx, dir, wholeLedger)
	if err != nil {
		return nil, err
	}
	set, err := buildFlows(ctx, s)
	if err = errors.Join(err, s.stop()); err != nil {
		return nil, err
	}
	if content, err = json.Marshal(set); err != nil {
		return nil, err
	}
	return set, os.WriteFile(filepath.Join(dir, flowSetFile), content, 0o644)
}

// buildFlows writes the events of the runs of a month through ingest, in order of time, and what was bought in them.
func buildFlows(ctx context.Context, s *server) (*flowSet, error) {
	began := time.Now()
	if err := addChannels(ctx, s.file.DatabaseURL, flowChannels); err != nil {
		return nil, err
	}
	db, err := postgres.Open(ctx, s.file.DatabaseURL, postgres.Options{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	environment, err := s.liveEnvironment(ctx, db)
	if err != nil {
		return nil, err
	}
	end := time.Now().UTC().Truncate(24 * time.Hour)
	set := &flowSet{Runs: int(flowRuns * options.scale), Start: end.AddDate(0, 0, -reportDays), End: end}
	var channels [len(set.Versions)]int64
	for i, name := range []string{"ch_live_bench1", fmt.Sprint("ch_live_bench", flowChannels)} {
		if err := db.Pool.QueryRow(ctx, `
			select c.id, v.id::text, v.flow_id::text from channels c join flow_versions v on v.id = c.flow_version_id
			where c.public_id = $1`, name).Scan(&channels[i], &set.Versions[i], &set.Flow); err != nil {
			return nil, err
		}
	}
	writer, err := ingest.New(db, ingest.Settings{
		Window: (reportDays + 2) * 24 * time.Hour, QueueEvents: math.MaxInt32, QueueWait: math.MaxInt64,
	}, ingest.Deps{
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Locator: ingest.GeoHeaders{Country: "Country"},
	})
	if err != nil {
		return nil, err
	}
	if err := writer.Start(ctx); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 2))
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(flowSenders)
	fmt.Fprintf(os.Stderr, "building %d runs through ingest\n", set.Runs)
	var bought [][]any
	for i := range set.Runs {
		if sending.Err() != nil {
			break
		}
		if i%100_000 == 0 && i > 0 {
			fmt.Fprintf(os.Stderr, "  %d runs, %d events after %s\n", i, set.Events, time.Since(began).Round(time.Second))
		}
		at := set.Start.Add(time.Duration((float64(i) + random.Float64()) / float64(set.Runs) * float64(end.Sub(set.Start))))
		version := random.IntN(len(channels))
		run := newFlowRun(random, at, set.Flow, set.Versions[version])
		run.play()
		set.Events += len(run.events)
		if run.paid != nil {
			bought = append(bought, append([]any{environment}, run.paid...))
		}
		group.Go(func() error {
			body, err := json.Marshal(map[string]any{"events": run.events})
			if err != nil {
				return err
			}
			answer, err := writer.Flow(sending, body, ingest.Request{
				EnvironmentID: environment, ChannelID: channels[version], ReceivedAt: at.Add(time.Hour),
				Header: http.Header{"Country": {string([]byte{'A' + byte(run.person%40/20), 'A' + byte(run.person%20)})}},
			})
			if err == nil && len(answer.Rejected) > 0 {
				err = fmt.Errorf("a made-up event was rejected: %+v", answer.Rejected[0])
			}
			return err
		})
	}
	err = group.Wait()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err = errors.Join(err, writer.Stop(stopping)); err != nil {
		return nil, err
	}
	set.Purchases = len(bought)
	if _, err := db.Pool.CopyFrom(ctx, pgx.Identifier{"revenue_ledger"}, []string{
		"environment_id", "provider", "provider_event_id", "kind", "app_user_id", "occurred_at", "amount_micros",
		"product_id",
	}, pgx.CopyFromRows(bought)); err != nil {
		return nil, err
	}
	if _, err := db.Pool.Exec(ctx, `vacuum (analyze)`, pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, err
	}
	set.Took = time.Since(began)
	return set, nil
}

// flowRun makes the events of one run.
type flowRun struct {
	random        *rand.Rand
	at            time.Time
	flow, version string
	id            uuid.UUID
	person        int
	before        any // the step that was visited last
	offered       bool
	events        []map[string]any
	paid          []any // what the ledger says of the run, without the environment; nil when nothing was bought
}

func newFlowRun(random *rand.Rand, at time.Time, flow, version string) *flowRun {
	r := &flowRun{
		random: random, at: at, flow: flow, version: version, person: int(flowPeople * options.scale * random.Float64()),
	}
	for i := range r.id {
		r.id[i] = byte(random.Uint32())
	}
	return r
}

// play lets the person go from screen to screen; one in eight leaves at each, one in ten goes back to the one before,
// and one in ten of those who see the paywall buys. The ledger learns of four purchases in five.
func (r *flowRun) play() {
	r.add("flow_started", "", nil)
	for screen := 0; screen < flowScreens; screen++ {
		if screen == flowPaywall && !r.offered {
			r.offered = true
			r.visit("surface_presented", "paywall", map[string]any{"provider": "stripe"})
			if r.random.IntN(10) == 0 {
				r.buy()
			} else {
				r.add("surface_outcome", "paywall", map[string]any{"provider": "stripe", "outcome": "dismissed"})
			}
		}
		step := fmt.Sprintf("screen-%02d", screen)
		r.visit("step_viewed", step, nil)
		switch {
		case r.random.IntN(8) == 0:
			return
		case screen > 0 && r.random.IntN(10) == 0:
			screen -= 2
		case screen%3 == 0:
			r.add("choice_selected", step, map[string]any{
				"field_key": "field-" + step, "value": fmt.Sprint("option-", r.random.IntN(4)),
			})
		case screen == 1:
			r.add("text_submitted", step, map[string]any{
				"field_key": "field-" + step, "value": fmt.Sprint("city-", r.random.IntN(500)),
			})
		}
	}
	r.add("flow_completed", "", nil)
}

func (r *flowRun) buy() {
	r.add("surface_outcome", "paywall", map[string]any{"provider": "stripe", "outcome": "purchase_completed"})
	if r.random.IntN(5) > 0 {
		product := r.random.IntN(4) // the first is a trial
		r.paid = []any{
			"stripe", r.id.String(), "originating", r.user(), r.at, int64(product) * 9_990_000, fmt.Sprint("product-", product),
		}
	}
}

func (r *flowRun) user() string { return fmt.Sprint("visitor-", r.person) }

// visit adds the beginning of a visit.
func (r *flowRun) visit(name, step string, properties map[string]any) {
	r.add(name, step, properties)
	r.events[len(r.events)-1]["fromStepId"] = r.before
	r.before = step
}

func (r *flowRun) add(name, step string, properties map[string]any) {
	run := r.id.String()
	e := map[string]any{
		"eventId": uuid.NewSHA1(r.id, []byte{byte(len(r.events))}).String(), "name": name,
		"timestamp": r.at.Format(time.RFC3339Nano), "flowId": r.flow, "versionId": r.version, "runId": run,
		"seq": len(r.events), "identity": map[string]any{"appUserId": r.user(), "sessionId": run},
		"context": map[string]any{
			"platform": []string{"ios", "android", "web"}[r.person%3], "appVersion": fmt.Sprint("1.", r.person%7),
			"locale": []string{"en-GB", "en-US", "de-DE", "fr-FR", "es-ES"}[r.person%5], "os": fmt.Sprint("OS ", r.person%6),
			"customProperties": map[string]any{"plan": []string{"free", "pro"}[r.person%2], "age": 18 + r.person%50},
		},
		"properties": properties,
	}
	if step != "" {
		e["stepId"] = step
	}
	r.events = append(r.events, e)
	r.at = r.at.Add(time.Duration(r.random.ExpFloat64() * float64(10*time.Second)))
}
