package slack

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/mail"
)

// Poster makes attempts to send; a [webhook.Sender] that reaches no private network.
type Poster interface {
	Post(ctx context.Context, url string, body []byte) webhook.Answer
}

// Secret is the URL of an incoming webhook as it is stored: whoever knows it can write to the channel.
type Secret struct {
	KeyID  string
	Sealed []byte
	// Shown is what may be shown of it: its host and its last four characters.
	Shown string
}

// Seal encrypts the URL of an incoming webhook for what has the id. The error names the field slackUrl.
func Seal(ring *seal.Ring, id uuid.UUID, url string) (*Secret, error) {
	if err := webhook.CheckURL(url); err != nil {
		return nil, fault.Invalid("slackUrl", "%s", err)
	}
	key, sealed, err := ring.Seal([]byte(url), id.String())
	if err != nil {
		return nil, fmt.Errorf("encrypt the URL of a webhook: %w", err)
	}
	return &Secret{key, sealed, masked(url)}, nil
}

func masked(text string) string {
	u, err := url.Parse(text)
	if err != nil || len(u.Path) < 12 {
		return "…"
	}
	return u.Host + "/…" + strings.ToValidUTF8(u.Path[len(u.Path)-4:], "")
}

// Send makes one attempt to send a message. The answer's body and error never have the URL.
func Send(ctx context.Context, by Poster, url string, m Message) webhook.Answer {
	body, err := m.JSON()
	if err != nil {
		return webhook.Answer{Error: "the message can't be written"}
	}
	answer := by.Post(ctx, url, body)
	answer.Body = strings.ReplaceAll(answer.Body, url, "…")
	if answer.Status != 0 && !answer.Delivered() {
		answer.Error = reason(answer)
	}
	return answer
}

// reasons are what Slack answers, in words for whoever keeps the URL
// (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors).
var reasons = map[string]string{
	"no_service":          "Slack does not know the URL: the webhook was removed",
	"no_service_id":       "Slack does not know the URL",
	"no_team":             "Slack does not know the workspace of the URL",
	"team_disabled":       "the Slack workspace is disabled",
	"channel_not_found":   "the Slack channel does not exist any more",
	"channel_is_archived": "the Slack channel is archived",
	"action_prohibited":   "the Slack workspace does not let the webhook write",
	"invalid_token":       "Slack does not accept the URL",
	"rate_limited":        "Slack wants fewer messages",
}

func reason(a webhook.Answer) string {
	if text, ok := reasons[strings.TrimSpace(a.Body)]; ok {
		return text
	}
	return fmt.Sprintf("Slack %s", a.Error)
}

// Deliver makes one attempt to send a message to the URL that is sealed for what has the id. The error is a
// [mail.Failure] when it was not taken.
func Deliver(ctx context.Context, by Poster, ring *seal.Ring, id uuid.UUID, to Secret, m Message) error {
	url, err := ring.Open(to.KeyID, to.Sealed, id.String())
	if err != nil {
		return &mail.Failure{Reason: "the server lacks the key of the URL"}
	}
	answer := Send(ctx, by, string(url), m)
	if answer.Delivered() {
		return nil
	}
	return &mail.Failure{Reason: answer.Error, Final: Final(answer)}
}

// Final tells whether trying again changes nothing: the URL, or the channel, is gone.
func Final(a webhook.Answer) bool {
	return a.Forbidden || a.Status >= 300 && a.Status < 500 && a.Status != 408 && a.Status != 429
}
