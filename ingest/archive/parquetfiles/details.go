package parquetfiles

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/parquet-go/parquet-go"
)

// mostDetails bounds what is held in memory of an environment's details and names of pages: some 40 MB. Where there are
// more, the database joins them to the events, at three times the processor time.
const mostDetails = 100_000

// storedBesides are columns of storedProducts that complete others.
var storedBesides = []string{"name_id", "place_id", "device_id", "attribution_id"}

// Columns of storedProducts.
var page, nameID = eventColumn("page"), eventColumn("name_id")

// kindsOfDetail are kinds of event_detail: by which id events name one, and what the view product_events takes from it.
var kindsOfDetail = []struct {
	kind    int32
	id      int
	columns []int
}{
	{1, eventColumn("place_id"), columnsNamed("country, region, city, latitude, longitude")},
	{2, eventColumn("device_id"), columnsNamed("platform, device, browser, os, app_version, locale")},
	{3, eventColumn("attribution_id"), columnsNamed(
		"source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic")},
}

// eventColumn returns the place of a column of storedProducts.
func eventColumn(name string) int {
	if leaf, found := eventSchema.Lookup(name); found {
		return leaf.ColumnIndex
	}
	return len(eventSchema.Columns()) + slices.Index(storedBesides, name)
}

func columnsNamed(names string) (columns []int) {
	for name := range strings.SplitSeq(names, ", ") {
		columns = append(columns, eventColumn(name))
	}
	return columns
}

// details do in memory what the view product_events joins.
type details struct {
	byID  map[detailKey][]detailValue
	pages map[int32]*parquet.Value
}

// detailKey is the key of a row of event_detail, which events name by its id in place of what they have in common.
type detailKey struct{ kind, id int32 }

// detailValue is what an event has in a column by a detail.
type detailValue struct {
	column int
	value  *parquet.Value // nil for null
}

const (
	detailsSelect = `select kind::int as detail_kind, id as detail_id, source, medium, campaign, content, term, adset,
		creative, referrer, landing_url, organic, country, region, city, latitude, longitude, platform, device, browser, os,
		app_version, locale
		from event_detail where environment_id = @environment limit @most`
	pagesSelect = `select id as detail_id, text as page
		from event_name where environment_id = @environment and kind in (4, 5) limit @most`
)

// readDetails reads the details of an environment; nil when there are too many to hold.
func readDetails(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs, most int) (*details, error) {
	args := pgx.NamedArgs{"environment": scope["environment"], "most": most + 1}
	read := &details{byID: map[detailKey][]detailValue{}, pages: map[int32]*parquet.Value{}}
	besides := []string{"detail_kind", "detail_id"}
	kind := len(eventSchema.Columns())
	row, rows := newBatch(eventSchema, besides), 0
	each := func(statement string, use func(id int32)) error {
		from := selection{statement: statement, emptyIsNull: true}
		return selectRows(ctx, tx, from, args, eventSchema, besides, &row, func() error {
			use(row.get(kind + 1).Int32())
			row.clear()
			rows++
			return nil
		})
	}
	if err := each(detailsSelect, func(id int32) {
		read.add(detailKey{row.get(kind).Int32(), id}, &row)
	}); err != nil || rows > most {
		return nil, err
	}
	if err := each(pagesSelect, func(id int32) {
		read.pages[id] = kept(row.get(page))
	}); err != nil || len(read.pages) > most {
		return nil, err
	}
	return read, nil
}

// add notes what a detail says. Its texts are never null, so that an empty one says that an event has none.
func (d *details) add(key detailKey, row *batch) {
	for _, of := range kindsOfDetail {
		if of.kind != key.kind {
			continue
		}
		for _, column := range of.columns {
			leaf, _ := eventSchema.Lookup(eventSchema.Columns()[column]...)
			value := kept(row.get(column))
			if value != nil || leaf.Node.Type().Kind() == parquet.ByteArray {
				d.byID[key] = append(d.byID[key], detailValue{column, value})
			}
		}
	}
}

// complete gives an event what it names by ids.
func (d *details) complete(event *batch) {
	if id := event.get(nameID); id != nil && event.get(page) == nil {
		if text := d.pages[id.Int32()]; text != nil {
			event.put(page, text)
		}
	}
	for i := range kindsOfDetail {
		of := &kindsOfDetail[i]
		id := event.get(of.id)
		if id == nil {
			continue
		}
		for _, said := range d.byID[detailKey{of.kind, id.Int32()}] {
			if said.value != nil {
				event.put(said.column, said.value)
			} else {
				event.remove(said.column)
			}
		}
	}
}

// kept returns a copy of a value of a batch, which the next row takes the place of.
func kept(value *parquet.Value) *parquet.Value {
	if value == nil {
		return nil
	}
	return new(*value)
}
