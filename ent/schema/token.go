package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
)

// SetupToken lets whoever has it make the first administrator, once: it is
// deleted when it is used. Only the SHA-256 of the token is kept.
type SetupToken struct{ ent.Schema }

func (SetupToken) Annotations() []schema.Annotation {
	return []schema.Annotation{notInGraphQL}
}

func (SetupToken) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (SetupToken) Fields() []ent.Field {
	return []ent.Field{
		field.Bytes("hash").Unique().Immutable().Sensitive(),
		field.Time("expires_at").Immutable(),
	}
}
