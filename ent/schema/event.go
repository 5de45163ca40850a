package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"github.com/google/uuid"
)

// The event tables are managed by SQL (package postgres), as hypertables or as
// native partitions, and written by package ingest alone. These entities read
// their views, which have every value in its column: they have no id, no
// mutations and no edges. A test compares them with the migrated database.

var real4 = map[string]string{dialect.Postgres: "real"}

// stored are the columns that every event has.
func stored() []ent.Field {
	return []ent.Field{
		field.UUID("event_key", uuid.UUID{}).
			Comment("key of deduplication: the event id when it is a UUID, else the first 128 bits of its SHA-256"),
		field.Int64("environment_id"),
		field.Time("occurred_at"),
		field.String("event_id"),
		field.Time("received_at"),
		field.String("name"),
		field.String("app_user_id"),
		field.String("custom_user_id"),
		field.String("session_id"),
		field.String("country"),
		field.String("region"),
		field.String("city"),
		field.String("platform"),
		field.String("device"),
		field.String("browser"),
		field.String("os"),
		field.String("app_version"),
		field.String("locale"),
		field.JSON("attribution", json.RawMessage{}).SchemaType(jsonb).Optional().
			Comment("by wire key: all of it, or of product events what their columns don't hold"),
		field.JSON("custom_properties", json.RawMessage{}).SchemaType(jsonb).Optional(),
		field.JSON("properties", json.RawMessage{}).SchemaType(jsonb).Optional(),
	}
}

// ProductEvent is one row of product_events.
type ProductEvent struct{ ent.View }

func (ProductEvent) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "product_events"}, entsql.Skip(), notInGraphQL}
}

func (ProductEvent) Fields() []ent.Field {
	return append(stored(),
		field.Int("name_id").Optional().Nillable(),
		field.Int("density").Optional().Nillable().Comment("how many events came in the same moments: postgres.Density"),
		field.String("page"),
		field.String("source"),
		field.String("medium"),
		field.String("campaign"),
		field.String("content"),
		field.String("term"),
		field.String("adset"),
		field.String("creative"),
		field.String("referrer"),
		field.String("landing_url"),
		field.Bool("organic").Optional().Nillable(),
		field.Bool("organic_unknown"),
		field.Float32("latitude").SchemaType(real4).Optional().Nillable(),
		field.Float32("longitude").SchemaType(real4).Optional().Nillable(),
	)
}

// FlowEvent is one row of flow_events.
type FlowEvent struct{ ent.View }

func (FlowEvent) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "flow_events"}, entsql.Skip(), notInGraphQL}
}

func (FlowEvent) Fields() []ent.Field {
	return append(stored(),
		field.Int64("channel_id"),
		field.UUID("flow_id", uuid.UUID{}),
		field.UUID("version_id", uuid.UUID{}),
		field.Int("assignment_version").Optional().Nillable(),
		field.UUID("experiment_id", uuid.UUID{}).Optional().Nillable(),
		field.String("variant_id"),
		field.String("step_id"),
		field.String("field_classification"),
		field.UUID("run_id", uuid.UUID{}).Optional().Nillable(),
		field.Int("seq").Optional().Nillable(),
		field.String("from_step_id").Optional().Nillable().
			Comment("empty at the start of a run, null when the client did not say"),
	)
}

// TrackEvent is one row of track_events.
type TrackEvent struct{ ent.View }

func (TrackEvent) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "track_events"}, entsql.Skip(), notInGraphQL}
}

func (TrackEvent) Fields() []ent.Field {
	return append(stored(), field.String("page"))
}
