// Package simulation reads the newest runs of a flow and replays them through its draft and through its newest version
// (manifest/simulate has the rules).
package simulation

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/runlog"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/simulate"
)

// The numbers of runs that a simulation may ask for.
const (
	DefaultRuns = 10_000
	MaxRuns     = 100_000
)

// maxVersions is how many versions are read that the runs were made in: those of the newest runs. How runs of other
// versions left a screen is told by the draft alone.
const maxVersions = 30

// Beginner starts transactions, several at once: a pool.
type Beginner interface {
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// Input says what is simulated.
type Input struct {
	Reader    *runlog.Reader
	DB        Beginner
	Runs      int
	Draft     *manifest.Manifest
	Published *manifest.Manifest // newest version; nil without one
	// Version reads a version; nil when there is none of the id.
	Version func(ctx context.Context, id session.Key) (*manifest.Manifest, error)
	Now     time.Time
	Lapse   time.Duration
}

// Result is what the same runs do in a draft and in the newest version.
type Result struct {
	Runs, Users int64
	First, Last *time.Time // starts of the oldest and the newest run; nil without any
	Complete    bool       // false when reading reached its bound before it had as many runs as were asked for
	Draft       *simulate.Shares
	Published   *simulate.Shares // nil without a version
}

// Run simulates.
func Run(ctx context.Context, in Input) (*Result, error) {
	typed := simulate.Reads(in.Draft)
	if in.Published != nil {
		maps.Copy(typed, simulate.Reads(in.Published))
	}
	recorded, err := in.Reader.Recorded(ctx, in.DB, in.Runs, typed, in.Now, in.Lapse)
	if err != nil {
		return nil, err
	}
	versions := make([]*simulate.Flow, len(recorded.Versions))
	for i, id := range recorded.Versions[:min(len(recorded.Versions), maxVersions)] {
		version, err := in.Version(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("read a version: %w", err)
		}
		if version != nil {
			versions[i] = simulate.Compile(version, recorded.Runs)
		}
	}
	result := &Result{Complete: recorded.Complete}
	if recorded.Len() > 0 {
		result.First, result.Last = &recorded.First, &recorded.Last
	}
	if result.Draft, err = simulate.Compile(in.Draft, recorded.Runs).Simulate(ctx, versions); err != nil {
		return nil, err
	}
	result.Runs, result.Users = result.Draft.Runs, result.Draft.Users
	if in.Published != nil {
		result.Published, err = simulate.Compile(in.Published, recorded.Runs).Simulate(ctx, versions)
	}
	return result, err
}
