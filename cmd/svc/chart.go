package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/guptarohit/asciigraph"
)

const (
	chartWidth  = 72 // columns of a line chart
	chartHeight = 12
	barWidth    = 44 // columns of the longest bar
	labelWidth  = 28 // columns of a bar's label
)

// timeColumns are those along which lines are drawn; rows without one are bars.
var timeColumns = []string{"bucket", "points.bucket", "minute", "offset"}

// printCharts draws every list that has figures: lines over time, bars for the
// rows of a table.
func (p printer) printCharts(w io.Writer, lists []rowList) error {
	drawn := 0
	for _, l := range lists {
		chart := p.chartOf(l)
		if chart == "" {
			continue
		}
		switch {
		case l.name == "":
		case drawn > 0:
			chart = "\n" + strings.ToUpper(l.name) + "\n" + chart
		default:
			chart = strings.ToUpper(l.name) + "\n" + chart
		}
		if _, err := fmt.Fprintln(w, chart); err != nil {
			return err
		}
		drawn++
	}
	if drawn > 0 {
		return nil
	}
	if slices.ContainsFunc(lists, func(l rowList) bool { return len(l.rows) > 0 }) {
		return usageError("-o chart draws the figures of series and tables; this answer has none")
	}
	_, err := fmt.Fprintln(w, "no rows")
	return err
}

// chartOf draws a list; "" when it has nothing to draw.
func (p printer) chartOf(l rowList) string {
	if l.object || len(l.rows) == 0 {
		return ""
	}
	rows := flattenRows(l.rows)
	for _, column := range timeColumns {
		if rows[0].has(column) {
			return p.lines(rows, column)
		}
	}
	return p.bars(rows)
}

// flattenRows flattens with the values kept.
func flattenRows(list []value) []members {
	rows := make([]members, len(list))
	for i, row := range list {
		rows[i] = dotted("", row, nil)
	}
	return rows
}

func dotted(prefix string, v value, out members) members {
	object, ok := v.(members)
	if !ok {
		return append(out, member{prefix, v})
	}
	for _, entry := range object {
		name := entry.key
		if prefix != "" {
			name = prefix + "." + name
		}
		out = dotted(name, entry.value, out)
	}
	return out
}

// columns returns those that the chart shows: the chosen ones, else every number
// beside the time.
func (p printer) columns(rows []members, along string) []string {
	var found []string
	for _, row := range rows {
		for _, entry := range row {
			if _, ok := entry.value.(json.Number); ok && entry.key != along && !slices.Contains(found, entry.key) {
				found = append(found, entry.key)
			}
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(found), func(name string) bool { return !slices.Contains(p.chart, name) })
	if len(chosen) > 0 {
		return chosen
	}
	return found
}

// lines draws one line a column, or one a value of a series by value. A gap (a
// ratio without denominator) has no point.
func (p printer) lines(rows []members, along string) string {
	columns := p.columns(rows, along)
	if len(columns) == 0 {
		return ""
	}
	var names []string
	lines := map[string][]float64{}
	for _, row := range rows {
		for _, column := range columns {
			name := column
			if series, ok := row.get("value").(string); ok && strings.HasPrefix(column, "points.") {
				name = printable(firstOf(strings.Join(placeOf(row), ", "), series, "(none)"))
			}
			if _, known := lines[name]; !known {
				names = append(names, name)
			}
			if number, ok := row.get(column).(json.Number); ok {
				y, _ := number.Float64() // the server's own figure
				lines[name] = append(lines[name], y)
			} else {
				lines[name] = append(lines[name], math.NaN())
			}
		}
	}
	plots := make([][]float64, len(names))
	for i, name := range names {
		plots[i] = lines[name]
		if len(plots[i]) == 1 {
			plots[i] = append(plots[i], plots[i][0]) // one bucket is a level
		}
	}
	title := firstOf(p.title, strings.Join(columns, ", "))
	if len(names) == 1 && names[0] != columns[0] {
		title = names[0] + ": " + title
	}
	caption := fmt.Sprintf("%s, %s to %s", title, scalarText(rows[0].get(along)), scalarText(rows[len(rows)-1].get(along)))
	options := []asciigraph.Option{
		asciigraph.Height(chartHeight), asciigraph.Width(chartWidth), asciigraph.LowerBound(0), asciigraph.Caption(caption),
	}
	if len(plots) == 1 {
		return strings.TrimRight(asciigraph.PlotMany(plots, options...), "\n")
	}
	if p.color {
		options = append(
			options, asciigraph.SeriesColors(lineColors[:min(len(lineColors), len(plots))]...),
			asciigraph.SeriesLegends(names...),
		)
		return strings.TrimRight(asciigraph.PlotMany(plots, options...), "\n")
	}
	// Without colors each line is drawn with a letter of its own.
	sets := make([]asciigraph.CharSet, len(plots))
	var legend strings.Builder
	for i, name := range names {
		letter := string(rune('a' + i%26))
		sets[i] = asciigraph.CreateCharSet(letter)
		fmt.Fprintf(&legend, "\n  %s  %s", letter, name)
	}
	options = append(options, asciigraph.SeriesChars(sets...))
	return strings.TrimRight(asciigraph.PlotMany(plots, options...), "\n") + "\n" + legend.String()
}

var lineColors = []asciigraph.AnsiColor{asciigraph.Blue, asciigraph.Red, asciigraph.Green, asciigraph.Yellow,
	asciigraph.Magenta, asciigraph.Cyan, asciigraph.White, asciigraph.Gray, asciigraph.Orange, asciigraph.Pink}

// placeOf returns the whole place of a region or city, most exact first.
func placeOf(row members) []string {
	var parts []string
	for _, name := range []string{"value", "region", "country"} {
		text, _ := row.get(name).(string)
		if text != "" && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return parts
}

// bars draws the first chosen column of a table, one bar a row.
func (p printer) bars(rows []members) string {
	columns := p.columns(rows, "")
	columns = slices.DeleteFunc(columns, func(name string) bool { return name == "latitude" || name == "longitude" })
	if len(columns) == 0 {
		return ""
	}
	column := columns[0]
	highest := 0.0
	for _, row := range rows {
		highest = max(highest, number(row.get(column)))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", column)
	for _, row := range rows {
		y := number(row.get(column))
		length := 0
		if highest > 0 && y > 0 {
			length = max(1, int(y/highest*barWidth+0.5))
		}
		label := lipgloss.NewStyle().Width(labelWidth).MaxWidth(labelWidth).Inline(true).Render(printable(labelOf(row)))
		fmt.Fprintf(&out, "%s  %s %s\n", label+strings.Repeat(" ", max(0, labelWidth-lipgloss.Width(label))),
			strings.Repeat("█", length), readableText(column, row.get(column)))
	}
	return strings.TrimRight(out.String(), "\n")
}

func number(v value) float64 {
	n, ok := v.(json.Number)
	if !ok {
		return 0
	}
	y, _ := strconv.ParseFloat(n.String(), 64) // the server's own figure
	return y
}

// labelOf names a row: its place, or its first text.
func labelOf(row members) string {
	if row.has("value") {
		return firstOf(strings.Join(placeOf(row), ", "), "(none)")
	}
	if row.has("city") && !row.has("appUserId") {
		var parts []string
		for _, name := range []string{"city", "region", "country"} {
			if text, _ := row.get(name).(string); text != "" {
				parts = append(parts, text)
			}
		}
		return firstOf(strings.Join(parts, ", "), "(none)")
	}
	for _, entry := range row {
		if text, ok := entry.value.(string); ok {
			return firstOf(text, "(none)")
		}
	}
	return ""
}
