package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Descriptors returns how many files and connections the process has open.
func (p *Process) Descriptors() int {
	p.t.Helper()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.command.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(open)
}

// uploadForm returns a form that uploads a file to the media library, and its Content-Type.
func uploadForm(
	t *testing.T, workspace, kind, filename string, paths []string, content []byte,
) (body []byte, contentType string) {
	t.Helper()
	return fileForm(t,
		`mutation($w: ID!, $t: MediaType!, $f: Upload!) { uploadMedia(input: {workspaceId: $w, type: $t, file: $f}) { id } }`,
		map[string]any{"w": workspace, "t": kind, "f": nil}, filename, paths, content)
}

// fileForm returns the form of an operation with a file, which stands at paths, and its Content-Type.
func fileForm(
	t *testing.T, query string, variables map[string]any, filename string, paths []string, content []byte,
) (body []byte, contentType string) {
	t.Helper()
	operations, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	places, err := json.Marshal(map[string]any{"0": paths})
	if err != nil {
		t.Fatal(err)
	}
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	_ = writer.WriteField("operations", string(operations)) // a buffer takes everything
	_ = writer.WriteField("map", string(places))
	part, err := writer.CreateFormFile("0", filename)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = writer.Close()
	return form.Bytes(), writer.FormDataContentType()
}

// Whoever may upload nothing makes the server open no file, however many paths and bytes they send; whoever may makes
// it open one, which is closed with the request.
func TestUploadsOpenOneFileEach(t *testing.T) {
	temporary := t.TempDir()
	d := StartDev(t, nil, "--demo=none")
	process, address := d.Serve(t, "TMPDIR="+temporary)
	workspace, reader := workspaceKey(t, d, "AUDIT_READ")
	_, editor := workspaceKey(t, d, "MEDIA_MANAGE")
	png := append([]byte("\x89PNG\r\n\x1a\n"), zeros(9<<20)...)

	files := func() int {
		left, err := os.ReadDir(temporary)
		if err != nil {
			t.Fatal(err)
		}
		return len(left)
	}
	kept, before := files(), process.Descriptors()
	for name, c := range map[string]struct {
		key, kind string
		paths     []string
		status    int
		code      string
	}{
		"many paths": {reader, "VIDEO", slices.Repeat([]string{"variables.f"}, 25_000), 413, "payload_too_large"},
		"two paths":  {reader, "VIDEO", slices.Repeat([]string{"variables.f"}, 2), 400, "invalid_request"},
		"one path":   {reader, "VIDEO", slices.Repeat([]string{"variables.f"}, 1), 200, "forbidden"},
		"an editor":  {editor, "IMAGE", slices.Repeat([]string{"variables.f"}, 1), 200, "invalid_input"},
	} {
		body, contentType := uploadForm(t, workspace, c.kind, "a.png", c.paths, png)
		request := []byte(fmt.Sprintf("POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n"+
			"Content-Length: %d\r\nConnection: close\r\n\r\n%s", c.key, contentType, len(body), body))
		// All but the end is sent: what the server opens for it is open now.
		conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(request[:len(request)-100]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		opened, written := process.Descriptors()-before, files()-kept
		if most := 10; opened > most { // the connection, its file, and what else the server does
			t.Errorf("%s: %d more descriptors", name, opened)
		}
		if written > 0 {
			t.Errorf("%s: %d temporary files", name, written)
		}
		if _, err := conn.Write(request[len(request)-100:]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_ = conn.Close()
		if !bytes.HasPrefix(answer, fmt.Appendf(nil, "HTTP/1.1 %d ", c.status)) || !bytes.Contains(answer, []byte(c.code)) {
			t.Errorf("%s: %s", name, answer)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	Until(t, 10*time.Second, "descriptors are given back", func() error {
		if left := process.Descriptors() - before; left > 5 {
			return fmt.Errorf("%d more descriptors than before", left)
		}
		return nil
	})
	if files() > kept {
		t.Errorf("%d temporary files are left", files()-kept)
	}
}

// Animations take of the server's memory what they have, not what their text would be as values: eight large ones at
// once of a caller that may upload, again and again.
func TestAnimationsTakeTheirSize(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	process, address := d.Serve(t, "SVC_WARM_DAYS=0")
	workspace, key := workspaceKey(t, d, "MEDIA_MANAGE")
	animation := append([]byte(`{"layers":[`), bytes.Repeat([]byte("0,"), 5_200_000)...)
	animation = append(animation, "0]}"...)
	body, contentType := uploadForm(t, workspace, "LOTTIE", "a.json", []string{"variables.f"}, animation)
	before := process.PeakMemory()
	for range 3 {
		var senders sync.WaitGroup
		for range 8 {
			senders.Go(func() {
				answer, err := Do(&http.Client{Timeout: time.Minute}, http.MethodPost, address+"/graphql", body,
					"Authorization", "Bearer "+key, "Content-Type", contentType)
				if err != nil || answer.Status != http.StatusOK && answer.Status != http.StatusServiceUnavailable {
					t.Errorf("%d %s %v", answer.Status, answer.Body, err)
				}
			})
		}
		senders.Wait()
	}
	peak := process.PeakMemory()
	t.Logf("peak %d MiB, before %d MiB", peak>>20, before>>20)
	if peak >= maxResident {
		t.Errorf("the server took %d MiB", peak>>20)
	}
}

// workspaceKey returns the workspace of d and a new key of it with one scope.
func workspaceKey(t *testing.T, d *Dev, scope string) (workspace, key string) {
	t.Helper()
	admin := d.SignIn(t, d.BaseURL)
	var viewer struct {
		Viewer struct {
			Workspaces struct {
				Nodes []struct{ Workspace struct{ ID string } }
			}
		}
	}
	admin.Query(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, &viewer)
	workspace = viewer.Viewer.Workspaces.Nodes[0].Workspace.ID
	var made struct{ CreateAPIKey struct{ Secret string } }
	admin.Query(`mutation($w: ID!, $s: [Capability!]!) { createApiKey(input: {workspaceId: $w, name: "k", scopes: $s}) { secret } }`,
		map[string]any{"w": workspace, "s": []string{scope}}, &made)
	return workspace, made.CreateAPIKey.Secret
}
