package parquetfiles

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// viewsName is a file for DuckDB beside the manifest.
const viewsName = "duckdb.sql"

// views returns the statements that name what files hold as docs/sql.md does, so that its queries read them. Files are
// at place, which ends with a slash or is empty; a table without any has no rows.
func views(place string, files map[string]File) []byte {
	there := map[string]bool{}
	for name := range files {
		folder, _, _ := strings.Cut(name, "/")
		there[folder] = true
	}
	text := strings.Builder{}
	text.WriteString("-- Names the files for DuckDB, which is to be started in this folder: duckdb -init " +
		viewsName + "\nset timezone = 'UTC';\n")
	for _, t := range tables {
		folder := "table=" + t.Name()
		source := fmt.Sprintf("read_parquet('%s%s/*/*.parquet', hive_partitioning = false)",
			strings.ReplaceAll(place, "'", "''"), folder)
		if !there[folder] {
			source = "(" + noRows(t.schema()) + ")"
		}
		fmt.Fprintf(&text, "create or replace view %s as select * from %s;\n", t.Name(), source)
	}
	return []byte(text.String())
}

// noRows selects the columns of a schema and nothing.
func noRows(schema *parquet.Schema) string {
	var columns []string
	for _, field := range schema.Fields() {
		columns = append(columns, fmt.Sprintf("null::%s as %q", duckType(field), field.Name()))
	}
	return "select " + strings.Join(columns, ", ") + " where false"
}

// duckType returns what DuckDB reads a column as.
func duckType(field parquet.Field) string {
	if !field.Leaf() {
		return "varchar[]"
	}
	switch kind := field.Type().String(); {
	case strings.HasPrefix(kind, "TIMESTAMP"):
		return "timestamptz"
	case kind == "STRING":
		return "varchar"
	case kind == "DATE":
		return "date"
	case kind == "BOOLEAN":
		return "boolean"
	case kind == "FLOAT":
		return "float"
	}
	return "bigint"
}
