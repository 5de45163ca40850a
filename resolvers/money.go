package resolvers

import (
	"strings"

	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/receive"
)

// providerOf returns the provider that a name of the schema stands for.
func providerOf(p graph.RevenueProvider) fold.Provider {
	return fold.Provider(strings.ToLower(string(p)))
}

// providerName is the other way round.
func providerName(p fold.Provider) graph.RevenueProvider {
	return graph.RevenueProvider(strings.ToUpper(string(p)))
}

func convertSources(list []revenue.Connection) []*graph.RevenueSource {
	converted := make([]*graph.RevenueSource, len(list))
	for i, c := range list {
		converted[i] = convertSource(c)
	}
	return converted
}

func convertSource(c revenue.Connection) *graph.RevenueSource {
	converted := &graph.RevenueSource{
		ID: c.ID, Provider: providerName(c.Provider), Name: c.Name, Stores: c.Stores, Path: receive.Path(c.Provider, c.ID),
		CreatedAt: c.CreatedAt, ArchivedAt: c.ArchivedAt, LastDeliveryAt: c.LastDeliveryAt, LastError: c.LastError,
		LastErrorAt: c.LastErrorAt, Secrets: []*graph.RevenueSecret{},
	}
	for _, s := range c.Secrets {
		converted.Secrets = append(
			converted.Secrets, &graph.RevenueSecret{ID: s.ID, LastFour: s.LastFour, CreatedAt: s.CreatedAt},
		)
	}
	return converted
}

func convertSecret(c revenue.Connection, secret string, err error) (*graph.RevenueSourceSecret, error) {
	if err != nil {
		return nil, err
	}
	converted := &graph.RevenueSourceSecret{Source: convertSource(c)}
	if secret != "" {
		converted.Secret = &secret
	}
	return converted, nil
}

func convertTestDelivery(r receive.TestDelivery) *graph.RevenueSourceTest {
	converted := &graph.RevenueSourceTest{
		Accepted: r.Accepted(), Status: r.Status, Reason: r.Reason, Milliseconds: float64(r.Took.Microseconds()) / 1e3,
	}
	if r.State != "" {
		state := graph.RevenueDeliveryState(strings.ToUpper(string(r.State)))
		converted.State = &state
	}
	return converted
}

func convertUnmapped(page revenue.UnmappedPage) *graph.UnmappedRevenuePage {
	converted := &graph.UnmappedRevenuePage{Nodes: []*graph.UnmappedRevenue{}}
	for _, u := range page.List {
		converted.Nodes = append(converted.Nodes, &graph.UnmappedRevenue{
			Provider: providerName(u.Provider), Subject: u.Subject, ProductID: u.ProductID, Store: u.Store, Rows: u.Rows,
			Amount: u.AmountMicros, Unconverted: u.Unconverted, LastAt: u.LastAt, PersonIds: u.PersonIDs,
		})
	}
	if page.After != "" {
		converted.After = &page.After
	}
	return converted
}
