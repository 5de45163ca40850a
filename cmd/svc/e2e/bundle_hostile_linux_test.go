package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-dev/svc/studio/bundle/bundletest"
)

const importFlow = `mutation($a: ID!, $f: Upload!) { importFlow(input: {appId: $a, file: $f}) {
	flow { id } missing { kind name } } }`

// upload sends an operation with a file at a variable f as whoever has the key, and reads the data of its answer.
func (d *Dev) upload(t *testing.T, query string, variables map[string]any, filename string, content []byte, data any) {
	t.Helper()
	body, contentType := fileForm(t, query, variables, filename, []string{"variables.f"}, content)
	answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+"/graphql", body,
		"Authorization", "Bearer "+d.APIKey, "Content-Type", contentType)
	if err != nil {
		t.Fatal(err)
	}
	var told struct {
		Data   json.RawMessage
		Errors []any
	}
	answer.Decode(t, &told)
	if len(told.Errors) > 0 {
		t.Fatalf("%s: %s", query, answer.Body)
	}
	if err := json.Unmarshal(told.Data, data); err != nil {
		t.Fatal(err)
	}
}

// exportedWithPicture makes a flow that shows a picture and returns it as a file.
func (d *Dev) exportedWithPicture(t *testing.T) []byte {
	t.Helper()
	owner := d.SignIn(t, d.BaseURL)
	var uploaded struct{ UploadMedia struct{ ID string } }
	d.upload(t, `mutation($w: ID!, $f: Upload!) { uploadMedia(input: {workspaceId: $w, type: IMAGE, file: $f}) { id } }`,
		map[string]any{"w": d.workspaceOf(owner), "f": nil}, "fern.png", []byte("\x89PNG\r\n\x1a\nfern"), &uploaded)
	var made struct{ CreateFlow struct{ ID string } }
	owner.Query(`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "Fern", manifest: $m}) { id } }`,
		map[string]any{"a": d.Apps[0].ID, "m": example(t, "linear-onboarding")}, &made)
	picture := setAt("lyr_wl_img", uploaded.UploadMedia.ID, "media", "mediaAssetId")
	if got := owner.edit(made.CreateFlow.ID, inStep(picture)).says(); got != "applied" {
		t.Fatal(got)
	}
	answer, err := Do(http.DefaultClient, http.MethodGet, d.BaseURL+"/v1/flows/"+made.CreateFlow.ID+"/export", nil,
		"Authorization", "Bearer "+d.APIKey)
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("export: %v %d %s", err, answer.Status, answer.Body)
	}
	return answer.Body
}

// Whatever file is sent to be a flow, by the API or by the command, one at a time or twelve at once: the answer names
// the field, the server stays small, and neither the library nor the list of flows has more than before.
func TestHostileBundles(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	d := StartDev(t, nil, "--demo=none")
	process, address := d.Serve(t, "SVC_WARM_DAYS=0", "TMPDIR="+temporary)
	hostile := bundletest.Hostile(t, d.exportedWithPicture(t))
	rows := func() int {
		return countRows(t, d, `select (select count(*) from flows) + (select count(*) from media_assets)
			+ (select count(*) from audit_entries)`)
	}
	files := func() int {
		found, err := filepath.Glob(filepath.Join(temporary, "svc-import-*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	before := rows()
	send := func(content []byte) (status int, said string, err error) {
		body, contentType := fileForm(t, importFlow, map[string]any{"a": d.Apps[0].ID, "f": nil}, "a.zip",
			[]string{"variables.f"}, content)
		answer, err := Do(&http.Client{Timeout: time.Minute}, http.MethodPost, address+"/graphql", body,
			"Authorization", "Bearer "+d.APIKey, "Content-Type", contentType)
		if err != nil {
			return 0, "", err
		}
		var told editAnswer
		answer.Decode(t, &told)
		return answer.Status, told.says(), nil
	}
	env := []string{"SVC_API_URL=" + address, "SVC_API_KEY=" + d.APIKey}
	dir := t.TempDir()
	for name, content := range hostile {
		busy := process.ProcessorTime()
		_, said, err := send(content)
		took := process.ProcessorTime() - busy
		if err != nil || said != "invalid_input input.file" && said != "invalid_input file" {
			t.Errorf("%s: %v %s", name, err, said)
		}
		if took > 2*time.Second {
			t.Errorf("%s took %s of a processor", name, took)
		}
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".zip")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		exit, out, printed := Run(t, env, "flow", "import", path, "--app", d.Apps[0].ID)
		if exit != 2 || out != "" || !strings.Contains(printed, `"invalid_input","message":"file: `) {
			t.Errorf("svc flow import, %s: exit %d %s %s", name, exit, out, printed)
		}
		t.Logf("%-20s %8d bytes, %6s of a processor: %.100s", name, len(content), took, printed)
	}
	var senders sync.WaitGroup
	for range 12 {
		senders.Go(func() {
			for _, name := range []string{"a bomb", "a larger bomb", "very many files", "a deep index", "twice the same"} {
				status, said, err := send(hostile[name])
				refused := strings.HasPrefix(said, "invalid_input") || status == http.StatusServiceUnavailable ||
					said == "unavailable"
				if err != nil || !refused {
					t.Errorf("%s at once: %v %d %s", name, err, status, said)
				}
			}
		})
	}
	senders.Wait()
	if peak := process.PeakMemory(); peak > maxResident {
		t.Errorf("the server took %d MiB", peak>>20)
	} else {
		t.Logf("peak %d MiB", peak>>20)
	}
	if left := files(); left > 0 {
		t.Errorf("%d files of imports are left", left)
	}
	if after := rows(); after != before {
		t.Errorf("%d rows of flows, media and the audit log more than before", after-before)
	}
}
