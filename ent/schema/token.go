package schema

import (
	"entgo.io/contrib/entgql"
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// SetupToken lets one person choose a password once: the first administrator,
// somebody who was invited, or somebody whose password was reset. Only the
// SHA-256 of the token is kept.
type SetupToken struct{ ent.Schema }

func (SetupToken) Annotations() []schema.Annotation {
	return []schema.Annotation{entgql.Skip(entgql.SkipAll)}
}

func (SetupToken) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (SetupToken) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("user_id", uuid.UUID{}).Optional().Nillable().Immutable().
			Comment("null for the first administrator, who is not there yet"),
		field.Bytes("hash").Unique().Immutable().Sensitive(),
		field.Time("expires_at").Immutable(),
		field.Time("used_at").Optional().Nillable(),
	}
}

func (SetupToken) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("setup_tokens").Field("user_id").Unique().Immutable(),
	}
}

func (SetupToken) Indexes() []ent.Index { return []ent.Index{index.Fields("user_id")} }
