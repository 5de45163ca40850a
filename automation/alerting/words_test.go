package alerting

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/alert"
)

func TestWords(t *testing.T) {
	t.Parallel()
	pointer := func(v float64) *float64 { return &v }
	ended := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		metric      alert.Metric
		value       *float64
		low, high   *float64
		grain       string
		short, long string
	}{
		{alert.BounceRate, pointer(0.5), nil, pointer(0.25), "HOUR", "bounce rate of 50.0 %, expected at most 25.0 %",
			"bounce rate of 50.0 %, expected at most 25.0 % in the hour until 28 November, 00:00 UTC."},
		{alert.Revenue, pointer(3), pointer(10), nil, "DAY", "revenue of $3.00, expected at least $10.00",
			"revenue of $3.00, expected at least $10.00 on 27 November 2026."},
		{alert.AverageSessionSeconds, pointer(30.4), nil, nil, "DAY", "average session duration of 30 s",
			"average session duration of 30 s on 27 November 2026."},
		{alert.ViewsPerSession, nil, nil, nil, "DAY", "views per session", "no value on 27 November 2026."},
	} {
		w := &watched{
			rule:  alert.Rule{Metric: c.metric, Grain: c.grain, TimeZone: "UTC"},
			state: alert.State{Value: c.value, Low: c.low, High: c.high, Judged: ended, Firing: true},
		}
		require.Equal(t, c.short, w.short())
		require.Equal(t, c.long, w.long())
	}
}
