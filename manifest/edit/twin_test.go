package edit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/svc-dev/svc/manifest"
)

var twin = flag.String("twin", "testdata/twin.jsonl", "the steps that TestTwin runs")

// twinLine is a draft to begin with, or a step and what the editor made of it: Digest is the SHA-256 of the line
// before's, of the outcome and of the draft that it led to, both canonical, in hexadecimal digits.
type twinLine struct {
	Draft  json.RawMessage `json:"draft"`
	Step   *Step           `json:"step"`
	Digest string          `json:"digest"`
}

// TestTwin runs steps of the editor's own document, and must come to its bytes after each of them. Those in testdata
// are a few; dashboard/src/editor/document/twin.test.ts makes thousands and runs this test on them.
func TestTwin(t *testing.T) {
	file, err := os.Open(*twin)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var (
		d      *Document
		digest string
		steps  int
	)
	for decoder := json.NewDecoder(file); decoder.More(); {
		var line twinLine
		if err := decoder.Decode(&line); err != nil {
			t.Fatalf("after %d steps: %v", steps, err)
		}
		if line.Step == nil {
			d, digest = open(t, string(line.Draft)), ""
			continue
		}
		steps++
		applied, refusal := d.Apply(*line.Step)
		came := outcome{Applied: applied, Refused: refusal}
		if digest = digestOf(t, digest, came, d); digest != line.Digest {
			t.Fatalf("step %d: the editor came to something else after\n%s\nhere it is\n%s\n%s",
				steps, asJSON(t, line.Step), asJSON(t, came), bytesOf(t, d))
		}
	}
	if steps < 20 {
		t.Fatalf("only %d steps", steps)
	}
	t.Logf("%d steps came to the same bytes", steps)
}

func digestOf(t *testing.T, before string, came outcome, d *Document) string {
	t.Helper()
	var plain map[string]any
	if err := json.Unmarshal([]byte(asJSON(t, came)), &plain); err != nil {
		t.Fatal(err)
	}
	said, err := manifest.Canonical(plain)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(before + "\n" + string(said) + "\n" + bytesOf(t, d)))
	return hex.EncodeToString(sum[:])
}
