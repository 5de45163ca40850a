package main

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones must be known on machines without a zone database

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/svc-dev/svc/analytics"
)

// The inputs that reports share (interface.md §4.1), as flags.

// columnFilters are the flags of the column filters, as interface.md §4.1 names them, and their members of
// ColumnFilters.
var columnFilters = [][2]string{
	{"source", "source"}, {"campaign", "campaign"}, {"medium", "medium"}, {"content", "content"}, {"term", "term"},
	{"adset", "adset"}, {"creative", "creative"}, {"browsers", "browser"}, {"operating-systems", "os"},
	{"devices", "device"}, {"country", "country"}, {"region", "region"}, {"city", "city"},
	{"page", "page"}, {"entry", "entry"}, {"exit", "exit"},
}

// crossFilter is a dimension of --xf-… and --xf-op-….
type crossFilter struct {
	flag, member string
	text         bool // contains and does_not_contain are allowed
}

var crossFilters = []crossFilter{
	{"acquisition-channel", "acquisitionChannel", false}, {"referrer", "referrer", false}, {"source", "source", false},
	{"campaign", "campaign", true}, {"medium", "medium", false}, {"country", "country", false},
	{"region", "region", false},
	{"browser", "browser", false}, {"os", "os", false}, {"device", "device", false},
	{"page", "page", true}, {"event", "event", true}, {"entry", "entry", true}, {"exit", "exit", true},
	{"flow", "flow", false}, {"flow-version", "flowVersion", false}, {"variant", "variant", false},
	{"flow-outcome", "flowOutcome", false}, {"goal", "goal", false},
}

var (
	environments     = []string{"live", "test"}
	platforms        = []string{"all", "web", "ios", "android", "mobile"}
	revenueProviders = []string{"revenuecat", "superwall", "stripe"}
	grains           = []string{"hour", "day", "week", "month"}
	exactOperators   = []string{"is", "is_not"}
	textOperators    = []string{"is", "is_not", "contains", "does_not_contain"}
)

// scopeFlags are bound to one command and read once it runs.
type scopeFlags struct {
	set *pflag.FlagSet
	// crossValues are bound variables because a flag set forgets that a list
	// holds one empty value.
	crossValues map[string]*[]string
}

func (f *scopeFlags) bindWhere(cmd *cobra.Command) {
	f.set = cmd.Flags()
	choice(cmd, "env", "live", "environment", environments)
	choice(cmd, "platform", "all", "platform", platforms)
	f.set.String("segment-id", "", "limit the report to the users of a segment")
}

func (f *scopeFlags) bindRange(cmd *cobra.Command) {
	f.set.String("start", "", "first instant, RFC 3339, or a date: its 00:00 in the time zone (default: the last 7 days)")
	f.set.String("end", "", "end, excluded, in the same form")
	f.set.String("time-zone", "UTC", "IANA zone of days and dates")
}

func (f *scopeFlags) bindFilters(cmd *cobra.Command) {
	choice(cmd, "revenue-provider", "", "limit revenue to one provider", revenueProviders)
	for _, c := range columnFilters {
		f.set.String(c[0], "", "only sessions with exactly this value of "+c[1])
	}
	f.crossValues = map[string]*[]string{}
	for _, x := range crossFilters {
		values := new([]string)
		f.crossValues[x.flag] = values
		f.set.StringArrayVar(
			values, "xf-"+x.flag, nil, "cross filter on "+x.member+"; repeat or separate by commas, quote as in CSV",
		)
		operators := exactOperators
		if x.text {
			operators = textOperators
		}
		choice(cmd, "xf-op-"+x.flag, "is", "operator of --xf-"+x.flag, operators)
	}
}

// choice adds a flag with a closed list of values, completed by the shell.
func choice(cmd *cobra.Command, name, fallback, usage string, values []string) {
	cmd.Flags().String(name, fallback, usage+": "+strings.Join(values, ", "))
	// the flag exists
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// chosen returns a choice flag's value as its enum name; "" stays "".
func (f scopeFlags) chosen(name string, values []string) (string, error) {
	v, err := f.set.GetString(name)
	if err != nil {
		return "", err
	}
	if v == "" {
		return "", nil
	}
	if !slices.Contains(values, v) {
		return "", usageError("--%s must be %s, not %q", name, strings.Join(values, ", "), v)
	}
	return strings.ToUpper(v), nil
}

// oneOf returns chosen for names that are no enum's own; it returns the name itself.
func (f scopeFlags) oneOf(name string, values []string) (string, error) {
	if _, err := f.chosen(name, values); err != nil {
		return "", err
	}
	return f.text(name), nil
}

func (f scopeFlags) text(name string) string {
	v, _ := f.set.GetString(name) // every caller has bound the flag
	return v
}

// where returns environment, platform and segment.
func (f scopeFlags) where() (map[string]any, error) {
	environment, err := f.chosen("env", environments)
	if err != nil {
		return nil, err
	}
	platform, err := f.chosen("platform", platforms)
	if err != nil {
		return nil, err
	}
	where := map[string]any{"environment": environment}
	if platform != "" && platform != "ALL" {
		where["platform"] = platform
	}
	if id := f.text("segment-id"); id != "" {
		where["segmentId"] = id
	}
	return where, nil
}

// dates returns the range input, or nil when neither end is given.
func (f scopeFlags) dates() (map[string]any, error) {
	start, end := f.text("start"), f.text("end")
	if start == "" && end == "" {
		return nil, nil
	}
	if start == "" || end == "" {
		return nil, usageError("--start and --end go together: give both, or neither for the last 7 days")
	}
	zone, err := time.LoadLocation(f.text("time-zone"))
	if err != nil {
		return nil, usageError("--time-zone: %q is not an IANA zone such as Europe/Berlin", f.text("time-zone"))
	}
	from, err := instant("start", start, zone)
	if err != nil {
		return nil, err
	}
	to, err := instant("end", end, zone)
	if err != nil {
		return nil, err
	}
	return map[string]any{"start": from, "end": to}, nil
}

func instant(flag, text string, zone *time.Location) (string, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.Format(time.RFC3339Nano), nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return "", usageError("--%s must be a date such as 2026-01-31 or an RFC 3339 instant, not %q", flag, text)
	}
	y, m, d := day.Date()
	return analytics.StartOfDay(y, m, d, zone).Format(time.RFC3339), nil
}

// scope returns the ScopeInput of all flags.
func (f scopeFlags) scope() (map[string]any, error) {
	scope, err := f.where()
	if err != nil {
		return nil, err
	}
	dates, err := f.dates()
	if err != nil {
		return nil, err
	}
	if dates != nil {
		scope["range"] = dates
	}
	scope["timeZone"] = f.text("time-zone")
	provider, err := f.chosen("revenue-provider", revenueProviders)
	if err != nil {
		return nil, err
	}
	if provider != "" {
		scope["revenueProvider"] = provider
	}
	columns := map[string]any{}
	for _, c := range columnFilters {
		if f.set.Changed(c[0]) {
			columns[c[1]] = f.text(c[0])
		}
	}
	if len(columns) > 0 {
		scope["columns"] = columns
	}
	cross, err := f.crossOf(crossFilters)
	if err != nil {
		return nil, err
	}
	if len(cross) > 0 {
		scope["cross"] = cross
	}
	return scope, nil
}

// crossOf returns the filters of --xf-… that are given.
func (f scopeFlags) crossOf(filters []crossFilter) (map[string]any, error) {
	cross := map[string]any{}
	for _, x := range filters {
		flag, operatorFlag := "xf-"+x.flag, "xf-op-"+x.flag
		if !f.set.Changed(flag) {
			if f.set.Changed(operatorFlag) {
				return nil, usageError("--%s has no values: give --%s", operatorFlag, flag)
			}
			continue
		}
		allowed := exactOperators
		if x.text {
			allowed = textOperators
		}
		operator, err := f.chosen(operatorFlag, allowed)
		if err != nil {
			return nil, err
		}
		values, err := splitAll(flag, *f.crossValues[x.flag])
		if err != nil {
			return nil, err
		}
		cross[x.member] = map[string]any{"op": operator, "values": values}
	}
	return cross, nil
}

// splitAll reads the values of a flag that may be repeated.
func splitAll(flag string, texts []string) ([]string, error) {
	var values []string
	for _, text := range texts {
		list, err := splitValues(text)
		if err != nil {
			return nil, usageError("--%s: %q is not a list of values as in CSV, without spaces around quotes", flag, text)
		}
		values = append(values, list...)
	}
	return values, nil
}

// splitValues reads values separated by commas, quoted as in CSV; no text is the
// empty value. Spaces belong to the values, in quotes or not.
func splitValues(text string) ([]string, error) {
	if text == "" {
		return []string{""}, nil
	}
	reader := csv.NewReader(strings.NewReader(text))
	values, err := reader.Read()
	if err != nil {
		return nil, err
	}
	if _, err := reader.Read(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one line")
	}
	return values, nil
}
