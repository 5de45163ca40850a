package flow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
)

// benchScale returns the number of runs. SVC_BENCH_RUNS=1000000 gives the size that docs/flow-analytics.md names: 30
// days, 600,000 people, 10 hits a run.
func benchScale() int {
	if n, err := strconv.Atoi(os.Getenv("SVC_BENCH_RUNS")); err == nil && n > 0 {
		return n
	}
	return 20_000
}

const (
	benchDays  = 30
	benchSteps = 12
)

var (
	benchEnd   = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	benchFlow  = session.Key{1}
	benchGraph = func() Graph {
		g := Graph{Version: session.Key{2, 0}}
		for i := range benchSteps {
			g.Steps = append(g.Steps, GraphStep{fmt.Sprintf("step-%d", i), fmt.Sprintf("Step %d", i), manifest.StepScreen})
		}
		return g
	}()
)

// synthetic makes an environment of runs: three versions of one flow, in which a third of the runs leaves before the
// end, and purchases of 3 % of them.
func synthetic(runs int) *frame.Dataset {
	env := frame.NewDataset()
	var names []frame.FlowNameRow
	name := func(kind run.NameKind, text string) int32 {
		names = append(names, frame.FlowNameRow{ID: int32(len(names) + 1), Kind: kind, Text: text})
		return int32(len(names))
	}
	var steps []int32
	for i := range benchSteps {
		steps = append(steps, name(run.KindStep, fmt.Sprintf("step-%d", i)))
	}
	provider, outcome := name(run.KindProvider, "stripe"), name(run.KindOutcome, boughtOutcome)
	decision, taken := name(run.KindDecision, "d"), name(run.KindCase, "c")
	env.SetFlowNames(names)
	first := benchEnd.AddDate(0, 0, -benchDays)
	var mu sync.Mutex
	var purchases []frame.Purchase
	days := make(chan int, benchDays)
	for day := range benchDays {
		days <- day
	}
	close(days)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			b := env.NewRunBuilder()
			for day := range days {
				rng := rand.New(rand.NewPCG(1, uint64(day)))
				midnight := first.AddDate(0, 0, day)
				for i := range runs / benchDays {
					at := midnight.UnixMilli() + rng.Int64N(86_400_000)
					r := run.Run{
						Person: fmt.Sprintf("person-%d", rng.IntN(runs*6/10)), Flow: benchFlow,
						Key: session.Key{byte(day), byte(i), byte(i >> 8), byte(i >> 16)}, StartedAt: at, HasStart: true,
						Context: run.Context{
							Release: run.Release{
								Channel: 1, Version: session.Key{2, byte(rng.IntN(3))}, AssignmentVersion: 1,
								Experiment: session.Key{3}, Variant: string('a' + rune(rng.IntN(2))),
							},
							Client: run.Client{
								Platform: []string{"web", "ios", "android"}[rng.IntN(3)], Locale: fmt.Sprintf("l%d-XX", rng.IntN(20)),
								AppVersion: fmt.Sprintf("1.%d", rng.IntN(10)),
							},
							Place:            run.Place{Country: fmt.Sprintf("C%d", rng.IntN(40))},
							Device:           run.Device{Device: "mobile", Browser: fmt.Sprintf("b%d", rng.IntN(6)), OS: "iOS"},
							CustomProperties: fmt.Sprintf(`{"plan":"p%d"}`, rng.IntN(8)),
						},
					}
					hit := func(name run.Name, step, from, subject, value int32) {
						r.Hits = append(r.Hits, run.Hit{At: at, Name: name, Step: step, From: from, Subject: subject, Value: value})
						at += 500 + int64(rng.ExpFloat64()*8000)
					}
					hit(run.FlowStarted, 0, 0, 0, 0)
					from, left := run.FromStart, rng.IntN(12)
					for k := 0; k < 4; k++ {
						step := steps[k*3+rng.IntN(2)]
						hit(run.StepViewed, step, from, 0, 0)
						if k == left {
							break
						}
						hit(run.StepCompleted, step, 0, 0, 0)
						if k == 1 {
							hit(run.DecisionEvaluated, 0, 0, decision, taken)
						}
						from = step
					}
					if left >= 4 {
						hit(run.SurfacePresented, steps[11], from, provider, 0)
						if rng.IntN(30) == 0 {
							hit(run.SurfaceOutcome, steps[11], 0, provider, outcome)
							mu.Lock()
							purchases = append(purchases, frame.Purchase{
								Visitor: r.Person, At: at, Provider: frame.Stripe, AmountMicros: 9_990_000, Product: "year",
							})
							mu.Unlock()
						}
						hit(run.FlowCompleted, 0, 0, 0, 0)
						r.Completed = true
					}
					r.LastAt = r.Hits[len(r.Hits)-1].At
					b.Add(&frame.RunRow{HomeDay: frame.Day(midnight), Run: r})
				}
				env.Put(frame.Runs, frame.Day(midnight), b.Seal())
			}
		})
	}
	wg.Wait()
	env.SetPurchases(purchases)
	return env
}

var benchView = sync.OnceValue(func() *frame.View {
	return synthetic(benchScale()).View(math.MinInt32, math.MaxInt32)
})

// processorTime returns what the process has used of all processors: a busy machine does not change it.
func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkReport times every report alone, with three filters and without any, on 30 days; selecting the runs is part
// of each.
func BenchmarkReport(b *testing.B) {
	view, engine := benchView(), NewEngine(DefaultTuning(), nil)
	graphs := []Graph{benchGraph}
	ctx := context.Background()
	plain := Scope{Flow: benchFlow, Start: benchEnd.AddDate(0, 0, -benchDays), End: benchEnd}
	filtered := plain
	filtered.Filters = []analytics.Filter{
		{Dimension: analytics.Country, Operator: analytics.IsNot, Values: []string{"C1"}},
		{Dimension: Language, Operator: analytics.IsNot, Values: []string{"l3"}},
		{Dimension: analytics.Browser, Operator: analytics.IsNot, Values: []string{"b2"}},
	}
	for name, scope := range map[string]Scope{"all": plain, "filtered": filtered} {
		for kind, answer := range map[string]func(*Selection) error{
			"overview":   func(s *Selection) error { _, err := s.Overview(ctx); return err },
			"timeseries": func(s *Selection) error { _, err := s.Timeseries(ctx, analytics.Day); return err },
			"funnel":     func(s *Selection) error { _, err := s.Funnel(ctx, graphs); return err },
			"dropoff":    func(s *Selection) error { _, err := s.Dropoff(ctx, graphs); return err },
			"duration":   func(s *Selection) error { _, err := s.StepDuration(ctx, graphs); return err },
			"cohorts": func(s *Selection) error {
				_, err := s.Cohorts(ctx, analytics.Country, "", report.Page{})
				return err
			},
			"keys": func(s *Selection) error { _, err := s.CohortKeys(ctx); return err },
			"cohortseries": func(s *Selection) error {
				_, err := s.TimeseriesCohorts(ctx, analytics.Country, "", analytics.Day)
				return err
			},
			"heatmap":   func(s *Selection) error { _, err := s.Heatmap(ctx, Value{}, Value{}); return err },
			"purchases": func(s *Selection) error { _, err := s.Purchases(ctx, graphs); return err },
			"retention": func(s *Selection) error { _, err := s.Retention(ctx, Version); return err },
			"compare": func(s *Selection) error {
				_, err := s.Compare(ctx, Version, [2]string{idText(session.Key{2, 0}), idText(session.Key{2, 1})}, graphs)
				return err
			},
			"app": func(s *Selection) error { _, err := s.AppOverview(ctx, report.Page{}); return err },
			"people": func(s *Selection) error {
				_, err := s.PeopleBehind(ctx, Behind{Step: "step-3", LastStep: true, Figure: FigureDropped}, nil, 50, "")
				return err
			},
		} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				before := processorTime(b)
				for b.Loop() {
					s, err := engine.Select(view, scope, nil, benchEnd)
					require.NoError(b, err)
					require.NoError(b, answer(s))
				}
				b.ReportMetric((processorTime(b)-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// BenchmarkWindow times what the first report of a range adds to those after it.
func BenchmarkWindow(b *testing.B) {
	env, engine := benchView().Dataset(), NewEngine(DefaultTuning(), nil)
	for b.Loop() {
		view := env.View(math.MinInt32, math.MaxInt32) // nothing is remembered
		_, err := engine.Select(view, Scope{Start: benchEnd.AddDate(0, 0, -benchDays), End: benchEnd}, nil, benchEnd)
		require.NoError(b, err)
	}
}
