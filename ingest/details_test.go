package ingest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const berlin = `,"context":{"platform":"web","browser":"Firefox","os":"Linux","attribution":{"source":"google","landingUrl":"https://shop.example/","organic":false}}`

var inBerlin = GeoHeaders{Country: "C", Region: "R", City: "Y", Latitude: "Lat", Longitude: "Lon"}

// from returns a request of a place.
func from(country, city string) Request {
	return Request{EnvironmentID: 7, ReceivedAt: time.Now(), Header: http.Header{
		"C": {country}, "R": {"Region of " + city}, "Y": {city}, "Lat": {"52.5"}, "Lon": {"13.25"}}}
}

func send(t *testing.T, w *Writer, origin Request, events ...string) {
	t.Helper()
	answer, err := w.Product(context.Background(), body(events...), origin)
	require.NoError(t, err)
	require.Equal(t, len(events), answer.Stored, "%+v", answer)
}

func TestDetailsOfTwoPeopleAreStoredOnce(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{Locator: inBerlin})
	for range 2 { // one person says it as often as they like
		send(t, w, from("DE", "Berlin"), event(uuid.NewString(), "a", "u1", berlin))
	}
	require.Zero(t, count(t, db, `select count(*) from event_detail`), "what one person says stays theirs")
	send(t, w, from("DE", "Berlin"), event("2", "a", "u2", berlin))
	send(t, w, from("DE", "Berlin"), event("3", "a", "u1", berlin))
	require.Equal(t, 3, count(t, db, `select count(*) from event_detail where environment_id = 7`))
	require.Equal(t, 1, count(t, db, `select max(id) from event_detail`), "ids are dense in each group")
	require.Equal(t, 6, count(t, db, `select sum(kind) from event_detail where id = 1`))
	require.Equal(t, 2, count(t, db, `select count(*) from product_event
		where place_id > 0 and device_id > 0 and attribution_id > 0
		and coalesce(country, city, browser, source, landing_url) is null and latitude is null and organic is null`))
	require.Equal(
		t, 2,
		count(
			t, db,
			`select count(*) from product_event where place_id is null and device_id is null and attribution_id is null
				and city = 'Berlin'`,
		),
	)
	require.Equal(t, 4, count(t, db, `select count(*) from product_events
		where country = 'DE' and region = 'Region of Berlin' and city = 'Berlin'
		and latitude = 52.5 and longitude = 13.25 and platform = 'web' and browser = 'Firefox' and os = 'Linux'
		and source = 'google'
		and landing_url = 'https://shop.example/' and not organic`), "the view has them all")
	require.Equal(t, 2, count(t, db, `select count(*) from product_session where city = 'Berlin' and source = 'google'`))

	// Flow and track events share places and devices with product events.
	_, err := w.Track(context.Background(), []byte(event("4", "a", "u3", berlin)), from("DE", "Berlin"))
	require.NoError(t, err)
	flow := `{"events":[{"eventId":"` + uuid.NewString() + `","timestamp":"` + time.Now().Format(time.RFC3339) + `","name":"flow_started","flowId":"` + uuid.NewString() +
		`","versionId":"` + uuid.NewString() + `","identity":{"appUserId":"u3"}` + berlin + `}]}`
	_, err = w.Flow(context.Background(), []byte(flow), from("DE", "Berlin"))
	require.NoError(t, err)
	for _, table := range []string{"track_event", "flow_event"} {
		require.Equal(
			t, 1,
			count(t, db, `select count(*) from `+table+` where place_id > 0 and device_id > 0 and coalesce(city, browser) is null`),
			table,
		)
		require.Equal(t, 1, count(t, db, `select count(*) from `+table+`s where city = 'Berlin' and browser = 'Firefox'
			and attribution = '{"acquisition.source": "google", "link.ext.landing_url": "https://shop.example/", "attribution.isOrganic": false}'`), table)
	}
	require.Equal(t, 3, count(t, db, `select count(*) from event_detail`))
}

func TestDetailsAreSharedByServersAndOutliveThem(t *testing.T) {
	db := pgtest.New(t)
	servers := []*Writer{
		startWriter(t, db, Settings{}, Deps{Locator: inBerlin}), startWriter(t, db, Settings{}, Deps{Locator: inBerlin}),
	}
	var wg sync.WaitGroup
	for visitor := range 40 {
		wg.Go(func() {
			for city := range 10 {
				_, err := servers[(visitor+city)%2].Product(
					context.Background(), body(event(uuid.NewString(), "a", fmt.Sprint("u", visitor), "")),
					from("DE", fmt.Sprint("City ", city)),
				)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, 10, count(t, db, `select count(*) from event_detail`))
	require.Equal(t, 10, count(t, db, `select max(id) from event_detail`))
	require.Equal(t, 10, count(t, db, `select count(distinct city) from product_events`))
	require.Equal(t, 400, count(t, db, `select count(*) from product_events where city like 'City _'`))
	third := startWriter(t, db, Settings{}, Deps{Locator: inBerlin})
	send(t, third, from("DE", "City 3"), event("x", "a", "first", ""))
	send(t, third, from("DE", "City 3"), event("y", "a", "second", ""))
	require.Equal(t, 10, count(t, db, `select count(*) from event_detail`))
	require.Equal(t, 1, count(t, db, `select count(*) from product_event e
		join event_detail d on d.environment_id = e.environment_id and d.kind = 1 and d.id = e.place_id
		where e.event_id = 'y' and d.city = 'City 3'`))
}

func TestDetailsOverTheBudgetStayWithTheirEvents(t *testing.T) {
	db := pgtest.New(t)
	day := &clock{at: time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)}
	w := startWriter(t, db, Settings{NameBudget: 4, StatsEvery: time.Hour}, Deps{Now: day.now, Locator: inBerlin})
	visit := func(city string) {
		for _, visitor := range []string{"u1", "u2"} {
			send(t, w, from("DE", city), event(uuid.NewString(), "a", visitor, ""))
		}
	}
	stored := func() int { return count(t, db, `select count(*) from event_detail`) }
	for city := range 9 {
		visit(fmt.Sprint("City ", city))
	}
	require.Equal(t, 4, stored())
	require.Equal(
		t, 18,
		count(t, db, `select count(*) from product_events where city like 'City _' and region like 'Region of City _'`),
	)
	day.add(2 * time.Hour)
	visit("City of tomorrow")
	require.Equal(t, 5, stored(), "the next day has a budget of its own")

	// An environment has room for so many, whatever the day.
	_, err := db.Pool.Exec(
		context.Background(),
		`insert into event_detail (environment_id, kind, id, hash, created_at)
			values (7, 1, $1, gen_random_uuid(), '2026-01-01')`,
		maxDetails,
	)
	require.NoError(t, err)
	day.add(24 * time.Hour)
	visit("City of the last day")
	require.Equal(t, 6, stored())
	require.Equal(
		t, 2, count(t, db, `select count(*) from product_event where place_id is null and city = 'City of the last day'`),
	)
}

func TestDetailsThatAreNotWorthIt(t *testing.T) {
	for _, c := range []struct {
		value detail
		want  bool
	}{
		{detail{}, false}, {detail{appVersion: "1.2", locale: "de"}, false},
		{detail{appVersion: "1.2.0", locale: "de_DE"}, true},
		{detail{place: Place{Country: "DE", Region: "Bavaria"}}, true},
		{detail{attribution: Attribution{Landing: strings.Repeat("x", 513)}}, false},
	} {
		require.Equal(t, c.want, c.value.worthSharing(), "%+v", c.value)
	}
}

func TestDetailHashesDiffer(t *testing.T) {
	seen := map[uuid.UUID]detail{}
	for i := range textCount {
		d := detail{}
		fields := []*string{&d.place.Country, &d.place.Region, &d.place.City, &d.device.Platform, &d.device.Device,
			&d.device.Browser,
			&d.device.OS,
			&d.appVersion, &d.locale,
			&d.attribution.Source, &d.attribution.Medium, &d.attribution.Campaign, &d.attribution.Content, &d.attribution.Term,
			&d.attribution.Adset, &d.attribution.Creative, &d.attribution.Referrer, &d.attribution.Landing}
		*fields[i] = "same"
		seen[d.hash()] = d
	}
	for _, d := range []detail{
		{}, {attribution: Attribution{Organic: 1}}, {attribution: Attribution{Organic: 2}},
		{place: Place{HasCoordinates: true}}, {place: Place{HasCoordinates: true, Lon: 1}},
		{place: Place{HasCoordinates: true, Lat: 1}}, {place: Place{Country: "a", Region: "b"}},
		{place: Place{Country: "ab"}},
	} {
		seen[d.hash()] = d
	}
	require.Len(t, seen, textCount+8)
}

// Anybody may send values that nobody else has: what is remembered of them is bounded.
func TestRememberedDetailsAreBounded(t *testing.T) {
	d := newDetails(nil, 100, time.Now)
	random := rand.New(rand.NewPCG(1, 2))
	for range 3 * detailCacheSize / 1000 {
		unknown := make([]unknownDetail, 1000)
		for i := range unknown {
			unknown[i] = unknownDetail{
				detailKey: detailKey{detailGroup{environment: 1}, uuid.UUID([]byte(fmt.Sprintf("%016x", random.Uint64())))},
				visitor:   random.Uint64(),
			}
		}
		d.findShared(unknown)
		require.LessOrEqual(t, len(d.said), detailCacheSize/2)
		found := map[uuid.UUID]int32{}
		for _, u := range unknown {
			found[u.hash] = 1
		}
		d.remember(detailGroup{environment: 1}, found, false)
		require.LessOrEqual(t, len(d.known), detailCacheSize)
	}
}

// An id that is a UUID is stored once, whatever the others are is stored as it was sent.
func TestIDsAreStoredOnce(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	ids := []string{"0197aa00-0000-7000-8000-000000000001", "0197AA00-0000-7000-8000-0000000000FF", "any id", "00000000-0000-0000-0000-000000000000",
		"0197aa00-0000-7000-8000_000000000003", "0197aa000000700080000000000000041111", "{0197aa00-0000-7000-8000-00000000000}"}
	for i, id := range ids {
		send(t, w, testOrigin(), fmt.Sprintf(`{"eventId":%q,"name":"a","appUserId":"u%d","sessionId":%q}`, id, i, id))
	}
	require.Equal(t, ids, textsOf(t, db, `select event_id from product_events order by app_user_id`))
	require.Equal(t, ids, textsOf(t, db, `select session_id from product_events order by app_user_id`))
	require.Equal(t, ids, textsOf(t, db, `select session_id from product_session order by app_user_id`))
	require.Equal(
		t, []string{ids[1], ids[2], ids[4], ids[5], ids[6]},
		textsOf(t, db, `select event_id from product_event where event_id is not null order by app_user_id`),
	)
	require.Equal(
		t, 2, count(t, db, `select count(*) from product_event where session_id is null and session_uuid is not null`),
	)
}

func textsOf(t *testing.T, db *postgres.DB, sql string) (texts []string) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), `select array(`+sql+`)`).Scan(&texts))
	return texts
}
