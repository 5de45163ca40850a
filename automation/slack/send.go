package slack

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/svc-dev/svc/automation/webhook"
)

// Poster makes attempts to send; a [webhook.Sender] that reaches no private network.
type Poster interface {
	Post(ctx context.Context, url string, body []byte) webhook.Answer
}

// CheckURL reports what makes a text unusable as the URL of an incoming webhook. Whoever knows the URL can write to the
// channel: it is stored encrypted and is not shown.
func CheckURL(text string) error { return webhook.CheckURL(text) }

// Masked returns what may be shown of the URL of an incoming webhook: its host and its last four characters.
func Masked(text string) string {
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

// Final tells whether trying again changes nothing: the URL, or the channel, is gone.
func Final(a webhook.Answer) bool {
	return a.Forbidden || a.Status >= 300 && a.Status < 500 && a.Status != 408 && a.Status != 429
}
