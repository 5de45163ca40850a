package runlog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest/simulate"
)

// maxTyped is how long a typed answer may be that conditions are evaluated on, in bytes; that of a longer one is not
// known.
const maxTyped = 4 << 10

// readTyped reads the typed answers that are wanted.
func (r *Reader) readTyped(ctx context.Context, found *Recorded) error {
	list := found.TypedAnswers()
	slices.SortFunc(list, func(a, b simulate.TypedAnswer) int { return int(a.At/1000) - int(b.At/1000) })
	for part := range slices.Chunk(list, valuesAtOnce) {
		of, keys := make(map[session.Key][]int, len(part)), make([]pgtype.UUID, len(part))
		for i, t := range part {
			of[t.Key] = append(of[t.Key], t.Answer)
			keys[i] = pgtype.UUID{Bytes: t.Key, Valid: true}
		}
		rows, err := r.DB.Query(ctx, `
			select event_key, properties->>'value'
			from flow_events join unnest($5::uuid[]) as wanted (id) on event_key = wanted.id
			where environment_id = $1 and flow_id = $2 and occurred_at between $3 and $4 and name = 'text_submitted'`,
			r.EnvironmentID, pgtype.UUID{Bytes: r.Flow, Valid: true},
			time.UnixMilli(part[0].At-1000), time.UnixMilli(part[len(part)-1].At+1000), keys)
		if err != nil {
			return fmt.Errorf("read answers: %w", err)
		}
		var key pgtype.UUID
		var text *string
		if _, err := pgx.ForEachRow(rows, []any{&key, &text}, func() error {
			if text == nil || *text == redactedValue || len(*text) > maxTyped {
				return nil
			}
			for _, answer := range of[key.Bytes] {
				found.SetAnswer(answer, found.Name(*text))
			}
			return nil
		}); err != nil {
			return fmt.Errorf("read answers: %w", err)
		}
	}
	return nil
}
