package report

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"sync"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// validity is the moments (milliseconds since 2020-01-01T00:00Z) as of which what was counted is the same: no attempt
// that is open at one of them is over at another, but for those that are ending.
type validity struct{ from, until int64 }

// always is the validity of what no open attempt has part in.
var always = validity{from: math.MinInt64, until: math.MaxInt64}

func (v validity) and(other validity) validity {
	return validity{from: max(v.from, other.from), until: min(v.until, other.until)}
}

func (v validity) has(moment int64) bool { return moment >= v.from && moment <= v.until }

// keptFunnel is a report of a funnel as of each of the moments of its validity.
type keptFunnel[T any] struct {
	holds validity
	asOf  func(moment int64) T
}

// funnelMemory keeps a report of a funnel, which is counted anew as of a moment that it does not know.
type funnelMemory[T any] struct {
	mu   sync.Mutex
	kept keptFunnel[T] // asOf is nil before the first count
}

func (m *funnelMemory[T]) at(moment int64, count func() (keptFunnel[T], error)) (report T, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept.asOf == nil || !m.kept.holds.has(moment) {
		if m.kept, err = count(); err != nil {
			m.kept.asOf = nil
			return report, err
		}
	}
	return m.kept.asOf(moment), nil
}

// rememberedFunnel returns a report of a funnel of at most so many bytes, which others who ask for the same share: key
// says which report of it. It must not be changed.
func rememberedFunnel[T any](
	s *Selection, f *analytics.Funnel, key countKey, bytes int, count func() (keptFunnel[T], error),
) (none T, err error) {
	if s.stream != nil {
		kept, err := count()
		if err != nil {
			return none, err
		}
		return kept.asOf(frame.Millis(s.now)), nil
	}
	text, err := json.Marshal(f)
	if err != nil {
		return none, err
	}
	bytes += s.engine.tuning.FunnelEnds * funnelEndBytes
	sum := sha256.Sum256(text) // a funnel may be long
	key.by += "\x00" + string(sum[:])
	memory := remembered(s, key, 1, bytes, func() *funnelMemory[T] { return &funnelMemory[T]{} })
	return memory.at(frame.Millis(s.now), count)
}
