package alerting

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
)

// PreviewDays is how far back a preview looks.
const PreviewDays = 90

// mostFirings is how many a preview has: silence may fire every few minutes.
const mostFirings = 500

// Preview is what a rule would have made of the last days.
type Preview struct {
	Points  []*alert.Judgement
	Firings []*alert.Firing // the latest
}

// Subject is the environment that a rule is of.
type Subject struct {
	Environment int64
	App         uuid.UUID
	Lapse       int // minutes until a run of a flow has lapsed
}

// Preview tells when an alert of a rule, which has been checked, would have fired.
func (a *Alerting) Preview(ctx context.Context, of Subject, rule *alert.Rule) (*Preview, error) {
	now := a.now()
	w := &watched{Environment: of.Environment, App: of.App, Lapse: of.Lapse, rule: *rule}
	values, err := a.newReader(ctx, newShared(a.Reports, now), w)
	if err != nil {
		return nil, err
	}
	start, _ := w.rule.Day(now.AddDate(0, 0, -PreviewDays))
	if w.rule.Condition.Silent != nil {
		return values.previewSilence(start, now)
	}
	before, _ := w.rule.Day(start.AddDate(0, 0, -7*alert.Weeks-1))
	if err := values.read(before, now); err != nil {
		return nil, err
	}
	values.all = true
	bounds, err := analytics.Buckets(w.rule.Unit(), start, now, w.rule.Location())
	if err != nil {
		return nil, err
	}
	var judged []alert.Judgement
	ends := map[time.Time]time.Time{}
	for i, end := range bounds[1:] {
		if !end.After(now) {
			ends[bounds[i]] = end
			judged = append(judged, w.rule.Judge(bounds[i], values.at))
		}
	}
	firings := w.rule.Replay(judged, func(start time.Time) time.Time { return ends[start] })
	return &Preview{Points: pointers(judged), Firings: latest(firings)}, nil
}

func (r *reader) previewSilence(start, now time.Time) (*Preview, error) {
	end := now.Truncate(time.Minute)
	active, err := r.shared.minutes(r.ctx, r.environment, r.scope, start, end)
	if err != nil {
		return nil, err
	}
	points, err := r.shared.metrics(r.ctx, r.environment, r.scope, start, end, analytics.Hour)
	if err != nil {
		return nil, err
	}
	bounds, err := analytics.Buckets(analytics.Hour, start, end, r.rule.Location())
	if err != nil {
		return nil, err
	}
	var shown []alert.Judgement
	for _, at := range bounds[:len(bounds)-1] {
		m := points[at.UTC()]
		shown = append(shown, alert.Judgement{Start: at, Value: number(m.Views + m.Events)})
	}
	return &Preview{Points: pointers(shown), Firings: latest(r.rule.ReplaySilence(start, active))}, nil
}

func latest(firings []alert.Firing) []*alert.Firing {
	return pointers(firings[max(0, len(firings)-mostFirings):])
}

func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}
