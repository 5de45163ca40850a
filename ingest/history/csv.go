package history

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxRecord bounds a record of CSV in bytes: a quote that is not closed would make one of the rest of the file.
const maxRecord = 1 << 20

// csvBroken is the member of an object that says why a record could not be read.
const csvBroken = "csv"

// csvLines reads CSV with a header and is read as lines of JSON: an object of texts for each record, at the number of
// the line where the record begins. The lines between are blank.
type csvLines struct {
	records *csv.Reader
	bounded *boundedReader
	columns []string // by place in the record; "" is not wanted
	out     []byte   // made and not read yet
	line    int      // number of the next line of out
}

// newCSVLines reads the header. Of the columns the wanted are given on; the first of them are needed ones.
func newCSVLines(in io.Reader, wanted []string, needed int) (*csvLines, error) {
	bounded := &boundedReader{in: in, left: maxRecord}
	l := &csvLines{records: csv.NewReader(bounded), bounded: bounded, line: 1}
	l.records.ReuseRecord = true
	header, err := l.records.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	for i, name := range header {
		if i == 0 {
			name = strings.TrimPrefix(name, "\uFEFF")
		}
		if name = strings.TrimSpace(name); !slices.Contains(wanted, name) {
			name = ""
		}
		l.columns = append(l.columns, name)
	}
	for _, name := range wanted[:needed] {
		if !slices.Contains(l.columns, name) {
			return nil, fmt.Errorf("the header has no column %s", name)
		}
	}
	return l, nil
}

func (l *csvLines) Read(into []byte) (int, error) {
	for len(l.out) == 0 {
		if err := l.next(); err != nil {
			return 0, err
		}
	}
	n := copy(into, l.out)
	l.out = l.out[n:]
	return n, nil
}

// next makes the line of the next record.
func (l *csvLines) next() error {
	l.bounded.left = maxRecord
	record, err := l.records.Read()
	object := map[string]string{}
	start := 0
	if broken := (*csv.ParseError)(nil); errors.As(err, &broken) {
		start, object[csvBroken] = broken.StartLine, broken.Err.Error()
	} else if err != nil {
		return err
	} else {
		start, _ = l.records.FieldPos(0)
		for i, value := range record {
			if name := l.columns[i]; name != "" && value != "" && value != `\N` {
				object[name] = value
			}
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	l.out = l.out[:0]
	for ; l.line < start; l.line++ {
		l.out = append(l.out, '\n')
	}
	l.out = append(append(l.out, text...), '\n')
	l.line++
	return nil
}

// boundedReader fails when more is read than is left.
type boundedReader struct {
	in   io.Reader
	left int
}

func (b *boundedReader) Read(into []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a record is longer than %d bytes: is a quote not closed?", maxRecord)
	}
	n, err := b.in.Read(into)
	b.left -= n
	return n, err
}
