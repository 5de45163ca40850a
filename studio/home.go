package studio

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres/transaction"
)

// HomeCard is a card of an app's home page, as GraphQL calls it.
type HomeCard string

// The cards, in the order in which they are offered.
const (
	HomeTrend       HomeCard = "TREND"
	HomeSources     HomeCard = "SOURCES"
	HomePages       HomeCard = "PAGES"
	HomeLocations   HomeCard = "LOCATIONS"
	HomeDevices     HomeCard = "DEVICES"
	HomeEvents      HomeCard = "EVENTS"
	HomeGoals       HomeCard = "GOALS"
	HomeFlows       HomeCard = "FLOWS"
	HomeExperiments HomeCard = "EXPERIMENTS"
	HomeRevenue     HomeCard = "REVENUE"
)

// homeCards are all that this server knows.
var homeCards = []HomeCard{
	HomeTrend, HomeSources, HomePages, HomeLocations, HomeDevices, HomeEvents, HomeGoals, HomeFlows, HomeExperiments,
	HomeRevenue,
}

// usualHomeCards are those of a member who has chosen nothing.
var usualHomeCards = []HomeCard{HomeTrend, HomeSources, HomePages, HomeLocations, HomeDevices, HomeEvents}

// HomeLayout is which cards a member's home page of an app shows, in order.
type HomeLayout struct {
	Cards []HomeCard
	// Default tells that the member has chosen nothing.
	Default bool
}

// HomeLayout returns what the home page of an app shows to who makes the request.
func (s *Studio) HomeLayout(ctx context.Context, app *ent.App) (*HomeLayout, error) {
	p, err := account.Authorize(ctx, app.WorkspaceID, account.AnalyticsRead)
	if err != nil {
		return nil, err
	}
	// A card that another release of the server knows is left out.
	rows, err := s.client.QueryContext(ctx, `
		select card from home_layouts, unnest(cards) with ordinality u (card, place)
		where app_id = $1 and user_id = $2 and card = any (string_to_array($3, ' ')) order by place`,
		app.ID, p.UserID, joinCards(homeCards))
	if err != nil {
		return nil, fmt.Errorf("read the home layout: %w", err)
	}
	defer rows.Close()
	var cards []HomeCard
	for rows.Next() {
		var card HomeCard
		if err := rows.Scan(&card); err != nil {
			return nil, fmt.Errorf("read the home layout: %w", err)
		}
		cards = append(cards, card)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the home layout: %w", err)
	}
	return layoutOf(cards), nil
}

// SetHomeLayout stores what the home page of an app shows to who makes the request; no cards bring the usual ones back.
// It is theirs alone, so no audit entry tells of it, and an archived app takes it.
func (s *Studio) SetHomeLayout(ctx context.Context, id uuid.UUID, cards []HomeCard) (*HomeLayout, error) {
	app, err := s.readApp(ctx, id, account.AnalyticsRead)
	if err != nil {
		return nil, err
	}
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	if cards != nil && len(cards) == 0 {
		return nil, fault.Invalid("cards", "must have one card at least")
	}
	for i, card := range cards {
		if slices.Contains(cards[:i], card) {
			return nil, fault.Invalid("cards", "has %s twice", card)
		}
	}
	err = transaction.Run(ctx, s.client, func(tx *ent.Tx) error {
		query, args := `delete from home_layouts where app_id = $1 and user_id = $2`, []any{app.ID, p.UserID}
		if len(cards) > 0 {
			query = `
				insert into home_layouts (app_id, user_id, workspace_id, cards)
				values ($1, $2, $3, string_to_array($4, ' '))
				on conflict (app_id, user_id) do update set cards = excluded.cards`
			args = append(args, app.WorkspaceID, joinCards(cards))
		}
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return fmt.Errorf("store the home layout: %w", err)
		}
		return nil
	})
	return layoutOf(cards), err
}

func layoutOf(cards []HomeCard) *HomeLayout {
	if len(cards) == 0 {
		return &HomeLayout{Cards: usualHomeCards, Default: true}
	}
	return &HomeLayout{Cards: cards}
}

func joinCards(cards []HomeCard) string {
	names := make([]string, len(cards))
	for i, card := range cards {
		names[i] = string(card)
	}
	return strings.Join(names, " ")
}
