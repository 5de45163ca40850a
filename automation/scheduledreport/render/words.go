package render

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/automation/scheduledreport/compose"
)

// Links are where a report leads. Unsubscribe is empty where it can't be ended that way.
type Links struct {
	Dashboard, Settings, Unsubscribe string
}

// words are what a report says, in any form. All names are of one line and of bounded length.
type words struct {
	Subject, Title, App, Period, Before string
	Headline                            []figure
	Chart                               *picture
	Changes                             []change
	Goals, Flows                        []row
	Experiments                         []experiment
	Revenue                             []figure
	RevenueChart                        *picture
	Health                              string
	HealthIsBad                         bool
	Links                               Links
	Foot                                string
}

// figure is a metric; From is its value before, where it differs.
type figure struct{ Name, Value, Difference, Tone, From string }

type picture struct{ CID, Alt, First, Last, Peak string }

type change struct{ Dimension, Value, Current, Previous, Difference string }

type row struct{ Name, Rate, Difference, Tone, Detail string }

type experiment struct{ Name, Verdict, Sentence, Link string }

// Content IDs of charts.
const (
	visitorsID = "visitors"
	revenueID  = "revenue"
)

func wordsOf(r *compose.Report, links Links) words {
	name := notification.Clean(r.AppName)
	frequency := "Weekly report"
	if r.Frequency == compose.Monthly {
		frequency = "Monthly report"
	}
	w := words{
		Title: frequency, App: name, Period: title(r.Frequency, r.Period.Start, r.Period.End), Before: before(r),
		Links:    links,
		Headline: figures(r.Headline), Chart: pictureOf(visitorsID, "Visitors", compose.Count, r.Days),
	}
	if r.Test {
		w.App += " (test)"
	}
	w.Subject = fmt.Sprintf("%s: %s, %s", w.App, strings.ToLower(frequency), w.Period)
	for _, c := range r.Changes {
		w.Changes = append(w.Changes, changeOf(c))
	}
	for _, g := range r.Goals {
		w.Goals = append(w.Goals, rate(g.Name, g.Rate, g.PreviousRate,
			plural(g.Conversions, "conversion")+" by "+plural(g.Converters, "visitor")))
	}
	for _, f := range r.Flows {
		w.Flows = append(w.Flows, rate(f.Name, f.CompletionRate, f.PreviousRate,
			count(f.Completions)+" of "+count(f.Starts)+" users completed it"))
	}
	for _, e := range r.Experiments {
		w.Experiments = append(w.Experiments, experiment{
			notification.Clean(e.Name), verdict(e), e.Sentence, links.Dashboard + "/experiments/" + e.ID,
		})
	}
	if r.Revenue != nil {
		w.Revenue = figures(r.Revenue.Metrics)
		w.RevenueChart = pictureOf(revenueID, "Net revenue", compose.USD, r.Revenue.Days)
	}
	w.Health, w.HealthIsBad = healthOf(r.Health)
	return w
}

func figures(metrics []compose.Metric) (list []figure) {
	for _, m := range metrics {
		f := figure{Name: m.Name, Value: value(m.Unit, m.Current)}
		if f.Difference, f.Tone = difference(m); f.Tone != plain {
			f.From = "from " + value(m.Unit, m.Previous)
		}
		list = append(list, f)
	}
	return list
}

// pictureOf returns nil where there is nothing to draw.
func pictureOf(cid, name string, u compose.Unit, days []compose.Point) *picture {
	for _, day := range days {
		if day.Current > 0 || day.Previous > 0 {
			top := peak(days)
			return &picture{cid, caption(name, u, days), days[0].Day.Format("Jan 2"), days[len(days)-1].Day.Format("Jan 2"),
				value(u, &top)}
		}
	}
	return nil
}

func changeOf(c compose.Change) change {
	name := notification.Clean(c.Value)
	switch {
	case name == "":
		name = "(none)"
	case c.Dimension == "Country":
		name = country(name)
	}
	now, was := float64(c.Current), float64(c.Previous)
	text, _ := difference(compose.Metric{Current: &now, Previous: &was})
	return change{c.Dimension, name, count(c.Current), count(c.Previous), text}
}

// country names a country by its code, and by the code where it is not known.
func country(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	if name := display.English.Regions().Name(region); name != "" {
		return name
	}
	return code
}

func rate(name string, now, was *float64, detail string) row {
	text, tone := difference(compose.Metric{Unit: compose.Share, Current: now, Previous: was})
	return row{notification.Clean(name), value(compose.Share, now), text, tone, detail}
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// verdicts are the values of ExperimentVerdict as the dashboard names them.
var verdicts = map[string]string{
	"WINNING": "Winning", "LOSING": "Losing", "UNDECIDED": "Undecided", "TOO_EARLY": "Too early", "NONE": "No verdict",
}

func verdict(e compose.Experiment) string {
	text := verdicts[e.Verdict]
	switch e.Status {
	case "PENDING_DECISION":
		text += " · Decision due"
	case "STOPPED":
		text += " · Stopped"
	}
	return text
}

// badShare of events that are rejected is told as something to look at.
const badShare = 0.01

// healthOf words what ingest did.
func healthOf(h *compose.Health) (text string, isBad bool) {
	if h == nil {
		return "", false
	}
	text = plural(h.Accepted, "event") + " accepted, " + count(h.Rejected) + " rejected"
	if h.Rejected > 0 {
		text += " (" + percent(float64(h.Rejected)/float64(h.Accepted+h.Rejected))
		worst := h.Codes[0]
		for _, code := range h.Codes {
			if code.Count > worst.Count {
				worst = code
			}
		}
		text += ", most of them " + worst.Code + ")"
	}
	text += ", " + plural(h.Duplicates, "duplicate")
	if h.DelayP90 != nil {
		text += "; 90% arrived within " + duration(*h.DelayP90)
	}
	return text + ".", float64(h.Rejected) > badShare*float64(h.Accepted+h.Rejected)
}
