package e2e

import (
	"time"

	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/moneyoracle"
)

// moneyQuestion is a range of a made-up world.
type moneyQuestion struct {
	*moneyoracle.World
	scope figures.Scope
}

func (q moneyQuestion) totals() figures.Totals { return q.Totals(q.scope, moneyoracle.Chosen(q.scope)) }

func ofTotals(of func(t figures.Totals) any) func(q moneyQuestion) []string {
	return func(q moneyQuestion) []string {
		value := of(q.totals())
		if micros, ok := value.(int64); ok {
			value = float64(micros) / 1e6
		}
		return []string{SQLRow(value)}
	}
}

var moneyFigures = SQLFigures[moneyQuestion]{
	"gross":       ofTotals(func(t figures.Totals) any { return t.Gross }),
	"new":         ofTotals(func(t figures.Totals) any { return t.New }),
	"renewal":     ofTotals(func(t figures.Totals) any { return t.Renewal() }),
	"refunds":     ofTotals(func(t figures.Totals) any { return t.Refunds }),
	"chargebacks": ofTotals(func(t figures.Totals) any { return t.Chargebacks }),
	"net":         ofTotals(func(t figures.Totals) any { return t.Net() }),
	"tax":         ofTotals(func(t figures.Totals) any { return t.Tax }),
	"commission":  ofTotals(func(t figures.Totals) any { return t.Commission }),
	"proceeds":    ofTotals(func(t figures.Totals) any { return t.Proceeds() }),
	"refundRate":  ofTotals(func(t figures.Totals) any { return t.RefundRate() }),
	"subscriptions": func(q moneyQuestion) []string {
		state := q.State(q.scope.End, moneyoracle.Chosen(q.scope))
		return []string{SQLRow(state.Active, state.Trials, float64(state.MRR)/1e6)}
	},
}

// compareWithSQL holds every query of the documentation to the figures of ranges without filters.
func (w *moneyWorld) compareWithSQL(now time.Time) {
	w.t.Helper()
	readers := Readers(w.t, w.d, w.d.Apps[0].ID)
	for half := range 24 {
		end := now.AddDate(0, 0, -15*half)
		scope := figures.Scope{Start: end.AddDate(0, 0, -40), End: end, Location: time.UTC}
		moneyFigures.Compare(w.t, "Revenue", moneyQuestion{w.World, scope}, readers, scope.Start, scope.End, "")
	}
}
