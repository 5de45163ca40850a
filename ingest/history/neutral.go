package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/codeunit"
)

// neutralColumns are those of a file of no tool's, the needed ones first. They are the columns of the table events that
// `svc export --format parquet` writes, so that a file of it can be imported.
var neutralColumns = []string{
	"event_id", "name", "occurred_at", "app_user_id",
	"kind", "custom_user_id", "session_id", "page", "source", "medium", "campaign", "content", "term", "adset", "creative",
	"referrer", "landing_url", "country", "region", "city", "latitude", "longitude", "platform", "device", "browser", "os",
	"app_version", "locale", "custom_properties", "properties",
}

const neutralNeeded = 4

func neutralCSVLines(in io.Reader) (io.Reader, error) {
	return newCSVLines(in, neutralColumns, neutralNeeded)
}

// neutralAttribution leads from columns to attribution keys.
var neutralAttribution = map[string]string{
	"source": "source", "medium": "medium", "campaign": "campaign", "content": "content", "term": "term", "adset": "adset",
	"creative": "creative", "referrer": "referrer", "landing_url": "landingUrl",
}

// fromNeutral converts a record of a neutral file, as [csvLines] and parquetLines give it.
func fromNeutral(line []byte, how Reading) (*ingest.HistoryEvent, *ingest.Reject) {
	var row map[string]string
	if err := readRow(line, &row); err != nil {
		return nil, lineReject("", err)
	}
	fail := func(code, message string) (*ingest.HistoryEvent, *ingest.Reject) {
		return nil, &ingest.Reject{EventID: row["event_id"], Code: code, Message: message}
	}
	if why := row[csvBroken]; why != "" {
		return fail(ingest.CodeEventInvalid, "the record is not CSV as the header says: "+why)
	}
	for _, required := range []struct{ column, code string }{
		{"event_id", ingest.CodeEventIDRequired}, {"name", ingest.CodeNameRequired},
		{"occurred_at", ingest.CodeTimestampRequired}, {"app_user_id", ingest.CodeAppUserIDRequired},
	} {
		if row[required.column] == "" {
			return fail(required.code, required.column+" is required")
		}
	}
	switch row["kind"] {
	case "", "product":
	default:
		return nil, nil // flow events belong to channels, which svc import events finds
	}
	at, reject := how.at("occurred_at", row["occurred_at"])
	if reject != nil {
		reject.EventID = row["event_id"]
		return nil, reject
	}
	e := &ingest.HistoryEvent{
		EventID: Neutral.eventPrefix() + row["event_id"], Name: row["name"], Timestamp: at, ScreenName: row["page"],
		AppUserID: row["app_user_id"], CustomUserID: row["custom_user_id"], SessionID: row["session_id"],
		Context: ingest.HistoryContext{
			Platform: row["platform"], AppVersion: row["app_version"], Locale: row["locale"],
			Browser: codeunit.Clip(row["browser"], contextUnits), OS: codeunit.Clip(row["os"], contextUnits),
			Device: codeunit.Clip(row["device"], contextUnits), Attribution: map[string]string{},
		},
	}
	for column, key := range neutralAttribution {
		if value := row[column]; value != "" {
			e.Context.Attribution[key] = value
		}
	}
	for column, into := range map[string]*map[string]json.RawMessage{
		"properties": &e.Properties, "custom_properties": &e.Context.CustomProperties,
	} {
		if text := row[column]; text != "" && json.Unmarshal([]byte(text), into) != nil {
			return fail(ingest.CodeEventInvalid, column+" is not a JSON object")
		}
	}
	if e.Place, reject = neutralPlace(row); reject != nil {
		reject.EventID = row["event_id"]
		return nil, reject
	}
	return e, nil
}

func neutralPlace(row map[string]string) (*ingest.HistoryPlace, *ingest.Reject) {
	if row["country"] == "" {
		return nil, nil
	}
	found := &ingest.HistoryPlace{Country: row["country"], Region: row["region"], City: row["city"]}
	for column, into := range map[string]**float64{"latitude": &found.Latitude, "longitude": &found.Longitude} {
		if row[column] == "" {
			continue
		}
		degrees, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			return nil, &ingest.Reject{Code: ingest.CodePlaceInvalid, Message: column + " is not a number"}
		}
		*into = &degrees
	}
	return found, nil
}

// maxParquet bounds a file of Parquet in bytes: it is read from its end, so it is kept while it is read.
const maxParquet = 16 << 30

// parquetRows is how many rows are read at once.
const parquetRows = 256

// parquetLines reads a file of Parquet and is read as lines of JSON, as csvLines is.
type parquetLines struct {
	file    *os.File
	rows    *parquet.GenericReader[any]
	columns []string // by place in a row; "" is not wanted
	units   []time.Duration
	batch   []parquet.Row
	out     []byte
}

// errNotParquet says what a file is not.
var errNotParquet = errors.New("the file is not Parquet")

func parquetLinesOf(in io.Reader) (io.Reader, error) {
	kept, err := os.CreateTemp("", "svc-import-*.parquet")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(kept.Name()) // it is read by its handle, and gone with it
	size, err := io.Copy(kept, io.LimitReader(in, maxParquet+1))
	if err == nil && size > maxParquet {
		err = fmt.Errorf("the file has more than %d bytes", int64(maxParquet))
	}
	var l *parquetLines
	if err == nil {
		l, err = openParquet(kept, size)
	}
	if err != nil {
		_ = kept.Close()
		return nil, err
	}
	return l, nil
}

// openParquet reads the columns of a file. What a stranger wrote may make the library panic.
func openParquet(kept *os.File, size int64) (l *parquetLines, err error) {
	defer func() {
		if recover() != nil {
			l, err = nil, errNotParquet
		}
	}()
	file, err := parquet.OpenFile(kept, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotParquet, err)
	}
	l = &parquetLines{file: kept, batch: make([]parquet.Row, parquetRows)}
	wanted := map[string]bool{}
	for _, name := range neutralColumns {
		wanted[name] = true
	}
	for _, path := range file.Schema().Columns() {
		leaf, _ := file.Schema().Lookup(path...)
		name, unit := path[0], time.Duration(0)
		if len(path) > 1 || !wanted[name] {
			name = ""
		}
		if stamp, ok := logicalOf(leaf).(*format.TimestampType); ok {
			switch stamp.Unit.Value.(type) {
			case *format.MilliSeconds:
				unit = time.Millisecond
			case *format.MicroSeconds:
				unit = time.Microsecond
			default:
				unit = time.Nanosecond
			}
		}
		l.columns, l.units = append(l.columns, name), append(l.units, unit)
	}
	for _, name := range neutralColumns[:neutralNeeded] {
		if _, found := file.Schema().Lookup(name); !found {
			return nil, fmt.Errorf("the file has no column %s", name)
		}
	}
	l.rows = parquet.NewGenericReader[any](file)
	return l, nil
}

func logicalOf(leaf parquet.LeafColumn) any {
	if logical := leaf.Node.Type().LogicalType(); logical != nil {
		return logical.Value
	}
	return nil
}

func (l *parquetLines) Read(into []byte) (int, error) {
	for len(l.out) == 0 {
		if err := l.next(); err != nil {
			return 0, err
		}
	}
	n := copy(into, l.out)
	l.out = l.out[n:]
	return n, nil
}

// Close ends the copy of the file.
func (l *parquetLines) Close() error { return l.file.Close() }

// next makes the lines of some rows.
func (l *parquetLines) next() (err error) {
	defer func() {
		if recover() != nil {
			err = errNotParquet
		}
	}()
	n, err := l.rows.ReadRows(l.batch)
	if n == 0 {
		if err == nil {
			err = io.EOF
		}
		return err
	}
	l.out = l.out[:0]
	for _, row := range l.batch[:n] {
		object := map[string]string{}
		for _, value := range row {
			if name := l.columns[value.Column()]; name != "" && !value.IsNull() {
				object[name] = l.text(value)
			}
		}
		text, err := json.Marshal(object)
		if err != nil {
			return err
		}
		l.out = append(append(l.out, text...), '\n')
	}
	return nil
}

func (l *parquetLines) text(value parquet.Value) string {
	switch unit := l.units[value.Column()]; {
	case unit == time.Nanosecond:
		return time.Unix(0, value.Int64()).UTC().Format(time.RFC3339Nano)
	case unit == time.Microsecond:
		return time.UnixMicro(value.Int64()).UTC().Format(time.RFC3339Nano)
	case unit == time.Millisecond:
		return time.UnixMilli(value.Int64()).UTC().Format(time.RFC3339Nano)
	case value.Kind() == parquet.ByteArray || value.Kind() == parquet.FixedLenByteArray:
		return string(value.ByteArray())
	}
	return value.String()
}
