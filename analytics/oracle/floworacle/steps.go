package floworacle

import (
	"cmp"
	"math"
	"slices"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/manifest"
)

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
