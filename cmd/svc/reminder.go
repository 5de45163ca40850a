package main

import (
	"context"
	"fmt"
	"net"

	"github.com/svc-dev/svc/cmd/svc/demo"
	"github.com/svc-dev/svc/ent"
)

// reminderPath is where `svc dev` takes the webhooks of the demo's automation.
const reminderPath = "/dev/webhooks"

// prepareReminder makes the demo's automation, whose webhooks this server takes itself.
func prepareReminder(
	ctx context.Context, p *program, receiver *demo.Receiver, app *ent.App, secrets credentials, dataDir string,
) error {
	port := p.listeners[0].Addr().(*net.TCPAddr).Port
	url := fmt.Sprintf("http://127.0.0.1:%d%s", port, reminderPath)
	reminder := demo.Reminder{DB: p.db, Automations: p.service.automations}
	secret, err := reminder.Prepare(ctx, app, url, secrets.WebhookSecret)
	if err != nil {
		return err
	}
	if secret != secrets.WebhookSecret {
		secrets.WebhookSecret = secret
		if err := secrets.write(dataDir); err != nil {
			return err
		}
	}
	return receiver.Believe(secret)
}
