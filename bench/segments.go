package main

import (
	"bytes"
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

// segmentQuestion is a condition. #from and #to stand for the time of the data, #n for a number that is another each
// time.
type segmentQuestion struct{ name, where string }

// flowSegments are conditions on the data of flows.
var flowSegments = []segmentQuestion{
	{"flow completed", `{flow: {outcome: COMPLETED, from: "#from", to: "#to"}}`},
	{"last step and answer", `{flow: {outcome: STARTED, lastStep: "screen-03", from: "#from", to: "#to",
		answers: [{field: "field-screen-03", options: ["option-1"]}]}}`},
	{"started, not completed, paid", `{all: [{flow: {outcome: STARTED, from: "#from", to: "#to"}},
		{not: {flow: {outcome: COMPLETED, from: "#from", to: "#to"}}}, {money: {kind: REVENUE, usd: 5}}]}`},
	{"money", `{money: {kind: PURCHASED, from: "#from", to: "#to"}}`},
}

// siteSegments are conditions on the data of reports.
var siteSegments = []segmentQuestion{
	{"event", `{event: {name: "action_1", atLeast: 2, from: "#from", to: "#to"}}`},
	{"frequent event, property", `{event: {name: "action_0", from: "#from", to: "#to",
		properties: [{key: "plan", op: IS, texts: ["pro"]}]}}`},
	{"rare event, two properties", `{event: {name: "action_30", from: "#from", to: "#to",
		properties: [{key: "plan", op: IS_NOT, texts: ["pro"]}, {key: "position", op: AT_LEAST, number: 3}]}}`},
	{"views of a week, property", `{event: {name: "page_view", withinDays: 7,
		properties: [{key: "plan", op: IS_NOT, texts: ["pro", "#n"]}]}}`},
	{"track event", `{event: {name: "order_placed", source: TRACK, atLeast: 2, from: "#from", to: "#to"}}`},
	{"track event, property", `{event: {name: "order_placed", source: TRACK, from: "#from", to: "#to",
		properties: [{key: "total", op: AT_LEAST, number: 150}]}}`},
	{"attribute, text", `{attribute: {key: "plan", op: IS, texts: ["pro", "#n"]}}`},
	{"attribute, number", `{attribute: {key: "seats", op: AT_LEAST, number: 25.#n}}`},
	{"identified, language", `{person: {field: LANGUAGE, op: IS, texts: ["de", "#n"]}}`},
	{"no attribute, part of e-mail, seen", `{all: [{not: {attribute: {key: "plan", op: IS, texts: ["pro", "#n"]}}},
		{person: {field: EMAIL, op: CONTAINS, texts: ["96@", "#n"]}}, {seen: {which: LAST, withinDays: 14}}]}`},
}

// benchSegments measures how long counting the people of rules takes that nobody has counted before, among the runs of
// flows and among the events of a site.
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
	flows := &reportBench{
		dir: dir, set: &dataSet{Start: set.Start, End: set.End}, client: &http.Client{Timeout: 2 * time.Minute},
	}
	if err := flows.withServer(ctx, func(ctx context.Context) error {
		return flows.countSegments(ctx, flowSegments)
	}); err != nil {
		return err
	}
	site, err := newReportBench(ctx)
	if err != nil {
		return err
	}
	return site.withServer(ctx, func(ctx context.Context) error { return site.countSegments(ctx, siteSegments) })
}

func (b *reportBench) countSegments(ctx context.Context, questions []segmentQuestion) error {
	// The key of svc dev may not ask for what identify said.
	if _, err := b.conn.Exec(
		ctx, `update api_keys set scopes = scopes || '["customers:read"]' where not scopes ? 'customers:read'`,
	); err != nil {
		return err
	}
	for _, q := range questions {
		times := make([]time.Duration, segmentTurns)
		for i := range times {
			var err error
			if i == 0 { // what it looks at may not be in memory yet
				if _, err = b.count(ctx, q); err != nil {
					return err
				}
			}
			if times[i], err = b.count(ctx, q); err != nil {
				return err
			}
		}
		slices.Sort(times)
		row("count "+q.name+", p50", milliseconds(quantile(times, .5)), "ms", 0, "")
		row("  p95", milliseconds(quantile(times, .95)), "ms", segmentLimit, "limit")
	}
	return nil
}

// count counts the people of a condition as nobody has asked for it.
func (b *reportBench) count(ctx context.Context, q segmentQuestion) (time.Duration, error) {
	b.counted++
	where := strings.NewReplacer(
		"#from", b.set.Start.Add(time.Duration(b.counted)*time.Millisecond).Format(time.RFC3339Nano),
		"#to", b.set.End.Format(time.RFC3339), "#n", fmt.Sprintf("%04d", b.counted),
	).Replace(q.where)
	field := `segmentEstimate(rules: {where: ` + where + `})`
	took, answer, err := b.ask(ctx, question{name: q.name, field: field, whole: true}, nil)
	if err == nil && bytes.Contains(answer, []byte(`"segmentEstimate":0}`)) {
		err = fmt.Errorf("%s: nobody was found", q.name)
	}
	return took, err
}
