package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// sessionRow is a row of product_session in readable form.
type sessionRow struct {
	User, Session, Custom                                                                string
	Started, Last                                                                        time.Time
	Source, Medium, Campaign, Content, Term, Adset, Creative, Referrer, Landing, Organic string
	Country, Region, City, Platform, Device, Browser, OS                                 string
	Hits                                                                                 string
}

// touchRow is a row of product_analytics_first_touch in readable form.
type touchRow struct {
	User                                        string
	FirstSeen                                   time.Time
	Custom                                      string
	Source, Campaign, Country, Platform, Device string
	Session                                     string
}

// naiveRows says by analytics.md §2 and §4 what the rows are: plain loops over
// all events, one rule at a time.
func naiveRows(events []ProductEvent) (sessions []sessionRow, touches []touchRow) {
	earlier := func(a, b *ProductEvent) bool {
		if !a.OccurredAt.Equal(b.OccurredAt) {
			return a.OccurredAt.Before(b.OccurredAt)
		}
		return bytes.Compare(a.Key[:], b.Key[:]) < 0
	}
	bySession := map[[2]string][]ProductEvent{}
	for _, e := range events {
		key := [2]string{e.AppUserID, e.SessionID}
		bySession[key] = append(bySession[key], e)
	}
	for key, list := range bySession {
		slices.SortFunc(list, func(a, b ProductEvent) int {
			if earlier(&a, &b) {
				return -1
			}
			return 1
		})
		row := sessionRow{User: key[0], Session: key[1], Started: list[0].OccurredAt, Last: list[len(list)-1].OccurredAt}
		signal := func(a Attribution) bool {
			return a.Source+a.Medium+a.Campaign+a.Content+a.Term+a.Adset+a.Creative+a.Referrer != ""
		}
		// First a session_start with signal, then any hit with signal, then the
		// same two with only a landing URL or the flag.
		var chosen *Attribution
		for _, wanted := range []func(e ProductEvent) bool{
			func(e ProductEvent) bool { return e.Name == "session_start" && signal(e.Attribution) },
			func(e ProductEvent) bool { return signal(e.Attribution) },
			func(e ProductEvent) bool { return e.Name == "session_start" && e.Attribution != Attribution{} },
			func(e ProductEvent) bool { return e.Attribution != Attribution{} },
		} {
			if i := slices.IndexFunc(list, wanted); i >= 0 && chosen == nil {
				chosen = &list[i].Attribution
			}
		}
		if chosen != nil {
			row.Source, row.Medium, row.Campaign = chosen.Source, chosen.Medium, chosen.Campaign
			row.Content, row.Term = chosen.Content, chosen.Term
			row.Adset, row.Creative, row.Referrer, row.Landing = chosen.Adset, chosen.Creative, chosen.Referrer, chosen.Landing
			row.Organic = []string{"", "true", "false"}[chosen.Organic]
		}
		if i := slices.IndexFunc(list, func(e ProductEvent) bool {
			return e.Place.Country+e.Place.Region+e.Place.City != ""
		}); i >= 0 {
			row.Country, row.Region, row.City = list[i].Place.Country, list[i].Place.Region, list[i].Place.City
		}
		if i := slices.IndexFunc(list, func(e ProductEvent) bool {
			return e.Platform+e.Device+e.Browser+e.OS != ""
		}); i >= 0 {
			row.Platform, row.Device, row.Browser, row.OS = list[i].Platform, list[i].Device, list[i].Browser, list[i].OS
		}
		var hits []string
		for _, e := range list {
			if e.CustomUserID != "" {
				row.Custom = e.CustomUserID
			}
			hits = append(hits, fmt.Sprintf("%d %s", e.OccurredAt.UnixMilli(), readableName(e)))
		}
		slices.Sort(hits)
		row.Hits = strings.Join(hits, "; ")
		sessions = append(sessions, row)
	}
	slices.SortFunc(sessions, func(a, b sessionRow) int {
		return strings.Compare(a.User+"\x00"+a.Session, b.User+"\x00"+b.Session)
	})
	return sessions, naiveTouches(events, sessions)
}

func naiveTouches(events []ProductEvent, sessions []sessionRow) []touchRow {
	var touches []touchRow
	for _, user := range []string{"u0", "u1", "u2"} {
		var own []sessionRow
		for _, s := range sessions {
			if s.User == user {
				own = append(own, s)
			}
		}
		if len(own) == 0 {
			continue
		}
		slices.SortFunc(own, func(a, b sessionRow) int {
			if !a.Started.Equal(b.Started) {
				return a.Started.Compare(b.Started)
			}
			x, y := keyOf(a.Session), keyOf(b.Session)
			return bytes.Compare(x[:], y[:])
		})
		best := own[0]
		if i := slices.IndexFunc(own, func(s sessionRow) bool {
			return s.Source+s.Campaign+s.Country+s.Device != ""
		}); i >= 0 {
			best = own[i]
		}
		row := touchRow{
			User: user, FirstSeen: own[0].Started, Session: best.Session, Source: best.Source, Campaign: best.Campaign,
			Country: best.Country, Platform: best.Platform, Device: best.Device,
		}
		var latest *ProductEvent
		for i := range events {
			e := &events[i]
			if e.AppUserID != user || e.CustomUserID == "" {
				continue
			}
			if latest == nil || e.OccurredAt.After(latest.OccurredAt) || e.OccurredAt.Equal(latest.OccurredAt) &&
				bytes.Compare(e.Key[:], latest.Key[:]) > 0 {
				latest, row.Custom = e, e.CustomUserID
			}
		}
		touches = append(touches, row)
	}
	return touches
}

func readableName(e ProductEvent) string {
	switch e.Name {
	case "page_view", "screen_view":
		return e.Name + " " + e.Page
	}
	return e.Name
}

// storedRows reads the rows of one environment.
func storedRows(t require.TestingT, db *postgres.DB, environment int64) (sessions []sessionRow, touches []touchRow) {
	ctx := context.Background()
	rows, err := db.Pool.Query(ctx, `
		select s.app_user_id, s.session_id, s.custom_user_id, s.started_at, s.last_at,
		       source, medium, campaign, content, term, adset, creative, referrer, landing_url, coalesce(organic::text, ''),
		       country, region, city, platform, device, browser, os,
		       (select string_agg(h, '; ' order by h collate "C") from (
		            select format('%s %s', (extract(epoch from timestamptz '2020-01-01Z') * 1000)::bigint + (hit >> 22),
		                   case n.kind when 1 then 'session_start' when 2 then 'first_visit' when 3 then 'first_open'
		                               when 4 then 'page_view ' || n.text when 5 then 'screen_view ' || n.text
		else n.text end) as h
		            from unnest(s.hits) hit
		join event_name n on n.environment_id = $1 and n.id = hit & 4194303) as named)
		from product_session s where environment_id = $1
		order by s.app_user_id collate "C", s.session_id collate "C"`, environment)
	require.NoError(t, err)
	sessions, err = pgx.CollectRows(rows, pgx.RowToStructByPos[sessionRow])
	require.NoError(t, err)
	for i := range sessions {
		sessions[i].Started, sessions[i].Last = sessions[i].Started.UTC(), sessions[i].Last.UTC()
	}
	rows, err = db.Pool.Query(ctx, `
		select app_user_id, first_seen_at, custom_user_id, source, campaign, country, platform, device, session_id
		from product_analytics_first_touch where environment_id = $1 order by app_user_id`, environment)
	require.NoError(t, err)
	touches, err = pgx.CollectRows(rows, pgx.RowToStructByPos[touchRow])
	require.NoError(t, err)
	for i := range touches {
		touches[i].FirstSeen = touches[i].FirstSeen.UTC()
	}
	return sessions, touches
}

// tiedSessions are ids that a text order, a byte order of UUIDs and the order of keys put in different
// places.
var tiedSessions = []string{
	"B", "a", "ä", "0197AA00-0000-7000-8000-000000000001", "0197aa00-0000-7000-8000-000000000000",
	"d197aa00-0000-7000-8000-000000000000",
}

// drawEvents draws events of three visitors that collide as often as possible
// in time, session and attributes.
func drawEvents(t *rapid.T, base time.Time) []ProductEvent {
	blank := func(label string, values ...string) string {
		return rapid.SampledFrom(append([]string{"", ""}, values...)).Draw(t, label)
	}
	n := rapid.IntRange(1, 30).Draw(t, "events")
	events := make([]ProductEvent, n)
	for i := range events {
		e := ProductEvent{
			EventID: fmt.Sprintf("e%d-%d", i, rapid.IntRange(0, 1<<30).Draw(t, "salt")),
			Name: rapid.SampledFrom(
				[]string{"session_start", "first_visit", "page_view", "screen_view", "buy"},
			).Draw(t, "name"),
			OccurredAt:   base.Add(time.Duration(rapid.IntRange(0, 6).Draw(t, "ms")) * time.Millisecond),
			AppUserID:    fmt.Sprintf("u%d", rapid.IntRange(0, 2).Draw(t, "user")),
			SessionID:    rapid.SampledFrom(tiedSessions).Draw(t, "session"),
			CustomUserID: blank("custom", "c1", "c2"),
			Platform:     blank("platform", "web", "ios"),
			Device:       blank("device", "mobile"),
			Browser:      blank("browser", "Safari"),
			Attribution: Attribution{
				Source: blank("source", "google", "x"), Medium: blank("medium", "cpc"), Campaign: blank("campaign", "c"),
				Landing: blank("landing", "https://a.example/"),
				Organic: rapid.SampledFrom(
					[]session.Organic{session.OrganicAbsent, session.OrganicFalse, session.OrganicTrue},
				).Draw(t, "organic"),
			},
		}
		if country := blank("country", "GB", "DE"); country != "" {
			e.Place = Place{Country: country, City: blank("city", "X")}
		}
		if e.Name == "page_view" || e.Name == "screen_view" {
			e.Page = rapid.SampledFrom([]string{"/a", "/b"}).Draw(t, "page")
		}
		e.Key = keyOf(e.EventID)
		events[i] = e
	}
	return events
}

func TestOrderOfArrivalDoesNotMatter(t *testing.T) {
	db := pgtest.New(t)
	// Two servers: sessions of one visitor may be written by both at a time.
	servers := []*Writer{
		startWriter(t, db, Settings{FlushDelay: time.Millisecond}, Deps{}),
		startWriter(t, db, Settings{FlushDelay: time.Millisecond}, Deps{}),
	}
	var environment atomic.Int64
	base := time.Now().UTC().Truncate(time.Hour).Add(-time.Hour)
	rapid.Check(t, func(t *rapid.T) {
		origin := Request{EnvironmentID: environment.Add(1), ReceivedAt: time.Now()}
		events := drawEvents(t, base)
		arrival := rapid.Permutation(events).Draw(t, "arrival")
		together := rapid.Bool().Draw(t, "together")
		var wg sync.WaitGroup
		for len(arrival) > 0 {
			n := rapid.IntRange(1, len(arrival)).Draw(t, "batch")
			server := rapid.SampledFrom([]int{0, 1}).Draw(t, "server")
			part := slices.Clone(arrival[:n])
			if rapid.Bool().Draw(t, "retried") {
				part = append(part, part[0])
			}
			arrival = arrival[n:]
			send := func() {
				if err := sendEvents(servers[server], origin, part); err != nil {
					t.Errorf("store: %v", err)
				}
			}
			if together {
				wg.Go(send)
			} else {
				send()
			}
		}
		wg.Wait()
		wantSessions, wantTouches := naiveRows(events)
		gotSessions, gotTouches := storedRows(t, db, origin.EnvironmentID)
		require.Equal(t, toJSON(t, wantSessions), toJSON(t, gotSessions))
		require.Equal(t, toJSON(t, wantTouches), toJSON(t, gotTouches))
	})
}

// Two servers that insert a visitor at once agree in the database, not in memory: it must know the
// same order of sessions that start together.
func TestFirstTouchesThatCollideAreOrderedByKey(t *testing.T) {
	db := pgtest.New(t)
	at := time.Now().UTC().Truncate(time.Millisecond).UnixMilli()
	touch := func(id string) map[visitorKey]*session.FirstTouch {
		return map[visitorKey]*session.FirstTouch{{1, "u"}: {
			Visitor: "u", FirstSeen: at, Rank: 0, StartedAt: at, SessionID: id, Source: "of " + id,
		}}
	}
	for _, first := range tiedSessions {
		for _, second := range tiedSessions {
			err := pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
				if err := writeTouches(t.Context(), tx, insertTouchesSQL, touch(first)); err != nil {
					return err
				}
				return writeTouches(t.Context(), tx, insertTouchesSQL, touch(second))
			})
			require.NoError(t, err)
			want := session.MergeFirstTouch(*touch(first)[visitorKey{1, "u"}], *touch(second)[visitorKey{1, "u"}])
			_, touches := storedRows(t, db, 1)
			require.Equal(t, want.SessionID, touches[0].Session, "%s and then %s", first, second)
			require.Equal(t, want.Source, touches[0].Source)
			_, err = db.Pool.Exec(t.Context(), `delete from product_analytics_first_touch`)
			require.NoError(t, err)
		}
	}
}

// Hits of one moment that are stored one after the other: the database decides between them, by their keys.
func TestHitsThatTieAreOrderedByKey(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	at := time.Now().UTC().Truncate(time.Millisecond)
	small, great := "01000000-0000-7000-8000-000000000000", "01000000-0000-7000-8000-000000000001"
	for i, ids := range [][]string{{small, great}, {great, small}} {
		origin := Request{EnvironmentID: int64(i + 1), ReceivedAt: at}
		for _, id := range ids {
			require.NoError(t, sendEvents(w, origin, []ProductEvent{{
				EventID: id, Key: keyOf(id), Name: "buy", OccurredAt: at, AppUserID: "u", SessionID: "s", CustomUserID: id,
				Browser: id, Place: Place{Country: "GB", City: id}, Attribution: Attribution{Source: id},
			}}))
		}
		sessions, touches := storedRows(t, db, origin.EnvironmentID)
		require.Len(t, sessions, 1)
		stored := sessions[0]
		require.Equal(t, []string{small, small, small}, []string{stored.Source, stored.City, stored.Browser}, "the first of %v", ids)
		require.Equal(t, small, touches[0].Source, "the first of %v", ids)
		require.Equal(t, []string{great, great}, []string{stored.Custom, touches[0].Custom}, "the last of %v", ids)
	}
}

// sendEvents queues events as they are, without enrichment.
func sendEvents(w *Writer, origin Request, events []ProductEvent) error {
	items := make([]item, len(events))
	for i := range events {
		items[i] = item{
			environment: origin.EnvironmentID, path: PathProduct, key: events[i].Key, product: &events[i],
			receivedAt: origin.ReceivedAt,
		}
	}
	return w.enqueue(context.Background(), items, nil)
}

func toJSON(t require.TestingT, v any) string {
	raw, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(raw)
}
