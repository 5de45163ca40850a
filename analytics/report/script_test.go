package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the scripts name zones, whatever the machine has

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle"
)

// TestScripts runs analytics/testdata/*.test. A script is lines:
//
//	now 2026-11-21T00:00:00Z              the current time of the evaluations that follow
//	hit VISITOR SESSION TIME NAME k=v …   one product event; page= of views, then any attribute
//	purchase VISITOR TIME PROVIDER KIND DOLLARS
//	eval REPORT k=v …                     a report on everything above, then its expected rows, indented:
//	  k=v …                               the named fields of a row; "none" expects no row at all
//	  total N                             rows on all pages of a table
//	  error FIELD                         the evaluation fails and names the field
//
// Values with spaces are quoted. Scope arguments are range=A..B, tz, platform, provider, column
// filters by name (source=x), cross filters as xf.DIMENSION.OPERATOR=a|b and an audience by
// segment.users=a|b, segment.customs=a|b, segment.days=N, segment.platform and
// segment.DIMENSION.OPERATOR=a|b; the rest is the report's own.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(text), "# analytics.md §") {
				t.Error("the first line names the section of analytics.md")
			}
			runScript(t, file, strings.Split(string(text), "\n"))
		})
	}
}

type script struct {
	now       time.Time
	hits      []oracle.Hit
	purchases []frame.Purchase
}

func runScript(t *testing.T, file string, lines []string) {
	s := script{now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	for i := 0; i < len(lines); i++ {
		words, err := split(lines[i])
		if err != nil {
			t.Fatalf("%s:%d: %v", file, i+1, err)
		}
		if len(words) == 0 {
			continue
		}
		at := fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
		switch words[0] {
		case "now":
			s.now = instant(t, at, words[1], time.UTC)
		case "hit":
			s.hits = append(s.hits, s.hit(t, at, words))
		case "purchase":
			s.purchases = append(s.purchases, purchaseOf(t, at, words))
		case "eval":
			var want [][]string
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
				i++
				row, err := split(lines[i])
				if err != nil {
					t.Fatalf("%s:%d: %v", file, i+1, err)
				}
				want = append(want, row)
			}
			s.eval(t, at, words[1:], want)
		default:
			t.Fatalf("%s: unknown command %q", at, words[0])
		}
	}
}

// split cuts a line into words; quotes keep spaces, # starts a comment.
func split(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] == '#' {
			break
		}
		var word strings.Builder
		for line != "" && line[0] != ' ' {
			if line[0] == '"' {
				quoted, err := strconv.QuotedPrefix(line)
				if err != nil {
					return nil, fmt.Errorf("quotes: %w", err)
				}
				plain, err := strconv.Unquote(quoted)
				if err != nil {
					return nil, err
				}
				word.WriteString(plain)
				line = line[len(quoted):]
				continue
			}
			word.WriteByte(line[0])
			line = line[1:]
		}
		words = append(words, word.String())
	}
	return words, nil
}

func instant(t *testing.T, at, text string, loc *time.Location) time.Time {
	t.Helper()
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return analytics.StartOfDay(day.Year(), day.Month(), day.Day(), loc)
	}
	instant, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	return instant
}

func (s *script) hit(t *testing.T, at string, words []string) oracle.Hit {
	t.Helper()
	if len(words) < 5 {
		t.Fatalf("%s: hit VISITOR SESSION TIME NAME", at)
	}
	h := oracle.Hit{
		EventID: fmt.Sprintf("event-%d", len(s.hits)), Visitor: words[1], SessionID: words[2],
		At: instant(t, at, words[3], time.UTC).UnixMilli(), Name: words[4],
	}
	for _, word := range words[5:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			t.Fatalf("%s: %q is not k=v", at, word)
		}
		text := map[string]*string{
			"id": &h.EventID, "page": &h.Page, "user": &h.CustomUserID, "source": &h.Source, "medium": &h.Medium,
			"campaign": &h.Campaign,
			"content":  &h.Content, "term": &h.Term, "adset": &h.Adset, "creative": &h.Creative, "referrer": &h.Referrer,
			"landing": &h.Landing,
			"country": &h.Country, "region": &h.Region, "city": &h.City, "platform": &h.Platform, "device": &h.Device,
			"browser": &h.Browser, "os": &h.OS,
		}[key]
		switch {
		case text != nil:
			*text = value
		case key == "organic":
			h.Organic = map[string]frame.Organic{"true": frame.OrganicTrue, "false": frame.OrganicFalse}[value]
			h.OrganicUnknown = value == "unknown"
		case key == "at":
			lat, lon, _ := strings.Cut(value, ",")
			h.HasCoordinates, h.Lat, h.Lon = true, float(t, at, lat), float(t, at, lon)
		default:
			t.Fatalf("%s: unknown attribute %q", at, key)
		}
	}
	return h
}

func float(t *testing.T, at, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	return f
}

func purchaseOf(t *testing.T, at string, words []string) frame.Purchase {
	t.Helper()
	if len(words) != 6 {
		t.Fatalf("%s: purchase VISITOR TIME PROVIDER KIND DOLLARS", at)
	}
	provider, ok := analytics.ParseProvider(words[3])
	kind, known := map[string]frame.PurchaseKind{
		"originating": frame.Originating, "renewal": frame.Renewal, "refund": frame.Refund,
	}[words[4]]
	if !ok || !known {
		t.Fatalf("%s: unknown provider or kind", at)
	}
	return frame.Purchase{
		Visitor: words[1], At: instant(t, at, words[2], time.UTC).UnixMilli(), Provider: provider, Kind: kind,
		AmountMicros: int64(math.Round(float(t, at, words[5]) * 1e6)),
	}
}

func (s *script) eval(t *testing.T, at string, words []string, want [][]string) {
	t.Helper()
	var store oracle.Store
	env := frame.NewDataset()
	store.Fill(env, store.Ingest(s.hits))
	env.SetPurchases(s.purchases)
	view := env.View(math.MinInt32, math.MaxInt32)

	rows, total, err := s.run(t, at, view, words)
	if len(want) > 0 && want[0][0] == "error" {
		var field *analytics.FieldError
		if !errors.As(err, &field) || field.Field != want[0][1] {
			t.Errorf("%s: got error %v, want one on %s", at, err, want[0][1])
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", at, err)
		return
	}
	var expected [][]string
	for _, row := range want {
		switch row[0] {
		case "none":
		case "total":
			if row[1] != strconv.Itoa(total) {
				t.Errorf("%s: total %d, want %s", at, total, row[1])
			}
		default:
			expected = append(expected, row)
		}
	}
	raw, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(expected) {
		t.Errorf("%s: %d rows, want %d: %s", at, len(got), len(expected), raw)
		return
	}
	for i, row := range expected {
		for _, word := range row {
			key, value, _ := strings.Cut(word, "=")
			if have := lookup(got[i], key); have != value {
				t.Errorf("%s: row %d: %s is %q, want %q in %v", at, i+1, key, have, value, got[i])
			}
		}
	}
}

// lookup reads a field by its path, such as days.0.rate.
func lookup(value any, path string) string {
	for _, key := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			field, ok := v[key]
			if !ok {
				// Left out of the JSON because it is empty.
				return ""
			}
			value = field
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(v) {
				return "no such item"
			}
			value = v[i]
		}
	}
	if value == nil {
		return "null"
	}
	return fmt.Sprint(value)
}
