package resolvers_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest/archive/bucket/buckettest"
)

const (
	saveExport = `mutation($a: ID!, $d: ParquetDestinationInput!, $f: ParquetExportFrequency! = DAILY) {
		saveParquetExport(input: {appId: $a, destination: $d, frequency: $f}) { id frequency nextRunAt lastRun { state } } }`
	checkExport = `mutation($a: ID!, $d: ParquetDestinationInput!) {
		checkParquetExport(input: {appId: $a, destination: $d}) { works problem } }`
	exportOf = `query($a: ID!) { app(id: $a) { parquetExport { id endpoint region bucket prefix accessKeyId frequency createdAt
		succeededAt nextRunAt lastRun { state startedAt finishedAt files unchanged removed rows bytes problem } } } }`
	runExport    = `mutation($i: ID!) { runParquetExport(input: {id: $i}) { id } }`
	removeExport = `mutation($i: ID!) { removeParquetExport(input: {id: $i}) }`
)

func destination(s *buckettest.Server) vars {
	return vars{
		"endpoint": s.URL, "region": buckettest.Region, "bucket": buckettest.Bucket, "prefix": "svc/",
		"accessKeyId": buckettest.AccessKey, "secretAccessKey": buckettest.SecretKey,
	}
}

func TestAnExportIsSetCheckedAndWatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, admin, storage := w.shop(), w.as("admin"), buckettest.New(t)
	require.Nil(t, admin.must(exportOf, vars{"a": app}).at(t, "app", "parquetExport"))
	to := destination(storage)
	require.Equal(t, map[string]any{"works": true, "problem": ""},
		admin.must(checkExport, vars{"a": app, "d": to}).at(t, "checkParquetExport"))
	id := admin.text(saveExport, vars{"a": app, "d": to}, "saveParquetExport", "id")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	require.NoError(t, w.exports.Start(ctx))
	t.Cleanup(func() { require.NoError(t, w.exports.Stop(context.Background())) })
	var shown map[string]any
	require.Eventually(t, func() bool {
		shown = admin.must(exportOf, vars{"a": app}).at(t, "app", "parquetExport").(map[string]any)
		run, _ := shown["lastRun"].(map[string]any)
		return run != nil && run["state"] == "SUCCEEDED"
	}, 20*time.Second, 50*time.Millisecond)
	require.NotContains(t, asJSON(t, shown), buckettest.SecretKey)
	require.Equal(t, "svc", shown["prefix"])
	require.NotNil(t, shown["nextRunAt"])
	require.Contains(t, storage.Objects(), "svc/environment=live/manifest.json")
	require.NotEqual(t, json.Number("0"), shown["lastRun"].(map[string]any)["files"])

	// Without the secret the stored one is checked; for another endpoint it is not used.
	delete(to, "secretAccessKey")
	require.Equal(t, true, admin.must(checkExport, vars{"a": app, "d": to}).at(t, "checkParquetExport", "works"))
	to["endpoint"] = "https://s3.example.com"
	refused := admin.do(checkExport, vars{"a": app, "d": to})
	require.Equal(t, "invalid_input", refused.code())
	require.Equal(t, "destination.secretAccessKey", refused.Errors[0].Extensions["field"])

	require.Equal(t, id, admin.must(removeExport, vars{"i": id}).at(t, "removeParquetExport"))
	require.Nil(t, admin.must(exportOf, vars{"a": app}).at(t, "app", "parquetExport"))
	require.NotEmpty(t, storage.Objects(), "files stay")
	log := asJSON(t, admin.must(`query($w: ID!) { workspace(id: $w) { auditLog(first: 20, filter: {text: "export."}) {
		nodes { action subject detail } } } }`, vars{"w": w.workspace}).Data)
	require.Contains(t, log, "export.create")
	require.Contains(t, log, "export.remove")
	require.NotContains(t, log, buckettest.SecretKey)
	require.NotContains(t, w.log.String(), buckettest.SecretKey)
}

func TestExportsOfOthersAreNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, storage := w.app("Shop"), buckettest.New(t)
	to := destination(storage)
	save := vars{"a": app, "d": to, "f": "NEVER"}
	id := w.as("admin").text(saveExport, save, "saveParquetExport", "id")
	for who, code := range map[string]string{"stranger": "not_found", "editor": "forbidden", "viewer": "forbidden"} {
		c := w.as(who)
		require.Equal(t, code, c.do(saveExport, save).code(), who)
		require.Equal(t, code, c.do(checkExport, vars{"a": app, "d": to}).code(), who)
		require.Equal(t, code, c.do(runExport, vars{"i": id}).code(), who)
		require.Equal(t, code, c.do(removeExport, vars{"i": id}).code(), who)
	}
	require.Equal(t, "forbidden", w.as("editor").do(exportOf, vars{"a": app}).code())
	require.Nil(t, w.as("stranger").do(exportOf, vars{"a": app}).at(t, "app"))
	// A key can't say where everything goes, whatever its scopes; it may ask for a run.
	key := secretOf(t, w.as("admin"), w.workspace, "app:settings", "studio:read")
	require.Equal(t, "forbidden", key.do(saveExport, save).code())
	require.Equal(t, "forbidden", key.do(checkExport, vars{"a": app, "d": to}).code())
	key.must(runExport, vars{"i": id})
	// The other workspace's own export is apart from it.
	stranger := w.as("stranger")
	require.Equal(t, "not_found", stranger.do(runExport, vars{"i": id}).code())
	require.Empty(t, storage.Objects())
}
