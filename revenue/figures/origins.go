package figures

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// release is what a run was served: a version, and an arm if it took part in an experiment.
type release struct {
	version, experiment session.Key
	variant             string
}

// arm names an arm of an experiment as breakdowns and filters do; empty without an experiment.
func (r *release) arm() string {
	if r.experiment == (session.Key{}) {
		return ""
	}
	return uuid.UUID(r.experiment).String() + "/" + r.variant
}

func (r *release) versionID() string {
	if r.version == (session.Key{}) {
		return ""
	}
	return uuid.UUID(r.version).String()
}

// pass is a run of a person, as far as it matters to whom money belongs.
type pass struct {
	start   int64 // milliseconds since 1970
	key     frame.Key
	release uint32 // code
	surface bool   // it presented one
}

// passBytes is the memory of a pass, and of the list that it is in.
const passBytes = 64

// origins are the releases that subscriptions and single charges came from.
type origins struct {
	window    time.Duration // in which money belongs to a run; 0 before they were found
	bySubject []uint32      // releases
}

// readPasses reads the runs of people that the replica does not have.
func (r *replica) readPasses(ctx context.Context, pool *pgxpool.Pool) error {
	people := r.persons.values[len(r.passes):]
	if len(people) == 0 && r.hasPasses {
		return nil
	}
	found := map[string][]runOf{}
	if err := pgx.BeginTxFunc(ctx, pool, readSnapshot, func(tx pgx.Tx) error {
		if _, err := beginReading(ctx, tx, r.environment); err != nil {
			return err
		}
		return readRuns(ctx, tx, r.environment, people, found)
	}); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.measure()
	r.passes, r.hasPasses = append(r.passes, make([][]pass, len(people))...), true
	r.setPasses(found)
	return nil
}

// runOf is a run and what it was served.
type runOf struct {
	pass
	release release
}

// readRuns reads the runs of people.
func readRuns(
	ctx context.Context, tx pgx.Tx, environment int64, people []string, found map[string][]runOf,
) error {
	const atOnce = 10_000
	for list := range slices.Chunk(people, atOnce) {
		if err := eachRow(ctx, tx, `
			select app_user_id, flow_id, run_key, derived, hits, contexts from flow_run
			where environment_id = $1 and app_user_id = any ($2)`, func(raw [][]byte) error {
			row := run.Row{Person: string(raw[0]), Derived: raw[3][0] != 0, Hits: raw[4], Contexts: raw[5]}
			copy(row.Flow[:], raw[1])
			copy(row.Key[:], raw[2])
			runs, err := row.Runs(func(int32) string { return "" }) // only hits of one moment are ordered by texts
			if err != nil {
				return err
			}
			for i := range runs {
				found[row.Person] = append(found[row.Person], readRun(&runs[i]))
			}
			return nil
		}, environment, list); err != nil {
			return fmt.Errorf("runs: %w", err)
		}
	}
	return nil
}

func readRun(r *run.Run) runOf {
	return runOf{
		pass: pass{start: r.StartedAt, key: frame.RunKey(r), surface: slices.ContainsFunc(r.Hits, func(h run.Hit) bool {
			return h.Name == run.SurfacePresented
		})},
		release: release{r.Release.Version, r.Release.Experiment, r.Release.Variant},
	}
}

// setPasses replaces the runs of people, in the order in which reports of flows have them.
func (r *replica) setPasses(found map[string][]runOf) {
	for person, runs := range found {
		code, known := r.persons.codes[person]
		if !known || int(code) >= len(r.passes) {
			continue // whoever is new is read when somebody asks
		}
		slices.SortFunc(runs, func(a, b runOf) int {
			return cmp.Or(cmp.Compare(a.start, b.start), bytes.Compare(a.key[:], b.key[:]))
		})
		list := make([]pass, len(runs))
		for i, one := range runs {
			list[i] = one.pass
			list[i].release = r.releases.code(one.release)
		}
		r.passCount += len(list) - len(r.passes[code])
		r.passes[code] = list
	}
	r.origins = origins{}
}

// readChangedPasses reads the runs of people of whose runs one has changed. Where runs were removed, all are read anew
// when somebody asks.
func (r *replica) readChangedPasses(
	ctx context.Context, tx pgx.Tx, c *changes, route func(sql string) string,
) error {
	if err := tx.QueryRow(ctx, `select exists (`+route(unseenBy(`xid`, `select from`, `frame_invalidated`))+`)`,
		r.environment, r.seen).Scan(&c.lostPasses); err != nil || c.lostPasses {
		return err
	}
	var people []string
	changed := route(unseen(`select app_user_id from`, `flow_run`))
	if err := eachRow(ctx, tx, `select distinct app_user_id from (`+changed+`) as f
		where exists (select from revenue_ledger l
			where l.environment_id = $1 and l.app_user_id = f.app_user_id and l.app_user_id <> '')`,
		func(raw [][]byte) error {
			people = append(people, string(raw[0]))
			return nil
		}, r.environment, r.seen); err != nil {
		return err
	}
	c.passes = map[string][]runOf{}
	return readRuns(ctx, tx, r.environment, people, c.passes)
}

// dropPasses forgets all runs.
func (r *replica) dropPasses() {
	r.passes, r.passCount, r.hasPasses, r.origins = nil, 0, false, origins{}
	r.releases = newDictionary[release]()
	r.releases.code(release{}) // the code of none is 0
}

// findOrigins finds the release of each subject: that of the run which its first trial or charge belongs to, by the
// rule of reports of flows.
func (r *replica) findOrigins(window time.Duration) {
	if window == 0 || r.origins.window == window {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	first := make([]uint32, len(r.subjects.values)) // row of the first, from 1
	for row := range r.entries {
		e := &r.entries[row]
		if k := r.traits.values[e.traits].kind; k != trialEntry && !k.isCharge() {
			continue
		}
		if of := &first[e.subject]; *of == 0 || e.before(&r.entries[*of-1]) {
			*of = uint32(row) + 1
		}
	}
	r.origins = origins{window, make([]uint32, len(first))}
	for subject, row := range first {
		if row > 0 {
			r.origins.bySubject[subject] = r.releaseOf(&r.entries[row-1], window)
		}
	}
}

func (e *entry) before(other *entry) bool {
	return cmp.Or(cmp.Compare(e.at, other.at), cmp.Compare(e.charge, other.charge)) < 0
}

// releaseOf returns the release of the run that a charge belongs to: of the runs of the same person that started at or
// before it, less than the window before, the latest that presented a surface, else the latest.
func (r *replica) releaseOf(e *entry, window time.Duration) (found uint32) {
	if e.customer >= nobody || int(e.customer) >= len(r.passes) {
		return 0
	}
	at, withSurface := e.at/1000, false
	for _, p := range r.passes[e.customer] {
		if p.start > at || at >= p.start+window.Milliseconds() {
			continue
		}
		if p.surface || !withSurface {
			found, withSurface = p.release, p.surface
		}
	}
	return found
}
