// Command floors holds the packages to the table of floors in docs/architecture.md: a package imports from lower
// floors, and from its own folder on the same floor. It names each import that runs up and exits 1.
// With -write it draws the picture of the same page anew; without, it fails when the picture is stale.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	module = "github.com/svc-dev/svc/"
	page   = "docs/architecture.md"
)

// A place is a row's entry: a folder, or a package in it that stands on another floor.
type place struct {
	path  string
	floor int
}

// An arrow is an import of one package by another.
type arrow struct{ from, to string }

var (
	row     = regexp.MustCompile(`(?m)^\| (\d+) \| (.+?) \|`)
	name    = regexp.MustCompile("`([a-z/]+)`")
	drawing = regexp.MustCompile("(?s)```mermaid\n.*?```")
)

func main() {
	write := flag.Bool("write", false, "draw the picture of the page anew")
	flag.Parse()
	if err := run(*write); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(write bool) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	places, err := readPlaces(text)
	if err != nil {
		return err
	}
	arrows, err := readArrows()
	if err != nil {
		return err
	}
	if up := check(places, arrows); len(up) > 0 {
		return fmt.Errorf("imports that run up the floors of %s:\n%s", page, strings.Join(up, "\n"))
	}
	drawn := drawing.ReplaceAll(text, []byte(draw(places, arrows)))
	if write {
		return os.WriteFile(page, drawn, 0o644)
	}
	if !bytes.Equal(drawn, text) {
		return fmt.Errorf("the picture of %s is stale: go run ./scripts/floors -write", page)
	}
	return nil
}

// readPlaces reads the rows `| floor | `path`, `path` | … |`.
func readPlaces(text []byte) ([]place, error) {
	var places []place
	for _, line := range row.FindAllSubmatch(text, -1) {
		floor, err := strconv.Atoi(string(line[1]))
		if err != nil {
			return nil, err
		}
		for _, found := range name.FindAllSubmatch(line[2], -1) {
			places = append(places, place{string(found[1]), floor})
		}
	}
	if len(places) == 0 {
		return nil, fmt.Errorf("%s has no table of floors", page)
	}
	// The longest path that fits a package decides.
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(len(b.path), len(a.path)) })
	return places, nil
}

func readArrows() ([]arrow, error) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	var arrows []arrow
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for _, imported := range words[1:] {
			if to, ours := strings.CutPrefix(imported, module); ours {
				arrows = append(arrows, arrow{strings.TrimPrefix(words[0], module), to})
			}
		}
	}
	return arrows, nil
}

// find returns the place that a package stands in; false when the table names none.
func find(places []place, path string) (place, bool) {
	i := slices.IndexFunc(places, func(p place) bool { return path == p.path || strings.HasPrefix(path, p.path+"/") })
	if i < 0 {
		return place{}, false
	}
	return places[i], true
}

// check returns a sentence for each arrow that does not run down.
func check(places []place, arrows []arrow) []string {
	var up []string
	for _, a := range arrows {
		from, ok := find(places, a.from)
		to, known := find(places, a.to)
		switch {
		case !ok:
			up = append(up, a.from+" has no floor")
		case !known:
			up = append(up, a.to+" has no floor")
		case to.floor > from.floor, to.floor == from.floor && top(a.from) != top(a.to):
			up = append(up, fmt.Sprintf("%s (floor %d) imports %s (floor %d)", a.from, from.floor, a.to, to.floor))
		}
	}
	slices.Sort(up)
	return slices.Compact(up)
}

func top(path string) string {
	folder, _, _ := strings.Cut(path, "/")
	return folder
}

// draw writes the arrows between folders, leaving out those to the two lowest floors, which nearly everything uses,
// and those that a longer way says already. A package with a floor of its own is passed through: who imports it is
// drawn as an importer of what it imports.
func draw(places []place, arrows []arrow) string {
	imports := map[string]map[string]bool{}
	for _, a := range arrows {
		to, _ := find(places, a.to)
		from, _ := find(places, a.from)
		if to.floor <= 2 || from.path == to.path {
			continue
		}
		if imports[from.path] == nil {
			imports[from.path] = map[string]bool{}
		}
		imports[from.path][to.path] = true
	}
	folders := map[string]map[string]bool{}
	for from := range imports {
		if top(from) != from {
			continue
		}
		folders[from] = map[string]bool{}
		reachFolders(imports, from, folders[from])
		delete(folders[from], from)
	}
	var lines []string
	for _, from := range slices.Sorted(maps.Keys(folders)) {
		for _, to := range slices.Sorted(maps.Keys(folders[from])) {
			if !reachedOtherwise(folders, from, to) {
				lines = append(lines, fmt.Sprintf("  %s --> %s", from, to))
			}
		}
	}
	return "```mermaid\nflowchart TD\n" + strings.Join(lines, "\n") + "\n```"
}

// reachFolders adds the folders that from imports, by itself or through packages with floors of their own.
func reachFolders(imports map[string]map[string]bool, from string, into map[string]bool) {
	for to := range imports[from] {
		if top(to) == to {
			into[to] = true
		} else {
			reachFolders(imports, to, into)
		}
	}
}

// reachedOtherwise reports whether another way leads from one place to another than the arrow itself.
func reachedOtherwise(below map[string]map[string]bool, from, to string) bool {
	var reaches func(at string) bool
	seen := map[string]bool{}
	reaches = func(at string) bool {
		if seen[at] {
			return false
		}
		seen[at] = true
		for next := range below[at] {
			if next == to || reaches(next) {
				return true
			}
		}
		return false
	}
	for next := range below[from] {
		if next != to && reaches(next) {
			return true
		}
	}
	return false
}
