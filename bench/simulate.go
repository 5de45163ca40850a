package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
)

const (
	simulatedRuns   = 100_000
	simulatedBy     = 2_000 // runs that are played; the others are copies of them by other people
	simulatedSteps  = 30
	simulationTurns = 7
	simulationLimit = 2_000.0 // milliseconds
)

// benchSimulate measures a simulation as the dashboard asks for it: the newest runs of a flow of thirty steps are read
// from the database and replayed through its draft and its newest version. The reference reads the same rows and drops
// them.
func benchSimulate(ctx context.Context) error {
	return onServer(ctx, measureSimulation)
}

func measureSimulation(ctx context.Context, s *server) error {
	client := &http.Client{Timeout: time.Minute}
	flow, version, err := addAskingFlow(ctx, s, client)
	if err != nil {
		return err
	}
	db, err := postgres.Open(ctx, s.file.DatabaseURL, postgres.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	environment, err := s.liveEnvironment(ctx, db)
	if err != nil {
		return err
	}
	runs := int(simulatedRuns * options.scale)
	if err := addAskedRuns(ctx, db, environment, flow, version, runs); err != nil {
		return err
	}
	const simulate = `query($f: ID!, $n: Int!) { simulateDraft(flowId: $f, runs: $n) { runs complete
		draft { completed unknown steps { id reach runs users } ways { runs } questions { fieldKey answered } }
		published { completed steps { id reach runs users } } } }`
	var took, read []time.Duration
	for turn := range simulationTurns + 1 {
		rows, err := readSimulated(ctx, db, environment, flow, runs)
		if err != nil {
			return err
		}
		whole, content, err := s.ask(ctx, client, s.file.APIKey, simulate, map[string]any{"f": flow, "n": runs})
		if err != nil {
			return err
		}
		if turn == 0 { // what it reads may not be in memory yet
			if err := allSimulated(content, runs); err != nil {
				return err
			}
			continue
		}
		took, read = append(took, whole), append(read, rows)
	}
	slices.Sort(took)
	slices.Sort(read)
	p50 := milliseconds(quantile(took, .5))
	row(fmt.Sprintf("%d runs of %d steps simulated, p50", runs, simulatedSteps), p50, "ms",
		milliseconds(quantile(read, .5)), "the same rows read and dropped")
	row("  draft and newest version, reading included", p50, "ms", simulationLimit, "limit")
	return nil
}

// allSimulated looks whether all runs come to the end, as they did.
func allSimulated(content []byte, runs int) error {
	var answer struct {
		Data struct {
			SimulateDraft struct {
				Runs             int
				Complete         bool
				Draft, Published struct{ Completed int }
			}
		}
	}
	if err := json.Unmarshal(content, &answer); err != nil {
		return err
	}
	got := answer.Data.SimulateDraft
	if got.Runs != runs || !got.Complete || got.Draft.Completed != runs || got.Published.Completed != runs {
		return fmt.Errorf("not all of %d runs came to the end: %+v", runs, got)
	}
	return nil
}

// readSimulated reads the rows that a simulation needs and drops them.
func readSimulated(
	ctx context.Context, db *postgres.DB, environment int64, flow string, runs int,
) (time.Duration, error) {
	began := time.Now()
	rows, err := db.Pool.Query(ctx, `
		select home_day, app_user_id, run_key, derived, first_at, last_at, hits, contexts from flow_run
		where environment_id = $1 and flow_id = $2 order by home_day desc`, environment, flow)
	if err != nil {
		return 0, err
	}
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil || n != runs {
		return 0, cmp.Or(err, fmt.Errorf("%d runs are stored, not %d", n, runs))
	}
	return time.Since(began), nil
}

// addAskedRuns plays some runs through ingest, and stores copies of them by other people until there are enough.
func addAskedRuns(ctx context.Context, db *postgres.DB, environment int64, flow, version string, runs int) error {
	var channel int64
	if err := db.Pool.QueryRow(
		ctx, `select id from channels where environment_id = $1 order by id limit 1`, environment,
	).Scan(&channel); err != nil {
		return err
	}
	writer, err := ingest.New(db, ingest.Settings{
		Window: 8 * 24 * time.Hour, QueueEvents: math.MaxInt32, QueueWait: math.MaxInt64,
	}, ingest.Deps{
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Locator: ingest.GeoHeaders{},
	})
	if err != nil {
		return err
	}
	if err := writer.Start(ctx); err != nil {
		return err
	}
	played := min(runs, simulatedBy)
	random := rand.New(rand.NewPCG(1, 2))
	start := time.Now().UTC().Add(-5 * 24 * time.Hour)
	for i := range played {
		at := start.Add(time.Duration(i) * time.Minute)
		run := &flowRun{
			at: at, flow: flow, version: version, id: uuid.New(), person: i,
			random: random,
		}
		run.answerAll()
		body, err := json.Marshal(map[string]any{"events": run.events})
		if err != nil {
			return err
		}
		answer, err := writer.Flow(ctx, body, ingest.Request{
			EnvironmentID: environment, ChannelID: channel, ReceivedAt: at.Add(time.Hour), Header: http.Header{},
		})
		if err == nil && len(answer.Rejected) > 0 {
			err = fmt.Errorf("a made-up event was rejected: %+v", answer.Rejected[0])
		}
		if err != nil {
			return err
		}
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := writer.Stop(stopping); err != nil {
		return err
	}
	if _, err := db.Pool.Exec(ctx, `
		insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day,
			hits, contexts)
		select environment_id, app_user_id || ' ' || n, flow_id, gen_random_uuid(), derived, started, first_at, last_at,
			home_day, hits, contexts
		from flow_run cross join generate_series(1, $3::int / $4::int + 1) n
		where environment_id = $1 and flow_id = $2 limit $3::int - $4::int`,
		environment, flow, runs, played); err != nil {
		return fmt.Errorf("copy runs: %w", err)
	}
	_, err = db.Pool.Exec(ctx, `vacuum (analyze) flow_run`)
	return err
}

// answerAll lets the person answer one question after the other.
func (r *flowRun) answerAll() {
	r.add("flow_started", "", nil)
	for i := range simulatedSteps {
		step := fmt.Sprint("scr_", i)
		r.visit("step_viewed", step, nil)
		r.add("choice_selected", step, map[string]any{
			"field_key": fmt.Sprint("q", i), "value": []string{"a", "b"}[(r.person>>(i%10))&1],
		})
		r.add("step_completed", step, nil)
	}
	r.add("flow_completed", "", nil)
}

// addAskingFlow makes and publishes a flow of thirty screens that ask something, every fifth of which branches.
func addAskingFlow(ctx context.Context, s *server, client *http.Client) (flow, version string, err error) {
	const create = `mutation($i: CreateFlowInput!) { createFlow(input: $i) { id draftRevision } }`
	const publish = `mutation($i: PublishFlowInput!) { publishFlow(input: $i) { version { id } } }`
	var answer struct {
		Data struct {
			CreateFlow struct {
				ID            string
				DraftRevision int
			}
			PublishFlow struct{ Version struct{ ID string } }
		}
	}
	ask := func(text string, input map[string]any) error {
		_, content, err := s.ask(ctx, client, s.file.APIKey, text, map[string]any{"i": input})
		if err != nil {
			return err
		}
		return json.Unmarshal(content, &answer)
	}
	if err := ask(create, map[string]any{
		"appId": s.file.Apps[0].ID, "name": "Thirty steps", "manifest": askingFlow(),
	}); err != nil {
		return "", "", fmt.Errorf("create a flow: %w", err)
	}
	made := answer.Data.CreateFlow
	if err := ask(publish, map[string]any{"id": made.ID, "revision": made.DraftRevision}); err != nil {
		return "", "", fmt.Errorf("publish a flow: %w", err)
	}
	return made.ID, answer.Data.PublishFlow.Version.ID, nil
}

func askingFlow() map[string]any {
	type object = map[string]any
	style := object{"width": "full", "height": "auto"}
	textStyle := object{
		"width": "full", "height": "auto", "fontSize": 16, "fontWeight": 400,
		"color": object{"light": "#14213d", "dark": "#f5f5f5"},
	}
	var screens, decisions []object
	for i := range simulatedSteps {
		var options, bindings []object
		for _, id := range []string{"a", "b"} {
			root := fmt.Sprintf("lyr_%d_%s", i, id)
			options = append(options, object{
				"id": root, "kind": "stack", "direction": "horizontal", "style": style, "children": []object{{
					"id": root + "_text", "kind": "text", "text": object{"default": "Answer " + id}, "style": textStyle,
				}},
			})
			bindings = append(bindings, object{"optionId": id, "rootLayerId": root})
		}
		var to any = fmt.Sprint("scr_", i+1)
		if i == simulatedSteps-1 {
			to = nil
		} else if i%5 == 4 {
			fork := fmt.Sprint("dec_", i)
			decisions = append(decisions, object{
				"id": fork, "name": fork, "elseNext": to, "cases": []object{{
					"id": "case", "name": "Answered a", "next": to, "expression": object{
						"kind": "predicate", "variable": object{"kind": "field", "fieldKey": fmt.Sprint("q", i)},
						"predicate": object{"type": "choice", "pred": object{"op": "eq", "optionId": "a"}},
					},
				}},
			})
			to = fork
		}
		screens = append(screens, object{
			"id": fmt.Sprint("scr_", i), "name": fmt.Sprint("Screen ", i), "next": object{"default": to},
			"regions": object{"body": object{
				"id": fmt.Sprint("lyr_body_", i), "kind": "stack", "direction": "vertical", "children": []object{
					{
						"id": fmt.Sprint("lyr_", i), "kind": "single_choice", "fieldKey": fmt.Sprint("q", i),
						"children": options, "optionBindings": bindings, "gap": 8, "style": style,
						"branching": object{"enabled": false, "conditions": []object{}},
					},
					{
						"id": fmt.Sprint("lyr_go_", i), "kind": "button", "variant": "primary", "children": []object{{
							"id": fmt.Sprint("lyr_go_text_", i), "kind": "text", "text": object{"default": "Continue"}, "style": textStyle,
						}},
						"action": object{"kind": "continue"}, "style": style,
					},
				},
			}},
		})
	}
	return object{
		"flowId": uuid.NewString(), "schemaVersion": 7, "version": 1, "defaultLocale": "en", "locales": []string{"en"},
		"entryScreenId": "scr_0", "screens": screens, "decisionNodes": decisions,
	}
}
