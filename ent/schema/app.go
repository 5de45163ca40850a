package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// App is one product of a workspace, with exactly two environments.
type App struct{ ent.Schema }

func (App) Mixin() []ent.Mixin { return []ent.Mixin{identified{}, archivable{}} }

func (App) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("workspace_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(120),
		field.Strings("allowed_origins").SchemaType(jsonb).Default([]string{}).
			Comment("exact browser origins, at most 20; empty means any (wire.md §11)"),
		field.Bool("ignore_bots").Default(true).
			Comment("acknowledge known crawlers without storing them (analytics.md §1)"),
		field.Int("completion_window_days").Default(1).
			Comment("days within which a run of a flow is expected to complete: 1, 3, 7 or 14 (flow-analytics.md §1)"),
		field.Int("purchase_window_days").Default(3).
			Comment("days after a run's start in which purchases belong to it: 1, 3, 7 or 14"),
		field.Int("lapse_minutes").Default(30).
			Comment("minutes without an event after which a run has lapsed: 5 to 1,440"),
		field.JSON("integrations", json.RawMessage{}).SchemaType(jsonb).
			Default(func() json.RawMessage { return json.RawMessage("{}") }).
			Comment("partial integrations of wire.md §3.4; unknown keys are kept").
			Annotations(notInGraphQL),
		field.JSON("canvas_gates", map[string]bool{}).SchemaType(jsonb).Default(map[string]bool{}).
			Comment("canvas gates that are off (manifest.md §12.3); a missing key is on").
			Annotations(notInGraphQL),
	}
}

func (App) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("workspace", Workspace.Type).Ref("apps").Field("workspace_id").Unique().Required().Immutable(),
		edge.To("environments", Environment.Type),
		edge.To("flows", Flow.Type),
		edge.To("branding", Branding.Type).Unique(),
		edge.To("segments", Segment.Type),
		edge.To("saved_views", SavedView.Type),
		edge.To("goals", Goal.Type),
		edge.To("funnels", Funnel.Type),
		edge.To("components", Component.Type),
	}
}

func (App) Indexes() []ent.Index { return []ent.Index{index.Fields("workspace_id")} }

// Environment is the test or the live half of an app. Its id is the tenant key
// of every event, session and ledger row.
type Environment struct{ ent.Schema }

func (Environment) Annotations() []schema.Annotation {
	return []schema.Annotation{notInGraphQL}
}

func (Environment) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.UUID("app_id", uuid.UUID{}).Immutable(),
		field.Enum("kind").Values("test", "live").Immutable(),
		created(),
	}
}

func (Environment) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("app", App.Type).Ref("environments").Field("app_id").Unique().Required().Immutable(),
		edge.To("publishable_keys", PublishableKey.Type),
		edge.To("channels", Channel.Type),
		edge.To("notes", Note.Type),
		edge.To("alerts", Alert.Type),
		edge.To("shared_links", SharedLink.Type),
	}
}

func (Environment) Indexes() []ent.Index {
	return []ent.Index{index.Fields("app_id", "kind").Unique()}
}

// PublishableKey lets SDKs of one environment in. It is an identifier, not a
// secret, so it is stored as it is.
type PublishableKey struct{ ent.Schema }

func (PublishableKey) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (PublishableKey) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("environment_id").Immutable(),
		field.String("key").NotEmpty().Unique().Immutable().Comment("ob_pk_test_… or ob_pk_live_…"),
		field.Time("revoked_at").Optional().Nillable(),
	}
}

func (PublishableKey) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("environment", Environment.Type).Ref("publishable_keys").Field("environment_id").
			Unique().Required().Immutable(),
	}
}

func (PublishableKey) Indexes() []ent.Index { return []ent.Index{index.Fields("environment_id")} }

// Branding holds an app's icon, colors, gradients and fonts in the shape of
// wire.md §3.3.
type Branding struct{ ent.Schema }

func (Branding) Annotations() []schema.Annotation {
	return []schema.Annotation{notInGraphQL}
}

func (Branding) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Branding) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("app_id", uuid.UUID{}).Immutable(),
		field.JSON("data", json.RawMessage{}).SchemaType(jsonb).
			Annotations(ofGraphQL("JSON")),
	}
}

func (Branding) Edges() []ent.Edge {
	return []ent.Edge{edge.From("app", App.Type).Ref("branding").Field("app_id").Unique().Required().Immutable()}
}

// MediaAsset is an uploaded file, stored under its content's SHA-256.
type MediaAsset struct{ ent.Schema }

func (MediaAsset) Mixin() []ent.Mixin { return []ent.Mixin{identified{}, archivable{}} }

func (MediaAsset) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("workspace_id", uuid.UUID{}).Immutable(),
		field.Enum("type").Values("image", "font", "lottie", "video").Immutable(),
		field.String("name").Default("").MaxRuneLen(200),
		field.String("content_type").NotEmpty().Immutable(),
		field.Int64("size_bytes").NonNegative().Immutable().Annotations(ofGraphQL("Count64")),
		field.String("sha256").NotEmpty().Immutable().Comment("lower-case hex of the content"),
		field.String("extension").Immutable().Comment("without the dot; the file is served as <sha256>.<extension>"),
	}
}

func (MediaAsset) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("workspace", Workspace.Type).Ref("media_assets").Field("workspace_id").Unique().Required().Immutable(),
	}
}

func (MediaAsset) Indexes() []ent.Index {
	return []ent.Index{index.Fields("workspace_id", "sha256")}
}

// Segment is a saved audience of one app: people with a session in the last
// days that passes the filters, together with imported ids (analytics.md §3).
type Segment struct{ ent.Schema }

func (Segment) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Segment) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("app_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(120),
		field.JSON("filters", json.RawMessage{}).SchemaType(jsonb).Optional().
			Comment("rules in the shape of the GraphQL input; null for an audience of imported ids only").
			Annotations(notInGraphQL),
		field.Int("window_days").Default(90).Positive(),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (Segment) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("app", App.Type).Ref("segments").Field("app_id").Unique().Required().Immutable(),
		edge.To("members", SegmentMember.Type),
	}
}

func (Segment) Indexes() []ent.Index { return []ent.Index{index.Fields("app_id")} }

// SegmentMember is one imported id of a segment.
type SegmentMember struct{ ent.Schema }

func (SegmentMember) Annotations() []schema.Annotation {
	return []schema.Annotation{notInGraphQL}
}

func (SegmentMember) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.UUID("segment_id", uuid.UUID{}).Immutable(),
		field.Enum("kind").Values("app_user", "custom_user").Immutable(),
		field.String("value").NotEmpty().MaxLen(256).Immutable(),
	}
}

func (SegmentMember) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("segment", Segment.Type).Ref("members").Field("segment_id").Unique().Required().Immutable(),
	}
}

func (SegmentMember) Indexes() []ent.Index {
	return []ent.Index{index.Fields("segment_id", "kind", "value").Unique()}
}

// SavedView is a scope of reports under a name: what the scope bar of the dashboard holds.
type SavedView struct{ ent.Schema }

func (SavedView) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (SavedView) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("app_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(120),
		field.JSON("scope", json.RawMessage{}).SchemaType(jsonb).
			Comment("in the shape of the GraphQL input").
			Annotations(notInGraphQL),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (SavedView) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("app", App.Type).Ref("saved_views").Field("app_id").Unique().Required().Immutable(),
	}
}

func (SavedView) Indexes() []ent.Index { return []ent.Index{index.Fields("app_id", "name").Unique()} }

// Goal is a condition on hits under a name. Reports count it over what is stored.
type Goal struct{ ent.Schema }

func (Goal) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Goal) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("app_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(100),
		field.JSON("condition", json.RawMessage{}).SchemaType(jsonb).
			Comment("in the shape of the GraphQL input").
			Annotations(notInGraphQL),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (Goal) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("app", App.Type).Ref("goals").Field("app_id").Unique().Required().Immutable(),
	}
}

func (Goal) Indexes() []ent.Index { return []ent.Index{index.Fields("app_id", "name").Unique()} }

// Funnel is an ordered list of conditions under a name. Reports follow visitors through it over what is stored.
type Funnel struct{ ent.Schema }

func (Funnel) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Funnel) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("app_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(100),
		field.JSON("definition", json.RawMessage{}).SchemaType(jsonb).
			Comment("in the shape of the GraphQL input").
			Annotations(notInGraphQL),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (Funnel) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("app", App.Type).Ref("funnels").Field("app_id").Unique().Required().Immutable(),
	}
}

func (Funnel) Indexes() []ent.Index { return []ent.Index{index.Fields("app_id", "name").Unique()} }

// Alert is a rule that watches a metric of an environment. What watches it keeps where it stands.
type Alert struct{ ent.Schema }

func (Alert) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Alert) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("environment_id").Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(100),
		field.JSON("rule", json.RawMessage{}).SchemaType(jsonb).
			Comment("in the shape of the GraphQL input").
			Annotations(notInGraphQL),
		field.Bool("paused").Default(false),
		field.JSON("state", json.RawMessage{}).SchemaType(jsonb).
			Comment("an alert.State").
			Annotations(notInGraphQL),
		field.Time("due_at").Default(timeNow).
			Comment("when it is looked at next").
			Annotations(notInGraphQL),
		field.String("slack_url").Default("").
			Comment("what may be shown of the URL of its incoming webhook of Slack").
			Annotations(notInGraphQL),
		field.String("key_id").Optional().Nillable().Annotations(notInGraphQL),
		field.Bytes("sealed").Optional().Sensitive().
			Comment("the webhook's URL, encrypted for the id").
			Annotations(notInGraphQL),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (Alert) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("environment", Environment.Type).Ref("alerts").Field("environment_id").Unique().Required().Immutable(),
	}
}

func (Alert) Indexes() []ent.Index {
	return []ent.Index{index.Fields("environment_id", "name").Unique(), index.Fields("due_at")}
}

// Component is a subtree of layers that flows of an app share. What it is at each revision stands in
// component_revision.
type Component struct{ ent.Schema }

func (Component) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Component) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("app_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(120),
		field.Int("revision").Default(1).Comment("grows with each change of the layers"),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (Component) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("app", App.Type).Ref("components").Field("app_id").Unique().Required().Immutable(),
	}
}

func (Component) Indexes() []ent.Index { return []ent.Index{index.Fields("app_id", "name").Unique()} }

// Note is what somebody wrote on the charts of an environment, at a time of theirs.
type Note struct{ ent.Schema }

func (Note) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Note) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("environment_id").Immutable(),
		field.UUID("user_id", uuid.UUID{}).Immutable(),
		field.Time("at").Comment("what it stands at on charts, not when it was written"),
		field.String("text").NotEmpty().MaxRuneLen(280),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (Note) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("environment", Environment.Type).Ref("notes").Field("environment_id").Unique().Required().Immutable(),
		edge.From("author", User.Type).Ref("notes").Field("user_id").Unique().Required().Immutable(),
	}
}

func (Note) Indexes() []ent.Index { return []ent.Index{index.Fields("environment_id", "at")} }
