package studio

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics/safepublish"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/postgres/transaction"
)

// watchedSQL finds the channels that were given something to serve that no watch was decided of. Those of a day longer
// are ended. A look that takes too long begins anew: the order is another one then, so that no channel is always left
// out.
const watchedSQL = `
	select c.id from channels c
	join environments e on e.id = c.environment_id
	join apps app on app.id = e.app_id
	where c.assignment = 'direct' and c.archived_at is null and app.archived_at is null
		and exists (select from assignments a where a.channel_id = c.id and a.reason = 'pin'
			and a.created_at > $1::timestamptz - interval '29 days'
			and a.assignment_version > coalesce(
				(select max(w.assignment_version) from channel_watch w where w.channel_id = c.id), 0))
	order by random()`

// look is one over the channels that serve a new version.
type look struct {
	*Watcher
	left   []int64 // channels that were not looked at yet
	begun  bool
	failed int
}

// Look returns a look at all channels that serve a new version, one with every call, until more is false. It decides
// the watches whose time has come: of harm the workspace is told, and a channel that is set to goes back to the
// version before. Several servers may look at once; each watch is decided, told and audited once.
func (w *Watcher) Look() func(ctx context.Context) (more bool, err error) {
	return (&look{Watcher: w}).next
}

func (l *look) next(ctx context.Context) (more bool, err error) {
	if !l.begun {
		if err := l.begin(ctx); err != nil {
			return false, err
		}
	}
	if len(l.left) == 0 {
		return false, nil
	}
	id := l.left[0]
	l.left = l.left[1:]
	// One that can't be looked at keeps nobody from looking at the others, and is not tried again before its turn. What
	// is wrong with one is mostly so with all: the log says it once.
	logger := l.studio.logger
	if err := l.decide(ctx, id); err != nil {
		if l.failed++; l.failed == 1 {
			logger.WarnContext(ctx, "looking at the new version of a channel failed", "channel", id, "error", err)
		}
	}
	if len(l.left) == 0 && l.failed > 1 {
		logger.WarnContext(ctx, "new versions of channels could not be looked at", "channels", l.failed)
	}
	return len(l.left) > 0, nil
}

func (l *look) begin(ctx context.Context) error {
	err := eachRow(ctx, l.studio.client, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		l.left = append(l.left, id)
		return err
	}, watchedSQL, l.studio.now())
	if err != nil {
		return fmt.Errorf("look for new versions on channels: %w", err)
	}
	l.begun = true
	return nil
}

// decide judges what a channel serves, and stores what that decides.
func (w *Watcher) decide(ctx context.Context, id int64) error {
	h, err := findHandover(ctx, w.studio.client, id)
	if err != nil || h == nil || h.leftAt != nil {
		return err
	}
	watch := h.watch()
	decided, err := readDecision(ctx, w.studio.client, h, watch)
	if err != nil || decided {
		return err
	}
	now := w.studio.now()
	if watch.Judgement, err = w.judge(ctx, h, now); err != nil {
		return err
	}
	if watch.State == safepublish.Watching && now.After(watch.EndsAt) {
		watch.State = safepublish.Ended
	}
	if watch.State == safepublish.Watching {
		return nil
	}
	var changed *uuid.UUID
	err = transaction.Run(ctx, w.studio.client, func(tx *ent.Tx) error {
		changed, err = w.store(ctx, tx, h, watch)
		return err
	})
	if err == nil && changed != nil {
		w.studio.refresh(ctx, *changed)
	}
	return err
}

// store stores a decision with all that follows from it. It returns the app whose channel went back; nil when none did.
// A channel that serves something else by now, and a watch that another server decided, are left alone.
func (w *Watcher) store(ctx context.Context, tx *ent.Tx, h *handover, watch *ChannelWatch) (*uuid.UUID, error) {
	ch, err := tx.Channel.Query().Where(channel.ID(h.channel)).ForUpdate().Only(ctx)
	if err != nil {
		return nil, readError(err, "channel")
	}
	latest, err := findHandover(ctx, tx, h.channel)
	if err != nil || latest == nil || latest.leftAt != nil || latest.assignmentVersion != h.assignmentVersion {
		return nil, err
	}
	harm := watch.State == safepublish.Harmful
	watch.Returned = harm && ch.AutomaticReturn && ch.ArchivedAt == nil
	judgement, err := json.Marshal(watch.Judgement)
	if err != nil {
		return nil, fmt.Errorf("write the figures: %w", err)
	}
	stored, err := tx.ExecContext(ctx, `
		insert into channel_watch (channel_id, assignment_version, version_id, previous_id, started_at, decided_at, state,
			judgement, returned)
		values ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9) on conflict do nothing`,
		h.channel, h.assignmentVersion, h.version, h.previous, h.startedAt, w.studio.now(), string(watch.State),
		string(judgement), watch.Returned)
	if err != nil {
		return nil, fmt.Errorf("store what was decided: %w", err)
	}
	if n, err := stored.RowsAffected(); err != nil || n == 0 || !harm {
		return nil, err
	}
	app, err := ch.QueryEnvironment().QueryApp().Only(ctx)
	if err != nil {
		return nil, readError(err, "app")
	}
	detail := map[string]any{"version": h.version, "previous": h.previous, "sentence": watch.sentence()}
	if err := account.Record(ctx, tx, app.WorkspaceID, "channel.harm", ch.PublicID, detail); err != nil {
		return nil, err
	}
	if err := tellHarm(ctx, tx, ch, app, h, watch); err != nil || !watch.Returned {
		return nil, err
	}
	to := assignment{kind: channel.AssignmentDirect, version: &h.previous}
	if _, err := assign(ctx, tx, ch, to, "return"); err != nil {
		return nil, err
	}
	detail = map[string]any{"version": h.previous}
	if err := account.Record(ctx, tx, app.WorkspaceID, "channel.return", ch.PublicID, detail); err != nil {
		return nil, err
	}
	return &app.ID, notify(ctx, tx, appchange.Of(app.ID))
}

// tellHarm posts that a new version does harm.
func tellHarm(
	ctx context.Context, tx *ent.Tx, ch *ent.Channel, app *ent.App, h *handover, watch *ChannelWatch,
) error {
	env, err := ch.QueryEnvironment().Only(ctx)
	if err != nil {
		return readError(err, "environment")
	}
	f, err := tx.Flow.Get(ctx, h.flow)
	if err != nil {
		return readError(err, "flow")
	}
	next := fmt.Sprintf("The channel still serves v%d: go back to v%d on the page of the channel.", h.number, h.before)
	if watch.Returned {
		next = fmt.Sprintf("The channel went back to v%d by itself.", h.before)
	}
	return notification.PostSQL(ctx, tx, notification.Notification{
		WorkspaceID: app.WorkspaceID, Kind: notification.VersionHarm, Severity: notification.Critical,
		Key:   fmt.Sprintf("%s %d", ch.PublicID, h.assignmentVersion),
		Title: fmt.Sprintf("v%d of %s is worse than v%d", h.number, notification.Quote(f.Name), h.before),
		Text: fmt.Sprintf("On channel %s (%s) of %s %s. %s Chance alone says so of fewer than one in 100 new versions; "+
			"what else changed with the switch, such as a campaign, can say so, too.",
			notification.Quote(ch.Name), env.Kind, notification.Quote(app.Name), watch.harm(), next),
		About: notification.About{AppID: &app.ID, Environment: &env.Kind, ChannelID: &ch.PublicID},
	})
}

// SetAutomaticReturn makes a channel go back to the version before by itself when a new one does harm, or not.
func (s *Studio) SetAutomaticReturn(ctx context.Context, publicID string, on bool) (*ent.Channel, error) {
	app, ch, err := s.findChannel(ctx, publicID, account.ChannelManage)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, record{
		app.WorkspaceID, "channel.automatic_return", publicID, map[string]any{"on": on},
	}, func(tx *ent.Tx) error {
		if ch, err = tx.Channel.UpdateOne(ch).SetAutomaticReturn(on).Save(ctx); err != nil {
			return fmt.Errorf("store the channel: %w", err)
		}
		return nil
	})
	return ch, err
}
