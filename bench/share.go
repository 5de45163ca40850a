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
)

const (
	shareEvery = 5 * time.Second
	shareLimit = 100.0 // milliseconds
	costWaves  = 40
)

// sharedHome is what the page of a shared link asks for once it knows what the link shows.
var sharedHome = question{name: "shared home", field: questions[0].field + questions[1].field + `
	overview { source { value visitors revenue } page { value visitors views } country { value visitors revenue }
		event { name visitors count } }`}

// benchShare measures readers who open the same shared link at once, again and again, while events pour in.
func benchShare(ctx context.Context) error {
	b, err := newReportBench(ctx)
	if err != nil {
		return err
	}
	return b.withServer(ctx, b.measureShared)
}

func (b *reportBench) measureShared(ctx context.Context) error {
	token, err := b.share(ctx)
	if err != nil {
		return err
	}
	now := func() map[string]any { // as the page asks: until the end of the minute
		end := time.Now().Truncate(time.Minute).Add(time.Minute)
		return map[string]any{"range": map[string]any{"start": b.set.End.AddDate(0, 0, -7), "end": end}}
	}
	view := func() error { return b.openShared(ctx, token, now()) }
	if err := view(); err != nil {
		return err
	}
	member := func() error {
		_, _, err := b.ask(ctx, sharedHome, now())
		return err
	}
	if err := errors.Join(b.costOf("shared view", view), b.costOf("the same by members", member)); err != nil {
		return err
	}
	load := newLoader(b.server)
	load.client = &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: ingestConnections, DisableCompression: true},
	}
	var acknowledged int64
	var loading error
	var wait sync.WaitGroup
	began := time.Now()
	wait.Go(func() { acknowledged, _, loading = load.run(ctx, loadFor, loadRate) })
	var members []time.Duration
	var refused error
	wait.Go(func() {
		members, refused = waves(began.Add(shareEvery/2), member)
	})
	readers, err := waves(began, view)
	wait.Wait()
	if err := errors.Join(err, refused, loading); err != nil {
		return err
	}
	row("events/s while 50 shared views open at once", float64(acknowledged)/loadFor.Seconds(), "ev/s", loadRate,
		"asked for")
	row("shared view opened with 49 others, p50", milliseconds(quantile(readers, .5)), "ms",
		milliseconds(quantile(members, .5)), "members who ask for the same report, a request instead of two")
	row("the same by members, p95", milliseconds(quantile(members, .95)), "ms", shareLimit, "limit")
	row("shared view opened with 49 others, p95", milliseconds(quantile(readers, .95)), "ms", shareLimit, "limit")
	return nil
}

// costOf prints the processor time of the server and its database for one of 50 who open at once, without other load.
func (b *reportBench) costOf(name string, open func() error) error {
	own, database, err := b.server.processorTime()
	if err != nil {
		return err
	}
	for range costWaves {
		if _, err := together(time.Now(), open); err != nil {
			return err
		}
	}
	ownAfter, databaseAfter, err := b.server.processorTime()
	if err != nil {
		return err
	}
	each := time.Duration(dashboards * costWaves)
	row(name+", processor time of the server", milliseconds((ownAfter-own)/each), "ms", 0, "")
	row(name+", processor time of the database", milliseconds((databaseAfter-database)/each), "ms", 0, "")
	return nil
}

// share makes a link to Home that is limited to a country and returns its token.
func (b *reportBench) share(ctx context.Context) (string, error) {
	const create = `mutation($i: CreateSharedLinkInput!) { createSharedLink(input: $i) { token } }`
	_, content, err := b.post(ctx, "share", create, map[string]any{"i": map[string]any{
		"appId": b.server.file.Apps[0].ID, "name": "Bench", "reports": []string{"HOME"},
		"scope": map[string]any{"cross": map[string]any{"country": map[string]any{"values": []string{"DE"}}}},
	}})
	if err != nil {
		return "", err
	}
	var answer struct {
		Data struct{ CreateSharedLink struct{ Token string } }
	}
	if err := json.Unmarshal(content, &answer); err != nil {
		return "", fmt.Errorf("read the link: %w", err)
	}
	return answer.Data.CreateSharedLink.Token, nil
}

// openShared asks for what a browser does that opens the page of a link.
func (b *reportBench) openShared(ctx context.Context, token string, scope map[string]any) error {
	_, _, err := b.server.ask(ctx, b.client, token, `{ sharedView { name app { id name } environment reports segment
		scope { period timeZone cross } } }`, nil)
	if err != nil {
		return fmt.Errorf("shared view: %w", err)
	}
	text := `query($app: ID!, $scope: ScopeInput!) { app(id: $app) { productAnalytics(scope: $scope) { ` +
		sharedHome.field + ` } } }`
	variables := map[string]any{"app": b.server.file.Apps[0].ID, "scope": scope}
	_, _, err = b.server.ask(ctx, b.client, token, text, variables)
	if err != nil {
		return fmt.Errorf("shared home: %w", err)
	}
	return nil
}

// waves lets 50 readers open at once, every few seconds for as long as there is load, and returns how long each took.
func waves(began time.Time, open func() error) ([]time.Duration, error) {
	var all []time.Duration
	for due := began.Add(shareEvery); due.Sub(began) < loadFor; due = due.Add(shareEvery) {
		time.Sleep(time.Until(due))
		times, err := together(due, open)
		if err != nil {
			return nil, err
		}
		all = append(all, times...)
	}
	slices.Sort(all)
	return all, nil
}

// together lets 50 readers open at once and returns how long after it was due each was answered.
func together(due time.Time, open func() error) ([]time.Duration, error) {
	times, errs := make([]time.Duration, dashboards), make([]error, dashboards)
	var wait sync.WaitGroup
	for d := range dashboards {
		wait.Go(func() {
			errs[d] = open()
			times[d] = time.Since(due)
		})
	}
	wait.Wait()
	return times, errors.Join(errs...)
}
