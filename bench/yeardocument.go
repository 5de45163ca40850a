package main

import (
	"fmt"
	"strings"
	"time"
)

// report is what one report over a range took.
type report struct {
	name     string
	days     int
	filtered bool

	first, processor, again time.Duration
}

func (d *document) addReport(r report) {
	s := &(*d)[len(*d)-1]
	s.reports = append(s.reports, r)
}

// writeReports writes a table for reports without filters and one for those with them: a line for each report, with all
// its ranges.
func writeReports(text *strings.Builder, reports []report) {
	for _, filtered := range []bool{false, true} {
		var names []string
		var days []int
		of := map[string]map[int]report{}
		for _, r := range reports {
			if r.filtered != filtered {
				continue
			}
			if of[r.name] == nil {
				names, of[r.name] = append(names, r.name), map[int]report{}
			}
			if len(days) == 0 || days[len(days)-1] < r.days {
				days = append(days, r.days)
			}
			of[r.name][r.days] = r
		}
		if len(names) == 0 {
			continue
		}
		title := "Without filters"
		if filtered {
			title = "With filters"
		}
		fmt.Fprintf(text, "\n### %s\n\n|", title)
		for _, days := range days {
			fmt.Fprintf(text, " | %d days, first | processor | again", days)
		}
		text.WriteString(" |\n|---" + strings.Repeat("|---|---|---", len(days)) + "|\n")
		for _, name := range names {
			text.WriteString("| " + name)
			for _, days := range days {
				if r, ok := of[name][days]; ok {
					fmt.Fprintf(text, " | %s | %s | %s", readable(r.first), readable(r.processor), readable(r.again))
				} else {
					text.WriteString(" | | | ")
				}
			}
			text.WriteString(" |\n")
		}
	}
}

// readable writes seconds with two digits behind the point, and less than a tenth in milliseconds.
func readable(d time.Duration) string {
	if d < 100*time.Millisecond {
		return fmt.Sprintf("%.0f ms", milliseconds(d))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
