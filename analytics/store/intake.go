package store

import (
	"context"
	"maps"
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
)

// checkEach is how many rows are read between two looks at the memory that they take.
const checkEach = 64

// intake moves rows of sessionColumns into a builder. Sessions that use names the builder does not know
// wait until the names are read, after the sessions: they were written before.
type intake struct {
	builder  *frame.Builder
	progress func()
	memory   gauge // of the builder

	rows    int
	session frame.Session // of the latest row
	waiting []frame.Session
	missing map[uint32]bool
}

// add adds the session of a row.
func (in *intake) add(raw [][]byte) error {
	if err := decodeSession(raw, &in.session); err != nil {
		return err
	}
	if in.rows%checkEach == 0 {
		in.progress()
		in.memory.set(in.builder.Bytes())
	}
	in.rows++
	ids := in.builder.Missing(in.session.Hits)
	if len(ids) == 0 {
		in.builder.Add(&in.session)
		return nil
	}
	if in.missing == nil {
		in.missing = map[uint32]bool{}
	}
	for _, id := range ids {
		in.missing[id] = true
	}
	in.waiting = append(in.waiting, clone(&in.session))
	return nil
}

// addWaiting adds the sessions that wait for names; set announces those.
func (in *intake) addWaiting(ctx context.Context, q querier, environment int64, set func([]frame.NameRow)) error {
	if len(in.waiting) == 0 {
		return nil
	}
	names, err := readNames(ctx, q, environment, slices.Collect(maps.Keys(in.missing)))
	if err != nil {
		return err
	}
	set(names)
	in.builder.RefreshNames()
	for i := range in.waiting {
		in.builder.Add(&in.waiting[i])
	}
	in.waiting, in.missing = nil, nil
	in.memory.set(in.builder.Bytes())
	return nil
}
