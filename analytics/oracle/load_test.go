package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/world"
	"github.com/svc-dev/svc/internal/mapped"
)

// load folds the world in random batches into an environment: some at first, the rest as changes.
func load(t *rapid.T, s world.Scenario) *frame.View {
	l := &loader{env: frame.NewDataset()}
	return l.load(t, s)
}

// loader loads an engine.
type loader struct {
	store oracle.Store
	env   *frame.Dataset
}

func (l *loader) load(t *rapid.T, s world.Scenario) *frame.View {
	env := l.env
	env.OpenFloor = rapid.IntRange(0, 3).Draw(t, "open floor")
	l.ingest(t, s.World.Hits)
	env.SetFlowNames(oracle.FlowNames())
	for i := range s.World.Runs {
		row := s.World.Runs[i].RunRow(i)
		if !env.Has(frame.Runs, row.HomeDay) {
			env.Put(frame.Runs, row.HomeDay, env.NewRunBuilder().Seal())
		}
		env.UpsertRuns([]frame.RunRow{row})
	}
	if half := len(s.World.Purchases) / 2; rapid.Bool().Draw(t, "purchases at once") {
		env.SetPurchases(s.World.Purchases)
	} else {
		env.SetPurchases(s.World.Purchases[:half])
		env.UpsertPurchases(s.World.Purchases[half:])
	}
	if rapid.Bool().Draw(t, "saved") {
		saveSessions(t, env)
	}
	return env.View(math.MinInt32, math.MaxInt32)
}

// ingest takes hits that arrive, and returns what is known then.
func (l *loader) ingest(t *rapid.T, hits []oracle.Hit) *frame.View {
	for len(hits) > 0 {
		n := rapid.IntRange(1, len(hits)).Draw(t, "batch")
		l.store.Fill(l.env, l.store.Ingest(hits[:n]))
		hits = hits[n:]
		if rapid.Bool().Draw(t, "look") {
			l.env.View(math.MinInt32, math.MaxInt32)
		}
	}
	return l.env.View(math.MinInt32, math.MaxInt32)
}

// saveSessions moves what is sealed of the sessions into files, and leaves what replaces rows of it in memory.
func saveSessions(t *rapid.T, env *frame.Dataset) {
	for _, f := range env.View(math.MinInt32, math.MaxInt32).Frames {
		path := filepath.Join(os.TempDir(), fmt.Sprintf("svc-oracle-%d-%d", os.Getpid(), files.Add(1)))
		to, err := os.Create(path)
		require.NoError(t, err)
		e := frame.NewEncoder(to, frame.PartFile)
		env.SavePart(f.Sealed, e)
		length, _, err := e.Close()
		require.NoError(t, errors.Join(err, to.Close()))
		file, err := mapped.Open(path, length)
		require.NoError(t, errors.Join(err, os.Remove(path)))
		saved := *f
		saved.Sealed, err = frame.OpenPart(file)
		require.NoError(t, err)
		require.True(t, env.PutFrame(frame.Sessions, f, &saved))
	}
}

var files atomic.Int64

// portioned is a world that is read a few visitors at a time.
type portioned struct {
	root      *frame.Dataset
	groups    [][]string
	sessions  map[string][]frame.Session
	touches   map[string]frame.FirstTouch
	purchases map[string][]frame.Purchase
	runs      map[string][]frame.RunRow
}

// portions deals the visitors of a world out to portions.
func portions(t *rapid.T, s world.Scenario) *portioned {
	var store oracle.Store
	store.Ingest(s.World.Hits)
	p := &portioned{
		root: frame.NewDataset(), groups: make([][]string, rapid.IntRange(1, 4).Draw(t, "portions")),
		sessions: map[string][]frame.Session{}, touches: map[string]frame.FirstTouch{},
		purchases: map[string][]frame.Purchase{}, runs: map[string][]frame.RunRow{},
	}
	p.root.SetNames(store.Names.Rows())
	p.root.SetFlowNames(oracle.FlowNames())
	visitors := map[string]bool{}
	for _, x := range store.Sessions() {
		visitors[x.Visitor] = true
		p.sessions[x.Visitor] = append(p.sessions[x.Visitor], x)
	}
	for _, touch := range store.FirstTouches() {
		p.touches[touch.Visitor] = touch
	}
	for _, purchase := range s.World.Purchases {
		visitors[purchase.Visitor] = true
		p.purchases[purchase.Visitor] = append(p.purchases[purchase.Visitor], purchase)
	}
	for i := range s.World.Runs {
		row := s.World.Runs[i].RunRow(i)
		visitors[row.Run.Person] = true
		p.runs[row.Run.Person] = append(p.runs[row.Run.Person], row)
	}
	for _, visitor := range slices.Sorted(maps.Keys(visitors)) {
		to := rapid.IntRange(0, len(p.groups)-1).Draw(t, "portion of "+visitor)
		p.groups[to] = append(p.groups[to], visitor)
	}
	return p
}

func (p *portioned) View() *frame.View { return p.root.View(math.MinInt32, math.MaxInt32) }

func (p *portioned) Each(_ context.Context, visit func(*frame.View) error) error {
	for _, visitors := range p.groups {
		portion := p.root.Portion()
		builder, runs := portion.NewBuilder(), portion.NewRunBuilder()
		var purchases []frame.Purchase
		for _, visitor := range visitors {
			if touch, seen := p.touches[visitor]; seen {
				portion.SetFirstTouch(&touch)
			}
			for _, x := range p.sessions[visitor] {
				builder.Add(&x)
			}
			for _, row := range p.runs[visitor] {
				runs.Add(&row)
			}
			purchases = append(purchases, p.purchases[visitor]...)
		}
		portion.SetPurchases(purchases)
		portion.Put(frame.Sessions, 0, builder.Seal())
		portion.Put(frame.Runs, 0, runs.Seal())
		if err := visit(portion.View(math.MinInt32, math.MaxInt32)); err != nil {
			return err
		}
	}
	return nil
}
