package bymail

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// UnsubscribeReport leads to the end of a scheduled report.
func (l *Links) UnsubscribeReport(report uuid.UUID) string {
	return l.baseURL + UnsubscribePath + "?token=" + l.sign("unsubscribe report", "", append([]byte{}, report[:]...))
}

func (m *Mails) reportOf(token string) (uuid.UUID, bool) {
	says, ok := m.Links.says(token, "unsubscribe report", 16, nothing)
	if !ok {
		return uuid.Nil, false
	}
	return uuid.UUID(says), true
}

func (m *Mails) readReport(ctx context.Context, report uuid.UUID, s *Subscription) error {
	s.Report = true
	err := m.Pool.QueryRow(ctx, `
		select a.name, u.email from scheduled_reports s join apps a on a.id = s.app_id join users u on u.id = s.user_id
		where s.id = $1`, report).Scan(&s.AppName, &s.Address)
	if errors.Is(err, pgx.ErrNoRows) {
		return errLink
	}
	if err != nil {
		return fmt.Errorf("look a subscription up: %w", err)
	}
	return nil
}

// endReport stops a scheduled report, until its member starts it again.
func (m *Mails) endReport(ctx context.Context, report uuid.UUID) error {
	tag, err := m.Pool.Exec(ctx, `update scheduled_reports set active = false where id = $1`, report)
	if err != nil {
		return fmt.Errorf("end a scheduled report: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errLink
	}
	return nil
}
