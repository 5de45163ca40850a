package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/segment"
	"github.com/svc-dev/svc/ent/segmentmember"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// Bounds on the imported ids of one segment: whoever may manage segments must not fill the disk, nor the memory of
// who evaluates them.
const (
	maxImported      = 1_000_000
	maxImportedBytes = 64 << 20
)

// SegmentChange names what to change of an audience; nil leaves a part as it is.
type SegmentChange struct {
	Name       *string
	Rules      *SegmentRules
	ClearRules bool // only imported ids are left
	WindowDays *int `json:"windowDays" validate:"omitnil,min=1,max=1827"`
}

func (c SegmentChange) validate() error {
	if err := validate.Input(c); err != nil {
		return err
	}
	if c.Rules == nil {
		return nil
	}
	if c.ClearRules {
		return fault.Invalid("importedOnly", "leaves no room for rules")
	}
	rules, err := c.Rules.analytics(0)
	if err != nil {
		return err
	}
	if analytics.HasGoalFilter(rules.Cross) { // whom it chooses is not to depend on what becomes of a goal
		return fault.Invalid("segment.cross.goal", "is not taken here: use where.goal with the goal's condition")
	}
	return (&analytics.Segment{Rules: rules}).Validate()
}

// CreateSegment makes an audience of an app.
func (s *Studio) CreateSegment(ctx context.Context, app uuid.UUID, change SegmentChange) (*ent.Segment, error) {
	a, err := s.findApp(ctx, app, account.SegmentManage)
	if err != nil {
		return nil, err
	}
	if change.Name == nil {
		return nil, fault.Invalid("name", "is required")
	}
	name, err := validate.Name("name", *change.Name)
	if err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	entry := record{a.WorkspaceID, "segment.create", id.String(), map[string]any{"name": name}}
	var made *ent.Segment
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := tx.Segment.Create().SetID(id).SetAppID(app).SetName(name).Exec(ctx); err != nil {
			return fmt.Errorf("store the segment: %w", err)
		}
		made, err = writeSegment(ctx, tx, id, change)
		return err
	})
	return made, err
}

func writeSegment(ctx context.Context, tx *ent.Tx, id uuid.UUID, change SegmentChange) (*ent.Segment, error) {
	if err := change.validate(); err != nil {
		return nil, err
	}
	update := tx.Segment.UpdateOneID(id).SetNillableWindowDays(change.WindowDays)
	if change.Name != nil {
		name, err := validate.Name("name", *change.Name)
		if err != nil {
			return nil, err
		}
		update.SetName(name)
	}
	if change.Rules != nil {
		stored, err := json.Marshal(change.Rules)
		if err != nil {
			return nil, fmt.Errorf("write the rules: %w", err)
		}
		update.SetFilters(stored)
	}
	if change.ClearRules {
		update.ClearFilters()
	}
	changed, err := update.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the segment: %w", err)
	}
	return changed, nil
}

func (s *Studio) segment(ctx context.Context, id uuid.UUID) (*ent.App, *ent.Segment, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, nil, err
	}
	found, err := s.client.Segment.Query().Where(segment.ID(id)).WithApp().Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "segment")
	}
	app := found.Edges.App
	return app, found, account.AuthorizeAppChange(ctx, ownerOf(app), "segment", account.SegmentManage)
}

// authorizeMembers checks that the caller may change who is in a segment, or meets a goal: when an active automation
// enrols who enters it, that needs engage:send, as enrolling people by hand does.
func authorizeMembers(ctx context.Context, tx *ent.Tx, app *ent.App, id uuid.UUID) error {
	enrols, err := automation.SegmentEnrols(ctx, tx, app.ID, id)
	if err != nil || !enrols {
		return err
	}
	return account.AuthorizeAlso(
		ctx, app.WorkspaceID, account.EngageSend, "an active automation enrols those whom it chooses",
	)
}

// UpdateSegment changes an audience.
func (s *Studio) UpdateSegment(ctx context.Context, id uuid.UUID, change SegmentChange) (*ent.Segment, error) {
	app, changed, err := s.segment(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, record{app.WorkspaceID, "segment.update", id.String(), nil}, func(tx *ent.Tx) error {
		if change.Rules != nil || change.ClearRules || change.WindowDays != nil {
			if err := authorizeMembers(ctx, tx, app, id); err != nil {
				return err
			}
		}
		changed, err = writeSegment(ctx, tx, id, change)
		return err
	})
	return changed, err
}

// DeleteSegment removes an audience with its imported ids.
func (s *Studio) DeleteSegment(ctx context.Context, id uuid.UUID) error {
	app, found, err := s.segment(ctx, id)
	if err != nil {
		return err
	}
	entry := record{app.WorkspaceID, "segment.delete", id.String(), map[string]any{"name": found.Name}}
	return s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := authorizeMembers(ctx, tx, app, id); err != nil {
			return err
		}
		needs := func(r *alert.Rule) bool { return r.NeedsSegment(id) }
		if err := refuseWatched(ctx, tx, app.ID, "segment", needs); err != nil {
			return err
		}
		if _, err := tx.SegmentMember.Delete().Where(segmentmember.SegmentID(id)).Exec(ctx); err != nil {
			return fmt.Errorf("delete the imported ids: %w", err)
		}
		if err := tx.Segment.DeleteOneID(id).Exec(ctx); err != nil {
			return fmt.Errorf("delete the segment: %w", err)
		}
		return nil
	})
}

func validateMembers(values []string) error {
	return validate.Input(struct {
		Values []string `json:"values" validate:"min=1,max=10000,dive,name=256"`
	}{values})
}

// ImportMembers adds ids to an audience; those that are there stay. An audience has at most a million imported ids, of
// 64 MiB together.
func (s *Studio) ImportMembers(
	ctx context.Context, id uuid.UUID, kind segmentmember.Kind, values []string,
) (*ent.Segment, error) {
	app, found, err := s.segment(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := validateMembers(values); err != nil {
		return nil, err
	}
	entry := record{app.WorkspaceID, "segment.import", id.String(), map[string]any{"kind": kind, "count": len(values)}}
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := authorizeMembers(ctx, tx, app, id); err != nil {
			return err
		}
		if found, err = touchSegment(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			insert into segment_members (segment_id, kind, value)
			select $1, $2, value from unnest($3::text[]) value
			on conflict do nothing`, id, string(kind), values)
		if err != nil {
			return fmt.Errorf("import the ids: %w", err)
		}
		return checkImported(ctx, tx, id)
	})
	return found, err
}

// touchSegment raises the time of a segment's latest change, which tells that its imported ids differ. Whoever changes
// them next waits for the transaction.
func touchSegment(ctx context.Context, tx *ent.Tx, id uuid.UUID) (*ent.Segment, error) {
	touched, err := tx.Segment.UpdateOneID(id).Save(ctx) // sets updated_at
	if err != nil {
		return nil, fmt.Errorf("store the segment: %w", err)
	}
	return touched, nil
}

// checkImported holds the imported ids of a segment against their bounds.
func checkImported(ctx context.Context, tx *ent.Tx, id uuid.UUID) error {
	var sums []struct {
		Count int64 `json:"count"`
		Bytes int64 `json:"bytes"`
	}
	err := tx.SegmentMember.Query().Where(segmentmember.SegmentID(id)).
		Aggregate(ent.Count(), func(*sql.Selector) string { return "coalesce(sum(octet_length(value)), 0) as bytes" }).
		Scan(ctx, &sums)
	if err != nil {
		return fmt.Errorf("count the imported ids: %w", err)
	}
	if sums[0].Count > maxImported || sums[0].Bytes > maxImportedBytes {
		return fault.Invalid("values", "would give the segment more than %d imported ids, or more than %d bytes of them",
			maxImported, maxImportedBytes)
	}
	return nil
}

// RemoveMembers takes imported ids out of an audience.
func (s *Studio) RemoveMembers(
	ctx context.Context, id uuid.UUID, kind segmentmember.Kind, values []string,
) (*ent.Segment, error) {
	app, found, err := s.segment(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := validateMembers(values); err != nil {
		return nil, err
	}
	entry := record{app.WorkspaceID, "segment.remove", id.String(), map[string]any{"kind": kind, "count": len(values)}}
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := authorizeMembers(ctx, tx, app, id); err != nil {
			return err
		}
		if found, err = touchSegment(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.SegmentMember.Delete().
			Where(segmentmember.SegmentID(id), segmentmember.KindEQ(kind), segmentmember.ValueIn(values...)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("remove the ids: %w", err)
		}
		return nil
	})
	return found, err
}

// Audience reads an audience of the app for the report engine, which reads the imported ids when it must evaluate them
// anew. The caller has checked who asks. One of another app does not exist; field names the input in that error.
func (s *Studio) Audience(ctx context.Context, app, id uuid.UUID, field string) (*analytics.Segment, error) {
	found, err := s.client.Segment.Query().Where(segment.ID(id), segment.AppID(app)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Invalid(field, "is not a segment of this app")
	}
	if err != nil {
		return nil, fmt.Errorf("read the segment: %w", err)
	}
	audience := &analytics.Segment{
		ID: id.String(), Version: found.UpdatedAt.UTC().Format(time.RFC3339Nano),
		ReadImported: func(ctx context.Context) (appUserIDs, customUserIDs []string, err error) {
			return s.readImported(ctx, id)
		},
	}
	if len(found.Filters) > 0 && string(found.Filters) != "null" {
		var rules SegmentRules
		if err := json.Unmarshal(found.Filters, &rules); err != nil {
			return nil, fmt.Errorf("read the rules of segment %s: %w", id, err)
		}
		if audience.Rules, err = rules.analytics(found.WindowDays); err != nil {
			return nil, err
		}
	}
	return audience, nil
}

func (s *Studio) readImported(ctx context.Context, id uuid.UUID) (appUserIDs, customUserIDs []string, err error) {
	for kind, into := range map[segmentmember.Kind]*[]string{
		segmentmember.KindAppUser: &appUserIDs, segmentmember.KindCustomUser: &customUserIDs,
	} {
		*into, err = s.client.SegmentMember.Query().Where(segmentmember.SegmentID(id), segmentmember.KindEQ(kind)).
			Select(segmentmember.FieldValue).Strings(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("read the imported ids: %w", err)
		}
	}
	return appUserIDs, customUserIDs, nil
}

// AudienceOf returns the audience that rules would make, and stores nothing.
func AudienceOf(rules *SegmentRules, windowDays int) (*analytics.Segment, error) {
	if err := (SegmentChange{Rules: rules, WindowDays: &windowDays}).validate(); err != nil {
		return nil, err
	}
	evaluated, err := rules.analytics(windowDays)
	if err != nil {
		return nil, err
	}
	return &analytics.Segment{Rules: evaluated}, nil
}
