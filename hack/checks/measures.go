// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// Names of the measures.
const (
	// RuleReach limits the methods that can be called on a value of a type of the product: its own, and those of the types
	// of its package that it embeds.
	RuleReach = "reach"
	// RuleFiles limits the files of a package of the product, without tests and generated ones.
	RuleFiles = "files"
	// RuleFields and RuleEmbeds limit the fields of a part of the application controller, and the types of its package that
	// it embeds. A part is a struct with a method that takes a context.
	RuleFields = "fields"
	RuleEmbeds = "embeds"
)

// limits are the limits of the measures.
var limits = map[string]int{RuleReach: 25, RuleFiles: 25, RuleFields: 7, RuleEmbeds: 0}

// Measure is a number that is above the limit of its rule.
type Measure struct {
	Rule string
	// Of is a folder, or a folder, a dot and a type.
	Of    string
	Count int
}

// Measures returns what is above its limit, by rule and name.
func Measures(files []File) ([]Measure, error) {
	packages := map[string]*measured{}
	for _, f := range files {
		if !f.isProduct() {
			continue
		}
		dir := path.Dir(f.Path)
		if packages[dir] == nil {
			packages[dir] = &measured{methods: map[string]map[string]bool{}, structs: map[string]*ast.StructType{}, parts: map[string]bool{}}
		}
		if err := packages[dir].read(f); err != nil {
			return nil, err
		}
	}
	var out []Measure
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		out = append(out, packages[dir].above(dir)...)
	}
	slices.SortStableFunc(out, func(a, b Measure) int { return strings.Compare(a.Rule, b.Rule) })
	return out, nil
}

// measured is what was read of a package.
type measured struct {
	files   int
	methods map[string]map[string]bool // by type
	structs map[string]*ast.StructType
	parts   map[string]bool
}

func (m *measured) read(f File) error {
	m.files++
	parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) == 1 {
				m.method(localName(d.Recv.List[0].Type), d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					if s, ok := t.Type.(*ast.StructType); ok {
						m.structs[t.Name.Name] = s
					}
				}
			}
		}
	}
	return nil
}

func (m *measured) method(typ string, d *ast.FuncDecl) {
	if m.methods[typ] == nil {
		m.methods[typ] = map[string]bool{}
	}
	m.methods[typ][d.Name.Name] = true
	if params := d.Type.Params.List; len(params) > 0 {
		first, ok := params[0].Type.(*ast.SelectorExpr)
		m.parts[typ] = m.parts[typ] || ok && first.Sel.Name == "Context"
	}
}

func (m *measured) above(dir string) []Measure {
	var out []Measure
	add := func(rule, of string, count int) {
		if count > limits[rule] {
			out = append(out, Measure{Rule: rule, Of: of, Count: count})
		}
	}
	add(RuleFiles, dir, m.files)
	for _, typ := range slices.Sorted(maps.Keys(m.methods)) {
		reach := map[string]bool{}
		m.reach(typ, reach, map[string]bool{})
		add(RuleReach, dir+"."+typ, len(reach))
		if s := m.structs[typ]; s != nil && m.parts[typ] && strings.HasPrefix(dir+"/", "controllers/application/") {
			add(RuleFields, dir+"."+typ, s.Fields.NumFields())
			add(RuleEmbeds, dir+"."+typ, len(m.embedded(typ)))
		}
	}
	return out
}

// reach adds the methods of a type, and of those that it embeds.
func (m *measured) reach(typ string, into, visited map[string]bool) {
	if visited[typ] {
		return
	}
	visited[typ] = true
	maps.Copy(into, m.methods[typ])
	for _, e := range m.embedded(typ) {
		m.reach(e, into, visited)
	}
}

// embedded returns the structs of the same package that a type embeds.
func (m *measured) embedded(typ string) []string {
	s := m.structs[typ]
	if s == nil {
		return nil
	}
	var out []string
	for _, field := range s.Fields.List {
		if name := localName(field.Type); len(field.Names) == 0 && (m.structs[name] != nil || m.methods[name] != nil) {
			out = append(out, name)
		}
	}
	return out
}

// localName returns the name of a type of the same package, and the empty string for others.
func localName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// Exception allows one package or type to be above one limit.
type Exception struct{ Rule, Of, Why string }

// Compare compares what is above its limit with the exceptions, and with the list of what was above it before. That list
// only shrinks: if a number has fallen, the list must say so.
func Compare(found, before []Measure, exceptions []Exception) []Problem {
	var problems []Problem
	problem := func(at place, format string, args ...any) {
		problems = append(problems, Problem{File: at.of, Rule: at.rule, Text: fmt.Sprintf(format, args...)})
	}
	counts, known := byPlace(found), byPlace(before)
	for _, e := range exceptions {
		at := place{e.Rule, e.Of}
		if counts[at] == 0 || e.Why == "" {
			problem(at, "remove the exception, or give it a reason")
		}
		delete(counts, at)
	}
	for at, was := range known {
		if now := counts[at]; now < was {
			problem(at, "no longer %d: go run ./hack/weight -above >hack/checks/above.txt", was)
		}
	}
	for at, now := range counts {
		if limit := max(known[at], limits[at.rule]); now > limit {
			problem(at, "%d is above the limit of %d", now, limit)
		}
	}
	return problems
}

// place is what a number was measured of.
type place struct{ rule, of string }

func byPlace(measures []Measure) map[place]int {
	out := map[place]int{}
	for _, m := range measures {
		out[place{m.Rule, m.Of}] = m.Count
	}
	return out
}

// Above returns the list of what was above its limit before.
func Above() ([]Measure, error) {
	var out []Measure
	for line := range strings.Lines(above) {
		var m Measure
		if _, err := fmt.Sscan(line, &m.Rule, &m.Count, &m.Of); err != nil {
			return nil, fmt.Errorf("above.txt: %q: %w", line, err)
		}
		out = append(out, m)
	}
	return out, nil
}

//go:embed above.txt
var above string

// String returns the line of above.txt.
func (m Measure) String() string { return fmt.Sprintf("%s %d %s", m.Rule, m.Count, m.Of) }
