package flow

import (
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/manifest"
)

// Money is in micro-USD everywhere. Ratios are nil when their denominator is zero, times nil when there is none.

// Money is what the ledger says of some runs (flow-analytics.md §5). What devices report is never in it.
type Money struct {
	Purchases int64 `json:"purchases"` // people with a first charge or trial start that belongs to one of the runs
	Trials    int64 `json:"trials"`    // trial starts: first charges of nothing
	Gross     int64 `json:"gross"`     // charges
	Revenue   int64 `json:"revenue"`   // net: gross less refunds and chargebacks of those charges, whenever they came
}

// Times is the quantiles of some times in seconds, exact by the nearest rank, and how many they are.
type Times struct {
	N      int64    `json:"n"`
	P25    *float64 `json:"p25"`
	Median *float64 `json:"median"`
	P75    *float64 `json:"p75"`
}

// Figures are those of the overview for a set of runs.
type Figures struct {
	Starts         int64    `json:"starts"`         // people with a run
	Runs           int64    `json:"runs"`           // of them in the four states below
	Completions    int64    `json:"completions"`    // people with a completed run
	CompletionRate *float64 `json:"completionRate"` // completions ÷ starts
	Completed      int64    `json:"completed"`      // runs
	Abandoned      int64    `json:"abandoned"`      // runs
	Lapsed         int64    `json:"lapsed"`         // runs
	Open           int64    `json:"open"`           // runs
	TimeToComplete Times    `json:"timeToComplete"` // of completed runs, from the start to the first flow_completed
	PaywallViewers int64    `json:"paywallViewers"` // people with a surface_presented
	ConversionRate *float64 `json:"conversionRate"` // purchases ÷ paywall viewers
	// Claimed is the people whose device reported a purchase in one of the runs, while no ledger purchase belongs to
	// any of these yet.
	Claimed int64 `json:"claimed"`
	Money
	RevenuePerStart *float64 `json:"revenuePerStart"` // revenue ÷ starts, in micro-USD
}

// Overview is the figures of the range and of the period of equal length before it.
type Overview struct {
	Figures
	Previous   Figures `json:"previous"`
	Incomplete bool    `json:"incomplete"` // runs of the range may still complete or lead to purchases
}

// Point is one bucket of a time series: the runs that start in it.
type Point struct {
	Bucket                  time.Time `json:"bucket"`
	Starts                  int64     `json:"starts"` // people
	Runs                    int64     `json:"runs"`
	Completions             int64     `json:"completions"` // people
	CompletionRate          *float64  `json:"completionRate"`
	MedianSecondsToComplete *float64  `json:"medianSecondsToComplete"` // of completed runs
	Money
	Incomplete bool `json:"incomplete"`
}

// Ends of edges that are no steps.
const (
	FromStart   = "start"     // of arrivals: the run began there
	ToCompleted = "completed" // of exits: the run was completed
	ToDropped   = "dropped"   // it was abandoned or lapsed
	ToOpen      = "open"      // it is open
)

// Node is an end of an edge: a step by its id, or one of FromStart, ToCompleted, ToDropped and ToOpen.
type Node struct {
	ID   string `json:"id"`
	Step bool   `json:"step"`
}

// Edge is the runs that went from one node to another.
type Edge struct {
	From    Node  `json:"from"`
	To      Node  `json:"to"`
	Runs    int64 `json:"runs"`
	Revenue int64 `json:"revenue"` // net, of these runs
}

// Step is what a step is called. Of a step that no graph has, the name is empty and the kind is that of its visits.
type Step struct {
	ID   string            `json:"id"`
	Name string            `json:"name"`
	Kind manifest.StepKind `json:"kind"`
}

// FunnelStep is one step of the funnel. All but People count runs.
type FunnelStep struct {
	Step
	Reach     int64    `json:"reach"`     // with a visit
	People    int64    `json:"people"`    // with a visit
	FromStart *float64 `json:"fromStart"` // reach ÷ runs of the funnel
	// Completed is of the runs that reached it those with a step_completed of the screen, or with an outcome of the
	// surface; Skipped those with a step_skipped.
	Completed     int64    `json:"completed"`
	Skipped       int64    `json:"skipped"`
	Drop          int64    `json:"drop"`          // whose last visit it is, and that dropped
	Open          int64    `json:"open"`          // whose last visit it is, and that are open
	MedianSeconds *float64 `json:"medianSeconds"` // from the run's start to its first visit
}

// Decision is how many runs took a case of a decision, at least once.
type Decision struct {
	Node string `json:"node"`
	Case string `json:"case"` // empty for the else branch
	Runs int64  `json:"runs"`
}

// Funnel is the way of runs through the steps.
type Funnel struct {
	Runs   int64        `json:"runs"`
	People int64        `json:"people"`
	Steps  []FunnelStep `json:"steps"` // in the order of flow-analytics.md §4
	// Arrivals are the runs by where their first visit of a step came from; those to a step add up to its reach.
	Arrivals []Edge `json:"arrivals"`
	// Exits are the runs by where they went after their last visit of a step; those from a step add up to its reach.
	Exits      []Edge     `json:"exits"`
	Decisions  []Decision `json:"decisions"`
	Incomplete bool       `json:"incomplete"`
}

// DropoffStep is how many runs ended at a step without being completed.
type DropoffStep struct {
	Step
	Reach int64 `json:"reach"` // runs with a visit
	Drops int64 `json:"drops"` // runs whose last visit it is, and that dropped
	// DropRate is drops ÷ reach, ExpectedRate all drops ÷ all reaches of the report.
	DropRate     *float64 `json:"dropRate"`
	ExpectedRate *float64 `json:"expectedRate"`
	// Z is (drops − reach·expected) ÷ sqrt(reach·expected·(1 − expected)), of a one-sided binomial test; nil when
	// nobody or everybody drops.
	Z               *float64 `json:"z"`
	OutOfProportion bool     `json:"outOfProportion"` // z ≥ 2.58 and at least 20 drops
}

// Dropoff is the drop-off of the steps in the order of the funnel.
type Dropoff struct {
	Steps      []DropoffStep `json:"steps"`
	Incomplete bool          `json:"incomplete"`
}

// StepDuration is how long visits of a step took, in seconds. Visits that had no end yet are left out.
type StepDuration struct {
	Step
	Visits int64    `json:"visits"` // of at most 30 minutes, which the figures below are of
	Idle   int64    `json:"idle"`   // longer, and left out
	P25    *float64 `json:"p25"`
	Median *float64 `json:"median"`
	P75    *float64 `json:"p75"`
	P90    *float64 `json:"p90"`
	P95    *float64 `json:"p95"`
	Mean   *float64 `json:"mean"`
}

// StepDurations is the durations of the steps in the order of the funnel.
type StepDurations struct {
	Steps      []StepDuration `json:"steps"`
	Incomplete bool           `json:"incomplete"`
}

// Interval is a confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Cohort is the people of a value of a dimension. A person counts once in each value of theirs.
type Cohort struct {
	Value              string    `json:"value"`
	Starts             int64     `json:"starts"`      // people
	Completions        int64     `json:"completions"` // people
	CompletionRate     *float64  `json:"completionRate"`
	CompletionInterval *Interval `json:"completionInterval"` // Wilson, 95 %; nil without people
	Money
	RevenuePerStart *float64 `json:"revenuePerStart"`
}

// Columns that order tables of flows.
const (
	Starts          report.Metric = "starts"
	Runs            report.Metric = "runs"
	Completions     report.Metric = "completions"
	CompletionRate  report.Metric = "completionRate"
	Purchases       report.Metric = "purchases"
	Trials          report.Metric = "trials"
	Gross           report.Metric = "gross"
	Revenue         report.Metric = "revenue"
	RevenuePerStart report.Metric = "revenuePerStart"
	People          report.Metric = "people"
	Values          report.Metric = "values"
	PaywallViewers  report.Metric = "paywallViewers"
	ConversionRate  report.Metric = "conversionRate"
	Claimed         report.Metric = "claimed"
)

// CohortMetrics order cohorts, by default the first, descending.
var CohortMetrics = []report.Metric{
	Starts, Completions, CompletionRate, Purchases, Trials, Gross, Revenue, RevenuePerStart,
}

// Cohorts is a page of cohorts.
type Cohorts struct {
	report.Table[Cohort]
	Incomplete bool `json:"incomplete"`
}

// CohortKey is a custom property of the runs of the scope.
type CohortKey struct {
	Key    string `json:"key"`
	People int64  `json:"people"` // with a run that has it
	Values int64  `json:"values"` // distinct
}

// MaxCohortKeys is how many keys are listed: those of most people, ties by key.
const MaxCohortKeys = 100

// CohortPoint is a cohort in one bucket: the runs that start in it.
type CohortPoint struct {
	Bucket         time.Time `json:"bucket"`
	Starts         int64     `json:"starts"`      // people
	Completions    int64     `json:"completions"` // people
	CompletionRate *float64  `json:"completionRate"`
	Money
	Incomplete bool `json:"incomplete"`
}

// CohortSeries is the points of a value. There are those of the ten values with the most starts, ties by value.
type CohortSeries struct {
	Value  string        `json:"value"`
	Points []CohortPoint `json:"points"`
}

// Cell is the people of a value of each of two dimensions.
type Cell struct {
	Row            string   `json:"row"`
	Column         string   `json:"column"`
	Starts         int64    `json:"starts"`      // people
	Completions    int64    `json:"completions"` // people
	CompletionRate *float64 `json:"completionRate"`
	Money
	ConversionRate *float64 `json:"conversionRate"` // purchases ÷ starts
}

// Heatmap is the conversion by two dimensions, at most MaxHeatmap values of each: those with the most starts, ties by
// value. Cells without a start are left out.
type Heatmap struct {
	Rows       []string `json:"rows"`
	Columns    []string `json:"columns"`
	Cells      []Cell   `json:"cells"` // by row, then column
	Incomplete bool     `json:"incomplete"`
}

// MaxHeatmap is how many rows and columns a heatmap has.
const MaxHeatmap = 30

// Outcome is how many runs had an outcome of a surface, at least once.
type Outcome struct {
	Outcome string `json:"outcome"`
	Runs    int64  `json:"runs"`
}

// SurfacePurchases is what happened at a surface of a provider.
type SurfacePurchases struct {
	Step
	Provider  string    `json:"provider"`
	Presented int64     `json:"presented"` // runs
	Viewers   int64     `json:"viewers"`   // people
	Outcomes  []Outcome `json:"outcomes"`  // as devices report them, most first, ties by name
	// Purchasers is people: a ledger purchase of a run counts at the surface that the run presented last before it,
	// else at the run's first.
	Purchasers int64 `json:"purchasers"`
}

// ProductPurchases is the ledger's rows of a product that belong to runs.
type ProductPurchases struct {
	Product   string `json:"product"`
	Provider  string `json:"provider"`
	Purchases int64  `json:"purchases"` // first charges and trial starts
	Trials    int64  `json:"trials"`
	Gross     int64  `json:"gross"`
	Revenue   int64  `json:"revenue"` // net
}

// PurchasesReport is what was presented and what was bought.
type PurchasesReport struct {
	Surfaces   []SurfacePurchases `json:"surfaces"` // most presented first, ties by id and provider
	Products   []ProductPurchases `json:"products"` // most purchases first, ties by product and provider
	Incomplete bool               `json:"incomplete"`
}

// RetentionRow is the people whose first run of the scope is of a version or variant, and how many of them had a hit,
// in a flow or outside, on the days after it.
type RetentionRow struct {
	Value string `json:"value"`
	report.Retention
}

// MaxRetentionRows is how many versions or variants are listed; all others, for clients may make any up, are one last
// row "(other)".
const MaxRetentionRows = 100

// RetentionReport is the retention of everybody and by version or variant, most people first, ties by value.
type RetentionReport struct {
	report.Retention
	Rows []RetentionRow `json:"rows"`
}

// Difference is a share on two sides and the second less the first, with its 95 % interval (Newcombe's hybrid score
// interval); nil when a side has nobody.
type Difference struct {
	First      *float64  `json:"first"`
	Second     *float64  `json:"second"`
	Difference *float64  `json:"difference"`
	Interval   *Interval `json:"interval"`
}

// ComparedStep is the share of runs that reached a step, on both sides.
type ComparedStep struct {
	Step
	Reach Difference `json:"reach"`
}

// Side is one side of a comparison.
type Side struct {
	Version  string  `json:"version,omitempty"`
	Variant  string  `json:"variant,omitempty"`
	Overview Figures `json:"overview"`
	Funnel   *Funnel `json:"funnel"`
}

// Comparison is two versions or arms side by side.
type Comparison struct {
	Sides      [2]Side        `json:"sides"`
	Completion Difference     `json:"completion"` // completions ÷ starts
	Conversion Difference     `json:"conversion"` // purchases ÷ starts
	Steps      []ComparedStep `json:"steps"`      // that both have, in the order of the funnel of both together
	Incomplete bool           `json:"incomplete"`
}

// AppFlow is the figures of one flow of the environment.
type AppFlow struct {
	Flow string `json:"flow"` // id
	Figures
}

// AppOverviewMetrics order the app's flows, by default the first, descending.
var AppOverviewMetrics = []report.Metric{
	Starts, Runs, Completions, CompletionRate, PaywallViewers, Claimed, ConversionRate, Purchases, Trials, Gross, Revenue,
	RevenuePerStart,
}

// AppOverview is a page of the flows of an environment, and the figures of all of them together.
type AppOverview struct {
	report.Table[AppFlow]
	Totals     Figures `json:"totals"` // people count once over all flows
	Incomplete bool    `json:"incomplete"`
}

// VersionRuns is a version that runs of the scope are of.
type VersionRuns struct {
	Version string `json:"version"`
	Runs    int64  `json:"runs"`
}

// State of a run, as people behind a cell have it.
const (
	StateOpen      = "open"
	StateCompleted = "completed"
	StateAbandoned = "abandoned"
	StateLapsed    = "lapsed"
)

// Figure narrows a cell to the runs that one of its figures counts.
type Figure string

// The figures; the empty one is every run of the cell.
const (
	FigureCompleted Figure = "completed" // runs in the state, as the next three
	FigureAbandoned Figure = "abandoned"
	FigureLapsed    Figure = "lapsed"
	FigureOpen      Figure = "open"
	FigureDropped   Figure = "dropped"   // abandoned or lapsed
	FigureViewed    Figure = "viewed"    // with a surface_presented
	FigurePurchased Figure = "purchased" // with a ledger purchase
	// FigureClaimed is runs in which the device reported a purchase, of people without a ledger purchase in the scope.
	FigureClaimed Figure = "claimed"
)

// Value is a value of a cohort dimension; Key names the custom property.
type Value struct {
	Dimension analytics.Dimension `json:"dimension"`
	Key       string              `json:"key,omitempty"`
	Value     string              `json:"value"`
}

// Behind names a cell of any report by what its runs have in common; all that is set must hold of one run.
type Behind struct {
	Figure    Figure     // see above
	From, To  time.Time  // the run starts in [From, To): a bucket; zero means the range
	Values    []Value    // of cohorts, heatmaps, versions and arms
	Step      string     // has a visit of it
	LastStep  bool       // … and it is the last visit of the run
	Completed bool       // … and has a step_completed of it, or an outcome of the surface
	Skipped   bool       // … and has a step_skipped of it
	Arrival   *[2]string // from and to of an arrival; the first may be FromStart
	Exit      *[2]string // from and to of an exit; the second may be ToCompleted, ToDropped or ToOpen
	Decision  *[2]string // node and case
	Surface   *[2]string // surface and provider that it presented
	Outcome   string     // of that surface, or of any
}

// Person is somebody behind a cell.
type Person struct {
	AppUserID    string    `json:"appUserId"`
	CustomUserID string    `json:"customUserId"`
	Runs         int64     `json:"runs"`        // of the cell
	LatestRunAt  time.Time `json:"latestRunAt"` // start of the latest of them
	LatestState  string    `json:"latestState"` // of that run
}

// PeoplePage is a page of the people behind a cell, the latest run first, ties by app user id.
type PeoplePage struct {
	People      []Person `json:"people"`
	TotalCount  int      `json:"totalCount"`
	HasNextPage bool     `json:"hasNextPage"`
	EndCursor   string   `json:"endCursor"` // to pass as after; empty without people
}
