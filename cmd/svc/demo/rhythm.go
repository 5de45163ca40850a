package demo

import (
	"math/rand/v2"
	"time"
)

// busy is how many visits an hour of a day (UTC) has, of the busiest.
var busy = [24]float64{
	.3, .25, .2, .2, .25, .35, .5, .7, .85, .9, .9, .9, .95, .95, 1, 1, 1, 1, 1, .95, .9, .75, .55, .4,
}

// crowd is how many visits a day has, of a working day.
func crowd(day time.Weekday) float64 {
	if day == time.Saturday || day == time.Sunday {
		return 0.7
	}
	return 1
}

// perHour returns how many visits an hour has at a time, when a working day has perDay.
func perHour(at time.Time, perDay int) float64 {
	sum := 0.0
	for _, share := range busy {
		sum += share
	}
	at = at.UTC()
	return float64(perDay) * crowd(at.Weekday()) * busy[at.Hour()] / sum
}

// rateHolds is how long the rate of visits is taken as the same.
const rateHolds = 15 * time.Minute

// nextArrival returns when somebody comes after a time: people come on their own, at the rate of the hour.
func nextArrival(rng *rand.Rand, after time.Time, perDay int) time.Time {
	for {
		wait := time.Duration(rng.ExpFloat64() / perHour(after, perDay) * float64(time.Hour))
		if wait <= rateHolds {
			return after.Add(wait)
		}
		after = after.Add(rateHolds)
	}
}
