package schema

import (
	"encoding/json"

	"entgo.io/contrib/entgql"
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"github.com/google/uuid"
)

// The event tables are managed by SQL (package postgres), as hypertables or as
// native partitions. These entities read them: recent rows, a visitor's time
// line, export. A test compares them with the migrated tables.

var real4 = map[string]string{dialect.Postgres: "real"}

// stored are the columns that every event table has.
func stored() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).StorageKey("event_key").Immutable().
			Comment("key of deduplication: the event id when it is a UUID, else the first 128 bits of its SHA-256"),
		field.Int64("environment_id").Immutable(),
		field.Time("occurred_at").Immutable(),
		field.String("event_id").Immutable(),
		field.Time("received_at").Immutable(),
		field.String("name").Immutable(),
		field.String("app_user_id").Immutable(),
		field.String("custom_user_id").Immutable(),
		field.String("session_id").Immutable(),
		field.String("country").Immutable(),
		field.String("region").Immutable(),
		field.String("city").Immutable(),
		field.String("platform").Immutable(),
		field.String("device").Immutable(),
		field.String("browser").Immutable(),
		field.String("os").Immutable(),
		field.String("app_version").Immutable(),
		field.String("locale").Immutable(),
		field.JSON("properties", json.RawMessage{}).SchemaType(jsonb).Optional().Immutable(),
	}
}

// ProductEvent is one row of product_event.
type ProductEvent struct{ ent.Schema }

func (ProductEvent) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "product_event"}, entsql.Skip(), entgql.Skip(entgql.SkipAll)}
}

func (ProductEvent) Fields() []ent.Field {
	return append(stored(),
		field.Int("name_id").Optional().Nillable().Immutable(),
		field.String("page").Immutable(),
		field.String("source").Immutable(),
		field.String("medium").Immutable(),
		field.String("campaign").Immutable(),
		field.String("content").Immutable(),
		field.String("term").Immutable(),
		field.String("adset").Immutable(),
		field.String("creative").Immutable(),
		field.String("referrer").Immutable(),
		field.String("landing_url").Immutable(),
		field.Bool("organic").Optional().Nillable().Immutable(),
		field.Bool("organic_unknown").Immutable(),
		field.Float32("latitude").SchemaType(real4).Optional().Nillable().Immutable(),
		field.Float32("longitude").SchemaType(real4).Optional().Nillable().Immutable(),
	)
}

// FlowEvent is one row of flow_event.
type FlowEvent struct{ ent.Schema }

func (FlowEvent) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "flow_event"}, entsql.Skip(), entgql.Skip(entgql.SkipAll)}
}

func (FlowEvent) Fields() []ent.Field {
	return append(stored(),
		field.Int64("channel_id").Immutable(),
		field.UUID("flow_id", uuid.UUID{}).Immutable(),
		field.UUID("version_id", uuid.UUID{}).Immutable(),
		field.Int("assignment_version").Optional().Nillable().Immutable(),
		field.UUID("experiment_id", uuid.UUID{}).Optional().Nillable().Immutable(),
		field.String("variant_id").Immutable(),
		field.String("step_id").Immutable(),
		field.String("field_classification").Immutable(),
		field.JSON("custom_properties", json.RawMessage{}).SchemaType(jsonb).Optional().Immutable(),
	)
}

// TrackEvent is one row of track_event.
type TrackEvent struct{ ent.Schema }

func (TrackEvent) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "track_event"}, entsql.Skip(), entgql.Skip(entgql.SkipAll)}
}

func (TrackEvent) Fields() []ent.Field {
	return append(stored(), field.String("page").Immutable())
}
