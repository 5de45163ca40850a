package flowreport

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/runlog"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
)

// versionsKept is how many versions are remembered, each some kilobytes.
const versionsKept = 1_000

// Version is what reports take from the manifest of a version.
type Version struct {
	Graph     flow.Graph
	Questions []runlog.Question
}

// Versions reads the manifests of versions, which never change, once.
type Versions struct {
	kept *lru.Cache[uuid.UUID, *Version]
	read func(ctx context.Context, id uuid.UUID) (json.RawMessage, error)
}

// NewVersions returns Versions that read a manifest by read.
func NewVersions(read func(ctx context.Context, id uuid.UUID) (json.RawMessage, error)) *Versions {
	kept, err := lru.New[uuid.UUID, *Version](versionsKept)
	if err != nil {
		panic(err) // only of a size that is not positive
	}
	return &Versions{kept, read}
}

// Of returns what reports take from a version.
func (v *Versions) Of(ctx context.Context, id uuid.UUID) (*Version, error) {
	if known, ok := v.kept.Get(id); ok {
		return known, nil
	}
	raw, err := v.read(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the manifest of version %s: %w", id, err)
	}
	version := &Version{Graph: flow.Graph{Version: session.Key(id)}}
	// A version has passed the gates of its time, so one that can't be read is of rules that came later: its runs count,
	// with their steps by id.
	if m, _ := manifest.Parse(raw); m != nil {
		version.Graph = flow.NewGraph(session.Key(id), m)
		for _, field := range m.Fields() {
			version.Questions = append(version.Questions, runlog.Question{
				Key: field.Key, StepID: field.ScreenID, Kind: field.Kind,
			})
		}
	}
	v.kept.Add(id, version)
	return version, nil
}
