package compose

import "time"

// Unit is how a number is written.
type Unit int

// The units.
const (
	Count Unit = iota
	Share      // between 0 and 1
	Seconds
	USD
)

// Metric is a value of the period, beside the one of the period before it. Nil is a ratio without a denominator.
type Metric struct {
	Name              string
	Unit              Unit
	Current, Previous *float64
	// LowerIsBetter tells which direction is good.
	LowerIsBetter bool
}

// Point is a day of a chart, beside the day of the period before it that stands at the same place.
type Point struct {
	Day               time.Time
	Current, Previous float64
}

// Change is a value of a dimension whose visitors differ from those of the period before it.
type Change struct {
	Dimension         string // such as Source
	Value             string // empty is "(none)"
	Current, Previous int64
}

// Goal is a goal of the app.
type Goal struct {
	Name                    string
	Conversions, Converters int64
	Rate, PreviousRate      *float64
}

// Flow is a flow with its runs.
type Flow struct {
	Name                         string
	Starts, Completions          int64
	CompletionRate, PreviousRate *float64
}

// Experiment is an experiment that ran in the period, with what it found so far.
type Experiment struct {
	ID       string
	Name     string
	Status   string // as in ExperimentStatus
	Verdict  string // as in ExperimentVerdict
	Sentence string
}

// Revenue is what billing providers report.
type Revenue struct {
	Metrics []Metric
	Days    []Point // net
}

// Health is what ingest did with the events of the period.
type Health struct {
	Accepted, Duplicates, Rejected int64
	Codes                          []Code
	DelayP90                       *float64 // seconds
}

// Code is why events were rejected.
type Code struct {
	Code  string
	Count int64
}

// Report is the content of one.
type Report struct {
	AppName   string
	Test      bool // the test environment
	Frequency Frequency
	Period    Period
	// Headline are the most important metrics, visitors first; Days are visitors per day.
	Headline []Metric
	Days     []Point
	// Changes are the largest that are worth saying, the largest first.
	Changes []Change
	Goals   []Goal
	Flows   []Flow
	// Experiments are those that ran in the period.
	Experiments []Experiment
	Revenue     *Revenue // nil without any money in either period
	Health      *Health  // nil when it is not known
}
