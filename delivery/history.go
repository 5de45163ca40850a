package delivery

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// historyLength is how many assignments of a channel are remembered. Events
// older than the deduplication window of a week are refused, so fifty reach back
// far enough even where somebody pins several times a day.
const historyLength = 50

// assignment is one entry of a channel's history.
type assignment struct {
	number   int64
	from     time.Time
	versions []uuid.UUID
}

// AssignmentVersion derives the assignment version that a person was served a
// flow version under, for flow events that do not say it (wire.md §11): the last
// assignment of that version that began before the event. A clock that runs
// behind may put an event before the assignment it was made under, so a later
// assignment is better than none. It reports false when the version was never
// assigned, as far as is remembered. Its form is that of ingest.Deps.
func (c *Catalogue) AssignmentVersion(channelID int64, versionID [16]byte, at time.Time) (int64, bool) {
	channel := c.Snapshot().byID[channelID]
	if channel == nil {
		return 0, false
	}
	return assignmentAt(channel.history, versionID, at)
}

// assignmentAt searches a history that is ordered newest first.
func assignmentAt(history []assignment, versionID uuid.UUID, at time.Time) (number int64, found bool) {
	for _, entry := range history {
		if !slices.Contains(entry.versions, versionID) {
			continue
		}
		number, found = entry.number, true
		if !entry.from.After(at) {
			break
		}
	}
	return number, found
}

func (l *loader) readHistory(ctx context.Context, environments []int64) (map[int64][]assignment, error) {
	rows, err := l.tx.Query(ctx, historySQL, environments, historyLength)
	if err != nil {
		return nil, err
	}
	history := map[int64][]assignment{}
	var channel int64
	var entry assignment
	_, err = pgx.ForEachRow(rows, []any{&channel, &entry.number, &entry.from, &entry.versions}, func() error {
		history[channel] = append(history[channel], entry)
		entry.versions = nil // the next row gets an array of its own
		return nil
	})
	return history, err
}
