package render

import (
	"strings"

	"github.com/svc-dev/svc/automation/scheduledreport/compose"
	"github.com/svc-dev/svc/automation/slack"
)

// Slack makes the message to Slack of a report.
func Slack(r *compose.Report, links Links) slack.Message {
	w := wordsOf(r, links)
	m := slack.Message{Text: w.Subject, Blocks: []slack.Block{
		slack.Header(w.App + ": " + w.Period),
		slack.Footnote(w.Title + ", compared with " + w.Before),
		slack.Fields(fields(w.Headline)...),
	}}
	add := func(title string, block slack.Block) {
		m.Blocks = append(m.Blocks, slack.Paragraph(slack.Span{Text: title, Bold: true}), block)
	}
	if list := changeLines(w.Changes); len(list) > 0 {
		add("What changed most", slack.List(list...))
	}
	if len(w.Goals) > 0 {
		add("Goals", slack.List(rowLines(w.Goals)...))
	}
	if len(w.Flows) > 0 {
		add("Flow completion", slack.List(rowLines(w.Flows)...))
	}
	if len(w.Experiments) > 0 {
		add("Experiments", slack.List(experimentLines(w.Experiments)...))
	}
	if len(w.Revenue) > 0 {
		add("Revenue", slack.Fields(fields(w.Revenue)...))
	}
	if w.Health != "" {
		add("Data health", slack.Paragraph(slack.Span{Text: w.Health}))
	}
	m.Blocks = append(m.Blocks, slack.Divider(), slack.Paragraph(
		slack.Span{Text: "Open dashboard", Link: links.Dashboard}, slack.Span{Text: " · "},
		slack.Span{Text: "Change reports", Link: links.Settings}))
	return m
}

func fields(list []figure) (out []slack.Field) {
	for _, f := range list {
		text := strings.TrimSpace(f.Value + "  " + f.Difference + " " + f.From)
		out = append(out, slack.Field{Label: f.Name, Value: text})
	}
	return out
}

func changeLines(list []change) (lines [][]slack.Span) {
	for _, c := range list {
		lines = append(lines, []slack.Span{
			{Text: c.Dimension + " "}, {Text: c.Value, Bold: true},
			{Text: ": " + c.Current + " visitors, from " + c.Previous + " (" + c.Difference + ")"},
		})
	}
	return lines
}

func rowLines(list []row) (lines [][]slack.Span) {
	for _, r := range list {
		end := ": " + r.Rate
		if r.Difference != "" {
			end += " (" + r.Difference + ")"
		}
		lines = append(lines, []slack.Span{{Text: r.Name, Bold: true}, {Text: end + ", " + r.Detail}})
	}
	return lines
}

func experimentLines(list []experiment) (lines [][]slack.Span) {
	for _, e := range list {
		lines = append(lines, []slack.Span{{Text: e.Name, Link: e.Link}, {Text: " (" + e.Verdict + "): " + e.Sentence}})
	}
	return lines
}
