package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// SharedLink lets whoever has its token read chosen reports of an environment, limited to a scope. Only the SHA-256 of
// the token is kept, and of a password its argon2id.
type SharedLink struct{ ent.Schema }

func (SharedLink) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (SharedLink) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("environment_id").Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(120).Immutable(),
		field.Bytes("hash").Unique().Immutable().Sensitive(),
		field.String("password_hash").Default("").Immutable().Sensitive().Comment("empty without a password"),
		field.Strings("reports").SchemaType(jsonb).Immutable().Annotations(notInGraphQL),
		field.JSON("scope", json.RawMessage{}).SchemaType(jsonb).Immutable().
			Comment("as that of saved views").
			Annotations(notInGraphQL),
		field.Strings("frame_origins").SchemaType(jsonb).Immutable().
			Comment("origins of the pages that may embed the reports, or * alone; nobody may when empty"),
		field.Bool("powered_by").Default(true).Immutable().Comment("whether the page says what it is made with"),
		field.Time("expires_at").Optional().Nillable().Immutable(),
		field.Time("last_opened_at").Optional().Nillable(),
		field.Time("revoked_at").Optional().Nillable(),
	}
}

func (SharedLink) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("environment", Environment.Type).Ref("shared_links").Field("environment_id").
			Unique().Required().Immutable(),
		edge.From("author", User.Type).Ref("shared_links").Field("user_id").Unique().Required().Immutable(),
	}
}

func (SharedLink) Indexes() []ent.Index { return []ent.Index{index.Fields("environment_id")} }
