//go:build ignore

// Has those lists marshalled in order whose elements ask no resolver. gqlgen starts a goroutine for each element of
// every list, whose stack grows several times below the middleware of fields: that took half the time of a chart of
// 1,200 points.

package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
)

// function is a generated function.
type function struct {
	begin, end int      // in the text of its file
	names      []string // of all that it may call, whatever the receiver
	resolves   bool     // it or what it calls has fields resolved at the same time
}

func main() {
	paths, err := filepath.Glob("*.generated.go")
	if err != nil {
		log.Fatal(err)
	}
	all, texts, of := map[string]*function{}, map[string][]byte{}, map[string][]*function{}
	for _, path := range paths {
		if texts[path], err = os.ReadFile(path); err != nil {
			log.Fatal(err)
		}
		if of[path], err = read(path, texts[path], all); err != nil {
			log.Fatal(err)
		}
	}
	spread(all)
	for _, path := range paths {
		if err := os.WriteFile(path, rewrite(texts[path], of[path]), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// read returns the functions of a file in their order, and adds them to all, by name.
func read(path string, text []byte, all map[string]*function) (of []*function, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, declaration := range parsed.Decls {
		is, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		f := &function{begin: files.Position(is.Pos()).Offset, end: files.Position(is.End()).Offset}
		ast.Inspect(is, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				f.names = append(f.names, selector.Sel.Name)
				f.resolves = f.resolves || selector.Sel.Name == "Concurrently"
			}
			return true
		})
		of, all[is.Name.Name] = append(of, f), f
	}
	return of, nil
}

// spread makes functions resolve that call one which does.
func spread(all map[string]*function) {
	for changed := true; changed; {
		changed = false
		for _, f := range all {
			for _, name := range f.names {
				if called := all[name]; !f.resolves && called != nil && called.resolves {
					f.resolves, changed = true, true
				}
			}
		}
	}
}

// rewrite has the lists of functions that resolve nothing marshalled by [marshalInOrder].
func rewrite(text []byte, of []*function) (out []byte) {
	end := 0
	for _, f := range of {
		body := text[f.begin:f.end]
		if !f.resolves {
			body = bytes.ReplaceAll(body, []byte("graphql.MarshalSliceConcurrently("), []byte("marshalInOrder("))
		}
		out = append(append(out, text[end:f.begin]...), body...)
		end = f.end
	}
	return append(out, text[end:]...)
}
