package resolvers_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A pin is served by the answering server before the mutation returns.
func TestFromAppToServedChannel(t *testing.T) {
	w := newWorld(t)
	owner := w.roles["owner"]
	app := w.app("Shop")

	keys := owner.must(`query($a: ID!) { app(id: $a) { environments { kind publishableKeys { key } } } }`, vars{"a": app})
	require.Regexp(t, `^ob_pk_test_[0-9A-Za-z]{22}$`, keys.at(t, "app", "environments", 0, "publishableKeys", 0, "key"))
	live, ok := keys.at(t, "app", "environments", 1, "publishableKeys", 0, "key").(string)
	require.True(t, ok)
	require.Regexp(t, `^ob_pk_live_`, live)

	channel, version := w.channel(app), w.version(app)
	require.Regexp(t, `^ch_live_`, channel)
	pinned := owner.must(`mutation($c: ChannelID!, $v: ID!) { pinChannel(id: $c, versionId: $v) {
		channel { assignment assignmentVersion version { number checksum flow { name } } history { reason version { id } changedBy { email } } } warnings { code } } }`,
		vars{"c": channel, "v": version})
	require.Equal(t, "DIRECT", pinned.at(t, "pinChannel", "channel", "assignment"))
	require.Equal(t, "pin", pinned.at(t, "pinChannel", "channel", "history", 0, "reason"))
	require.Equal(t, "owner@example.com", pinned.at(t, "pinChannel", "channel", "history", 0, "changedBy", "email"))

	snapshot := w.catalogue.Snapshot()
	environment := snapshot.Environment(live)
	require.NotNil(t, environment)
	served, condition := snapshot.Channel(environment, channel)
	require.Empty(t, condition)
	answer, condition := served.Resolve("dev-1", "")
	require.Empty(t, condition)
	require.Equal(t, `"1-`+version+`"`, answer.ETag)
}
