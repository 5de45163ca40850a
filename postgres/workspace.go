package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// WorkspaceOf returns the workspace of an environment, which never changes; the zero one when there is no such
// environment. It is whom a place of a pool of workers is taken for.
func WorkspaceOf(ctx context.Context, q querier, environment int64) (id uuid.UUID, err error) {
	if err := q.QueryRow(ctx, `
		select coalesce((select p.workspace_id from environments e join apps p on p.id = e.app_id where e.id = $1),
			'00000000-0000-0000-0000-000000000000')`, environment).Scan(&id); err != nil {
		return uuid.Nil, fmt.Errorf("read the workspace of an environment: %w", err)
	}
	return id, nil
}
