package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
)

// convertFile converts a file, and returns events and rejects by the numbers of their lines, and how many were left
// out.
func convertFile(t *testing.T, source Source, file string) (map[int]string, map[int]ingest.Reject, int) {
	t.Helper()
	lines, err := source.Lines(io.NopCloser(strings.NewReader(file)), math.MaxInt64)
	require.NoError(t, err)
	text, err := io.ReadAll(lines)
	require.NoError(t, err)
	events, rejects, leftOut := map[int]string{}, map[int]ingest.Reject{}, 0
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		converted, reject := source.Convert([]byte(line), Reading{Started: began})
		switch {
		case reject != nil:
			rejects[i+1] = *reject
		case converted != nil:
			events[i+1] = lineOf(t, converted)
		default:
			leftOut++
		}
	}
	return events, rejects, leftOut
}

// matomoFile has two answers of the API behind each other, as a day each is fetched into one file.
const matomoFile = `[{"idSite":"1","idVisit":"10","visitIp":"192.0.2.0","visitorId":"6cf1a3b2d4e5f607","fingerprint":"f",
"actionDetails":[
{"type":"action","url":"https:\/\/shop.example\/a?q=1","pageTitle":"A {b} \"c","pageIdAction":"2","idpageview":"IgJvKU",
"serverTimePretty":"Feb 3, 2026 04:05:06","pageId":"18","timeSpent":"12","pageviewPosition":"1","timestamp":1770091506},
{"type":"event","url":"https://shop.example/a","pageId":19,"eventCategory":"Video","eventAction":"Play","eventName":"Intro",
"eventValue":"2.5","timestamp":1770091507},
{"type":"outlink","url":"https://other.example/x?y#z","pageId":"20","timestamp":1770091508},
{"type":"download","url":"https://shop.example/f.pdf","pageId":"21","timestamp":"1770091509"},
{"type":"search","siteSearchKeyword":"shoes","url":"https://shop.example/s","pageId":"22","timestamp":1770091510},
{"type":"goal","goalName":"Signed up","goalId":3,"revenue":4,"goalPageId":"18","url":"https://shop.example/a","timestamp":1770091511},
{"type":"ecommerceOrder","orderId":"o7","revenue":"19.90","timestamp":1770091512,"itemDetails":[{"itemSKU":"s"}]},
{"type":"ecommerceAbandonedCart","revenue":"5","timestamp":1770091513}],
"userId":null,"languageCode":"de-de","deviceType":"Smartphone","operatingSystemName":"GNU/Linux","browserName":"Chrome Mobile",
"countryCode":"de","region":"Bavaria","city":"Ulm","latitude":"48.4","longitude":"10","referrerType":"campaign",
"referrerName":"spring","referrerKeyword":"sale","referrerUrl":"https://news.example/"}]` +
	`[{"idSite":1,"idVisit":11,"visitorId":"v","actionDetails":[]},
{"idSite":"1","idVisit":"12","visitorId":"v","userId":"me","countryCode":"xx","browserName":"Unknown","referrerType":"website",
"referrerUrl":"https://shop.example/old","actionDetails":[{"type":"action","url":"https://shop.example","pageId":"30",
"timestamp":1770091506}]}]`

func TestVisitsOfMatomoBecomeEvents(t *testing.T) {
	events, rejects, leftOut := convertFile(t, Matomo, matomoFile)
	require.Empty(t, rejects)
	require.Equal(t, 2, leftOut, "a cart that was left, a visit in which nothing was done")
	require.Len(t, events, 8)
	const of = `"appUserId":"6cf1a3b2d4e5f607","sessionId":"10","context":{"platform":"web","locale":"de-de","browser":"Chrome",
		"os":"Linux","device":"mobile","attribution":{"campaign":"spring","term":"sale","referrer":"https://news.example/",
		"landingUrl":"https://shop.example/a?q=1"}},"place":{"country":"DE","region":"Bavaria","city":"Ulm","latitude":48.4,
		"longitude":10}`
	at := func(second int) string { return fmt.Sprintf(`"timestamp":"2026-02-03T04:05:%02dZ",`, second) }
	for line, want := range map[int]string{
		1: `{"eventId":"matomo:1.10.18","name":"page_view","screenName":"/a",` + at(6) + of + `}`,
		2: `{"eventId":"matomo:1.10.19","name":"Play","screenName":"/a",` + at(7) + of + `,"properties":{"category":"Video",
			"name":"Intro","value":2.5}}`,
		3: `{"eventId":"matomo:1.10.20","name":"outbound_link",` + at(8) + of + `,"properties":{"url":"https://other.example/x"}}`,
		4: `{"eventId":"matomo:1.10.21","name":"file_download",` + at(9) + of + `,"properties":{"url":"https://shop.example/f.pdf"}}`,
		5: `{"eventId":"matomo:1.10.22","name":"search","screenName":"/s",` + at(10) + of + `,"properties":{"keyword":"shoes"}}`,
		6: `{"eventId":"matomo:1.10.ID","name":"Signed up","screenName":"/a",` + at(11) + of + `,"properties":{"revenue":4}}`,
		7: `{"eventId":"matomo:1.10.ID","name":"purchase",` + at(12) + of + `,"properties":{"orderId":"o7","revenue":19.90,
			"items":[{"itemSKU":"s"}]}}`,
		10: `{"eventId":"matomo:1.12.30","name":"page_view","screenName":"/","timestamp":"2026-02-03T04:05:06Z","appUserId":"v",
			"customUserId":"me","sessionId":"12","context":{"platform":"web","attribution":{"landingUrl":"https://shop.example"}}}`,
	} {
		var got, wanted map[string]any
		require.NoError(t, json.Unmarshal([]byte(events[line]), &got), line)
		require.NoError(t, json.Unmarshal([]byte(want), &wanted), line)
		if line == 6 || line == 7 {
			require.Regexp(t, `^matomo:1\.10\.[0-9a-f]{16}$`, got["eventId"])
			wanted["eventId"] = got["eventId"]
		}
		require.Equal(t, wanted, got, line)
	}
	// One visit a line is the same.
	var visits [][]map[string]any
	for decoder := json.NewDecoder(strings.NewReader(matomoFile)); decoder.More(); {
		var day []map[string]any
		require.NoError(t, decoder.Decode(&day))
		visits = append(visits, day)
	}
	var lines bytes.Buffer
	for _, day := range visits {
		for _, visit := range day {
			require.NoError(t, json.NewEncoder(&lines).Encode(visit))
		}
	}
	again, _, _ := convertFile(t, Matomo, lines.String())
	for line, event := range events {
		require.JSONEq(t, event, again[line])
	}
}

// What is broken names the visit, and what comes after it is read.
func TestBrokenVisitsOfMatomo(t *testing.T) {
	action := func(fields string) string {
		return `{"idSite":1,"idVisit":5,"visitorId":"v","actionDetails":[{"type":"action","url":"https://a.example/"` + fields + `}]}` + "\n"
	}
	events, rejects, _ := convertFile(t, Matomo, `{"result":"error","message":"no token"}`+"\n"+
		`{"idVisit":5}`+"\n"+`{"idVisit":5,"visitorId":7}`+"\n"+`{"idVisit":5,]`+"\n"+action("")+action(`,"timestamp":"x"`)+
		action(`,"timestamp":1`)+action(`,"timestamp":1890000000`)+action(`,"timestamp":[]`)+
		`{"idVisit":"6","city":"`+strings.Repeat("x", maxVisitFields)+`"}`+"\n"+action(`,"timestamp":1770091506`))
	for line, want := range map[int]string{
		1: "matomo:. Matomo answered instead of visits: no token", 2: "matomo:.5 visitorId is required",
		3: "matomo:.5 the visit in line 3: visitorId has the wrong type: number", 4: "matomo:. the visit in line 4: the line is not JSON",
		5: "timestamp is required", 6: "timestamp is not a number of seconds", 7: "timestamp is before 2000",
		8: "timestamp is in the future", 9: "timestamp has the wrong type: object or array",
		10: "matomo:. the visit in line 10 has fields of more than 65536 bytes",
	} {
		require.Contains(t, rejects[line].EventID+" "+rejects[line].Message, want, line)
	}
	require.Len(t, rejects, 10)
	require.Len(t, events, 1)
	require.Contains(t, events, 11)
}

// repeated is a text again and again, of which nothing is held.
type repeated struct {
	text string
	left int
}

func (r *repeated) Read(into []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	r.left--
	return copy(into, r.text), nil
}

// A file that is none ends with an error, and what has no end takes no memory.
func TestFilesThatAreNotOfMatomo(t *testing.T) {
	for file, want := range map[string]string{
		"idVisit,idSite\n": "line 1: the file is not JSON of objects: 'i' is not expected", `[{"idVisit":`: "line 1: the last object is cut off",
		"[\n{}\n{\"": "line 3: the last object is cut off",
	} {
		lines, err := Matomo.Lines(io.NopCloser(strings.NewReader(file)), math.MaxInt64)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, lines)
		require.ErrorContains(t, err, want)
	}
	lines, err := Matomo.Lines(io.NopCloser(io.MultiReader(
		strings.NewReader(`[{"idVisit":"`), &repeated{strings.Repeat("x", 1<<10), 2 * maxObject >> 10},
		strings.NewReader(`"},`+matomoFile[1:]),
	)), math.MaxInt64)
	require.NoError(t, err)
	text, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.Less(t, len(text), 1<<14)
	_, reject := Matomo.Convert(bytes.SplitN(text, []byte("\n"), 2)[0], Reading{Started: began})
	require.Contains(t, reject.Message, "the visit in line 1 is longer than")
	require.Equal(t, 11, bytes.Count(text, []byte("\n")))
}

// Whatever a file is, it is read to an end as lines of JSON, each of which converts or not.
func FuzzMatomoFile(f *testing.F) {
	f.Add(matomoFile)
	f.Add(`[{"a":"\"}{"},{"actionDetails":[{}]}`)
	f.Fuzz(func(t *testing.T, file string) {
		lines, err := Matomo.Lines(io.NopCloser(strings.NewReader(file)), math.MaxInt64)
		if err != nil {
			return // such as what looks like gzip
		}
		text, _ := io.ReadAll(lines)
		for line := range strings.Lines(string(text)) {
			require.True(t, json.Valid([]byte(line)))
			if converted, _ := Matomo.Convert([]byte(line), Reading{Started: began}); converted != nil {
				require.True(t, json.Valid([]byte(lineOf(t, converted))))
			}
		}
	})
}

// Times that name no zone are in that of the import, and those that name one keep it.
func TestTimesWithoutAZoneAreInThatOfTheImport(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for text, want := range map[string]string{
		"2026-02-03 04:05:06": "2026-02-03T03:05:06Z", "2026-02-03T04:05:06Z": "2026-02-03T04:05:06Z",
		"2025-07-03 04:05:06.5": "2025-07-03T02:05:06.5Z", "2026-02-03 04:05:06+00": "2026-02-03T04:05:06Z",
	} {
		at, reject := Reading{Started: began, Zone: berlin}.at("timestamp", text)
		require.Nil(t, reject)
		require.Equal(t, want, at.Format(time.RFC3339Nano))
	}
}
