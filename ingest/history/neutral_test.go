package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// eventsOf returns the events that the lines of a file become.
func eventsOf(t *testing.T, source Source, file []byte) (events []string) {
	t.Helper()
	lines, err := source.Lines(io.NopCloser(bytes.NewReader(file)), math.MaxInt64)
	require.NoError(t, err)
	how := Reading{Started: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	scanner := bufio.NewScanner(lines)
	for scanner.Scan() {
		if len(scanner.Bytes()) == 0 { // in place of a header
			continue
		}
		event, reject := source.Convert(scanner.Bytes(), how)
		require.Nil(t, reject)
		events = append(events, lineOf(t, event))
	}
	require.NoError(t, errors.Join(scanner.Err(), lines.Close()))
	return events
}

func TestAParquetFileHasTheEventsOfCSV(t *testing.T) {
	type row struct {
		EventID    string    `parquet:"event_id"`
		Name       string    `parquet:"name"`
		OccurredAt time.Time `parquet:"occurred_at,timestamp(microsecond)"`
		AppUserID  string    `parquet:"app_user_id"`
		Page       *string   `parquet:"page,optional"`
		Latitude   *float32  `parquet:"latitude,optional"`
		Country    string    `parquet:"country"`
		Other      []int64   `parquet:"other"`
	}
	var file bytes.Buffer
	csv := &strings.Builder{}
	csv.WriteString("event_id,name,occurred_at,app_user_id,page,country\n")
	out := parquet.NewGenericWriter[row](&file)
	page := "/p0"
	for n := range 600 {
		at := time.Date(2026, 3, 1, 10, 0, n, 0, time.UTC)
		_, err := out.Write([]row{{fmt.Sprintf("e%d", n), "page_view", at, "u", &page, nil, "DE", []int64{1, 2}}})
		require.NoError(t, err)
		fmt.Fprintf(csv, "e%d,page_view,%s,u,/p0,DE\n", n, at.Format(time.DateTime))
	}
	require.NoError(t, out.Close())
	found := eventsOf(t, Parquet, file.Bytes())
	require.Len(t, found, 600)
	require.Equal(t, eventsOf(t, Neutral, []byte(csv.String())), found)
}

func TestAFileThatIsNoParquetIsRefused(t *testing.T) {
	_, err := Parquet.Lines(io.NopCloser(bytes.NewReader(bytes.Repeat([]byte("PAR1\x00\xff"), 99))), math.MaxInt64)
	require.ErrorContains(t, err, "the file is not Parquet")
}
