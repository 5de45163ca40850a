//go:build ignore

// Takes what nothing calls out of what ent generated. Ent has no switch for
// that: of each entity it generates every builder, predicate and mutation.

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

const (
	module            = "github.com/svc-dev/svc/"
	generatedPackages = module + "ent"
)

// pruner knows which declarations of the generated packages are reached from
// the written ones, and from graph.
type pruner struct {
	packages     map[string]*packages.Package // the generated ones
	declarations map[string][]declaration     // by key
	methods      map[string][]*types.Func     // of each type, by the type's key
	interfaces   []*types.Interface           // those that a method may be called through
	asked        map[string]bool              // methods of interfaces that are known by their names alone
	hooked       bool                         // a hook is called somewhere, so mutations are read
	reached      map[string]bool
	queue        []string
}

// declaration is what is kept or left out as one.
type declaration struct {
	node ast.Node
	info *types.Info
}

// prune rewrites the packages below ent without what is not reached. Whoever
// calls more of ent generates again.
func prune() error {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Dir:   "..",
		Tests: true,
	}, "./...")
	if err != nil {
		return err
	}
	p := &pruner{
		packages:     map[string]*packages.Package{},
		declarations: map[string][]declaration{},
		methods:      map[string][]*types.Func{},
		asked:        map[string]bool{},
		reached:      map[string]bool{},
	}
	var written []*packages.Package
	for _, pkg := range loaded {
		if generated(pkg.PkgPath) {
			p.packages[pkg.PkgPath] = pkg
		} else {
			written = append(written, pkg)
		}
	}
	for _, pkg := range p.packages {
		p.declare(pkg)
	}
	p.reachFrom(written)
	p.collectInterfaces(loaded)
	for len(p.queue) > 0 {
		key := p.queue[0]
		p.queue = p.queue[1:]
		for _, d := range p.declarations[key] {
			p.reachIn(d.node, d.info)
		}
		p.reachMethods(key)
	}
	for _, pkg := range p.packages {
		for i, file := range pkg.Syntax {
			if !ast.IsGenerated(file) {
				continue
			}
			if err := p.rewrite(pkg, file, pkg.CompiledGoFiles[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func generated(path string) bool {
	return (path == generatedPackages || strings.HasPrefix(path, generatedPackages+"/")) &&
		path != generatedPackages+"/schema"
}

// key names an object of a generated package; it is empty for all others, and
// for what is local or a field.
func key(object types.Object) string {
	if object == nil || object.Pkg() == nil || !generated(object.Pkg().Path()) {
		return ""
	}
	if f, ok := object.(*types.Func); ok {
		f = f.Origin()
		receiver := f.Signature().Recv()
		if receiver == nil {
			return f.FullName()
		}
		if named := namedOf(receiver.Type()); named != nil {
			return key(named.Obj()) + "." + f.Name()
		}
		return ""
	}
	if object.Parent() != object.Pkg().Scope() {
		return ""
	}
	return object.Pkg().Path() + "." + object.Name()
}

func namedOf(t types.Type) *types.Named {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, _ := t.(*types.Named)
	return named
}

// declare notes the declarations of a package and the methods of its types.
func (p *pruner) declare(pkg *packages.Package) {
	for _, file := range pkg.Syntax {
		if !ast.IsGenerated(file) {
			p.reachIn(file, pkg.TypesInfo)
			continue
		}
		for _, node := range file.Decls {
			for _, d := range parts(node) {
				for _, name := range names(d) {
					object := pkg.TypesInfo.Defs[name]
					if name.Name == "init" {
						p.reachIn(d, pkg.TypesInfo)
					}
					p.declarations[key(object)] = append(p.declarations[key(object)], declaration{d, pkg.TypesInfo})
					if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
						receiver := key(namedOf(f.Signature().Recv().Type()).Obj())
						p.methods[receiver] = append(p.methods[receiver], f)
					}
				}
			}
		}
	}
}

// parts are the declarations that one statement makes.
func parts(node ast.Decl) []ast.Node {
	general, ok := node.(*ast.GenDecl)
	if !ok {
		return []ast.Node{node}
	}
	var specs []ast.Node
	for _, spec := range general.Specs {
		if _, ok := spec.(*ast.ImportSpec); !ok {
			specs = append(specs, spec)
		}
	}
	return specs
}

func names(node ast.Node) []*ast.Ident {
	switch node := node.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{node.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{node.Name}
	case *ast.ValueSpec:
		return node.Names
	}
	return nil
}

func (p *pruner) reach(object types.Object) {
	if k := key(object); k != "" && !p.reached[k] {
		p.reached[k] = true
		p.queue = append(p.queue, k)
	}
}

func (p *pruner) reachFrom(written []*packages.Package) {
	for _, pkg := range written {
		for _, object := range pkg.TypesInfo.Uses {
			if key(object) != "" {
				p.hooked = p.hooked || object.Name() == "Use" || object.Name() == "Mutation"
				p.reach(object)
			}
		}
		for name := range pkg.TypesInfo.Defs {
			p.hooked = p.hooked || pkg.PkgPath == generatedPackages+"/schema" && (name.Name == "Hooks" || name.Name == "Policy")
		}
	}
}

// reachIn reaches what a declaration names.
func (p *pruner) reachIn(node ast.Node, info *types.Info) {
	ast.Inspect(node, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && p.callsHooks(call) {
			p.reachIn(call.Args[0], info)
			p.reachIn(call.Args[1], info)
			return false
		}
		if name, ok := n.(*ast.Ident); ok {
			p.reach(info.Uses[name])
		}
		return true
	})
}

// callsHooks tells a call that runs hooks around an operation where there are
// none.
func (p *pruner) callsHooks(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	return ok && name.Name == "withHooks" && !p.hooked
}

// collectInterfaces finds the interfaces of all packages. Of those that
// generated code writes in place, or that have parameters, the methods' names
// have to do.
func (p *pruner) collectInterfaces(loaded []*packages.Package) {
	packages.Visit(loaded, nil, func(pkg *packages.Package) {
		scope := pkg.Types.Scope()
		for _, name := range scope.Names() {
			object, ok := scope.Lookup(name).(*types.TypeName)
			forHooks := pkg.PkgPath == "entgo.io/ent" && (name == "Mutation" || name == "Mutator")
			if !ok || forHooks && !p.hooked {
				continue
			}
			i, ok := object.Type().Underlying().(*types.Interface)
			named := namedOf(object.Type())
			switch {
			case !ok || named == nil || i.NumMethods() == 0:
			case named.TypeParams().Len() == 0:
				p.interfaces = append(p.interfaces, i)
			case strings.HasPrefix(pkg.PkgPath, module):
				p.ask(i)
			}
		}
	})
	for _, pkg := range p.packages {
		for expression, t := range pkg.TypesInfo.Types {
			if _, ok := expression.(*ast.InterfaceType); ok {
				p.ask(t.Type.Underlying().(*types.Interface))
			}
		}
	}
}

func (p *pruner) ask(i *types.Interface) {
	for m := range i.ExplicitMethods() {
		p.asked[m.Name()] = true
	}
}

// reachMethods reaches the methods by which a type is an error, a Stringer or
// whatever else it may be called as.
func (p *pruner) reachMethods(k string) {
	methods := p.methods[k]
	if len(methods) == 0 {
		return
	}
	has := map[string]*types.Func{}
	for _, method := range methods {
		has[method.Name()] = method
	}
	for _, method := range methods {
		// Package errors asks an error for methods of interfaces without a name.
		if p.asked[method.Name()] || has["Error"] != nil {
			p.reach(method)
		}
	}
	pointer := types.NewPointer(namedOf(methods[0].Signature().Recv().Type()))
	for _, i := range p.interfaces {
		if has[i.Method(0).Name()] == nil || !types.Implements(pointer, i) {
			continue
		}
		for m := range i.Methods() {
			if method := has[m.Name()]; method != nil {
				p.reach(method)
			}
		}
	}
}

// rewrite writes a file with what is reached, or takes it away.
func (p *pruner) rewrite(pkg *packages.Package, file *ast.File, path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	w := &writer{pruner: p, pkg: pkg, source: source, used: map[string]bool{}}
	for _, node := range file.Decls {
		w.declaration(node)
	}
	if w.body.Len() == 0 {
		return os.Remove(path)
	}
	var out bytes.Buffer
	out.Write(source[:pkg.Fset.Position(file.Name.End()).Offset])
	out.WriteString("\n\nimport (\n")
	for _, standard := range []bool{true, false} {
		for _, spec := range file.Imports {
			imported := pkg.TypesInfo.PkgNameOf(spec)
			if strings.Contains(spec.Path.Value, ".") != standard && imported != nil && w.used[imported.Name()] {
				out.Write(w.text(spec.Pos(), spec.End()))
				out.WriteByte('\n')
			}
		}
		out.WriteByte('\n')
	}
	out.WriteString(")\n\n")
	out.Write(w.body.Bytes())
	formatted, err := format.Source(out.Bytes())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, bytes.Replace(formatted, []byte("import ()\n\n"), nil, 1), 0o644)
}

// writer collects the declarations of a file that stay.
type writer struct {
	*pruner
	pkg    *packages.Package
	source []byte
	body   bytes.Buffer
	used   map[string]bool // imports, by the name they go by
}

func (w *writer) text(from, to token.Pos) []byte {
	return w.source[w.pkg.Fset.Position(from).Offset:w.pkg.Fset.Position(to).Offset]
}

func (w *writer) declaration(node ast.Decl) {
	general, ok := node.(*ast.GenDecl)
	if !ok {
		if w.stays(node) {
			w.write(node, node.(*ast.FuncDecl).Doc)
			w.body.WriteString("\n\n")
		}
		return
	}
	var kept []ast.Node
	for _, part := range parts(node) {
		if w.stays(part) {
			kept = append(kept, part)
		}
	}
	if len(kept) == 0 {
		return
	}
	if general.Doc != nil {
		w.body.Write(w.text(general.Doc.Pos(), general.Doc.End()))
		w.body.WriteByte('\n')
	}
	fmt.Fprintf(&w.body, "%s ", general.Tok)
	if general.Lparen.IsValid() {
		w.body.WriteString("(\n")
	}
	for _, part := range kept {
		doc, comment := comments(part)
		w.write(part, doc)
		if comment != nil {
			w.body.WriteByte(' ')
			w.body.Write(w.text(comment.Pos(), comment.End()))
		}
		w.body.WriteByte('\n')
	}
	if general.Lparen.IsValid() {
		w.body.WriteByte(')')
	}
	w.body.WriteString("\n\n")
}

func comments(node ast.Node) (doc, comment *ast.CommentGroup) {
	switch node := node.(type) {
	case *ast.TypeSpec:
		return node.Doc, node.Comment
	case *ast.ValueSpec:
		return node.Doc, node.Comment
	}
	return nil, nil
}

func (w *writer) stays(node ast.Node) bool {
	for _, name := range names(node) {
		// What is assigned to no name says that mutations are what hooks take.
		if name.Name == "init" || name.Name == "_" && w.hooked || w.reached[key(w.pkg.TypesInfo.Defs[name])] {
			return true
		}
	}
	return false
}

// write writes one declaration, without the running of hooks where there are none.
func (w *writer) write(node ast.Node, doc *ast.CommentGroup) {
	from := node.Pos()
	if doc != nil {
		from = doc.Pos()
	}
	ast.Inspect(node, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && w.callsHooks(call) {
			w.body.Write(w.text(from, call.Pos()))
			operation, ctx := call.Args[1], call.Args[0]
			fmt.Fprintf(&w.body, "%s(%s)", w.text(operation.Pos(), operation.End()), w.text(ctx.Pos(), ctx.End()))
			from = call.End()
			return false
		}
		if name, ok := n.(*ast.Ident); ok {
			if _, ok := w.pkg.TypesInfo.Uses[name].(*types.PkgName); ok {
				w.used[name.Name] = true
			}
		}
		return true
	})
	w.body.Write(w.text(from, node.End()))
}
