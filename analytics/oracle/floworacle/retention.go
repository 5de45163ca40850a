package floworacle

import (
	"cmp"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/report"
)

// Retention returns the retention.
func (s *Selection) Retention(by analytics.Dimension) *flow.RetentionReport {
	bounds, err := analytics.Buckets(analytics.Day, s.scope.Start, s.scope.End, s.scope.Location)
	if err != nil {
		panic(err)
	}
	dayOf := func(at int64) int {
		for i := range len(bounds) - 1 {
			if t := time.UnixMilli(at); !t.Before(bounds[i]) && t.Before(bounds[i+1]) {
				return i
			}
		}
		return -1
	}
	cutoff := min(s.scope.End.UnixMilli(), s.now.UnixMilli())
	first := map[string]*flowRun{}
	for _, r := range s.runs {
		if first[r.person] == nil {
			first[r.person] = r
		}
	}
	retention := func(has func(*flowRun) bool) report.Retention {
		out := report.Retention{}
		for _, offset := range []int{1, 3, 7, 14, 30} {
			returned, eligible, both := int64(0), int64(0), int64(0)
			out.Visitors = 0
			for person, r := range first {
				if !has(r) {
					continue
				}
				out.Visitors++
				day := dayOf(r.start) + offset
				if day >= len(bounds)-1 {
					continue
				}
				was := false
				for _, h := range s.world.Hits {
					was = was || h.Person == person && h.At < cutoff && dayOf(h.At) == day
				}
				for _, e := range s.world.Events {
					was = was || e.Person == person && e.At < cutoff && dayOf(e.At) == day
				}
				over := bounds[day+1].UnixMilli() <= cutoff
				if was {
					returned++
				}
				if over {
					eligible++
				}
				if was && over {
					both++
				}
			}
			out.Days = append(out.Days, report.Returned{
				Offset: offset, Returned: returned, Eligible: eligible, Rate: ratio(both, eligible),
			})
		}
		return out
	}
	out := &flow.RetentionReport{Retention: retention(all), Rows: []flow.RetentionRow{}}
	values := map[string]bool{}
	for _, r := range first {
		values[s.value(r, by, "")] = true
	}
	for v := range values {
		out.Rows = append(out.Rows, flow.RetentionRow{
			Value: v, Retention: retention(func(r *flowRun) bool { return s.value(r, by, "") == v }),
		})
	}
	slices.SortFunc(out.Rows, func(a, b flow.RetentionRow) int {
		return cmp.Or(cmp.Compare(b.Visitors, a.Visitors), cmp.Compare(a.Value, b.Value))
	})
	return out
}
