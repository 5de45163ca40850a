package main

import (
	"context"

	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/mail"
)

// startMail wires email, and starts to send what the outbox has where an SMTP server is set.
func (s *service) startMail(ctx context.Context) error {
	links, err := bymail.NewLinks(ctx, s.db.Pool, s.settings.BaseURL)
	if err != nil {
		return err
	}
	s.mails = &bymail.Mails{Pool: s.db.Pool, Accounts: s.accounts, Links: links}
	if s.settings.SMTPHost == "" {
		return nil
	}
	sender, err := mail.NewSender(smtpServer(s.settings))
	if err != nil {
		return err
	}
	s.mails.Sender = sender
	if !s.roles.Has(role.Reports) {
		return nil
	}
	return s.parts.Start(ctx, "email", mail.NewOutbox(s.db.Pool, mail.Options{
		Sender: sender, PerDay: s.settings.MailPerDay, Logger: s.logger,
	}, s.mails.Writers()))
}

func smtpServer(settings config.Settings) mail.Server {
	return mail.Server{
		Host: settings.SMTPHost, Port: settings.SMTPPort, User: settings.SMTPUser, Password: settings.SMTPPassword,
		TLS: mail.TLS(settings.SMTPTLS), From: settings.MailFrom,
	}
}
