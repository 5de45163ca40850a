package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	segmentTurns = 20
	segmentLimit = 500.0 // milliseconds, p95
)

// segmentQuestions are conditions on the data of flows; #from and #to stand for the time of the data.
var segmentQuestions = []struct{ name, where string }{
	{"flow completed", `{flow: {outcome: COMPLETED, from: "#from", to: "#to"}}`},
	{"last step and answer", `{flow: {outcome: STARTED, lastStep: "screen-03", from: "#from", to: "#to",
		answers: [{field: "goal", options: ["a"]}]}}`},
	{"started, not completed, paid", `{all: [{flow: {outcome: STARTED, from: "#from", to: "#to"}},
		{not: {flow: {outcome: COMPLETED, from: "#from", to: "#to"}}}, {money: {kind: REVENUE, usd: 5}}]}`},
	{"money", `{money: {kind: PURCHASED, from: "#from", to: "#to"}}`},
}

// benchSegments measures how long counting the people of rules takes that nobody has counted before, among the runs of
// flows.
func benchSegments(ctx context.Context) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "svc", fmt.Sprintf("bench-flows-%g", options.scale))
	set, err := builtFlows(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Printf("data: %d runs, %d flow events (scale %g)\n", set.Runs, set.Events, options.scale)
	b := &reportBench{
		dir: dir, set: &dataSet{Start: set.Start, End: set.End}, client: &http.Client{Timeout: 2 * time.Minute},
	}
	return b.withServer(ctx, b.countSegments)
}

func (b *reportBench) countSegments(ctx context.Context) error {
	for _, q := range segmentQuestions {
		times := make([]time.Duration, segmentTurns)
		for i := range times {
			var err error
			if i == 0 { // what it looks at may not be in memory yet
				if _, err = b.count(ctx, q.name, q.where); err != nil {
					return err
				}
			}
			if times[i], err = b.count(ctx, q.name, q.where); err != nil {
				return err
			}
		}
		slices.Sort(times)
		row("count "+q.name+", p50", milliseconds(quantile(times, .5)), "ms", 0, "")
		row("  p95", milliseconds(quantile(times, .95)), "ms", segmentLimit, "limit")
	}
	return nil
}

// count counts the people of a condition with a time that nobody has asked for.
func (b *reportBench) count(ctx context.Context, name, where string) (time.Duration, error) {
	b.counted++
	where = strings.NewReplacer(
		"#from", b.set.Start.Add(time.Duration(b.counted)*time.Millisecond).Format(time.RFC3339Nano),
		"#to", b.set.End.Format(time.RFC3339),
	).Replace(where)
	field := `segmentEstimate(rules: {where: ` + where + `})`
	took, _, err := b.ask(ctx, question{name: name, field: field, whole: true}, nil)
	return took, err
}
