package mcpserver

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// table is a list of objects, without the columns that are empty in all of them.
type table struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	// Total is how many rows there are in all, of a list that has pages.
	Total any `json:"total,omitempty"`
	// After is what to give as `after` for the next page; left out on the last one.
	After any `json:"after,omitempty"`
	// LeftOut is how many rows at the end were cut because the answer would be too large.
	LeftOut int `json:"rowsLeftOut,omitempty"`
	// Besides are the other members of a page.
	Besides map[string]any `json:"besides,omitempty"`
}

// compact writes a value of a GraphQL type with as few bytes as say the same: lists of objects become tables, members
// that are null are left out.
func compact(t *ast.Type, value any) any {
	definition := sdl.Types[t.Name()]
	if value == nil || definition.Kind != ast.Object {
		return value
	}
	if list, is := value.([]any); is {
		return tabulate(definition, list)
	}
	object, is := value.(map[string]any)
	if !is {
		return value
	}
	if nodes := definition.Fields.ForName("nodes"); nodes != nil {
		return compactPage(definition, object)
	}
	small := map[string]any{}
	for name, member := range object {
		field := definition.Fields.ForName(name)
		if member = compact(field.Type, member); member != nil {
			small[name] = member
		}
	}
	return small
}

// compactPage writes a connection as a table.
func compactPage(definition *ast.Definition, page map[string]any) any {
	nodes, _ := page["nodes"].([]any)
	rows := tabulate(sdl.Types[definition.Fields.ForName("nodes").Type.Name()], nodes)
	for name, member := range page {
		switch name {
		case "nodes":
		case "totalCount":
			rows.Total = member
		case "pageInfo":
			if info, _ := member.(map[string]any); info["hasNextPage"] == true {
				rows.After = info["endCursor"]
			}
		default:
			if rows.Besides == nil {
				rows.Besides = map[string]any{}
			}
			rows.Besides[name] = compact(definition.Fields.ForName(name).Type, member)
		}
	}
	return rows
}

// column is a member of the rows of a table: of the object itself, or of one inside it.
type column struct {
	name string
	path []string
	of   *ast.Type
}

func columnsOf(definition *ast.Definition, before column, way []string) []column {
	var list []column
	for _, field := range columns(definition) {
		c := column{before.name + field.Name, append(slices.Clone(before.path), field.Name), field.Type}
		inner := sdl.Types[field.Type.Name()]
		if field.Type.Elem == nil && inner.Kind == ast.Object && inner.Fields.ForName("nodes") == nil {
			if !slices.Contains(way, inner.Name) {
				c.name += "."
				list = append(list, columnsOf(inner, c, append(slices.Clone(way), inner.Name))...)
			}
			continue
		}
		list = append(list, c)
	}
	return list
}

func tabulate(definition *ast.Definition, list []any) *table {
	t := &table{Columns: []string{}, Rows: make([][]any, len(list))}
	for i := range list {
		t.Rows[i] = []any{}
	}
	for _, c := range columnsOf(definition, column{}, []string{definition.Name}) {
		cells, filled := make([]any, len(list)), false
		for i, row := range list {
			cells[i] = compact(c.of, descend(row, c.path))
			filled = filled || cells[i] != nil && cells[i] != ""
		}
		if !filled {
			continue
		}
		t.Columns = append(t.Columns, c.name)
		for i := range list {
			t.Rows[i] = append(t.Rows[i], cells[i])
		}
	}
	return t
}

func descend(value any, path []string) any {
	for _, name := range path {
		object, is := value.(map[string]any)
		if !is {
			return nil
		}
		value = object[name]
	}
	return value
}

// maxAnswer bounds the bytes of a tool's answer.
const maxAnswer = 48 << 10

// fit writes an answer in at most maxAnswer bytes: the longest table in it loses half of its rows until it fits. It
// returns false when no rows are left to cut.
func fit(answer any, tables []*table) ([]byte, bool) {
	for {
		text := encode(answer)
		if len(text) <= maxAnswer {
			return text, true
		}
		longest := slices.MaxFunc(append(tables, &table{}), func(a, b *table) int { return len(a.Rows) - len(b.Rows) })
		if len(longest.Rows) == 0 {
			return text, false
		}
		cut := (len(longest.Rows) + 1) / 2
		longest.LeftOut += cut
		longest.Rows = longest.Rows[:len(longest.Rows)-cut]
	}
}

// encode writes JSON with the & of addresses as it is.
func encode(answer any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		panic(err) // what was decoded of JSON can be encoded
	}
	return bytes.TrimSpace(text.Bytes())
}

// tablesOf are the tables inside a value.
func tablesOf(value any) []*table {
	var list []*table
	switch value := value.(type) {
	case *table:
		list = append(list, value)
		for _, row := range value.Rows {
			for _, cell := range row {
				list = append(list, tablesOf(cell)...)
			}
		}
		for _, member := range value.Besides {
			list = append(list, tablesOf(member)...)
		}
	case map[string]any:
		for _, member := range value {
			list = append(list, tablesOf(member)...)
		}
	case []any:
		for _, member := range value {
			list = append(list, tablesOf(member)...)
		}
	}
	return list
}
