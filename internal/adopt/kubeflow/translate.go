// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrljson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
)

// Group is the API group of kubeflow's operator.
const Group = "sparkoperator.k8s.io"

const apiVersion = Group + "/v1beta2"

// Translation is an object of ours for one of theirs.
type Translation struct {
	// Object is a SparkApplication or a ScheduledSparkApplication; nil if there are refusals.
	Object any
	// Notes say what is not the same, Refusals why the object cannot be translated. Both name fields of their object.
	Notes, Refusals []finding.Finding

	// origins are fields of their object by those of ours that were made from them.
	origins map[string]string
}

// object is what the translation reads of an object besides its spec.
type object struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Spec       map[string]any    `json:"spec"`
	// ofNamespace is the annotation SpecAnnotation of the namespace.
	ofNamespace string
}

// Translate translates an object in JSON. ofNamespace is the annotation SpecAnnotation of its namespace, which holds where
// that of the object says nothing; empty for none.
func Translate(text []byte, ofNamespace string) Translation {
	o := object{ofNamespace: ofNamespace}
	if ctrljson.UnmarshalCaseSensitivePreserveInts(text, &o) != nil {
		for _, f := range strictdecode.Decode(text, "", &o) {
			return refused(strings.TrimPrefix(f.Field, "."), "%s", f.Message)
		}
	}
	switch {
	case o.Kind == "SparkConnect":
		return refused("kind", "value %q: write a SparkApplication with server: {type: Connect}, image, sparkVersion, and the fields of driver and executor", o.Kind)
	case o.APIVersion != apiVersion:
		return refused("apiVersion", "value %q is not known: set %s", o.APIVersion, apiVersion)
	case o.Kind == v1alpha1.SparkApplicationKind:
		return o.application()
	case o.Kind == v1alpha1.ScheduledSparkApplicationKind:
		return o.schedule()
	}
	return refused("kind", "value %q is not a kind of kubeflow's operator that can be translated: SparkApplication or ScheduledSparkApplication", o.Kind)
}

func refused(field, format string, args ...any) Translation {
	return Translation{Refusals: []finding.Finding{{Field: field, Message: fmt.Sprintf(format, args...)}}}
}

// application translates a SparkApplication.
func (o *object) application() Translation {
	app := &v1alpha1.SparkApplication{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind},
		ObjectMeta: ownMetadata(&o.Metadata),
	}
	t := newTranslator(fields, "spec", "spec")
	t.app = app
	t.annotated(o)
	t.spec(o.Spec)
	return t.finish(app, app)
}

// schedule translates a ScheduledSparkApplication.
func (o *object) schedule() Translation {
	s := newTranslator(scheduleFields, "spec", "spec")
	s.walk("", o.Spec)
	times(s, o.Spec)
	schedule := &v1alpha1.ScheduledSparkApplication{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.ScheduledSparkApplicationKind},
		ObjectMeta: ownMetadata(&o.Metadata),
	}
	s.decode(s.made, s.base, &schedule.Spec)
	schedule.Spec.Template.Metadata.Labels = schedule.Labels

	t := newTranslator(fields, "spec.template", "spec.template.spec")
	t.scheduled = true
	t.app = &v1alpha1.SparkApplication{ObjectMeta: schedule.ObjectMeta}
	t.annotated(o)
	template, _ := o.Spec["template"].(map[string]any)
	t.spec(template)
	t.Notes, t.Refusals = append(s.Notes, t.Notes...), append(s.Refusals, t.Refusals...)
	maps.Copy(t.origins, s.origins)
	out := t.finish(t.app, schedule)
	raw, err := json.Marshal(t.made)
	if err != nil {
		return refused("spec.template", "%s", err)
	}
	schedule.Spec.Template.Spec = runtime.RawExtension{Raw: raw}
	return out
}

// ownMetadata returns what a user may write of an object's metadata.
func ownMetadata(m *metav1.ObjectMeta) metav1.ObjectMeta {
	own := metav1.ObjectMeta{Name: m.Name, GenerateName: m.GenerateName, Namespace: m.Namespace, Labels: m.Labels, Annotations: maps.Clone(m.Annotations)}
	delete(own.Annotations, "kubectl.kubernetes.io/last-applied-configuration")
	delete(own.Annotations, SpecAnnotation)
	return own
}

// translator translates one spec.
type translator struct {
	Translation
	table map[string]how
	// at is the path of their spec, base that of ours.
	at, base string
	// app is the application that is made of the spec.
	app       *v1alpha1.SparkApplication
	scheduled bool
	// theirs is what is read of the spec as a whole, made is our spec as JSON.
	theirs application
	made   map[string]any
	// said are the annotations that say more than the spec, in the order in which they hold.
	said []annotation
}

func newTranslator(table map[string]how, at, base string) *translator {
	return &translator{Translation: Translation{origins: map[string]string{}}, table: table, at: at, base: base, made: map[string]any{}}
}

// note records that a field does not mean the same here.
func (t *translator) note(field, format string, args ...any) {
	t.Notes = append(t.Notes, finding.Finding{Field: t.at + "." + field, Message: fmt.Sprintf(format, args...)})
}

// refuse records that a field keeps the object from being translated.
func (t *translator) refuse(field, format string, args ...any) {
	t.Refusals = append(t.Refusals, finding.Finding{Field: t.at + "." + field, Message: fmt.Sprintf(format, args...)})
}

// madeFrom records of which field of theirs a field of our spec was made.
func (t *translator) madeFrom(field, theirs string) {
	t.origins[t.base+"."+field] = t.at + "." + theirs
}

// set sets a field of our spec for one of theirs.
func (t *translator) set(field string, value any, theirs string) {
	t.madeFrom(field, theirs)
	t.write(field, value)
}

// write sets a field of our spec that says what is not said there.
func (t *translator) write(field string, value any) {
	group, steps := t.made, strings.Split(field, ".")
	for _, step := range steps[:len(steps)-1] {
		inner, ok := group[step].(map[string]any)
		if !ok {
			inner = map[string]any{}
			group[step] = inner
		}
		group = inner
	}
	group[steps[len(steps)-1]] = value
}

// property sets a property of Spark for a field of theirs, which wins over sparkConf.
func (t *translator) property(key, value, theirs string) {
	if t.theirs.SparkConf == nil {
		t.theirs.SparkConf = map[string]string{}
	}
	if other, ok := t.theirs.SparkConf[key]; ok && other != value {
		t.note("sparkConf["+key+"]", "left out: the value of %s holds, as there", theirs)
	}
	t.theirs.SparkConf[key] = value
	t.madeFrom("sparkConf["+key+"]", theirs)
}

// spec translates a spec of an application.
func (t *translator) spec(spec map[string]any) {
	t.decode(spec, t.at, &t.theirs)
	for i, r := range t.roles() {
		r.t, r.name = t, []string{"driver", "executor"}[i]
		r.template()
	}
	t.walk("", spec)
	program(t)
	monitoring(t)
	for _, r := range t.roles() {
		r.translate()
	}
	life(t)
	queue(t)
	access(t)
	t.overlay()
}

func (t *translator) roleOf(name string) *role {
	if name == "driver" {
		return &t.theirs.Driver
	}
	return &t.theirs.Executor
}

// roles returns driver and executor.
func (t *translator) roles() []*role { return []*role{&t.theirs.Driver, &t.theirs.Executor} }

// walk translates the fields below a path by the table.
func (t *translator) walk(path string, fields map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		inner, value := strings.TrimPrefix(path+"."+name, "."), fields[name]
		if h, role, known := t.find(inner); known {
			t.apply(inner, value, h, role)
			continue
		}
		below := t.below(inner)
		if list, ok := value.([]any); ok && below {
			for _, entry := range list {
				group, _ := entry.(map[string]any)
				t.walk(inner+"[]", group)
			}
			continue
		}
		if group, ok := value.(map[string]any); ok && below {
			t.walk(inner, group)
		} else if !empty(value) {
			t.note(inner, "left out: kubeflow's operator does not know this field, and the API server drops it there")
		}
	}
}

// find returns what becomes of a field, and the role whose field it may be.
func (t *translator) find(path string) (h how, role string, known bool) {
	role, _, _ = strings.Cut(path, ".")
	if h, known = t.table[path]; !known {
		h, known = t.table[generic(path)]
	}
	return h, role, known
}

// below reports whether the table has fields below a path.
func (t *translator) below(path string) bool {
	for field := range t.table {
		for _, name := range []string{path, generic(path)} {
			if strings.HasPrefix(field, name+".") || strings.HasPrefix(field, name+"[]") {
				return true
			}
		}
	}
	return false
}

// generic returns a field of a role as the table has it, other fields unchanged.
func generic(path string) string {
	if role, name, _ := strings.Cut(path, "."); role == "driver" || role == "executor" {
		return "ROLE." + name
	}
	return path
}

// apply does with a field what the table says.
func (t *translator) apply(path string, value any, h how, role string) {
	if empty(value) || h == together || h.only != "" && strings.TrimPrefix(fmt.Sprint(value), "k8s://") == h.only {
		return
	}
	to := strings.Replace(h.to, "ROLE", role, 1)
	switch {
	case h.refuse != "":
		t.refuse(path, "value %s: %s", shown(value), h.refuse)
	case h.note != "":
		t.note(path, "%s", h.note)
	case to != "":
		t.set(to, value, path)
	case h.pod != "":
		t.roleOf(role).pod(path)[h.pod] = value
	case h.container != "":
		t.roleOf(role).container(path)[h.container] = value
	default:
		t.family(h.property, value, path)
	}
}

// family sets a property, or one for each entry of a map.
func (t *translator) family(key string, value any, path string) {
	entries, isMap := value.(map[string]any)
	if !isMap {
		t.property(key, fmt.Sprint(value), path)
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		t.property(key+name, fmt.Sprint(entries[name]), path)
	}
}

// empty reports whether a value means the same as none.
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func shown(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// decode converts a part of an object at a path. What does not fit is refused; unknown fields are not, because the table
// reports them.
func (t *translator) decode(from any, at string, into any) {
	text, err := json.Marshal(from)
	if err != nil {
		t.Refusals = append(t.Refusals, finding.Finding{Field: at, Message: err.Error()})
		return
	}
	if ctrljson.UnmarshalCaseSensitivePreserveInts(text, into) == nil {
		return
	}
	for _, f := range strictdecode.Decode(text, at, into) {
		t.Refusals = append(t.Refusals, finding.Finding{Field: t.TheirField(f.Field), Message: f.Message})
	}
}

// finish checks the application, and returns the translation to an object that has it.
func (t *translator) finish(app *v1alpha1.SparkApplication, whole any) Translation {
	properties(t)
	slices.SortStableFunc(t.Notes, func(a, b finding.Finding) int { return strings.Compare(a.Field, b.Field) })
	if len(t.Refusals) == 0 {
		t.decode(t.made, t.base, &app.Spec)
	}
	if len(t.Refusals) > 0 {
		return t.Translation
	}
	named := app.DeepCopy()
	if named.Name == "" && named.GenerateName != "" {
		named.Name = named.GenerateName + "x"
	}
	for _, f := range validate.Application(named) {
		f.Field = t.based(f.Field)
		t.Refusals = append(t.Refusals, t.Theirs(f))
	}
	if len(t.Refusals) == 0 {
		t.Object = whole
	}
	return t.Translation
}

// based returns the path in our object of a field that is named as in an application.
func (t *translator) based(field string) string {
	if rest, ok := strings.CutPrefix(field, "spec."); ok {
		return t.base + "." + rest
	}
	return field
}

// Theirs returns a finding about our object as one about theirs. The message names our field where that is another one.
func (t *Translation) Theirs(f finding.Finding) finding.Finding {
	theirs := t.TheirField(f.Field)
	if theirs != f.Field {
		f.Message = "it becomes " + f.Field + ": " + f.Message
	}
	f.Field = theirs
	return f
}

// TheirField returns the field of theirs from which a field of ours was made; the same name if none is known.
func (t *Translation) TheirField(ours string) string {
	best, found := "", ours
	for field, origin := range t.origins {
		if rest, ok := strings.CutPrefix(ours, field); ok && len(field) > len(best) && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			best, found = field, origin
			if origin[strings.LastIndexByte(origin, '.'):] == field[strings.LastIndexByte(field, '.'):] {
				found += rest // it has the same form
			}
		}
	}
	return found
}
