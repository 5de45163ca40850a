package demo

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/automation/scheduledreport/compose"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/studio"
)

// storyVisitors is how many visitors in a day, brought by the campaign of the story, fire the alert.
const storyVisitors = 20.0

// createAlert makes an alert on the campaign of the story, and looks at it as if it had been there before the campaign:
// it fires.
func (s *Seeder) createAlert(ctx context.Context, app uuid.UUID, history History) error {
	name, above := "A campaign takes off", storyVisitors
	made, err := s.Studio.CreateAlert(ctx, app, environment.KindLive, studio.AlertChange{Name: &name, Rule: &alert.Rule{
		Metric: alert.Visitors, TimeZone: "UTC", Grain: "DAY", Breaches: 1, Of: 1,
		Cross: map[string]analytics.StoredFilter{
			string(analytics.Campaign): {Op: "IS", Values: []string{storyCampaign}},
		},
		Condition: alert.Condition{Above: &above},
	}})
	if err != nil {
		return err
	}
	if err := s.date(ctx, history.start(), `
		update alerts set state = jsonb_set(state, '{judged}', to_jsonb($1::timestamptz)) where id = $2`, made.ID,
	); err != nil {
		return err
	}
	if s.Alerts.Reports == nil { // a server without reports
		return nil
	}
	look := s.Alerts.Look()
	for more := true; more && err == nil; {
		more, err = look(ctx)
	}
	return err
}

// scheduleReport has a report come to the author every week.
func (s *Seeder) scheduleReport(ctx context.Context, app uuid.UUID) error {
	_, err := s.Scheduled.Create(ctx, app, scheduledreport.Schedule{
		Environment: environment.KindLive, Frequency: compose.Weekly, TimeZone: time.UTC.String(),
		Destination: scheduledreport.Email,
	})
	return err
}
