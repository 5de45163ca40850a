package store

import (
	"context"
	"maps"
	"slices"
)

// checkEach is how many rows are read between two looks at the memory that they take.
const checkEach = 64

// intake moves rows of a table into a builder. Rows that use names the builder does not know wait until the names are
// read, after the rows: they were written before.
type intake struct {
	table    *table
	builder  builder
	progress func()
	memory   gauge // of the builder

	rows    int
	waiting []row
	missing map[int32]bool
}

// add adds a row.
func (in *intake) add(raw [][]byte) error {
	if err := in.builder.decode(raw); err != nil {
		return err
	}
	if in.rows%checkEach == 0 {
		in.progress()
		in.memory.set(in.builder.Bytes())
	}
	in.rows++
	ids := in.builder.missing()
	if len(ids) == 0 {
		in.builder.add()
		return nil
	}
	if in.missing == nil {
		in.missing = map[int32]bool{}
	}
	for _, id := range ids {
		in.missing[id] = true
	}
	in.waiting = append(in.waiting, in.builder.copy())
	return nil
}

// addWaiting adds the rows that wait for names; set announces those.
func (in *intake) addWaiting(ctx context.Context, q querier, environment int64, set func([]name)) error {
	if len(in.waiting) == 0 {
		return nil
	}
	names, err := in.table.readNames(ctx, q, environment, slices.Collect(maps.Keys(in.missing)))
	if err != nil {
		return err
	}
	set(names)
	in.builder.RefreshNames()
	for _, waiting := range in.waiting {
		if err := in.builder.addRow(waiting); err != nil {
			return err
		}
	}
	in.waiting, in.missing = nil, nil
	in.memory.set(in.builder.Bytes())
	return nil
}
