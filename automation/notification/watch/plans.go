package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/automation/notification"
)

// nearShare is from how many hundredths of a limit on it is near.
const nearShare = 80

// Plans tells workspaces whose monthly active users are near the limit of their plan or have reached it, once a month
// for each limit, and those whose payment is late: when that begins, and when 7, 3, 1 and no days of grace are left.
func (w *Watch) Plans(ctx context.Context) error {
	now := w.now()
	if err := w.limits(ctx, now); err != nil {
		return fmt.Errorf("look at the limits of plans: %w", err)
	}
	if err := w.payments(ctx, now); err != nil {
		return fmt.Errorf("look at late payments: %w", err)
	}
	return nil
}

func (w *Watch) limits(ctx context.Context, now time.Time) error {
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	rows, err := w.Pool.Query(ctx, `
		select t.workspace_id, t.people, (p.limits->>$2)::bigint
		from live_user_total t
		join subscriptions s on s.workspace_id = t.workspace_id
		join plans p on p.key = s.plan_id
		where t.month = $1 and t.people * 100 >= (p.limits->>$2)::bigint * $3`, month, string(plan.LiveUsers), nearShare)
	if err != nil {
		return err
	}
	type use struct {
		Workspace   uuid.UUID
		Used, Limit int64
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[use])
	if err != nil {
		return err
	}
	for _, u := range found {
		n := notification.Notification{
			WorkspaceID: u.Workspace, Kind: notification.PlanLimitNear, Severity: notification.Warning,
			Key:   fmt.Sprintf("%s %d", month.Format("2006-01"), u.Limit),
			About: notification.About{Used: &u.Used, Limit: &u.Limit},
			Title: fmt.Sprintf("%d of %d monthly active users are reached", u.Used, u.Limit),
			Text: fmt.Sprintf("This month %d users were active in live environments, %d %% of what the plan includes. "+
				"With more than %d, SDK traffic of live environments is refused until the month ends (UTC) or the plan has a "+
				"higher limit.", u.Used, u.Used*100/max(u.Limit, 1), u.Limit),
		}
		if err := notification.Post(ctx, w.Pool, n); err != nil {
			return err
		}
		if u.Used < u.Limit {
			continue
		}
		n.Kind, n.Severity = notification.PlanLimitReached, notification.Critical
		n.Title = fmt.Sprintf("The plan's limit of %d monthly active users is reached", u.Limit)
		ends := "until " + month.AddDate(0, 1, 0).Format("2 January, 15:04 MST") + ", or until the plan has a higher limit."
		n.Text = fmt.Sprintf("This month %d users were active in live environments. With one more, SDK traffic of live "+
			"environments is refused, %s", u.Used, ends)
		if u.Used > u.Limit {
			n.Text = fmt.Sprintf("This month more than %d users were active in live environments. SDK traffic of live "+
				"environments is refused %s", u.Limit, ends)
		}
		if err := notification.Post(ctx, w.Pool, n); err != nil {
			return err
		}
	}
	return nil
}

func (w *Watch) payments(ctx context.Context, now time.Time) error {
	rows, err := w.Pool.Query(ctx, `
		select workspace_id, past_due_since from subscriptions
		where status = 'past_due' and past_due_since is not null and past_due_since <= $1`, now)
	if err != nil {
		return err
	}
	type late struct {
		Workspace uuid.UUID
		Since     time.Time
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[late])
	if err != nil {
		return err
	}
	for _, l := range found {
		ends := l.Since.Add(w.Grace).UTC()
		left := plan.Plan{PastDueSince: l.Since}.GraceDaysLeft(now, w.Grace)
		n := notification.Notification{
			WorkspaceID: l.Workspace, Kind: notification.SubscriptionPastDue, Severity: notification.Warning,
			Key:   l.Since.UTC().Format(time.RFC3339) + " " + paymentStage(left),
			About: notification.About{DaysLeft: &left},
			Title: fmt.Sprintf("A payment is late: %s of grace left", days(left)),
			Text: "It is late since " + l.Since.UTC().Format(atMinute) + ". From " + ends.Format(atMinute) +
				" on, all SDK traffic of the workspace is refused. A payment prevents that.",
		}
		if left == 0 {
			n.Severity = notification.Critical
			n.Title = "A payment is late: SDK traffic is refused"
			n.Text = "The grace ended " + ends.Format(atMinute) +
				". SDK traffic of all environments is refused until the payment has come."
		}
		if err := notification.Post(ctx, w.Pool, n); err != nil {
			return err
		}
	}
	return nil
}

// atMinute is how texts say when something is.
const atMinute = "2 January 2006, 15:04 MST"

// paymentStage names the reminder that is due with so many days of grace left.
func paymentStage(left int) string {
	for _, stage := range []int{0, 1, 3, 7} {
		if left <= stage {
			return days(stage)
		}
	}
	return "late"
}

func days(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}
