package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpreadsheetTextVectors(t *testing.T) {
	raw, err := os.ReadFile("../../sdk/vectors/csv-cells.json")
	require.NoError(t, err)
	var vectors []struct{ Text, Cell string }
	require.NoError(t, json.Unmarshal(raw, &vectors))
	require.NotEmpty(t, vectors)
	for _, v := range vectors {
		require.Equal(t, v.Cell, spreadsheetText(v.Text), "%q", v.Text)
	}
}

// No name that an app's users choose runs in the spreadsheet of who exports it; numbers stay numbers, and a program
// gets what was sent.
func TestCSVRunsNoFormula(t *testing.T) {
	rows := []value{
		members{{"name", `=HYPERLINK("http://x","y")`}, {"count", json.Number("-7")}, {"builtIn", false},
			{"properties", members{{"@plan", "＝1"}}}},
		members{{"name", "plain"}, {"count", json.Number("2")}, {"list", []value{"-1"}}},
	}
	read := func(raw bool) [][]string {
		var out strings.Builder
		require.NoError(t, printCSV(&out, flattenAll(rows), raw))
		lines, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		require.NoError(t, err)
		return lines
	}
	require.Equal(t, [][]string{
		{"name", "count", "builtIn", "properties.@plan", "list"},
		{`'=HYPERLINK("http://x","y")`, "-7", "false", "'＝1", ""},
		{"plain", "2", "", "", `["-1"]`},
	}, read(false))
	require.Equal(t, `=HYPERLINK("http://x","y")`, read(true)[1][0])
	require.Equal(t, "＝1", read(true)[1][3])
}
