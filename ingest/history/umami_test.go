package history

import (
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
)

// umami converts a file, and returns events and rejects by the numbers of their lines.
func umami(t *testing.T, file string) (events map[int]string, rejects map[int]ingest.Reject) {
	t.Helper()
	lines, err := Umami.Lines(io.NopCloser(strings.NewReader(file)), math.MaxInt64)
	require.NoError(t, err)
	text, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.NoError(t, lines.Close())
	events, rejects = map[int]string{}, map[int]ingest.Reject{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" {
			continue
		}
		converted, reject := Umami.Convert([]byte(line), Reading{Started: began})
		if reject != nil {
			rejects[i+1] = *reject
		} else if converted != nil {
			events[i+1] = lineOf(t, converted)
		}
	}
	return events, rejects
}

// Records become events, at the numbers of their lines in the file.
func TestRecordsOfUmamiBecomeEvents(t *testing.T) {
	const file = "\uFEFFwebsite_id,session_id,visit_id,event_id,hostname,browser,os,device,language,country,region,city," +
		"url_path,url_query,referrer_path,referrer_domain,page_title,event_type,event_name,tag,distinct_id,created_at\n" +
		`w,p1,v1,E1,shop.example,crios,Mac OS,laptop,de-DE,DE,DE-BY,Ulm,/a,utm_source=x&q=%C3%A4,/n,news.example,"two` + "\n" +
		`""lines""",1,,,me,2026-02-03 04:05:06` + "\n" +
		`w,p1,,E2,shop.example,ios,Windows 10,mobile,\N,\N,\N,\N,/b,,/old,www.shop.example,,2,buy,spring,,2026-02-03 04:05:06.789+00` + "\r\n" +
		`w,p1,v1,E3,,,,,,,,,/l,,,,,3,,,,2026-02-03 04:05:06` + "\n"
	events, rejects := umami(t, file)
	require.Empty(t, rejects)
	require.Len(t, events, 2)
	require.JSONEq(t, `{"eventId":"umami:e1","name":"page_view","timestamp":"2026-02-03T04:05:06Z","screenName":"/a",
		"appUserId":"p1","customUserId":"me","sessionId":"v1","context":{"platform":"web","locale":"de-DE","browser":"Chrome",
		"os":"macOS","device":"desktop","attribution":{"source":"x","referrer":"https://news.example/n",
		"landingUrl":"https://shop.example/a?utm_source=x\u0026q=%C3%A4"}},"place":{"country":"DE","city":"Ulm"}}`, events[2])
	require.JSONEq(t, `{"eventId":"umami:e2","name":"buy","timestamp":"2026-02-03T04:05:06.789Z","screenName":"/b",
		"appUserId":"p1","sessionId":"p1","context":{"platform":"web","browser":"Safari","os":"Windows","device":"mobile",
		"attribution":{"landingUrl":"https://shop.example/b"}},"properties":{"tag":"spring"}}`, events[4])
}

// What can't be read names its line and column, and the records after it are read.
func TestBrokenRecordsOfUmamiNameTheColumn(t *testing.T) {
	const file = "event_id,session_id,created_at,event_type,url_path,event_name\n" +
		"e,p,2026-02-03 04:05:06,1\n" +
		"e,p,2026-02-03 04:05:06,1,\"a\"b,\n" +
		",p,2026-02-03 04:05:06,1,/,\n" +
		"e,,2026-02-03 04:05:06,1,/,\n" +
		"e,p,,1,/,\n" +
		"e,p,2026-02-03 04:05:06,,/,\n" +
		"e,p,2026-02-03 04:05:06,1,,\n" +
		"e,p,2026-02-03 04:05:06,2,/,\n" +
		"\n" +
		"e,p,1. Mai,1,/,\n" +
		"e,p,2026-04-01 00:00:00,1,/,\n" +
		"good,p,2026-02-03 04:05:06,1,/,\n"
	events, rejects := umami(t, file)
	require.Len(t, events, 1)
	require.Contains(t, events[13], "umami:good")
	for line, want := range map[int]struct{ code, message string }{
		2: {"event_invalid", "the record is not CSV as the header says: wrong number of fields"},
		3: {"event_invalid", "the record is not CSV as the header says: extraneous"},
		4: {"event_id_required", "event_id is required"}, 5: {"app_user_id_required", "session_id is required"},
		6: {"timestamp_required", "created_at is required"}, 7: {"event_invalid", "event_type is required"},
		8: {"screen_name_required", "url_path is required"}, 9: {"name_required", "event_name is required"},
		11: {"timestamp_invalid", "created_at is not a date-time"}, 12: {"timestamp_invalid", "created_at is in the future"},
	} {
		require.Equal(t, want.code, rejects[line].Code, line)
		require.True(t, strings.HasPrefix(rejects[line].Message, want.message), rejects[line].Message)
	}
	require.Len(t, rejects, 10)
	_, reject := Umami.Convert([]byte(`[]`), Reading{Started: began})
	require.Equal(t, "event_invalid", reject.Code)
}

// A file that is none of Umami's ends before anything is stored, and a quote that is not closed takes no memory.
func TestFilesThatAreNotOfUmami(t *testing.T) {
	for file, want := range map[string]string{
		"": "the file is empty", "a,b\n1,2\n": "the header has no column event_id", "\x1f\x8bno gzip": "unpack",
		"\"a\n": "read the header",
	} {
		_, err := Umami.Lines(io.NopCloser(strings.NewReader(file)), math.MaxInt64)
		require.ErrorContains(t, err, want)
	}
	lines, err := Umami.Lines(io.NopCloser(io.MultiReader(
		strings.NewReader("event_id,session_id,created_at,event_type\n\""), strings.NewReader(strings.Repeat("x,\n", maxRecord)),
	)), math.MaxInt64)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, lines)
	require.ErrorContains(t, err, "is a quote not closed?")
}

// Whatever a file is, it is read to an end as lines of JSON.
func FuzzUmamiFile(f *testing.F) {
	f.Add("e,p,2026-02-03 04:05:06,1\n\"a\"\"\n")
	f.Add("\"\n\n,\"x\r\n")
	f.Fuzz(func(t *testing.T, records string) {
		lines, err := Umami.Lines(io.NopCloser(strings.NewReader("event_id,session_id,created_at,event_type\n"+records)),
			math.MaxInt64)
		require.NoError(t, err)
		text, err := io.ReadAll(lines)
		require.NoError(t, err)
		for line := range strings.SplitSeq(string(text), "\n") {
			require.True(t, line == "" || json.Valid([]byte(line)))
		}
	})
}
