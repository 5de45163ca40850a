// Package schema declares the entities of the control plane, and those event
// tables that the product also reads through generated models.
//
// Column rules that hold everywhere: identifiers that travel on the wire are
// UUIDv7, made by the server; times are timestamptz; nothing is deleted that a
// report or the audit trail may still name, it is archived or revoked.
package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/mixin"
	"github.com/google/uuid"
)

// newID makes a UUIDv7, so that rows of one table are stored in the order they
// were made.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// identified gives an entity a UUIDv7 id and its creation time.
type identified struct{ mixin.Schema }

func (identified) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(newID).Immutable(),
		created(),
	}
}

func timeNow() time.Time { return time.Now() }

func created() ent.Field {
	return field.Time("created_at").Default(timeNow).Immutable().
		Annotations(entsql.DefaultExpr("CURRENT_TIMESTAMP"))
}

// archivable adds the time at which something was put away; null while it is
// in use.
type archivable struct{ mixin.Schema }

func (archivable) Fields() []ent.Field {
	return []ent.Field{field.Time("archived_at").Optional().Nillable()}
}

// jsonb is the PostgreSQL type of every JSON column.
var jsonb = map[string]string{dialect.Postgres: "jsonb"}
