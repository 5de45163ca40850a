package render_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/scheduledreport/compose"
	"github.com/svc-dev/svc/automation/scheduledreport/render"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/mail/mailtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func of(v float64) *float64 { return &v }

var links = render.Links{
	Dashboard: "https://svc.example/apps/1/live", Settings: "https://svc.example/apps/1/live/settings?tab=reports",
	Unsubscribe: "https://svc.example/mail/unsubscribe?token=abc",
}

// sample is a report of everything, with names as given.
func sample(name string) *compose.Report {
	start := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	r := &compose.Report{
		AppName: name, Frequency: compose.Weekly,
		Period: compose.Period{PreviousStart: start.AddDate(0, 0, -7), Start: start, End: start.AddDate(0, 0, 7)},
		Headline: []compose.Metric{
			{Name: "Visitors", Current: of(12408), Previous: of(11031)}, {Name: "Sessions", Current: of(15210), Previous: of(15210)},
			{Name: "Views", Current: of(48120), Previous: of(0)}, {Name: "New visitors", Current: of(8001), Previous: of(8600)},
			{Name: "Bounce rate", Unit: compose.Share, Current: of(0.412), Previous: of(0.448), LowerIsBetter: true},
			{Name: "Session length", Unit: compose.Seconds, Current: of(154), Previous: of(149)},
		},
		Changes: []compose.Change{
			{Dimension: "Source", Value: name, Current: 3120, Previous: 1890},
			{Dimension: "Country", Value: "DE", Current: 900, Previous: 1400}, {Dimension: "Campaign", Current: 40},
		},
		Goals: []compose.Goal{{Name: name, Conversions: 412, Converters: 1, Rate: of(0.0329), PreviousRate: of(0.0301)}},
		Flows: []compose.Flow{
			{Name: name, Starts: 5120, Completions: 3012, CompletionRate: of(0.588), PreviousRate: of(0.611)},
			{Name: "Paywall", Starts: 12, Completions: 1, CompletionRate: of(0.083)},
		},
		Experiments: []compose.Experiment{{ID: "e1", Name: name, Status: "PENDING_DECISION", Verdict: "WINNING",
			Sentence: "b: completion is 4.1 percentage points higher than with the control."}},
		Revenue: &compose.Revenue{Metrics: []compose.Metric{
			{Name: "Net revenue", Unit: compose.USD, Current: of(8123.456), Previous: of(7012.5)},
			{Name: "Transactions", Current: of(412), Previous: of(398)},
			{Name: "Refunds", Unit: compose.USD, Current: of(99.5), Previous: of(12), LowerIsBetter: true},
			{Name: "MRR", Unit: compose.USD, Current: of(21400), Previous: of(21398)},
		}},
		Health: &compose.Health{Accepted: 312408, Duplicates: 12, Rejected: 41,
			Codes: []compose.Code{{Code: "too_old", Count: 30}, {Code: "invalid", Count: 11}}, DelayP90: of(2.4)},
	}
	for i, v := range []float64{1900, 2100, 2050, 1880, 1700, 1210, 1568} {
		day := start.AddDate(0, 0, i)
		r.Days = append(r.Days, compose.Point{Day: day, Current: v, Previous: v * 0.88})
		r.Revenue.Days = append(r.Revenue.Days, compose.Point{Day: day, Current: v/2 - 650, Previous: v / 2.3})
	}
	return r
}

// sent returns a message as a mail program reads it.
func sent(t *testing.T, m *mail.Message) mailtest.Parsed {
	t.Helper()
	smtp := mailtest.New(t, mailtest.Options{})
	sender, err := mail.NewSender(mail.Server{Host: smtp.Host, Port: smtp.Port, TLS: mail.NoTLS, From: "svc@example.com"})
	require.NoError(t, err)
	m.ID, m.To = "report", "reader@example.com"
	require.NoError(t, sender.Send(t.Context(), *m))
	return mailtest.Parse(t, smtp.Received()[0].Data)
}

func TestAReportIsAnEmailWithCharts(t *testing.T) {
	m, err := render.Mail(sample("Shop"), links)
	require.NoError(t, err)
	p := sent(t, m)
	require.Equal(t, "Shop: weekly report, Nov 16–22, 2026", p.Subject)
	require.Equal(t, "<"+links.Unsubscribe+">", p.Header.Get("List-Unsubscribe"))
	require.Equal(t, "List-Unsubscribe=One-Click", p.Header.Get("List-Unsubscribe-Post"))
	for _, says := range []string{
		"12,408", "▲ 12%", "from 11,031", "no change", "new", "▼ 7%", "41.2%", "▼ 3.6 pp", "2m 34s",
		"Germany", "from 1,890", "412 conversions by 1 visitor", "3,012 of 5,120 users completed it", "Winning · Decision due",
		"4.1 percentage points", "$8,123.46", "312,408 events accepted, 41 rejected", "too_old", "within 2s",
		links.Dashboard + "/experiments/e1", links.Unsubscribe,
	} {
		require.Contains(t, p.Text, says)
		require.Contains(t, p.HTML, says)
	}
	require.Len(t, p.Images, 2)
	for id, data := range p.Images {
		require.Contains(t, p.HTML, `src="cid:`+id+`"`)
		image, err := png.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		require.Equal(t, 1040, image.Bounds().Dx())
		require.Less(t, len(data), 8<<10)
	}
	require.Less(t, len(p.HTML), 100<<10, "longer ones are cut by mail programs")
	require.Contains(t, p.HTML, "highest 2,100 on Tue Nov 17, lowest 1,210 on Sat Nov 21")
}

// The chart's tallest bar is the tallest day, and each bar is as high as its value is of it.
func TestBarsAreAsHighAsTheirValues(t *testing.T) {
	r := sample("Shop")
	m, err := render.Mail(r, links)
	require.NoError(t, err)
	image, err := png.Decode(bytes.NewReader(m.Images[0].PNG))
	require.NoError(t, err)
	heights := make([]int, len(r.Days))
	for i := range r.Days {
		x := (2*i + 1) * 1040 / (2 * len(r.Days))
		for y := range 240 {
			if red, _, blue, _ := image.At(x, y).RGBA(); red>>8 == 0x66 && blue>>8 == 0xf2 {
				heights[i]++
			}
		}
	}
	for i, day := range r.Days { // the mark of the day before hides 6 pixels of a bar
		require.InDelta(t, day.Current/2100*232, heights[i], 8, day.Day)
	}
}

func TestNamesAreTextWhereverTheyStand(t *testing.T) {
	hostile := "<script>alert(1)</script> <!channel> &amp;\r\nBcc: evil@example.com\u202e\" onload=x"
	m, err := render.Mail(sample(hostile), links)
	require.NoError(t, err)
	p := sent(t, m)
	require.NotContains(t, p.HTML, "<script")
	require.NotContains(t, p.HTML, "\" onload")
	require.NotContains(t, p.HTML+p.Text+p.Subject, "\u202e")
	require.Empty(t, p.Header.Get("Bcc"))
	require.NotContains(t, p.Text, "\nBcc")
	body, err := render.Slack(sample(hostile), links).JSON()
	require.NoError(t, err)
	require.NotContains(t, string(body), `\u003c!channel`)

	huge := strings.Repeat("&W", 50_000)
	m, err = render.Mail(sample(huge), links)
	require.NoError(t, err)
	require.Less(t, len(m.HTML), 100<<10)
	require.Less(t, len(sent(t, m).Subject), 300)
	body, err = render.Slack(sample(huge), links).JSON()
	require.NoError(t, err)
	require.LessOrEqual(t, len(body), webhook.MaxBody)
}

func TestAReportIsAMessageToSlack(t *testing.T) {
	body, err := render.Slack(sample("Shop"), links).JSON()
	require.NoError(t, err)
	var m struct {
		Text   string
		Blocks []map[string]any
	}
	require.NoError(t, json.Unmarshal(body, &m))
	require.Equal(t, "Shop: weekly report, Nov 16–22, 2026", m.Text)
	require.Len(t, m.Blocks, 17)
	for _, says := range []string{"12,408", "Germany", "3,012 of 5,120", "Winning", "$8,123.46", "312,408 events", links.Settings} {
		require.Contains(t, string(body), says)
	}
	require.NotContains(t, string(body), links.Unsubscribe, "whoever reads a channel can't end it for all")
}

func TestAReportOfNothing(t *testing.T) {
	zero := 0.0
	start := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &compose.Report{
		AppName: "New", Test: true, Frequency: compose.Monthly, Headline: []compose.Metric{{Name: "Visitors", Current: &zero,
			Previous: &zero}, {Name: "Bounce rate", Unit: compose.Share}}, Days: []compose.Point{{Day: start}},
		Period: compose.Period{PreviousStart: start.AddDate(0, -1, 0), Start: start, End: start.AddDate(0, 1, 0)},
	}
	m, err := render.Mail(r, render.Links{Dashboard: "https://svc.example"})
	require.NoError(t, err)
	require.Empty(t, m.Images)
	require.Equal(t, "New (test): monthly report, January 2027", m.Subject)
	require.Contains(t, m.Text, "compared with December")
	require.Contains(t, m.Text, "Nothing changed by more than chance")
	require.NotContains(t, m.Text+m.HTML, "Unsubscribe")
	require.NotContains(t, m.Text+m.HTML, "NaN")
	slack, err := render.Slack(r, links).JSON()
	require.NoError(t, err)
	require.NotContains(t, string(slack), "Revenue")
}

// With LOOK set to a directory, the preview is written there to be looked at.
func TestThePreviewHasItsCharts(t *testing.T) {
	p, err := render.PreviewMail(sample("Shop"), links)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(p.HTML, `src="data:image/png;base64,`))
	require.NotContains(t, p.HTML, "cid:")
	if directory := os.Getenv("LOOK"); directory != "" {
		require.NoError(t, os.WriteFile(filepath.Join(directory, "report.html"), []byte(p.HTML), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(directory, "report.txt"), []byte(p.Text), 0o600))
	}
}
