package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/lipgloss/table"
	"github.com/guptarohit/asciigraph"
	"github.com/itchyny/gojq"
)

// outputs are the values of --output.
var outputs = []string{"json", "jsonl", "csv", "table", "chart"}

// printer writes a GraphQL field's data in the chosen form.
type printer struct {
	format string
	jq     string
	chart  string // field that a chart draws; "" means the first number
}

// print writes data, one GraphQL field's value, to w.
func (p printer) print(w io.Writer, data json.RawMessage) error {
	if p.jq != "" {
		return printQuery(w, p.jq, data)
	}
	if p.format == "json" {
		var indented bytes.Buffer
		if err := json.Indent(&indented, data, "", "  "); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		indented.WriteByte('\n')
		_, err := indented.WriteTo(w)
		return err
	}
	v, err := decodeOrdered(data)
	if err != nil {
		return err
	}
	if p.format == "chart" {
		return printChart(w, v, p.chart)
	}
	rows := flattenAll(rowsOf(v))
	switch p.format {
	case "jsonl":
		return printLines(w, rowsOf(v))
	case "csv":
		return printCSV(w, rows)
	default:
		return printTable(w, rows)
	}
}

// printQuery applies a jq program, one result a line; strings stay unquoted.
func printQuery(w io.Writer, program string, data json.RawMessage) error {
	query, err := gojq.Parse(program)
	if err != nil {
		return usageError("--jq: %s", err)
	}
	var input any
	if err := json.Unmarshal(data, &input); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	results := query.Run(input)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			return usageError("--jq: %s", err)
		}
		if text, isText := result.(string); isText {
			fmt.Fprintln(w, text)
			continue
		}
		encoded, err := gojq.Marshal(result)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n", encoded)
	}
}

// rowsOf finds the rows of an answer: the list itself, the nodes of a
// connection, the points of a series, one row a value and point of a breakdown
// series, or else the object as a single row.
func rowsOf(v value) []value {
	switch v := v.(type) {
	case []value:
		var rows []value
		for _, item := range v {
			if series, ok := item.(members); ok && series.has("points") {
				rows = append(rows, pointsOf(series)...)
				continue
			}
			rows = append(rows, item)
		}
		return rows
	case members:
		for _, key := range []string{"nodes", "points", "series", "rows"} {
			if list, ok := v.get(key).([]value); ok {
				return rowsOf(list)
			}
		}
		return []value{v}
	case nil:
		return nil
	}
	return []value{members{{"value", v}}}
}

func pointsOf(series members) []value {
	var labels members
	for _, entry := range series {
		if entry.key != "points" {
			labels = append(labels, entry)
		}
	}
	points, _ := series.get("points").([]value)
	rows := make([]value, 0, len(points))
	for _, point := range points {
		// The dotted names of flatten keep a point's value apart from the series'.
		rows = append(rows, append(append(members{}, labels...), member{"points", point}))
	}
	return rows
}

type cell struct{ column, text string }

func flattenAll(rows []value) [][]cell {
	flat := make([][]cell, len(rows))
	for i, row := range rows {
		flat[i] = flatten("", row, nil)
	}
	return flat
}

// flatten turns nested members into columns with dotted names; a nested list
// becomes its JSON.
func flatten(prefix string, v value, cells []cell) []cell {
	object, ok := v.(members)
	if !ok {
		return append(cells, cell{prefix, scalarText(v)})
	}
	for _, entry := range object {
		name := entry.key
		if prefix != "" {
			name = prefix + "." + name
		}
		cells = flatten(name, entry.value, cells)
	}
	return cells
}

func scalarText(v value) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(encoded)
}

func printLines(w io.Writer, rows []value) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

// grid lines rows up under the columns of all of them, first seen first.
func grid(rows [][]cell) (header []string, lines [][]string) {
	position := map[string]int{}
	for _, row := range rows {
		for _, c := range row {
			if _, known := position[c.column]; !known {
				position[c.column] = len(header)
				header = append(header, c.column)
			}
		}
	}
	for _, row := range rows {
		line := make([]string, len(header))
		for _, c := range row {
			line[position[c.column]] = c.text
		}
		lines = append(lines, line)
	}
	return header, lines
}

func printCSV(w io.Writer, rows [][]cell) error {
	header, lines := grid(rows)
	writer := csv.NewWriter(w)
	if len(header) > 0 {
		if err := writer.Write(header); err != nil {
			return err
		}
	}
	return writer.WriteAll(lines)
}

func printTable(w io.Writer, rows [][]cell) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, "no rows")
		return err
	}
	header, lines := grid(rows)
	numeric := make([]bool, len(header))
	for column := range header {
		numeric[column] = true
		for _, line := range lines {
			if _, err := strconv.ParseFloat(line[column], 64); err != nil && line[column] != "" {
				numeric[column] = false
			}
		}
	}
	rendered := table.New().Border(lipgloss.NormalBorder()).BorderRow(false).
		BorderLeft(false).BorderRight(false).BorderTop(false).BorderBottom(false).BorderColumn(false).
		Headers(header...).Rows(lines...).
		StyleFunc(func(_, column int) lipgloss.Style {
			style := lipgloss.NewStyle().PaddingRight(2)
			if numeric[column] {
				style = style.Align(lipgloss.Right)
			}
			return style
		})
	_, err := fmt.Fprintln(w, rendered)
	return err
}

// printChart draws one field of a series' points (metric, or the first number),
// one line a value of a breakdown series.
func printChart(w io.Writer, v value, metric string) error {
	type line struct {
		name   string
		points []float64
	}
	var lines []line
	draw := func(name string, points []value) {
		l := line{name: name}
		for _, point := range points {
			fields, _ := point.(members)
			for _, field := range fields {
				number, ok := field.value.(json.Number)
				if !ok || (metric != "" && field.key != metric) {
					continue
				}
				metric = field.key
				y, _ := number.Float64()
				l.points = append(l.points, y)
				break
			}
		}
		if len(l.points) > 0 {
			lines = append(lines, l)
		}
	}
	list, isList := v.([]value)
	if object, ok := v.(members); ok {
		for _, key := range []string{"points", "series"} {
			if found, ok := object.get(key).([]value); ok {
				list, isList = found, true
			}
		}
	}
	if !isList {
		return usageError("-o chart draws series; this report has none")
	}
	single := true
	for _, item := range list {
		if series, ok := item.(members); ok && series.has("points") {
			single = false
			points, _ := series.get("points").([]value)
			draw(scalarText(series.get("value")), points)
		}
	}
	if single {
		draw("", list)
	}
	if len(lines) == 0 {
		return usageError("-o chart draws series; this report has none")
	}
	plots := make([][]float64, len(lines))
	var legend []string
	for i, l := range lines {
		plots[i] = l.points
		if l.name != "" {
			legend = append(legend, l.name)
		}
	}
	options := []asciigraph.Option{asciigraph.Height(12), asciigraph.Width(72), asciigraph.Caption(metric)}
	if len(legend) == len(plots) && len(plots) > 1 {
		colors := []asciigraph.AnsiColor{asciigraph.Blue, asciigraph.Red, asciigraph.Green, asciigraph.Yellow,
			asciigraph.Magenta, asciigraph.Cyan, asciigraph.White, asciigraph.Gray, asciigraph.Orange, asciigraph.Pink}
		options = append(options, asciigraph.SeriesColors(colors[:min(len(colors), len(plots))]...),
			asciigraph.SeriesLegends(legend...))
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(asciigraph.PlotMany(plots, options...), "\n"))
	return err
}
