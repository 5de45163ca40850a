package main

import (
	"encoding/csv"
	"io"
	"regexp"
)

// formula is what spreadsheets run when it stands in a cell: what begins with a sign of theirs, also in full width,
// with white space before it or not. Anybody with a publishable key chooses names of events.
var formula = regexp.MustCompile(`^(?:[\t\r\n]|[\s\p{Z}]*[=+\-@＝＋－＠])`)

// spreadsheetText returns a text as the cell of a table that people open: an apostrophe before what would run makes it
// text. The dashboard's files follow the same rule (vectors: csv-cells.json).
func spreadsheetText(text string) string {
	if formula.MatchString(text) {
		return "'" + text
	}
	return text
}

// printCSV writes rows under the columns of all of them. Unless they are raw, for programs, no text of theirs is a
// formula; numbers stay numbers.
func printCSV(w io.Writer, rows [][]cell, raw bool) error {
	if !raw {
		for _, row := range rows {
			for i, c := range row {
				row[i].column = spreadsheetText(c.column)
				if c.isText {
					row[i].text = spreadsheetText(c.text)
				}
			}
		}
	}
	header, lines := grid(rows)
	writer := csv.NewWriter(w)
	if len(header) > 0 {
		if err := writer.Write(header); err != nil {
			return err
		}
	}
	return writer.WriteAll(lines)
}
