package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/framedir"
	"github.com/svc-dev/svc/analytics/store"
)

// The data of a year at scale 1: a billion events, of which a month is made up and eleven are the same of other
// visitors.
const (
	yearEvents  = 1_000_000_000
	yearMonths  = 12
	yearMemory  = 4 << 30 // bytes of the process and of its page cache
	leastMemory = 1 << 30 // that a smaller year has
	yearStart   = 1.0     // seconds
	yearLimit   = 2_000.0 // milliseconds of a report of the year that is asked for the first time
	monthLimit  = 500.0   // of one of a month
	againLimit  = 100.0   // of one that was asked for before
	yearTries   = 3
	yearPatient = 5 * time.Minute
)

// benchYear measures every report over frames of a billion events, which are made straight into files: no database has
// the rows. The server and its page cache have four gigabytes together.
func benchYear(ctx context.Context) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "svc", fmt.Sprintf("bench-year-%g-%d", options.scale, frame.Format))
	set, err := builtYear(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Printf("data: %d sessions, %d events, %d visitors, %d days (scale %g), made into files in %s\n",
		set.Sessions, set.Events, set.Visitors, yearMonths*reportDays, set.Scale, set.Took.Round(time.Second))
	folder := filepath.Join(dir, "frames")
	bytes, err := sizeOf(folder)
	if err != nil {
		return err
	}
	row("report cache of a year, disk", float64(bytes)/float64(set.Events), "B/event", 0, "")
	if err := forgetPages(folder); err != nil {
		return err
	}
	limited := limitMemory(memoryOfYear())
	defer limited.remove()
	fmt.Printf("memory of the server, its database and their page cache: %s\n", limited)
	b := &reportBench{set: set, dir: dir, client: &http.Client{Timeout: yearPatient}}
	s, took, err := startServerIn(ctx, limited, dir, "SVC_FRAME_DIR="+folder, "SVC_WARM_DAYS=0",
		"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0")
	if err != nil {
		return err
	}
	b.server = s
	row("start of the server", took.Seconds(), "s", yearStart, "limit")
	err = b.measureYear(ctx, limited)
	return errors.Join(err, s.stop())
}

// memoryOfYear returns how much memory the server and the pages of its files have: by the scale, and no less than a
// server needs.
func memoryOfYear() int64 { return int64(max(options.scale*yearMemory, leastMemory)) }

func (b *reportBench) measureYear(ctx context.Context, limited *memoryLimit) error {
	took, _, err := b.ask(ctx, coldQuestion, b.scope(reportDays, nil))
	if err != nil {
		return err
	}
	row("first chart of 30 days, of cold files", milliseconds(took), "ms", monthLimit, "limit")
	if err := b.timeSpans(ctx, []span{
		{reportDays, warmRequests, monthLimit}, {yearMonths * reportDays, yearTries, yearLimit},
	}); err != nil {
		return err
	}
	row("most memory that was taken", limited.most()/(1<<20), "MiB", float64(memoryOfYear())/(1<<20), "limit")
	return nil
}

// span is how long a range is, how often each report is asked for again, and what it may take the first time.
type span struct {
	days, tries int
	limit       float64 // milliseconds
}

// timeSpans measures every report over the last days of each length, without filters and with three.
func (b *reportBench) timeSpans(ctx context.Context, spans []span) error {
	only, err := regexp.Compile(options.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	for _, span := range spans {
		for _, filters := range []map[string]any{nil, crossFilters} {
			for _, q := range questions {
				name := span.nameOf(q, filters)
				if q.whole || !only.MatchString(q.name) && !only.MatchString(name) ||
					span.days > reportDays && q.name == "retention cohorts" {
					continue // cohorts are of a month at most
				}
				if err := b.timeSpan(ctx, name, q, span, filters); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// nameOf returns the name of a report in the output.
func (s span) nameOf(q question, filters map[string]any) string {
	name := q.name
	if filters != nil {
		name += ", filtered"
	}
	return fmt.Sprintf("%s, %d days", name, s.days)
}

// timeSpan measures one report: the first answer, with the processor time of the server, and the slowest of those that
// follow.
func (b *reportBench) timeSpan(
	ctx context.Context, name string, q question, span span, filters map[string]any,
) error {
	process := b.server.command.Process.Pid
	before, err := processTime(process)
	if err != nil {
		return err
	}
	first, _, err := b.ask(ctx, q, b.scope(span.days, filters))
	if err != nil {
		return err
	}
	after, err := processTime(process)
	if err != nil {
		return err
	}
	var times []time.Duration
	for range span.tries {
		took, _, err := b.ask(ctx, q, b.scope(span.days, filters))
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	slices.Sort(times)
	limit := againLimit
	if strings.Contains(q.field, theTurn) {
		limit = span.limit // another question each time
	}
	again := quantile(times, .95)
	printMeasure(name+", first", milliseconds(first), "ms", span.limit,
		fmt.Sprintf("limit; processor time %.0f", milliseconds(after-before)))
	printMeasure(name+", again p95", milliseconds(again), "ms", limit,
		fmt.Sprintf("limit; p50 %.0f", milliseconds(quantile(times, .5))))
	measured.addReport(report{q.name, span.days, filters != nil, first, after - before, again})
	return nil
}

// builtYear returns the frames of dir, made when they are not there or half made, beside a database without their rows.
func builtYear(ctx context.Context, dir string) (*dataSet, error) {
	content, err := os.ReadFile(filepath.Join(dir, dataSetFile))
	if err == nil {
		set := &dataSet{}
		return set, json.Unmarshal(content, set)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, err
	}
	s, _, err := startServer(ctx, dir)
	if err != nil {
		return nil, err
	}
	set, err := buildYear(ctx, s, filepath.Join(dir, "frames"))
	if err = errors.Join(err, s.stop()); err != nil {
		return nil, err
	}
	if content, err = json.Marshal(set); err != nil {
		return nil, err
	}
	return set, os.WriteFile(filepath.Join(dir, dataSetFile), content, 0o644)
}

// yearFiles writes the frames of a year.
type yearFiles struct {
	folder      *framedir.Directory
	environment int64
	data        *frame.Dataset
	manifest    *framedir.Manifest
	names       map[string]uint32
	visitors    int // of a month
}

func buildYear(ctx context.Context, s *server, path string) (*dataSet, error) {
	began := time.Now()
	pool, err := pgxpool.New(ctx, s.file.DatabaseURL)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	w := &yearFiles{data: frame.NewDataset(), names: map[string]uint32{}}
	if err := pool.QueryRow(
		ctx, `select id from environments where app_id = $1 and kind = 'live'`, s.file.Apps[0].ID,
	).Scan(&w.environment); err != nil {
		return nil, err
	}
	if w.folder, err = framedir.Open(path, 0); err != nil {
		return nil, err
	}
	w.manifest = w.folder.Begin(w.environment)
	if w.manifest.Identity, w.manifest.Snapshot, err = store.Identify(ctx, pool); err != nil {
		return nil, errors.Join(err, w.folder.Close())
	}
	set, err := w.build(ctx)
	if err == nil {
		err = w.folder.Commit(w.manifest)
	}
	if err = errors.Join(err, w.folder.Close()); err != nil {
		return nil, err
	}
	set.Took = time.Since(began)
	return set, nil
}

func (w *yearFiles) build(ctx context.Context) (*dataSet, error) {
	month := options.scale * yearEvents / yearMonths / reportEvents // of the data of reports
	world := newTraffic(month)
	w.visitors = world.limit
	w.announceNames()
	end := time.Now().UTC().Truncate(24 * time.Hour)
	sessions := int(reportSessions * month)
	set := &dataSet{
		Scale: options.scale, Sessions: sessions * yearMonths, Visitors: w.visitors * yearMonths,
		Start: end.AddDate(0, 0, -yearMonths*reportDays), End: end,
	}
	var touches []frame.FirstTouch
	fmt.Fprintf(os.Stderr, "making frames of %d sessions\n", set.Sessions)
	for day := range reportDays {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		from := end.AddDate(0, 0, day-reportDays)
		builder := w.data.NewBuilder()
		for i := range sessions / reportDays {
			share := (float64(i) + world.random.Float64()) / float64(sessions/reportDays)
			at := from.Add(time.Duration(share * float64(24*time.Hour)))
			v := world.visit(at, end)
			if v.visitor == len(touches) {
				touches = append(touches, v.firstTouch())
			}
			builder.Add(w.session(v, frame.Day(from), day*sessions+i))
		}
		part := builder.Seal()
		var writers errgroup.Group
		days := make([]framedir.Day, yearMonths)
		for m := range yearMonths {
			writers.Go(func() (err error) {
				days[m], err = w.writeDay(part, frame.Day(from), m)
				return err
			})
		}
		if err := writers.Wait(); err != nil {
			return nil, err
		}
		w.manifest.Days = append(w.manifest.Days, days...)
		fmt.Fprintf(os.Stderr, "  day %d of %d\n", day+1, reportDays)
	}
	set.Events = world.events * yearMonths
	for len(touches) < w.visitors { // who did not come, so that every month has as many
		touches = append(touches, (&visit{visitor: len(touches), events: []visitEvent{{at: end}}}).firstTouch())
	}
	writer := w.data.NewTouches()
	for m := range yearMonths {
		for i := range touches {
			touch := touches[i]
			if m > 0 {
				touch.Visitor = strconv.Itoa(m) + "-" + touch.Visitor
			}
			touch.FirstSeen += monthShift(m).Milliseconds()
			writer.Set(&touch)
		}
	}
	writer.Flush()
	return set, w.writePeople()
}

// monthShift is how long a month is after the one that is made up; the first of the year comes last.
func monthShift(m int) time.Duration { return -time.Duration(m) * reportDays * 24 * time.Hour }

// announceNames gives the names of all events their ids.
func (w *yearFiles) announceNames() {
	var rows []frame.NameRow
	add := func(kind frame.Kind, text string) {
		id := uint32(len(rows) + 1)
		rows = append(rows, frame.NameRow{ID: id, Kind: kind, Text: text})
		w.names[text] = id
	}
	add(frame.SessionStart, "session_start")
	for n := range uint64(reportPages) {
		add(frame.PageView, pageOf(n))
	}
	for n := range uint64(reportNames) {
		add(frame.Custom, actionOf(n))
	}
	w.data.SetNames(rows)
}

func (w *yearFiles) session(v *visit, day int32, number int) *frame.Session {
	hits := make([]int64, len(v.events))
	for i, e := range v.events {
		name := e.name
		if e.page != "" {
			name = e.page
		}
		hits[i] = frame.PackHit(e.at.UnixMilli(), w.names[name])
	}
	return &frame.Session{
		Visitor: visitorOf(v.visitor), ID: "s" + strconv.Itoa(number), Source: v.source, Medium: v.channel,
		Campaign: v.campaign, Referrer: v.referrer, Landing: v.landing, Country: v.country, Region: v.region, City: v.city,
		Lat: float64(v.latitude), Lon: float64(v.longitude), HasCoordinates: true,
		Platform: v.platform, Device: v.device, Browser: v.browser, OS: v.os, HomeDay: day, Hits: hits,
	}
}

func (v *visit) firstTouch() frame.FirstTouch {
	return frame.FirstTouch{
		Visitor: visitorOf(v.visitor), FirstSeen: v.events[0].at.UnixMilli(), Source: v.source, Campaign: v.campaign,
		Country: v.country, Platform: v.platform, Device: v.device, Medium: v.channel,
	}
}

// writeDay writes a day of the month that was made up as one of another month, of that month's visitors.
func (w *yearFiles) writeDay(part *frame.Part, number int32, m int) (framedir.Day, error) {
	shift := monthShift(m).Milliseconds()
	moved := part.Moved(uint32(m*w.visitors), shift)
	day := framedir.Day{
		Rows: frame.Sessions, Number: number - int32(m*reportDays), Count: int64(part.Len()),
		First: moved.MinHit + frame.EpochMillis, Last: moved.MaxHit + frame.EpochMillis,
	}
	file, err := w.folder.Create(
		w.environment, frame.PartFile, "sessions-"+frame.Time(moved.MinHit).Format(time.DateOnly),
		func(e *frame.Encoder) { w.data.SavePart(moved, e) },
	)
	day.Sealed = &file
	return day, err
}

// writePeople writes the ids of visitors, their first touches, and what codes stand for.
func (w *yearFiles) writePeople() (err error) {
	create := func(kind frame.FileKind, name string, fill func(*frame.Encoder)) (file framedir.File) {
		if err == nil {
			file, err = w.folder.Create(w.environment, kind, name, fill)
		}
		return file
	}
	view := w.data.View(0, 0)
	m := w.manifest
	m.Values = create(frame.ValueFile, "values", w.data.SaveValues)
	m.Purchases = create(frame.LedgerFile, "purchases", view.SavePurchases)
	m.CustomTail = create(frame.TailFile, "custom-users-new", view.CustomIDs.SaveTail)
	visitors := create(frame.IDFile, "visitors", view.Visitors.Save)
	m.Visitors = &visitors
	m.VisitorTail = create(frame.TailFile, "visitors-new", frame.IDs{}.SaveTail)
	for group := range view.TouchGroups() {
		m.Touches = append(m.Touches, create(frame.TouchFile, "first-touches-"+strconv.Itoa(group), func(e *frame.Encoder) {
			view.SaveTouches(group, e)
		}))
	}
	m.Catalogues[frame.Sessions] = framedir.Catalogue{Known: true, RowBytes: bytesSession + 6*bytesHit}
	return err
}
