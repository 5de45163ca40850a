package slack_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/slack"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/mail"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func poster(t *testing.T, log io.Writer, allowed ...string) *webhook.Sender {
	t.Helper()
	options := webhook.Options{
		Timeout: 2 * time.Second, Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, network := range allowed {
		options.Allowed = append(options.Allowed, netip.MustParsePrefix(network))
	}
	s := webhook.NewSender(options)
	t.Cleanup(s.Close)
	return s
}

// texts calls found with each object that has a text, of any depth.
func texts(value any, found func(object map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		if _, ok := v["text"].(string); ok && v["type"] != nil {
			found(v)
		}
		for _, inner := range v {
			texts(inner, found)
		}
	case []any:
		for _, inner := range v {
			texts(inner, found)
		}
	}
}

const hostile = "<!channel> <https://evil.example|Pay> & *bold* `x` _i_ ~s~ :boom: \u202e\n@here"

func TestNamesOfCustomersStayText(t *testing.T) {
	m := slack.Message{Text: hostile, Blocks: []slack.Block{
		slack.Header(hostile), slack.Fields(slack.Field{Label: hostile, Value: hostile}),
		slack.Paragraph(slack.Span{Text: hostile, Bold: true}, slack.Span{Text: hostile, Link: "https://svc.example/a"}),
		slack.List([]slack.Span{{Text: hostile}}), slack.Footnote(hostile),
	}}
	body, err := m.JSON()
	require.NoError(t, err)
	var sent map[string]any
	require.NoError(t, json.Unmarshal(body, &sent))
	require.NotContains(t, sent["text"], "<")
	seen := map[string]int{}
	texts(sent["blocks"], func(o map[string]any) {
		kind, text := o["type"].(string), o["text"].(string)
		seen[kind]++
		require.NotContains(t, text, "\n@here")
		require.NotContains(t, text, "\u202e")
		switch kind {
		case "mrkdwn":
			require.Equal(t, true, o["verbatim"])
			require.NotRegexp(t, "[<>]", text)
			require.NotRegexp(t, "[_~`][^\u200b]", text)
			require.Equal(t, 2, strings.Count(strings.ReplaceAll(text, "*\u200b", ""), "*"), "only the label is bold")
		case "plain_text":
			require.Equal(t, false, o["emoji"])
		case "link":
			require.Equal(t, "https://svc.example/a", o["url"])
		case "text": // rich text has no markup
		default:
			t.Errorf("unknown kind of text %s", kind)
		}
	})
	require.Equal(t, map[string]int{"mrkdwn": 1, "plain_text": 2, "link": 1, "text": 2}, seen)
}

func TestMessagesKeepToTheLimits(t *testing.T) {
	long := strings.Repeat("&<é", 100_000)
	m := slack.Message{Text: long, Blocks: []slack.Block{slack.Header(long), slack.Header(""), slack.Paragraph()}}
	for range 100 {
		m.Blocks = append(m.Blocks, slack.Fields(make([]slack.Field, 20)...), slack.Paragraph(slack.Span{Text: long}))
	}
	body, err := m.JSON()
	require.NoError(t, err)
	require.LessOrEqual(t, len(body), webhook.MaxBody)
	var sent struct{ Blocks []map[string]any }
	require.NoError(t, json.Unmarshal(body, &sent))
	require.Greater(t, len(sent.Blocks), 3)
	require.LessOrEqual(t, len(sent.Blocks), 50)
	texts(map[string]any{"blocks": sent.Blocks[0]}, func(o map[string]any) {
		require.LessOrEqual(t, len([]rune(o["text"].(string))), 150)
	})
	texts(sent.Blocks[1]["text"], func(o map[string]any) { require.NotEmpty(t, o["text"]) })

	field, err := slack.Message{Blocks: []slack.Block{slack.Fields(slack.Field{Label: long, Value: long})}}.JSON()
	require.NoError(t, err)
	sent.Blocks = nil
	require.NoError(t, json.Unmarshal(field, &sent))
	require.LessOrEqual(t, len([]rune(sent.Blocks[0]["fields"].([]any)[0].(map[string]any)["text"].(string))), 2000)
}

func TestAMessageIsPosted(t *testing.T) {
	var got []byte
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		header = r.Header
		_, _ = io.WriteString(w, "ok")
	}))
	defer server.Close()
	m := slack.Message{Text: "Weekly report", Blocks: []slack.Block{slack.Header("Weekly report")}}
	answer := slack.Send(t.Context(), poster(t, io.Discard, "127.0.0.0/8"), server.URL+"/services/T0/B0/secretsecret", m)
	require.True(t, answer.Delivered(), answer.Error)
	require.Contains(t, string(got), `"Weekly report"`)
	require.Equal(t, "application/json", header.Get("Content-Type"))
	require.Empty(t, header.Get("Webhook-Signature"))
}

// Whoever reads a log or an error learns no URL: it is what lets somebody write to the channel.
func TestFailuresNeverTellTheURL(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/gone/secretsecret", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "no_service")
	})
	mux.HandleFunc("/echo/secretsecret", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, "http://"+r.Host+r.URL.String())
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	closed := httptest.NewServer(mux)
	closed.Close()
	for name, c := range map[string]struct {
		url, says string
		allowed   []string
		final     bool
	}{
		"an archived webhook":    {server.URL + "/gone/secretsecret", "was removed", []string{"127.0.0.0/8"}, true},
		"an echo":                {server.URL + "/echo/secretsecret", "answered 500", []string{"127.0.0.0/8"}, false},
		"nobody there":           {closed.URL + "/secretsecret", "refused", []string{"127.0.0.0/8"}, false},
		"a private network":      {server.URL + "/secretsecret", "not a public one", nil, true},
		"the metadata of clouds": {"http://169.254.169.254/secretsecret", "not a public one", []string{"127.0.0.0/8"}, true},
		"another scheme":         {"gopher://127.0.0.1/secretsecret", "https://", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			answer := slack.Send(t.Context(), poster(t, &log, c.allowed...), c.url, slack.Message{Text: "x"})
			require.False(t, answer.Delivered())
			require.Contains(t, answer.Error, c.says)
			require.Equal(t, c.final, slack.Final(answer))
			require.NotContains(t, answer.Error+answer.Body+log.String(), "secretsecret")
		})
	}
}

func TestWhatIsShownOfAURL(t *testing.T) {
	ring, err := seal.NewRing(seal.Key{ID: "k", Secret: make([]byte, seal.KeySize)})
	require.NoError(t, err)
	for url, shown := range map[string]string{
		"https://hooks.slack.com/services/T000/B000/abcdefghijWXYZ": "hooks.slack.com/…WXYZ",
		"https://hooks.slack.com/a":                                 "…",
	} {
		secret, err := slack.Seal(ring, uuid.New(), url)
		require.NoError(t, err)
		require.Equal(t, shown, secret.Shown)
		require.NotContains(t, string(secret.Sealed), "slack")
	}
	_, err = slack.Seal(ring, uuid.New(), "https://user:password@hooks.slack.com/services")
	require.ErrorContains(t, err, "slackUrl")
}

// What is sealed for one thing is opened for that alone, and a failure says whether trying again helps.
func TestASecretIsDeliveredForWhatItIsOf(t *testing.T) {
	ring, err := seal.NewRing(seal.Key{ID: "k", Secret: make([]byte, seal.KeySize)})
	require.NoError(t, err)
	gone := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(gone.Close)
	id := uuid.New()
	secret, err := slack.Seal(ring, id, gone.URL+"/secretsecret")
	require.NoError(t, err)
	var log bytes.Buffer
	for name, c := range map[string]struct {
		id      uuid.UUID
		allowed []string
		says    string
		final   bool
	}{
		"its own":         {id, []string{"127.0.0.0/8"}, "answered 404", true},
		"another's":       {uuid.New(), []string{"127.0.0.0/8"}, "lacks the key", false},
		"a private place": {id, nil, "not a public one", true},
	} {
		var failure *mail.Failure
		by := poster(t, &log, c.allowed...)
		require.ErrorAs(t, slack.Deliver(t.Context(), by, ring, c.id, *secret, slack.Message{Text: "x"}), &failure, name)
		require.Contains(t, failure.Reason, c.says, name)
		require.Equal(t, c.final, failure.Final, name)
		require.NotContains(t, failure.Reason+log.String(), "secretsecret")
	}
}
