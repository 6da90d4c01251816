// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// RuleArrows is the name of the rule about references between the files of a package.
const RuleArrows = "arrows"

// MaxUpward is the largest number of references in a package that may point to an earlier file. Read in the best order,
// the files of a package lead from the general to the details.
const MaxUpward = 10

// arrow is a reference from one file of a package to a declaration in another file.
type arrow struct{ from, to string }

// Source is a package with its files, as go list reports it.
type Source struct {
	Path, Dir string
	Files     []string
}

// ListSources returns the packages of a module, and the export data files of all packages that they import.
func ListSources(root string) (own []Source, exports map[string]string, err error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f",
		`{{.ImportPath}};{{.Export}};{{.Dir}};{{with .Module}}{{.Main}}{{end}};{{join .GoFiles " "}}`, "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list -export: %w", err)
	}
	exports = map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		part := strings.Split(s.Text(), ";")
		exports[part[0]] = part[1]
		if part[3] == "true" {
			own = append(own, Source{Path: part[0], Dir: part[2], Files: strings.Fields(part[4])})
		}
	}
	return own, exports, nil
}

// Upward returns the references of a package that point to an earlier file, in the order of its files that has the
// fewest of them, as far as moving one file at a time finds that order.
func (s Source) Upward(exports map[string]string) ([]string, error) {
	arrows, err := s.arrows(exports)
	if err != nil {
		return nil, err
	}
	order := slices.Sorted(maps.Keys(arrows.files()))
	for fewer := true; fewer; {
		order, fewer = arrows.improve(order)
	}
	var out []string
	for a := range arrows {
		if slices.Index(order, a.from) > slices.Index(order, a.to) {
			out = append(out, a.from+" → "+a.to)
		}
	}
	slices.Sort(out)
	return out, nil
}

// arrowSet is the set of references between the files of one package.
type arrowSet map[arrow]bool

func (as arrowSet) files() map[string]bool {
	out := map[string]bool{}
	for a := range as {
		out[a.from], out[a.to] = true, true
	}
	return out
}

func (as arrowSet) upward(order []string) int {
	place := map[string]int{}
	for i, f := range order {
		place[f] = i
	}
	n := 0
	for a := range as {
		if place[a.from] > place[a.to] {
			n++
		}
	}
	return n
}

// improve moves each file to the place that leaves the fewest upward references. It reports whether there are now fewer
// than before.
func (as arrowSet) improve(order []string) ([]string, bool) {
	before := as.upward(order)
	best := before
	for _, file := range slices.Clone(order) {
		rest := slices.DeleteFunc(slices.Clone(order), func(f string) bool { return f == file })
		for at := range order {
			moved := slices.Insert(slices.Clone(rest), at, file)
			if n := as.upward(moved); n < best {
				best, order = n, moved
			}
		}
	}
	return order, best < before
}

// arrows finds the references with the type checker: to types, functions, methods, variables and constants of the
// package, but not to fields, and not from a method to its receiver.
func (s Source) arrows(exports map[string]string) (arrowSet, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range s.Files {
		f, err := parser.ParseFile(fset, filepath.Join(s.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	pkg, err := (&types.Config{Importer: from}).Check(s.Path, fset, files, info)
	if err != nil {
		return nil, err
	}
	receivers := receiversOf(files)
	out := arrowSet{}
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg || receivers[id] || !isDeclaration(pkg, obj) {
			continue
		}
		a := arrow{filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(obj.Pos()).Filename)}
		if a.from != a.to && !strings.HasPrefix(a.from, "zz_generated") {
			out[a] = true
		}
	}
	return out, nil
}

// isDeclaration reports whether an object is declared at the top level of the package, or is a method.
func isDeclaration(pkg *types.Package, obj types.Object) bool {
	if f, ok := obj.(*types.Func); ok {
		return f.Parent() == pkg.Scope() || f.Signature().Recv() != nil
	}
	return obj.Parent() == pkg.Scope()
}

// receiversOf returns the identifiers in the receivers of methods.
func receiversOf(files []*ast.File) map[*ast.Ident]bool {
	out := map[*ast.Ident]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil {
				ast.Inspect(m.Recv, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						out[id] = true
					}
					return true
				})
			}
		}
	}
	return out
}
