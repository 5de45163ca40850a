package report

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// benchScale returns the size of 1× in sessions. SVC_BENCH_SESSIONS=1700000 gives the size that
// docs/analytics.md reports: 30 days, 520,000 visitors, 11 million hits, 3,000 pages.
func benchScale() int {
	if n, err := strconv.Atoi(os.Getenv("SVC_BENCH_SESSIONS")); err == nil && n > 0 {
		return n
	}
	return 20_000
}

const benchDays = 30

var benchEnd = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// synthetic makes an environment whose traffic is skewed as real traffic is: few sources, pages,
// cities and people make up most of it.
func synthetic(sessions int) *frame.Dataset {
	env := frame.NewDataset()
	var names []frame.NameRow
	name := func(kind frame.Kind, text string) uint32 {
		names = append(names, frame.NameRow{ID: uint32(len(names) + 1), Kind: kind, Text: text})
		return uint32(len(names))
	}
	start, firstVisit := name(frame.SessionStart, ""), name(frame.FirstVisit, "")
	var pages, events []uint32
	for i := range 3000 {
		pages = append(pages, name(frame.PageView, fmt.Sprintf("/section-%d/page-%d", i%40, i)))
	}
	for i := range 25 {
		events = append(events, name(frame.Custom, fmt.Sprintf("event_%d", i)))
	}
	env.SetNames(names)
	people := sessions * 52 / 170
	touched := make([]int64, people)
	first := benchEnd.AddDate(0, 0, -benchDays)
	var mu sync.Mutex
	days := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			builder := env.NewBuilder()
			for day := range days {
				rng := rand.New(rand.NewPCG(uint64(day), 1))
				at := first.AddDate(0, 0, day)
				for i := range sessions / benchDays {
					s := syntheticSession(rng, at, people, i, start, firstVisit, pages, events)
					builder.Add(&s)
					var person int
					if _, err := fmt.Sscanf(s.Visitor, "00000000-0000-7000-8000-%012d", &person); err != nil {
						panic(err) // syntheticSession names visitors so
					}
					began := slices.MinFunc(s.Hits, func(a, b int64) int { return int(frame.HitTime(a) - frame.HitTime(b)) })
					mu.Lock()
					if t := frame.HitTime(began) + frame.EpochMillis; touched[person] == 0 || t < touched[person] {
						touched[person] = t
					}
					mu.Unlock()
				}
				env.Put(frame.Sessions, frame.Day(at), builder.Seal())
			}
		})
	}
	for day := range benchDays {
		days <- day
	}
	close(days)
	wg.Wait()
	rng := rand.New(rand.NewPCG(7, 7))
	var purchases []frame.Purchase
	for person, seen := range touched {
		if seen == 0 {
			continue
		}
		if rng.IntN(3) == 0 {
			seen -= int64(rng.IntN(200)) * 86_400_000 // known from before
		}
		env.SetFirstTouch(&frame.FirstTouch{
			Visitor: visitorID(person), FirstSeen: seen, Source: skewed(rng, "source-%d", 200, 3),
			Country:  skewed(rng, "C%d", 120, 3),
			Campaign: skewed(rng, "campaign-%d", 500, 3), Platform: "web", Device: skewed(rng, "device-%d", 3, 2),
		})
		if rng.IntN(50) == 0 {
			purchases = append(purchases, frame.Purchase{
				Visitor: visitorID(person), At: first.UnixMilli() + rng.Int64N(benchDays*86_400_000),
				Provider:     frame.Provider(rng.IntN(3)),
				AmountMicros: 9_990_000,
			})
		}
	}
	env.SetPurchases(purchases)
	return env
}

func visitorID(person int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012d", person) }

func skewed(rng *rand.Rand, format string, n int, power float64) string {
	return fmt.Sprintf(format, int(math.Pow(rng.Float64(), power)*float64(n)))
}

func syntheticSession(
	rng *rand.Rand, day time.Time, people, i int, start, firstVisit uint32, pages, events []uint32,
) frame.Session {
	place := int(math.Pow(rng.Float64(), 3) * 9000)
	s := frame.Session{
		Visitor:  visitorID(int(math.Pow(rng.Float64(), 2) * float64(people))),
		ID:       fmt.Sprintf("%08x-0000-7000-8000-%012x", day.Unix(), i),
		Source:   skewed(rng, "source-%d", 200, 3),
		Medium:   []string{"cpc", "organic", "social", "email", "referral"}[rng.IntN(5)],
		Referrer: skewed(rng, "https://ref-%d.example/", 800, 3), Landing: "https://app.example/",
		Country: fmt.Sprintf("C%d", place/75), Region: fmt.Sprintf("R%d", place/7), City: fmt.Sprintf("City %d", place),
		Lat: float64(place%90) + 0.5, Lon: float64(place % 180), HasCoordinates: true,
		Platform: "web", Device: skewed(rng, "device-%d", 3, 2), Browser: skewed(rng, "browser-%d", 12, 2),
		OS:      skewed(rng, "os-%d", 8, 2),
		HomeDay: frame.Day(day),
	}
	if rng.IntN(10) < 4 {
		s.Campaign = skewed(rng, "campaign-%d", 500, 3)
	}
	at := day.UnixMilli() + rng.Int64N(86_400_000)
	s.Hits = append(s.Hits, frame.PackHit(at, start))
	if rng.IntN(3) == 0 {
		s.Hits = append(s.Hits, frame.PackHit(at, firstVisit))
	}
	for range 1 + int(-math.Log(1-rng.Float64())*3.4) {
		s.Hits = append(s.Hits, frame.PackHit(at, pages[int(math.Pow(rng.Float64(), 3)*float64(len(pages)))]))
		at += rng.Int64N(120_000)
		if rng.IntN(4) == 0 {
			s.Hits = append(s.Hits, frame.PackHit(at, events[int(math.Pow(rng.Float64(), 2)*float64(len(events)))]))
		}
	}
	return s
}

var benchViews = map[int]*frame.View{}

func benchView(b testing.TB, sessions int) *frame.View {
	if benchViews[sessions] == nil {
		env := synthetic(sessions)
		v := env.View(math.MinInt32, math.MaxInt32)
		rows, hits := 0, 0
		for _, f := range v.Frames {
			rows += f.Sealed.Len()
			hits += len(f.Sealed.Hits())
		}
		budget := 120*rows + 12*hits
		b.Logf("%d sessions, %d hits, %d visitors: %d MB, %.0f B a session with its hits, budget %.0f",
			rows, hits, v.Visitors.Len(),
			env.Bytes()>>20, float64(env.Bytes())/float64(rows), float64(budget)/float64(rows))
		benchViews[sessions] = v
	}
	return benchViews[sessions]
}

// crossFilters are three filters, one of them a contains on pages.
var crossFilters = []analytics.Filter{
	{Dimension: analytics.Page, Operator: analytics.Contains, Values: []string{"section-1"}},
	{Dimension: analytics.Device, Operator: analytics.IsNot, Values: []string{"device-2"}},
	{Dimension: analytics.Country, Operator: analytics.Is, Values: []string{"C0", "C1", "C2", "C3"}},
}

// benchGoals are as many goals as an app has that uses them much: events, and pages by their beginning.
var benchGoals = func() (goals []analytics.Goal) {
	for i := range 10 {
		event := analytics.GoalCondition{Event: &analytics.GoalEvent{Name: fmt.Sprintf("event_%d", i)}}
		page := analytics.GoalCondition{Page: &analytics.GoalView{
			Op: analytics.GoalIs, Name: fmt.Sprintf("/section-%d/**", i),
		}}
		for _, condition := range []analytics.GoalCondition{event, page} {
			goals = append(goals, analytics.Goal{ID: uuid.New(), Name: fmt.Sprint(len(goals)), Condition: condition})
		}
	}
	return goals
}()

// benchFunnel has six steps, of which the first are met often.
var benchFunnel = func() analytics.Funnel {
	f := analytics.Funnel{By: analytics.FunnelByVisitor, Order: analytics.FunnelLoose, WindowMinutes: 7 * 24 * 60}
	for i := range 6 {
		f.Steps = append(f.Steps, analytics.FunnelStep{Condition: &benchGoals[i].Condition})
	}
	return f
}()

// benchPaths are as long as they may be, from a part of a site that most visitors see.
var benchPaths = analytics.PathQuery{
	Anchor: analytics.PathAnchor{Kind: analytics.PathPage, Name: "/section-0/*"}, Steps: analytics.MaxPathSteps,
	Groups: []string{"/section-1/**", "/section-2/**"},
}

var benchReports = []struct {
	name string
	run  func(*Selection) error
}{
	{"summary", func(s *Selection) error { _, err := s.Summary(context.Background()); return err }},
	{"series", func(s *Selection) error { _, err := s.Series(context.Background(), analytics.Day); return err }},
	{"overview", func(s *Selection) error { _, err := s.Overview(context.Background()); return err }},
	{"attribution-by-channel", func(s *Selection) error {
		_, err := s.Attribution(context.Background(), analytics.AcquisitionChannel, Page{})
		return err
	}},
	{"attribution-by-source", func(s *Selection) error {
		_, err := s.Attribution(context.Background(), analytics.Source, Page{})
		return err
	}},
	{"attribution-series", func(s *Selection) error {
		_, err := s.AttributionSeries(context.Background(), analytics.Source, Visitors, analytics.Day)
		return err
	}},
	{"engagement-by-page", func(s *Selection) error { _, err := s.Pages(context.Background(), Page{}); return err }},
	{"engagement-by-entry", func(s *Selection) error { _, err := s.Entries(context.Background(), Page{}); return err }},
	{"engagement-by-exit", func(s *Selection) error { _, err := s.Exits(context.Background(), Page{}); return err }},
	{"engagement-series", func(s *Selection) error {
		_, err := s.EngagementSeries(context.Background(), analytics.Page, Views, analytics.Day)
		return err
	}},
	{"engagement-series-visitors", func(s *Selection) error {
		_, err := s.EngagementSeries(context.Background(), analytics.Page, Visitors, analytics.Day)
		return err
	}},
	{"screens", func(s *Selection) error { _, err := s.Screens(context.Background(), Page{}); return err }},
	{"events", func(s *Selection) error { _, err := s.Events(context.Background(), Page{}); return err }},
	{"events-series", func(s *Selection) error {
		_, err := s.EventsSeries(context.Background(), Count, analytics.Day)
		return err
	}},
	{"demographic-by-city", func(s *Selection) error {
		_, err := s.Demographic(context.Background(), analytics.City, Page{})
		return err
	}},
	{"demographic-series", func(s *Selection) error {
		_, err := s.DemographicSeries(context.Background(), analytics.Country, Visitors, analytics.Day)
		return err
	}},
	{"technology", func(s *Selection) error {
		_, err := s.Technology(context.Background(), analytics.Browser, Page{})
		return err
	}},
	{"technology-series", func(s *Selection) error {
		_, err := s.TechnologySeries(context.Background(), analytics.Device, Sessions, analytics.Day)
		return err
	}},
	{"goals", func(s *Selection) error { _, err := s.Goals(context.Background(), Page{}); return err }},
	{"goal-breakdown", func(s *Selection) error {
		_, err := s.GoalBreakdown(context.Background(), benchGoals[0].ID, analytics.Source, Page{})
		return err
	}},
	{"funnel", func(s *Selection) error { _, err := s.Funnel(context.Background(), benchFunnel); return err }},
	{"paths", func(s *Selection) error { _, err := s.Paths(context.Background(), benchPaths); return err }},
	{"summary-of-converters", func(s *Selection) error {
		scope := s.scope
		scope.Cross = append(slices.Clone(scope.Cross), analytics.Filter{
			Dimension: analytics.MetGoal, Operator: analytics.Is, Values: []string{benchGoals[0].ID.String()},
		})
		of, err := s.engine.Select(s.view, scope, nil, benchEnd)
		if err == nil {
			_, err = of.Summary(context.Background())
		}
		return err
	}},
	{"retention", func(s *Selection) error { _, err := s.Retention(context.Background()); return err }},
	{"retention-by-source", func(s *Selection) error {
		_, err := s.RetentionBreakdown(context.Background(), analytics.Source, Page{})
		return err
	}},
	{"retention-series", func(s *Selection) error {
		_, err := s.RetentionSeries(context.Background(), analytics.Day, nil)
		return err
	}},
	{"retention-cohorts", func(s *Selection) error {
		_, err := s.RetentionCohorts(context.Background(), analytics.Day, nil)
		return err
	}},
	{"retention-curve", func(s *Selection) error { _, err := s.RetentionCurve(context.Background(), 0, nil); return err }},
	{"visitors", func(s *Selection) error { _, err := s.Visitors(context.Background(), Page{}); return err }},
	{"live", func(s *Selection) error {
		now := benchEnd.Add(-time.Minute)
		live, err := s.engine.Select(s.view, LiveScope("", nil, now), nil, now)
		if err == nil {
			_, err = live.Live(context.Background(), Page{})
		}
		return err
	}},
}

// cpuTime returns the processor time of the process so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkReport times each report with the selection of its scope, warm, at three sizes.
func BenchmarkReport(b *testing.B) {
	engine := NewEngine(DefaultTuning())
	for _, scale := range []float64{0.1, 1, 4} {
		if scale > 1 && benchScale() > 100_000 {
			continue // 4× of the full size is more memory than a small machine has
		}
		view := benchView(b, int(scale*float64(benchScale())))
		for _, cross := range [][]analytics.Filter{nil, crossFilters} {
			scope := analytics.Scope{
				Start: benchEnd.AddDate(0, 0, -benchDays), End: benchEnd, Cross: cross, Goals: benchGoals,
				Follow: benchFunnel.Window(),
			}
			for _, r := range benchReports {
				b.Run(fmt.Sprintf("%s,filters=%d/%gx", r.name, len(cross), scale), func(b *testing.B) {
					b.ReportAllocs()
					began := cpuTime()
					for b.Loop() {
						s, err := engine.Select(view, scope, nil, benchEnd)
						if err == nil {
							s.window.counts = newCountCache(s.window.rows) // count anew, as after a change
							err = r.run(s)
						}
						if err != nil {
							b.Fatal(err)
						}
					}
					// On a busy machine the processor time says more than the clock.
					took := float64((cpuTime() - began).Nanoseconds()) / float64(b.N)
					b.ReportMetric(took/1e6, "cpu-ms/op")
					// The same at every size: a report's work is linear in the sessions.
					b.ReportMetric(took/(scale*float64(benchScale())), "cpu-ns/session")
				})
			}
		}
	}
}

// BenchmarkReportAgain times what is asked again before new data arrives, at the full size.
func BenchmarkReportAgain(b *testing.B) {
	engine, view := NewEngine(DefaultTuning()), benchView(b, benchScale())
	scope := analytics.Scope{
		Start: benchEnd.AddDate(0, 0, -benchDays), End: benchEnd, Goals: benchGoals, Follow: benchFunnel.Window(),
	}
	for _, r := range benchReports {
		if !slices.Contains([]string{"goals", "funnel", "overview", "paths"}, r.name) {
			continue
		}
		b.Run(r.name, func(b *testing.B) {
			for b.Loop() {
				s, err := engine.Select(view, scope, nil, benchEnd)
				if err == nil {
					err = r.run(s)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMatch times conditions that frames answer, over all hits.
func BenchmarkMatch(b *testing.B) {
	view := benchView(b, benchScale())
	start, engine := benchEnd.AddDate(0, 0, -benchDays), NewEngine(DefaultTuning())
	for name, c := range map[string]*analytics.Condition{
		"event":  {Event: &analytics.EventCondition{Name: "page_view", AtLeast: 3}},
		"seen":   {Seen: &analytics.SeenCondition{Which: analytics.SeenLast, WithinDays: benchDays}},
		"person": {Person: &analytics.PersonCondition{Field: analytics.PersonFirstCountry, Op: analytics.ValueExists}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				people := NoPeople(view)
				engine.Match(view, c, start, benchEnd, benchEnd, people.AddOrdinal)
			}
			b.ReportMetric(float64(view.Visitors.Len()), "visitors")
		})
	}
}
