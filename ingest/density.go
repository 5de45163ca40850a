package ingest

import (
	"sync"

	"github.com/svc-dev/svc/postgres"
)

// momentsCounted bounds the moments that are counted. The counts of those that no event came in since as many others
// did are forgotten: their next events are sparse again.
const momentsCounted = 1 << 16

// moment is five minutes or a tenth of a second of an environment.
type moment struct {
	environment int64
	length      int64 // in milliseconds
	begin       int64 // in lengths since 1970
}

// densities counts the product events of moments, by which each is told how many came before it (postgres.Density).
type densities struct {
	mu     sync.Mutex
	counts map[moment]int
	before map[moment]int // counted until counts became as many as may be
}

func newDensities() *densities { return &densities{counts: map[moment]int{}} }

// tell gives product events their densities.
func (d *densities) tell(items []*item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, it := range items {
		if it.path != PathProduct {
			continue
		}
		it.density = postgres.Sparse
		at := it.occurredAt().UnixMilli()
		if d.count(momentOf(it.environment, postgres.FiveMinutes.Milliseconds(), at)) <= postgres.SparseEvents {
			continue
		}
		it.density = postgres.Dense
		if d.count(momentOf(it.environment, postgres.Tenth.Milliseconds(), at)) > postgres.TenthEvents {
			it.density = postgres.Crowded
		}
	}
}

func momentOf(environment, length, at int64) moment { return moment{environment, length, at / length} }

// count returns how many events a moment has with one more.
func (d *densities) count(m moment) int {
	n, found := d.counts[m]
	if !found {
		if len(d.counts) == momentsCounted {
			d.before, d.counts = d.counts, map[moment]int{}
		}
		n = d.before[m]
	}
	n++
	d.counts[m] = n
	return n
}
