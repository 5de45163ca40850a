package render

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// text writes a report for those who read no HTML.
func text(w words) string {
	var b strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	heading := func(name string) { line("\n%s\n%s", strings.ToUpper(name), strings.Repeat("-", len(name))) }
	line("%s: %s", w.Title, w.App)
	line("%s, compared with %s", w.Period, w.Before)
	heading("Key metrics")
	writeFigures(&b, w.Headline)
	heading("What changed most")
	if len(w.Changes) == 0 {
		line("Nothing changed by more than chance.")
	}
	for _, c := range w.Changes {
		line("%s %s: %s visitors, from %s (%s)", c.Dimension, c.Value, c.Current, c.Previous, c.Difference)
	}
	writeRows(&b, heading, "Goals", w.Goals)
	writeRows(&b, heading, "Flow completion", w.Flows)
	if len(w.Experiments) > 0 {
		heading("Experiments")
	}
	for _, e := range w.Experiments {
		line("%s (%s)\n  %s\n  %s", e.Name, e.Verdict, e.Sentence, e.Link)
	}
	if len(w.Revenue) > 0 {
		heading("Revenue")
		writeFigures(&b, w.Revenue)
	}
	if w.Health != "" {
		heading("Data health")
		line("%s", w.Health)
	}
	line("\nOpen dashboard: %s\nChange reports: %s", w.Links.Dashboard, w.Links.Settings)
	if w.Links.Unsubscribe != "" {
		line("Unsubscribe: %s", w.Links.Unsubscribe)
	}
	return b.String()
}

func writeFigures(b *strings.Builder, list []figure) {
	wide := 0
	for _, f := range list {
		wide = max(wide, utf8.RuneCountInString(f.Name))
	}
	for _, f := range list {
		fmt.Fprintf(b, "%-*s  %s", wide, f.Name, f.Value)
		if f.Difference != "" {
			fmt.Fprintf(b, " (%s)", strings.TrimSpace(f.Difference+" "+f.From))
		}
		b.WriteString("\n")
	}
}

func writeRows(b *strings.Builder, heading func(string), name string, rows []row) {
	if len(rows) > 0 {
		heading(name)
	}
	for _, r := range rows {
		fmt.Fprintf(b, "%s: %s", r.Name, r.Rate)
		if r.Difference != "" {
			fmt.Fprintf(b, " (%s)", r.Difference)
		}
		fmt.Fprintf(b, "\n  %s\n", r.Detail)
	}
}
