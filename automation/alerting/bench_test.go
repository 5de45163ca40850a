package alerting_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
)

// BenchmarkLooks measures the share of a core that 1,000 alerts take over an hour of looks, one each minute: half of
// them look for what is unusual, a quarter at bounds and a quarter for silence, under ten filters. An hour is the least
// time that is fair: most of the work is done when one ends.
func BenchmarkLooks(b *testing.B) {
	w := newWorld(b, hour(0))
	for week := range 7 {
		for h := range 24 {
			w.visit(hour(-h).AddDate(0, 0, -7*week), 100, fmt.Sprint("/", h%10))
		}
	}
	for i := range 1000 {
		rule := alert.Rule{Cross: map[string]analytics.StoredFilter{
			"page": {Op: "IS", Values: []string{fmt.Sprint("/", i%10)}},
		}}
		switch i % 4 {
		case 0, 1:
			rule.Condition.Unusual = &alert.Unusual{Direction: "DOWN", Sensitivity: "LOW"}
		case 2:
			rule.Condition.Above = pointer(1e6)
		default:
			rule.Condition.Silent = &alert.Silent{Minutes: 30}
		}
		w.alert(fmt.Sprint(i), hour(1), rule)
	}
	b.ResetTimer()
	before := processorTime(b)
	for i := range b.N {
		for minute := range 60 {
			w.look(hour(2 + i).Add(time.Duration(minute) * time.Minute))
		}
	}
	spent := processorTime(b) - before
	b.ReportMetric(100*spent.Seconds()/(float64(b.N)*3600), "%-of-a-core")
}

// processorTime is what this process took so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
