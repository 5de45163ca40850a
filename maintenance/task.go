package maintenance

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// task is work that comes back. A run of it consists of batches, and between
// two batches other tasks have their turn.
type task struct {
	name  string        // label of the metrics
	every time.Duration // from the end of a run to the next one
	begin func(now time.Time) batch
}

// batch does the next part of a run on the leader's connection. It says how many
// rows it wrote or removed, and whether more is left to do.
type batch func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error)

// schedule is when a task has its next turn, and the run that it is in.
type schedule struct {
	task
	due   time.Time
	next  batch     // nil between two runs
	began time.Time // of the run
	rows  int64     // of the run
}

// earliest returns the turn that is due first.
func earliest(turns []*schedule) *schedule {
	first := turns[0]
	for _, t := range turns[1:] {
		if t.due.Before(first.due) {
			first = t
		}
	}
	return first
}
