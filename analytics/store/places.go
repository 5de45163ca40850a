package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/turns"
	"github.com/svc-dev/svc/postgres"
)

// places are a pool of workers that all workspaces share, turn by turn: however much one has asked for, the next place
// is another's who waits.
type places struct {
	store *Store
	turns *turns.Turns[uuid.UUID]
}

// newPlaces makes a pool of which one workspace has at most share.
func (s *Store) newPlaces(all, share int) places { return places{s, turns.New[uuid.UUID](all, share)} }

// take waits for a place for an environment and returns what gives it back. It fails with the cause of ctx's end.
func (p places) take(ctx context.Context, environment int64) (leave func(), err error) {
	workspace, err := p.store.workspaceOf(ctx, environment)
	if err != nil {
		return nil, err
	}
	return p.turns.Take(ctx, workspace)
}

// workspaceOf returns whose turn the work for an environment takes. It is remembered while the environment is open.
func (s *Store) workspaceOf(ctx context.Context, environment int64) (uuid.UUID, error) {
	s.mu.Lock()
	workspace, known := s.workspaces[environment]
	s.mu.Unlock()
	if known {
		return workspace, nil
	}
	workspace, err := postgres.WorkspaceOf(ctx, s.pool, environment)
	if err != nil {
		return uuid.Nil, err
	}
	s.mu.Lock()
	s.workspaces[environment] = workspace
	s.mu.Unlock()
	return workspace, nil
}
