package resolvers_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	entgo "entgo.io/ent"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/assignment"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/segmentmember"
)

// countReads counts the statements that ent makes for reads from now on.
func (w *world) countReads() *atomic.Int64 {
	reads := &atomic.Int64{}
	w.db.Ent().Intercept(ent.InterceptFunc(func(next ent.Querier) ent.Querier {
		return ent.QuerierFunc(func(ctx context.Context, query ent.Query) (ent.Value, error) {
			reads.Add(1)
			return next.Query(ctx, query)
		})
	}))
	return reads
}

// readColumns notes the columns that are read of flows and versions from now on; "*" stands for all.
func (w *world) readColumns() func() []string {
	var mu sync.Mutex
	var columns []string
	w.db.Ent().Intercept(ent.InterceptFunc(func(next ent.Querier) ent.Querier {
		return ent.QuerierFunc(func(ctx context.Context, query ent.Query) (ent.Value, error) {
			read := entgo.QueryFromContext(ctx)
			if read.Op == entgo.OpQueryAll && (read.Type == ent.TypeFlow || read.Type == ent.TypeFlowVersion) {
				mu.Lock()
				if columns = append(columns, read.Fields...); len(read.Fields) == 0 {
					columns = append(columns, "*")
				}
				mu.Unlock()
			}
			return next.Query(ctx, query)
		})
	}))
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		defer func() { columns = nil }()
		return columns
	}
}

// A list that nobody asks for documents does not read them; one that is asked for them has them.
func TestListsReadDocumentsWhenAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, app := w.as("owner"), w.app("Shop")
	version, channel := w.version(app), w.channel(app)
	owner.must(`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) { channel { id } } }`, vars{"c": channel, "v": version})
	columns := w.readColumns()
	documents := []string{"*", "draft", "manifest"}
	ask := func(members string) answer {
		return owner.must(`query($a: ID!) { app(id: $a) { flows(first: 2) { totalCount nodes { name draftRevision `+members+` } }
			environment { channels(first: 2) { nodes { version { flow { name } } } } } } }`, vars{"a": app})
	}
	ask(`versions(first: 2) { totalCount nodes { number checksum flow { name } } }`)
	read := columns()
	require.NotEmpty(t, read)
	for _, document := range documents {
		require.NotContains(t, read, document)
	}
	got := ask(`draft problems { code } versions(first: 2) { nodes { manifest } }`)
	require.Subset(t, columns(), documents[1:])
	flow := got.at(t, "app", "flows", "nodes", 0)
	require.Contains(t, fmt.Sprint(flow.(map[string]any)["draft"]), "scr_a")
	require.Contains(t, fmt.Sprint(got.at(t, "app", "flows", "nodes", 0, "versions", "nodes", 0, "manifest")), "scr_a")
	ask(`problems { code }`)
	read = columns()
	require.Contains(t, read, "draft")
	require.NotContains(t, read, "manifest")
}

// What the rows of a page point at is read for all rows together, not row by row.
func TestAPageReadsWhatItsRowsPointAtTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, ctx := w.as("owner"), t.Context()
	app := w.app("Shop")
	version := w.version(app)
	client, versionID, appID := w.db.Ent(), uuid.MustParse(version), uuid.MustParse(app)
	author, err := client.User.Query().OnlyID(ctx)
	require.NoError(t, err)
	var first *ent.Channel
	for i := range 50 {
		ch := client.Channel.Create().SetEnvironmentID(w.environment(app)).SetPublicID(
			fmt.Sprintf("ch_live_%d", i),
		).SetName("Main").
			SetAssignment(channel.AssignmentDirect).SetFlowVersionID(versionID).SaveX(ctx)
		if first == nil {
			first = ch
		}
		client.Assignment.Create().SetChannelID(first.ID).SetAssignmentVersion(i + 1).SetAssignment(
			assignment.AssignmentDirect,
		).
			SetFlowVersionID(versionID).SetReason("pin").SetChangedBy(author).SaveX(ctx)
		split := client.Experiment.Create().SetChannelID(first.ID).SetName("Split").SetSalt("s").SaveX(ctx)
		for position, key := range []string{"a", "b"} {
			client.Variant.Create().SetExperimentID(split.ID).SetKey(key).SetPosition(position).SetWeight(1).
				SetFlowVersionID(versionID).SaveX(ctx)
		}
		people := client.Segment.Create().SetAppID(appID).SetName("People").SaveX(ctx)
		client.SegmentMember.Create().SetSegmentID(people.ID).SetKind(segmentmember.KindAppUser).SetValue("v").SaveX(ctx)
		client.Note.Create().SetEnvironmentID(w.environment(app)).SetUserID(author).SetAt(time.Now()).SetText("x").SaveX(ctx)
		more := client.App.Create().SetWorkspaceID(uuid.MustParse(w.workspace)).SetName("More").SaveX(ctx)
		client.Environment.Create().SetAppID(more.ID).SetKind(environment.KindTest).SaveX(ctx)
		client.Environment.Create().SetAppID(more.ID).SetKind(environment.KindLive).SaveX(ctx)
	}

	reads := w.countReads()
	statements := func(query string, first int) int64 {
		before := reads.Load()
		owner.must(query, vars{"a": app, "w": w.workspace, "first": first, "c": "ch_live_0"})
		return reads.Load() - before
	}
	for name, query := range map[string]string{
		"channels": `query($a: ID!, $first: Int) { app(id: $a) { environment { channels(first: $first) { nodes {
			app { name workspace { name } } environment { kind } version { number flow { name app { name } } createdBy { email } } } } } } }`,
		"experiments": `query($c: ChannelID!, $first: Int) { channel(id: $c) { experiments(first: $first) { nodes {
			channel { name app { name } } variants { key version { number } } } } } }`,
		"history": `query($c: ChannelID!, $first: Int) { channel(id: $c) { history(first: $first) { nodes {
			version { number flow { name } } changedBy { email } } } } }`,
		"segments": `query($a: ID!, $first: Int) { app(id: $a) { segments(first: $first) { nodes { importedCount app { name } } } } }`,
		"notes": `query($a: ID!, $first: Int) { app(id: $a) { notes(first: $first) { nodes {
			editable author { email } environment { kind } } } } }`,
		"apps": `query($w: ID!, $first: Int) { workspace(id: $w) { apps(first: $first) { nodes {
			workspace { name } environment { kind } environments { kind } } } } }`,
		"audit log": `query($w: ID!, $first: Int) { workspace(id: $w) { auditLog(first: $first) { nodes { action user { email } names { name } } } } }`,
	} {
		// A batch may be cut in pieces when the machine is busy; one statement a row would be 50 and more.
		require.Less(t, statements(query, 50), int64(25), name)
	}
}
