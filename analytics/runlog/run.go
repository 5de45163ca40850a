package runlog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// Run is a run with names for ids.
type Run struct {
	run.Run
	ID   ID
	Path []Visit
}

// Visit is a stay at a step.
type Visit struct {
	StepID string
	At     time.Time
	// Seconds until the next visit or the end of the run; nil when neither came, or only by a clock that was set back.
	Seconds *float64
}

// describe names what a run passed.
func (w *walk) describe(r *run.Run) Run { return Run{Run: *r, ID: idOf(r), Path: pathOf(r, w.texts)} }

// pathOf returns the visits of a run: one begins at every step_viewed and surface_presented that names a step, and ends
// at the next one or at the end of the run.
func pathOf(r *run.Run, texts names) []Visit {
	var path []Visit
	open := false
	for i := range r.Hits {
		h := &r.Hits[i]
		begins := (h.Name == run.StepViewed || h.Name == run.SurfacePresented) && h.Step > 0
		if open && (begins || h.Name == run.FlowCompleted || h.Name == run.FlowAbandoned) {
			last := &path[len(path)-1]
			if seconds := float64(h.At-last.At.UnixMilli()) / 1000; seconds >= 0 { // a clock may have been set back
				last.Seconds = &seconds
			}
			open = false
		}
		if begins {
			path, open = append(path, Visit{StepID: texts.text(h.Step), At: time.UnixMilli(h.At).UTC()}), true
		}
	}
	return path
}

// Hit is one event of a run as it was stored.
type Hit struct {
	Name    string
	At      time.Time
	Seq     *int    // place in the run; nil when the client sent none
	StepID  string  // empty when it has none
	From    *string // step that the person came from: empty at the start, nil when the client did not say
	EventID string
	// Properties is a JSON object with redacted values; nil when the event had none, or when the stored event expired.
	Properties json.RawMessage
}

// Whole is a run with everything that it recorded.
type Whole struct {
	Run
	Hits []Hit
}

// Read returns a run with every hit that reports count, nil when there is none of the id.
func (r *Reader) Read(ctx context.Context, id ID) (*Whole, error) {
	var whole *Whole
	err := r.eachRows(ctx, []rowKey{{id.Person, id.Key}}, func(rows []run.Row) error {
		texts := names{}
		if len(rows) == 0 {
			return nil
		}
		if err := r.load(ctx, texts, rows); err != nil {
			return err
		}
		runs, err := rows[0].Runs(texts.text)
		if err != nil || id.Pass >= len(runs) {
			return err
		}
		found := &runs[id.Pass]
		whole = &Whole{Run: Run{Run: *found, ID: id, Path: pathOf(found, texts)}}
		return r.readHits(ctx, whole, texts)
	})
	return whole, err
}

// storedHit is what a run's hit does not hold itself.
type storedHit struct {
	eventID, stepID string
	fromStepID      *string
	properties      json.RawMessage
}

// readHits fills in the hits of a run, with what the stored events say.
func (r *Reader) readHits(ctx context.Context, whole *Whole, texts names) error {
	hits := whole.Run.Run.Hits
	first, last := hits[0].At, hits[0].At
	keys := make([]pgtype.UUID, len(hits))
	for i, h := range hits {
		first, last = min(first, h.At), max(last, h.At)
		keys[i] = pgtype.UUID{Bytes: h.Key, Valid: true}
	}
	rows, err := r.DB.Query(ctx, `
		select event_key, event_id, step_id, from_step_id, properties
		from flow_events
		where environment_id = $1 and app_user_id = $2 and occurred_at between $3 and $4 and flow_id = $5
			and event_key = any($6)`,
		r.EnvironmentID, whole.Person, time.UnixMilli(first), time.UnixMilli(last),
		pgtype.UUID{Bytes: r.Flow, Valid: true}, keys)
	if err != nil {
		return fmt.Errorf("read the events of a run: %w", err)
	}
	stored := make(map[session.Key]storedHit, len(hits))
	var key pgtype.UUID
	var s storedHit
	if _, err := pgx.ForEachRow(rows, []any{&key, &s.eventID, &s.stepID, &s.fromStepID, &s.properties}, func() error {
		stored[key.Bytes] = s
		s = storedHit{}
		return nil
	}); err != nil {
		return fmt.Errorf("read the events of a run: %w", err)
	}
	for i := range hits {
		whole.Hits = append(whole.Hits, describeHit(&hits[i], stored, texts))
	}
	return nil
}

// describeHit returns a hit as it was stored, or what the run knows of one whose event is gone.
func describeHit(h *run.Hit, stored map[session.Key]storedHit, texts names) Hit {
	hit := Hit{Name: h.Name.String(), At: time.UnixMilli(h.At).UTC()}
	if h.Seq >= 0 {
		seq := int(h.Seq)
		hit.Seq = &seq
	}
	if s, ok := stored[h.Key]; ok {
		hit.StepID, hit.From, hit.EventID, hit.Properties = s.stepID, s.fromStepID, s.eventID, s.properties
		return hit
	}
	hit.StepID = texts.text(h.Step)
	if h.From != 0 {
		from := texts.text(h.From)
		hit.From = &from
	}
	return hit
}

// CustomUserIDs returns the latest custom user id of each of the people that have one (analytics.md §4).
func (r *Reader) CustomUserIDs(ctx context.Context, people []string) (map[string]string, error) {
	rows, err := r.DB.Query(ctx, `
		select app_user_id, custom_user_id from product_analytics_first_touch
		where environment_id = $1 and app_user_id = any($2) and custom_user_id <> ''`, r.EnvironmentID, people)
	if err != nil {
		return nil, fmt.Errorf("read custom user ids: %w", err)
	}
	ids := make(map[string]string, len(people))
	var person, id string
	if _, err := pgx.ForEachRow(rows, []any{&person, &id}, func() error { ids[person] = id; return nil }); err != nil {
		return nil, fmt.Errorf("read custom user ids: %w", err)
	}
	return ids, nil
}
