// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// field is one field of the API as its source has it.
type field struct {
	owner    string // Go type that it is a field of
	name     string // in JSON
	expr     string // its Go type
	doc      string // comment without markers, on one line
	markers  []string
	optional bool // omitempty
	tag      reflect.StructTag
}

func (f field) String() string { return f.owner + "." + f.name }

func (f field) has(marker string) bool {
	return slices.ContainsFunc(f.markers, func(m string) bool {
		return m == marker || strings.HasPrefix(m, marker+"=") || strings.HasPrefix(m, marker+":")
	})
}

func (f field) list() bool   { return strings.HasPrefix(f.expr, "[]") }
func (f field) text() bool   { return f.expr == "string" }
func (f field) number() bool { return regexp.MustCompile(`^\*?int(32|64)$`).MatchString(f.expr) }

// source is the API as parsed from this folder.
type source struct {
	fields []field
	// typeMarkers are the markers of each type declaration.
	typeMarkers map[string][]string
}

func parseSource(t *testing.T) source {
	t.Helper()
	s := source{typeMarkers: map[string][]string{}}
	paths, err := filepath.Glob("*_types.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			declaration, ok := d.(*ast.GenDecl)
			if !ok || declaration.Tok != token.TYPE {
				continue
			}
			for _, spec := range declaration.Specs {
				s.addType(declaration.Doc, spec.(*ast.TypeSpec))
			}
		}
	}
	if len(s.fields) < 100 {
		t.Fatalf("only %d fields were parsed", len(s.fields))
	}
	return s
}

func (s *source) addType(doc *ast.CommentGroup, spec *ast.TypeSpec) {
	_, s.typeMarkers[spec.Name.Name] = split(doc)
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range structure.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		if name == "" || name == "-" || name == "metadata" || name == "items" {
			continue // inlined, or Kubernetes' own
		}
		parsed := field{owner: spec.Name.Name, name: name, expr: exprString(f.Type), optional: strings.Contains(options, "omitempty"), tag: tag}
		parsed.doc, parsed.markers = split(f.Doc)
		s.fields = append(s.fields, parsed)
	}
}

// split takes the markers out of a comment.
func split(doc *ast.CommentGroup) (text string, markers []string) {
	if doc == nil {
		return "", nil
	}
	var words []string
	for _, line := range doc.List {
		content := strings.TrimSpace(strings.TrimPrefix(line.Text, "//"))
		if marker, ok := strings.CutPrefix(content, "+"); ok {
			markers = append(markers, marker)
		} else if content != "" {
			words = append(words, content)
		}
	}
	return strings.Join(words, " "), markers
}

func exprString(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return "*" + exprString(x.X)
	case *ast.ArrayType:
		return "[]" + exprString(x.Elt)
	case *ast.MapType:
		return "map[" + exprString(x.Key) + "]" + exprString(x.Value)
	case *ast.SelectorExpr:
		return exprString(x.X) + "." + x.Sel.Name
	}
	return "?"
}

// ownTypes returns the names of the types of this package that can be reached from a value.
func ownTypes(roots ...any) map[string]bool {
	found := map[string]bool{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(t.Elem())
		case reflect.Struct:
			if t.PkgPath() != reflect.TypeFor[SparkApplication]().PkgPath() || found[t.Name()] {
				return
			}
			found[t.Name()] = true
			for i := range t.NumField() {
				walk(t.Field(i).Type)
			}
		}
	}
	for _, root := range roots {
		walk(reflect.TypeOf(root))
	}
	return found
}

func specTypes() map[string]bool {
	return ownTypes(SparkApplicationSpec{}, SparkQueueSpec{}, SparkFlavorSpec{})
}

// TestEveryFieldSaysWhatAChangeMeans holds the classes of the fields of an application. The author of a field decides here.
func TestEveryFieldSaysWhatAChangeMeans(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for class, names := range map[string]string{
		"run": "type sparkVersion image imagePullPolicy imagePullSecrets mainClass mainApplicationFile arguments proxyUser sparkConf " +
			"sparkConfFrom hadoopConf sparkConfigMap hadoopConfigMap configMaps deps memoryOverheadFactor driver executor dynamicAllocation " +
			"monitoring podSecurity runID server clusterRef",
		"ask": "queue.name queue.gate queue.minExecutors queue.flavors queue.volcano",
		"live": "queue.priorityClassName driverService podDisruptionBudget suspend readyWhen onTemplateChange timeouts restartPolicy retention " +
			"ttlAfterFinished ui",
	} {
		for _, name := range strings.Fields(names) {
			want[name] = class
		}
	}
	got := map[string]string{}
	addClasses(got, "", reflect.TypeFor[SparkApplicationSpec]())
	addClasses(got, "queue.", reflect.TypeFor[QueueReference]())
	delete(got, "queue") // its fields differ, so each has its own
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tag sparkgate by field (-want +got):\n%s", diff)
	}
}

func addClasses(classes map[string]string, prefix string, t reflect.Type) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		classes[prefix+name] = t.Field(i).Tag.Get("sparkgate")
	}
}

// TestCommentsSayWhatAChangeMeans: what the tag says to the operator, the comment says to people.
func TestCommentsSayWhatAChangeMeans(t *testing.T) {
	t.Parallel()
	sentences := map[string]string{"run": "Part of the run template.", "live": "at any time."}
	for _, f := range parseSource(t).fields {
		want, ok := sentences[f.tag.Get("sparkgate")]
		if ok && !strings.HasSuffix(f.doc, want) {
			t.Errorf("%s: the comment does not end with %q", f, want)
		}
	}
}

func TestEveryFieldIsExplained(t *testing.T) {
	t.Parallel()
	for _, f := range parseSource(t).fields {
		rest, ok := strings.CutPrefix(f.doc, f.name)
		if !ok || !strings.HasPrefix(strings.TrimLeft(rest, ":"), " ") || !strings.HasSuffix(f.doc, ".") {
			t.Errorf("%s: the comment is not a sentence that begins with the JSON name: %q", f, f.doc)
		}
		if strings.Contains(f.doc, "#") || strings.Contains(f.doc, "TODO") {
			t.Errorf("%s: the comment has a note for developers: %q", f, f.doc)
		}
	}
}

// excludedWords are words that the glossary (docs/concepts.md) excludes, and "this node" for a queue: nodes run pods.
var excludedWords = regexp.MustCompile(`(?i)\b(displac\w+|lets? [\w ]*\bin\b|lift(s|ed)?|this node|node above|rooms?|any more|told)\b`)

func TestCommentsUseTheWordsOfTheGlossary(t *testing.T) {
	t.Parallel()
	for _, f := range parseSource(t).fields {
		if word := excludedWords.FindString(f.doc); word != "" {
			t.Errorf("%s: the comment has %q, for which the glossary has another word: %q", f, word, f.doc)
		}
	}
}

func TestEveryFieldIsOptionalOrRequired(t *testing.T) {
	t.Parallel()
	for _, f := range parseSource(t).fields {
		optional, required := f.has("optional"), f.has("required")
		if optional == required {
			t.Errorf("%s: write either +optional or +required", f)
		}
		if required && f.optional {
			t.Errorf("%s: required, but omitempty leaves it out", f)
		}
		// Where absence and zero mean the same to all readers, a default may stand for omitempty.
		if optional && !f.optional && !f.has("kubebuilder:default") {
			t.Errorf("%s: optional without omitempty: clients would send the zero value", f)
		}
	}
}

func TestEveryListHasAType(t *testing.T) {
	t.Parallel()
	for _, f := range parseSource(t).fields {
		switch {
		case !f.list(), f.has("kubebuilder:validation:Schemaless"): // the schema does not say that it is one
		case !f.has("listType=atomic") && !f.has("listType=map") && !f.has("listType=set"):
			t.Errorf("%s: no +listType", f)
		case f.has("listType=map") && !f.has("listMapKey"):
			t.Errorf("%s: a list of type map without +listMapKey", f)
		}
	}
}

func TestEverySizeIsBounded(t *testing.T) {
	t.Parallel()
	s := parseSource(t)
	spec := specTypes()
	isEnum := func(f field) bool {
		_, own := s.typeMarkers[f.expr]
		return own && !spec[f.expr]
	}
	for _, f := range s.fields {
		if !spec[f.owner] {
			continue
		}
		if strings.HasSuffix(f.expr, "[]string") {
			needs(t, f, "items:MaxLength", f.markers)
		}
		if strings.Contains(f.expr, ".") && !strings.HasSuffix(f.expr, "runtime.RawExtension") && !scalar[f.expr] {
			needs(t, f, "XValidation:rule", f.markers) // the schema of Kubernetes' own types has no bounds
		}
		switch {
		case strings.HasPrefix(f.expr, "map["):
			needs(t, f, "MaxProperties", f.markers)
			needs(t, f, "XValidation:rule", f.markers) // names and values
		case f.list():
			needs(t, f, "MaxItems", f.markers)
		case f.text():
			needs(t, f, "MaxLength", f.markers)
		case f.number() && f.name != "maxPriorityThreshold": // priorities may be negative
			needs(t, f, "Minimum", f.markers)
		case isEnum(f):
			needs(t, f, "Enum", append(f.markers, s.typeMarkers[f.expr]...))
		}
	}
}

// scalar are types of Kubernetes whose fields have bounds of another kind: an enumeration, a pattern.
var scalar = map[string]bool{"corev1.PullPolicy": true, "resource.Quantity": true, "*resource.Quantity": true}

// needs looks for a validation marker of that name.
func needs(t *testing.T, f field, validation string, markers []string) {
	t.Helper()
	if !hasPrefix(markers, "kubebuilder:validation:"+validation+"=") {
		t.Errorf("%s: a field of type %s without %s", f, f.expr, validation)
	}
}

func hasPrefix(markers []string, prefix string) bool {
	return slices.ContainsFunc(markers, func(m string) bool { return strings.HasPrefix(m, prefix) })
}

// TestEveryDurationIsChecked: the generator of the CRDs does not read markers of the type, so each field needs its own.
func TestEveryDurationIsChecked(t *testing.T) {
	t.Parallel()
	for _, f := range parseSource(t).fields {
		if strings.TrimPrefix(f.expr, "*") != "Duration" {
			continue
		}
		for _, marker := range []string{"kubebuilder:validation:Type=string", "kubebuilder:validation:MaxLength=20", "kubebuilder:validation:XValidation"} {
			if !f.has(marker) {
				t.Errorf("%s: a duration without %s", f, marker)
			}
		}
	}
}

func TestEnumsAreCamelCase(t *testing.T) {
	t.Parallel()
	s := parseSource(t)
	word := regexp.MustCompile(`^[A-Z][A-Za-z]*$`)
	all := [][]string{}
	for _, f := range s.fields {
		all = append(all, f.markers)
	}
	for _, markers := range s.typeMarkers {
		all = append(all, markers)
	}
	seen := 0
	for _, markers := range all {
		for _, m := range markers {
			values, ok := strings.CutPrefix(m, "kubebuilder:validation:Enum=")
			if !ok {
				continue
			}
			seen++
			for value := range strings.SplitSeq(values, ";") {
				if !word.MatchString(value) {
					t.Errorf("%s: %q is not CamelCase", m, value)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no enum was found")
	}
}

// TestBooleansStay: a boolean cannot grow a third value, so each new one has to be meant.
func TestBooleansStay(t *testing.T) {
	t.Parallel()
	want := []string{
		"DynamicAllocation.enabled", "ExecutorSpec.deleteOnTermination", "Grant.gated", "HandledSchedule.mistake", "HandledSchedule.paused", "LedgerEntry.part", "PodSetGrant.elastic", "ScheduledSparkApplicationSpec.suspend", "SparkApplicationSpec.suspend", "SparkClusterSpec.suspend", "SparkQueueSpec.unlimited",
		"VolcanoOptions.waitForInqueue",
	}
	var got []string
	for _, f := range parseSource(t).fields {
		if strings.HasSuffix(f.expr, "bool") {
			got = append(got, f.String())
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("booleans (-want +got): would an enum do?\n%s", diff)
	}
}

// TestRulesOfObjectsAreCheap: the API server evaluates every rule in every write, also in that of a status, and copies the
// schema of all fields of an object whenever a rule reads one of them. A rule that read 40 fields of an application's spec
// was a third of what the API server allocated for a write of a status.
func TestRulesOfObjectsAreCheap(t *testing.T) {
	t.Parallel()
	const most = 100 // schemas that one evaluation copies
	s := parseSource(t)
	fields := map[string]int{}
	for _, f := range s.fields {
		fields[f.owner]++
	}
	rule := regexp.MustCompile(`XValidation:rule="((?:[^"\\]|\\.)*)"`)
	seen := 0
	for name, markers := range s.typeMarkers {
		for _, m := range markers {
			found := rule.FindStringSubmatch(m)
			if found == nil {
				continue
			}
			seen++
			if reads := strings.Count(found[1], "self."); reads*fields[name] > most {
				t.Errorf("%s: a rule reads its %d fields %d times; put rules on the fields themselves:\n%s", name, fields[name], reads, found[1])
			}
		}
	}
	if seen == 0 {
		t.Error("no rule was found")
	}
}

// TestMessagesAreInstructions: a rule says what to do, and names the field.
func TestMessagesAreInstructions(t *testing.T) {
	t.Parallel()
	s := parseSource(t)
	message := regexp.MustCompile(`message="((?:[^"\\]|\\.)*)"`)
	check := func(where, name, marker string) {
		if !strings.HasPrefix(marker, "kubebuilder:validation:XValidation") {
			return
		}
		found := message.FindStringSubmatch(marker)
		if found == nil {
			t.Errorf("%s: a rule without a message", where)
		} else if !strings.HasPrefix(found[1], "set "+name) && !strings.HasPrefix(found[1], "choose ") {
			t.Errorf("%s: the message does not begin with \"set %s …\": %q", where, name, found[1])
		}
	}
	for _, f := range s.fields {
		for _, m := range f.markers {
			check(f.String(), f.name, m)
		}
	}
	for name, markers := range s.typeMarkers {
		for _, m := range markers {
			check(name, "", m)
		}
	}
}

// TestOnlyStatusHasDefaults: a default below spec would be drift for users who compare with Git, and would change template hashes.
func TestOnlyStatusHasDefaults(t *testing.T) {
	t.Parallel()
	spec := specTypes()
	for _, f := range parseSource(t).fields {
		if spec[f.owner] && f.has("kubebuilder:default") {
			t.Errorf("%s: has a default", f)
		}
	}
}

// TestOptionalChoicesSayTheirDefault: where absence is a choice, the comment says which.
func TestOptionalChoicesSayTheirDefault(t *testing.T) {
	t.Parallel()
	spec := specTypes()
	for _, f := range parseSource(t).fields {
		choice := f.number() || strings.HasSuffix(f.expr, "*bool") || f.has("kubebuilder:validation:Enum")
		if spec[f.owner] && f.optional && choice && !strings.Contains(strings.ToLower(f.doc), "default") && !strings.Contains(f.doc, "absent:") {
			t.Errorf("%s: the comment does not say the default: %q", f, f.doc)
		}
	}
}
