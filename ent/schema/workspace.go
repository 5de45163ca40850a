package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Workspace owns members, apps, media, keys and a subscription.
type Workspace struct{ ent.Schema }

func (Workspace) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Workspace) Fields() []ent.Field {
	return []ent.Field{field.String("name").NotEmpty().MaxRuneLen(120)}
}

func (Workspace) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("memberships", Membership.Type),
		edge.To("invitations", Invitation.Type),
		edge.To("apps", App.Type),
		edge.To("api_keys", APIKey.Type),
		edge.To("media_assets", MediaAsset.Type),
		edge.To("subscription", Subscription.Type).Unique(),
		edge.To("audit_entries", AuditEntry.Type),
	}
}

// User is a person who signs in to the dashboard. There is none for somebody who
// was only invited. The e-mail is stored in lower case, the password as an
// argon2id hash.
type User struct{ ent.Schema }

func (User) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (User) Fields() []ent.Field {
	return []ent.Field{
		field.String("email").NotEmpty().MaxLen(254).Unique(),
		field.String("name").Default("").MaxRuneLen(120),
		field.String("password_hash").NotEmpty().Sensitive(),
	}
}

func (User) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("memberships", Membership.Type),
		edge.To("invitations", Invitation.Type),
		edge.To("api_keys", APIKey.Type),
		edge.To("notes", Note.Type),
		edge.To("shared_links", SharedLink.Type),
	}
}

// Membership ties a user to a workspace with a role.
type Membership struct{ ent.Schema }

func (Membership) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Membership) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("workspace_id", uuid.UUID{}).Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.Enum("role").Values("owner", "admin", "editor", "viewer"),
	}
}

func (Membership) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("workspace", Workspace.Type).Ref("memberships").Field("workspace_id").Unique().Required().Immutable(),
		edge.From("user", User.Type).Ref("memberships").Field("user_id").Unique().Required().Immutable(),
	}
}

func (Membership) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("workspace_id", "user_id").Unique(),
		index.Fields("user_id"),
	}
}

// Invitation lets whoever has its token enter one workspace, under one e-mail
// and with one role. It is deleted when it is accepted, declined, revoked or
// replaced; the audit trail keeps what became of it. Only the SHA-256 of the
// token is kept.
type Invitation struct{ ent.Schema }

func (Invitation) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Invitation) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("workspace_id", uuid.UUID{}).Immutable(),
		field.UUID("invited_by", uuid.UUID{}).Immutable(),
		field.String("email").NotEmpty().MaxLen(254).Immutable().Comment("in lower case"),
		field.Enum("role").Values("admin", "editor", "viewer").Immutable(),
		field.Bytes("hash").Unique().Immutable().Sensitive(),
		field.Time("expires_at").Immutable(),
	}
}

func (Invitation) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("workspace", Workspace.Type).Ref("invitations").Field("workspace_id").Unique().Required().Immutable(),
		edge.From("inviter", User.Type).Ref("invitations").Field("invited_by").Unique().Required().Immutable(),
	}
}

func (Invitation) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("workspace_id", "email").Unique(),
		index.Fields("invited_by"),
		index.Fields("expires_at"),
	}
}

// APIKey is a workspace key (svc_wk_…): personal, scoped, shown once. Only its
// SHA-256 and its last four characters are kept. One with a client host has no
// secret: an OAuth client acts by it with tokens.
type APIKey struct{ ent.Schema }

func (APIKey) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "api_keys"}}
}

func (APIKey) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (APIKey) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("workspace_id", uuid.UUID{}).Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(120),
		field.Bytes("hash").Unique().Immutable().Sensitive(),
		field.String("last_four").Immutable(),
		field.String("client_host").Optional().Nillable().Immutable().
			Comment("Where the OAuth client is that acts by it. Null for a key that a person made."),
		field.Strings("scopes").SchemaType(jsonb).Annotations(notInGraphQL),
		field.Time("last_used_at").Optional().Nillable(),
		field.Time("revoked_at").Optional().Nillable(),
	}
}

func (APIKey) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("workspace", Workspace.Type).Ref("api_keys").Field("workspace_id").Unique().Required().Immutable(),
		edge.From("user", User.Type).Ref("api_keys").Field("user_id").Unique().Required().Immutable(),
	}
}

func (APIKey) Indexes() []ent.Index { return []ent.Index{index.Fields("workspace_id")} }

// Plan names what a subscription includes. A self-hosted server has one plan
// with every feature and no limit.
type Plan struct{ ent.Schema }

func (Plan) Annotations() []schema.Annotation {
	return []schema.Annotation{notInGraphQL}
}

func (Plan) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").StorageKey("key").NotEmpty().MaxLen(40).Immutable(),
		field.String("name").NotEmpty(),
		field.Strings("features").SchemaType(jsonb).
			Comment("feature keys: animations, motion, translations, integrations, attribution, experiments"),
		field.JSON("limits", map[string]int64{}).SchemaType(jsonb).
			Comment("limit key to value; a missing key means no limit").
			Annotations(ofGraphQL("JSON")),
		created(),
	}
}

func (Plan) Edges() []ent.Edge {
	return []ent.Edge{edge.To("subscriptions", Subscription.Type)}
}

// Subscription puts a workspace on a plan.
type Subscription struct{ ent.Schema }

func (Subscription) Annotations() []schema.Annotation {
	return []schema.Annotation{notInGraphQL}
}

func (Subscription) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Subscription) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("workspace_id", uuid.UUID{}).Immutable(),
		field.String("plan_id"),
		field.Enum("status").Values("active", "past_due", "cancelled").Default("active"),
		field.Time("past_due_since").Optional().Nillable(),
	}
}

func (Subscription) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("workspace", Workspace.Type).Ref("subscription").Field("workspace_id").Unique().Required().Immutable(),
		edge.From("plan", Plan.Type).Ref("subscriptions").Field("plan_id").Unique().Required(),
	}
}

// AuditEntry records who changed what. It is written in the transaction of the
// change itself.
type AuditEntry struct{ ent.Schema }

func (AuditEntry) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (AuditEntry) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("workspace_id", uuid.UUID{}).Immutable(),
		field.UUID("user_id", uuid.UUID{}).Optional().Nillable().Immutable(),
		field.UUID("api_key_id", uuid.UUID{}).Optional().Nillable().Immutable(),
		field.String("action").NotEmpty().Immutable().Comment("verb of the change, such as channel.pin"),
		field.String("subject").Immutable().Comment("id of what was changed"),
		field.JSON("detail", map[string]any{}).Optional().SchemaType(jsonb).Immutable().
			Annotations(ofGraphQL("JSON")),
	}
}

func (AuditEntry) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("workspace", Workspace.Type).Ref("audit_entries").Field("workspace_id").Unique().Required().Immutable(),
	}
}

func (AuditEntry) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "created_at")}
}
