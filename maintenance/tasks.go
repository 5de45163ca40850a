package maintenance

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/people/proof"
)

const (
	// ledgerGrace is how long ledger rows live beyond the window, counted from
	// receipt (analytics.md §1).
	ledgerGrace = 24 * time.Hour
	// invalidationLife is how long a server may be cut off from the database and
	// still learn which days it has to load anew.
	invalidationLife = 30 * 24 * time.Hour
	// unpaidLife is how long a checkout attempt that nobody confirmed is kept:
	// the slowest payments, by bank transfer, are confirmed after weeks.
	unpaidLife = 90 * 24 * time.Hour
	// expiredInvitationLife is how long the sender of an invitation sees that
	// nobody came.
	expiredInvitationLife = 30 * 24 * time.Hour
	// deliveryLife is how long the log of webhooks is kept, enrolmentLife how long what became of people in
	// automations is: the figures of automations are of that time.
	deliveryLife  = 30 * 24 * time.Hour
	enrolmentLife = 180 * 24 * time.Hour
	// editLife is how long the edits of a draft can be read and taken back.
	editLife = 90 * 24 * time.Hour
	// rejectSampleLife is how long it is shown what refused events were like.
	rejectSampleLife = 30 * 24 * time.Hour
	// proofCountLife is how long it is known how custom user ids were proved: somewhat longer than it is shown.
	proofCountLife = (proof.DaysShown + 10) * 24 * time.Hour
	// turnGrace is how long the people of a month stay after it: servers whose clocks are late still count them.
	turnGrace = 24 * time.Hour
)

// What expires by a time of its own.
var (
	ledgerRows     = deletion{table: "event_seen", column: "seen_at"}
	packedRows     = deletion{table: "event_seen_packed", column: "seen_at"}
	invalidations  = deletion{table: "frame_invalidated", column: "at"}
	attempts       = deletion{table: "checkout_attempt", column: "created_at"}
	unpaidAttempts = deletion{table: "checkout_attempt", column: "created_at", condition: "confirmed_at is null"}
	webSessions    = deletion{table: "web_session", column: "expiry"}
	oauthTokens    = deletion{table: "oauth_token", column: "expires_at"}
	invitations    = deletion{table: "invitations", column: "expires_at"}
	rateLimits     = deletion{table: "rate_limit", column: "ends_at"}
	ingestCounts   = deletion{table: "ingest_stat", column: "hour"}
	proofCounts    = deletion{table: "identity_proof_count", column: "day"}
	rejectSamples  = deletion{table: "ingest_reject_sample", column: "received_at"}
	servedPeople   = deletion{table: "experiment_served_packed", column: "day"}
	servedCounts   = deletion{table: "experiment_served_count", column: "day"}
	stoppedUnits   = deletion{table: "experiment_unit", column: "day", condition: ofStopped}
	liveUsers      = deletion{table: "live_user_packed", column: "month"}
	liveUserDays   = deletion{table: "live_user_day", column: "day"}
	liveUserTotals = deletion{table: "live_user_total", column: "month"}
	deliveries     = deletion{table: "webhook_delivery", column: "finished_at", condition: "finished_at is not null"}
	emails         = deletion{table: "automation_mail", column: "finished_at", condition: "finished_at is not null"}
	enrolments     = deletion{table: "automation_enrolment", column: "ended_at", condition: "ended_at is not null"}
	notifications  = deletion{table: "notification", column: "created_at"}
	letters        = deletion{table: "mail_outbox", column: "created_at"}
	intake         = deletion{table: "automation_intake", column: "day"}
	edits          = deletion{table: "flow_edit", column: "created_at", condition: storedAsWhole}
	tombstones     = deletion{table: "erased_person", column: "erased_at"}
)

// storedAsWhole are the edits of a draft that the flow's row has; those since are what there is of them.
const storedAsWhole = `exists (select from flows f
	where f.id = flow_id and revision <= coalesce(f.draft_stored_revision, f.draft_revision))`

// ofStopped are the rows of experiments that serve nobody any more: those of others keep people's variants, however old
// they are.
const ofStopped = `not exists (select from experiments x where x.id = experiment_id and x.status <> 'stopped')`

// tasks returns everything that is done, in the order of the first round.
func (u *Worker) tasks(settings Settings, deps Deps) []task {
	expire := func(name string, every time.Duration, d deletion, life time.Duration) task {
		return task{name, every, func(now time.Time) batch { return d.before(now.Add(-life)) }}
	}
	list := []task{
		{"event_partitions", time.Hour, u.preparePartitions},
		expire("event_ledger", 10*time.Second, ledgerRows, settings.Window+ledgerGrace),
		expire("event_ledger_packed", 10*time.Second, packedRows, settings.Window+ledgerGrace),
		expire("erased_people", time.Hour, tombstones, settings.Window+ledgerGrace),
		expire("frame_invalidations", time.Hour, invalidations, invalidationLife),
		expire("unpaid_checkout_attempts", time.Hour, unpaidAttempts, unpaidLife),
		expire("web_sessions", time.Hour, webSessions, 0),
		expire("oauth_tokens", time.Hour, oauthTokens, 0),
		expire("rate_limits", 10*time.Minute, rateLimits, 0), // anonymous requests make them
		expire("invitations", time.Hour, invitations, expiredInvitationLife),
		expire("identity_proof_counts", time.Hour, proofCounts, proofCountLife),
		{"app_retention", time.Hour, u.removeByApp},
		expire("webhook_deliveries", time.Hour, deliveries, deliveryLife),
		expire("automation_mail", time.Hour, emails, enrolmentLife),
		expire("automation_enrolments", time.Hour, enrolments, enrolmentLife),
		expire("automation_intake", time.Hour, intake, enrolmentLife),
		expire("reject_samples", time.Hour, rejectSamples, rejectSampleLife),
		expire("notifications", time.Hour, notifications, notification.Kept),
		expire("mail_outbox", time.Hour, letters, mail.Kept),
		expire("flow_edits", time.Hour, edits, editLife),
		{"live_users", time.Hour, func(now time.Time) batch { return liveUsers.before(startOfMonth(now.Add(-turnGrace))) }},
	}
	if settings.Retention > 0 {
		list = append(list,
			task{"events", time.Hour, u.removeEvents},
			task{"sessions", time.Hour, func(now time.Time) batch { return sessions.lastBefore(now.Add(-settings.Retention)) }},
			task{"runs", time.Hour, func(now time.Time) batch { return runs.lastBefore(now.Add(-settings.Retention)) }},
			expire("ingest_counts", time.Hour, ingestCounts, settings.Retention),
			expire("checkout_attempts", time.Hour, attempts, settings.Retention),
			expire("served_people", time.Hour, servedPeople, settings.Retention),
			expire("served_counts", time.Hour, servedCounts, settings.Retention),
			expire("experiment_units", time.Hour, stoppedUnits, settings.Retention),
			expire("live_user_days", time.Hour, liveUserDays, settings.Retention),
			expire("live_user_totals", time.Hour, liveUserTotals, settings.Retention),
		)
	}
	if deps.EndExperiments != nil {
		// Nobody is served anything else after the end, so seconds don't matter.
		list = append(list, task{"experiments", 5 * time.Second, func(time.Time) batch {
			return func(ctx context.Context, _ *pgx.Conn) (int64, bool, error) {
				n, err := deps.EndExperiments(ctx)
				return int64(n), n > 0, err
			}
		}})
	}
	if deps.MergeServed != nil {
		list = append(list, task{"merges_of_served_people", 10 * time.Second, repeat(deps.MergeServed)})
	}
	if deps.CarryErasure != nil {
		list = append(list, task{"erasures", 10 * time.Second, repeat(deps.CarryErasure)})
	}
	if deps.RebookRevenue != nil { // servers of the earlier version may still book some
		list = append(list, task{"outdated_revenue", time.Minute, repeat(deps.RebookRevenue)})
	}
	for _, l := range deps.Lookouts {
		list = append(list, task{l.Name, l.Every, func(time.Time) batch {
			look := l.Begin()
			return func(ctx context.Context, _ *pgx.Conn) (int64, bool, error) {
				more, err := look(ctx)
				return 0, more, err
			}
		}})
	}
	return list
}

// repeat makes the run that does something until there is nothing to do.
func repeat(do func(ctx context.Context) (did bool, err error)) func(time.Time) batch {
	return func(time.Time) batch {
		return func(ctx context.Context, _ *pgx.Conn) (int64, bool, error) {
			did, err := do(ctx)
			if !did {
				return 0, false, err
			}
			return 1, true, err
		}
	}
}

// startOfMonth returns the beginning of the UTC month that a time is in.
func startOfMonth(at time.Time) time.Time {
	year, month, _ := at.UTC().Date()
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

func (u *Worker) preparePartitions(time.Time) batch {
	return func(ctx context.Context, _ *pgx.Conn) (int64, bool, error) {
		return 0, false, u.db.PrepareEventStorage(ctx)
	}
}

func (u *Worker) removeEvents(now time.Time) batch {
	return func(ctx context.Context, _ *pgx.Conn) (int64, bool, error) {
		expired, err := u.db.RemoveExpiredEvents(ctx, now)
		for _, name := range expired.Partitions {
			u.log.Info("dropped an expired partition", "partition", name)
		}
		return expired.Rows, expired.More, err
	}
}
