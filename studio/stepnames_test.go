package studio_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/manifest"
)

// Reports count the steps of a version one by one, although a stranger has spent the day's allowance of new names.
func TestStepsOfVersionsHaveTheirNamesWhateverWasSent(t *testing.T) {
	w := newWorld(t)
	live := w.db.Ent().Environment.Query().Where(environment.AppID(w.app.ID)).FirstIDX(w.owner)
	writer, err := ingest.New(w.db, ingest.Settings{NameBudget: 2}, ingest.Deps{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, writer.Start(w.owner))
	t.Cleanup(func() { require.NoError(t, writer.Stop(w.owner)) })
	view := func(steps ...string) {
		t.Helper()
		var events []map[string]any
		for _, step := range steps {
			events = append(events, map[string]any{
				"eventId": uuid.NewString(), "name": "step_viewed", "timestamp": time.Now().UTC(), "flowId": uuid.NewString(),
				"versionId": uuid.NewString(), "stepId": step, "identity": map[string]any{"appUserId": "somebody"},
			})
		}
		body, err := json.Marshal(map[string]any{"events": events})
		require.NoError(t, err)
		answer, err := writer.Flow(w.owner, body, ingest.Request{EnvironmentID: live, ChannelID: 1, ReceivedAt: time.Now()})
		require.NoError(t, err)
		require.Equal(t, len(steps), answer.Stored, "%+v", answer)
	}
	named := func() (texts []string) {
		t.Helper()
		rows, err := w.db.Pool.Query(w.owner, `select text, text_hash::text from flow_name
			where environment_id = $1 order by id`, live)
		require.NoError(t, err)
		for rows.Next() {
			var text, hash string
			require.NoError(t, rows.Scan(&text, &hash))
			sum := sha256.Sum256([]byte(text)) // by which names are found
			require.Equal(t, uuid.UUID(sum[:16]).String(), hash)
			texts = append(texts, text)
		}
		require.NoError(t, rows.Err())
		return texts
	}
	view("made up 1", "made up 2", "made up 3")
	require.Len(t, named(), 3, "the third is (other)")

	flow, version := w.published(w.app.ID)
	parsed, problems := manifest.Parse(version.Manifest)
	require.NotNil(t, parsed, fmt.Sprint(problems))
	before := named()
	for _, step := range parsed.Steps() {
		require.Contains(t, before, step.ID)
		view(step.ID)
	}
	view("made up 4")
	require.Equal(t, before, named(), "a step has the name that it got when it was published")
	made(w.Publish(w.owner, flow.ID, ""))(t)
	require.Equal(t, before, named(), "the next version has the same steps")
	var last, environments int
	require.NoError(t, w.db.Pool.QueryRow(w.owner, `select max(id), (select count(distinct environment_id) from flow_name)
		from flow_name where environment_id = $1`, live).Scan(&last, &environments))
	require.Equal(t, len(before), last, "ids are dense")
	require.Equal(t, 2, environments)
}
