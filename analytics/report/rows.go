package report

// TableOf returns a page of rows that a report has whole. Columns are those that may order it, by default the first;
// figure returns a row's value in a column, nil for null. Key is unique: ties go by its bytes, and a search looks at
// it. The error names the field of the page that is wrong.
func TableOf[R any](
	rows []R, p Page, columns []Metric, figure func(row *R, column Metric) *float64, key func(row *R) string,
) (*Table[R], error) {
	ids := make([]uint32, len(rows))
	for i := range ids {
		ids[i] = uint32(i)
	}
	return tableOf[R]{
		ids: ids, order: columns[0], metrics: columns,
		number: func(id uint32, column Metric) number {
			if value := figure(&rows[id], column); value != nil {
				return number{float: *value}
			}
			return number{null: true}
		},
		key:    func(id uint32) string { return key(&rows[id]) },
		search: func(id uint32) []string { return []string{key(&rows[id])} },
		row:    func(id uint32) R { return rows[id] },
	}.page(p)
}
