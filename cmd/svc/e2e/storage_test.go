package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// However many files an editor uploads, and however small they are, a workspace has no more media than it may; what is
// refused is not stored.
func TestAWorkspaceFillsNoDisk(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	directory := t.TempDir()
	serve := func(storage string) string {
		_, address := d.Serve(t, "SVC_MEDIA_DIR="+directory, "SVC_MEDIA_STORAGE="+storage)
		return address
	}
	workspace, key := workspaceKey(t, d, "MEDIA_MANAGE")
	upload := func(address, content string) (stored bool) {
		body, contentType := uploadForm(t, workspace, "IMAGE", "a.png", []string{"variables.f"},
			[]byte("\x89PNG\r\n\x1a\n"+content))
		answer, err := Do(http.DefaultClient, http.MethodPost, address+"/graphql", body,
			"Authorization", "Bearer "+key, "Content-Type", contentType)
		if err != nil || answer.Status != http.StatusOK {
			t.Fatalf("%v %d %s", err, answer.Status, answer.Body)
		}
		text := string(answer.Body)
		stored = strings.Contains(text, `"uploadMedia":{"id":`)
		if !stored && !strings.Contains(text, "bytes of media, of") {
			t.Fatal(text)
		}
		return stored
	}
	files := func() int {
		entries, err := os.ReadDir(directory)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	small := serve(fmt.Sprint(3 * 16 << 10))
	for i := range 6 {
		if stored := upload(small, fmt.Sprint("small ", i)); stored != (i < 3) {
			t.Errorf("small file %d: stored is %t", i, stored)
		}
	}
	larger := serve("100KB")
	for i := range 4 { // 49,152 bytes are there
		if stored := upload(larger, fmt.Sprint(i)+strings.Repeat(" ", 30_000)); stored != (i < 2) {
			t.Errorf("file %d: stored is %t", i, stored)
		}
	}
	if n := files(); n != 5 {
		t.Errorf("%d files are stored", n)
	}
	if !upload(serve("0"), "0 is no bound") {
		t.Error("0 is a bound")
	}
}
