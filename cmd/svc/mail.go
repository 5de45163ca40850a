package main

import (
	"context"
	"maps"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/mail"
)

// prepareMail makes what sends email and signs its links. Where no SMTP server is set, the box gets what would be sent;
// without one the options of automations are nil.
func (s *service) prepareMail(ctx context.Context, box *mail.Box) (*automation.MailOptions, error) {
	links, err := bymail.NewLinks(ctx, s.db.Pool, s.settings.BaseURL)
	if err != nil {
		return nil, err
	}
	s.mails = &bymail.Mails{Pool: s.db.Pool, Links: links}
	switch {
	case s.settings.SMTPHost != "":
		if s.mails.Sender, err = mail.NewSender(smtpServer(s.settings)); err != nil {
			return nil, err
		}
	case box != nil:
		s.mails.Sender = box
	default:
		return nil, nil
	}
	return &automation.MailOptions{
		Sender: s.mails.Sender, Links: links, PerDay: s.settings.MailPerDay,
		CountTest: func(ctx context.Context, user uuid.UUID) error { return s.accounts.CountMail(ctx, user) },
	}, nil
}

// startMail starts to send what the outbox has: email where an SMTP server is set, and messages to Slack.
func (s *service) startMail(ctx context.Context) error {
	if err := s.scheduled.Start(ctx); err != nil {
		return err
	}
	if err := s.alerts.Start(ctx); err != nil {
		return err
	}
	carriers := s.scheduled.Carriers()
	maps.Copy(carriers, s.alerts.Carriers())
	options := mail.Options{Carriers: carriers, PerDay: s.settings.MailPerDay, Logger: s.logger}
	if s.mails.Sender != nil {
		options.Sender = s.mails.Sender
	}
	writers := s.mails.Writers()
	maps.Copy(writers, s.scheduled.Writers())
	return s.parts.Start(ctx, "email", mail.NewOutbox(s.db.Pool, options, writers))
}

func smtpServer(settings config.Settings) mail.Server {
	return mail.Server{
		Host: settings.SMTPHost, Port: settings.SMTPPort, User: settings.SMTPUser, Password: settings.SMTPPassword,
		TLS: mail.TLS(settings.SMTPTLS), From: settings.MailFrom,
	}
}
