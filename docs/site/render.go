package site

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// page is a rendered page.
type page struct {
	Name  string // of the address below /docs/, such as sdk/consent
	Title string
	// Headings are those of the second level, for a table of contents.
	Headings []heading
	HTML     template.HTML

	anchors map[string]string // of every heading, by its Markdown
}

type heading struct{ ID, Text string }

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

// samples are the addresses that stand for the server in samples.
var samples = []string{
	"https://svc.example.com", "https://your-server", "http://localhost:4000", "http://127.0.0.1:4000",
}

// render renders every page of a folder, by name.
func render(files fs.FS, baseURL string) (map[string]*page, error) {
	var addresses []string
	for _, sample := range samples {
		addresses = append(addresses, sample, baseURL)
	}
	address := strings.NewReplacer(addresses...)
	pages := map[string]*page{}
	err := fs.WalkDir(files, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".md" {
			return err
		}
		source, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		rendered, err := renderPage(files, file, []byte(address.Replace(string(source))))
		pages[nameOf(file)] = rendered
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("render the documentation: %w", err)
	}
	return pages, nil
}

// nameOf returns the name of the page that a file is.
func nameOf(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(file, ".md"), "/README")
}

func renderPage(files fs.FS, file string, source []byte) (*page, error) {
	p := &page{Name: nameOf(file), anchors: map[string]string{}}
	tree := markdown.Parser().Parse(text.NewReader(source))
	var elsewhere []*ast.Link // to what is not documentation
	err := ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			p.addHeading(node, source)
		case *ast.Image:
			node.Destination = []byte("/docs/" + path.Join(path.Dir(file), string(node.Destination)))
		case *ast.Link:
			if to, inside := address(files, file, string(node.Destination)); inside {
				node.Destination = []byte(to)
			} else {
				elsewhere = append(elsewhere, node)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	for _, link := range elsewhere {
		unlink(link)
	}
	var written bytes.Buffer
	if err := markdown.Renderer().Render(&written, source, tree); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p.HTML = template.HTML(written.String()) //nolint:gosec // pages of this repository, rendered without raw HTML
	return p, nil
}

// addHeading notes a heading; that of the first level is the page's title.
func (p *page) addHeading(node *ast.Heading, source []byte) {
	raw := strings.TrimSpace(string(node.Lines().Value(source)))
	id, _ := node.AttributeString("id")
	anchor, _ := id.([]byte) // the parser gives each one
	words := strings.ReplaceAll(raw, "`", "")
	switch node.Level {
	case 1:
		p.Title = words
	case 2:
		p.Headings = append(p.Headings, heading{string(anchor), words})
	}
	if _, known := p.anchors[raw]; !known {
		p.anchors[raw] = string(anchor)
	}
}

// address returns where a link on a page leads; false for files of the repository that are not documentation.
func address(files fs.FS, from, to string) (string, bool) {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "mailto:") {
		return to, true
	}
	file, anchor, _ := strings.Cut(to, "#")
	file = path.Join(path.Dir(from), file)
	if _, err := fs.Stat(files, file); err != nil {
		return "", false
	}
	if path.Ext(file) == ".json" { // for other tools
		return "/docs/" + file, true
	}
	if path.Ext(file) != ".md" {
		return "", false
	}
	if anchor != "" {
		anchor = "#" + anchor
	}
	return "/docs/" + nameOf(file) + anchor, true
}

// unlink puts what a link says in its place.
func unlink(link *ast.Link) {
	parent := link.Parent()
	for child := link.FirstChild(); child != nil; {
		next := child.NextSibling()
		parent.InsertBefore(parent, link, child)
		child = next
	}
	parent.RemoveChild(parent, link)
}
