// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// place puts a property into its field, into sparkConf, or leaves it out.
func (b *builder) place(key, value string) {
	if why, refused := refusal(key, value); refused {
		b.note(key, "left out: %s", why)
		return
	}
	if !b.verbatim && isSecret(key, value) {
		b.placeSecret(key, value)
		return
	}
	if field, ok := b.known.of(key); ok && b.setField(field, key, value) {
		b.noteSecret("spec."+field.path, key, value)
		return
	}
	b.setSparkConf(key, value)
	b.noteSecret(key, key, value)
}

func (b *builder) setSparkConf(key, value string) {
	if b.app.Spec.SparkConf == nil {
		b.app.Spec.SparkConf = map[string]string{}
	}
	b.app.Spec.SparkConf[key] = value
}

// setField sets the field of a property. It does so only if the field says exactly the same: it gives back the same
// text and sets no other property, and the schema accepts it. Invalid values go to sparkConf, where the check of the
// application reports them.
func (b *builder) setField(f field, key, value string) bool {
	trial := b.app.DeepCopy()
	if !f.set(&trial.Spec, value) {
		return false
	}
	want := texts(b.app)
	want[key] = value
	if !maps.Equal(texts(trial), want) || !b.allowed(trial, "spec."+f.path) {
		return false
	}
	b.app = trial
	return true
}

// texts returns the properties that the fields of an application set.
func texts(app *v1alpha1.SparkApplication) map[string]string {
	values := map[string]string{}
	for key, property := range typed(app) {
		values[key] = property.Value
	}
	return values
}

// allowed reports whether the schema accepts everything at a path and below it.
func (b *builder) allowed(app *v1alpha1.SparkApplication, path string) bool {
	text, err := json.Marshal(app)
	if err != nil {
		return false
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return false
	}
	for _, finding := range b.schema.Check(object) {
		if strings.HasPrefix(finding.Field, path) {
			return false
		}
	}
	return true
}

// changing are suffixes of keys that the operator refuses but that would change the job. They are kept, so that the
// check of the application refuses the job.
var changing = []string{".featureSteps", ".allocator"}

// refusal returns why a property is left out. It asks package conf, which refuses properties that the operator owns and
// keys that are not properties of Spark.
func refusal(key, value string) (string, bool) {
	if key == conf.DriverMaster && conf.IsLocal(value) {
		return "", false // it changes the job, too
	}
	for _, end := range changing {
		if strings.HasSuffix(key, end) {
			return "", false
		}
	}
	app := &v1alpha1.SparkApplication{Spec: v1alpha1.SparkApplicationSpec{SparkConf: map[string]string{key: value}}}
	_, findings := conf.Merge(app, conf.Sources{})
	if len(findings) == 0 {
		return "", false
	}
	return strings.NewReplacer(": remove it: ", ": ", ": remove it; ", ": ", ": remove it and ", ": ", ": remove it", "").Replace(findings[0].Message), true
}
