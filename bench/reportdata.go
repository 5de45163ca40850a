package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
)

// The data set at scale 1: a month of a site with half a million visitors.
const (
	reportSessions = 1_700_000
	reportVisitors = 520_000
	reportEvents   = 11_000_000
	reportDays     = 30
	reportPages    = 3_000
	reportNames    = 40 // of custom events
	reportSenders  = 256
)

// dataSet says what a built directory holds; it is written last.
type dataSet struct {
	Scale    float64       `json:"scale"`
	Sessions int           `json:"sessions"`
	Visitors int           `json:"visitors"`
	Events   int64         `json:"events"`
	Start    time.Time     `json:"start"`
	End      time.Time     `json:"end"`
	Took     time.Duration `json:"took"`
}

// wholeLedger lets the server keep the ledger of the whole data set, not of the last days only.
var wholeLedger = fmt.Sprintf("SVC_DEDUP_WINDOW=%dh", (reportDays+2)*24)

const dataSetFile = "bench-reports.json"

// builtData returns the data set of dir, made when it is not there or half made.
func builtData(ctx context.Context, dir string, scale float64) (*dataSet, error) {
	content, err := os.ReadFile(filepath.Join(dir, dataSetFile))
	if err == nil {
		set := &dataSet{}
		return set, json.Unmarshal(content, set)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s, _, err := startServer(ctx, dir, wholeLedger)
	if err != nil {
		return nil, err
	}
	set, err := buildData(ctx, s, scale)
	if stopErr := s.stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		return nil, err
	}
	if content, err = json.Marshal(set); err != nil {
		return nil, err
	}
	return set, os.WriteFile(filepath.Join(dir, dataSetFile), content, 0o644)
}

// buildData writes the events of the whole month through ingest, in order of
// time.
func buildData(ctx context.Context, s *server, scale float64) (*dataSet, error) {
	began := time.Now()
	db, err := postgres.Open(ctx, s.file.DatabaseURL, postgres.Options{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	environment, err := s.liveEnvironment(ctx, db)
	if err != nil {
		return nil, err
	}
	end := time.Now().UTC().Truncate(24 * time.Hour)
	set := &dataSet{Scale: scale, Sessions: int(reportSessions * scale), Start: end.AddDate(0, 0, -reportDays), End: end}
	writer, err := ingest.New(db, ingest.Settings{
		Window: (reportDays + 2) * 24 * time.Hour, QueueEvents: math.MaxInt32, QueueWait: math.MaxInt64,
	}, ingest.Deps{
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Locator: ingest.GeoHeaders{
			Country: "Country", Region: "Region", City: "City", Latitude: "Latitude", Longitude: "Longitude",
		},
	})
	if err != nil {
		return nil, err
	}
	if err := writer.Start(ctx); err != nil {
		return nil, err
	}
	world := newTraffic(scale)
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(reportSenders)
	fmt.Fprintf(os.Stderr, "building %d sessions through ingest\n", set.Sessions)
	for i := range set.Sessions {
		if sending.Err() != nil {
			break
		}
		if i%100_000 == 0 && i > 0 {
			fmt.Fprintf(os.Stderr, "  %d sessions, %d events after %s\n", i, world.events, time.Since(began).Round(time.Second))
		}
		share := (float64(i) + world.random.Float64()) / float64(set.Sessions)
		body, header, last := world.session(set.Start.Add(time.Duration(share*float64(reportDays*24*time.Hour))), end)
		group.Go(func() error {
			answer, err := writer.Product(
				sending, body, ingest.Request{EnvironmentID: environment, Header: header, ReceivedAt: last.Add(time.Second)},
			)
			if err == nil && len(answer.Rejected) > 0 {
				err = fmt.Errorf("a made-up event was rejected: %+v", answer.Rejected[0])
			}
			return err
		})
	}
	err = group.Wait()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err = errors.Join(err, writer.Stop(stopping)); err != nil {
		return nil, err
	}
	if _, err := db.Pool.Exec(ctx, `vacuum (analyze)`, pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, err
	}
	set.Visitors, set.Events, set.Took = world.visitors, world.events, time.Since(began)
	return set, nil
}

func (s *server) liveEnvironment(ctx context.Context, db *postgres.DB) (id int64, err error) {
	err = db.Pool.QueryRow(
		ctx, `select id from environments where app_id = $1 and kind = 'live'`, s.file.Apps[0].ID,
	).Scan(&id)
	return id, err
}

// traffic makes sessions whose values are as unevenly spread as those of a real
// site: a few sources, pages and cities have most of it, most people come once,
// few come daily.
type traffic struct {
	random                                                                *rand.Rand
	source, campaign, referrer, page, city, browser, device, name, length *rand.Zipf
	visitors                                                              int
	limit                                                                 int
	events                                                                int64
}

func newTraffic(scale float64) *traffic {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := func(s float64, n uint64) *rand.Zipf { return rand.NewZipf(random, s, 4, n-1) }
	return &traffic{
		random: random, limit: int(reportVisitors * scale),
		source: zipf(1.5, 60), campaign: zipf(1.3, 300), referrer: zipf(1.4, 800), page: zipf(1.25, reportPages),
		city: zipf(1.3, 900), browser: zipf(2, 9), device: zipf(1.8, 3), name: zipf(1.4, reportNames), length: zipf(2.75, 60),
	}
}

// visit is a visit of somebody, and what stays with them.
type visit struct {
	visitor                                      int
	country, region, city                        string
	latitude, longitude                          int
	platform, device, browser, os                string
	source, channel, campaign, referrer, landing string
	events                                       []visitEvent
}

// visitEvent is an event of a visit; page is that of a view.
type visitEvent struct {
	at         time.Time
	name, page string
}

// visit makes one that begins at the moment. What would come after the end comes at once.
func (w *traffic) visit(at, end time.Time) *visit {
	v := &visit{landing: "https://shop.example/"}
	newVisitor := w.visitors == 0 || w.visitors < w.limit && w.random.Float64() < float64(reportVisitors)/reportSessions
	if newVisitor {
		v.visitor = w.visitors
		w.visitors++
	} else { // the latest people come back most
		v.visitor = w.visitors - 1 - int(float64(w.visitors)*math.Pow(w.random.Float64(), 3))
	}
	person := rand.New(rand.NewPCG(uint64(v.visitor), 7)) // what stays with them
	city, browser := int(math.Pow(person.Float64(), 3)*900), 0
	v.device = []string{"mobile", "desktop", "tablet"}[int(math.Pow(person.Float64(), 2)*3)]
	browser = int(math.Pow(person.Float64(), 3) * 9)
	v.platform = []string{"web", "web", "web", "ios", "android"}[person.IntN(5)]
	v.country = string([]byte{'A' + byte(city%60/26), 'A' + byte(city%60%26)})
	v.region, v.city = "Region "+strconv.Itoa(city%250), "City "+strconv.Itoa(city)
	v.latitude, v.longitude = city%180-90, city%360-180
	v.browser, v.os = "Browser "+strconv.Itoa(browser), "OS "+strconv.Itoa(browser%5)
	if w.random.Float64() < .6 {
		source := w.source.Uint64()
		v.source = []string{
			"google", "newsletter", "facebook", "bing", "chatgpt.com",
		}[source%5] + []string{"", strconv.FormatUint(source, 10)}[min(1, source/5)]
		v.channel = []string{"cpc", "organic", "email", "social"}[source%4]
		if w.random.Float64() < .5 {
			v.campaign = "campaign-" + strconv.FormatUint(w.campaign.Uint64(), 10)
		}
	} else if w.random.Float64() < .5 {
		v.referrer = "https://site" + strconv.FormatUint(w.referrer.Uint64(), 10) + ".example/a"
	}
	add := func(name, page string) {
		v.events = append(v.events, visitEvent{at, name, page})
		if next := at.Add(time.Duration(w.random.ExpFloat64() * float64(25*time.Second))); next.Before(end) {
			at = next
		}
	}
	add("session_start", "")
	for range 1 + int(w.length.Uint64()) {
		page := w.page.Uint64()
		add("page_view", pageOf(page))
		if w.random.Float64() < .25 {
			add(actionOf(w.name.Uint64()), "")
		}
	}
	w.events += int64(len(v.events))
	return v
}

func pageOf(n uint64) string {
	return []string{"/products/", "/blog/", "/help/", "/"}[n%4] + strconv.FormatUint(n, 10)
}

func actionOf(n uint64) string { return "action_" + strconv.FormatUint(n, 10) }

func visitorOf(n int) string { return "visitor-" + strconv.Itoa(n) }

// timeOrderedID makes a UUIDv7 of the moment, as SDKs do: bytes 8 to 10 are those of its maker.
func timeOrderedID(at time.Time, maker int, random *rand.Rand) string {
	var u uuid.UUID
	for i := range u {
		u[i] = byte(random.Uint32())
		if i < 6 {
			u[i] = byte(at.UnixMilli() >> (8 * (5 - i)))
		}
	}
	makeBy(&u, uint64(maker))
	u[6], u[8] = u[6]&0x0f|0x70, u[8]&0x3f|0x80
	return u.String()
}

// makeBy gives an id the bits that SDKs give to all ids of one client.
func makeBy(id *uuid.UUID, maker uint64) {
	maker *= 0x9e3779b97f4a7c15 // in no order, as they are at random
	id[8], id[9], id[10] = byte(maker>>56)&0x3f|0x80, byte(maker>>48), byte(maker>>40)
}

// session returns the request of one visit that begins at the moment, and when its last event was.
func (w *traffic) session(at, end time.Time) ([]byte, http.Header, time.Time) {
	v := w.visit(at, end)
	header := http.Header{
		"Country": {v.country}, "Region": {v.region}, "City": {v.city},
		"Latitude": {strconv.Itoa(v.latitude)}, "Longitude": {strconv.Itoa(v.longitude)},
	}
	attribution := map[string]any{"link.ext.landing_url": v.landing}
	for name, value := range map[string]string{
		"acquisition.source": v.source, "acquisition.channel": v.channel, "acquisition.campaign": v.campaign,
		"link.ext.referrer": v.referrer,
	} {
		if value != "" {
			attribution[name] = value
		}
	}
	id := func() string {
		var u uuid.UUID
		for i := range u {
			u[i] = byte(w.random.Uint32())
		}
		return u.String()
	}
	events := make([]map[string]any, len(v.events))
	for i, e := range v.events {
		events[i] = map[string]any{
			"eventId": timeOrderedID(e.at, v.visitor, w.random), "name": e.name, "timestamp": e.at.Format(time.RFC3339Nano),
		}
		if e.page != "" {
			events[i]["screenName"] = e.page
		}
	}
	body, err := json.Marshal(map[string]any{
		"identity": map[string]string{"appUserId": visitorOf(v.visitor), "sessionId": id()},
		"context": map[string]any{
			"platform": v.platform, "device": v.device, "browser": v.browser, "os": v.os, "attribution": attribution,
		},
		"events": events,
	})
	if err != nil {
		panic(err) // the value above can be encoded
	}
	return body, header, v.events[len(v.events)-1].at
}
