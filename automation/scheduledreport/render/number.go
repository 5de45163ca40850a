package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/svc-dev/svc/automation/scheduledreport/compose"
)

// none stands for a ratio without a denominator.
const none = "–"

// value writes a number of a unit.
func value(u compose.Unit, v *float64) string {
	if v == nil {
		return none
	}
	switch u {
	case compose.Share:
		return strconv.FormatFloat(*v*100, 'f', 1, 64) + "%"
	case compose.Seconds:
		return duration(*v)
	case compose.USD:
		return dollars(*v)
	case compose.Count:
	}
	return count(int64(math.Round(*v)))
}

// count writes a whole number with commas.
func count(n int64) string {
	if n < 0 {
		return "-" + count(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func dollars(v float64) string {
	cents := int64(math.Round(math.Abs(v) * 100))
	text := fmt.Sprintf("$%s.%02d", count(cents/100), cents%100)
	if v < 0 && cents > 0 {
		return "-" + text
	}
	return text
}

func duration(seconds float64) string {
	whole := int64(math.Round(seconds))
	if whole < 60 {
		return fmt.Sprintf("%ds", whole)
	}
	if whole < 3600 {
		return fmt.Sprintf("%dm %02ds", whole/60, whole%60)
	}
	return fmt.Sprintf("%dh %02dm", whole/3600, whole%3600/60)
}

// Tones of a difference.
const (
	good  = "good"
	bad   = "bad"
	plain = ""
)

// difference words how a metric differs from the period before: shares in points, everything else in percent.
func difference(m compose.Metric) (text, tone string) {
	if m.Current == nil || m.Previous == nil {
		return "", plain
	}
	now, before := *m.Current, *m.Previous
	switch {
	case m.Unit == compose.Share:
		text = strconv.FormatFloat(math.Abs(now-before)*100, 'f', 1, 64)
		if text == "0.0" {
			return "no change", plain
		}
		text += " pp"
	case before == 0 && now == 0, now == before:
		return "no change", plain
	case before == 0:
		return "new", plain
	case math.Abs(now-before) < 0.0005*math.Abs(before):
		return "no change", plain
	default:
		text = percent(math.Abs(now-before) / math.Abs(before))
	}
	tone = good
	if (now < before) != m.LowerIsBetter {
		tone = bad
	}
	return arrow(now > before) + " " + text, tone
}

func arrow(up bool) string {
	if up {
		return "▲"
	}
	return "▼"
}

// percent writes a ratio with as many digits as matter.
func percent(ratio float64) string {
	if ratio > 0 && ratio < 0.0005 {
		return "below 0.1%"
	}
	if ratio < 0.0995 {
		return strings.TrimSuffix(strconv.FormatFloat(ratio*100, 'f', 1, 64), ".0") + "%"
	}
	return count(int64(math.Round(ratio*100))) + "%"
}

// title names a period: "Nov 16–22, 2026" or "October 2026".
func title(f compose.Frequency, start, end time.Time) string {
	if f == compose.Monthly {
		return start.Format("January 2006")
	}
	last := end.AddDate(0, 0, -1)
	switch {
	case start.Year() != last.Year():
		return start.Format("Jan 2, 2006") + " – " + last.Format("Jan 2, 2006")
	case start.Month() != last.Month():
		return start.Format("Jan 2") + " – " + last.Format("Jan 2, 2006")
	}
	return start.Format("Jan 2") + "–" + last.Format("2, 2006")
}

// before names the period that a report compares with.
func before(r *compose.Report) string {
	if r.Frequency == compose.Monthly {
		return r.Period.PreviousStart.Format("January")
	}
	return "the previous week"
}
