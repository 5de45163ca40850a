package report

import (
	"context"

	"github.com/svc-dev/svc/analytics/frame"
)

const minuteMillis = 60_000

// ActiveMinutes tells for each minute of the range, from its start on, whether an event of the selection is in it.
func (s *Selection) ActiveMinutes(ctx context.Context) ([]bool, error) {
	start, end := frame.Millis(s.scope.Start), frame.Millis(s.scope.End)
	size := int((end - start + minuteMillis - 1) / minuteMillis)
	total, _, err := sumPortions(ctx, s, func(p *Selection) []bool { return p.activeMinutes(start, size) }, either)
	return total, err
}

func (s *Selection) activeMinutes(start int64, size int) []bool {
	results := make([][]bool, s.workers()+1)
	results[s.workers()] = make([]bool, size)
	frame.Parallel(s.workers(), func(i int) {
		active := make([]bool, size)
		s.blocks(i, func(spans []sessionHits, _ uint32) {
			for j := range spans {
				for _, hit := range spans[j].hits[:spans[j].inRange] {
					active[(frame.HitTime(hit)-start)/minuteMillis] = true
				}
			}
		})
		results[i] = active
	})
	total := results[s.workers()]
	for _, active := range results[:s.workers()] {
		total = either(total, active)
	}
	return total
}

// either sets those of total that are set in more.
func either(total, more []bool) []bool {
	for i, active := range more {
		total[i] = total[i] || active
	}
	return total
}
