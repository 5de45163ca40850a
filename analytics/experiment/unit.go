package experiment

import (
	"bytes"
	"slices"

	"github.com/google/uuid"
)

// Devices returns the devices of exposures as the keys of a map, in which they count as nobody.
func Devices(exposures []Exposure) map[uuid.UUID]uuid.UUID {
	units := make(map[uuid.UUID]uuid.UUID, len(exposures))
	for i := range exposures {
		units[exposures[i].Device] = uuid.UUID{}
	}
	return units
}

// Join makes one exposure of those whose devices are of one unit: a person counts once, from the first run on any of
// their devices, with what they did on all of them. Devices that count as nobody are left out; unrecorded says how many
// these are.
func Join(exposures []Exposure, units map[uuid.UUID]uuid.UUID) (joined []Exposure, unrecorded int) {
	exposures = slices.Clone(exposures)
	slices.SortFunc(exposures, func(a, b Exposure) int {
		if order := a.At.Compare(b.At); order != 0 {
			return order
		}
		return bytes.Compare(a.Device[:], b.Device[:])
	})
	places := map[uuid.UUID]int{}
	for i := range exposures {
		next := &exposures[i]
		unit := units[next.Device]
		if unit == (uuid.UUID{}) {
			unrecorded++
			continue
		}
		place, known := places[unit]
		if !known {
			places[unit] = len(joined)
			joined = append(joined, *next)
			continue
		}
		joined[place].add(next)
	}
	return joined, unrecorded
}

// add adds what the person did on another device.
func (e *Exposure) add(later *Exposure) {
	e.Crossed = e.Crossed || later.Crossed || e.Arm != later.Arm
	if e.Completed.IsZero() || !later.Completed.IsZero() && later.Completed.Before(e.Completed) {
		e.Completed = later.Completed
	}
	e.Charges = slices.Concat(e.Charges, later.Charges)
}
