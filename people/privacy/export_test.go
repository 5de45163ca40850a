package privacy

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// SetPageTime sets after which time a page ends that is not full.
func (p *Privacy) SetPageTime(limit time.Duration) { p.pageTime = limit }

// PlaceBegun returns the place at the end of an archive that was begun at a time.
func (p *Privacy) PlaceBegun(ctx context.Context, caller uuid.UUID, r Request, begun time.Time) (string, error) {
	return p.placeText(ctx, caller, r, place{Begun: begun, Section: len(sections), Devices: []string{r.AppUserID}})
}

// Waiting returns how many erasures of a workspace wait for their turn.
func (p *Privacy) Waiting(workspace uuid.UUID) int { return p.turns.Waiting(workspace) }
