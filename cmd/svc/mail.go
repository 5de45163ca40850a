package main

import (
	"context"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/mail"
)

// prepareMail makes what sends email and signs its links. The options of automations are nil where no SMTP server is
// set.
func (s *service) prepareMail(ctx context.Context) (*automation.MailOptions, error) {
	links, err := bymail.NewLinks(ctx, s.db.Pool, s.settings.BaseURL)
	if err != nil {
		return nil, err
	}
	s.mails = &bymail.Mails{Pool: s.db.Pool, Links: links}
	if s.settings.SMTPHost == "" {
		return nil, nil
	}
	if s.mails.Sender, err = mail.NewSender(smtpServer(s.settings)); err != nil {
		return nil, err
	}
	return &automation.MailOptions{
		Sender: s.mails.Sender, Links: links, PerDay: s.settings.MailPerDay,
		CountTest: func(ctx context.Context, user uuid.UUID) error { return s.accounts.CountMail(ctx, user) },
	}, nil
}

// startMail starts to send what the outbox has where an SMTP server is set.
func (s *service) startMail(ctx context.Context) error {
	s.mails.Accounts = s.accounts
	if s.mails.Sender == nil || !s.roles.Has(role.Reports) {
		return nil
	}
	return s.parts.Start(ctx, "email", mail.NewOutbox(s.db.Pool, mail.Options{
		Sender: s.mails.Sender, PerDay: s.settings.MailPerDay, Logger: s.logger,
	}, s.mails.Writers()))
}

func smtpServer(settings config.Settings) mail.Server {
	return mail.Server{
		Host: settings.SMTPHost, Port: settings.SMTPPort, User: settings.SMTPUser, Password: settings.SMTPPassword,
		TLS: mail.TLS(settings.SMTPTLS), From: settings.MailFrom,
	}
}
