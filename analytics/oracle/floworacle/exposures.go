package floworacle

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/people/privacy"
)

// Exposures returns the people who had a run of an experiment, by name (flow-analytics.md §6). Those of an experiment
// that is split by custom user id go by whose their devices are, and devices that are nobody's are left out.
func (o *Oracle) Exposures(trial *flow.Trial, units map[string]string) map[string]experiment.Exposure {
	charges := o.charges(trial.Purchase)
	found := map[string]experiment.Exposure{}
	inOrder := slices.Clone(o.runs)
	slices.SortStableFunc(inOrder, func(a, b *flowRun) int {
		x, y := privacy.Person(a.person), privacy.Person(b.person)
		return cmp.Or(cmp.Compare(a.start, b.start), bytes.Compare(x[:], y[:]))
	})
	for _, r := range inOrder {
		name := r.person
		if trial.NamesDevices {
			if name = units[r.person]; name == "" {
				continue
			}
		}
		start := time.UnixMilli(r.start).UTC()
		if r.release.Experiment != trial.Experiment || start.Before(trial.Start) || !start.Before(trial.End) {
			continue
		}
		arm, known := trial.Variants[r.release.Variant]
		if !known {
			arm = -1
		}
		x, before := found[name]
		if !before {
			x = experiment.Exposure{
				Arm: arm, At: start, Platform: r.client.Platform, AppVersion: r.client.AppVersion, Country: r.place.Country,
				Browser: r.device.Browser,
			}
			if trial.NamesDevices {
				x.Device = privacy.Person(r.person)
			}
		}
		if x.Arm != arm {
			x.Crossed = true
		}
		if i := slices.IndexFunc(r.events, isCompletion); i >= 0 {
			at := time.UnixMilli(max(r.start, r.events[i].At)).UTC()
			if x.Completed.IsZero() || at.Before(x.Completed) {
				x.Completed = at
			}
		}
		for _, c := range charges[r] {
			x.Charges = append(x.Charges, experiment.Charge{
				At: time.UnixMilli(c.At).UTC(), First: c.Kind == frame.Originating, Amount: c.AmountMicros, Refunded: c.refunded,
				Paid: c.Kind == frame.Originating && c.AmountMicros == 0 &&
					slices.ContainsFunc(o.world.Purchases, func(later frame.Purchase) bool {
						return later.Visitor == c.Visitor && later.Provider == c.Provider && later.Kind != frame.Refund &&
							later.AmountMicros > 0 && later.At > c.At
					}),
			})
		}
		found[name] = x
	}
	return found
}
