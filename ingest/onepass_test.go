package ingest

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// both reads a body in one pass and, when that takes it, by encoding/json, which has to have read the same.
func both(t require.TestingT, body string) (taken bool) {
	var product, wantProduct wireProductBody
	if readOnce([]byte(body), &product) {
		taken = true
		require.NoError(t, json.Unmarshal([]byte(body), &wantProduct), body)
		unmark(&product.wireProduct)
		for i := range product.Events {
			unmark(&product.Events[i])
		}
		require.Equal(t, wantProduct, product, body)
	}
	var flow, wantFlow wireFlowBody
	if readOnce([]byte(body), &flow) {
		taken = true
		require.NoError(t, json.Unmarshal([]byte(body), &wantFlow), body)
		for i := range flow.Events {
			flow.Events[i].Identity.sent, flow.Events[i].Context.sent = false, false
		}
		require.Equal(t, wantFlow, flow, body)
	}
	return taken
}

func unmark(w *wireProduct) { w.Identity.sent, w.Context.sent = false, false }

func FuzzOnePass(f *testing.F) {
	bodySeeds(f)
	f.Add(benchBody(2))
	f.Fuzz(func(t *testing.T, body []byte) { both(t, string(body)) })
}

// TestOnePassReadsAsTheStandardDoes makes bodies of all that encoding/json allows: names in any case and twice, values
// of any kind, texts with escapes and bytes that are not UTF-8.
func TestOnePassReadsAsTheStandardDoes(t *testing.T) {
	names := []string{
		"events", "sentAt", "eventId", "name", "timestamp", "occurredAt", "screenName", "page", "appUserId", "sessionId",
		"customUserId", "customUserIdProof", "identity", "context", "properties", "platform", "os", "locale", "attribution",
		"customProperties", "flowId", "seq", "assignmentVersion", "fromStepId", "runId", "stepId", "source",
		"acquisition.source", "gclid", "else", "EVENTID", "Name", "con\u017fext", "\u017fessionId", `na\u006de`, "né", "\xff", "",
	}
	scalars := []string{
		`"a"`, `"b"`, `""`, `"\u0000"`, `"\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", `"漢"`, `"\/\n"`, "null", "true", "1", "-0", "1.5", "1e3",
		"9223372036854775808", "[]", "{}", `[1,{"a":2}]`, `{"a":"b","a":null}`,
	}
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		var object func(depth int) string
		value := func(name string, depth int) string {
			kind := rapid.IntRange(0, 9).Draw(t, "kind")
			switch {
			case name == "events" && kind > 0:
				return "[" + strings.Join(rapid.SliceOfN(rapid.Custom(func(*rapid.T) string { return object(depth - 1) }), 1, 3).
					Draw(t, "events"), ",") + "]"
			case (name == "identity" || name == "context" || name == "attribution") && kind > 0 && depth > 0:
				return object(depth - 1)
			case (name == "seq" || name == "assignmentVersion") && kind > 0:
				return fmt.Sprint(rapid.Int64().Draw(t, "number"))
			case kind < 8 && name != "properties":
				return rapid.SampledFrom(scalars[:9]).Draw(t, "text")
			}
			return rapid.SampledFrom(scalars).Draw(t, "value")
		}
		object = func(depth int) string {
			var members []string
			for range rapid.IntRange(0, 5).Draw(t, "members") {
				name := rapid.SampledFrom(names[:len(names)-rapid.SampledFrom([]int{8, 8, 8, 0}).Draw(t, "usual")]).Draw(t, "name")
				if depth == 0 && name == "events" {
					continue
				}
				members = append(members, `"`+name+`" : `+value(name, depth))
			}
			return "{" + strings.Join(members, ", ") + "}"
		}
		body := `{"events":[` + object(2) + `,` + object(2) + `]}`
		if rapid.Bool().Draw(t, "bare") {
			body = object(3)
		}
		if both(t, body+rapid.SampledFrom([]string{"", "", " ", "x", "{}"}).Draw(t, "end")) {
			taken++
		}
	})
	require.Greater(t, taken, 10, "hardly any body was read in one pass")
}

func TestOnePassTakesWhatSDKsSend(t *testing.T) {
	flow := `{"events":[{` + flowHead + `,"name":"step_viewed","seq":3,"fromStepId":null,"context":{"platform":"web"},"properties":{"a":1}}]}`
	for _, body := range []string{string(benchBody(3)), `{"eventId":"1","name":"signup","identity":{"appUserId":"u"}}`, flow} {
		require.True(t, both(t, body), body)
	}
	var sent wireFlowBody
	require.True(t, readOnce([]byte(flow), &sent))
}

func TestOnePassStopsWhereTheStandardDoes(t *testing.T) {
	for depth := 9_990; depth <= 10_005; depth++ {
		for _, brackets := range []string{"[]", "{}"} {
			open, end := brackets[:1], brackets[1:]
			inside := strings.Repeat(open, depth) + strings.Repeat(end, depth)
			if open == "{" {
				inside = strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
			}
			both(t, `{"events":[{"eventId":"1","properties":`+inside+`}]}`)
			both(t, `{"events":[{"eventId":"1","context":{"customProperties":`+inside+`}}]}`)
			both(t, `{"events":[{"eventId":"1","else":`+inside+`}]}`)
		}
	}
}

// TestUnusualBodiesDoNotSeeEachOther reads bodies one after the other into memory that is used again.
func TestUnusualBodiesDoNotSeeEachOther(t *testing.T) {
	head := `{"eventId":"1","name":"n","appUserId":"u"`
	for _, unusual := range []string{"", `,"PAGE":"/own"`} {
		for range 20 {
			_, err := DecodeProduct([]byte(`{"events":[`+strings.Repeat(head+`,"sessionId":"s","page":"/secret","context":{"os":"macOS",
				"attribution":{"source":"x","gclid":"y"}},"properties":{"a":1}},`, 9)+head+`}],"events":[`+head+unusual+`}]}`), rules)
			require.NoError(t, err)
			_, err = DecodeProduct(benchBody(20), rules)
			require.NoError(t, err)
			batch, err := DecodeProduct([]byte(`{"events":[`+head+`},`+head+unusual+`},`+head+`}]}`), rules)
			require.NoError(t, err)
			require.Len(t, batch.Events, 3)
			for i, e := range batch.Events {
				require.Empty(t, e.OS+e.Attribution.Source+string(e.AttributionMore)+string(e.Properties))
				require.True(t, e.Page == "" || i == 1 && unusual != "", e.Page)
			}
		}
	}
}

// Three bytes would cost a kilobyte, if each event were made before they are counted.
func TestTooManyEventsAreCountedBeforeTheyAreMade(t *testing.T) {
	body := []byte(`{"EVENTS":[` + strings.Repeat("{},", 1_000_000) + `{}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decodeEvents(body, &wireProductBody{}, false)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "1000001 events") {
		t.Errorf("%v", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 2*uint64(len(body)) {
		t.Errorf("%d bytes are made of %d", used, len(body))
	}
}
