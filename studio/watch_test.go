package studio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/safepublish"
	"github.com/svc-dev/svc/analytics/store"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/auditentry"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

// watched is a world with a flow of two versions whose runs are stored and read.
type watched struct {
	*world
	reports       studio.Reports
	watcher       *studio.Watcher
	writer        *ingest.Writer
	flow          *ent.Flow
	first, second *ent.FlowVersion
}

func newWatched(t *testing.T) *watched {
	w := &watched{world: newWorld(t)}
	quiet := slog.New(slog.DiscardHandler)
	var err error
	w.writer, err = ingest.New(w.db, ingest.Settings{}, ingest.Deps{Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, w.writer.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, w.writer.Stop(context.Background())) })
	reports := store.New(w.db.Pool, store.Settings{MaxAge: time.Nanosecond, Logger: quiet})
	require.NoError(t, reports.Start(context.Background()))
	t.Cleanup(func() { require.NoError(t, reports.Stop(context.Background())) })
	w.reports = reports
	w.watcher = w.Watcher(reports)
	w.flow, w.first = w.published(w.app.ID)
	w.second = made(w.Publish(w.owner, w.flow.ID, "Second"))(t).Version
	return w
}

// serve makes a channel serve a version, as if it had begun so long ago.
func (w *watched) serve(ch *ent.Channel, version *ent.FlowVersion, ago time.Duration) {
	w.t.Helper()
	made(w.Pin(w.owner, ch.PublicID, version.ID))(w.t)
	_, err := w.db.Pool.Exec(w.t.Context(), `update assignments set created_at = $2
		where channel_id = $1 and assignment_version = (select assignment_version from channels where id = $1)`,
		ch.ID, w.now.Add(-ago))
	require.NoError(w.t, err)
}

// runs stores runs of users of their own that began so long ago, some of which are completed or have an error.
func (w *watched) runs(ch *ent.Channel, version *ent.FlowVersion, ago time.Duration, n, completed, failed int) {
	w.t.Helper()
	var events []string
	for i := range n {
		run, user := uuid.NewString(), uuid.NewString()
		event := func(name, more string, after time.Duration) {
			events = append(events, fmt.Sprintf(`{"eventId":%q,"name":%q,"runId":%q,"flowId":%q,"versionId":%q,"timestamp":%q,
				"identity":{"appUserId":%q,"sessionId":"s"},"platform":"web"%s}`, uuid.NewString(), name, run, w.flow.ID,
				version.ID, w.now.Add(after-ago).Format(time.RFC3339), user, more))
		}
		event("flow_started", "", 0)
		if i < failed {
			event("surface_outcome", `,"stepId":"srf","properties":{"surface_node_id":"srf","provider":"headless","outcome":"failed"}`,
				time.Minute)
		}
		if i >= n-completed {
			event("flow_completed", "", 2*time.Minute)
		}
	}
	for batch := range slices.Chunk(events, 500) {
		answer, err := w.writer.Flow(w.t.Context(), []byte(`{"events":[`+strings.Join(batch, ",")+`]}`), ingest.Request{
			EnvironmentID: ch.EnvironmentID, ChannelID: ch.ID, ReceivedAt: time.Now(),
		})
		require.NoError(w.t, err)
		require.Empty(w.t, answer.Rejected)
	}
}

func (w *watched) look() {
	w.t.Helper()
	next := w.watcher.Look()
	for more := true; more; {
		var err error
		more, err = next(w.t.Context())
		require.NoError(w.t, err)
	}
}

func (w *watched) read(ch *ent.Channel) *studio.ChannelWatch {
	w.t.Helper()
	return made(w.watcher.Read(w.t.Context(), w.db.Ent().Channel.GetX(w.t.Context(), ch.ID)))(w.t)
}

// told are the texts of the notifications of harm.
func (w *watched) told() (texts []string) {
	w.t.Helper()
	rows, err := w.db.Pool.Query(w.t.Context(), `select title || ': ' || body from notification
		where kind = 'version_harm' order by created_at`)
	require.NoError(w.t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(w.t, rows.Scan(&text))
		texts = append(texts, text)
	}
	return texts
}

const hour = time.Hour

// Fewer completions are found and told of once, however many servers look; the channel stays as it is, and going back
// leaves the judgement to be read.
func TestHarmOfANewVersionIsTold(t *testing.T) {
	w := newWatched(t)
	ch := w.channel()
	require.Nil(t, w.read(ch), "it serves nothing")
	w.serve(ch, w.first, 100*hour)
	require.Nil(t, w.read(ch), "nothing was there before")
	w.runs(ch, w.first, 90*hour, 600, 360, 4)
	w.serve(ch, w.second, 48*hour)
	w.runs(ch, w.first, 47*hour, 50, 0, 0)  // of apps that had the version before
	w.runs(ch, w.second, hour/2, 300, 0, 0) // may still be completed
	got := w.read(ch)
	require.Equal(t, safepublish.Watching, got.State)
	require.Equal(t, []int{600, 0}, []int{got.PreviousRuns, got.Runs})
	require.Contains(t, got.Sentence, "Too early to tell: v2 has 0 of ")
	w.look()
	w.runs(ch, w.second, 40*hour, 250, 150, 2)
	w.look()
	require.Empty(t, w.told())
	got = w.read(ch)
	require.Equal(t, safepublish.Watching, got.State, got.Sentence)
	require.InDelta(t, 0.6, *got.Figures[0].Previous, 1e-9)
	require.InDelta(t, 0.6, *got.Figures[0].Current, 1e-9)
	require.InDelta(t, 0.008, *got.Figures[1].Current, 1e-9)

	w.runs(ch, w.second, 30*hour, 250, 25, 2)
	var all sync.WaitGroup
	for range 4 {
		all.Go(w.look)
	}
	all.Wait()
	w.look()
	require.Len(t, w.told(), 1)
	require.Contains(t, w.told()[0], "v2 of “Flow” is worse than v1: On channel “Main” (live) of “Shop” "+
		"35.0 % of 500 runs were completed, before 60.0 % of 600. The channel still serves v2: go back to v1")
	got = w.read(ch)
	require.Equal(t, safepublish.Harmful, got.State)
	require.Equal(t, "v2 is worse than v1: 35.0 % of 500 runs were completed, before 60.0 % of 600.", got.Sentence)
	require.NotNil(t, got.DecidedAt)
	require.Nil(t, got.LeftAt)
	require.Equal(t, 1, w.db.Ent().AuditEntry.Query().Where(auditentry.Action("channel.harm")).CountX(t.Context()))

	made(w.Pin(w.owner, ch.PublicID, w.first.ID))(t)
	got = w.read(ch)
	require.Equal(t, safepublish.Harmful, got.State)
	require.NotNil(t, got.LeftAt)
	require.False(t, got.Returned)
	w.look()
	require.Len(t, w.told(), 1, "going back is no new version")

	w.now = w.now.Add(time.Second)
	w.serve(ch, w.second, 0)
	got = w.read(ch)
	require.Equal(t, safepublish.Watching, got.State, "once more, and anew")
	require.Equal(t, 0, got.Runs)
}

// A channel that is set to goes back by itself, and says so.
func TestAChannelGoesBackByItself(t *testing.T) {
	w := newWatched(t)
	ch := w.channel()
	_, err := w.SetAutomaticReturn(w.viewer(), ch.PublicID, true)
	refused(t, err, fault.Forbidden, "")
	made(w.SetAutomaticReturn(w.owner, ch.PublicID, true))(t)
	w.serve(ch, w.first, 100*hour)
	w.runs(ch, w.first, 90*hour, 300, 150, 0)
	w.serve(ch, w.second, 48*hour)
	w.runs(ch, w.second, 40*hour, 200, 100, 60)
	w.look()
	w.look()
	require.Len(t, w.told(), 1)
	require.Contains(t, w.told()[0], "30.0 % of 200 runs had an error, before 0.0 % of 300. The channel went back to v1 by itself.")
	now := w.db.Ent().Channel.GetX(t.Context(), ch.ID)
	require.Equal(t, w.first.ID, *now.FlowVersionID)
	require.Equal(t, 3, now.AssignmentVersion)
	got := w.read(ch)
	require.True(t, got.Returned)
	require.Equal(t, safepublish.Harmful, got.State)
	for _, action := range []string{"channel.automatic_return", "channel.harm", "channel.return"} {
		require.Equal(t, 1, w.db.Ent().AuditEntry.Query().Where(auditentry.Action(action)).CountX(t.Context()), action)
	}
}

// A version that is as good is fine once the planned runs came, and one that too few people get ends after four weeks.
func TestAWatchEnds(t *testing.T) {
	w := newWatched(t)
	good, quiet := w.channel(), w.channel()
	for _, ch := range []*ent.Channel{good, quiet} {
		w.serve(ch, w.first, 100*hour)
		w.runs(ch, w.first, 90*hour, 450, 405, 0)
		w.serve(ch, w.second, 48*hour)
	}
	w.runs(good, w.second, 40*hour, 400, 360, 0)
	w.runs(quiet, w.second, 40*hour, 20, 0, 0)
	w.look()
	got := w.read(good)
	require.Equal(t, safepublish.Fine, got.State, got.Sentence)
	require.Equal(t, "No harm was found in 400 runs of v2.", got.Sentence)
	require.Equal(t, safepublish.Watching, w.read(quiet).State)

	w.now = w.now.Add(26*24*hour + 12*hour)
	w.look()
	got = w.read(quiet)
	require.Equal(t, safepublish.Ended, got.State)
	require.Contains(t, got.Sentence, "28 days are over, and no harm was found in 20 of ")
	require.Empty(t, w.told())
}

// What follows an experiment, another flow or a higher version is not watched.
func TestWhatIsNotWatched(t *testing.T) {
	w := newWatched(t)
	_, other := w.published(w.app.ID)
	ch := w.channel()
	w.serve(ch, w.second, 100*hour)
	w.serve(ch, w.first, 50*hour)
	require.Nil(t, w.read(ch), "an earlier version")
	w.serve(ch, other, 40*hour)
	require.Nil(t, w.read(ch), "another flow")
	w.serve(ch, w.first, 30*hour)
	made(w.Unassign(w.owner, ch.PublicID))(t)
	w.serve(ch, w.second, 20*hour)
	require.NotNil(t, w.read(ch), "with nothing in between")
	w.now = w.now.Add(40 * 24 * hour)
	require.Nil(t, w.read(ch), "long over")
}

// failingReports fails for some channels.
type failingReports struct {
	studio.Reports
	broken []int64
	asked  int
}

func (r *failingReports) SelectRuns(
	ctx context.Context, environmentID int64, scope flow.Scope, withPrevious, withSessions bool, now time.Time,
) (*flow.Selection, error) {
	if r.asked++; slices.Contains(r.broken, scope.Channels[0]) {
		return nil, errors.New("its files are damaged")
	}
	return r.Reports.SelectRuns(ctx, environmentID, scope, withPrevious, withSessions, now)
}

// Channels that can't be looked at keep nobody from looking at the others and fill no log, and those that were decided
// are not looked at again.
func TestBrokenChannelsStopNoLook(t *testing.T) {
	w := newWatched(t)
	reports := &failingReports{Reports: w.reports}
	var good *ent.Channel
	for i := range 30 {
		ch := w.channel()
		w.serve(ch, w.first, 100*hour)
		w.serve(ch, w.second, 48*hour)
		if i == 15 {
			good = ch
			w.runs(ch, w.first, 90*hour, 300, 150, 0)
			w.runs(ch, w.second, 40*hour, 200, 20, 0)
		} else {
			reports.broken = append(reports.broken, ch.ID)
		}
	}
	var log bytes.Buffer
	w.watcher = studio.New(w.db.Ent(), studio.Options{
		Logger: slog.New(slog.NewTextHandler(&log, nil)), Now: func() time.Time { return w.now }, Notifications: w.db.Pool,
	}).Watcher(reports)
	w.look()
	require.Equal(t, safepublish.Harmful, w.read(good).State)
	require.Len(t, w.told(), 1)
	require.Equal(t, 30, reports.asked)
	require.Equal(t, 2, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "its files are damaged")
	require.Contains(t, log.String(), "channels=29")

	reports.asked = 0
	w.look()
	require.Equal(t, 29, reports.asked, "what was decided is not asked for again")
}
