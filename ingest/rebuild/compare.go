package rebuild

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/session"
)

// comparison is what comparing some visitors gave.
type comparison struct {
	sessions, touches int64 // compared
	differences       []Difference
	rightSessions     []session.Row        // of those that are missing or different
	rightTouches      []session.FirstTouch // likewise
}

// compare holds the stored rows of visitors against what their raw events make.
func (r *rebuild) compare(ctx context.Context, tx pgx.Tx, held visitorSessions) (*comparison, error) {
	visitors := slices.Sorted(maps.Keys(held))
	stored, err := readSessions(ctx, tx, r.EnvironmentID, visitors)
	if err != nil {
		return nil, err
	}
	touches, err := readTouches(ctx, tx, r.EnvironmentID, visitors)
	if err != nil {
		return nil, err
	}
	f := &comparison{}
	type key struct{ visitor, session string }
	known := make(map[key]bool, len(stored))
	for i := range stored {
		s := &stored[i]
		known[key{s.Visitor, s.SessionID}] = true
		if s.StartedAt < r.oldest.UnixMilli() || s.LastAt < r.expired.UnixMilli() {
			continue
		}
		f.sessions++
		d := Difference{Table: sessionTable, AppUserID: s.Visitor, SessionID: s.SessionID}
		right, ok := held[s.Visitor][s.SessionID]
		if !ok {
			d.Kind = Unexpected
			f.differences = append(f.differences, d)
			continue
		}
		if d.Fields = sessionFields(s, &right, r.HitLimit); len(d.Fields) > 0 {
			d.Kind = Different
			f.differences = append(f.differences, d)
			f.rightSessions = append(f.rightSessions, right)
		}
	}
	for visitor, sessions := range held {
		for id, right := range sessions {
			if known[key{visitor, id}] || right.LastAt < r.expired.UnixMilli() {
				continue
			}
			f.sessions++
			f.differences = append(
				f.differences, Difference{Table: sessionTable, Kind: Missing, AppUserID: visitor, SessionID: id},
			)
			f.rightSessions = append(f.rightSessions, right)
		}
		if len(sessions) > 0 {
			r.compareTouch(f, visitor, computeFirstTouch(sessions), touches)
		}
	}
	slices.SortFunc(f.differences, Difference.compare)
	return f, nil
}

func (r *rebuild) compareTouch(
	f *comparison, visitor string, right session.FirstTouch, touches map[string]session.FirstTouch,
) {
	stored, ok := touches[visitor]
	if ok && stored.FirstSeen < r.oldest.UnixMilli() {
		return // first seen before the oldest raw event
	}
	f.touches++
	d := Difference{Table: touchTable, AppUserID: visitor, Kind: Missing}
	if ok {
		right.FirstSeen = min(right.FirstSeen, stored.FirstSeen)
		if d.Kind, d.Fields = Different, fields(stored, right); len(d.Fields) == 0 {
			return
		}
	}
	f.differences = append(f.differences, d)
	f.rightTouches = append(f.rightTouches, right)
}

// sessionFields names what differs between a stored session and the right one.
func sessionFields(stored *storedSession, right *session.Row, hitLimit int) []string {
	slices.Sort(stored.Hits)
	names := fields(stored.Row, *right)
	if !sameHits(stored, slices.Sorted(slices.Values(right.Hits)), hitLimit) {
		names = append(names, "hits")
	}
	return names
}

// sameHits compares sorted hits. Of a session beyond the limit any hits may be
// kept: those that arrived first.
func sameHits(stored *storedSession, right []int64, limit int) bool {
	if len(right) <= limit && stored.over == 0 {
		return slices.Equal(stored.Hits, right)
	}
	if len(stored.Hits)+int(stored.over) != len(right) || len(stored.Hits) > limit {
		return false
	}
	at := 0
	for _, hit := range stored.Hits {
		for at < len(right) && right[at] < hit {
			at++
		}
		if at == len(right) || right[at] != hit {
			return false
		}
		at++
	}
	return true
}

// fields names the fields in which two values of one struct type differ, hits
// aside.
func fields[T session.Row | session.FirstTouch](a, b T) (names []string) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if x.Field(i).Kind() == reflect.Slice {
			continue
		}
		if !x.Field(i).Equal(y.Field(i)) {
			name := x.Type().Field(i).Name
			names = append(names, strings.ToLower(name[:1])+name[1:])
		}
	}
	return names
}
