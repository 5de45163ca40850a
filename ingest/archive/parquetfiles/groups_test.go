package parquetfiles

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var errFull = errors.New("the disk is full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// What can't be written ends the reading of rows.
func TestAFileThatCanNotBeWrittenEndsTheReading(t *testing.T) {
	row := eventSchema.Deconstruct(nil, &event{Properties: new(strings.Repeat("x", 1<<16))})
	out := newGroups(fullDisk{}, eventSchema)
	var err error
	for range 64 {
		if err = out.add(row, groupBytes); err != nil { // a row group each, which is buffered at first
			break
		}
	}
	require.ErrorIs(t, err, errFull)

	out = newGroups(fullDisk{}, eventSchema)
	require.NoError(t, out.add(row, 1))
	rows, err := out.close()
	require.ErrorIs(t, err, errFull)
	require.EqualValues(t, 1, rows)
}
