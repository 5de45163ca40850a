package sticky

import (
	"context"
	"time"
)

const (
	// recount is how often the new units of an environment's day are counted.
	recount = time.Minute
	// recountAfter is how many new units of this server make it count earlier.
	recountAfter = 50_000
	// countPatience is how long a count may take; without it the one before holds.
	countPatience = 2 * time.Second
)

// day is how much room an environment has on a UTC day.
type day struct {
	date    time.Time
	stored  int       // by the last count
	since   int       // written by this server since
	counted time.Time // when the last count began
	leftOut int64     // not written down yet
}

// hasRoom tells whether new units of an environment may be remembered. One request a minute counts those of all servers
// first, the others go by the count before.
func (k *Keeper) hasRoom(ctx context.Context, environment int64, date time.Time) bool {
	now := k.options.Now()
	k.mu.Lock()
	d := k.days[environment]
	if d == nil || !d.date.Equal(date) {
		var missed int64
		if d != nil {
			missed = d.leftOut
		}
		d = &day{date: date, leftOut: missed}
		k.days[environment] = d
	}
	due := now.Sub(d.counted) >= recount || d.since >= recountAfter
	missed := d.leftOut
	if due {
		d.counted, d.leftOut = now, 0
	}
	k.mu.Unlock()
	if due {
		k.count(ctx, environment, d, missed)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return d.stored+d.since < k.options.UnitsPerDay
}

// count reads how many units of the day there are, and writes down how many found no room.
func (k *Keeper) count(ctx context.Context, environment int64, d *day, missed int64) {
	// Whoever counts many waits longer than for an arm, once.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countPatience)
	defer cancel()
	var stored int
	err := k.pool.QueryRow(ctx, `select count(*) from (
		select from experiment_unit where day = $2 and environment_id = $1 limit $3) as today`,
		environment, d.date, k.options.UnitsPerDay).Scan(&stored)
	if err == nil && missed > 0 {
		_, err = k.pool.Exec(ctx, `
			insert into experiment_served_count as c (environment_id, day, people, left_out) values ($1, $2, 0, $3)
			on conflict (environment_id, day) do update set left_out = c.left_out + excluded.left_out`,
			environment, d.date, missed)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		d.leftOut += missed // the next count tries again
		return
	}
	d.stored, d.since = stored, 0
}

// note counts units that this server wrote.
func (k *Keeper) note(environment int64, date time.Time, added int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d := k.days[environment]; d != nil && d.date.Equal(date) {
		d.since += added
	}
}
