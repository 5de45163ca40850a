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

// What can't be written ends the reading of rows, which is in another goroutine.
func TestAFileThatCanNotBeWrittenEndsTheReading(t *testing.T) {
	out := newGroups[event](fullDisk{})
	row := event{Properties: new(strings.Repeat("x", 1<<16))}
	var err error
	for range 64 {
		if err = out.add(row, groupBytes); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, errFull)
	require.ErrorIs(t, out.add(row, groupBytes), errFull, "it does not wait for who has ended")
	require.ErrorIs(t, out.stop(), errFull)

	out = newGroups[event](fullDisk{})
	require.NoError(t, out.add(row, 1))
	rows, err := out.close()
	require.ErrorIs(t, err, errFull)
	require.EqualValues(t, 1, rows)
	require.NoError(t, out.stop(), "the end of the file failed, not a batch")

	out = newGroups[event](fullDisk{})
	require.NoError(t, out.add(row, 1))
	require.NoError(t, out.stop(), "what was read is given up")
}
