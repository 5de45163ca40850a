package floworacle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
)

// Oracle answers reports on a world.
type Oracle struct {
	world World
	runs  []*flowRun // by person, start and key
	now   time.Time

	unknown int // names that no version has, of each list
}

// New folds the world's events into runs.
func New(w World, now time.Time) *Oracle { return &Oracle{w, runsOf(w), now, 50} }

// Selection is the runs of a resolved scope.
type Selection struct {
	*Oracle
	scope flow.Scope
	runs  []*flowRun
	money map[*flowRun][]charge
}

// charge is a ledger row of a run and what of it was paid back.
type charge struct {
	frame.Purchase
	refunded int64
}

// Select returns the runs of a scope; members are the people of its segment, nil without one.
func (o *Oracle) Select(scope flow.Scope, members map[string]bool) *Selection {
	s := &Selection{Oracle: o, scope: scope, money: o.charges(scope.Windows.Purchase)}
	for _, r := range o.runs {
		if o.qualifies(r, scope, members) {
			s.runs = append(s.runs, r)
		}
	}
	return s
}

func (o *Oracle) qualifies(r *flowRun, scope flow.Scope, members map[string]bool) bool {
	at := time.UnixMilli(r.start)
	if at.Before(scope.Start) || !at.Before(scope.End) {
		return false
	}
	if scope.Flow != (session.Key{}) && r.flow != scope.Flow ||
		len(scope.Versions) > 0 && !slices.Contains(scope.Versions, r.release.Version) ||
		len(scope.Channels) > 0 && !slices.Contains(scope.Channels, r.release.Channel) ||
		scope.Experiment != (session.Key{}) && r.release.Experiment != scope.Experiment ||
		len(scope.Variants) > 0 && !slices.Contains(scope.Variants, r.release.Variant) {
		return false
	}
	switch scope.Platform {
	case "":
	case "mobile":
		if r.client.Platform != "ios" && r.client.Platform != "android" {
			return false
		}
	default:
		if r.client.Platform != scope.Platform {
			return false
		}
	}
	if members != nil && !members[r.person] {
		return false
	}
	for _, f := range scope.Filters {
		equal := slices.Contains(f.Values, o.value(r, f.Dimension, ""))
		if equal == (f.Operator == analytics.IsNot) {
			return false
		}
	}
	return scope.Property == nil || slices.Contains(scope.Property.Values, r.custom[scope.Property.Key])
}

// Keys writes the selected runs, each with its person.
func (s *Selection) Keys() (keys []string) {
	for _, r := range s.runs {
		keys = append(keys, fmt.Sprintf("%q %x", r.person, r.key))
	}
	slices.Sort(keys)
	return keys
}

// PassesPerson tells whether somebody passes what a scope says of people: their segment and their first touch.
func (o *Oracle) PassesPerson(person string, scope flow.Scope, members map[string]bool) bool {
	if members != nil && !members[person] {
		return false
	}
	for _, f := range scope.Filters {
		if !slices.Contains(flow.OfFirstTouch, f.Dimension) {
			continue
		}
		equal := slices.Contains(f.Values, o.value(&flowRun{person: person}, f.Dimension, ""))
		if equal == (f.Operator == analytics.IsNot) {
			return false
		}
	}
	return true
}

func id(key session.Key) string {
	if key == (session.Key{}) {
		return ""
	}
	return uuid.UUID(key).String()
}

// value returns a run's value of a dimension.
func (o *Oracle) value(r *flowRun, d analytics.Dimension, key string) string {
	switch d {
	case analytics.Platform:
		return r.client.Platform
	case flow.Locale:
		return r.client.Locale
	case flow.Language:
		first, _, _ := strings.Cut(strings.ReplaceAll(r.client.Locale, "_", "-"), "-")
		return strings.ToLower(first)
	case flow.AppVersion:
		return r.client.AppVersion
	case analytics.Country:
		return r.place.Country
	case analytics.Region:
		return r.place.Region
	case analytics.Device:
		return r.device.Device
	case analytics.Browser:
		return r.device.Browser
	case analytics.OS:
		return r.device.OS
	case flow.Version:
		return id(r.release.Version)
	case flow.Channel:
		return strconv.FormatInt(r.release.Channel, 10)
	case flow.Variant:
		return r.release.Variant
	case analytics.Source:
		return o.world.Touches[r.person].Source
	case analytics.AcquisitionChannel:
		touch, seen := o.world.Touches[r.person]
		if !seen {
			return ""
		}
		return channel.Of(channel.Input{
			ReferrerHost: touch.ReferrerHost, Source: touch.Source, Medium: touch.Medium, Platform: touch.Platform,
			Organic: touch.Organic, OrganicUnknown: touch.OrganicUnknown,
		}).String()
	case analytics.Medium:
		return o.world.Touches[r.person].Medium
	case analytics.Campaign:
		return o.world.Touches[r.person].Campaign
	case flow.CustomProperty:
		return r.custom[key]
	case "flow":
		return id(r.flow)
	}
	panic("no such dimension: " + d)
}

// charges finds the runs that the rows of the ledger belong to.
func (o *Oracle) charges(window time.Duration) map[*flowRun][]charge {
	ledger := slices.Clone(o.world.Purchases)
	slices.SortStableFunc(ledger, func(a, b frame.Purchase) int { return cmp.Compare(a.At, b.At) })
	refunded := map[int]int64{}
	for _, refund := range ledger {
		if refund.Kind != frame.Refund {
			continue
		}
		of, same := -1, false
		for i, c := range ledger {
			if c.Kind == frame.Refund || c.Visitor != refund.Visitor || c.Provider != refund.Provider || c.At > refund.At {
				continue
			}
			amount := c.AmountMicros == -refund.AmountMicros
			better := of < 0 || amount && !same
			if !better && amount == same {
				better = c.At > ledger[of].At || c.At == ledger[of].At && c.Product < ledger[of].Product
			}
			if better {
				of, same = i, amount
			}
		}
		if of >= 0 {
			refunded[of] += refund.AmountMicros
		}
	}
	money := map[*flowRun][]charge{}
	for i, c := range ledger {
		if c.Kind == frame.Refund {
			continue
		}
		var owner *flowRun
		for _, r := range o.runs {
			if r.person != c.Visitor || r.start > c.At || c.At >= r.start+window.Milliseconds() {
				continue
			}
			if owner == nil || r.has("surface_presented") || !owner.has("surface_presented") {
				owner = r
			}
		}
		if owner != nil {
			money[owner] = append(money[owner], charge{c, refunded[i]})
		}
	}
	return money
}

func ratio(n, d int64) *float64 {
	if d == 0 {
		return nil
	}
	r := float64(n) / float64(d)
	return &r
}

func (s *Selection) incomplete(end time.Time, window time.Duration) bool {
	return s.now.Before(end.Add(window))
}

func (s *Selection) longest() time.Duration {
	return max(s.scope.Windows.Completion, s.scope.Windows.Purchase)
}

func (s *Selection) stateOf(r *flowRun) string { return r.state(s.now, s.scope.Windows.Lapse) }

func (s *Selection) net(r *flowRun) (net int64) {
	for _, c := range s.money[r] {
		net += c.AmountMicros + c.refunded
	}
	return net
}

func (s *Selection) buys(r *flowRun) bool {
	return slices.ContainsFunc(s.money[r], func(c charge) bool { return c.Kind == frame.Originating })
}

// people returns how many distinct people the runs are of that have a property.
func people(runs []*flowRun, has func(*flowRun) bool) int64 {
	set := map[string]bool{}
	for _, r := range runs {
		if has(r) {
			set[r.person] = true
		}
	}
	return int64(len(set))
}

func all(*flowRun) bool { return true }

// nearest returns a quantile by nearest rank, in seconds.
func nearest(millis []int64, percent float64) *float64 {
	if len(millis) == 0 {
		return nil
	}
	sorted := slices.Clone(millis)
	slices.Sort(sorted)
	rank := int(math.Ceil(percent * float64(len(sorted)) / 100))
	q := float64(sorted[max(rank, 1)-1]) / 1000
	return &q
}

func (s *Selection) moneyOf(runs []*flowRun) flow.Money {
	m := flow.Money{Purchases: people(runs, s.buys)}
	for _, r := range runs {
		for _, c := range s.money[r] {
			if c.Kind == frame.Originating && c.AmountMicros == 0 {
				m.Trials++
			}
			m.Gross += c.AmountMicros
			m.Revenue += c.AmountMicros + c.refunded
		}
	}
	return m
}

func (s *Selection) timesToComplete(runs []*flowRun) (list []int64) {
	for _, r := range runs {
		for _, e := range r.events {
			if e.Name == "flow_completed" {
				list = append(list, max(0, e.At-r.start))
				break
			}
		}
	}
	return list
}

func completed(r *flowRun) bool { return r.completed }
func viewed(r *flowRun) bool    { return r.has("surface_presented") }

func (s *Selection) claimed(runs []*flowRun) int64 {
	bought := map[string]bool{}
	for _, r := range runs {
		bought[r.person] = bought[r.person] || s.buys(r)
	}
	return people(runs, func(r *flowRun) bool { return r.claims() && !bought[r.person] })
}

func (s *Selection) figures(runs []*flowRun) flow.Figures {
	f := flow.Figures{
		Starts: people(runs, all), Runs: int64(len(runs)), Completions: people(runs, completed),
		PaywallViewers: people(runs, viewed), Money: s.moneyOf(runs), Claimed: s.claimed(runs),
	}
	for _, r := range runs {
		switch s.stateOf(r) {
		case "completed":
			f.Completed++
		case "abandoned":
			f.Abandoned++
		case "lapsed":
			f.Lapsed++
		default:
			f.Open++
		}
	}
	took := s.timesToComplete(runs)
	f.TimeToComplete = flow.Times{
		N: int64(len(took)), P25: nearest(took, 25), Median: nearest(took, 50), P75: nearest(took, 75),
	}
	f.CompletionRate, f.ConversionRate = ratio(f.Completions, f.Starts), ratio(f.Purchases, f.PaywallViewers)
	f.RevenuePerStart = ratio(f.Revenue, f.Starts)
	return f
}

// Overview returns the overview; members are those of the scope's segment.
func (s *Selection) Overview(members map[string]bool) *flow.Overview {
	before := s.scope
	length := before.End.Sub(before.Start)
	before.Start, before.End = before.Start.Add(-length), before.Start
	previous := s.Oracle.Select(before, members)
	return &flow.Overview{
		Figures: s.figures(s.runs), Previous: previous.figures(previous.runs),
		Incomplete: s.incomplete(s.scope.End, s.longest()),
	}
}

// buckets calls visit with every bucket of the range, its runs, and when it or the range ends.
func (s *Selection) buckets(
	grain analytics.Grain, runs []*flowRun, visit func(label time.Time, runs []*flowRun, end time.Time),
) {
	bounds, err := analytics.Buckets(grain, s.scope.Start, s.scope.End, s.scope.Location)
	if err != nil {
		panic(err)
	}
	for i := range len(bounds) - 1 {
		var in []*flowRun
		for _, r := range runs {
			if at := time.UnixMilli(r.start); !at.Before(bounds[i]) && at.Before(bounds[i+1]) {
				in = append(in, r)
			}
		}
		end := bounds[i+1]
		if end.After(s.scope.End) {
			end = s.scope.End
		}
		visit(bounds[i], in, end)
	}
}

// Timeseries returns the time series.
func (s *Selection) Timeseries(grain analytics.Grain) []flow.Point {
	points := []flow.Point{}
	s.buckets(grain, s.runs, func(label time.Time, runs []*flowRun, end time.Time) {
		p := flow.Point{
			Bucket: label, Starts: people(runs, all), Runs: int64(len(runs)), Completions: people(runs, completed),
			MedianSecondsToComplete: nearest(s.timesToComplete(runs), 50), Money: s.moneyOf(runs),
			Incomplete: s.incomplete(end, s.longest()),
		}
		p.CompletionRate = ratio(p.Completions, p.Starts)
		points = append(points, p)
	})
	return points
}

// Versions returns the versions of the runs.
func (s *Selection) Versions() []flow.VersionRuns {
	counted := map[string]int64{}
	for _, r := range s.runs {
		counted[id(r.release.Version)]++
	}
	out := []flow.VersionRuns{}
	for version, n := range counted {
		out = append(out, flow.VersionRuns{Version: version, Runs: n})
	}
	slices.SortFunc(out, func(a, b flow.VersionRuns) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Version, b.Version))
	})
	return out
}

// rows returns the steps of the graphs in their order and, after them, others that runs visited.
func (s *Selection) rows(graphs []flow.Graph) []flow.Step {
	type place struct {
		step     flow.Step
		position float64
	}
	var places []place
	for _, g := range graphs {
		for _, step := range g.Steps {
			if slices.ContainsFunc(places, func(p place) bool { return p.step.ID == step.ID }) {
				continue
			}
			weight, weighted, plain, sum, most := int64(0), int64(0), int64(0), int64(0), int64(-1)
			p := place{}
			for _, g := range graphs {
				for at, own := range g.Steps {
					if own.ID != step.ID {
						continue
					}
					runs := int64(0)
					for _, r := range s.runs {
						if r.release.Version == g.Version {
							runs++
						}
					}
					weight, weighted = weight+runs, weighted+runs*int64(at)
					plain, sum = plain+1, sum+int64(at)
					if runs > most {
						most, p.step = runs, flow.Step(own)
					}
				}
			}
			if p.position = float64(sum) / float64(plain); weight > 0 {
				p.position = float64(weighted) / float64(weight)
			}
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.step.ID, b.step.ID))
	})
	rows := []flow.Step{}
	for _, p := range places {
		rows = append(rows, p.step)
	}
	listed := len(rows)
	for _, r := range s.runs {
		for _, v := range r.visits() {
			i := slices.IndexFunc(rows, func(step flow.Step) bool { return step.ID == v.Step })
			if i < 0 {
				i = len(rows)
				rows = append(rows, flow.Step{ID: v.Step, Kind: manifest.StepScreen})
			}
			if i >= listed && v.Name == "surface_presented" {
				rows[i].Kind = manifest.StepSurface
			}
		}
	}
	slices.SortFunc(rows[listed:], func(a, b flow.Step) int { return byName(a.ID, b.ID) })
	return rows
}

// reaches returns the runs with a visit of a step.
func (s *Selection) reaches(step string) (runs []*flowRun) {
	for _, r := range s.runs {
		if slices.ContainsFunc(r.visits(), func(v Event) bool { return v.Step == step }) {
			runs = append(runs, r)
		}
	}
	return runs
}

// ended returns whether the last visit of a run is of a step.
func ended(r *flowRun, step string) bool {
	visits := r.visits()
	return len(visits) > 0 && visits[len(visits)-1].Step == step
}

func (s *Selection) drops(r *flowRun) bool {
	state := s.stateOf(r)
	return state == "abandoned" || state == "lapsed"
}

// arrival returns where a run came from to its first visit of a step.
func arrival(r *flowRun, step string) flow.Node {
	visits := r.visits()
	for i, v := range visits {
		if v.Step != step {
			continue
		}
		switch {
		case v.From != nil && *v.From == "":
			return flow.Node{ID: flow.FromStart}
		case v.From != nil:
			return flow.Node{ID: *v.From, Step: true}
		case i == 0:
			return flow.Node{ID: flow.FromStart}
		}
		return flow.Node{ID: visits[i-1].Step, Step: true}
	}
	panic("never there")
}

// exit returns where a run went after its last visit of a step.
func (s *Selection) exit(r *flowRun, step string) flow.Node {
	visits := r.visits()
	for i := len(visits) - 1; i >= 0; i-- {
		if visits[i].Step != step {
			continue
		}
		switch {
		case i+1 < len(visits):
			return flow.Node{ID: visits[i+1].Step, Step: true}
		case s.drops(r):
			return flow.Node{ID: flow.ToDropped}
		case s.stateOf(r) == "open":
			return flow.Node{ID: flow.ToOpen}
		}
		return flow.Node{ID: flow.ToCompleted}
	}
	panic("never there")
}

// Funnel returns the funnel.
func (s *Selection) Funnel(graphs []flow.Graph) *flow.Funnel {
	s = s.listed(graphs)
	out := &flow.Funnel{
		Runs: int64(len(s.runs)), People: people(s.runs, all), Steps: []flow.FunnelStep{}, Arrivals: []flow.Edge{},
		Exits: []flow.Edge{}, Decisions: []flow.Decision{}, Incomplete: s.incomplete(s.scope.End, s.longest()),
	}
	rows := s.rows(graphs)
	place := func(n flow.Node) int {
		switch {
		case n.Step:
			if i := slices.IndexFunc(rows, func(step flow.Step) bool { return step.ID == n.ID }); i >= 0 {
				return i
			}
			return len(rows)
		case n.ID == flow.FromStart:
			return -1
		}
		return len(rows) + 1 + slices.Index([]string{flow.ToCompleted, flow.ToDropped, flow.ToOpen}, n.ID)
	}
	var arrivals, exits []flow.Edge
	count := func(list *[]flow.Edge, from, to flow.Node, r *flowRun) {
		for i := range *list {
			if e := &(*list)[i]; e.From == from && e.To == to {
				e.Runs++
				e.Revenue += s.net(r)
				return
			}
		}
		*list = append(*list, flow.Edge{From: from, To: to, Runs: 1, Revenue: s.net(r)})
	}
	for _, row := range rows {
		runs := s.reaches(row.ID)
		step := flow.FunnelStep{
			Step: row, Reach: int64(len(runs)), People: people(runs, all), FromStart: ratio(int64(len(runs)), out.Runs),
		}
		var times []int64
		here := flow.Node{ID: row.ID, Step: true}
		for _, r := range runs {
			first := slices.IndexFunc(r.events, func(e Event) bool {
				return e.Step == row.ID && (e.Name == "step_viewed" || e.Name == "surface_presented")
			})
			times = append(times, max(0, r.events[first].At-r.start))
			did := func(names ...string) bool {
				return slices.ContainsFunc(r.events, func(e Event) bool {
					return e.Step == row.ID && slices.Contains(names, e.Name)
				})
			}
			if did("step_completed", "surface_outcome", "iap_purchase") {
				step.Completed++
			}
			if did("step_skipped") {
				step.Skipped++
			}
			if ended(r, row.ID) && s.drops(r) {
				step.Drop++
			}
			if ended(r, row.ID) && s.stateOf(r) == "open" {
				step.Open++
			}
			count(&arrivals, arrival(r, row.ID), here, r)
			count(&exits, here, s.exit(r, row.ID), r)
		}
		step.MedianSeconds = nearest(times, 50)
		out.Steps = append(out.Steps, step)
	}
	slices.SortStableFunc(arrivals, func(a, b flow.Edge) int {
		return cmp.Or(place(a.To)-place(b.To), place(a.From)-place(b.From), cmp.Compare(a.From.ID, b.From.ID))
	})
	slices.SortStableFunc(exits, func(a, b flow.Edge) int {
		return cmp.Or(place(a.From)-place(b.From), place(a.To)-place(b.To), cmp.Compare(a.To.ID, b.To.ID))
	})
	out.Arrivals, out.Exits = append(out.Arrivals, arrivals...), append(out.Exits, exits...)
	taken := map[[2]string]int64{}
	for _, r := range s.runs {
		mine := map[[2]string]bool{}
		for _, e := range r.events {
			if e.Name == "decision_evaluated" {
				mine[[2]string{e.Subject, e.Value}] = true
			}
		}
		for key := range mine {
			taken[key]++
		}
	}
	for key, runs := range taken {
		out.Decisions = append(out.Decisions, flow.Decision{Node: key[0], Case: key[1], Runs: runs})
	}
	slices.SortFunc(out.Decisions, func(a, b flow.Decision) int {
		return cmp.Or(byName(a.Node, b.Node), cmp.Compare(a.Case, b.Case))
	})
	return out
}

// Dropoff returns the drop-off.
func (s *Selection) Dropoff(graphs []flow.Graph) *flow.Dropoff {
	s = s.listed(graphs)
	out := &flow.Dropoff{
		Steps: []flow.DropoffStep{}, Incomplete: s.incomplete(s.scope.End, s.scope.Windows.Completion),
	}
	reaches, drops := int64(0), int64(0)
	for _, row := range s.rows(graphs) {
		d := flow.DropoffStep{Step: row}
		for _, r := range s.reaches(row.ID) {
			d.Reach++
			if ended(r, row.ID) && s.drops(r) {
				d.Drops++
			}
		}
		d.DropRate = ratio(d.Drops, d.Reach)
		reaches, drops = reaches+d.Reach, drops+d.Drops
		out.Steps = append(out.Steps, d)
	}
	for i := range out.Steps {
		d := &out.Steps[i]
		d.ExpectedRate = ratio(drops, reaches)
		if d.Reach == 0 || drops == 0 || drops == reaches {
			continue
		}
		n, p := float64(d.Reach), float64(drops)/float64(reaches)
		z := (float64(d.Drops) - n*p) / math.Sqrt(n*p*(1-p))
		d.Z, d.OutOfProportion = &z, z >= 2.58 && d.Drops >= 20
	}
	return out
}

// StepDuration returns the durations.
func (s *Selection) StepDuration(graphs []flow.Graph) *flow.StepDurations {
	s = s.listed(graphs)
	out := &flow.StepDurations{
		Steps: []flow.StepDuration{}, Incomplete: s.incomplete(s.scope.End, s.scope.Windows.Completion),
	}
	for _, row := range s.rows(graphs) {
		d := flow.StepDuration{Step: row}
		var times []int64
		sum := int64(0)
		for _, r := range s.runs {
			for i, e := range r.events {
				if e.Step != row.ID || e.Name != "step_viewed" && e.Name != "surface_presented" {
					continue
				}
				for _, next := range r.events[i+1:] {
					visit := (next.Name == "step_viewed" || next.Name == "surface_presented") && next.Step != ""
					if !visit && next.Name != "flow_completed" && next.Name != "flow_abandoned" {
						continue
					}
					switch took := next.At - e.At; {
					case took > 30*60*1000:
						d.Idle++
					default:
						times = append(times, max(0, took))
						sum += max(0, took)
					}
					break
				}
			}
		}
		d.Visits = int64(len(times))
		d.P25, d.Median, d.P75 = nearest(times, 25), nearest(times, 50), nearest(times, 75)
		d.P90, d.P95 = nearest(times, 90), nearest(times, 95)
		if len(times) > 0 {
			mean := float64(sum) / float64(len(times)) / 1000
			d.Mean = &mean
		}
		out.Steps = append(out.Steps, d)
	}
	return out
}

// valueRuns is the runs of a value.
type valueRuns struct {
	value string
	runs  []*flowRun
}

// byValue returns the runs by value, most people first.
func (s *Selection) byValue(d analytics.Dimension, key string, runs []*flowRun) []valueRuns {
	byValue := map[string][]*flowRun{}
	for _, r := range runs {
		v := s.value(r, d, key)
		byValue[v] = append(byValue[v], r)
	}
	var list []valueRuns
	for v, runs := range byValue {
		list = append(list, valueRuns{v, runs})
	}
	slices.SortFunc(list, func(a, b valueRuns) int {
		return cmp.Or(cmp.Compare(people(b.runs, all), people(a.runs, all)), cmp.Compare(a.value, b.value))
	})
	return list
}

func wilson(successes, n int64) *flow.Interval {
	if n == 0 {
		return nil
	}
	sample, err := experiment.Proportion(int(successes), int(n))
	if err != nil {
		panic(err)
	}
	i := experiment.Wilson(sample, 0.05)
	return &flow.Interval{Low: i.Low, High: i.High}
}

// Cohorts returns all rows of the cohorts.
func (s *Selection) Cohorts(d analytics.Dimension, key string) []flow.Cohort {
	out := []flow.Cohort{}
	for _, v := range s.byValue(d, key, s.runs) {
		c := flow.Cohort{
			Value: v.value, Starts: people(v.runs, all), Completions: people(v.runs, completed), Money: s.moneyOf(v.runs),
		}
		c.CompletionRate, c.RevenuePerStart = ratio(c.Completions, c.Starts), ratio(c.Revenue, c.Starts)
		c.CompletionInterval = wilson(c.Completions, c.Starts)
		out = append(out, c)
	}
	return out
}

// CohortKeys returns the custom properties.
func (s *Selection) CohortKeys() []flow.CohortKey {
	having, values := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, r := range s.runs {
		for key, value := range r.custom {
			if having[key] == nil {
				having[key], values[key] = map[string]bool{}, map[string]bool{}
			}
			having[key][r.person], values[key][value] = true, true
		}
	}
	out := []flow.CohortKey{}
	for key := range having {
		out = append(out, flow.CohortKey{Key: key, People: int64(len(having[key])), Values: int64(len(values[key]))})
	}
	slices.SortFunc(out, func(a, b flow.CohortKey) int {
		return cmp.Or(cmp.Compare(b.People, a.People), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// TimeseriesCohorts returns the series.
func (s *Selection) TimeseriesCohorts(d analytics.Dimension, key string, grain analytics.Grain) []flow.CohortSeries {
	out := []flow.CohortSeries{}
	for i, v := range s.byValue(d, key, s.runs) {
		if i == 10 {
			break
		}
		series := flow.CohortSeries{Value: v.value, Points: []flow.CohortPoint{}}
		s.buckets(grain, v.runs, func(label time.Time, runs []*flowRun, end time.Time) {
			p := flow.CohortPoint{
				Bucket: label, Starts: people(runs, all), Completions: people(runs, completed), Money: s.moneyOf(runs),
				Incomplete: s.incomplete(end, s.longest()),
			}
			p.CompletionRate = ratio(p.Completions, p.Starts)
			series.Points = append(series.Points, p)
		})
		out = append(out, series)
	}
	return out
}

// Heatmap returns the heatmap.
func (s *Selection) Heatmap(row, column flow.Value) *flow.Heatmap {
	out := &flow.Heatmap{
		Rows: []string{}, Columns: []string{}, Cells: []flow.Cell{}, Incomplete: s.incomplete(s.scope.End, s.longest()),
	}
	rows, columns := s.byValue(row.Dimension, row.Key, s.runs), s.byValue(column.Dimension, column.Key, s.runs)
	rows, columns = rows[:min(len(rows), 30)], columns[:min(len(columns), 30)]
	for _, v := range columns {
		out.Columns = append(out.Columns, v.value)
	}
	for _, v := range rows {
		out.Rows = append(out.Rows, v.value)
		for _, h := range columns {
			var runs []*flowRun
			for _, r := range v.runs {
				if s.value(r, column.Dimension, column.Key) == h.value {
					runs = append(runs, r)
				}
			}
			if len(runs) == 0 {
				continue
			}
			c := flow.Cell{
				Row: v.value, Column: h.value, Starts: people(runs, all), Completions: people(runs, completed),
				Money: s.moneyOf(runs),
			}
			c.CompletionRate, c.ConversionRate = ratio(c.Completions, c.Starts), ratio(c.Purchases, c.Starts)
			out.Cells = append(out.Cells, c)
		}
	}
	return out
}

// Purchases returns the purchases.
func (s *Selection) Purchases(graphs []flow.Graph) *flow.PurchasesReport {
	s = s.listedSurfaces(graphs)
	out := &flow.PurchasesReport{
		Surfaces: []flow.SurfacePurchases{}, Products: []flow.ProductPurchases{},
		Incomplete: s.incomplete(s.scope.End, s.longest()),
	}
	type surface struct{ step, provider string }
	presented, outcomes := map[surface][]*flowRun{}, map[surface]map[string]int64{}
	buyers := map[surface]map[string]bool{}
	type product struct{ product, provider string }
	products := map[product]flow.ProductPurchases{}
	for _, r := range s.runs {
		mine, had := map[surface]bool{}, map[string]bool{}
		for _, e := range r.events {
			key := surface{e.Step, e.Subject}
			switch {
			case e.Name == "surface_presented" && e.Step != "" && !mine[key]:
				mine[key] = true
				presented[key] = append(presented[key], r)
			case e.Name == "surface_outcome" && !had[e.Step+"\x00"+e.Subject+"\x00"+e.Value]:
				had[e.Step+"\x00"+e.Subject+"\x00"+e.Value] = true
				if outcomes[key] == nil {
					outcomes[key] = map[string]int64{}
				}
				outcomes[key][e.Value]++
			}
		}
		for _, c := range s.money[r] {
			row := products[product{c.Product, c.Provider.String()}]
			row.Product, row.Provider = c.Product, c.Provider.String()
			row.Gross += c.AmountMicros
			row.Revenue += c.AmountMicros + c.refunded
			if c.Kind == frame.Originating {
				row.Purchases++
				if c.AmountMicros == 0 {
					row.Trials++
				}
			}
			products[product{c.Product, c.Provider.String()}] = row
			if c.Kind != frame.Originating {
				continue
			}
			var at *surface
			for _, e := range r.events {
				if e.Name == "surface_presented" && e.Step != "" && (at == nil || e.At <= c.At) {
					at = &surface{e.Step, e.Subject}
				}
			}
			if at == nil {
				continue
			}
			if buyers[*at] == nil {
				buyers[*at] = map[string]bool{}
			}
			buyers[*at][r.person] = true
		}
	}
	for key := range outcomes {
		if presented[key] == nil {
			presented[key] = []*flowRun{}
		}
	}
	for key, runs := range presented {
		row := flow.SurfacePurchases{
			Step: flow.Step{ID: key.step, Kind: manifest.StepSurface}, Provider: key.provider, Presented: int64(len(runs)),
			Viewers: people(runs, all), Outcomes: []flow.Outcome{}, Purchasers: int64(len(buyers[key])),
		}
		for _, g := range slices.Backward(graphs) {
			for _, step := range g.Steps {
				if step.ID == key.step {
					row.Step = flow.Step(step)
				}
			}
		}
		for text, n := range outcomes[key] {
			row.Outcomes = append(row.Outcomes, flow.Outcome{Outcome: text, Runs: n})
		}
		slices.SortFunc(row.Outcomes, func(a, b flow.Outcome) int {
			return cmp.Or(
				cmp.Compare(last(a.Outcome), last(b.Outcome)), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Outcome, b.Outcome),
			)
		})
		out.Surfaces = append(out.Surfaces, row)
	}
	slices.SortFunc(out.Surfaces, func(a, b flow.SurfacePurchases) int {
		return cmp.Or(
			cmp.Compare(last(a.ID), last(b.ID)), cmp.Compare(b.Presented, a.Presented), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Provider, b.Provider),
		)
	})
	for _, row := range products {
		out.Products = append(out.Products, row)
	}
	slices.SortFunc(out.Products, func(a, b flow.ProductPurchases) int {
		return cmp.Or(
			cmp.Compare(b.Purchases, a.Purchases), cmp.Compare(a.Product, b.Product), cmp.Compare(a.Provider, b.Provider),
		)
	})
	return out
}

// Retention returns the retention.
func (s *Selection) Retention(by analytics.Dimension) *flow.RetentionReport {
	bounds, err := analytics.Buckets(analytics.Day, s.scope.Start, s.scope.End, s.scope.Location)
	if err != nil {
		panic(err)
	}
	dayOf := func(at int64) int {
		for i := range len(bounds) - 1 {
			if t := time.UnixMilli(at); !t.Before(bounds[i]) && t.Before(bounds[i+1]) {
				return i
			}
		}
		return -1
	}
	cutoff := min(s.scope.End.UnixMilli(), s.now.UnixMilli())
	first := map[string]*flowRun{}
	for _, r := range s.runs {
		if first[r.person] == nil {
			first[r.person] = r
		}
	}
	retention := func(has func(*flowRun) bool) report.Retention {
		out := report.Retention{}
		for _, offset := range []int{1, 3, 7, 14, 30} {
			returned, eligible, both := int64(0), int64(0), int64(0)
			out.Visitors = 0
			for person, r := range first {
				if !has(r) {
					continue
				}
				out.Visitors++
				day := dayOf(r.start) + offset
				if day >= len(bounds)-1 {
					continue
				}
				was := false
				for _, h := range s.world.Hits {
					was = was || h.Person == person && h.At < cutoff && dayOf(h.At) == day
				}
				for _, e := range s.world.Events {
					was = was || e.Person == person && e.At < cutoff && dayOf(e.At) == day
				}
				over := bounds[day+1].UnixMilli() <= cutoff
				if was {
					returned++
				}
				if over {
					eligible++
				}
				if was && over {
					both++
				}
			}
			out.Days = append(out.Days, report.Returned{
				Offset: offset, Returned: returned, Eligible: eligible, Rate: ratio(both, eligible),
			})
		}
		return out
	}
	out := &flow.RetentionReport{Retention: retention(all), Rows: []flow.RetentionRow{}}
	values := map[string]bool{}
	for _, r := range first {
		values[s.value(r, by, "")] = true
	}
	for v := range values {
		out.Rows = append(out.Rows, flow.RetentionRow{
			Value: v, Retention: retention(func(r *flowRun) bool { return s.value(r, by, "") == v }),
		})
	}
	slices.SortFunc(out.Rows, func(a, b flow.RetentionRow) int {
		return cmp.Or(cmp.Compare(b.Visitors, a.Visitors), cmp.Compare(a.Value, b.Value))
	})
	return out
}

// AppOverview returns all rows of the flows of the environment, and the totals.
func (s *Selection) AppOverview(members map[string]bool) ([]flow.AppFlow, flow.Figures, bool) {
	scope := s.scope
	scope.Flow = session.Key{}
	every := s.Oracle.Select(scope, members)
	rows := []flow.AppFlow{}
	for _, v := range every.byValue("flow", "", every.runs) {
		rows = append(rows, flow.AppFlow{Flow: v.value, Figures: every.figures(v.runs)})
	}
	return rows, every.figures(every.runs), s.incomplete(s.scope.End, s.longest())
}

// Compare returns the sides of a comparison and the reach of steps that both reached.
func (s *Selection) Compare(
	by analytics.Dimension, values [2]string, graphs []flow.Graph, members map[string]bool,
) *flow.Comparison {
	out := &flow.Comparison{Steps: []flow.ComparedStep{}, Incomplete: s.incomplete(s.scope.End, s.longest())}
	for i, v := range values {
		scope := s.scope
		if by == flow.Version {
			scope.Versions, out.Sides[i].Version = []session.Key{session.Key(uuid.MustParse(v))}, v
		} else {
			scope.Variants, out.Sides[i].Variant = []string{v}, v
		}
		side := s.Oracle.Select(scope, members)
		out.Sides[i].Overview, out.Sides[i].Funnel = side.figures(side.runs), side.Funnel(graphs)
	}
	a, b := &out.Sides[0], &out.Sides[1]
	out.Completion = difference(a.Overview.Completions, a.Overview.Starts, b.Overview.Completions, b.Overview.Starts)
	out.Conversion = difference(a.Overview.Purchases, a.Overview.Starts, b.Overview.Purchases, b.Overview.Starts)
	has := func(side *flow.Side, step flow.FunnelStep) bool {
		for _, g := range graphs {
			for _, own := range g.Steps {
				if id(g.Version) == side.Version && own.ID == step.ID {
					return true
				}
			}
		}
		return step.Reach > 0
	}
	for _, step := range a.Funnel.Steps {
		for _, other := range b.Funnel.Steps {
			if other.ID == step.ID && step.ID != "(other)" && has(a, step) && has(b, other) {
				out.Steps = append(out.Steps, flow.ComparedStep{
					Step: step.Step, Reach: difference(step.Reach, a.Funnel.Runs, other.Reach, b.Funnel.Runs),
				})
			}
		}
	}
	return out
}

func difference(x1, n1, x2, n2 int64) flow.Difference {
	d := flow.Difference{First: ratio(x1, n1), Second: ratio(x2, n2)}
	if n1 == 0 || n2 == 0 {
		return d
	}
	first, err := experiment.Proportion(int(x1), int(n1))
	if err != nil {
		panic(err)
	}
	second, err := experiment.Proportion(int(x2), int(n2))
	if err != nil {
		panic(err)
	}
	v, i := *d.Second-*d.First, experiment.Fixed(first, second, 0.05)
	d.Difference, d.Interval = &v, &flow.Interval{Low: i.Low, High: i.High}
	return d
}

// PeopleBehind returns the people of the runs that a cell of a report of the graphs has, the latest run first. What
// stands for (other) is asked for by that name, and everything else by its own, listed or not.
func (s *Selection) PeopleBehind(cell flow.Behind, graphs []flow.Graph) []flow.Person {
	steps, surfaces := s, s
	if cell.NamesOther() {
		steps, surfaces = s.listed(graphs), s.listedSurfaces(graphs)
	}
	byPerson, excluded := map[string]*flow.Person{}, map[string]bool{}
	for i, r := range s.runs {
		if !steps.inCell(steps.runs[i], surfaces.runs[i], &cell) {
			continue
		}
		excluded[r.person] = excluded[r.person] || cell.Figure == flow.FigureClaimed && s.buys(r)
		if !s.counts(r, cell.Figure) {
			continue
		}
		p := byPerson[r.person]
		if p == nil {
			p = &flow.Person{AppUserID: r.person, CustomUserID: s.world.Touches[r.person].CustomUserID}
			byPerson[r.person] = p
		}
		p.Runs++
		p.LatestRunAt, p.LatestState = time.UnixMilli(r.start).UTC(), s.stateOf(r)
	}
	list := []flow.Person{}
	for person, p := range byPerson {
		if !excluded[person] {
			list = append(list, *p)
		}
	}
	slices.SortFunc(list, func(a, b flow.Person) int {
		return cmp.Or(b.LatestRunAt.Compare(a.LatestRunAt), cmp.Compare(a.AppUserID, b.AppUserID))
	})
	return list
}

// counts tells whether a run is one that a figure counts.
func (s *Selection) counts(r *flowRun, figure flow.Figure) bool {
	switch figure {
	case "":
		return true
	case flow.FigureDropped:
		return s.drops(r)
	case flow.FigureViewed:
		return viewed(r)
	case flow.FigurePurchased:
		return s.buys(r)
	case flow.FigureClaimed:
		return r.claims()
	}
	return s.stateOf(r) == string(figure)
}

// inCell tells whether a run is in a cell, whatever the figure; shown is the run with its surfaces.
func (s *Selection) inCell(r, shown *flowRun, c *flow.Behind) bool {
	if start := time.UnixMilli(r.start); !c.From.IsZero() && (start.Before(c.From) || !start.Before(c.To)) {
		return false
	}
	for _, v := range c.Values {
		if s.value(r, v.Dimension, v.Key) != v.Value {
			return false
		}
	}
	reaches := func(step string) bool {
		return slices.ContainsFunc(r.visits(), func(v Event) bool { return v.Step == step })
	}
	says := func(is func(e Event) bool) bool { return slices.ContainsFunc(r.events, is) }
	presents := func(is func(e Event) bool) bool { return slices.ContainsFunc(shown.events, is) }
	ofSurface := func(e Event) bool { return c.Surface == nil || e.Step == c.Surface[0] && e.Subject == c.Surface[1] }
	switch {
	case c.Step != "" && !reaches(c.Step),
		c.LastStep && !ended(r, c.Step),
		c.Completed && !says(func(e Event) bool {
			return e.Step == c.Step && (e.Name == "step_completed" || e.Name == "surface_outcome" || e.Name == "iap_purchase")
		}),
		c.Skipped && !says(func(e Event) bool { return e.Step == c.Step && e.Name == "step_skipped" }),
		c.Arrival != nil && (!reaches(c.Arrival[1]) || arrival(r, c.Arrival[1]).ID != c.Arrival[0]),
		c.Exit != nil && (!reaches(c.Exit[0]) || s.exit(r, c.Exit[0]).ID != c.Exit[1]),
		c.Decision != nil && !says(func(e Event) bool {
			return e.Name == "decision_evaluated" && e.Subject == c.Decision[0] && e.Value == c.Decision[1]
		}),
		c.Surface != nil && c.Outcome == "" &&
			!presents(func(e Event) bool { return e.Name == "surface_presented" && e.Step != "" && ofSurface(e) }),
		c.Outcome != "" &&
			!presents(func(e Event) bool { return e.Name == "surface_outcome" && ofSurface(e) && e.Value == c.Outcome }):
		return false
	}
	return true
}
