package flow

import (
	"context"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/people/privacy"
)

// Trial is an experiment whose people are looked for.
type Trial struct {
	Experiment session.Key
	Variants   map[string]int // place of each variant by its id
	// Versions and Channels limit the runs; empty lists mean all.
	Versions   []session.Key
	Channels   []int64
	Start, End time.Time     // of its runs
	Purchase   time.Duration // window of purchases
	// Goals are what people may meet within the window of goals after their first exposure: see MeetGoals.
	Goals []analytics.GoalCondition
	Goal  time.Duration
	// NamesDevices asks for the device of each exposure, to join those of one person: see [experiment.Join]. It is asked
	// for where there are goals.
	NamesDevices bool
}

// NewTrial returns a trial of the variants of an experiment, in their order. Runs name them by id; those of clients of
// others may name them by key, since the protocol takes any text.
func NewTrial(id session.Key, variants []experiment.Variant, start, end time.Time, purchase time.Duration) *Trial {
	t := &Trial{Experiment: id, Variants: map[string]int{}, Start: start, End: end, Purchase: purchase}
	for i, v := range variants {
		t.Variants[v.ID] = i
		t.Variants[strings.ToUpper(v.ID)] = i
		if _, taken := t.Variants[v.Key]; !taken {
			t.Variants[v.Key] = i
		}
	}
	return t
}

// NewBaseline returns a trial without an experiment: of the runs of a version on a channel, as if of one variant.
func NewBaseline(version session.Key, channel int64, start, end time.Time) *Trial {
	return &Trial{Versions: []session.Key{version}, Channels: []int64{channel}, Start: start, End: end}
}

// armOf returns the place of a run's variant, −1 for one that the experiment does not have.
func (t *Trial) armOf(release *frame.ReleaseInfo) int {
	if t.Experiment == (session.Key{}) {
		return 0
	}
	if arm, known := t.Variants[release.Variant]; known {
		return arm
	}
	return -1
}

// Scope returns the scope whose selection has what Exposures needs. That of an experiment that serves ends now; whole
// days let requests share it.
func (t *Trial) Scope() Scope {
	end := t.End
	if len(t.Goals) > 0 {
		end = end.Add(max(0, t.Goal-t.Purchase)) // what is read goes on for the window of purchases
	}
	return Scope{
		Start: t.Start, End: end.Truncate(24 * time.Hour).Add(24 * time.Hour), Windows: Windows{Purchase: t.Purchase},
	}
}

// Exposures returns the exposures of a trial from the selection of its scope.
func (s *Selection) Exposures(ctx context.Context, trial *Trial) ([]experiment.Exposure, error) {
	all, _, err := sum(ctx, s, func(portion *Selection) []experiment.Exposure {
		return portion.engine.Exposures(portion.view, trial)
	}, func(total, more []experiment.Exposure) []experiment.Exposure { return append(total, more...) })
	return all, err
}

// Exposures returns the people of the view who had a run of the experiment that started in [Start, End), with what
// flow-analytics.md §6 asks of them, in no order.
func (e *Engine) Exposures(view *frame.View, trial *Trial) []experiment.Exposure {
	w := e.windowOf(view, trial.Scope())
	found := make([][]experiment.Exposure, len(w.shards))
	paid := trialsPaid(view)
	e.eachPerson(view, trial, func(shard int, rs *runs, from, to int) {
		if x, ok := w.exposure(trial, rs, from, to, paid); ok {
			found[shard] = append(found[shard], x)
		}
	})
	var all []experiment.Exposure
	for _, part := range found {
		all = append(all, part...)
	}
	return all
}

// eachPerson calls visit with the runs of the trial's scope of each person, which are those of [from, to), some shards
// at once.
func (e *Engine) eachPerson(view *frame.View, trial *Trial, visit func(shard int, rs *runs, from, to int)) {
	scope := trial.Scope()
	scope.Experiment, scope.Versions, scope.Channels = trial.Experiment, trial.Versions, trial.Channels
	w, f := e.windowOf(view, scope), compile(view, scope, nil)
	frame.Parallel(len(w.shards), func(i int) {
		rs := f.selectFrom(w, w.shards[i])
		for from := 0; from < rs.len(); {
			to := from + 1
			for to < rs.len() && rs.visitor[to] == rs.visitor[from] {
				to++
			}
			visit(i, rs, from, to)
			from = to
		}
	})
}

// exposure puts the runs of a person together, which are those of [first, end) and come by start.
func (w *window) exposure(
	trial *Trial, rs *runs, first, end int, paid func(frame.CodedPurchase) bool,
) (x experiment.Exposure, exposed bool) {
	from, to := frame.Millis(trial.Start), frame.Millis(trial.End)
	for i := first; i < end; i++ {
		r, start := rs.refs[i], rs.start[i]
		if start < from || start >= to {
			continue
		}
		release := &w.view.Releases[w.parts[r.part].Column(frame.RunRelease)[r.row]]
		arm := trial.armOf(release)
		if !exposed {
			x, exposed = w.firstRun(r, arm), true
			if trial.NamesDevices || len(trial.Goals) > 0 {
				x.Device = privacy.Person(w.view.Visitors.ID(rs.visitor[i]))
			}
		}
		x.Crossed = x.Crossed || x.Arm != arm
		if rs.marks[i]&completed != 0 {
			at := frame.Time(start + rs.completedAfter(i, w))
			if x.Completed.IsZero() || at.Before(x.Completed) {
				x.Completed = at
			}
		}
		if money := w.money[r]; money != nil {
			for i := range money.charges {
				c := &money.charges[i]
				x.Charges = append(x.Charges, experiment.Charge{
					At: frame.Time(c.At), First: c.first(), Amount: c.AmountMicros, Refunded: c.refunded,
					Paid: c.trial() && paid(c.CodedPurchase),
				})
			}
		}
	}
	return x, exposed
}

// firstRun returns what a person's first run says of them.
func (w *window) firstRun(r ref, arm int) experiment.Exposure {
	p, v := &w.parts[r.part], w.view
	client := &v.Clients[p.Column(frame.RunClient)[r.row]]
	return experiment.Exposure{
		Arm: arm, At: frame.Time(p.start[r.row]),
		Platform: v.Platforms[client.Platform], AppVersion: v.AppVersions[client.AppVersion],
		Country: v.Countries[v.Places[p.Column(frame.RunPlace)[r.row]].Country],
		Browser: v.Browsers[v.Techs[p.Column(frame.RunTech)[r.row]].Browser],
	}
}

// trialsPaid returns a function that tells whether a trial was paid for: its person paid the same provider afterwards.
func trialsPaid(view *frame.View) func(frame.CodedPurchase) bool {
	type account struct {
		visitor  uint32
		provider frame.Provider
	}
	last := map[account]int64{} // time of the latest payment, of accounts with a trial
	for i := range view.Purchases {
		p := &view.Purchases[i]
		key := account{p.Visitor, p.Provider}
		_, known := last[key]
		switch {
		case p.Kind == frame.Originating && p.AmountMicros == 0 && !known:
			last[key] = -1 << 62
		case p.Kind != frame.Refund && p.AmountMicros > 0 && known:
			last[key] = p.At // the ledger is in the order of time
		}
	}
	return func(trial frame.CodedPurchase) bool { return last[account{trial.Visitor, trial.Provider}] > trial.At }
}
