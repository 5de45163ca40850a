package parquetfiles

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// mostDetails bounds what is held in memory of an environment's details and names of pages: some 40 MB. Where there are
// more, the database joins them to the events, at three times the processor time.
const mostDetails = 100_000

// detail is a row of event_detail, which events name by its id in place of what they have in common.
type detail struct {
	Kind       int16    `db:"kind"`
	ID         int32    `db:"id"`
	Source     *string  `db:"source"`
	Medium     *string  `db:"medium"`
	Campaign   *string  `db:"campaign"`
	Content    *string  `db:"content"`
	Term       *string  `db:"term"`
	Adset      *string  `db:"adset"`
	Creative   *string  `db:"creative"`
	Referrer   *string  `db:"referrer"`
	LandingURL *string  `db:"landing_url"`
	Organic    *bool    `db:"organic"`
	Country    *string  `db:"country"`
	Region     *string  `db:"region"`
	City       *string  `db:"city"`
	Latitude   *float32 `db:"latitude"`
	Longitude  *float32 `db:"longitude"`
	Platform   *string  `db:"platform"`
	Device     *string  `db:"device"`
	Browser    *string  `db:"browser"`
	OS         *string  `db:"os"`
	AppVersion *string  `db:"app_version"`
	Locale     *string  `db:"locale"`
}

// Kinds of event_detail, as the view product_events joins them.
const (
	placeKind       = 1
	deviceKind      = 2
	attributionKind = 3
)

// details do in memory what the view product_events joins.
type details struct {
	byID  map[int16]map[int32]*detail // by kind
	pages map[int32]*string
}

const (
	detailsSelect = `select kind, id, source, medium, campaign, content, term, adset, creative, referrer, landing_url,
		organic, country, region, city, latitude, longitude, platform, device, browser, os, app_version, locale
		from event_detail where environment_id = @environment limit @most`
	pagesSelect = `select id, text from event_name where environment_id = @environment and kind in (4, 5) limit @most`
)

// readDetails reads the details of an environment; nil when there are too many to hold.
func readDetails(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs, most int) (*details, error) {
	args := pgx.NamedArgs{"environment": scope["environment"], "most": most + 1}
	read := &details{byID: map[int16]map[int32]*detail{}, pages: map[int32]*string{}}
	for _, kind := range []int16{placeKind, deviceKind, attributionKind} {
		read.byID[kind] = map[int32]*detail{}
	}
	rows, err := tx.Query(ctx, detailsSelect, args)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[detail])
	if err != nil || len(found) > most {
		return nil, err
	}
	for _, d := range found {
		if of, known := read.byID[d.Kind]; known {
			of[d.ID] = d
		}
	}
	if rows, err = tx.Query(ctx, pagesSelect, args); err != nil {
		return nil, err
	}
	id, text := int32(0), ""
	if _, err = pgx.ForEachRow(rows, []any{&id, &text}, func() error {
		page := text
		read.pages[id] = &page
		return nil
	}); err != nil || len(read.pages) > most {
		return nil, err
	}
	return read, nil
}

// complete gives an event what it names by ids.
func (d *details) complete(e *event) {
	if page := e.Page; e.NameID.Valid && (page == nil || *page == "") {
		e.Page = d.pages[e.NameID.Int32]
	}
	if of := d.byID[attributionKind][e.AttributionID.Int32]; e.AttributionID.Valid && of != nil {
		fill(&e.Source, of.Source)
		fill(&e.Medium, of.Medium)
		fill(&e.Campaign, of.Campaign)
		fill(&e.Content, of.Content)
		fill(&e.Term, of.Term)
		fill(&e.Adset, of.Adset)
		fill(&e.Creative, of.Creative)
		fill(&e.Referrer, of.Referrer)
		fill(&e.LandingURL, of.LandingURL)
		fill(&e.Organic, of.Organic)
	}
	if of := d.byID[placeKind][e.PlaceID.Int32]; e.PlaceID.Valid && of != nil {
		fill(&e.Country, of.Country)
		fill(&e.Region, of.Region)
		fill(&e.City, of.City)
		fill(&e.Latitude, of.Latitude)
		fill(&e.Longitude, of.Longitude)
	}
	if of := d.byID[deviceKind][e.DeviceID.Int32]; e.DeviceID.Valid && of != nil {
		fill(&e.Platform, of.Platform)
		fill(&e.Device, of.Device)
		fill(&e.Browser, of.Browser)
		fill(&e.OS, of.OS)
		fill(&e.AppVersion, of.AppVersion)
		fill(&e.Locale, of.Locale)
	}
	for _, text := range []**string{
		&e.SessionID, &e.Page, &e.Source, &e.Medium, &e.Campaign, &e.Content, &e.Term, &e.Adset, &e.Creative, &e.Referrer,
		&e.LandingURL, &e.Country, &e.Region, &e.City, &e.Platform, &e.Device, &e.Browser, &e.OS, &e.AppVersion, &e.Locale,
	} {
		if *text != nil && **text == "" {
			*text = nil
		}
	}
}

// fill sets a value of an event to that of its detail, if that has one.
func fill[T any](into **T, value *T) {
	if value != nil {
		*into = value
	}
}
