package ingest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/internal/codeunit"
)

// keptOf is what each of the three paths keeps of a context.
type keptOf struct{ custom, attribution string }

// decodeKept decodes an event with the context on each path.
func decodeKept(t *testing.T, context string) map[Path]func() (keptOf, *Reject) {
	t.Helper()
	product := func(decode func([]byte, Rules) (ProductBatch, error)) func() (keptOf, *Reject) {
		return func() (keptOf, *Reject) {
			batch, err := decode([]byte(`{"events":[{"eventId":"1","name":"a","appUserId":"u","context":`+context+`}]}`), rules)
			require.NoError(t, err)
			if len(batch.Rejected) > 0 {
				return keptOf{}, &batch.Rejected[0]
			}
			e := batch.Events[0]
			return keptOf{string(e.CustomProperties), string(AttributionJSON(e.Attribution, e.AttributionMore))}, nil
		}
	}
	return map[Path]func() (keptOf, *Reject){
		PathProduct: product(DecodeProduct), PathTrack: product(DecodeTrack),
		PathFlow: func() (keptOf, *Reject) {
			e, reject := decodeFlowOne(t, `{`+flowHead+`,"name":"flow_started","context":`+context+`}`)
			return keptOf{string(e.CustomProperties), string(e.Attribution)}, reject
		},
	}
}

func TestKeptDataOfEveryPath(t *testing.T) {
	context := `{"customProperties": {"tier": "gold", "age": 3, "beta": true, "none": null, "tags": ["a", "b"]},
		"attribution": {"acquisition.source": "google", "link.entry": "promo", "link.ext.deep": "x\u00e9", "attribution.provider": "appsflyer",
			"attribution.confidence": 0.75, "acquisition.campaignId": 17, "attribution.isOrganic": false, "attribution.isRetargeting": true}}`
	for path, decode := range decodeKept(t, context) {
		kept, reject := decode()
		require.Nil(t, reject, path)
		require.Equal(t, `{"tier":"gold","age":3,"beta":true,"none":null,"tags":["a","b"]}`, kept.custom, path)
		require.Equal(t, `{"acquisition.source":"google","attribution.isOrganic":false,"link.entry":"promo","link.ext.deep":"xé","attribution.provider":"appsflyer",`+
			`"attribution.confidence":0.75,"acquisition.campaignId":17,"attribution.isRetargeting":true}`, kept.attribution, path)
	}
	for path, decode := range decodeKept(t, `{"customProperties": null, "attribution": null}`) {
		kept, reject := decode()
		require.Nil(t, reject, path)
		require.Equal(t, keptOf{}, kept, path)
	}
}

func TestEnvelopeGivesKeptDataToEventsWithoutTheirOwn(t *testing.T) {
	batch, err := DecodeProduct([]byte(`{"context":{"customProperties":{"of":"envelope"},"attribution":{"link.entry":"envelope"}},"appUserId":"u","events":[
		{"eventId":"1","name":"a"},{"eventId":"2","name":"a","context":{"customProperties":{"own":1}}},{"eventId":"3","name":"a","context":{"customProperties":null,"attribution":{"source":"own"}}}]}`), rules)
	require.NoError(t, err)
	require.Empty(t, batch.Rejected)
	var got []string
	for _, e := range batch.Events {
		got = append(got, string(e.CustomProperties)+string(e.AttributionMore))
	}
	require.Equal(t, []string{`{"of":"envelope"}{"link.entry":"envelope"}`, `{"own":1}{"link.entry":"envelope"}`, ``}, got)
}

// members returns a JSON object of n members.
func members(n int, value string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"k%02d":%s`, i, value)
	}
	return "{" + strings.Join(list, ",") + "}"
}

func TestCustomPropertiesOverTheLimitsAreRejected(t *testing.T) {
	atLimit := `{"k":"` + strings.Repeat("é", maxKeptUnits-len(`{"k":""}`)) + `"}`
	for _, good := range []string{members(maxKeptKeys, "1"), atLimit, `{}`} {
		for path, decode := range decodeKept(t, `{"customProperties":`+good+`}`) {
			kept, reject := decode()
			require.Nil(t, reject, path)
			require.Equal(t, good, kept.custom, path)
		}
	}
	for bad, message := range map[string]string{
		members(maxKeptKeys+1, "1"): "context.customProperties has 65 keys: send at most 64",
		strings.Replace(atLimit, "é", "éé", 1): "context.customProperties is longer than 8192 UTF-16 code units in " +
			"compact form",
		`{"a":{"b":1}}`: "context.customProperties holds a nested value: use strings, numbers, " +
			"booleans, null or lists of strings",
		`{"a":[1]}`: "context.customProperties holds a nested value: use strings, numbers, " +
			"booleans, null or lists of strings",
		`{"a":"\u0000"}`:                 "context.customProperties holds a NUL character",
		`{"a":1e999}`:                    "context.customProperties holds a number outside the range of a double",
		`"text"`:                         "context.customProperties is not a JSON object",
		`{"a":[[[[[[[[["deep"]]]]]]]]]}`: "context.customProperties is nested deeper than 8",
	} {
		for path, decode := range decodeKept(t, `{"customProperties":`+bad+`}`) {
			_, reject := decode()
			require.NotNil(t, reject, "%s %s", path, bad)
			require.Equal(t, CodeContextInvalid, reject.Code, path)
			require.Equal(t, message, reject.Message, path)
		}
	}
}

// Attribution is no reason to lose an event: what can't be kept of it is left out.
func TestAttributionOverTheLimitsIsLeftOut(t *testing.T) {
	long := strings.Repeat("é", clipAttributionUnits)
	fill := `"` + strings.Repeat("x", 2000) + `"`
	for sent, want := range map[string]string{
		members(maxKeptKeys+1, `"v"`):       members(maxKeptKeys, `"v"`),
		`{"link.entry":"` + long + `more"}`: `{"link.entry":"` + long + `"}`,
		members(5, fill):                    members(4, fill),
		`{"a":1e999,"b":"x\u0000y","c":{"d":1},"e":["f"],"g":null,"h":"","i":"\u0000","j":42}`: `{"b":"xy","j":42}`,
		`{"c":{"deep":[1,{"}":"]"}]},"after":"it"}`:                                            `{"after":"it"}`,
		`{"\u0061cquisition.source":"escaped","so\u0075rce":"alias","x\u0079":"z"}`:            `{"acquisition.source":"escaped","xy":"z"}`,
		`{ }`: ``,
	} {
		for path, decode := range decodeKept(t, `{"attribution":`+sent+`}`) {
			kept, reject := decode()
			require.Nil(t, reject, "%s %s", path, sent)
			require.Equal(t, want, kept.attribution, path)
			require.LessOrEqual(t, codeunit.Count(kept.attribution), maxKeptUnits)
		}
	}
	for path, decode := range decodeKept(t, `{"attribution":"google"}`) {
		_, reject := decode()
		require.NotNil(t, reject, path)
		require.Equal(
			t, &Reject{
				EventID: reject.EventID, Code: CodeContextInvalid, Message: "context.attribution can't be a JSON string",
				name: reject.name,
			},
			reject, path,
		)
	}
}

// What is written for an event is read as the same event: export and import rely on it.
func TestAttributionIsReadAsItIsWritten(t *testing.T) {
	text := rapid.StringN(0, 20, -1).Filter(func(s string) bool { return !strings.Contains(s, "\x00") })
	value := rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }),
		rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any {
			return b
		}), rapid.Just[any](nil), rapid.Just[any](map[string]any{"nested": 1}))
	rapid.Check(t, func(r *rapid.T) {
		var a Attribution
		for _, into := range []*string{
			&a.Source, &a.Medium, &a.Campaign, &a.Content, &a.Term, &a.Adset, &a.Creative, &a.Referrer, &a.Landing,
		} {
			*into = text.Draw(r, "column")
		}
		a.Organic = rapid.SampledFrom(
			[]session.Organic{session.OrganicAbsent, session.OrganicTrue, session.OrganicFalse},
		).Draw(r, "organic")
		more := rapid.MapOfN(rapid.Map(text, func(s string) string { return "link.ext." + s }), value, 0, 8).Draw(r, "more")
		raw, err := json.Marshal(more)
		if err != nil {
			r.Fatal(err)
		}
		var extra wireAttribution
		if err := json.Unmarshal(raw, &extra); err != nil {
			r.Fatal(err)
		}
		written := AttributionJSON(a, extra.more.object())
		if written == nil {
			written = []byte("{}")
		}
		var read wireAttribution
		if err := json.Unmarshal(written, &read); err != nil {
			r.Fatalf("%s: %s", written, err)
		}
		columns, reject := read.attribution()
		if reject != nil || columns != a {
			r.Fatalf("wrote %+v, read %+v (%v) from %s", a, columns, reject, written)
		}
		if got, want := string(read.more.object()), string(extra.more.object()); got != want {
			r.Fatalf("wrote %s, read %s", want, got)
		}
		var kept map[string]any
		if object := extra.more.object(); object != nil && json.Unmarshal(object, &kept) != nil {
			r.Fatalf("not JSON: %s", object)
		}
		for key, sent := range more {
			_, nested := sent.(map[string]any)
			if got, ok := kept[key]; ok != (sent != nil && sent != "" && !nested) || ok && got != sent {
				r.Fatalf("sent %q as %v, kept %v", key, sent, got)
			}
		}
	})
}

func TestEachMember(t *testing.T) {
	var got []string
	eachMember([]byte(
		` { "a" : 1 , "b":[ {"}": "]\\\"" } ] ,"c,:" : "x\"}" ,"d":{},"e":true } `,
	), func(key, value []byte) bool {
		got = append(got, string(key)+string(value))
		return len(got) < 5
	})
	require.Equal(t, []string{`"a"1`, `"b"[ {"}": "]\\\"" } ]`, `"c,:""x\"}"`, `"d"{}`, `"e"true`}, got)
	eachMember([]byte(`{ }`), func(_, _ []byte) bool { t.Error("an empty object has a member"); return true })
}

func FuzzEachMember(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, ` { "a" : [1, {"b":"}"}], "\\":"\"" } `, `{"a":-1.5e3,"b":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want map[string]json.RawMessage
		if json.Unmarshal(raw, &want) != nil || want == nil {
			return // not an object
		}
		got := map[string]json.RawMessage{}
		eachMember(raw[skipSpace(raw, 0):], func(key, value []byte) bool { got[jsonText(key)] = value; return true })
		require.Equal(t, want, got)
	})
}
