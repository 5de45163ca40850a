package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
)

// checkEach is how many rows are read between two looks at the memory that they take.
const checkEach = 64

// intake moves sessions from a query into a builder. Sessions that use names the builder does not know
// wait until the names are read, after the sessions: they were written before.
type intake struct {
	store   *Store
	builder *frame.Builder
	waiting []frame.Session
	missing map[uint32]bool
	held    gauge // of the builder
}

// rows adds the sessions of a query of sessionColumns. It calls check every now and then, whose error
// ends the reading.
func (in *intake) rows(rows pgx.Rows, check func() error) error {
	defer rows.Close()
	var session frame.Session
	for n := 1; rows.Next(); n++ {
		if err := decodeSession(rows.RawValues(), &session); err != nil {
			return err
		}
		if n%checkEach == 1 {
			in.store.progressed()
		}
		if ids := in.builder.Missing(session.Hits); len(ids) > 0 {
			if in.missing == nil {
				in.missing = map[uint32]bool{}
			}
			for _, id := range ids {
				in.missing[id] = true
			}
			in.waiting = append(in.waiting, clone(&session))
			continue
		}
		in.builder.Add(&session)
		if n%checkEach == 0 {
			in.held.set(in.builder.Bytes())
			if err := check(); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}

// late adds the sessions that wait for names; set announces those.
func (in *intake) late(ctx context.Context, q querier, environment int64, set func([]frame.NameRow)) error {
	if len(in.waiting) == 0 {
		return nil
	}
	ids := make([]uint32, 0, len(in.missing))
	for id := range in.missing {
		ids = append(ids, id)
	}
	names, err := readNames(ctx, q, environment, ids)
	if err != nil {
		return err
	}
	set(names)
	in.builder.RefreshNames()
	for i := range in.waiting {
		in.builder.Add(&in.waiting[i])
	}
	in.waiting, in.missing = nil, nil
	in.held.set(in.builder.Bytes())
	return nil
}
