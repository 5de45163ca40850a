package resolvers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatWasAskedToBePublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, owner := w.shop(), w.as("owner")
	flow := owner.text(`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "F", manifest: $m}) { id } }`,
		vars{"a": app, "m": json.RawMessage(publishable)}, "createFlow", "id")
	read := func() any {
		return owner.must(`query($f: ID!) { flow(id: $f) {
			publishRequest { revision label text apiKeyName createdBy { email } } versions { totalCount }
		} }`, vars{"f": flow}).at(t, "flow", "publishRequest")
	}
	const ask = `mutation($f: ID!, $r: Int!, $l: String!, $t: String!) {
		requestPublish(input: {flowId: $f, revision: $r, label: $l, text: $t}) { publishRequest { revision } } }`
	given := vars{"f": flow, "r": 1, "l": " Shorter ", "t": "Half of the users left at the second screen."}
	editor := w.as("editor")
	require.Nil(t, read())
	require.Equal(t, json.Number("1"), editor.must(ask, given).at(t, "requestPublish", "publishRequest", "revision"))
	request := read().(map[string]any)
	require.Equal(t, "Shorter", request["label"])
	require.Equal(t, given["t"], request["text"])
	require.Nil(t, request["apiKeyName"])
	require.NotEmpty(t, request["createdBy"].(map[string]any)["email"])

	given["r"] = 2
	require.Equal(t, "conflict", editor.do(ask, given).code(), "the draft is at another revision")
	given["r"] = 1
	for field, value := range map[string]string{"l": strings.Repeat("x", 121), "t": strings.Repeat("x", 1001)} {
		long := vars{"f": flow, "r": 1, "l": "", "t": ""}
		long[field] = value
		require.Equal(t, "invalid_input", editor.do(ask, long).code())
	}
	blank := owner.text(`mutation($a: ID!) { createFlow(input: {appId: $a, name: "Blank"}) { id } }`, vars{"a": app}, "createFlow", "id")
	require.Equal(t, "publish_blocked", editor.do(ask, vars{"f": blank, "r": 1, "l": "", "t": ""}).code())
	require.Equal(t, "Shorter", read().(map[string]any)["label"], "what was refused took nothing away")

	const decline = `mutation($f: ID!) { declinePublish(input: {flowId: $f}) { publishRequest { label } } }`
	require.Nil(t, owner.must(decline, vars{"f": flow}).at(t, "declinePublish", "publishRequest"))
	require.Nil(t, read())
	owner.must(decline, vars{"f": flow})

	editor.must(ask, given)
	require.NotNil(t, read())
	owner.must(`mutation($f: ID!) { publishFlow(input: {id: $f}) { version { id } } }`, vars{"f": flow})
	require.Nil(t, read(), "publishing answers the request")
}
