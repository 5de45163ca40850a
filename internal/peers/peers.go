// Package peers lets the servers of one database know of each other: which roles each has, and which keys come near
// their rate limits, so that a limit is one for all servers. Each has a row of its own, which it writes anew twice a
// second in the statement that reads those of the others. A server that loses the database goes on by its own counts,
// and one that is not seen any more frees its share.
package peers

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/ratelimit"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/internal/service"
)

const (
	// every is how long after one exchange the next one begins: what a server let pass is known to the others in twice
	// that and the time of two statements, which is within a second.
	every = 400 * time.Millisecond
	// patience is how long an exchange may take.
	patience = time.Second
	// seenFor is how long a server counts that is not heard of any more.
	seenFor = 3 * time.Second
	// sweepEvery is how often rows of servers are removed that ended without removing theirs.
	sweepEvery = time.Minute
	// missingFor is how long a role is missing until it is said: servers start and end one after the other.
	missingFor = 10 * time.Second
	// mostKeys is of how many keys of each limit the others are told, those with most requests first.
	mostKeys = 256
)

// Options are what a server tells of itself.
type Options struct {
	Roles role.Set
	// Limits are shared with the other servers, which have them in the same order. Nil is no limit.
	Limits []*ratelimit.Limiter
	Logger *slog.Logger     // nil means slog.Default()
	Now    func() time.Time // nil means time.Now
}

// Peers is the service that knows the other servers.
type Peers struct {
	pool   *pgxpool.Pool
	id     uuid.UUID
	roles  role.Set
	limits []*ratelimit.Limiter
	log    *slog.Logger
	now    func() time.Time
	loops  service.Loops

	missing atomic.Pointer[role.Set]
	// What follows belongs to the loop.
	heard   time.Time // when the others were heard of last
	swept   time.Time
	lost    bool      // the database, and it was said
	lacking time.Time // since when a role is missing; zero while none is
	said    bool      // that a role is missing
}

// New returns the peers of a server of a migrated database.
func New(pool *pgxpool.Pool, options Options) *Peers {
	p := &Peers{
		pool: pool, id: uuid.New(), roles: options.Roles, limits: options.Limits, log: options.Logger, now: options.Now,
	}
	if p.log == nil {
		p.log = slog.Default()
	}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// Start makes the server known and begins to listen to the others. It never fails: while the database is away a server
// is alone.
func (p *Peers) Start(ctx context.Context) error {
	p.look(ctx)
	p.loops.Go(func(ctx context.Context) {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				p.look(ctx)
			}
		}
	})
	return nil
}

// Stop tells the others that the server ends.
func (p *Peers) Stop(ctx context.Context) error {
	err := p.loops.Stop(ctx)
	leaving, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// Without the database the others find out by themselves.
	_, _ = p.pool.Exec(leaving, `delete from servers where id = $1`, p.id)
	return err
}

// Missing returns the roles that no server of the database has, as far as this one knows.
func (p *Peers) Missing() role.Set {
	if missing := p.missing.Load(); missing != nil {
		return *missing
	}
	return nil
}

// look exchanges what there is to tell, or forgets the others when that failed for too long.
func (p *Peers) look(ctx context.Context) {
	now := p.now()
	others, err := p.exchange(ctx)
	switch {
	case err == nil:
		p.heard, p.lost = now, false
		p.hear(others)
		p.judge(others, now)
		p.sweep(ctx, now)
	case ctx.Err() != nil || now.Sub(p.heard) < seenFor:
	case !p.lost:
		p.lost = true
		p.hear(nil)
		p.log.Warn("other servers are not heard of: rate limits count what this one lets pass", "error", err)
	}
}

// other is what another server tells of itself.
type other struct {
	Roles []string
	Rates []byte
}

// exchange writes the row of this server and reads those of the others.
func (p *Peers) exchange(ctx context.Context) ([]other, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rows, err := p.pool.Query(ctx, `
		with mine as (
			insert into servers (id, seen_at, roles, rates) values ($1, clock_timestamp(), $2, $3)
			on conflict (id) do update set seen_at = excluded.seen_at, roles = excluded.roles, rates = excluded.rates
		)
		select roles, rates from servers where id <> $1 and seen_at > clock_timestamp() - $4::interval`,
		p.id, p.roles.Names(), p.tell(), seenFor)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[other])
}

// sizeOfRate is how many bytes tell of a key: the number of its limit, its hash and its requests.
const sizeOfRate = 1 + 8 + 4

// tell writes down which keys come near their limits.
func (p *Peers) tell() []byte {
	told := []byte{}
	for i, limit := range p.limits {
		for _, r := range limit.Near(mostKeys) {
			told = append(told, byte(i))
			told = binary.LittleEndian.AppendUint64(told, r.Key)
			told = binary.LittleEndian.AppendUint32(told, uint32(min(r.N, 1<<31)))
		}
	}
	return told
}

// hear tells the limits what the others let pass. What a server tells that this one does not understand is left out.
func (p *Peers) hear(others []other) {
	rates := make([][]ratelimit.Rate, len(p.limits))
	for _, o := range others {
		for told := range slices.Chunk(o.Rates, sizeOfRate) {
			if len(told) == sizeOfRate && int(told[0]) < len(rates) {
				rates[told[0]] = append(rates[told[0]], ratelimit.Rate{
					Key: binary.LittleEndian.Uint64(told[1:]), N: int(binary.LittleEndian.Uint32(told[9:])),
				})
			}
		}
	}
	for i, limit := range p.limits {
		limit.Heard(rates[i], len(others)+1)
	}
}

// judge finds the roles that nobody has, and says so when that lasts.
func (p *Peers) judge(others []other, now time.Time) {
	missing := p.roles.Lacks()
	for _, o := range others {
		missing = slices.DeleteFunc(missing, func(r role.Role) bool { return slices.Contains(o.Roles, string(r)) })
	}
	p.missing.Store(&missing)
	switch {
	case len(missing) == 0:
		if p.said {
			p.log.Info("every role has a server again")
		}
		p.lacking, p.said = time.Time{}, false
	case p.lacking.IsZero():
		p.lacking = now
	case !p.said && now.Sub(p.lacking) >= missingFor:
		p.said = true
		p.log.Warn("no server of this database has some roles: nobody does their work", "roles", missing)
	}
}

// sweep removes what servers left behind that were killed.
func (p *Peers) sweep(ctx context.Context, now time.Time) {
	if now.Sub(p.swept) < sweepEvery {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := p.pool.Exec(ctx, `delete from servers where seen_at < clock_timestamp() - $1::interval`, sweepEvery)
	if err == nil {
		p.swept = now
	} else if !errors.Is(err, context.Canceled) {
		p.log.Warn("removing servers that ended failed", "error", err)
	}
}
