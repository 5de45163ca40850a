package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// outputs are the values of --output.
var outputs = []string{"json", "jsonl", "csv", "table", "chart"}

// printer writes a GraphQL field's data in the chosen form.
type printer struct {
	format string
	jq     string
	raw    bool     // CSV: texts as they are, also those that a spreadsheet would run
	chart  []string // columns that a chart draws; none: all numbers of the rows
	title  string   // of a chart whose column says little
	color  bool     // of charts
	notes  io.Writer
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
	lists := listsOf(v)
	switch p.format {
	case "chart":
		return p.printCharts(w, lists)
	case "table":
		return printTables(w, lists)
	}
	p.noteCutLists(lists)
	if err := p.noteBeside(lists); err != nil {
		return err
	}
	rows := labelRows(lists)
	if p.format == "jsonl" {
		return printLines(w, rows)
	}
	return printCSV(w, flattenAll(rows), p.raw)
}

// noteCutLists tells which lists of an answer with several were cut: rows
// that a program reads must not look complete when they are not.
func (p printer) noteCutLists(lists []rowList) {
	for _, l := range lists {
		if len(lists) > 1 && l.more() && p.notes != nil {
			fmt.Fprintf(p.notes, `{"note":"%s: %d of %d rows"}`+"\n", l.name, len(l.rows), l.total)
		}
	}
}

// noteBeside tells what lists say beside their rows, which a program that reads rows has no place for: totals, and
// whether figures may still change.
func (p printer) noteBeside(lists []rowList) error {
	for _, l := range lists {
		if len(l.beside) == 0 || p.notes == nil {
			continue
		}
		line, err := encodeJSON(append(members{{"note", strings.TrimSpace(l.name + " beside the rows")}}, l.beside...))
		if err != nil {
			return err
		}
		if _, err := p.notes.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// printQuery applies a jq program, one result a line; strings stay unquoted. Numbers
// that the program passes on keep all their digits. Members come by name: jq values
// know no other order.
func printQuery(w io.Writer, program string, data json.RawMessage) error {
	query, err := gojq.Parse(program)
	if err != nil {
		return usageError("--jq: %s", err)
	}
	var input any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&input); err != nil {
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

type cell struct {
	column, text string
	isText       bool // not a number or a boolean
}

func flattenAll(rows []value) [][]cell {
	flat := make([][]cell, len(rows))
	for i, row := range rows {
		flat[i] = flatten("", row, nil)
	}
	return flat
}

// flatten turns nested members into columns with dotted names. A list of shares
// by offset has columns by offset; any other nested list becomes its JSON.
func flatten(prefix string, v value, cells []cell) []cell {
	if shares, ok := sharesOf(v); ok {
		for _, share := range shares {
			offset := scalarText(share.get("offset"))
			for _, entry := range share {
				if entry.key != "offset" {
					cells = flatten(prefix+"."+offset+"."+entry.key, entry.value, cells)
				}
			}
		}
		return cells
	}
	object, ok := v.(members)
	if !ok {
		_, isText := v.(string)
		return append(cells, cell{prefix, scalarText(v), isText})
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
