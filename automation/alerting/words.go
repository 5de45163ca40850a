package alerting

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/automation/notification"
)

// nouns are the metrics in a sentence.
var nouns = map[alert.Metric]string{
	alert.Visitors: "visitors", alert.Sessions: "sessions", alert.Views: "pageviews", alert.Events: "events",
	alert.NewVisitors: "new visitors", alert.BounceRate: "bounce rate",
	alert.AverageSessionSeconds: "average session duration", alert.ViewsPerSession: "views per session",
	alert.Revenue: "revenue", alert.Conversions: "conversions", alert.Converters: "converters",
	alert.ConversionRate: "conversion rate",
}

// notification is what members are told: that the alert fires, or that it resolved.
func (w *watched) notification() notification.Notification {
	n := notification.Notification{
		WorkspaceID: w.Workspace, Kind: notification.Alert, Severity: notification.Warning,
		Key:   fmt.Sprintf("%s %d %s", w.ID, w.UpdatedAt.UnixMicro(), strconv.Itoa(w.state.Tellings)),
		About: notification.About{AppID: &w.App, Environment: &w.Kind, AlertID: &w.ID},
		Title: "Alert " + notification.Quote(w.Name) + " fires: " + w.short(),
		Text:  fmt.Sprintf("%s (%s): %s", notification.Quote(w.AppName), w.Kind, w.long()),
	}
	if !w.state.Firing {
		n.Severity, n.Title = notification.Info, "Alert "+notification.Quote(w.Name)+" resolved"
	}
	return n
}

// short says what makes the alert fire.
func (w *watched) short() string {
	if s := w.rule.Condition.Silent; s != nil {
		return fmt.Sprintf("no event for %d minutes", s.Minutes)
	}
	if w.state.Value == nil {
		return nouns[w.rule.Metric]
	}
	return w.amount(*w.state.Value) + w.side()
}

// side says on which side of its bounds the latest value is; nothing within them, as where earlier ones made it fire.
func (w *watched) side() string {
	switch v := w.state; {
	case v.Low != nil && *v.Value < *v.Low:
		return ", expected at least " + w.number(w.rounded(*v.Low, math.Ceil))
	case v.High != nil && *v.Value > *v.High:
		return ", expected at most " + w.number(w.rounded(*v.High, math.Floor))
	}
	return ""
}

// rounded is a bound without more digits than values have.
func (w *watched) rounded(bound float64, to func(float64) float64) float64 {
	if w.rule.Metric.Counted() {
		return to(bound)
	}
	return to(bound*1000) / 1000
}

func (w *watched) long() string {
	zone := w.rule.Location()
	if w.rule.Condition.Silent != nil {
		if w.state.Firing {
			return fmt.Sprintf("nothing arrived for %d minutes until %s.", w.rule.Condition.Silent.Minutes,
				w.state.Judged.In(zone).Format(atMinute))
		}
		return "events arrive again since " + w.state.Judged.In(zone).Format(atMinute) + "."
	}
	value := "no value"
	if w.state.Value != nil {
		value = w.amount(*w.state.Value) + w.side()
	}
	if w.rule.Unit() == analytics.Day {
		return fmt.Sprintf("%s on %s.", value, w.state.Judged.Add(-time.Minute).In(zone).Format("2 January 2006"))
	}
	return fmt.Sprintf("%s in the hour until %s.", value, w.state.Judged.In(zone).Format(atMinute))
}

const atMinute = "2 January, 15:04 MST"

// amount is a value of the metric.
func (w *watched) amount(value float64) string {
	noun := nouns[w.rule.Metric]
	switch w.rule.Metric {
	case alert.BounceRate, alert.ConversionRate, alert.Revenue, alert.AverageSessionSeconds:
		return noun + " of " + w.number(value)
	}
	return w.number(value) + " " + noun
}

// number is a value with its unit.
func (w *watched) number(value float64) string {
	switch w.rule.Metric {
	case alert.BounceRate, alert.ConversionRate:
		return fmt.Sprintf("%.1f %%", 100*value)
	case alert.Revenue:
		return fmt.Sprintf("$%.2f", value)
	case alert.AverageSessionSeconds:
		return fmt.Sprintf("%.0f s", value)
	}
	return strconv.FormatFloat(math.Round(value*100)/100, 'f', -1, 64)
}
