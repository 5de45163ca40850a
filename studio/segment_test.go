package studio_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

func TestSegmentsAreRulesAndImportedIDs(t *testing.T) {
	w := newWorld(t)
	create := func(change studio.SegmentChange) error {
		_, err := w.CreateSegment(w.owner, w.app.ID, change)
		return err
	}
	refused(t, create(studio.SegmentChange{}), fault.InvalidInput, "name")
	refused(t, create(studio.SegmentChange{Name: ptr(" ")}), fault.InvalidInput, "name")
	refused(t, create(studio.SegmentChange{Name: ptr(long(121))}), fault.InvalidInput, "name")
	for _, days := range []int{0, 1828} {
		refused(t, create(studio.SegmentChange{Name: ptr("x"), WindowDays: &days}), fault.InvalidInput, "windowDays")
	}
	rules := &studio.SegmentRules{
		Platform: "WEB", Columns: map[string]string{"source": "google", "os": "iOS"},
		Cross: map[string]studio.RuleFilter{"page": {Op: "CONTAINS", Values: []string{"/docs"}}},
	}
	refused(
		t, create(studio.SegmentChange{Name: ptr("x"), Rules: rules, ClearRules: true}), fault.InvalidInput, "importedOnly",
	)
	require.Error(t, create(studio.SegmentChange{Name: ptr("x"), Rules: &studio.SegmentRules{
		Cross: map[string]studio.RuleFilter{"os": {Op: "CONTAINS", Values: []string{"i"}}}}}), "an operator of texts")

	segment := made(w.CreateSegment(w.owner, w.app.ID, studio.SegmentChange{Name: ptr("Readers"), Rules: rules}))(t)
	made(w.ImportMembers(w.owner, segment.ID, "app_user", []string{"a", "b", "a"}))(t)
	made(w.ImportMembers(w.owner, segment.ID, "custom_user", []string{"c"}))(t)
	made(w.RemoveMembers(w.owner, segment.ID, "app_user", []string{"b", "nobody"}))(t)
	for field, values := range map[string][]string{
		"values": {}, "values.1": {"a", ""}, "values.0": {strings.Repeat("x", 257)}, "values.2": {"a", "b", "\x00"},
	} {
		_, err := w.ImportMembers(w.owner, segment.ID, "app_user", values)
		refused(t, err, fault.InvalidInput, field)
		_, err = w.RemoveMembers(w.owner, segment.ID, "app_user", values)
		refused(t, err, fault.InvalidInput, field)
	}
	audience := made(w.Audience(w.owner, w.app.ID, segment.ID, "segmentId"))(t)
	require.Empty(t, audience.AppUserIDs, "they are read when somebody must evaluate them")
	audience = made(audience.WithImported(w.owner))(t)
	require.Equal(t, []string{"a"}, audience.AppUserIDs)
	require.Equal(t, []string{"c"}, audience.CustomUserIDs)
	require.Equal(t, 90, audience.Rules.Days)
	require.Equal(t, "iOS", *audience.Rules.Columns.OS)
	require.Equal(t, "web", audience.Rules.Platform)
	made(w.ImportMembers(w.owner, segment.ID, "app_user", []string{"d"}))(t)
	more := made(w.Audience(w.owner, w.app.ID, segment.ID, "segmentId"))(t)
	require.NotEqual(t, audience.Version, more.Version)
	made(w.RemoveMembers(w.owner, segment.ID, "app_user", []string{"d"}))(t)
	require.NotEqual(t, more.Version, made(w.Audience(w.owner, w.app.ID, segment.ID, "segmentId"))(t).Version)
	_, err := w.Audience(w.owner, uuid.New(), segment.ID, "segmentId")
	refused(t, err, fault.InvalidInput, "segmentId")

	// What was stored before the first release has other names of columns.
	w.db.Ent().Segment.UpdateOneID(segment.ID).SetFilters(
		json.RawMessage(`{"columns": {"operatingSystems": "Android"}}`),
	).ExecX(w.owner)
	require.Equal(t, "Android", *made(w.Audience(w.owner, w.app.ID, segment.ID, ""))(t).Rules.Columns.OS)
	w.db.Ent().Segment.UpdateOneID(segment.ID).SetFilters(json.RawMessage(`{"columns": {"shoe": "42"}}`)).ExecX(w.owner)
	_, err = w.Audience(w.owner, w.app.ID, segment.ID, "")
	require.ErrorContains(t, err, "shoe")

	made(w.UpdateSegment(w.owner, segment.ID, studio.SegmentChange{ClearRules: true, WindowDays: ptr(7)}))(t)
	require.Nil(t, made(w.Audience(w.owner, w.app.ID, segment.ID, ""))(t).Rules)
	estimated := made(studio.AudienceOf(rules, 30))(t)
	require.Equal(t, 30, estimated.Rules.Days)
	_, err = studio.AudienceOf(rules, 0)
	refused(t, err, fault.InvalidInput, "windowDays")
	require.NoError(t, w.DeleteSegment(w.owner, segment.ID))
	refused(t, w.DeleteSegment(w.owner, segment.ID), fault.NotFound, "")
}

// The imported ids of a segment are bounded in bytes too: 256 characters may be 768 bytes.
func TestImportedIDsAreBounded(t *testing.T) {
	w := newWorld(t)
	segment := made(w.CreateSegment(w.owner, w.app.ID, studio.SegmentChange{Name: ptr("Everybody")}))(t)
	for i := range 23 {
		_, err := w.db.Pool.Exec(w.owner, `
			insert into segment_members (segment_id, kind, value)
			select $1, 'app_user', repeat('漢', 240) || ($2::int + i) from generate_series(1, 4000) i`, segment.ID, i*4_000)
		require.NoError(t, err)
	}
	made(w.ImportMembers(w.owner, segment.ID, "app_user", []string{"one more"}))(t)
	_, err := w.db.Pool.Exec(w.owner, `
		insert into segment_members (segment_id, kind, value)
		select $1, 'custom_user', repeat('漢', 240) || i from generate_series(1, 1500) i`, segment.ID)
	require.NoError(t, err)
	_, err = w.ImportMembers(w.owner, segment.ID, "app_user", []string{"one too many"})
	refused(t, err, fault.InvalidInput, "values")
	made(w.RemoveMembers(w.owner, segment.ID, "app_user", []string{"one more"}))(t)
}
