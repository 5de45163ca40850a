package frame

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// drawFlowEvents draws events of few people, runs, moments and values, so that they meet.
func drawFlowEvents(t *rapid.T) []run.Event {
	events := make([]run.Event, rapid.IntRange(1, 40).Draw(t, "events"))
	few := func(what string, n int) byte { return byte(rapid.IntRange(0, n).Draw(t, what)) }
	text := rapid.SampledFrom([]string{"", "a", "b"})
	for i := range events {
		e := &events[i]
		e.Person, e.SessionID = rapid.SampledFrom([]string{"p", "q", "r"}).Draw(t, "person"), text.Draw(t, "session")
		e.Flow = session.Key{few("flow", 1)}
		if rapid.Bool().Draw(t, "has a run id") {
			e.RunID = session.Key{1, few("run", 2)}
		}
		e.Hit = run.Hit{
			Key: session.Key{byte(i)}, At: noon.UnixMilli() + rapid.Int64Range(-3, 3).Draw(t, "at"),
			Seq: int64(few("seq", 6)) - 1,
			Name: rapid.SampledFrom([]run.Name{
				run.FlowStarted, run.FlowStarted, run.StepViewed, run.SurfacePresented, run.FlowCompleted, run.FlowAbandoned,
			}).Draw(t, "name"),
			Step: int32(few("step", 3)), From: int32(few("from", 3)) - 1, Subject: int32(few("subject", 2)),
			Value: int32(few("value", 2)),
		}
		e.Context = run.Context{
			Release: run.Release{
				Channel: int64(few("channel", 1)), Version: session.Key{few("version", 1)}, AssignmentVersion: -1,
				Variant: text.Draw(t, "variant"),
			},
			Client: run.Client{
				Platform: text.Draw(t, "platform"), Locale: text.Draw(t, "locale"), AppVersion: text.Draw(t, "app"),
			},
			Place:  run.Place{Country: text.Draw(t, "country"), City: text.Draw(t, "city")},
			Device: run.Device{Browser: text.Draw(t, "browser"), OS: text.Draw(t, "os")},
			CustomProperties: rapid.SampledFrom([]string{
				"", `{"tier":"gold"}`, `{ "tier": "gold" }`, `{"n":1.50,"tier":"","deep":{"a": [1, 2]},"ok":true,"no":null}`,
			}).Draw(t, "custom"),
		}
	}
	return events
}

var stepNames = []FlowNameRow{{1, run.KindStep, "z"}, {2, run.KindStep, "m"}, {3, run.KindStep, "a"}}

func stepText(id int32) string { return stepNames[id-1].Text }

// rowsOf returns the runs of the rows that events add up to.
func rowsOf(t require.TestingT, events []run.Event) (rows []RunRow) {
	for _, row := range run.Fold(events) {
		runs, err := row.Runs(stepText)
		require.NoError(t, err)
		for _, r := range runs {
			rows = append(rows, RunRow{Day(noon), r})
		}
	}
	return rows
}

// told is a run in words.
func told(visitor string, key Key, start, last int64, flags uint32, context any, custom string, hits []string) string {
	return fmt.Sprintf(
		"%s %x %d–%d %03b %+v %s %s", visitor, key, start, last, flags, context, custom, strings.Join(hits, " "),
	)
}

// wanted returns what rows say.
func wanted(rows []RunRow) (all []string) {
	customs := map[string]string{
		"": "", `{"tier":"gold"}`: "tier=gold", `{ "tier": "gold" }`: "tier=gold",
		`{"n":1.50,"tier":"","deep":{"a": [1, 2]},"ok":true,"no":null}`: `deep={"a":[1,2]} n=1.50 no=null ok=true tier=`,
	}
	for i := range rows {
		r := rows[i].Run
		var hits []string
		for _, h := range r.Hits {
			hits = append(hits, fmt.Sprint(h.At-EpochMillis, Happening{h.Name, h.Step, h.From, h.Subject, h.Value}))
		}
		context := []any{
			ReleaseInfo{
				r.Flow, r.Release.Version, r.Release.Channel, r.Release.AssignmentVersion, r.Release.Experiment, r.Release.Variant,
			}, r.Client, r.Place, r.Device,
		}
		all = append(all, told(r.Person, RunKey(&r), r.StartedAt-EpochMillis, r.LastAt-EpochMillis, flagsOf(&r), context,
			customs[r.CustomProperties], hits))
	}
	slices.Sort(all)
	return all
}

// found returns what the frames of runs say, in the order of parts, and checks that order.
func found(t require.TestingT, v *View) (all []string) {
	for _, f := range v.Runs {
		for _, p := range []*Part{f.Sealed, f.Open} {
			if p == nil {
				continue
			}
			type order struct {
				visitor uint32
				start   int64
				key     Key
			}
			var rows []order
			for row := range uint32(p.Len()) {
				rows = append(rows, order{p.Visitors()[row], p.RunStart(row), p.Keys()[row]})
				if p == f.Sealed && f.Masked.Has(row) {
					continue
				}
				require.LessOrEqual(t, f.MinHit, p.RunStart(row))
				require.GreaterOrEqual(t, f.MaxHit, p.RunLast(row))
				all = append(all, runOf(v, p, row))
			}
			require.True(t, slices.IsSortedFunc(rows, func(a, b order) int {
				return cmp.Or(
					cmp.Compare(a.visitor, b.visitor), cmp.Compare(a.start, b.start), slices.Compare(a.key[:], b.key[:]),
				)
			}))
		}
	}
	slices.Sort(all)
	return all
}

func runOf(v *View, p *Part, row uint32) string {
	var hits []string
	for _, hit := range p.HitsOf(row) {
		hits = append(hits, fmt.Sprint(HitTime(hit), v.Happenings[HitName(hit)]))
	}
	client, place := v.Clients[p.Column(RunClient)[row]], v.Places[p.Column(RunPlace)[row]]
	tech := v.Techs[p.Column(RunTech)[row]]
	var custom []string
	for _, c := range v.CustomSets[p.Column(RunCustom)[row]] {
		custom = append(custom, v.CustomKeys[c.Key]+"="+v.CustomValues[c.Value])
	}
	slices.Sort(custom)
	visitor, flags := v.Visitors.ID(p.Visitors()[row]), p.Column(RunFlags)[row]
	return told(visitor, p.Keys()[row], p.RunStart(row), p.RunLast(row), flags, []any{
		v.Releases[p.Column(RunRelease)[row]],
		run.Client{
			Platform: v.Platforms[client.Platform], Locale: v.Locales[client.Locale],
			AppVersion: v.AppVersions[client.AppVersion],
		},
		run.Place{Country: v.Countries[place.Country], Region: v.Regions[place.Region], City: v.Cities[place.City]},
		run.Device{Device: v.Devices[tech.Device], Browser: v.Browsers[tech.Browser], OS: v.OSes[tech.OS]},
	}, strings.Join(custom, " "), hits)
}

func everything(data *Dataset) *View { return data.View(math.MinInt32, math.MaxInt32) }

// Whatever the order and the batches in which the events of runs become known, the frame has the runs of all events.
func TestUpsertsOfRunsGiveTheRowsOfOneBuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawFlowEvents(t)
		want := wanted(rowsOf(t, events))

		built := NewDataset()
		b := built.NewRunBuilder()
		for _, row := range rowsOf(t, events) {
			b.Add(&row)
		}
		built.Put(Runs, Day(noon), b.Seal())
		require.Equal(t, want, found(t, everything(built)))

		data := NewDataset()
		data.OpenFloor = rapid.IntRange(0, 8).Draw(t, "floor")
		data.Put(Runs, Day(noon), data.NewRunBuilder().Seal())
		shuffled := rapid.Permutation(events).Draw(t, "order")
		for from := 0; from < len(events); {
			to := from + rapid.IntRange(1, len(events)-from).Draw(t, "batch")
			data.UpsertRuns(changedBy(t, shuffled[:to], shuffled[from:to]))
			from = to
		}
		require.Equal(t, want, found(t, everything(data)))
	})
}

// changedBy returns the runs of all rows that some of the events are of.
func changedBy(t require.TestingT, events, changed []run.Event) (rows []RunRow) {
	type id struct {
		person    string
		flow, key session.Key
	}
	touched := map[id]bool{}
	for _, row := range run.Fold(changed) {
		touched[id{row.Person, row.Flow, row.Key}] = true
	}
	for _, row := range rowsOf(t, events) {
		if touched[id{row.Run.Person, row.Run.Flow, row.Run.Key}] {
			rows = append(rows, row)
		}
	}
	return rows
}

func TestRunsAndSessionsShareVisitors(t *testing.T) {
	data := named()
	data.Put(Sessions, Day(noon), build(data, visit("v", "s", 2)))
	data.SetFirstTouch(&FirstTouch{Visitor: "v", FirstSeen: noon.UnixMilli(), Source: "ad"})
	data.SetFlowNames(stepNames)
	b := data.NewRunBuilder()
	for _, person := range []string{"v", "w"} {
		b.Add(&RunRow{Day(noon), run.Run{
			Person: person, Hits: []run.Hit{{At: noon.UnixMilli(), Name: run.StepViewed, Step: 2}},
		}})
	}
	data.Put(Runs, Day(noon), b.Seal())
	v := everything(data)
	ordinal, ok := v.Ordinal("v")
	require.True(t, ok)
	require.Equal(t, ordinal, v.Frames[0].Sealed.Visitors()[0])
	require.Contains(t, v.Runs[0].Sealed.Visitors(), ordinal)
	require.Equal(t, "ad", v.Sources[v.Touch(ordinal).Source])
	other, ok := v.Ordinal("w")
	require.True(t, ok)
	require.Equal(t, NeverSeen, v.FirstSeen(other))
	kind, text := v.FlowName(2)
	require.Equal(t, run.KindStep, kind)
	require.Equal(t, "m", text)
	kind, _ = v.FlowName(77)
	require.Zero(t, kind)
	data.Drop(Runs, Day(noon))
	require.True(t, data.Has(Sessions, Day(noon)))
	require.False(t, data.Has(Runs, Day(noon)))
	require.Len(t, v.Runs, 1, "a view never changes")
}

func TestNamesThatAreMissing(t *testing.T) {
	data := NewDataset()
	r := run.Run{Hits: []run.Hit{{Step: 1, From: run.FromStart, Subject: 2}, {Step: 1, Value: 3}}}
	b := data.NewRunBuilder()
	require.ElementsMatch(t, []int32{1, 1, 2, 3}, b.Missing(&r, nil))
	data.SetFlowNames(stepNames[:2])
	require.NotEmpty(t, b.Missing(&r, nil), "names announced since are not known before they are refreshed")
	b.RefreshNames()
	require.Equal(t, []int32{3}, b.Missing(&r, nil))
	require.Equal(t, "m", b.Text(2))
	require.Empty(t, b.Text(3))
}

// What clients make up stays within its bytes, whatever they make up. Values known before keep their meaning.
func TestMadeUpValuesAreBounded(t *testing.T) {
	const limit = 1 << 20
	data := NewDatasetWithin(limit)
	known := run.Run{
		Person: "v", Flow: session.Key{1}, Hits: []run.Hit{{At: noon.UnixMilli(), Name: run.StepViewed, Step: 1, Value: 7}},
		Context: run.Context{
			Release: run.Release{Version: session.Key{2}, Variant: "b"}, Client: run.Client{Platform: "ios", Locale: "de"},
			CustomProperties: `{"tier":"gold"}`,
		},
	}
	b := data.NewRunBuilder()
	b.Add(&RunRow{Day(noon), known})
	for i := range 40_000 {
		unique := strings.Repeat(fmt.Sprint("made up ", i, " "), 1+i%10)
		b.Add(&RunRow{Day(noon), run.Run{
			Person: "v", Flow: session.Key{1}, Key: session.Key{byte(i), byte(i >> 8), byte(i >> 16)},
			Hits: []run.Hit{{
				At: noon.UnixMilli(), Name: run.StepViewed, Step: int32(i + 2), Subject: int32(i), Value: int32(i),
			}},
			Context: run.Context{
				Release: run.Release{Version: session.Key{byte(i % 3)}, AssignmentVersion: int64(i), Variant: unique},
				Client:  run.Client{Platform: "ios", Locale: unique, AppVersion: unique},
				CustomProperties: fmt.Sprintf(`{"k%d":%q,"user":%d,"much":%q,"tier":"gold"}`, i, unique, i,
					strings.Repeat("x", i%1000)),
			},
		}})
	}
	b.Add(&RunRow{Day(noon), known})
	data.Put(Runs, Day(noon), b.Seal())
	require.Less(t, data.Bytes()-data.DayBytes(Runs, Day(noon)), int64(limit+limit/8))
	v := everything(data)
	p := v.Runs[0].Sealed
	row, ok := p.find(0, RunKey(&known))
	require.True(t, ok)
	last := len(p.Visitors()) - 1
	if uint32(last) == row {
		last--
	}
	require.Equal(t, Happening{run.StepViewed, 1, 0, 0, 7}, v.Happenings[HitName(p.Hits()[p.Offsets()[row]])])
	require.Equal(t, "b", v.Releases[p.Column(RunRelease)[row]].Variant)
	require.Equal(t, "de", v.Locales[v.Clients[p.Column(RunClient)[row]].Locale])
	require.Equal(t, []CustomValue{{v.lookup(t, v.CustomKeys, "tier"), v.lookup(t, v.CustomValues, "gold")}},
		v.CustomSets[p.Column(RunCustom)[row]])
	full := 0
	for row := range uint32(p.Len()) {
		release := v.Releases[p.Column(RunRelease)[row]]
		require.Equal(t, session.Key{1}, release.Flow, "the flow and version of a run have room kept for them")
		if release.Variant == "" {
			full++
		}
		require.Equal(t, run.StepViewed, v.Happenings[HitName(p.Hits()[p.Offsets()[row]])].Name)
	}
	require.Positive(t, full)
	require.Equal(t, uint32(otherCustomSet), p.Column(RunCustom)[last])
	for _, value := range v.CustomValues {
		require.LessOrEqual(t, len(value), maxCustomBytes)
	}
}

func (v *View) lookup(t *testing.T, values []string, value string) uint32 {
	code := slices.Index(values, value)
	require.GreaterOrEqual(t, code, 0)
	return uint32(code)
}

func TestManyPropertiesOfOneRunAreBounded(t *testing.T) {
	data := NewDataset()
	var object []string
	for i := range 300 {
		object = append(object, fmt.Sprintf(`"k%03d":%d`, i, i))
	}
	b := data.NewRunBuilder()
	b.Add(&RunRow{Day(noon), run.Run{
		Hits:    []run.Hit{{At: noon.UnixMilli(), Name: run.StepViewed}},
		Context: run.Context{CustomProperties: "{" + strings.Join(object, ",") + "}"},
	}})
	data.Put(Runs, Day(noon), b.Seal())
	v := everything(data)
	set := v.CustomSets[v.Runs[0].Sealed.Column(RunCustom)[0]]
	require.Len(t, set, maxCustomProperties+1)
	require.Contains(t, set, CustomValue{v.lookup(t, v.CustomKeys, Other), v.lookup(t, v.CustomValues, Other)})
	require.NotContains(t, v.CustomKeys, "k064")
}

// A run with more hits than a frame keeps has its start and latest hit among those that are kept.
func TestHitsOfARunAreCapped(t *testing.T) {
	r := run.Run{Person: "v"}
	for i := range MaxHits + 10 {
		r.Hits = append(r.Hits, run.Hit{At: noon.UnixMilli() + int64(i), Name: run.StepViewed, Step: 1})
	}
	b := NewDataset().NewRunBuilder()
	b.Add(&RunRow{Day(noon), r})
	p := b.Seal()
	require.Len(t, p.Hits(), MaxHits)
	require.Equal(t, Millis(noon), p.RunStart(0))
	require.Equal(t, Millis(noon)+MaxHits-1, p.RunLast(0))
}

func TestMemoryOfRuns(t *testing.T) {
	data := NewDataset()
	rng := rand.New(rand.NewPCG(5, 6))
	b := data.NewRunBuilder()
	runs, hits := 60_000, 0
	for i := range runs {
		r := run.Run{
			Person: fmt.Sprintf("0197aa00-0000-7000-8000-%012d", rng.IntN(runs*6/10)), Flow: session.Key{byte(rng.IntN(5))},
			Key: session.Key{byte(i), byte(i >> 8), byte(i >> 16)},
			Context: run.Context{
				Release: run.Release{Version: session.Key{byte(rng.IntN(10))}, Variant: fmt.Sprint(rng.IntN(3))},
				Client: run.Client{
					Platform: "ios", Locale: fmt.Sprint("l", rng.IntN(40)), AppVersion: fmt.Sprint("1.", rng.IntN(30)),
				},
				Place: run.Place{Country: fmt.Sprint("C", rng.IntN(100))},
				CustomProperties: fmt.Sprintf(`{"tier":"t%d","cohort":"c%d","age":%d}`,
					rng.IntN(4), rng.IntN(50), rng.IntN(60)),
			},
		}
		for step := range 2 + rng.IntN(16) {
			r.Hits = append(r.Hits, run.Hit{
				At: noon.UnixMilli() + rng.Int64N(1e6), Name: run.StepViewed, Step: int32(step + 1), From: int32(step),
				Value: int32(rng.IntN(8)),
			})
		}
		hits += len(r.Hits)
		b.Add(&RunRow{Day(noon), r})
	}
	data.Put(Runs, Day(noon), b.Seal())
	require.LessOrEqual(t, data.Bytes(), int64(160*runs+8*hits), "160 B a run and 8 B a hit")
	t.Logf("%.0f B a run besides its hits", float64(data.Bytes()-int64(8*hits))/float64(runs))
}
