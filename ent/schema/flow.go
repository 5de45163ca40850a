package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

// Flow is a dashboard-authored onboarding or paywall. Its draft is the one
// mutable manifest; publishing copies it into an immutable version.
type Flow struct{ ent.Schema }

func (Flow) Mixin() []ent.Mixin { return []ent.Mixin{identified{}, archivable{}} }

func (Flow) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("app_id", uuid.UUID{}).Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(120),
		field.JSON("draft", json.RawMessage{}).SchemaType(jsonb).
			Annotations(ofGraphQL("JSON")),
		field.Int("draft_revision").Default(1).
			Comment("rises with every edit and every saved draft; a save names the revision it was made from"),
		field.Int("draft_stored_revision").Optional().Nillable().
			Comment("the revision that draft is of, a checkpoint; null: the present one").
			Annotations(notInGraphQL),
		field.JSON("publish_request", json.RawMessage{}).Optional().SchemaType(jsonb).
			Comment("what somebody who may not publish, such as an assistant, asked to be published; null: nothing").
			Annotations(notInGraphQL),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (Flow) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("app", App.Type).Ref("flows").Field("app_id").Unique().Required().Immutable(),
		edge.To("versions", FlowVersion.Type),
	}
}

func (Flow) Indexes() []ent.Index { return []ent.Index{index.Fields("app_id")} }

// FlowVersion is a published, numbered, immutable manifest.
type FlowVersion struct{ ent.Schema }

func (FlowVersion) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (FlowVersion) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("flow_id", uuid.UUID{}).Immutable(),
		field.Int("number").Positive().Immutable(),
		field.String("label").Default("").MaxRuneLen(120),
		field.Bytes("manifest").Immutable().Comment("canonical JSON, served byte for byte").
			Annotations(notInGraphQL),
		field.String("checksum").Immutable().Comment("SHA-256 of the manifest, lower-case hex"),
		field.UUID("created_by", uuid.UUID{}).Optional().Nillable().Immutable(),
	}
}

func (FlowVersion) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("flow", Flow.Type).Ref("versions").Field("flow_id").Unique().Required().Immutable(),
	}
}

func (FlowVersion) Indexes() []ent.Index {
	return []ent.Index{index.Fields("flow_id", "number").Unique()}
}

// Channel is the address an app resolves. What it serves is its assignment:
// nothing, one version, or an experiment.
type Channel struct{ ent.Schema }

func (Channel) Annotations() []schema.Annotation {
	return []schema.Annotation{notInGraphQL}
}

func (Channel) Mixin() []ent.Mixin { return []ent.Mixin{archivable{}} }

func (Channel) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.Int64("environment_id").Immutable(),
		field.String("public_id").NotEmpty().Unique().Immutable().Comment("ch_test_… or ch_live_…"),
		field.String("name").NotEmpty().MaxRuneLen(120),
		field.Enum("assignment").Values("none", "direct", "experiment").Default("none"),
		field.UUID("flow_version_id", uuid.UUID{}).Optional().Nillable(),
		field.UUID("experiment_id", uuid.UUID{}).Optional().Nillable(),
		field.Int("assignment_version").Default(0).NonNegative().
			Comment("rises on every change of what anyone may get (wire.md §3.7)"),
		field.Bool("automatic_return").Default(false).
			Comment("go back to the version before when a new one does harm"),
		created(),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (Channel) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("environment", Environment.Type).Ref("channels").Field("environment_id").Unique().Required().Immutable(),
		edge.To("flow_version", FlowVersion.Type).Field("flow_version_id").Unique(),
		edge.To("assignments", Assignment.Type),
		edge.To("experiments", Experiment.Type),
	}
}

func (Channel) Indexes() []ent.Index { return []ent.Index{index.Fields("environment_id")} }

// Assignment is one entry of a channel's history: what it served from one
// assignment version on.
type Assignment struct{ ent.Schema }

func (Assignment) Annotations() []schema.Annotation {
	return []schema.Annotation{notInGraphQL}
}

func (Assignment) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id").Immutable(),
		field.Int64("channel_id").Immutable(),
		field.Int("assignment_version").Immutable(),
		field.Enum("assignment").Values("none", "direct", "experiment").Immutable(),
		field.UUID("flow_version_id", uuid.UUID{}).Optional().Nillable().Immutable(),
		field.UUID("experiment_id", uuid.UUID{}).Optional().Nillable().Immutable(),
		field.String("reason").Immutable().Comment("what changed, such as pin, branding or experiment.start"),
		field.UUID("changed_by", uuid.UUID{}).Optional().Nillable().Immutable(),
		created(),
	}
}

func (Assignment) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("channel", Channel.Type).Ref("assignments").Field("channel_id").Unique().Required().Immutable(),
	}
}

func (Assignment) Indexes() []ent.Index {
	return []ent.Index{index.Fields("channel_id", "assignment_version").Unique()}
}

// Experiment splits a channel's people over variants. Weights and order are
// frozen while it serves (wire.md §3.9).
type Experiment struct{ ent.Schema }

func (Experiment) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Experiment) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("channel_id").Immutable(),
		field.String("name").NotEmpty().MaxRuneLen(120),
		field.String("salt").NotEmpty().Immutable(),
		field.Enum("status").Values("draft", "running", "pending_decision", "stopped").Default("draft"),
		field.Enum("split_by").Values("device", "custom_user_id").Default("device").
			Comment("What is given one variant and counted once. Frozen once it was started."),
		field.JSON("planner", json.RawMessage{}).SchemaType(jsonb).Optional().
			Comment("inputs of the sample size planner (product.md §4)").
			Annotations(ofGraphQL("JSON")),
		field.JSON("goals", json.RawMessage{}).SchemaType(jsonb).Optional().
			Comment("those that results measure: studio.ExperimentGoal").
			Annotations(notInGraphQL),
		field.Time("ends_at").Optional().Nillable(),
		field.Time("started_at").Optional().Nillable(),
		field.Time("stopped_at").Optional().Nillable(),
		field.Time("extended_at").Optional().Nillable().
			Comment("the last time; results keep their sequence from the first one on"),
		field.Time("updated_at").Default(timeNow).UpdateDefault(timeNow),
	}
}

func (Experiment) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("channel", Channel.Type).Ref("experiments").Field("channel_id").Unique().Required().Immutable(),
		edge.To("variants", Variant.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

func (Experiment) Indexes() []ent.Index { return []ent.Index{index.Fields("channel_id")} }

// Variant is one arm of an experiment; the first in order is the control.
type Variant struct{ ent.Schema }

func (Variant) Mixin() []ent.Mixin { return []ent.Mixin{identified{}} }

func (Variant) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("experiment_id", uuid.UUID{}).Immutable(),
		field.String("key").NotEmpty().MaxLen(64),
		field.String("name").Default("").MaxRuneLen(120),
		field.Int("position").NonNegative(),
		field.Int("weight").NonNegative(),
		field.UUID("flow_version_id", uuid.UUID{}).Optional().Nillable(),
	}
}

func (Variant) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("experiment", Experiment.Type).Ref("variants").Field("experiment_id").Unique().Required().Immutable(),
		edge.To("flow_version", FlowVersion.Type).Field("flow_version_id").Unique(),
	}
}

func (Variant) Indexes() []ent.Index {
	return []ent.Index{index.Fields("experiment_id", "key").Unique()}
}
