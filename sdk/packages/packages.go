// Package packages serves the SDKs that fit the server: `npm install https://your-server/sdk/svc-react-0.1.0.tgz`. What
// one package needs of another is an address of this server too, so that no registry has to know them. Pages without
// npm load /svc.js, and from it the renderer of flows at /sdk/flow/.
package packages

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// built is what `make packages` wrote. dist/README.md is always there, so that the package compiles without Node.
//
//go:embed all:dist
var built embed.FS

// Path is where packages are served.
const Path = "/sdk/"

// indexName is the list of a build's files, which is written last: no part of a build is offered.
const indexName = "packages.txt"

// Package is one that the server offers.
type Package struct {
	// Name is that of npm, such as @svc/react.
	Name    string
	Version string
	// URL is what `npm install` takes.
	URL string
	// Integrity is the checksum of the file as package locks have it, such as sha512-….
	Integrity string

	file    string // svc-react-0.1.0.tgz
	content []byte
}

// Packages are those of one build.
type Packages struct {
	baseURL string
	mu      sync.Mutex
	files   fs.FS
	list    []Package         // nil until a build was read
	scripts map[string]script // of the same build, by path
}

// New returns the packages that the binary holds. baseURL is the public address of the server, without a slash at its
// end.
func New(baseURL string) *Packages {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the name is valid
	}
	return In(files, baseURL)
}

// In returns the packages of a folder that `make packages` writes; it may be filled while the server runs.
func In(files fs.FS, baseURL string) *Packages { return &Packages{baseURL: baseURL, files: files} }

// Use offers the packages of a folder in place of those before.
func (p *Packages) Use(files fs.FS) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files, p.list, p.scripts = files, nil, nil
}

// List returns the packages by name; none when the server was built without them.
func (p *Packages) List() ([]Package, error) {
	list, _, err := p.read()
	return list, err
}

// read returns the packages and the scripts of a build, which is read once.
func (p *Packages) read() ([]Package, map[string]script, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) > 0 {
		return p.list, p.scripts, nil
	}
	index, err := fs.ReadFile(p.files, indexName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list packages: %w", err)
	}
	list, err := p.readPackages(strings.Fields(string(index)))
	if err != nil {
		return nil, nil, err
	}
	scripts, err := readScripts(p.files)
	if err != nil {
		return nil, nil, err
	}
	p.list, p.scripts = list, scripts
	return list, scripts, nil
}

// readPackages reads the packages of a build by the names of their files.
func (p *Packages) readPackages(names []string) ([]Package, error) {
	var list []Package
	versions := map[string]string{}
	tarballs := map[string]*tarball{}
	for _, name := range names {
		content, err := fs.ReadFile(p.files, name)
		if err != nil {
			return nil, fmt.Errorf("read package %s: %w", name, err)
		}
		if tarballs[name], err = openTarball(content); err != nil {
			return nil, fmt.Errorf("read package %s: %w", name, err)
		}
		versions[tarballs[name].name] = tarballs[name].version
	}
	address := func(name string) (string, bool) {
		version, offered := versions[name]
		return p.baseURL + Path + fileName(name, version), offered
	}
	for _, name := range names {
		t := tarballs[name]
		content, err := t.withAddresses(address)
		if err != nil {
			return nil, fmt.Errorf("write package %s: %w", name, err)
		}
		url, _ := address(t.name)
		sum := sha512.Sum512(content)
		list = append(list, Package{
			Name: t.name, Version: t.version, URL: url,
			Integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
			file:      fileName(t.name, t.version), content: content,
		})
	}
	slices.SortFunc(list, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// fileName is what npm calls the file of a package: svc-react-0.1.0.tgz of @svc/react.
func fileName(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}

// ServeHTTP answers with a package, with a script, or with SHA256SUMS, which `sha256sum -c` reads.
func (p *Packages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	list, scripts, err := p.read()
	if err != nil {
		http.Error(w, "the packages can't be read", http.StatusInternalServerError)
		return
	}
	if script, ok := scripts[r.URL.Path]; ok {
		script.serve(w, r)
		return
	}
	name := path.Base(r.URL.Path)
	if name == "SHA256SUMS" && len(list) > 0 {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		for _, each := range list {
			sum := sha256.Sum256(each.content)
			_, _ = fmt.Fprintf(w, "%s  %s\n", hex.EncodeToString(sum[:]), each.file) // the reader may have gone
		}
		return
	}
	for _, each := range list {
		if each.file == name {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Cache-Control", "public, max-age=300")
			w.Header().Set("ETag", `"`+each.Integrity+`"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(each.content))
			return
		}
	}
	if len(list) == 0 {
		http.Error(w, "this server was built without SDK packages: make packages", http.StatusNotFound)
		return
	}
	offered := make([]string, len(list))
	for i, each := range list {
		offered[i] = each.file
	}
	http.Error(w, "no such package; this server has "+strings.Join(offered, ", "), http.StatusNotFound)
}
