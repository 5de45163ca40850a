package packages_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/sdk/packages"
)

// pack returns a file as `npm pack` writes it.
func pack(t *testing.T, manifest string) *fstest.MapFile {
	t.Helper()
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	writer := tar.NewWriter(compressed)
	for _, file := range [][2]string{{"package/dist/index.mjs", "export {}"}, {"package/package.json", manifest}} {
		require.NoError(t, writer.WriteHeader(&tar.Header{Name: file[0], Mode: 0o644, Size: int64(len(file[1]))}))
		_, err := writer.Write([]byte(file[1]))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	require.NoError(t, compressed.Close())
	return &fstest.MapFile{Data: packed.Bytes()}
}

// unpack returns the files of a package by name.
func unpack(t *testing.T, packed []byte) map[string]string {
	t.Helper()
	content, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	files := map[string]string{}
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		text, err := io.ReadAll(reader)
		require.NoError(t, err)
		files[header.Name] = string(text)
	}
}

func get(t *testing.T, handler http.Handler, path string) (int, []byte) {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
	return recorder.Code, recorder.Body.Bytes()
}

func TestPackagesNeedEachOtherByAddress(t *testing.T) {
	folder := fstest.MapFS{
		"packages.txt":       {Data: []byte("svc-core-1.2.0.tgz\nsvc-react-1.2.0.tgz\n")},
		"svc-core-1.2.0.tgz": pack(t, `{"name": "@svc/core", "version": "1.2.0", "exports": {"b": "1", "a": "2"}}`),
		"svc-react-1.2.0.tgz": pack(
			t, `{"name": "@svc/react", "version": "1.2.0", "dependencies": {"@svc/core": "1.2.0", "lottie-web": "5.13.0"}}`,
		),
	}
	offered := packages.In(folder, "https://flows.example")
	list, err := offered.List()
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "@svc/core", list[0].Name)
	require.Equal(t, "https://flows.example/sdk/svc-react-1.2.0.tgz", list[1].URL)

	status, packed := get(t, offered, "/sdk/svc-react-1.2.0.tgz")
	require.Equal(t, http.StatusOK, status)
	sum := sha512.Sum512(packed)
	require.Equal(t, "sha512-"+base64.StdEncoding.EncodeToString(sum[:]), list[1].Integrity)
	files := unpack(t, packed)
	require.Equal(t, "export {}", files["package/dist/index.mjs"])
	var manifest struct{ Dependencies map[string]string }
	require.NoError(t, json.Unmarshal([]byte(files["package/package.json"]), &manifest))
	require.Equal(t, map[string]string{
		"@svc/core": "https://flows.example/sdk/svc-core-1.2.0.tgz", "lottie-web": "5.13.0",
	}, manifest.Dependencies)

	// Conditions of exports are read in their order.
	_, core := get(t, offered, "/sdk/svc-core-1.2.0.tgz")
	require.Contains(t, unpack(t, core)["package/package.json"], "\"b\": \"1\",\n    \"a\": \"2\"")

	_, sums := get(t, offered, "/sdk/SHA256SUMS")
	digest := sha256.Sum256(packed)
	require.Contains(t, string(sums), hex.EncodeToString(digest[:])+"  svc-react-1.2.0.tgz\n")

	again, err := packages.In(folder, "https://flows.example").List()
	require.NoError(t, err)
	require.Equal(t, list[1].Integrity, again[1].Integrity, "the same build has the same checksums")

	status, message := get(t, offered, "/sdk/svc-vue-1.2.0.tgz")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, string(message), "svc-core-1.2.0.tgz, svc-react-1.2.0.tgz")
}

func TestAFolderIsReadOnceABuildIsInIt(t *testing.T) {
	folder := fstest.MapFS{"svc-core-1.2.0.tgz": pack(t, `{"name": "@svc/core", "version": "1.2.0"}`)}
	offered := packages.In(folder, "http://127.0.0.1:4000")
	status, message := get(t, offered, "/sdk/svc-core-1.2.0.tgz")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, string(message), "make packages")

	folder["packages.txt"] = &fstest.MapFile{Data: []byte("svc-core-1.2.0.tgz\n")}
	status, _ = get(t, offered, "/sdk/svc-core-1.2.0.tgz")
	require.Equal(t, http.StatusOK, status)
}

func TestABrokenPackageIsAnError(t *testing.T) {
	for name, file := range map[string]*fstest.MapFile{
		"no archive":      {Data: []byte("svc")},
		"no name":         pack(t, `{"version": "1.2.0"}`),
		"no JSON":         pack(t, `{`),
		"no dependencies": pack(t, `{"name": "@svc/core", "version": "1.2.0", "dependencies": []}`),
	} {
		folder := fstest.MapFS{"packages.txt": {Data: []byte("svc-core-1.2.0.tgz")}, "svc-core-1.2.0.tgz": file}
		offered := packages.In(folder, "http://127.0.0.1:4000")
		status, _ := get(t, offered, "/sdk/svc-core-1.2.0.tgz")
		require.Equal(t, http.StatusInternalServerError, status, name)
	}
}

func TestTheBinaryIsBuiltWithOrWithoutPackages(t *testing.T) {
	_, err := packages.New("http://127.0.0.1:4000").List()
	require.NoError(t, err)
}

func TestPagesLoadScripts(t *testing.T) {
	const chunk = "export const answer = 42;"
	offered := packages.In(fstest.MapFS{
		"packages.txt":       {Data: []byte("svc-core-1.2.0.tgz\n")},
		"svc-core-1.2.0.tgz": pack(t, `{"name": "@svc/core", "version": "1.2.0"}`),
		"svc.js":             {Data: []byte("svc()")},
		"flow/renderer.js":   {Data: []byte("flow()")},
		"flow/part-1a2b.js":  {Data: []byte(chunk)},
	}, "https://flows.example")
	for path, kept := range map[string]bool{"/svc.js": false, "/sdk/flow/renderer.js": false, "/sdk/flow/part-1a2b.js": true} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodGet, path, nil)
		request.Header.Set("Accept-Encoding", "gzip, br")
		offered.ServeHTTP(recorder, request)
		require.Equal(t, http.StatusOK, recorder.Code, path)
		header := recorder.Header()
		require.Equal(t, "*", header.Get("Access-Control-Allow-Origin"), "modules and checksums are for any origin")
		require.Equal(t, "text/javascript; charset=utf-8", header.Get("Content-Type"))
		require.Equal(t, kept, strings.Contains(header.Get("Cache-Control"), "immutable"), path)
		content, err := gzip.NewReader(recorder.Body)
		require.NoError(t, err)
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		if kept {
			require.Equal(t, chunk, string(text))
		}

		// Who has it already is sent nothing.
		again := httptest.NewRecorder()
		request.Header.Set("If-None-Match", header.Get("ETag"))
		offered.ServeHTTP(again, request)
		require.Equal(t, http.StatusNotModified, again.Code)
	}
	_, plain := get(t, offered, "/sdk/flow/part-1a2b.js")
	require.Equal(t, chunk, string(plain))
	for _, path := range []string{"/sdk/flow/part.js", "/sdk/flow/", "/sdk/flow/../packages.txt", "/sdk/packages.txt"} {
		status, _ := get(t, offered, path)
		require.Equal(t, http.StatusNotFound, status, path)
	}
}
