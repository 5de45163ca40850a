package studio

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/safepublish"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ent"
)

const (
	// WatchTime is how long a new version of a channel is watched.
	WatchTime = 28 * 24 * time.Hour
	// watchBack is how long before the switch runs of the version before count: two whole weeks, so that every weekday is
	// in it as often.
	watchBack = 14 * 24 * time.Hour
	// leastWithin is how long after its start a run counts, at least.
	leastWithin = time.Hour
)

// Reports tell what runs did.
type Reports interface {
	SelectRuns(
		ctx context.Context, environmentID int64, scope flow.Scope, withPrevious, withSessions bool, now time.Time,
	) (*flow.Selection, error)
	// Guard calls what reads a selection, whose files may turn out to be damaged.
	Guard(read func() error) error
}

// Watcher holds the new version that a channel serves against the one before it: safe publish.
type Watcher struct {
	studio  *Studio
	reports Reports
}

// Watcher returns the watcher of the studio's channels.
func (s *Studio) Watcher(reports Reports) *Watcher { return &Watcher{s, reports} }

// ChannelWatch is what is known of a new version of a channel.
type ChannelWatch struct {
	VersionID, PreviousID uuid.UUID
	Version, Previous     int // their numbers
	safepublish.Judgement
	Sentence          string // the state in plain words
	StartedAt, EndsAt time.Time
	// DecidedAt is when the state and its figures became final; nil while runs are waited for.
	DecidedAt *time.Time
	// LeftAt is when the channel began to serve something else; nil while it serves the version.
	LeftAt *time.Time
	// Returned says that the channel went back to the version before by itself.
	Returned bool
}

// handover is a version that a channel serves after another one of the same flow, as the history of assignments says.
type handover struct {
	channel, environment int64
	assignmentVersion    int // the first that served the version
	startedAt            time.Time
	leftAt               *time.Time
	flow                 uuid.UUID
	version, previous    uuid.UUID
	number, before       int
	lapse                time.Duration
}

// handoverSQL finds the newest version of each channel that came after one with a lower number of the same flow,
// directly or with nothing in between. One that follows an experiment was compared by it, and going back publishes
// nothing new. What the channel serves now may be what it served before that version: then it left it.
const handoverSQL = `
	with entry as (
		select a.channel_id, a.assignment_version, a.assignment, a.flow_version_id, a.created_at,
			lag(a.flow_version_id) over by_channel as before_id, lag(a.assignment) over by_channel as before
		from assignments a
		where a.assignment <> 'none' and a.channel_id = $1
		window by_channel as (partition by a.channel_id order by a.assignment_version)
	), switch as (
		select *, lead(created_at) over (order by assignment_version) as left_at,
			row_number() over (order by assignment_version desc) as place
		from entry where assignment <> 'direct' or before is distinct from 'direct'
			or flow_version_id is distinct from before_id
	)
	select c.id, c.environment_id, s.assignment_version, s.created_at, s.left_at, v.flow_id, v.id, p.id,
		v.number, p.number, app.lapse_minutes
	from switch s
	join channels c on c.id = s.channel_id
	join environments e on e.id = c.environment_id
	join apps app on app.id = e.app_id
	join flow_versions v on v.id = s.flow_version_id
	join flow_versions p on p.id = s.before_id and p.flow_id = v.flow_id and p.number < v.number
	left join switch later on later.place = s.place - 1
	where s.assignment = 'direct' and s.before = 'direct' and s.place <= 2
		and (s.place = 1 or later.assignment = 'direct' and later.flow_version_id = p.id)
	order by s.place limit 1`

// findHandover returns the handover that a channel's watch is of; nil for none.
func findHandover(ctx context.Context, q querier, channel int64) (*handover, error) {
	var found *handover
	err := eachRow(ctx, q, func(rows *sql.Rows) error {
		found = &handover{}
		var minutes int
		err := rows.Scan(&found.channel, &found.environment, &found.assignmentVersion, &found.startedAt, &found.leftAt,
			&found.flow, &found.version, &found.previous, &found.number, &found.before, &minutes)
		found.lapse = time.Duration(minutes) * time.Minute
		return err
	}, handoverSQL, channel)
	if err != nil {
		return nil, fmt.Errorf("find what the channel served before: %w", err)
	}
	return found, nil
}

// Read returns the watch over the newest version of a channel, which the caller may read: nil when it served no version
// before, or the watch is long over. One that the channel went back from is there when it was decided.
func (w *Watcher) Read(ctx context.Context, ch *ent.Channel) (*ChannelWatch, error) {
	h, err := findHandover(ctx, w.studio.client, ch.ID)
	if err != nil || h == nil {
		return nil, err
	}
	watch := h.watch()
	decided, err := readDecision(ctx, w.studio.client, h, watch)
	switch now := w.studio.now(); {
	case err != nil:
		return nil, err
	case decided:
		watch.Sentence = watch.sentence()
		return watch, nil
	case h.leftAt != nil || now.After(watch.EndsAt):
		return nil, nil
	default:
		if watch.Judgement, err = w.judge(ctx, h, now); err != nil {
			return nil, err
		}
		watch.Sentence = watch.sentence()
		return watch, nil
	}
}

func (h *handover) watch() *ChannelWatch {
	return &ChannelWatch{
		VersionID: h.version, PreviousID: h.previous, Version: h.number, Previous: h.before,
		StartedAt: h.startedAt, EndsAt: h.startedAt.Add(WatchTime), LeftAt: h.leftAt,
	}
}

// readDecision completes the watch over a handover that was decided.
func readDecision(ctx context.Context, q querier, h *handover, watch *ChannelWatch) (decided bool, err error) {
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		decided = true
		var judgement []byte
		var at time.Time
		if err := rows.Scan(&at, &watch.Returned, &judgement); err != nil {
			return err
		}
		watch.DecidedAt = &at
		return json.Unmarshal(judgement, &watch.Judgement)
	}, `select decided_at, returned, judgement from channel_watch where channel_id = $1 and assignment_version = $2`,
		h.channel, h.assignmentVersion)
	if err != nil {
		return false, fmt.Errorf("read the decided watch: %w", err)
	}
	return decided, nil
}

var errNoReports = errors.New("this server holds no reports")

// judge compares the runs of both versions so far.
func (w *Watcher) judge(ctx context.Context, h *handover, now time.Time) (judged safepublish.Judgement, err error) {
	if w.reports == nil {
		return judged, errNoReports
	}
	over := &flow.Handover{
		Flow: session.Key(h.flow), Channel: h.channel, Previous: session.Key(h.previous), Current: session.Key(h.version),
		Since: h.startedAt, Back: watchBack, Within: max(leastWithin, h.lapse),
	}
	err = w.reports.Guard(func() error {
		runs, err := w.reports.SelectRuns(ctx, h.environment, over.Scope(now), false, false, now)
		if err != nil {
			return err
		}
		previous, current, err := runs.Handover(ctx, over)
		judged = safepublish.Judge(previous, current)
		return err
	})
	return judged, err
}

// sentence says how a watch stands.
func (w *ChannelWatch) sentence() string {
	planned := ""
	if w.PlannedRuns != nil {
		planned = fmt.Sprintf(" of %d planned", *w.PlannedRuns)
	}
	switch {
	case w.State == safepublish.Harmful:
		return fmt.Sprintf("v%d is worse than v%d: %s.", w.Version, w.Previous, w.harm())
	case w.State == safepublish.Fine:
		return fmt.Sprintf("No harm was found in %d runs of v%d.", w.Runs, w.Version)
	case w.PreviousRuns < safepublish.LeastRuns:
		return fmt.Sprintf("v%d had %d runs in the two weeks before: too few to compare with.", w.Previous, w.PreviousRuns)
	case w.State == safepublish.Ended:
		return fmt.Sprintf("28 days are over, and no harm was found in %d%s runs.", w.Runs, planned)
	case w.Runs < safepublish.LeastRuns:
		return fmt.Sprintf("Too early to tell: v%d has %d%s runs.", w.Version, w.Runs, planned)
	}
	return fmt.Sprintf("No harm so far, in %d%s runs of v%d.", w.Runs, planned, w.Version)
}

// harm says which metrics are worse, and by how much.
func (w *ChannelWatch) harm() string {
	said := ""
	for _, f := range w.Figures {
		if !f.Harm || f.Current == nil || f.Previous == nil {
			continue
		}
		if said != "" {
			said += "; "
		}
		what := "were completed"
		if f.Metric == safepublish.Errors {
			what = "had an error"
		}
		said += fmt.Sprintf("%.1f %% of %d runs %s, before %.1f %% of %d", 100**f.Current, w.Runs, what, 100**f.Previous,
			w.PreviousRuns)
	}
	return said
}
