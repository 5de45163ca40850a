package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	dashboards     = 50
	dashboardEvery = 10 * time.Second
	loadRate       = 5_000 // events a second
	loadFor        = 30 * time.Second
	freshTries     = 20
	freshLimit     = 1000.0 // milliseconds
	dashboardLimit = 250.0
)

// dashboard is a page of the product as one request.
var dashboard = question{name: "dashboard", field: questions[0].field + questions[1].field + `
	sources: attribution(dimension: SOURCE, first: 10) { nodes { ` + breakdownFields + ` } }
	pages: engagement(dimension: PAGE, first: 10) { nodes { value visitors sessions views } }
	countries: demographic(dimension: COUNTRY, first: 10) { nodes { value visitors sessions } }
	events(first: 10) { nodes { name count visitors } }`}

// measureFreshness measures how soon an acknowledged event is in reports, and what many
// dashboards feel while events pour in.
func (b *reportBench) measureFreshness(ctx context.Context) error {
	now := func() map[string]any {
		return map[string]any{
			"range": map[string]any{"start": b.set.End.AddDate(0, 0, -7), "end": time.Now().Add(time.Minute)},
		}
	}
	if _, _, err := b.ask(ctx, dashboard, now()); err != nil {
		return err
	}
	load := newLoader(b.server)
	load.client = b.client
	var lags []time.Duration
	for range freshTries {
		lag, err := b.lag(ctx, load, now)
		if err != nil {
			return err
		}
		lags = append(lags, lag)
	}
	slices.Sort(lags)
	fmt.Println()
	row("acknowledged event in a report, p50", milliseconds(quantile(lags, .5)), "ms", 0, "")
	row("acknowledged event in a report, p95", milliseconds(quantile(lags, .95)), "ms", freshLimit, "limit")
	return b.crowd(ctx, load, now)
}

// lag sends an event with a name of its own and asks until it is counted.
func (b *reportBench) lag(ctx context.Context, load *loader, now func() map[string]any) (time.Duration, error) {
	name := "fresh " + uuid.NewString()
	body, err := json.Marshal(
		map[string]any{"eventId": uuid.NewString(), "name": name, "appUserId": "fresh", "sessionId": "fresh"},
	)
	if err != nil {
		return 0, err
	}
	if _, err := load.send(ctx, fmt.Appendf(nil, `{"events":[%s]}`, body), 1); err != nil {
		return 0, err
	}
	began := time.Now()
	for time.Since(began) < 30*time.Second {
		_, content, err := b.ask(
			ctx, question{name: "events", field: `events(first: 1, search: ` + fmt.Sprintf("%q", name) + `) { totalCount }`},
			now(),
		)
		if err != nil {
			return 0, err
		}
		var answer struct {
			Data struct {
				App struct {
					ProductAnalytics struct{ Events struct{ TotalCount int } }
				}
			}
		}
		if err := json.Unmarshal(content, &answer); err != nil {
			return 0, err
		}
		if answer.Data.App.ProductAnalytics.Events.TotalCount == 1 {
			return time.Since(began), nil
		}
	}
	return 0, errors.New("an acknowledged event did not appear in a report within 30 s")
}

// crowd refreshes dashboards while events arrive, and counts what was stored.
func (b *reportBench) crowd(ctx context.Context, load *loader, now func() map[string]any) error {
	stored := func() (n int64, err error) {
		err = b.conn.QueryRow(
			ctx, `select count(*) from product_event where environment_id = $1 and occurred_at >= $2`, b.environment, b.set.End,
		).Scan(&n)
		return n, err
	}
	before, err := stored()
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	times, errs := make([][]time.Duration, dashboards), make([]error, dashboards)
	began := time.Now()
	for d := range dashboards {
		wait.Go(func() {
			for due := began.Add(
				dashboardEvery * time.Duration(d) / dashboards,
			); due.Sub(began) < loadFor; due = due.Add(dashboardEvery) {
				time.Sleep(time.Until(due))
				if _, _, err := b.ask(ctx, dashboard, now()); err != nil {
					errs[d] = err
					return
				}
				times[d] = append(times[d], time.Since(due))
			}
		})
	}
	load.client = &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: ingestConnections, DisableCompression: true},
	}
	acknowledged, _, err := load.run(ctx, loadFor, loadRate)
	wait.Wait()
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	all := slices.Concat(times...)
	slices.Sort(all)
	row("events/s while 50 dashboards refresh", float64(acknowledged)/loadFor.Seconds(), "ev/s", loadRate, "asked for")
	row("dashboard of six reports, p50", milliseconds(quantile(all, .5)), "ms", 0, "")
	row("dashboard of six reports, p95", milliseconds(quantile(all, .95)), "ms", dashboardLimit, "limit")
	after, err := stored()
	if err != nil {
		return err
	}
	row("stored of the acknowledged events", float64(after-before), "", float64(acknowledged), "acknowledged")
	if after-before != acknowledged {
		return fmt.Errorf("%d events were acknowledged, %d are stored", acknowledged, after-before)
	}
	return nil
}
