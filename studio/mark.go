package studio

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent/environment"
)

// MarkKind is what a mark of charts stands for, as the audit trail calls it.
type MarkKind string

// The kinds: changes that people see in figures, and events that were refused.
const (
	FlowPublished      MarkKind = "flow.publish"
	ChannelPinned      MarkKind = "channel.pin"
	ChannelUnassigned  MarkKind = "channel.unassign"
	ExperimentStarted  MarkKind = "experiment.start"
	ExperimentStopped  MarkKind = "experiment.stop"
	ExperimentEnded    MarkKind = "experiment.end"
	ExperimentPromoted MarkKind = "experiment.promote"
	IngestRefused      MarkKind = "ingest_refused"
)

// maxMarks is how many marks one range gives.
const maxMarks = 500

// Mark is something that happened to an app and may explain its figures.
type Mark struct {
	At     time.Time
	Kind   MarkKind
	Name   string     // of the flow, channel, experiment or app
	UserID *uuid.UUID // nil for what the server did by itself
	// WorkspaceID is that of the app.
	WorkspaceID uuid.UUID
}

// Marks reads the latest marks of an environment in a range, latest first. The caller has checked who asks. Flows
// belong to both environments of their app.
func (s *Studio) Marks(
	ctx context.Context, workspace, app uuid.UUID, kind environment.Kind, from, to time.Time,
) ([]*Mark, error) {
	rows, err := s.client.QueryContext(ctx, `
		with subject as (
			select f.id::text as id, f.name from flows f where f.app_id = $2
			union all
			select c.public_id, c.name from channels c join environments e on e.id = c.environment_id
			where e.app_id = $2 and e.kind = $3
			union all
			select x.id::text, x.name from experiments x join channels c on c.id = x.channel_id
			join environments e on e.id = c.environment_id where e.app_id = $2 and e.kind = $3
		)
		select a.created_at, a.action, subject.name, a.user_id
		from audit_entries a join subject on subject.id = a.subject
		where a.workspace_id = $1 and a.created_at >= $4 and a.created_at < $5 and a.action = any($7)
		union all
		select n.created_at, n.kind, p.name, null
		from notification n join apps p on p.id = $2
		where n.workspace_id = $1 and n.kind = 'ingest_refused' and n.created_at >= $4 and n.created_at < $5
			and n.about ->> 'appId' = $2::text and n.about ->> 'environment' = $3
		order by 1 desc limit $6`,
		workspace, app, string(kind), from, to, maxMarks, []string{
			string(FlowPublished), string(ChannelPinned), string(ChannelUnassigned), string(ExperimentStarted),
			string(ExperimentStopped), string(ExperimentEnded), string(ExperimentPromoted),
		})
	if err != nil {
		return nil, fmt.Errorf("read the marks: %w", err)
	}
	defer func() { _ = rows.Close() }()
	marks := []*Mark{}
	for rows.Next() {
		mark := Mark{WorkspaceID: workspace}
		if err := rows.Scan(&mark.At, &mark.Kind, &mark.Name, &mark.UserID); err != nil {
			return nil, fmt.Errorf("read the marks: %w", err)
		}
		marks = append(marks, &mark)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the marks: %w", err)
	}
	return marks, nil
}
