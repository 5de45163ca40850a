package frame

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/channel"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// named returns a dataset with names 1 session_start, 2 page "/", 3 screen "/", 4 "buy", 5 "add".
func named() *Dataset {
	data := NewDataset()
	data.SetNames(
		[]NameRow{
			{1, SessionStart, ""}, {2, PageView, "/"}, {3, ScreenView, "/"}, {4, Custom, "buy"}, {5, Custom, "add"},
			{6, PageView, "/z"}, {7, PageView, "/a"},
		},
	)
	return data
}

func visit(visitor, id string, names ...uint32) Session {
	s := Session{Visitor: visitor, ID: id, HomeDay: Day(noon)}
	for i, name := range names {
		s.Hits = append(s.Hits, PackHit(noon.UnixMilli()+int64(i)*1000, name))
	}
	return s
}

func build(data *Dataset, sessions ...Session) *Part {
	b := data.NewBuilder()
	for i := range sessions {
		b.Add(&sessions[i])
	}
	return b.Seal()
}

func TestHitRoundTrip(t *testing.T) {
	for _, at := range []time.Time{
		noon, time.Date(2019, 12, 31, 23, 59, 59, 999e6, time.UTC), time.Date(2080, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		hit := PackHit(at.UnixMilli(), 4194303)
		require.Equal(t, at, Time(HitTime(hit)))
		require.Equal(t, uint32(4194303), HitName(hit))
	}
}

func TestDayRoundsDown(t *testing.T) {
	require.Equal(t, int32(0), Day(time.Unix(0, 0)))
	require.Equal(t, int32(-1), Day(time.Unix(-1, 0)))
	require.Equal(t, int32(20777), Day(noon))
}

func TestSessionKey(t *testing.T) {
	a := SessionKey("0197aa00-0000-7000-8000-000000000001")
	require.Equal(t, a, SessionKey("0197AA00-0000-7000-8000-000000000001"))
	require.Equal(t, byte(1), a[15])
	require.NotEqual(t, SessionKey("s1"), SessionKey("s2"))
}

func TestBuilderDerives(t *testing.T) {
	data := named()
	s := visit("v", "s", 1, 6, 4, 7, 5)
	s.Hits[0], s.Hits[4] = s.Hits[4], s.Hits[0]
	p := build(data, s)
	require.Equal(t, uint32(2), ViewsOf(p.Column(Totals)[0]))
	require.Equal(t, uint32(2), EventsOf(p.Column(Totals)[0]))
	require.Equal(t, int64(4000), p.Duration(0))
	require.Equal(t, "/z", data.Pages.Values()[p.Column(Entry)[0]])
	require.Equal(t, "/a", data.Pages.Values()[p.Column(Exit)[0]])
}

func TestOrderAtOneMillisecond(t *testing.T) {
	data := named()
	s := Session{Visitor: "v", ID: "s", HomeDay: Day(noon)}
	for _, name := range []uint32{4, 3, 6, 5, 7, 2, 1} {
		s.Hits = append(s.Hits, PackHit(noon.UnixMilli(), name))
	}
	p := build(data, s)
	var names []uint32
	for _, hit := range p.Hits() {
		names = append(names, HitName(hit))
	}
	require.Equal(t, []uint32{1, 2, 3, 7, 6, 5, 4}, names)
}

func TestUnknownNameIsOther(t *testing.T) {
	data := named()
	b := data.NewBuilder()
	s := visit("v", "s", 99, 2)
	require.Equal(t, []uint32{99}, b.Missing(s.Hits))
	b.Add(&s)
	p := b.Seal()
	require.Equal(t, uint32(1), EventsOf(p.Column(Totals)[0]))
	data.Put(Sessions, Day(noon), p)
	v := data.View(math.MinInt32, math.MaxInt32)
	require.Equal(t, Other, v.Events[v.Name(99).Event])
	data.SetNames([]NameRow{{99, PageView, "/late"}})
	b.RefreshNames()
	require.Empty(t, b.Missing(s.Hits))
}

func TestLongSessionKeepsItsDuration(t *testing.T) {
	s := Session{Visitor: "v", ID: "s", HomeDay: Day(noon), Hits: []int64{
		PackHit(noon.UnixMilli(), 2), PackHit(noon.AddDate(1, 0, 0).UnixMilli(), 2),
	}}
	p := build(named(), s)
	require.Equal(t, uint32(LongSession), p.Column(Length)[0])
	require.Equal(t, (365 * 24 * time.Hour).Milliseconds(), p.Duration(0))
}

func TestHitsAreCappedAtTheEarliest(t *testing.T) {
	s := Session{Visitor: "v", ID: "s", HomeDay: Day(noon)}
	for i := MaxHits + 10; i > 0; i-- {
		s.Hits = append(s.Hits, PackHit(noon.UnixMilli()+int64(i), 2))
	}
	p := build(named(), s)
	require.Len(t, p.Hits(), MaxHits)
	require.Equal(t, uint32(MaxHits), ViewsOf(p.Column(Totals)[0]))
	require.Equal(t, Millis(noon)+MaxHits, p.End(0))
}

func TestLastVersionOfASessionWins(t *testing.T) {
	p := build(named(), visit("v", "s", 2), visit("w", "s", 2), visit("v", "s", 2, 2, 2))
	require.Equal(t, 2, p.Len())
	require.Equal(t, uint32(3), ViewsOf(p.Column(Totals)[0]))
}

// contents returns the live sessions of a day: views by visitor and key.
func contents(f *Frame, v *View) map[string]uint32 {
	out := map[string]uint32{}
	for row := range uint32(f.Sealed.Len()) {
		if !f.Masked.Has(row) {
			key := fmt.Sprint(v.Visitors.ID(f.Sealed.Visitors()[row]), f.Sealed.Keys()[row])
			out[key] = ViewsOf(f.Sealed.Column(Totals)[row])
		}
	}
	if f.Open != nil {
		for row := range f.Open.Len() {
			out[fmt.Sprint(v.Visitors.ID(f.Open.Visitors()[row]), f.Open.Keys()[row])] = ViewsOf(f.Open.Column(Totals)[row])
		}
	}
	return out
}

// Changed sessions replace their rows, old views keep what they saw, and the open part is merged.
func TestUpsert(t *testing.T) {
	data := named()
	data.OpenFloor = 8
	data.Put(Sessions, Day(noon), build(data))
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[string]uint32{}
	merged, opened := false, false
	for range 200 {
		old := data.View(math.MinInt32, math.MaxInt32)
		before := contents(old.Frames[0], old)
		var changed []Session
		for range 1 + rng.IntN(4) {
			names := make([]uint32, 1+rng.IntN(4))
			for i := range names {
				names[i] = 2
			}
			s := visit(fmt.Sprintf("v%d", rng.IntN(20)), fmt.Sprintf("s%d", rng.IntN(3)), names...)
			changed = append(changed, s)
			want[fmt.Sprint(s.Visitor, SessionKey(s.ID))] = uint32(len(names))
		}
		data.Upsert(changed)
		v := data.View(math.MinInt32, math.MaxInt32)
		require.Equal(t, want, contents(v.Frames[0], v))
		require.Equal(t, before, contents(old.Frames[0], old), "a view never changes")
		merged = merged || v.Frames[0].Sealed.Len() > 0
		opened = opened || v.Frames[0].Open != nil
	}
	require.True(t, merged && opened)
	data.Upsert([]Session{{Visitor: "x", ID: "s", HomeDay: 1, Hits: []int64{PackHit(0, 2)}}})
	require.False(t, data.Has(Sessions, 1), "days that are not loaded are left for their load")
}

// Visitors who are removed leave every part of every day that has them; views of before, and other days, stay.
func TestRemoveVisitors(t *testing.T) {
	data := named()
	data.OpenFloor = 8
	data.Put(Sessions, Day(noon), build(data))
	other := visit("other", "s", 2)
	other.HomeDay++
	data.Put(Sessions, other.HomeDay, build(data, other))
	rng := rand.New(rand.NewPCG(3, 4))
	want := map[string]uint32{}
	sealed, opened, back := false, false, false
	for range 300 {
		names := make([]uint32, 1+rng.IntN(4))
		for i := range names {
			names[i] = 2
		}
		s := visit(fmt.Sprint("v", rng.IntN(20)), fmt.Sprint("s", rng.IntN(3)), names...)
		key := fmt.Sprint(s.Visitor, SessionKey(s.ID))
		_, known := data.Ordinal(s.Visitor)
		back = back || known && want[key] == 0
		want[key] = uint32(len(names))
		data.Upsert([]Session{s})
		data.SetFirstTouch(&FirstTouch{Visitor: s.Visitor, FirstSeen: EpochMillis + 1, Source: "a"})
		old := data.View(math.MinInt32, math.MaxInt32)
		before, touched := contents(old.Frames[0], old), data.FirstTouches()

		gone := map[string]bool{fmt.Sprint("v", rng.IntN(20)): true, fmt.Sprint("v", rng.IntN(20)): true, "nobody": true}
		ordinals := data.FindVisitors(func(id string) bool { return gone[id] })
		for _, ordinal := range ordinals {
			row, found := old.Frames[0].Sealed.firstOf(ordinal)
			sealed = sealed || found && !old.Frames[0].Masked.Has(row)
			if old.Frames[0].Open != nil {
				_, found = old.Frames[0].Open.firstOf(ordinal)
				opened = opened || found
			}
			if old.FirstSeen(ordinal) != NeverSeen {
				touched--
			}
			for session := range 3 {
				delete(want, fmt.Sprint(old.Visitors.ID(ordinal), SessionKey(fmt.Sprint("s", session))))
			}
		}
		data.RemoveVisitors(ordinals)

		v := data.View(math.MinInt32, math.MaxInt32)
		require.Equal(t, want, contents(v.Frames[0], v))
		require.Equal(t, touched, data.FirstTouches())
		require.Same(t, old.Frames[1], v.Frames[1], "a day without them is left as it is")
		require.Equal(t, before, contents(old.Frames[0], old), "a view never changes")
		for _, ordinal := range ordinals {
			require.Equal(t, NeverSeen, v.FirstSeen(ordinal))
			require.Zero(t, *v.Touch(ordinal))
		}
	}
	require.True(t, sealed && opened && back, "rows of both parts were removed, and came back")
}

// firstOf returns the first row of a visitor.
func (p *Part) firstOf(visitor uint32) (uint32, bool) {
	lo, hi := p.Bounds(visitor, visitor+1)
	return uint32(lo), lo < hi
}

func TestFirstTouchesOfOldViewsStay(t *testing.T) {
	data := named()
	for i := range 3000 {
		data.SetFirstTouch(&FirstTouch{Visitor: fmt.Sprint("v", i), FirstSeen: EpochMillis + int64(i), Source: "a"})
	}
	old := data.View(0, 0)
	data.SetFirstTouch(&FirstTouch{Visitor: "v7", FirstSeen: EpochMillis, Source: "b", CustomUserID: "u"})
	fresh := data.View(0, 0)
	ordinal, ok := old.Ordinal("v7")
	require.True(t, ok)
	require.Equal(t, int64(7), old.FirstSeen(ordinal))
	require.Equal(t, int64(0), fresh.FirstSeen(ordinal))
	require.Equal(t, "b", fresh.Sources[fresh.Touch(ordinal).Source])
	_, ok = old.Ordinal("nobody")
	require.False(t, ok)
	for i := range 3000 {
		ordinal, ok := fresh.Ordinal(fmt.Sprint("v", i))
		require.True(t, ok)
		require.Equal(t, fmt.Sprint("v", i), fresh.Visitors.ID(ordinal))
	}
}

func TestMemoKeepsTheLatest(t *testing.T) {
	v := NewDataset().View(0, 0)
	computed := 0
	var keys []int
	for key := 1; key <= memoSize; key++ {
		keys = append(keys, key)
	}
	for _, key := range append(keys, 1, memoSize+1, 1, 2) {
		got := Derive(v, key, func() int { computed++; return key * 10 })
		require.Equal(t, key*10, got)
	}
	require.Equal(t, memoSize+2, computed, "2 was pushed out by the last, 1 was used in between")
}

func TestMemoryBudget(t *testing.T) {
	data := NewDataset()
	var names []NameRow
	for i := range 3000 {
		names = append(names, NameRow{ID: uint32(i + 1), Kind: PageView, Text: fmt.Sprintf("/section/page-%d", i)})
	}
	data.SetNames(names)
	rng := rand.New(rand.NewPCG(3, 4))
	b := data.NewBuilder()
	sessions, hits := 60_000, 0
	for i := range sessions {
		s := Session{
			Visitor: fmt.Sprintf("0197aa00-0000-7000-8000-%012d", rng.IntN(sessions*3/10)),
			ID:      fmt.Sprintf("0197aa00-0000-7000-9000-%012d", i),
			Source:  fmt.Sprint("source-", rng.IntN(50)), Country: fmt.Sprint("C", rng.IntN(100)), HomeDay: Day(noon),
		}
		for range 1 + rng.IntN(12) {
			s.Hits = append(s.Hits, PackHit(noon.UnixMilli()+rng.Int64N(1e6), uint32(1+rng.IntN(3000))))
		}
		hits += len(s.Hits)
		b.Add(&s)
	}
	data.Put(Sessions, Day(noon), b.Seal())
	require.LessOrEqual(t, data.Bytes(), int64(120*sessions+12*hits), "120 B a session and 12 B a hit")
}

func TestFirstTouchesHaveAChannel(t *testing.T) {
	data := NewDataset()
	for visitor, touch := range map[string]FirstTouch{
		"searched":  {Platform: "web", ReferrerHost: "google.com"},
		"paid":      {Platform: "web", Source: "google", Medium: "cpc"},
		"installed": {Platform: "ios", Organic: true},
		"direct":    {Platform: "web"},
		"unknown":   {Platform: "ios", OrganicUnknown: true},
	} {
		touch.Visitor = visitor
		data.SetFirstTouch(&touch)
	}
	view := data.View(0, 0)
	for visitor, want := range map[string]channel.Channel{
		"searched": channel.OrganicSearch, "paid": channel.PaidSearch, "installed": channel.OrganicAppStore,
		"direct": channel.Direct, "unknown": channel.LeftOut,
	} {
		ordinal, ok := view.Ordinal(visitor)
		require.True(t, ok)
		require.Equal(t, want, channel.Channel(view.Touch(ordinal).Channel), visitor)
	}
	ordinal, _ := view.Ordinal("paid")
	require.Equal(t, "cpc", view.Mediums[view.Touch(ordinal).Medium])
}
