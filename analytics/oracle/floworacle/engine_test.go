package floworacle_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the worlds, whatever the machine has

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle/floworacle"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/session"
)

// worlds is how many worlds the test compares; SVC_ORACLE_WORLDS asks for more than 500 at night.
func worlds(t *testing.T) {
	n := 500
	if raw := os.Getenv("SVC_ORACLE_WORLDS"); raw != "" {
		var err error
		if n, err = strconv.Atoi(raw); err != nil {
			t.Fatalf("SVC_ORACLE_WORLDS: %v", err)
		}
	}
	old := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("rapid.checks", old) })
}

func TestFlowEngineAgreesWithOracle(t *testing.T) {
	worlds(t)
	procs := runtime.GOMAXPROCS(3)
	t.Cleanup(func() { runtime.GOMAXPROCS(procs) })
	rapid.Check(t, func(t *rapid.T) {
		s := floworacle.Draw(t)
		people := report.NewEngine(report.DefaultTuning())
		// Small worlds are to take every path of the engine.
		engine := flow.NewEngine(flow.Tuning{
			RunsPerWorker: rapid.SampledFrom([]int{1, 2, 20_000}).Draw(t, "runs per worker"),
			EdgeTable:     rapid.SampledFrom([]int{0, 5, 256}).Draw(t, "edge table"),
			FewTimes:      rapid.SampledFrom([]int{0, 1, 70, 1 << 20}).Draw(t, "few times"),
			ManyNames:     rapid.SampledFrom([]int{0, 3, 1 << 12}).Draw(t, "many names"),
		}, people)
		o := floworacle.New(s.World, s.Now)
		unknown := rapid.SampledFrom([]int{0, 1, 2, 3, flow.MaxUnknown}).Draw(t, "unknown names of a list")
		engine.LimitUnknown(unknown)
		o.LimitUnknown(unknown)
		view := load(t, s)
		for range 2 {
			scope := s.DrawScope(t)
			resolved, err := scope.Resolve(s.Now)
			if err != nil {
				t.Fatalf("Resolve: %v", err)
			}
			var members *report.Members
			if scope.Segment != nil {
				if members, err = people.Members(view, scope.Segment, s.Now); err != nil {
					t.Fatalf("Members: %v", err)
				}
			}
			selection, err := engine.Select(view, scope, members, s.Now)
			if err != nil {
				t.Fatalf("Select: %v", err)
			}
			expected := s.Members(scope.Segment)
			compare(t, selection, o.Select(resolved, expected), expected)
			if rapid.IntRange(0, 3).Draw(t, "asked again") == 0 { // what the view remembers is right, too
				if selection, err = engine.Select(view, scope, members, s.Now); err != nil {
					t.Fatalf("Select: %v", err)
				}
				compare(t, selection, o.Select(resolved, expected), expected)
			}
			if rapid.IntRange(0, 3).Draw(t, "streamed") == 0 {
				streamed, err := engine.Stream(portions(t, s), scope, s.Now)
				if err != nil {
					t.Fatalf("Stream: %v", err)
				}
				compare(t, streamed, o.Select(resolved, expected), expected)
			}
		}
	})
}

// load folds the world in random batches into an environment: some at first, the rest as changes.
func load(t *rapid.T, s floworacle.Scenario) *frame.View {
	store, env := floworacle.NewStore(), frame.NewDataset()
	env.OpenFloor = rapid.IntRange(0, 3).Draw(t, "open floor")
	env.LimitPaths(drawPaths(t))
	floworacle.FillRest(env, s.World)
	for rest := s.World.Events; len(rest) > 0; {
		n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
		if err := store.Fill(env, store.Ingest(rest[:n])); err != nil {
			t.Fatalf("Fill: %v", err)
		}
		rest = rest[n:]
	}
	env.SetPurchases(s.World.Purchases)
	return floworacle.Everything(env)
}

// drawPaths returns how many bytes paths may take: none, some of them, or all.
func drawPaths(t *rapid.T) int64 {
	return rapid.SampledFrom([]int64{0, 500, 1 << 20}).Draw(t, "bytes of paths")
}

// portioned is a world that is read a few people at a time.
type portioned struct {
	root   *frame.Dataset
	worlds []floworacle.World
}

// portions deals the people of a world out to portions.
func portions(t *rapid.T, s floworacle.Scenario) *portioned {
	p := &portioned{root: frame.NewDataset(), worlds: make([]floworacle.World, rapid.IntRange(1, 3).Draw(t, "portions"))}
	p.root.LimitPaths(drawPaths(t))
	for i := range p.worlds {
		p.worlds[i].Touches = map[string]frame.FirstTouch{}
	}
	of := map[string]*floworacle.World{}
	for _, person := range []string{"", "p1", "p2", "p3", "p4", "p5"} {
		of[person] = &p.worlds[rapid.IntRange(0, len(p.worlds)-1).Draw(t, "portion of "+person)]
	}
	for _, e := range s.World.Events {
		of[e.Person].Events = append(of[e.Person].Events, e)
	}
	for _, h := range s.World.Hits {
		of[h.Person].Hits = append(of[h.Person].Hits, h)
	}
	for _, c := range s.World.Purchases {
		of[c.Visitor].Purchases = append(of[c.Visitor].Purchases, c)
	}
	for person, touch := range s.World.Touches {
		of[person].Touches[person] = touch
	}
	return p
}

func (p *portioned) View() *frame.View { return floworacle.Everything(p.root) }

func (p *portioned) Each(_ context.Context, visit func(*frame.View) error) error {
	store := floworacle.NewStore()
	for _, w := range p.worlds {
		changed := store.Ingest(w.Events)
		portion := p.root.Portion()
		floworacle.FillRest(portion, w)
		if err := store.FillOnly(p.root, portion, changed); err != nil {
			return err
		}
		portion.SetPurchases(w.Purchases)
		if err := visit(floworacle.Everything(portion)); err != nil {
			return err
		}
	}
	return nil
}

// compare runs every report of a selection.
func compare(t *rapid.T, e *flow.Selection, o *floworacle.Selection, members map[string]bool) {
	ctx := t.Context()
	overview, err := e.Overview(ctx)
	same(t, "overview", overview, err, o.Overview(members))
	grain := rapid.SampledFrom([]analytics.Grain{"", analytics.Week, analytics.Month, analytics.Hour}).Draw(t, "grain")
	points, err := e.Timeseries(ctx, grain)
	same(t, "timeseries", points, err, o.Timeseries(grain))
	versions, err := e.Versions(ctx)
	same(t, "versions", versions, err, o.Versions())

	graphs := floworacle.Graphs[:rapid.IntRange(0, 2).Draw(t, "graphs")]
	funnel, err := e.Funnel(ctx, graphs)
	same(t, "funnel", funnel, err, o.Funnel(graphs))
	edgesAddUp(t, funnel)
	dropoff, err := e.Dropoff(ctx, graphs)
	same(t, "dropoff", dropoff, err, o.Dropoff(graphs))
	durations, err := e.StepDuration(ctx, graphs)
	same(t, "step duration", durations, err, o.StepDuration(graphs))
	purchases, err := e.Purchases(ctx, graphs)
	same(t, "purchases", purchases, err, o.Purchases(graphs))

	dimensions := flow.CohortDimensions
	dimension := func(what string) flow.Value {
		v := flow.Value{Dimension: rapid.SampledFrom(dimensions).Draw(t, what)}
		if v.Dimension == flow.CustomProperty {
			v.Key = rapid.SampledFrom([]string{"plan", "n", "nobody"}).Draw(t, what+" key")
		}
		return v
	}
	d := dimension("cohort")
	cohorts, err := e.Cohorts(ctx, d.Dimension, d.Key, report.Page{})
	if err != nil {
		t.Fatalf("cohorts: %v", err)
	}
	same(t, "cohorts by "+string(d.Dimension), cohorts.Rows, nil, o.Cohorts(d.Dimension, d.Key))
	keys, err := e.CohortKeys(ctx)
	same(t, "cohort keys", keys, err, o.CohortKeys())
	if grain == analytics.Hour {
		grain = analytics.Day
	}
	series, err := e.TimeseriesCohorts(ctx, d.Dimension, d.Key, grain)
	same(t, "cohort series by "+string(d.Dimension), series, err, o.TimeseriesCohorts(d.Dimension, d.Key, grain))
	row, column := dimension("row"), dimension("column")
	heatmap, err := e.Heatmap(ctx, row, column)
	same(t, "heatmap", heatmap, err, o.Heatmap(row, column))

	by := rapid.SampledFrom([]analytics.Dimension{flow.Version, flow.Variant}).Draw(t, "retention by")
	retention, err := e.Retention(ctx, by)
	same(t, "retention", retention, err, o.Retention(by))
	app, err := e.AppOverview(ctx, report.Page{})
	if err != nil {
		t.Fatalf("app overview: %v", err)
	}
	rows, totals, incomplete := o.AppOverview(members)
	same(t, "app overview", []any{app.Rows, app.Totals, app.Incomplete}, nil, []any{rows, totals, incomplete})

	sides := [2]string{text(floworacle.Versions[0]), text(floworacle.Versions[1])}
	if by == flow.Variant && e.Scope().Experiment == floworacle.Experiment {
		sides = [2]string{"a", "b"}
	} else {
		by = flow.Version
	}
	comparison, err := e.Compare(ctx, by, sides, graphs)
	same(t, "comparison", comparison, err, o.Compare(by, sides, graphs, members))
	comparePeople(t, e, o, funnel, graphs)
}

func text(key session.Key) string { return uuid.UUID(key).String() }

// edgesAddUp checks both identities of edges: arrivals at a step and exits from it are its reach.
func edgesAddUp(t *rapid.T, f *flow.Funnel) {
	arrivals, exits := map[string]int64{}, map[string]int64{}
	for _, e := range f.Arrivals {
		arrivals[e.To.ID] += e.Runs
	}
	for _, e := range f.Exits {
		exits[e.From.ID] += e.Runs
	}
	for _, step := range f.Steps {
		if arrivals[step.ID] != step.Reach || exits[step.ID] != step.Reach {
			t.Fatalf("%s: %d arrivals and %d exits of %d runs", step.ID, arrivals[step.ID], exits[step.ID], step.Reach)
		}
	}
}

// drawCell makes a cell of one or several reports.
func drawCell(t *rapid.T, e *flow.Selection, o *floworacle.Selection, f *flow.Funnel) (cell flow.Behind) {
	few := func(what string) bool { return rapid.IntRange(0, 3).Draw(t, "behind "+what) == 0 }
	step := func(what string) string {
		return rapid.SampledFrom(append([]string{flow.Other}, floworacle.Steps...)).Draw(t, what)
	}
	if few("a figure") {
		cell.Figure = rapid.SampledFrom([]flow.Figure{
			flow.FigureCompleted, flow.FigureAbandoned, flow.FigureLapsed, flow.FigureOpen, flow.FigureDropped,
			flow.FigureViewed, flow.FigurePurchased, flow.FigureClaimed,
		}).Draw(t, "figure")
	}
	if few("a bucket") {
		span := e.Scope().End.Sub(e.Scope().Start)
		cell.From = e.Scope().Start.Add(span / 8 * time.Duration(rapid.IntRange(0, 8).Draw(t, "bucket")))
		cell.To = cell.From.Add(span / 4)
	}
	if len(f.Arrivals) > 0 && few("an arrival") {
		edge := rapid.SampledFrom(f.Arrivals).Draw(t, "arrival")
		cell.Arrival = &[2]string{edge.From.ID, edge.To.ID}
	}
	if len(f.Exits) > 0 && few("an exit") {
		edge := rapid.SampledFrom(f.Exits).Draw(t, "exit")
		cell.Exit = &[2]string{edge.From.ID, edge.To.ID}
	}
	if few("a step") {
		cell.Step = step("step")
		switch rapid.IntRange(0, 5).Draw(t, "what of the step") {
		case 0:
			cell.LastStep = true
		case 1:
			cell.Completed = true
		case 2:
			cell.Skipped = true
		}
	}
	if few("a decision") {
		cell.Decision = &[2]string{
			rapid.SampledFrom([]string{"d1", "d2", "d3"}).Draw(t, "node"),
			rapid.SampledFrom([]string{"", "c1", "c2"}).Draw(t, "case"),
		}
		if few("other decisions") {
			cell.Decision = &[2]string{flow.Other, flow.Other}
		}
	}
	if few("a surface") {
		cell.Surface = &[2]string{step("surface"), rapid.SampledFrom(floworacle.Providers).Draw(t, "provider")}
		if few("other surfaces") {
			cell.Surface = &[2]string{flow.Other, flow.Other}
		}
	}
	if few("an outcome") {
		cell.Outcome = rapid.SampledFrom([]string{
			"purchase_completed", "dismissed", "shrugged", "unheard of", flow.Other,
		}).Draw(t, "outcome")
	}
	for rapid.IntRange(0, 3).Draw(t, "behind a value") == 0 {
		v := flow.Value{Dimension: rapid.SampledFrom(flow.CohortDimensions).Draw(t, "dimension")}
		if v.Dimension == flow.CustomProperty {
			v.Key = rapid.SampledFrom([]string{"plan", "n"}).Draw(t, "key")
		}
		rows := o.Cohorts(v.Dimension, v.Key)
		if len(rows) == 0 {
			break
		}
		v.Value = rapid.SampledFrom(rows).Draw(t, "row").Value
		cell.Values = append(cell.Values, v)
	}
	return cell
}

// comparePeople looks behind a cell, page by page.
func comparePeople(
	t *rapid.T, e *flow.Selection, o *floworacle.Selection, f *flow.Funnel, graphs []flow.Graph,
) {
	behind := drawCell(t, e, o, f)
	want, got, after := o.PeopleBehind(behind, graphs), []flow.Person{}, ""
	first := rapid.IntRange(1, 3).Draw(t, "people a page")
	for {
		page, err := e.PeopleBehind(t.Context(), behind, graphs, first, after)
		if err != nil {
			t.Fatalf("people: %v", err)
		}
		if page.TotalCount != len(want) {
			t.Fatalf("people behind %+v: %d, not %d", behind, page.TotalCount, len(want))
		}
		got, after = append(got, page.People...), page.EndCursor
		if page.HasNextPage != (len(got) < len(want)) {
			t.Fatalf("people: next page %v after %d of %d", page.HasNextPage, len(got), len(want))
		}
		if !page.HasNextPage {
			break
		}
	}
	same(t, "people", got, nil, want)
}

// same compares two answers by their JSON, which holds every figure that a client can see.
func same(t *rapid.T, what string, got any, err error, want any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if string(g) != string(w) {
		t.Fatalf("%s\ngot  %s\nwant %s", what, g, w)
	}
}
