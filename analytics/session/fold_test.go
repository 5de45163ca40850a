package session

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/channel"
)

func TestRank(t *testing.T) {
	signal := Attribution{Source: "google", Landing: "https://a.example/"}
	weak := Attribution{Landing: "https://a.example/", Organic: OrganicTrue}
	for _, c := range []struct {
		start bool
		a     Attribution
		want  int
	}{
		{true, signal, 0}, {false, signal, 1}, {true, weak, 2}, {false, weak, 3},
		{true, Attribution{}, None}, {false, Attribution{}, None},
		{false, Attribution{Organic: OrganicFalse}, 3}, {false, Attribution{Referrer: "x.example"}, 1},
	} {
		if got := Rank(c.start, c.a); got != c.want {
			t.Errorf("Rank(%v, %+v) = %d, want %d", c.start, c.a, got, c.want)
		}
	}
}

func TestGroupIsTakenWhole(t *testing.T) {
	rows := Fold([]Event{
		{
			Visitor: "v", SessionID: "s", At: 30, Key: Key{3}, Start: true,
			Attribution: Attribution{Landing: "https://a.example/"},
		},
		{Visitor: "v", SessionID: "s", At: 20, Key: Key{2}, Attribution: Attribution{Campaign: "late"}},
		{
			Visitor: "v", SessionID: "s", At: 10, Key: Key{9}, Attribution: Attribution{Source: "b"},
			Place: Place{City: "Leeds"},
		},
		{Visitor: "v", SessionID: "s", At: 10, Key: Key{1}, Attribution: Attribution{Medium: "a"}, CustomUserID: "u1"},
		{Visitor: "v", SessionID: "s", At: 40, Key: Key{4}, Place: Place{Country: "GB"}, CustomUserID: "u2"},
	})
	if len(rows) != 1 {
		t.Fatalf("%d sessions, want 1", len(rows))
	}
	r := rows[0]
	if want := (Attribution{Medium: "a"}); r.Attribution != want {
		t.Errorf("attribution %+v, want %+v: the smallest key among the earliest with signal", r.Attribution, want)
	}
	if want := (Place{City: "Leeds"}); r.Place != want {
		t.Errorf("place %+v, want %+v", r.Place, want)
	}
	if r.CustomUserID != "u2" || r.StartedAt != 10 || r.LastAt != 40 || len(r.Hits) != 5 {
		t.Errorf("unexpected row %+v", r)
	}
}

func TestOneSessionIDOfTwoVisitorsIsTwoSessions(t *testing.T) {
	if rows := Fold([]Event{{Visitor: "a", SessionID: "s"}, {Visitor: "b", SessionID: "s"}}); len(rows) != 2 {
		t.Fatalf("%d sessions, want 2", len(rows))
	}
}

func TestEmptyFirstTouchLoses(t *testing.T) {
	a := FirstTouchOf(Of(Event{Visitor: "v", SessionID: "a", At: 1, Device: Device{Platform: "ios"}}))
	b := FirstTouchOf(Of(Event{Visitor: "v", SessionID: "b", At: 2, Place: Place{Country: "GB"}}))
	for _, got := range []FirstTouch{MergeFirstTouch(a, b), MergeFirstTouch(b, a)} {
		if got.FirstSeen != 1 || got.SessionID != "b" || got.Country != "GB" {
			t.Errorf("first touch %+v, want session b, seen at 1", got)
		}
	}
}

// Between candidates of one moment the smallest key decides, whichever group it is and however the
// sessions were merged; of the custom user ids, where the latest counts, the greatest.
func TestKeysBreakTies(t *testing.T) {
	small := Event{
		Visitor: "v", SessionID: "s", At: 5, Key: Key{1}, Attribution: Attribution{Source: "small"},
		Place: Place{City: "small"}, Device: Device{OS: "small"}, CustomUserID: "small",
	}
	great := Event{
		Visitor: "v", SessionID: "s", At: 5, Key: Key{1, 1}, Attribution: Attribution{Source: "great"},
		Place: Place{City: "great"}, Device: Device{OS: "great"}, CustomUserID: "great",
	}
	for _, list := range [][]Event{{small, great}, {great, small}} {
		r := Fold(list)[0]
		if r.Attribution.Source != "small" || r.Place.City != "small" || r.Device.OS != "small" || r.CustomUserID != "great" {
			t.Errorf("ties of %v: %+v", list[0].Key, r)
		}
		if touch := FirstTouchOf(r); touch.CustomUserID != "great" {
			t.Errorf("custom user id %q", touch.CustomUserID)
		}
	}
	// Time comes before the key, and a better rank before both.
	great.At = 4
	if r := Fold([]Event{small, great})[0]; r.Attribution.Source != "great" || r.Place.City != "great" ||
		r.CustomUserID != "small" {
		t.Errorf("an earlier hit: %+v", r)
	}
	small.Start = true
	if r := Fold([]Event{small, great})[0]; r.Attribution.Source != "small" || r.Place.City != "great" {
		t.Errorf("a session_start: %+v", r)
	}
}

// Sessions that start together are ordered by the bytes of a UUID, else of the SHA-256.
func TestFirstTouchesTieByKey(t *testing.T) {
	ordered := []string{"00000000-0000-7000-8000-000000000000", "0197AA00-0000-7000-8000-000000000001", "0197aa00-0000-7000-8000-000000000002",
		"b", "s2", "a", "s1"} // 3e23…, ad32…, ca97…, e8bc…
	for i, first := range ordered {
		for _, second := range ordered[i+1:] {
			a := FirstTouchOf(Of(Event{Visitor: "v", SessionID: first, At: 1, Device: Device{Device: first}}))
			b := FirstTouchOf(Of(Event{Visitor: "v", SessionID: second, At: 1, Device: Device{Device: second}}))
			for _, got := range []FirstTouch{MergeFirstTouch(a, b), MergeFirstTouch(b, a)} {
				if got.SessionID != first || got.Device != first {
					t.Errorf("%q and %q: %+v", first, second, got)
				}
			}
		}
	}
}

// Whatever the order and the batches, the rows and first touches are the same.
func TestFoldCommutes(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "", "a", "b"})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "events")
		events := make([]Event, n)
		for i := range events {
			events[i] = Event{
				Visitor:   rapid.SampledFrom([]string{"v", "w"}).Draw(t, "visitor"),
				SessionID: rapid.SampledFrom([]string{"s", "t"}).Draw(t, "session"),
				Key:       Key{byte(i)}, At: rapid.Int64Range(0, 3).Draw(t, "at"), Hit: int64(i),
				Start: rapid.Bool().Draw(t, "start"), CustomUserID: text.Draw(t, "custom"),
				Attribution: Attribution{
					Source: text.Draw(t, "source"), Landing: text.Draw(t, "landing"),
					Organic: Organic(rapid.IntRange(0, 2).Draw(t, "organic")),
				},
				Place:  Place{Country: text.Draw(t, "country"), City: text.Draw(t, "city")},
				Device: Device{Platform: text.Draw(t, "platform"), Device: text.Draw(t, "device")},
			}
		}
		want, wantTouch := normal(Fold(events))
		shuffled := rapid.Permutation(events).Draw(t, "order")
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		merged := Fold(shuffled[:cut])
		for _, r := range Fold(shuffled[cut:]) {
			if i := slices.IndexFunc(merged, func(m Row) bool {
				return m.Visitor == r.Visitor && m.SessionID == r.SessionID
			}); i >= 0 {
				merged[i] = Merge(r, merged[i])
			} else {
				merged = append(merged, r)
			}
		}
		got, gotTouch := normal(merged)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotTouch, wantTouch) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	})
}

func normal(rows []Row) (map[[2]string]Row, map[string]FirstTouch) {
	sessions, touches := map[[2]string]Row{}, map[string]FirstTouch{}
	for _, r := range rows {
		slices.Sort(r.Hits)
		sessions[[2]string{r.Visitor, r.SessionID}] = r
		touch := FirstTouchOf(r)
		if old, ok := touches[r.Visitor]; ok {
			touch = MergeFirstTouch(touch, old)
		}
		touches[r.Visitor] = touch
	}
	return sessions, touches
}

// The channel of a first touch is that of the session it comes from.
func TestAFirstTouchKeepsWhatItsChannelNeeds(t *testing.T) {
	row := func(a Attribution) FirstTouch {
		return FirstTouchOf(Row{Visitor: "v", SessionID: "s", Attribution: a, OrganicUnknown: true})
	}
	own := row(Attribution{Medium: "cpc", Referrer: "https://shop.example/a", Landing: "https://shop.example/b"})
	require.Equal(t, "cpc", own.Medium)
	require.Empty(t, own.ReferrerHost, "the app's own")
	require.True(t, own.OrganicUnknown)
	other := row(Attribution{Referrer: "https://www.google.com/search", Landing: "https://shop.example/b"})
	require.Equal(t, channel.Host("https://www.google.com/search"), other.ReferrerHost)
	require.False(t, other.Organic, "its group has a value")
	require.True(t, row(Attribution{Landing: "https://shop.example/"}).Organic, "its group is empty")
	require.True(t, row(Attribution{Source: "a", Organic: OrganicTrue}).Organic)
	require.False(t, row(Attribution{Organic: OrganicFalse}).Organic)
}
