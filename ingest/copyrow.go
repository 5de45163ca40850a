package ingest

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// The columns of the rows that are copied, in the order in which the append
// methods write them.
var (
	headColumns = []string{"environment_id", "occurred_at", "received_at", "event_key", "event_id", "name",
		"app_user_id", "custom_user_id", "session_uuid", "session_id"}
	placeColumns  = []string{"place_id", "country", "region", "city"}
	deviceColumns = []string{"device_id", "platform", "device", "browser", "os", "app_version", "locale"}
	keptColumns   = []string{"attribution", "custom_properties", "properties"}

	productColumns = concat(headColumns, placeColumns, []string{"latitude", "longitude"}, deviceColumns, []string{
		"attribution_id", "source", "medium", "campaign", "content", "term", "adset", "creative", "referrer", "landing_url",
		"organic", "organic_unknown", "name_id", "page", "density",
	}, keptColumns)
	trackColumns = concat(headColumns, placeColumns, deviceColumns, []string{"page"}, keptColumns)
	flowColumns  = concat(headColumns, placeColumns, deviceColumns, []string{
		"channel_id", "flow_id", "version_id", "assignment_version", "experiment_id", "variant_id", "run_id", "seq",
		"step_id", "from_step_id", "field_classification",
	}, keptColumns)

	productTable = newEventTable(PathProduct, "product_event", productColumns)
	trackTable   = newEventTable(PathTrack, "track_event", trackColumns)
	flowTable    = newEventTable(PathFlow, "flow_event", flowColumns)
)

// eventTable is where the raw events of a path are stored.
type eventTable struct {
	path         Path
	copy, insert string // statements: of many rows, of one
}

func newEventTable(path Path, name string, columns []string) *eventTable {
	into, values := name+" ("+strings.Join(columns, ", ")+")", make([]string, len(columns))
	for i := range values {
		values[i] = "$" + strconv.Itoa(i+1)
	}
	return &eventTable{
		path: path, copy: "copy " + into + " from stdin (format binary)",
		insert: "insert into " + into + " values (" + strings.Join(values, ", ") + ")",
	}
}

// write stores the rows of a buffer. A row that is alone is inserted: of a COPY a cluster does not tell why a node
// refused it.
func (t *eventTable) write(ctx context.Context, conn *pgconn.PgConn, buffer *copyBuffer, rows int) error {
	if rows == 1 {
		return conn.ExecParams(ctx, t.insert, buffer.values(), nil, []int16{pgtype.BinaryFormatCode}, nil).Read().Err
	}
	_, err := conn.CopyFrom(ctx, bytes.NewReader(buffer.finish()), t.copy)
	return err
}

func concat(lists ...[]string) (all []string) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// appendTo writes the event's row in the column order of its path's COPY.
func (it *item) appendTo(c *copyBuffer) {
	switch it.path {
	case PathProduct:
		it.appendProduct(c)
	case PathTrack:
		it.appendTrack(c)
	case PathFlow:
		it.appendFlow(c)
	}
}

// eventIdentity is what the three kinds of events say of whose they are.
type eventIdentity struct{ eventID, name, appUserID, customUserID, sessionID string }

// appendHead writes headColumns. An id that is a UUID is stored once: as text
// only when its UUID does not say it.
func (it *item) appendHead(c *copyBuffer, p eventIdentity) {
	c.int8(it.environment)
	c.time(it.occurredAt())
	c.time(it.receivedAt)
	c.uuid(it.key)
	if isTextOf(p.eventID, it.key) {
		p.eventID = ""
	}
	c.optionalText(p.eventID)
	c.text(p.name)
	c.text(p.appUserID)
	c.optionalText(p.customUserID)
	if session, ok := parseUUID(p.sessionID); ok && isTextOf(p.sessionID, session) {
		c.uuid(session)
		c.null()
	} else {
		c.null()
		c.optionalText(p.sessionID)
	}
}

// isTextOf tells whether text is how PostgreSQL writes the UUID.
func isTextOf(text string, id uuid.UUID) bool {
	if len(text) != 36 {
		return false
	}
	const digits = "0123456789abcdef"
	at := 0
	for _, b := range id {
		if at == 8 || at == 13 || at == 18 || at == 23 {
			if text[at] != '-' {
				return false
			}
			at++
		}
		if text[at] != digits[b>>4] || text[at+1] != digits[b&15] {
			return false
		}
		at += 2
	}
	return true
}

// appendDetail writes the id of a detail, or null, and the texts of its group,
// which are null when the id says them.
func (it *item) appendDetail(c *copyBuffer, g group, texts ...string) {
	id := it.details[g]
	c.optionalID(id)
	for _, text := range texts {
		if id != 0 {
			text = ""
		}
		c.optionalText(text)
	}
}

func (it *item) appendPlace(c *copyBuffer, p Place) {
	it.appendDetail(c, placeGroup, p.Country, p.Region, p.City)
}

func (it *item) appendProduct(c *copyBuffer) {
	e, a := it.product, &it.product.Attribution
	c.row(len(productColumns))
	it.appendHead(c, eventIdentity{e.EventID, e.Name, e.AppUserID, e.CustomUserID, e.SessionID})
	it.appendPlace(c, e.Place)
	if it.details[placeGroup] != 0 {
		c.position(Place{})
	} else {
		c.position(e.Place)
	}
	it.appendDetail(c, deviceGroup, e.Platform, e.Device, e.Browser, e.OS, e.AppVersion, e.Locale)
	it.appendDetail(
		c, attributionGroup, a.Source, a.Medium, a.Campaign, a.Content, a.Term, a.Adset, a.Creative, a.Referrer, a.Landing,
	)
	if it.details[attributionGroup] != 0 {
		c.null()
	} else {
		c.organic(a.Organic)
	}
	c.optionalBool(e.OrganicUnknown)
	c.int4(it.nameIDs[0])
	if it.named && (e.Name == NamePageView || e.Name == NameScreenView) {
		c.null()
	} else {
		c.optionalText(e.Page)
	}
	c.optionalID(int32(it.density))
	c.json(e.AttributionMore)
	c.json(e.CustomProperties)
	c.json(e.Properties)
}

func (it *item) appendTrack(c *copyBuffer) {
	e := it.product
	c.row(len(trackColumns))
	it.appendHead(c, eventIdentity{e.EventID, e.Name, e.AppUserID, e.CustomUserID, e.SessionID})
	it.appendPlace(c, e.Place)
	it.appendDetail(c, deviceGroup, e.Platform, e.Device, e.Browser, e.OS, e.AppVersion, e.Locale)
	c.optionalText(e.Page)
	c.json(AttributionJSON(e.Attribution, e.AttributionMore))
	c.json(e.CustomProperties)
	c.json(e.Properties)
}

func (it *item) appendFlow(c *copyBuffer) {
	e := it.flow
	c.row(len(flowColumns))
	it.appendHead(c, eventIdentity{e.EventID, e.Name, e.AppUserID, e.CustomUserID, e.SessionID})
	it.appendPlace(c, e.Place)
	it.appendDetail(c, deviceGroup, e.Platform, e.Device, e.Browser, e.OS, e.AppVersion, e.Locale)
	c.int8(it.channel)
	c.uuid(e.FlowID)
	c.uuid(e.VersionID)
	c.optionalInt(e.AssignmentVersion)
	c.optionalUUID(e.ExperimentID)
	c.optionalText(e.VariantID)
	c.optionalUUID(e.RunID)
	c.optionalInt(e.Seq)
	c.optionalText(e.StepID)
	if e.FromStepID == nil {
		c.null()
	} else {
		c.text(*e.FromStepID)
	}
	c.optionalText(e.Classification)
	c.json(e.Attribution)
	c.json(e.CustomProperties)
	c.json(e.Properties)
}
