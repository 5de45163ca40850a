package main

import (
	"encoding/csv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
)

// columnsOf returns the column filters that are set, by member of ColumnFilters.
func columnsOf(c analytics.Columns) map[string]string {
	out := map[string]string{}
	for _, f := range c.Filters() {
		out[string(f.Dimension)] = f.Values[0]
	}
	return out
}

// columnInput, crossInput and scopeInput are the inputs of the schema.
func columnInput(c analytics.Columns) map[string]any {
	out := map[string]any{}
	for member, value := range columnsOf(c) {
		out[member] = value
	}
	return out
}

func crossInput(filters []analytics.Filter) map[string]any {
	out := map[string]any{}
	for _, f := range filters {
		op := f.Operator
		if op == "" {
			op = analytics.Is
		}
		out[string(f.Dimension)] = map[string]any{"op": strings.ToUpper(string(op)), "values": f.Values}
	}
	return out
}

func scopeInput(scope analytics.Scope, segment string) map[string]any {
	input := map[string]any{
		"environment": "LIVE", "timeZone": scope.Location.String(), "columns": columnInput(scope.Columns),
		"cross": crossInput(scope.Cross),
	}
	if !scope.Start.IsZero() {
		input["range"] = map[string]any{
			"start": scope.Start.Format(time.RFC3339Nano), "end": scope.End.Format(time.RFC3339Nano),
		}
	}
	if scope.Platform != "" {
		input["platform"] = strings.ToUpper(scope.Platform)
	}
	if scope.RevenueProvider != "" {
		input["revenueProvider"] = strings.ToUpper(scope.RevenueProvider)
	}
	if segment != "" {
		input["segmentId"] = segment
	}
	return input
}

// scopeArguments returns the flags of a scope, as far as the command takes them.
func scopeArguments(rng *rand.Rand, q question, scope analytics.Scope, segment string) []string {
	var args []string
	if scope.Platform != "" {
		args = append(args, "--platform", scope.Platform)
	}
	if segment != "" {
		args = append(args, "--segment-id", segment)
	}
	if q.where && !q.dated {
		return args
	}
	if zone := scope.Location.String(); zone != "UTC" || rng.IntN(2) == 0 {
		args = append(args, "--time-zone", zone)
	}
	if !scope.Start.IsZero() {
		args = append(
			args, "--start", dateOrInstant(scope.Start, scope.Location), "--end", dateOrInstant(scope.End, scope.Location),
		)
	}
	if q.where {
		return args
	}
	if scope.RevenueProvider != "" {
		args = append(args, "--revenue-provider", scope.RevenueProvider)
	}
	set := columnsOf(scope.Columns)
	for _, c := range columnFilters {
		if value, ok := set[c[1]]; ok {
			args = append(args, "--"+c[0]+"="+value)
		}
	}
	for _, f := range scope.Cross {
		for _, x := range crossFilters {
			if x.member != string(f.Dimension) {
				continue
			}
			if rng.IntN(2) == 0 {
				args = append(args, "--xf-"+x.flag+"="+inCSV(f.Values...))
			} else {
				for _, value := range f.Values {
					args = append(args, "--xf-"+x.flag, inCSV(value))
				}
			}
			if f.Operator != "" {
				args = append(args, "--xf-op-"+x.flag, string(f.Operator))
			}
		}
	}
	return args
}

// inCSV writes values of a flag that takes several.
func inCSV(values ...string) string {
	var line strings.Builder
	w := csv.NewWriter(&line)
	_ = w.Write(values) // to memory, which takes everything
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// dateOrInstant writes the start of a local day as its date.
func dateOrInstant(t time.Time, loc *time.Location) string {
	y, m, d := t.In(loc).Date()
	if analytics.StartOfDay(y, m, d, loc).Equal(t) {
		return t.In(loc).Format(time.DateOnly)
	}
	return t.Format(time.RFC3339Nano)
}
