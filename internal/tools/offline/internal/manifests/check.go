// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrljson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/standalone"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/schema"
	"github.com/sparkgate/sparkgate/queueing/queuespec"
)

// Check returns the findings about the objects of the project's kinds, and how many of these there are. Other objects
// are ignored, except a ConfigMap that an application names as its sparkConfigMap. An error means a bug in this
// program.
func Check(objects []Object) (findings []Finding, checked int, err error) {
	for i := range objects {
		o := &objects[i]
		if group, _, _ := strings.Cut(o.APIVersion, "/"); group != v1alpha1.Group {
			continue
		}
		checked++
		found, err := o.Check(objects)
		if err != nil {
			return nil, 0, err
		}
		findings = append(findings, found...)
	}
	return slices.Concat(findings, cycles(objects), hooks(objects), closedQueues(objects)), checked, nil
}

// Check returns the findings about one object of the project's kinds. all are the objects among which its ConfigMap is
// looked up. An error means a bug in this program.
func (o *Object) Check(all []Object) ([]Finding, error) {
	found, err := o.check(all)
	return o.Place(found), err
}

// Place adds file, line and object to findings, and sorts them by line. It hides passwords in the values that messages
// quote, because CI keeps them.
func (o *Object) Place(findings []Finding) []Finding {
	for i := range findings {
		f := &findings[i]
		f.Message = redact.Quoted(f.Message)
		f.File, f.Line, f.Object = o.File, o.lineOf(f.Field), strings.TrimSpace(o.Kind+" "+o.Name)
	}
	slices.SortStableFunc(findings, func(a, b Finding) int { return a.Line - b.Line })
	return findings
}

// check checks one object, with at most one finding for each field.
func (o *Object) check(all []Object) ([]Finding, error) {
	if version := v1alpha1.GroupVersion.String(); o.APIVersion != version {
		return []Finding{{Field: "apiVersion", Message: fmt.Sprintf("value %q is not known: set %s", o.APIVersion, version)}}, nil
	}
	schema, known, err := schema.Of(o.Kind)
	if err != nil {
		return nil, err
	}
	if !known {
		return []Finding{{Field: "kind", Message: fmt.Sprintf("unknown kind %q in %s", o.Kind, v1alpha1.Group)}}, nil
	}
	text, object, err := o.withoutStatus()
	if err != nil {
		return nil, err
	}
	var c collector
	for _, f := range schema.Check(object) {
		c.add(Finding{Field: f.Field, Message: f.Message})
	}
	if c.tooLarge(o.Kind, object) {
		return c.findings, nil
	}
	switch o.Kind {
	case v1alpha1.SparkApplicationKind:
		c.application(text, all)
	case v1alpha1.SparkClusterKind:
		c.cluster(text)
	case v1alpha1.ScheduledSparkApplicationKind:
		return c.schedule(text, o.Namespace, all)
	case v1alpha1.SparkQueueKind:
		c.queue(text)
	case v1alpha1.SparkFlavorKind:
		c.decode(text, &v1alpha1.SparkFlavor{})
	}
	return c.findings, nil
}

// withoutStatus returns the object without its status, which the API server ignores when it is applied.
func (o *Object) withoutStatus() ([]byte, map[string]any, error) {
	var object map[string]any
	if err := ctrljson.UnmarshalCaseSensitivePreserveInts(o.JSON, &object); err != nil {
		return nil, nil, err
	}
	if _, ok := object["status"]; !ok {
		return o.JSON, object, nil
	}
	delete(object, "status")
	text, err := json.Marshal(object)
	return text, object, err
}

// collector collects findings, at most one for each field.
type collector struct{ findings []Finding }

func (c *collector) add(f Finding) {
	if !slices.ContainsFunc(c.findings, func(known Finding) bool { return known.Field == f.Field }) {
		c.findings = append(c.findings, f)
	}
}

// decode decodes an object strictly. It reports whether its values could be decoded; unknown fields do not matter for
// that. If the schema has reported a value of the wrong type, it is not reported again, and the rest is decoded without
// it.
func (c *collector) decode(text []byte, into any) bool {
	readable := ctrljson.UnmarshalCaseSensitivePreserveInts(text, into) == nil
	if !readable && len(c.findings) > 0 {
		if text = without(text, c.findings); ctrljson.UnmarshalCaseSensitivePreserveInts(text, into) != nil {
			return false
		}
	}
	for _, m := range strictdecode.Decode(text, "", into) {
		field := strings.TrimPrefix(m.Field, ".")
		c.add(Finding{Field: field, Message: cmp.Or(movedTo(field), m.Message)})
	}
	return readable
}

// tooLarge reports an application or schedule that is larger than what the operator keeps in memory. Nothing else about
// it is checked then, as in the operator.
func (c *collector) tooLarge(kind string, object map[string]any) bool {
	if kind != v1alpha1.SparkApplicationKind && kind != v1alpha1.ScheduledSparkApplicationKind {
		return false
	}
	size := 0
	for _, part := range []string{"metadata", "spec"} {
		text, err := json.Marshal(object[part])
		if err != nil {
			return false // cannot happen: it was decoded from JSON
		}
		size += len(text)
	}
	if size <= v1alpha1.MaxApplicationSize {
		return false
	}
	f := validate.TooLarge(size)
	c.add(Finding{Field: f.Field, Message: f.Message})
	return true
}

func (c *collector) queue(text []byte) {
	var queue v1alpha1.SparkQueue
	if !c.decode(text, &queue) {
		return
	}
	for _, f := range queuespec.Check(&queue.Spec) {
		c.add(Finding{Field: f.Field, Message: f.Message})
	}
}

// application checks an application like the operator, which never sees what the schema refuses. Fields that this
// version does not honour are warnings.
func (c *collector) application(text []byte, all []Object) {
	bySchema := len(c.findings)
	var app v1alpha1.SparkApplication
	if !c.decode(text, &app) || bySchema > 0 {
		return
	}
	Generate(&app.ObjectMeta)
	files := ConfFiles(&app, all)
	in, contradictions := render.NewInput(&app, conf.Sources{ConfigMap: files})
	in.SchedulingGated = SchedulingGated(Placement(&app).Gate, in.Properties)
	_, found := validate.Build(in, contradictions)
	if files == nil && validate.ConfigMapMayMend(&app, found) {
		c.add(Finding{Warning: true, Field: "spec.sparkConfigMap", Message: fmt.Sprintf(
			"the ConfigMap %s is not among the files, and its properties may be what is missing here: also name its file", app.Spec.SparkConfigMap)})
	}
	if app.Spec.Queue != nil {
		found = append(found, validate.Queue(&app, app.Spec.Queue.Gate)...)
	}
	for _, f := range found {
		notYet := f.Reason == v1alpha1.NotYetSupportedReason
		c.add(Finding{Field: f.Field, Message: f.Message, Warning: notYet, stops: notYet})
	}
	for _, w := range validate.Warnings(&app) {
		c.add(Finding{Field: w.Field, Message: w.Message, Warning: true})
	}
	for _, f := range misspelled(app.Spec.SparkConf) {
		c.add(f)
	}
}

// cluster checks a cluster by the application that runs it.
func (c *collector) cluster(text []byte) {
	bySchema := len(c.findings)
	var cluster v1alpha1.SparkCluster
	if !c.decode(text, &cluster) || bySchema > 0 {
		return
	}
	for _, f := range validate.Application(standalone.Application(&cluster)) {
		c.add(Finding{Field: standalone.InWords(f.Field), Message: standalone.InWords(f.Message)})
	}
}

// ClusterApplication returns the application that runs the SparkCluster in an object.
func ClusterApplication(o *Object) (*v1alpha1.SparkApplication, error) {
	var cluster v1alpha1.SparkCluster
	if err := ctrljson.UnmarshalCaseSensitivePreserveInts(o.JSON, &cluster); err != nil {
		return nil, err
	}
	return standalone.Application(&cluster), nil
}

// Generate gives an object with generateName a name like the API server.
func Generate(meta *metav1.ObjectMeta) {
	if meta.Name == "" && meta.GenerateName != "" {
		const most, made = 58, "x2k7q"
		meta.Name = meta.GenerateName[:min(most, len(meta.GenerateName))] + made
	}
}

// ConfFiles returns the files of the ConfigMap that an application names as its sparkConfigMap; nil if it is not among
// the objects.
func ConfFiles(app *v1alpha1.SparkApplication, all []Object) map[string]string {
	for i := range all {
		o := &all[i]
		if o.Kind != "ConfigMap" || o.APIVersion != "v1" || app.Spec.SparkConfigMap == "" || o.Name != app.Spec.SparkConfigMap {
			continue
		}
		var configMap corev1.ConfigMap
		if o.Namespace != app.Namespace || json.Unmarshal(o.JSON, &configMap) != nil {
			continue
		}
		// The ConfigMap exists but has no files.
		if configMap.Data == nil {
			return map[string]string{}
		}
		return configMap.Data
	}
	return nil
}
