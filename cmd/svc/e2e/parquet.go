package e2e

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/venv"
)

//go:embed readparquet.py
var duckScript string

// duckModule is the DuckDB that reads exports.
const duckModule = "duckdb==2.0.1"

// ParquetReader is DuckDB over the files of an app's live environment, named as the views of SQL roles are.
type ParquetReader struct {
	asks    io.Writer
	answers *bufio.Reader
}

// hasPython tells whether there is what runs DuckDB.
func hasPython(t *testing.T) bool {
	t.Helper()
	err := venv.Available(t.Context())
	if err != nil {
		t.Log("Python with venv, which runs DuckDB, is not installed: files are not asked:", err)
	}
	return err == nil
}

// ReadByParquet exports an app and starts DuckDB on its files; it ends with the test.
func ReadByParquet(t *testing.T, d *Dev, app string) *ParquetReader {
	t.Helper()
	python, err := venv.Python(t.Context(), duckModule)
	require.NoError(t, err)
	folder := t.TempDir()
	exit, _, errs := Run(t, []string{"SVC_DATABASE_URL=" + d.DatabaseURL},
		"export", "--format", "parquet", "--app", app, "--env", "live", "--out", folder)
	require.Equal(t, 0, exit, errs)
	command := exec.CommandContext(
		context.Background(), python, "-I", "-c", duckScript, filepath.Join(folder, "environment=live"),
	)
	asks, err := command.StdinPipe()
	require.NoError(t, err)
	answers, err := command.StdoutPipe()
	require.NoError(t, err)
	var told strings.Builder
	command.Stderr = &told
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = asks.Close()
		require.NoError(t, command.Wait(), told.String())
	})
	return &ParquetReader{asks, bufio.NewReader(answers)}
}

// Ask runs a query of the documentation and returns its rows as text.
func (r *ParquetReader) Ask(t *testing.T, sql string, start, end time.Time, flowID string) []string {
	t.Helper()
	asked, err := json.Marshal(within(sql, start, end, flowID))
	require.NoError(t, err)
	_, err = r.asks.Write(append(asked, '\n'))
	require.NoError(t, err)
	line, err := r.answers.ReadBytes('\n')
	require.NoError(t, err, sql)
	if problem := ""; json.Unmarshal(line, &problem) == nil {
		require.Fail(t, problem, sql)
	}
	var rows [][]any
	decoder := json.NewDecoder(strings.NewReader(string(line)))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&rows))
	texts := make([]string, len(rows))
	for i, row := range rows {
		for j, value := range row {
			if number, ok := value.(json.Number); ok && strings.ContainsAny(number.String(), ".e") {
				row[j], err = strconv.ParseFloat(number.String(), 64)
				require.NoError(t, err)
			}
		}
		texts[i] = SQLRow(row...)
	}
	return texts
}
