package privacy

import (
	"context"
	"time"
)

// PlaceBegun returns the place at the end of an archive that was begun at a time.
func (p *Privacy) PlaceBegun(ctx context.Context, r Request, begun time.Time) (string, error) {
	return p.placeText(ctx, r, place{Begun: begun, Section: len(sections), Devices: []string{r.AppUserID}})
}
