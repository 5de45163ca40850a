package figures

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/postgres"
)

var (
	//go:embed ledger.sql
	ledgerSQL string
	//go:embed periods.sql
	periodsSQL string
)

// readSnapshot reads everything as of one moment; in a distributed database what each node has is of one.
var readSnapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// binaryFormat asks for values as PostgreSQL holds them.
var binaryFormat = pgx.QueryResultFormats{pgx.BinaryFormatCode}

// trustRemoved is how long after it was read a replica may be followed: rows that are no longer are told of for a day.
const trustRemoved = 12 * time.Hour

// canFollow tells whether what changed since the replica was read can be found. One that is full of rows that are no
// longer is read anew.
func (r *replica) canFollow(now time.Time) bool {
	const fewRemoved = 10_000
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.seen != "" && now.Sub(r.seenAt) < trustRemoved && r.removed <= fewRemoved+(len(r.entries)+len(r.periods))/4
}

// long lets only the context limit how long statements take.
var long = [][2]string{{"statement_timeout", "0"}, {"jit", "off"}}

// beginReading takes a snapshot of an environment within a transaction. Only the context limits how long its statements
// take.
func beginReading(ctx context.Context, tx pgx.Tx, environment int64) (seen string, err error) {
	return postgres.Snapshot(ctx, tx, environment, long)
}

// load reads the environment whole. It calls grown now and then, whose error ends it.
func (r *replica) load(ctx context.Context, pool *pgxpool.Pool, grown func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	at := time.Now()
	var seen string
	err := pgx.BeginTxFunc(ctx, pool, readSnapshot, func(tx pgx.Tx) (err error) {
		if seen, err = beginReading(ctx, tx, r.environment); err != nil {
			return err
		}
		const measureEach = 1 << 14
		read := 0
		measured := func() error {
			if read++; read%measureEach != 0 {
				return nil
			}
			r.measure()
			return grown()
		}
		if err := eachRow(ctx, tx, ledgerSQL+`revenue_ledger where environment_id = $1`, func(raw [][]byte) error {
			_, e := r.decodeEntry(raw)
			r.entries = append(r.entries, e)
			return measured()
		}, r.environment); err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		return eachRow(ctx, tx, periodsSQL+`subscription_period where environment_id = $1`, func(raw [][]byte) error {
			_, p := r.decodePeriod(raw)
			r.periods = append(r.periods, p)
			return measured()
		}, r.environment)
	})
	if err != nil {
		r.clear()
		return err
	}
	r.arrange()
	r.indexEntries()
	r.indexPeriods()
	r.seen, r.seenAt = seen, at
	r.measure()
	return grown()
}

// arrange puts rows that are read together beside each other, and notes where each is.
func (r *replica) arrange() {
	customers := len(r.persons.values) + len(r.subjects.values)
	r.entries = arranged(r.entries, groupRows(len(r.entries), customers, func(row int) int {
		return r.place(r.entries[row].customer)
	}))
	for row := range r.entries {
		r.entryRows[r.entries[row].id] = uint32(row)
	}
	r.periods = arranged(r.periods, groupRows(len(r.periods), len(r.subjects.values), func(row int) int {
		return int(r.periods[row].subject)
	}))
	for row := range r.periods {
		r.periodRow[r.periods[row].id] = uint32(row)
	}
}

func arranged[Row any](rows []Row, by groups) []Row {
	list := make([]Row, len(rows))
	for i, row := range by.order {
		list[i] = rows[row]
	}
	return list
}

// changes are what a replica lacks.
type changes struct {
	seen                           string
	entries, periods               [][][]byte
	removedEntries, removedPeriods []int64
	touches                        []personTouch
	passes                         map[string][]runOf
	lostPasses                     bool // runs were removed
}

// follow brings the replica up to what is committed.
func (r *replica) follow(ctx context.Context, reader *postgres.Reader) error {
	var c changes
	at := time.Now()
	if err := reader.Read(ctx, func(tx pgx.Tx) (err error) {
		if c.seen, err = beginReading(ctx, tx, r.environment); err != nil || c.seen == r.seen {
			return err
		}
		return r.readChanges(ctx, tx, &c, reader.Route)
	}); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.apply(&c)
	r.seen, r.seenAt = c.seen, at
	return nil
}

// unseen asks for the rows of an environment that a snapshot does not see: those of later transactions and of those
// that ran then. Each half is a range of an index that has the environment as the sum that is written here.
func unseen(columns, table string) string { return unseenBy(`changed_xid`, columns, table) }

func unseenBy(xid, columns, table string) string {
	half := columns + ` ` + table + ` where ` + postgres.OfEnvironment + ` environment_id + 0 = $1 and ` + xid + ` `
	return half + `>= pg_snapshot_xmax($2::text::pg_snapshot) union all ` +
		half + `= any (array(select pg_snapshot_xip($2::text::pg_snapshot)))`
}

func (r *replica) readChanges(
	ctx context.Context, tx pgx.Tx, c *changes, route func(sql string) string,
) error {
	keep := func(list *[][][]byte) func(raw [][]byte) error {
		return func(raw [][]byte) error {
			row := make([][]byte, len(raw))
			for i, value := range raw {
				if value != nil {
					row[i] = append([]byte{}, value...)
				}
			}
			*list = append(*list, row)
			return nil
		}
	}
	if err := eachRow(
		ctx, tx, unseen(ledgerSQL, `revenue_ledger`), keep(&c.entries), r.environment, r.seen,
	); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	if err := eachRow(
		ctx, tx, unseen(periodsSQL, `subscription_period`), keep(&c.periods), r.environment, r.seen,
	); err != nil {
		return fmt.Errorf("periods: %w", err)
	}
	if err := eachRow(
		ctx, tx, unseen(`select id, relation = 'revenue_ledger' from`, `revenue_removed`), func(raw [][]byte) error {
			if raw[1][0] != 0 {
				c.removedEntries = append(c.removedEntries, readInt(raw[0]))
			} else {
				c.removedPeriods = append(c.removedPeriods, readInt(raw[0]))
			}
			return nil
		}, r.environment, r.seen,
	); err != nil {
		return fmt.Errorf("removed rows: %w", err)
	}
	if r.hasPasses {
		if err := r.readChangedPasses(ctx, tx, c, route); err != nil {
			return fmt.Errorf("changed runs: %w", err)
		}
	}
	if !r.hasTouches {
		return nil
	}
	return eachTouch(ctx, tx, `select t.* from (`+route(unseen(touchColumns, `product_analytics_first_touch`))+`) as t
		where exists (select from revenue_ledger l
			where l.environment_id = $1 and l.app_user_id = t.app_user_id and l.app_user_id <> '')`,
		func(t personTouch) { c.touches = append(c.touches, t) }, r.environment, r.seen)
}

// readTouches reads the first touches of people that the replica does not have.
func (r *replica) readTouches(ctx context.Context, pool *pgxpool.Pool) error {
	const atOnce = 10_000
	var found []personTouch
	people := r.persons.values[len(r.touches):]
	if len(people) == 0 && r.hasTouches {
		return nil
	}
	if err := pgx.BeginTxFunc(ctx, pool, readSnapshot, func(tx pgx.Tx) error {
		for list := range slices.Chunk(people, atOnce) {
			if err := eachTouch(ctx, tx, touchColumns+` product_analytics_first_touch
				where environment_id = $1 and app_user_id = any ($2)`,
				func(t personTouch) { found = append(found, t) }, r.environment, list); err != nil {
				return fmt.Errorf("first touches: %w", err)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.touches, r.hasTouches = append(r.touches, make([]touch, len(people))...), true
	for _, t := range found {
		r.setTouch(t)
	}
	return nil
}

// apply writes changes. A row that was removed was not written in the same snapshot, or is read before it was removed.
func (r *replica) apply(c *changes) {
	for _, raw := range c.entries {
		id, e := r.decodeEntry(raw)
		put(&r.entries, r.entryRows, id, e)
	}
	for _, raw := range c.periods {
		id, p := r.decodePeriod(raw)
		put(&r.periods, r.periodRow, id, p)
	}
	void := r.traits.code(traits{})
	for _, id := range c.removedEntries {
		if row, known := r.entryRows[id]; known {
			r.entries[row].traits = void
			delete(r.entryRows, id)
			r.removed++
		}
	}
	for _, id := range c.removedPeriods {
		if row, known := r.periodRow[id]; known {
			r.periods[row].traits = void
			delete(r.periodRow, id)
			r.removed++
		}
	}
	for _, t := range c.touches {
		r.setTouch(t)
	}
	switch {
	case c.lostPasses:
		r.dropPasses()
	case len(c.passes) > 0:
		r.setPasses(c.passes)
	}
	if len(c.entries)+len(c.periods)+len(c.removedEntries)+len(c.removedPeriods) > 0 {
		r.indexEntries()
		r.indexPeriods()
		r.measure()
		r.origins = origins{}
	}
}

// eachRow calls each with the values of every row, which are valid until it returns.
func eachRow(ctx context.Context, tx pgx.Tx, sql string, each func(raw [][]byte) error, args ...any) error {
	rows, err := tx.Query(ctx, sql, append([]any{binaryFormat}, args...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.RawValues()); err != nil {
			return err
		}
	}
	return rows.Err()
}

func readInt(raw []byte) int64 {
	switch len(raw) {
	case 8:
		return int64(binary.BigEndian.Uint64(raw))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(raw)))
	}
	return 0 // null
}

// postgresEpoch is 2000-01-01 in microseconds since 1970.
const postgresEpoch = 946_684_800_000_000

// readTime returns microseconds since 1970; infinity stays at the end of the range.
func readTime(raw []byte) int64 {
	at := readInt(raw)
	if at > math.MaxInt64-postgresEpoch {
		return math.MaxInt64
	}
	return at + postgresEpoch
}

var entryKinds = map[string]kind{
	"trial": trialEntry, "originating": originatingEntry, "renewal": renewalEntry, "refund": refundEntry,
	"refund_reversal": refundReversal, "chargeback": chargebackEntry, "chargeback_reversal": chargebackEntry,
}

var periodKinds = map[string]kind{"trial": trialPeriod, "promotional": promotionalPeriod}

// decodeEntry reads a row of ledger.sql.
func (r *replica) decodeEntry(raw [][]byte) (id int64, e entry) {
	t := traits{
		kind: entryKinds[string(raw[2])], provider: codeOf(&r.names, raw[3]), store: codeOf(&r.names, raw[4]),
		product: codeOf(&r.names, raw[5]), country: codeOf(&r.names, raw[6]), unconverted: raw[7] == nil,
		tax: int32(readInt(raw[8])), taxUnknown: raw[8] == nil,
		commission: int32(readInt(raw[9])), commissionUnknown: raw[9] == nil, length: lengthOf(raw[14]),
	}
	e = entry{
		id: readInt(raw[0]), at: readTime(raw[10]), charged: readTime(raw[11]), amount: readInt(raw[7]),
		charge: uint64(readInt(raw[12])), subject: r.subjects.code(uint64(readInt(raw[13]))), traits: r.traits.code(t),
	}
	e.customer = r.customerOf(raw[1], e.subject)
	return e.id, e
}

// decodePeriod reads a row of periods.sql.
func (r *replica) decodePeriod(raw [][]byte) (id int64, p period) {
	kind, special := periodKinds[string(raw[2])]
	if !special {
		kind = paidPeriod
	}
	t := traits{
		kind: kind, provider: codeOf(&r.names, raw[3]), store: codeOf(&r.names, raw[4]), product: codeOf(&r.names, raw[5]),
		country: codeOf(&r.names, raw[6]), unconverted: raw[7] == nil, autoRenew: raw[8][0] != 0, length: lengthOf(raw[14]),
	}
	p = period{
		id: readInt(raw[0]), starts: readTime(raw[9]), ends: readTime(raw[10]), accessEnd: readTime(raw[11]),
		amount: readInt(raw[7]), key: uint64(readInt(raw[12])), subject: r.subjects.code(uint64(readInt(raw[13]))),
		whole: int64(math.Float64frombits(binary.BigEndian.Uint64(raw[14])) * 1_000_000), traits: r.traits.code(t),
	}
	p.customer = r.customerOf(raw[1], p.subject)
	return p.id, p
}

func (r *replica) customerOf(person []byte, subject uint32) customer {
	if len(person) == 0 {
		return nobody + customer(subject)
	}
	return customer(codeOf(&r.persons, person))
}

// longerThan are the days from which on a period is of the next length.
var longerThan = []float64{2, 5, 11, 22, 46, 76, 136, 271}

// lengthOf returns the place among PeriodLengths, from 1, of a length in seconds; 0 without one.
func lengthOf(seconds []byte) uint8 {
	if seconds == nil {
		return 0
	}
	days := math.Float64frombits(binary.BigEndian.Uint64(seconds)) / 86_400
	place := uint8(1)
	for _, from := range longerThan {
		if days >= from {
			place++
		}
	}
	return place
}

// personTouch is the first touch of a person.
type personTouch struct {
	person string
	seen   int64
	input  channel.Input
}

const touchColumns = `select app_user_id, first_seen_at, source, medium, referrer_host, platform, organic,
	organic_unknown from`

// eachTouch reads first touches of touchColumns.
func eachTouch(ctx context.Context, tx pgx.Tx, sql string, each func(t personTouch), args ...any) error {
	return eachRow(ctx, tx, sql, func(raw [][]byte) error {
		each(personTouch{string(raw[0]), readTime(raw[1]), channel.Input{
			Source: string(raw[2]), Medium: string(raw[3]), ReferrerHost: string(raw[4]), Platform: string(raw[5]),
			Organic: raw[6][0] != 0, OrganicUnknown: raw[7][0] != 0,
		}})
		return nil
	}, args...)
}

func (r *replica) setTouch(t personTouch) {
	code, known := r.persons.codes[t.person]
	if !known || int(code) >= len(r.touches) {
		return // whoever is new is read when somebody asks
	}
	r.touches[code] = touch{seen: t.seen, channel: r.channelOf(t.input), isKnown: true}
}
