package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/lipgloss/table"
)

// Tables are for people: figures are rounded, ratios are percentages, the empty
// value has a name. Programs read the other forms, which are exact.

func printTables(w io.Writer, lists []rowList) error {
	for i, l := range lists {
		if l.name != "" {
			gap := "\n"
			if i == 0 {
				gap = ""
			}
			if _, err := fmt.Fprintf(w, "%s%s\n", gap, strings.ToUpper(l.name)); err != nil {
				return err
			}
		}
		if err := printTable(w, l); err != nil {
			return err
		}
	}
	return nil
}

// tallObject is how many cells a single row may have before it is turned.
const tallObject = 6

func printTable(w io.Writer, l rowList) error {
	if len(l.rows) == 0 {
		_, err := fmt.Fprintln(w, "no rows")
		return err
	}
	rows := make([][]cell, len(l.rows))
	for i, row := range l.rows {
		rows[i] = readable("", row, nil)
	}
	header, lines := grid(rows)
	if l.object && len(header) > tallObject {
		header, lines = transpose(rows[0])
	}
	if _, err := fmt.Fprintln(w, alignColumns(header, lines)); err != nil {
		return err
	}
	if l.more() {
		_, err := fmt.Fprintf(w, "%d of %d rows\n", len(l.rows), l.total)
		return err
	}
	return nil
}

// transpose writes one row as a column; what it says of the previous period stands
// beside what it says of this one.
func transpose(row []cell) (header []string, lines [][]string) {
	const before = "previous."
	previous := map[string]string{}
	for _, c := range row {
		if name, ok := strings.CutPrefix(c.column, before); ok {
			previous[name] = c.text
		}
	}
	header = []string{"", "value"}
	if len(previous) > 0 {
		header = append(header, "previous")
	}
	for _, c := range row {
		if strings.HasPrefix(c.column, before) {
			continue
		}
		line := []string{c.column, c.text}
		if len(previous) > 0 {
			line = append(line, previous[c.column])
		}
		lines = append(lines, line)
	}
	return header, lines
}

// alignColumns lays a table out, figures to the right.
func alignColumns(header []string, lines [][]string) string {
	numeric := make([]bool, len(header))
	for column := range header {
		numeric[column] = true
		for _, line := range lines {
			text := strings.TrimSuffix(line[column], "%")
			if _, err := strconv.ParseFloat(text, 64); err != nil && text != "" {
				numeric[column] = false
			}
		}
	}
	return table.New().Border(lipgloss.NormalBorder()).BorderRow(false).
		BorderLeft(false).BorderRight(false).BorderTop(false).BorderBottom(false).BorderColumn(false).
		Headers(header...).Rows(lines...).
		StyleFunc(func(_, column int) lipgloss.Style {
			style := lipgloss.NewStyle().PaddingRight(2)
			if numeric[column] {
				style = style.Align(lipgloss.Right)
			}
			return style
		}).String()
}

// readable flattens for people.
func readable(prefix string, v value, cells []cell) []cell {
	if shares, ok := sharesOf(v); ok {
		for _, share := range shares {
			cells = append(cells, cell{"+" + scalarText(share.get("offset")), percent(share.get("rate")), false})
		}
		return cells
	}
	object, ok := v.(members)
	switch {
	case v == nil: // a column that no row has is left out
		return cells
	case !ok:
		return append(cells, cell{prefix, readableText(prefix, v), true})
	}
	for _, entry := range object {
		name := entry.key
		if prefix != "" {
			name = prefix + "." + name
		}
		cells = readable(name, entry.value, cells)
	}
	return cells
}

func readableText(column string, v value) string {
	number, isNumber := v.(json.Number)
	switch {
	case isNumber && strings.HasSuffix(strings.ToLower(column), "rate"):
		return percent(v)
	case isNumber:
		return roundNumber(number)
	case v == "" && (column == "value" || column == "page"):
		return "(none)"
	}
	return printable(scalarText(v))
}

// printable writes control characters as escapes: anybody may send events with a
// public key, and a page's name must not move an operator's cursor.
func printable(text string) string {
	if strings.IndexFunc(text, unicode.IsControl) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) {
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// roundNumber keeps at most two decimals of a number.
func roundNumber(number json.Number) string {
	text := number.String()
	if point := strings.IndexByte(text, '.'); point < 0 || len(text)-point <= 3 {
		return text
	}
	f, err := number.Float64()
	if err != nil {
		return text
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}

func percent(v value) string {
	number, ok := v.(json.Number)
	if !ok {
		return ""
	}
	f, err := number.Float64()
	if err != nil {
		return number.String()
	}
	return strconv.FormatFloat(100*f, 'f', 1, 64) + "%"
}
