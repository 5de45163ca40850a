package oracle

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics/report"
)

// RowKey orders rows of equal metrics: by value, then by the place they belong to.
func RowKey(r report.Row) string { return r.Value + "\x00" + r.Country + "\x00" + r.Region }

// number reads a row's column by its JSON name; times are milliseconds.
func number(row any, metric report.Metric) *float64 {
	raw, err := json.Marshal(row)
	if err != nil {
		panic(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		panic(err)
	}
	var n float64
	switch v := fields[string(metric)].(type) {
	case nil:
		return nil
	case float64:
		n = v
	case string:
		t, err := time.Parse(time.RFC3339Nano, v)
		if err != nil {
			panic(err)
		}
		n = float64(t.UnixMilli())
	default:
		panic("oracle: no number in column " + string(metric))
	}
	return &n
}

// Sort orders rows by a column, ties by key, null last.
func Sort[R any](rows []R, metric report.Metric, ascending bool, key func(R) string) {
	slices.SortFunc(rows, func(a, b R) int {
		x, y := number(a, metric), number(b, metric)
		switch {
		case x == nil && y != nil:
			return 1
		case x != nil && y == nil:
			return -1
		case x != nil && *x != *y:
			if (*x < *y) == ascending {
				return -1
			}
			return 1
		}
		return cmp.Compare(strings.Compare(key(a), key(b)), 0)
	})
}

// Contains tells whether a search finds text: some piece of it is the search, case aside. Pieces are
// compared letter by letter.
func Contains(text, search string) bool {
	letters, n := []rune(text), len([]rune(search))
	for i := 0; i+n <= len(letters); i++ {
		if strings.EqualFold(string(letters[i:i+n]), search) {
			return true
		}
	}
	return false
}
