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
// that is open at one of them is over at another.
type validity struct{ from, until int64 }

// always is the validity of what no open attempt has part in.
var always = validity{from: math.MinInt64, until: math.MaxInt64}

func (v validity) and(other validity) validity {
	return validity{from: max(v.from, other.from), until: min(v.until, other.until)}
}

func (v validity) has(moment int64) bool { return moment >= v.from && moment <= v.until }

// funnelMemory is a report of a funnel, which is counted anew when the window of an attempt has ended meanwhile.
type funnelMemory[T any] struct {
	mu      sync.Mutex
	counted bool
	holds   validity
	report  T
}

func (m *funnelMemory[T]) at(moment int64, count func() (T, validity, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counted && m.holds.has(moment) {
		return m.report, nil
	}
	var err error
	m.report, m.holds, err = count()
	m.counted = err == nil
	return m.report, err
}

// rememberedFunnel returns a report of a funnel of at most so many bytes, which others who ask for the same share: key
// says which report of it. It must not be changed.
func rememberedFunnel[T any](
	s *Selection, f *analytics.Funnel, key countKey, bytes int, count func() (T, validity, error),
) (T, error) {
	if s.stream != nil {
		report, _, err := count()
		return report, err
	}
	text, err := json.Marshal(f)
	if err != nil {
		var none T
		return none, err
	}
	sum := sha256.Sum256(text) // a funnel may be long
	key.by += "\x00" + string(sum[:])
	memory := remembered(s, key, 1, bytes, func() *funnelMemory[T] { return &funnelMemory[T]{} })
	return memory.at(frame.Millis(s.now), count)
}
