package compose

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"
)

// Asker answers a query of GraphQL as the principal of ctx, and decodes its data. Fields that could not be answered are
// null. The error says that there is no data at all.
type Asker func(ctx context.Context, document string, variables map[string]any, data any) error

//go:embed period.graphql
var periodSource string

//go:embed experiment.graphql
var experimentDocument string

// dimension is one whose values are compared.
type dimension struct {
	name  string // as readers know it
	key   string // in answers
	field string // of ProductAnalytics, with what its rows need
}

// dimensions have visitors in every row. Of values that mean the same visitors the first is told.
var dimensions = []dimension{
	{"Source", "source", `attribution(dimension: SOURCE, first: 100, search: $search) { ...Breakdown }`},
	{"Campaign", "campaign", `attribution(dimension: CAMPAIGN, first: 100, search: $search) { ...Breakdown }`},
	{"Page", "page", `engagement(dimension: PAGE, first: 100, search: $search) { totalCount nodes { value visitors } }`},
	{"Country", "country", `demographic(dimension: COUNTRY, first: 100, search: $search) { ...Breakdown }`},
	{"Device", "device", `technology(dimension: DEVICE, first: 100, search: $search) { ...Breakdown }`},
	{"Event", "event",
		`events(first: 100, orderBy: VISITORS, search: $search) { totalCount nodes { value: name visitors } }`},
}

const breakdownFragment = `
fragment Breakdown on BreakdownConnection { totalCount nodes { value visitors } }
`

// periodDocument asks for a period with all dimensions.
var periodDocument = strings.Replace(periodSource, "#dimensions", allDimensions(), 1) + breakdownFragment

func allDimensions() string {
	var b strings.Builder
	for _, d := range dimensions {
		fmt.Fprintf(&b, "%s: %s\n", d.key, d.field)
	}
	return b.String()
}

// searchDocument asks for the values of a dimension that contain a text.
func (d dimension) searchDocument() string {
	document := fmt.Sprintf(`query ScheduledReportValues($app: ID!, $scope: ScopeInput!, $search: String) {
		app(id: $app) { reports: productAnalytics(scope: $scope) { %s: %s } } }`, d.key, d.field)
	if strings.Contains(d.field, "...Breakdown") {
		document += breakdownFragment
	}
	return document
}

// table are values of a dimension, those of most visitors first.
type table struct {
	TotalCount int
	Nodes      []struct {
		Value    string
		Visitors int64
	}
}

type figures struct {
	Visitors, Sessions, Views, NewVisitors float64
	BounceRate, AverageSessionSeconds      *float64
}

// answer is that of periodDocument.
type answer struct {
	App *struct {
		Name    string
		Reports *struct {
			Summary *figures
			Series  []struct {
				Bucket   time.Time
				Visitors float64
			}
			Goals *struct {
				Nodes []struct {
					GoalID                  string
					Name                    string
					Conversions, Converters int64
					Rate                    *float64
				}
			}
			Source, Campaign, Page, Country, Device, Event *table
		}
		Flows *struct {
			Nodes []struct {
				FlowID              string
				Name                string
				Starts, Completions int64
				CompletionRate      *float64
			}
		}
		Experiments *struct {
			Nodes []struct{ ID, Name, Status string }
		}
		IngestHealth *struct {
			Accepted, Duplicates int64
			Rejected             []Code
			Delay                *struct{ P90 float64 }
		}
	}
	Money *struct {
		Totals *struct{ Net, Gross, Refunds, Transactions float64 }
		Series []struct {
			Bucket time.Time
			Totals struct{ Net float64 }
		}
		Subscriptions *struct {
			State struct{ Active, MRR float64 }
		}
	}
}

// table returns the values of a dimension.
func (a *answer) table(d dimension) *table {
	r := a.App.Reports
	return map[string]*table{
		"source": r.Source, "campaign": r.Campaign, "page": r.Page, "country": r.Country,
		"device": r.Device, "event": r.Event,
	}[d.key]
}

type experimentAnswer struct {
	ExperimentResults *struct {
		Status, Verdict, Sentence string
		StoppedAt                 *time.Time
	}
}
